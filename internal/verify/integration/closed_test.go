package integration

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

// notClosed are the launches that a closed covering execution does not cover, by what the
// reason must name.
var notClosed = map[string]string{
	"basic/branches/branches.toml":                       "the loop at $L__BB0_3",
	"basic/calls/recursion.toml":                         "call depth exceeded",
	"rodinia/backprop/backprop_layerforward-1block.toml": "a barrier where control depends on data",
	"rodinia/backprop/backprop_layerforward.toml":        "a barrier where control depends on data",
	"rodinia/bfs/bfs_expand-1block.toml":                 "the loop at $L__BB0_4",
	"rodinia/bfs/bfs_expand.toml":                        "the loop at $L__BB0_4",
	"units/pipeline/copy_stages.toml":                    "how the warp goes on depends on how far other warps are",
	"units/tensor/gemm_f16.toml":                         "cp.async.cg.shared.global",
}

func rtx3070(t *testing.T) *gpu.Machine {
	t.Helper()
	d, err := gpu.Open("rtx3070", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mean is a geometric mean.
type mean struct {
	logs float64
	n    int
}

func (m *mean) add(x float64) { m.logs, m.n = m.logs+math.Log(x), m.n+1 }
func (m *mean) of() float64   { return math.Exp(m.logs / float64(m.n)) }

// What one block and one iteration of each loop stand for is no less than what was
// recorded of an input: in its bound, and in how often each instruction is executed. It
// is little more where data decide nothing.
func TestClosedForm(t *testing.T) {
	m := rtx3070(t)
	var decided, other mean
	for _, e := range slices.Concat(examples.All(), examples.Inputs()) {
		l := open(t, e)
		source := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh, Facts: l.Facts()}
		r, err := analysis.Run(t.Context(), source, m, method.Question{Methods: []string{"sum"}, Closed: true})
		if err != nil {
			t.Errorf("%s: %v", e.Launch, err)
			continue
		}
		if why := notClosed[e.Launch]; r.ThisInput == nil || why != "" {
			if r.ThisInput != nil || !strings.Contains(r.NotCovered, why) {
				t.Errorf("%s: closed %v, %q, want a reason that names %q", e.Launch, r.ThisInput != nil, r.NotCovered, why)
			}
			continue
		}
		of, by := r.OfThisInput[len(r.OfThisInput)-1].Bound("sum"), r.Whole().Bound("sum")
		if of == nil || by == nil {
			continue
		}
		if by.Cycles < of.Cycles {
			t.Errorf("%s: closed %d, recorded %d", e.Launch, by.Cycles, of.Cycles)
		}
		counted(t, e.Launch, r, r)
		over := &decided
		if len(r.InputDependent) > 0 {
			over = &other
		}
		over.add(float64(by.Cycles) / float64(of.Cycles))
	}
	t.Logf("closed over recorded, geometric mean: %.4f of %d launches of which data decide nothing, %.3f of %d others", decided.of(), decided.n, other.of(), other.n)
	if decided.n < 100 || other.n < 40 || decided.of() > 1.05 {
		t.Errorf("%d launches of which data decide nothing with a mean of %.4f, %d others", decided.n, decided.of(), other.n)
	}
}

// One bound holds for a family of launches: whatever integer arguments in a range they
// have, none takes longer.
func TestFamiliesOfLaunches(t *testing.T) {
	m := rtx3070(t)
	families, members := 0, 0
	for kernel, of := range kernelsOfInputs() {
		// The launch with the arguments at their greatest.
		f := fileOf(t, of[0])
		var ranged []int
		for i := range f.Args {
			if a := &f.Args[i]; a.Kind == launch.Scalar && !a.Type.IsFloat() && a.Bits >= 4 && a.Bits < 1<<20 {
				a.Range = &launch.Integers{Min: int64(a.Bits) / 4, Max: int64(a.Bits)}
				ranged = append(ranged, i)
			}
		}
		if len(ranged) == 0 {
			continue
		}
		l := bring(t, f)
		source := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh, Facts: l.Facts()}
		r, err := analysis.Run(t.Context(), source, m, method.Question{})
		if err != nil {
			t.Errorf("%s: %v", kernel, err)
			continue
		}
		if !r.AllInputs() || r.Best == nil || len(r.Ranges) != len(ranged) {
			t.Errorf("%s has no bound for arguments in ranges: %s", kernel, r.NotCovered)
			continue
		}
		families++
		for part := int64(0); part <= 3; part++ {
			for _, e := range of {
				f := fileOf(t, e)
				for _, i := range ranged {
					a := &f.Args[i]
					most := int64(a.Bits)
					a.Bits = uint64(most/4 + (most-most/4)*part/3)
				}
				members += holdsWithin(t, kernel, bring(t, f), m, r)
			}
		}
	}
	t.Logf("%d families, %d launches simulated", families, members)
	if families < 6 || members < 60 {
		t.Errorf("%d families, %d launches simulated", families, members)
	}
}

// holdsWithin simulates a launch, and holds its time to the bound of a family. A launch
// that fails with these arguments is none of it.
func holdsWithin(t *testing.T, kernel string, l *load.Opened, m *gpu.Machine, of *analysis.Report) int {
	t.Helper()
	source := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh, Facts: l.Facts()}
	r, err := analysis.Run(t.Context(), source, m, method.Question{Methods: []string{"sum"}})
	if fault := (*simt.RuntimeError)(nil); errors.As(err, &fault) {
		return 0
	}
	if err != nil {
		t.Errorf("%s: %v", kernel, err)
		return 0
	}
	rows, err := analysis.Compare(t.Context(), r, func() (simt.Kernel, error) { return l.Kernel(false) }, analysis.CompareOptions{
		Methods: []string{analysis.Best}, Scope: bound.Kernel, Model: sim.Abstract, Policies: []policy.Policy{{Name: "lrr"}, {Name: "gto"}},
	})
	if err != nil {
		t.Errorf("%s: %v", kernel, err)
		return 0
	}
	for i := range rows {
		if row := &rows[i]; row.SimulatedCycles > of.Best.Cycles {
			t.Errorf("%s under %s: %d cycles simulated, the bound of the family is %d", kernel, row.Policy, row.SimulatedCycles, of.Best.Cycles)
		}
	}
	return 1
}

// fileOf is the launch file of an example, as it is.
func fileOf(t *testing.T, e examples.Example) *launch.Launch {
	t.Helper()
	f, err := launch.Load(filepath.Join("..", "..", "..", "examples", filepath.FromSlash(e.Launch)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func bring(t *testing.T, f *launch.Launch) *load.Opened {
	t.Helper()
	l, err := load.Bring(f)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The path shown as the worst is one that takes nearly as long as any.
func TestWorstPaths(t *testing.T) {
	m := rtx3070(t)
	var share mean
	for _, of := range kernelsOfInputs() {
		l := open(t, of[0])
		source := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh, Facts: l.Facts()}
		r, err := analysis.Run(t.Context(), source, m, method.Question{})
		if err != nil {
			t.Errorf("%s: %v", of[0].Launch, err)
			continue
		}
		w, err := r.Worst(t.Context())
		if err != nil || w == nil {
			t.Errorf("%s: %v, %v", of[0].Launch, w, err)
			continue
		}
		instructions := int64(0)
		for i := range w.Lines {
			instructions += w.Lines[i].Instructions
		}
		most := r.Scope(bound.Warp).BestBound().Cycles
		if w.Cycles > w.Most || w.Most < most || 10*w.Cycles < 9*w.Most || instructions < 1 || len(w.Choices) < 1 {
			t.Errorf("%s: a path of %d instructions takes %d of %d cycles, bound %d, %d choices", of[0].Launch, instructions, w.Cycles, w.Most, most, len(w.Choices))
		}
		share.add(float64(w.Cycles) / float64(w.Most))
	}
	t.Logf("of %d kernels the path shown takes %.4f of the longest, geometric mean", share.n, share.of())
}
