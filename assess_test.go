package warpbound_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
)

func projectOf(t *testing.T, text string) *warpbound.Project {
	t.Helper()
	path := filepath.Join(t.TempDir(), "warpbound.toml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := warpbound.OpenProject(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// here is the path of an example as a project file in another directory names it.
func here(t *testing.T, example string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("examples", filepath.FromSlash(example)))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(path)
}

func rules(list []warpbound.Finding) []string {
	var out []string
	for _, f := range list {
		out = append(out, f.Rule)
	}
	return out
}

const everything = `
[[accepted]]
assumption = "A2"
reason = "r"
[[accepted]]
assumption = "A3"
reason = "r"
[[accepted]]
assumption = "A4"
reason = "r"
[[accepted]]
assumption = "A5"
reason = "r"
[[accepted]]
assumption = "A14"
reason = "r"
[[accepted]]
assumption = "A16"
reason = "r"
[[accepted]]
assumption = "A18"
reason = "r"
[[accepted]]
assumption = "A20"
reason = "r"
`

// A budget is kept by a bound that is as large as it, and by none that is larger; an
// assumption that is not accepted, and one that is and nothing needs, are found.
func TestAssessBudgets(t *testing.T) {
	saxpy := "[[launches]]\nfiles = [\"" + here(t, "basic/saxpy/saxpy.toml") + "\"]\n"
	for _, c := range []struct {
		text string
		want []string // rules of all findings
		pass bool
	}{
		{saxpy + "budget = 5670\n" + everything, nil, true},
		{saxpy + "budget = 5669\n" + everything, []string{"over-budget"}, false},
		{saxpy + "budget = \"5.0089 us\"\n" + everything, nil, true}, // 5670.07 cycles
		{saxpy + "budget = \"5.0088 us\"\n" + everything, []string{"over-budget"}, false},
		{saxpy + "budget = 4000\n" + everything, []string{"over-budget", "simulated-over-budget", "simulated-over-budget"}, false},
		{saxpy + strings.Replace(everything, "A20", "A21", 1), []string{"assumption-not-accepted", "acceptance-not-used"}, false},
		{saxpy + strings.Replace(everything, `"A20"`, "\"A20\"\nlaunches = [\"other/*\"]", 1), []string{"assumption-not-accepted", "acceptance-not-used"}, false},
		{saxpy + strings.Replace(everything, `"A2"`, `"memory-interference-free"`, 1), nil, true},
	} {
		a, err := projectOf(t, c.text).Assess(context.Background(), warpbound.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := rules(a.Findings); !slices.Equal(got, c.want) || a.Passed != c.pass || !a.Complete {
			t.Errorf("%.200s\nfound %v, passed %t; expected %v, %t", c.text, got, a.Passed, c.want, c.pass)
		}
	}
}

// A figure for one input is within no budget unless the project says that it is enough.
func TestAssessThisInput(t *testing.T) {
	launch := filepath.Join(t.TempDir(), "k.toml")
	text, err := os.ReadFile("examples/inputs/kernels/kmp/kmp.toml")
	if err != nil {
		t.Fatal(err)
	}
	// Without its bounds on loops.
	bare, _, found := bytes.Cut(text, []byte("[loops]"))
	if !found {
		t.Fatal("the example states no bounds on loops")
	}
	for _, name := range []string{"kmp.ptx"} {
		data, err := os.ReadFile(filepath.Join("examples/inputs/kernels/kmp", name))
		if err := errors.Join(err, os.WriteFile(filepath.Join(filepath.Dir(launch), name), data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	others, err := filepath.Glob("examples/inputs/kernels/kmp/*.npy")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range others {
		data, err := os.ReadFile(path)
		if err := errors.Join(err, os.WriteFile(filepath.Join(filepath.Dir(launch), filepath.Base(path)), data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(launch, bare, 0o666); err != nil {
		t.Fatal(err)
	}
	for extra, level := range map[string]string{"budget = 1_000_000_000": "error", "budget = 1_000_000_000\nrequire_all_inputs = false": "warning", "": "warning", "require_all_inputs = true": "error"} {
		p := projectOf(t, "[[launches]]\nfiles = [\""+filepath.ToSlash(launch)+"\"]\n"+extra+"\n")
		a, err := p.Assess(context.Background(), warpbound.AssessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(a.Findings, func(f warpbound.Finding) bool { return f.Rule == "this-input-only" })
		if i < 0 || a.Findings[i].Level != level || a.Findings[i].Line == 0 || !strings.HasSuffix(a.Findings[i].File, "kmp.ptx") {
			t.Errorf("%q: %+v, expected this-input-only as %s", extra, a.Findings, level)
		}
		doc, err := a.Render(warpbound.FormJSON)
		if err != nil {
			t.Fatal(err)
		}
		within := bytes.Contains(doc, []byte(`"budget_status": "within"`))
		if within != strings.Contains(extra, "= false") {
			t.Errorf("%q: within its budget: %t", extra, within)
		}
	}
}

// What is found does not depend on how many are assessed at the same time, nor on when.
func TestAssessOrder(t *testing.T) {
	launches := []string{"examples/basic/saxpy/saxpy.toml", "examples/basic/reduce/reduce.toml", "examples/sgemm/double/sgemm_double_8.toml", "examples/basic/saxpy/saxpy-1warp.toml"}
	p, err := warpbound.NewProject(launches, warpbound.ProjectGPU{Name: "ecrts2025-200"}, warpbound.ProjectGPU{Name: "ecrts2025-25", Settings: []string{"sm.count=2"}})
	if err != nil {
		t.Fatal(err)
	}
	var first map[string][]byte
	for _, workers := range []int{1, 8, 3} {
		a, err := p.Assess(context.Background(), warpbound.AssessOptions{Workers: workers, MaxCycles: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]byte{}
		for _, form := range warpbound.AssessmentForms() {
			if got[form], err = a.Render(form); err != nil {
				t.Fatal(err)
			}
			if first != nil && !bytes.Equal(got[form], first[form]) {
				t.Errorf("%s differs with %d workers", form, workers)
			}
		}
		first = got
	}
	if n := bytes.Count(first[warpbound.FormText], []byte("ecrts2025-25 with sm.count=2")); n < len(launches) {
		t.Errorf("%d rows of the second GPU", n)
	}
}

// Cut short, an assessment has what was finished, says of the rest that it was not
// assessed, and does not pass.
func TestAssessStopped(t *testing.T) {
	p, err := warpbound.NewProject([]string{"examples/basic/saxpy/saxpy-1warp.toml", "examples/basic/saxpy/saxpy.toml", "examples/basic/reduce/reduce.toml"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var last warpbound.Progress
	a, err := p.Assess(ctx, warpbound.AssessOptions{Workers: 1, Progress: func(at warpbound.Progress) {
		last = at
		if at.Done == 1 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || a == nil || a.Complete || a.Passed || last.Total != 3 || last.Task != "assessing launches" {
		t.Fatalf("%+v, %v, %+v", a, err, last)
	}
	if got := rules(a.Errors()); !slices.Equal(got, []string{"not-assessed", "not-assessed"}) {
		t.Errorf("%v", got)
	}
	text, err := a.Render(warpbound.FormText)
	if err != nil || !bytes.Contains(text, []byte("CUT SHORT: 1 of 3 launches passed, 2 errors")) {
		t.Errorf("%s, %v", text, err)
	}
}

// One launch that cannot be read, and one whose kernel fails, do not lose the others.
func TestAssessGoesOn(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.toml")
	if err := os.WriteFile(bad, []byte("kernel = \"no.ptx\"\ngrid = [1]\nblock = [32]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := warpbound.NewProject([]string{bad, "examples/basic/saxpy/saxpy.toml"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Assess(context.Background(), warpbound.AssessOptions{})
	if a == nil || !a.Complete || a.Passed || len(warpbound.FileErrors(err)) != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	if f := a.Findings[0]; len(a.Findings) != 1 || f.Rule != "wrong-input" || f.Line != 1 || f.Launch != bad || f.GPU != warpbound.DefaultGPU || !strings.HasPrefix(f.String(), bad+":1:") {
		t.Errorf("%+v", a.Findings)
	}
	text, err := a.Render(warpbound.FormText)
	if err != nil || !bytes.Contains(text, []byte("5,670")) {
		t.Errorf("%s, %v", text, err)
	}
}

// The files of a project are all that must not be written while it is assessed.
func TestProjectFiles(t *testing.T) {
	p := projectOf(t, "[[launches]]\nfiles = [\""+here(t, "inputs/kernels/nearest/nearest.toml")+"\"]\n")
	var names []string
	for _, f := range p.Files() {
		names = append(names, filepath.Base(f))
	}
	if want := []string{"warpbound.toml", "nearest.toml", "nearest.ptx", "x.npy", "y.npy", "start.npy"}; !slices.Equal(names, want) || filepath.Base(p.Path()) != warpbound.ProjectFile {
		t.Errorf("%v, expected %v", names, want)
	}
}

// The simulation that is shown is the one that takes longest, its timeline of the block
// that does; one with caches is never one that the bound claims to cover.
func TestAssessSimulations(t *testing.T) {
	const path = "examples/basic/saxpy/saxpy.toml"
	policies := []string{"gto", "lrr", "oldest"}
	p, err := warpbound.NewProject([]string{path}, warpbound.ProjectGPU{Name: "gtx480", Settings: []string{"model=abstract", "sm.count=1"}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Assess(context.Background(), warpbound.AssessOptions{Policies: policies})
	if err != nil {
		t.Fatal(err)
	}
	text, err := a.Render(warpbound.FormJSON)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Cases []struct {
			Simulation struct{ Policy string }
			Timeline   struct {
				Block      int64
				StartCycle int64 `json:"start_cycle"`
				EndCycle   int64 `json:"end_cycle"`
				States     []struct{ Cycles int64 }
			}
			Figures []struct {
				What, Policy string
				Cycles       int64
				Claimed      bool
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	m, err := warpbound.GPU("gtx480", "model=abstract", "sm.count=1")
	if err != nil {
		t.Fatal(err)
	}
	var slowest *warpbound.Simulation
	c := &document.Cases[0]
	for i, name := range policies {
		s, err := open(t, path).Simulate(context.Background(), warpbound.SimulateOptions{GPU: m, Policy: name, KeepBlocks: true})
		if err != nil {
			t.Fatal(err)
		}
		if f := c.Figures[i+1]; f.Policy != name || f.Cycles != s.Cycles || !f.Claimed {
			t.Errorf("%+v, expected %d cycles under %s", f, s.Cycles, name)
		}
		if slowest == nil || s.Cycles > slowest.Cycles {
			slowest = s
		}
	}
	if len(c.Figures) != len(policies)+2 {
		t.Fatalf("%+v", c.Figures)
	}
	if f := c.Figures[len(policies)+1]; f.What != "simulated with caches, "+slowest.Policy || f.Claimed {
		t.Errorf("%+v", f)
	}
	if c.Simulation.Policy != slowest.Policy || slowest.Policy == policies[0] {
		t.Errorf("shown: %s, slowest: %s", c.Simulation.Policy, slowest.Policy)
	}
	block := slices.MaxFunc(slowest.BlockTimes, func(a, b warpbound.BlockTime) int {
		return cmp.Or(cmp.Compare(a.EndCycle-a.StartCycle, b.EndCycle-b.StartCycle), cmp.Compare(b.Block, a.Block))
	})
	if x := c.Timeline; x.Block != block.Block || x.StartCycle != block.StartCycle || x.EndCycle != block.EndCycle || len(x.States) < 2 {
		t.Errorf("%+v, expected %+v of %+v", x, block, slowest.BlockTimes)
	}
}
