package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
)

// analysedOn is the analysis of a launch on a machine.
func analysedOn(t *testing.T, file string, d *gpu.Description, q method.Question) (*Report, error) {
	t.Helper()
	l := open(t, file)
	on, err := l.For(d)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	source := cacheLaunch(on)
	source.Facts = on.Facts()
	return Run(t.Context(), source, m, q)
}

func opened(t *testing.T, name string, set ...string) *gpu.Description {
	t.Helper()
	d, err := gpu.Open(name, set)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Each row about the machine is what an analysis on a GPU file with that change gives, and one
// about blocks what one with so many gives.
func TestChangesAreOtherAnalyses(t *testing.T) {
	rows, differ := map[string]int{}, map[string]int{}
	for _, c := range []struct{ launch, gpu string }{
		{"basic/reduce/reduce.toml", "ecrts2025-200"},
		{"basic/barrier/producer_consumer.toml", "ecrts2025-200"},
		{"basic/saxpy/saxpy.toml", "rtx3070"},
		{"inputs/kernels/nearest/nearest.toml", "gtx480"},
		{"rodinia/hotspot/hotspot.toml", "tx1"},
		{"vortex/kernels/vecadd/vecadd.toml", "vortex-32x32"},
	} {
		file := filepath.Join("../../examples", c.launch)
		d := opened(t, c.gpu)
		r, err := analysedOn(t, file, d, method.Question{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := r.WhatIf(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range w.Rows {
			q, on := method.Question{}, d
			switch row.Kind {
			case OfSetting:
				if on, err = gpu.Open(c.gpu, []string{row.Setting}); err != nil {
					if row.NoBound == "" {
						t.Errorf("%s on %s: %s: %v", c.launch, c.gpu, row.Setting, err)
					}
					continue
				}
			case OfClass:
				class, what, _ := strings.Cut(row.Name, " ")
				var rule gpu.Rule
				for _, in := range r.Program.Instructions {
					if in.Class.String() == class {
						_, i, err := r.Machine.Timing(in.Class)
						if err != nil {
							t.Fatal(err)
						}
						rule = d.Timing[i]
					}
				}
				if what == "latency" {
					rule.LatencyCycles = row.To
				} else {
					rule.InitiationCycles = row.To
				}
				more := fmt.Sprintf("format = 1\nbase = %q\nname = \"changed\"\ndescription = \"one class changed\"\n[[timing]]\nclasses = [%q]\nunit = %q\ninitiation_cycles = %d\nlatency_cycles = %d\nsource = \"test\"\n", c.gpu, class, rule.Unit, rule.InitiationCycles, rule.LatencyCycles)
				if rule.DependentIssueCycles > 0 {
					more += fmt.Sprintf("dependent_issue_cycles = %d\n", rule.DependentIssueCycles)
				}
				if rule.TransactionCycles > 0 {
					more += fmt.Sprintf("transactions = %q\ntransaction_cycles = %d\n", rule.Transactions, rule.TransactionCycles)
				}
				if on, err = gpu.Load("test.toml", []byte(more)); err != nil {
					t.Fatal(err)
				}
			case OfOccupancy:
				if rows[row.Kind]%2 == 0 {
					q.BlocksPerSM = int(row.To)
				} else {
					on = opened(t, c.gpu, row.Setting)
				}
			default:
				continue
			}
			again, err := analysedOn(t, file, on, q)
			switch {
			case err != nil && row.Bound == nil:
			case err != nil:
				t.Errorf("%s on %s: %s %s: %v", c.launch, c.gpu, row.Name, row.Change, err)
			case (again.Best == nil) != (row.Bound == nil) || again.Best != nil && (again.Best.Cycles != row.Bound.Cycles || again.Best.Method != row.Bound.Method):
				t.Errorf("%s on %s: %s %s: %+v, another analysis has %+v", c.launch, c.gpu, row.Name, row.Change, row.Bound, again.Best)
			}
			rows[row.Kind]++
			if row.Bound != nil && row.Bound.Cycles != w.Bound.Cycles {
				differ[row.Kind]++
			}
		}
	}
	t.Logf("%v, of which differ %v", rows, differ)
	for _, kind := range []string{OfSetting, OfClass, OfOccupancy} {
		if rows[kind] < 20 || differ[kind] < 5 {
			t.Errorf("%d rows of %s, of which %d differ", rows[kind], kind, differ[kind])
		}
	}
}

// By sum no bound gets smaller where an instruction, or anything that delays, takes longer,
// or where accesses make more transactions; nor larger where less. With fewer barriers it
// does not get larger, with no delays of them.
func TestChangesAreMonotone(t *testing.T) {
	tried := map[string]int{}
	for i, e := range examples.All() {
		if i%4 != 1 {
			continue
		}
		d := opened(t, []string{"ecrts2025-200", "rtx3070", "gtx480", "tx1"}[i/4%4])
		r, err := analysedOn(t, filepath.Join("../../examples", e.Launch), d, method.Question{Methods: []string{"sum"}})
		if err != nil || r.Best == nil {
			continue
		}
		w, err := r.WhatIf(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range w.Rows {
			if row.Bound == nil {
				continue
			}
			difference := row.Bound.Cycles - w.Bound.Cycles
			delays := strings.HasPrefix(row.Name, "timing.") || strings.Contains(row.Name, "delay") || row.Kind == OfClass
			switch {
			case delays && (row.To-row.From)*difference < 0,
				row.Kind == OfAccess && strings.HasPrefix(row.Change, "coalesced") && difference > 0,
				row.Kind == OfAccess && strings.HasPrefix(row.Change, "no bank") && difference > 0,
				row.Kind == OfBarrier && difference > 0,
				row.Kind == OfOccupancy && row.To == row.From && difference != 0:
				t.Errorf("%s on %s: %s %s: %d cycles, before %d", e.Launch, d.Name, row.Name, row.Change, row.Bound.Cycles, w.Bound.Cycles)
			}
			tried[row.Kind]++
		}
	}
	t.Logf("%v", tried)
	for _, kind := range []string{OfSetting, OfClass, OfAccess, OfBarrier, OfOccupancy} {
		if tried[kind] < 20 {
			t.Errorf("%d rows of %s", tried[kind], kind)
		}
	}
}

// changedKernel is a kernel with a global load, a barrier and a shared store, in which some
// lines can be others.
const changedKernel = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 stride, .param .u64 zero) {
	.reg .b32 %%r<8>; .reg .b64 %%d<4>; .shared .align 4 .b8 tile[4096];
	ld.param.u64 %%d0, [%s];
	ld.param.u32 %%r0, [stride];
	mov.u32 %%r1, %%tid.x;
	mul.lo.u32 %%r2, %%r1, %%r0;
	cvt.u64.u32 %%d1, %%r2;
	add.u64 %%d2, %%d0, %%d1;
	%s
	add.u32 %%r4, %%r3, 1;
	st.shared.u32 [tile], %%r4;
	%s
	ld.shared.u32 %%r5, [tile];
	add.u32 %%r5, %%r5, 1;
	ret;
}
`

// A change of an access or of a barrier is what the bound on a kernel is that has it.
func TestChangesOfKernels(t *testing.T) {
	best := func(base, load, barrier string, stride int, d *gpu.Description) (*Report, *bound.Bound) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "k.ptx"), fmt.Appendf(nil, changedKernel, base, load, barrier), 0o666); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "k.toml")
		launch := fmt.Sprintf("kernel = \"k.ptx\"\nentry = \"k\"\ngrid = [3, 1, 1]\nblock = [128, 1, 1]\n[[args]]\nname = \"p\"\ntype = \"u32\"\ncount = 8192\n[[args]]\nname = \"stride\"\ntype = \"u32\"\nvalue = %d\n[[args]]\nname = \"zero\"\ntype = \"u64\"\nvalue = 0\n", stride)
		if err := os.WriteFile(file, []byte(launch), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := analysedOn(t, file, d, method.Question{})
		if err != nil {
			t.Fatal(err)
		}
		return r, r.Best
	}
	const load, barrier = "ld.global.u32 %r3, [%d2];", "bar.sync 0;"
	for _, name := range []string{"rtx3070", "gtx480"} {
		// A barrier takes what a move of that timing does; loads hit or miss alike.
		d := opened(t, name)
		plain := gpu.Rule{Classes: []string{"barrier", "sin"}, Unit: d.Units[0].Name, InitiationCycles: 1, LatencyCycles: 2, Source: "test"}
		d, err := d.WithRule(plain)
		if err != nil {
			t.Fatal(err)
		}
		r, _ := best("p", load, barrier, 64, d)
		w, err := r.WhatIf(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, row := range w.Rows {
			var other *bound.Bound
			what := row.Kind
			switch {
			case row.Kind == OfAccess && strings.Contains(row.Name, "ld.global") && strings.HasPrefix(row.Change, "coalesced"):
				what = "coalesced"
				_, other = best("p", load, barrier, 4, d)
			case row.Kind == OfAccess && strings.Contains(row.Name, "ld.global") && strings.HasPrefix(row.Change, "in shared memory"):
				what = "shared"
				_, other = best("zero", "ld.shared.u32 %r3, [%d2];", barrier, 4, d)
			case row.Kind == OfBarrier:
				_, other = best("p", load, "sin.approx.f32 %r7, %r7;", 64, d)
			default:
				continue
			}
			seen[what]++
			if row.Bound == nil || row.Bound.Cycles != other.Cycles {
				t.Errorf("%s: %s %s: %+v, the kernel with it has %+v", name, row.Name, row.Change, row.Bound, other)
			}
			if row.Bound != nil && row.Bound.Cycles >= w.Bound.Cycles {
				t.Errorf("%s: %s %s: %d cycles, before %d", name, row.Name, row.Change, row.Bound.Cycles, w.Bound.Cycles)
			}
		}
		if seen["coalesced"] != 1 || seen["shared"] != 1 || seen[OfBarrier] != 1 {
			t.Errorf("%s: %v", name, seen)
		}
	}
}
