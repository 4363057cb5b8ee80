package sim_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/isa"
)

// without caches: what the pipeline model claims to fit.
func (r *reference) fitted() bool { return r.memory != "dflt" }

// fit sums up the rows of one configuration.
type fit struct {
	rows, good, sum, worst int // differences in tenths of a percent
}

const (
	fitBegin = "<!-- fit: written by TestPipelineFit -->\n"
	fitEnd   = "<!-- end of fit -->\n"
)

// The pipeline model is within 10 % of the reference on at least 80 % of the
// rows without caches; docs/limits.md has the summary and names every other row.
// UPDATE_GOLDEN=1 rewrites the summary.
func TestPipelineFit(t *testing.T) {
	doc, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	fits := map[string]*fit{}
	var names []string
	all := &fit{}
	var table strings.Builder
	for _, r := range references(t) {
		if !r.fitted() {
			continue
		}
		res := r.simulate(t, r.machine(t))
		if res.WarpInstructions != r.warpInsn || res.ThreadInstructions != r.threadInsn {
			t.Errorf("%s: %d warp and %d thread instructions, reference %d and %d", r.kernel, res.WarpInstructions, res.ThreadInstructions, r.warpInsn, r.threadInsn)
		}
		permille := int(math.Round(1000 * float64(res.Cycles-r.cycles) / float64(r.cycles)))
		name := fmt.Sprintf("| %s | %s | %s |", r.configuration(), r.memoryName(), r.policy)
		if fits[name] == nil {
			fits[name] = &fit{}
			names = append(names, name)
		}
		mark := ""
		for _, f := range []*fit{fits[name], all} {
			f.rows++
			f.sum += max(permille, -permille)
			f.worst = max(f.worst, permille, -permille)
			if max(permille, -permille) <= 100 {
				f.good++
			} else {
				mark = " *"
			}
		}
		if mark != "" && !strings.Contains(string(doc), fmt.Sprintf("- `%s` on `%s`, `%s`", r.kernel, r.config, r.memory)) {
			t.Errorf("%s on %s, %s, %s: %d cycles, reference %d, and docs/limits.md does not say why", r.kernel, r.config, r.memory, r.policy, res.Cycles, r.cycles)
		}
		fmt.Fprintf(&table, "%-9s %-16s %-4s %-8s %7d %7d %+6.1f%%%s\n", r.kernel, r.config, r.policy, r.memory, r.cycles, res.Cycles, float64(permille)/10, mark)
	}
	t.Logf("%d of %d rows within 10 %%\n%s", all.good, all.rows, table.String())
	if 10*all.good < 8*all.rows {
		t.Errorf("%d of %d rows within 10 %%, want at least 80 %%", all.good, all.rows)
	}
	sort.Strings(names)
	summary := "\n| configuration | memory | policy | rows | within 10 % | mean difference | largest |\n| --- | --- | --- | --- | --- | --- | --- |\n"
	for _, n := range names {
		summary += fits[n].row(n)
	}
	summary += all.row("| all | | |") + "\n"
	before, rest, ok := strings.Cut(string(doc), fitBegin)
	_, after, ok2 := strings.Cut(rest, fitEnd)
	if !ok || !ok2 {
		t.Fatal("docs/limits.md has no place for the summary")
	}
	golden.File(t, "../../docs/limits.md", before+fitBegin+summary+fitEnd+after)
}

func (f *fit) row(name string) string {
	mean := (f.sum + f.rows/2) / f.rows
	return fmt.Sprintf("%s %d | %d | %d.%d %% | %d.%d %% |\n", name, f.rows, f.good, mean/10, mean%10, f.worst/10, f.worst%10)
}

// configuration and memoryName put the seven machines of Jeanmougin2025 together.
func (r *reference) configuration() string {
	if strings.HasPrefix(r.config, "orin_") {
		return "Jeanmougin2025"
	}
	return r.config
}

func (r *reference) memoryName() string {
	if strings.HasPrefix(r.memory, "mi") {
		return "fixed, 5 to 400"
	}
	return r.memory
}

// A warp alone is within 3 cycles of the reference, cached rows aside: fetch,
// branches, dependences, memory and drain add up as there.
func TestPipelineWarpAlone(t *testing.T) {
	rows := 0
	for _, r := range references(t) {
		if !r.fitted() || r.block != [3]int{32, 1, 1} {
			continue
		}
		rows++
		if res := r.simulate(t, r.machine(t)); max(res.Cycles-r.cycles, r.cycles-res.Cycles) > 3 {
			t.Errorf("%s on %s, %s, %s: %d cycles, reference %d", r.kernel, r.config, r.memory, r.policy, res.Cycles, r.cycles)
		}
	}
	if rows < 60 {
		t.Errorf("%d rows with one warp", rows)
	}
}

// distances collects, per marked section of micro.ptx, the cycles between the
// issues of its instructions.
type distances struct {
	sim.NopObserver
	bars   map[int32]bool
	issues [][]int64
}

func (d *distances) Issue(e sim.IssueEvent) {
	if d.bars[e.PC] {
		d.issues = append(d.issues, nil)
		return
	}
	if n := len(d.issues); n > 0 {
		d.issues[n-1] = append(d.issues[n-1], e.Cycle)
	}
}

// Issue to dependent issue, uncontended, as measured on the reference simulator.
func TestDependentIssueDistances(t *testing.T) {
	text, err := os.ReadFile("testdata/gpgpusim/micro.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if _, mark, ok := strings.Cut(line, "MARK "); ok {
			names = append(names, strings.TrimSpace(mark))
		}
	}
	for _, c := range []struct {
		gpu  string
		want map[string]int64
	}{
		{"rtx3070", map[string]int64{
			"add.s32": 9, "sub.s32": 9, "add.s64": 9, "mul.lo.s32": 9, "mad.lo.s32": 9, "min.s32": 9, "and.b32": 6, "shl.b32": 6, "mov.u32": 6,
			"div.s32": 26, "rem.s32": 26, "add.f32": 9, "mul.f32": 9, "fma.rn.f32": 9, "max.f32": 9, "div.rn.f32": 44, "sqrt": 26, "rcp": 26, "sin": 26,
			"add.f64": 69, "fma.f64": 69, "div.f64": 335, "selp": 6, "popc": 6, "ld.shared": 34,
		}},
		{"gtx480", map[string]int64{
			"add.s32": 10, "mad.lo.s32": 11, "min.s32": 19, "and.b32": 7, "mov.u32": 7, "div.s32": 151, "add.f32": 10, "fma.rn.f32": 11, "max.f32": 19,
			"div.rn.f32": 45, "sqrt": 14, "rcp": 14, "sin": 14, "selp": 7, "popc": 7,
		}},
		{"ecrts2025-200", map[string]int64{"and.b32": 5, "mov.u32": 5, "selp": 5, "popc": 5, "add.s32": 8, "mad.lo.s32": 8, "add.f32": 8, "fma.rn.f32": 8}},
	} {
		d, err := gpu.Open(c.gpu, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := d.Machine()
		if err != nil {
			t.Fatal(err)
		}
		k, err := ptxexec.NewKernel(program(t, "micro.ptx", "micro"), ptxexec.LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, DynamicSharedBytes: 1024, Args: []ptxexec.Arg{iota32("out", 64, false), u32(1)}})
		if err != nil {
			t.Fatal(err)
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			t.Fatal(err)
		}
		seen := &distances{bars: map[int32]bool{}}
		for pc, in := range k.Program().Instructions {
			if in.Kind == isa.Barrier {
				seen.bars[int32(pc)] = true
			}
		}
		if _, err := sim.Run(context.Background(), sim.Config{Machine: m, Model: sim.PipelineModel{}, BlocksPerSM: 1, Checks: true, Observers: []sim.Observer{seen}}, k, timing); err != nil {
			t.Fatal(err)
		}
		checked := 0
		for i, name := range names {
			op, dependent := strings.CutSuffix(name, " dep")
			want, ok := c.want[op]
			if !dependent || !ok {
				continue
			}
			checked++
			issues := seen.issues[i]
			// The first ones still meet the section before on their unit.
			for j := 3; j < len(issues); j++ {
				if got := issues[j] - issues[j-1]; got != want {
					t.Errorf("%s, %s: instruction %d issues %d cycles after the one it needs, want %d", c.gpu, op, j, got, want)
				}
			}
		}
		if checked != len(c.want) {
			t.Errorf("%s: %d of %d operations found in micro.ptx", c.gpu, checked, len(c.want))
		}
	}
}

// An n-way bank conflict adds n-1 cycles to a load from shared memory, and a
// word that all lanes read is a broadcast.
func TestBankConflicts(t *testing.T) {
	d, err := gpu.Open("rtx3070", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	for stride, ways := range map[uint32]int64{0: 1, 1: 1, 2: 2, 4: 4, 32: 32, 33: 1} {
		k, err := ptxexec.NewKernel(program(t, "bank.ptx", "bank"), ptxexec.LaunchConfig{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []ptxexec.Arg{iota32("out", 2048, false), u32(stride)}})
		if err != nil {
			t.Fatal(err)
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			t.Fatal(err)
		}
		load := &sharedLoad{program: k.Program()}
		if _, err := sim.Run(context.Background(), sim.Config{Machine: m, Model: sim.PipelineModel{}, BlocksPerSM: 1, Checks: true, Observers: []sim.Observer{load}}, k, timing); err != nil {
			t.Fatal(err)
		}
		// Three loads in a row keep the unit for as many cycles as there are ways
		// each; the third is used by the next instruction.
		if got, want := load.use-load.third, 34+3*(ways-1); got != want {
			t.Errorf("stride %d, %d ways: the result of a load is used after %d cycles, want %d", stride, ways, got, want)
		}
	}
}

// sharedLoad notes when the third load of bank.ptx and its use issue.
type sharedLoad struct {
	sim.NopObserver
	program    *isa.Program
	loads      int
	third, use int64
}

func (s *sharedLoad) Issue(e sim.IssueEvent) {
	in := &s.program.Instructions[e.PC]
	switch {
	case in.Kind == isa.Load && in.Class.Space == isa.Shared:
		if s.loads++; s.loads == 3 {
			s.third = e.Cycle
		}
	case s.loads == 3 && s.use == 0:
		s.use = e.Cycle
	}
}
