package integration

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	recorded "github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// notCovered are the kernels of examples.Inputs that have no bound for all inputs, by
// what the reason must name.
var notCovered = map[string]string{}

// kernelsOfInputs are the launches of examples.Inputs by kernel.
func kernelsOfInputs() map[string][]examples.Example {
	out := map[string][]examples.Example{}
	for _, e := range examples.Inputs() {
		entry, _, _ := strings.Cut(strings.TrimSuffix(path.Base(e.Launch), ".toml"), "-")
		kernel := e.Name + "/" + entry
		out[kernel] = append(out[kernel], e)
	}
	return out
}

// Every kernel whose control depends on data has, on every machine, one bound for all
// its inputs, whichever of them it is computed from; and no input takes longer under
// any policy, or executes an instruction more often than what is covered does.
func TestBoundsForEveryInput(t *testing.T) {
	kernels := kernelsOfInputs()
	if len(kernels) < 11 {
		t.Errorf("%d kernels", len(kernels))
	}
	for kernel, of := range kernels {
		if len(of) < 3 {
			t.Errorf("%s has %d inputs, want at least 3", kernel, len(of))
		}
	}
	for _, name := range []string{"ecrts2025-200", "gtx480", "rtx3070"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := gpu.Open(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := d.Machine()
			if err != nil {
				t.Fatal(err)
			}
			for kernel, of := range kernels {
				everyInput(t, m, kernel, of)
			}
		})
	}
}

func everyInput(t *testing.T, m *gpu.Machine, kernel string, of []examples.Example) {
	t.Helper()
	reports := make([]*analysis.Report, len(of))
	for i, e := range of {
		l := open(t, e)
		source := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh}
		r, err := analysis.Run(context.Background(), source, m, method.Question{})
		if err != nil {
			t.Errorf("%s: %v", e.Launch, err)
			return
		}
		if reason := notCovered[kernel]; reason != "" {
			if r.AllInputs() || !strings.Contains(r.NotCovered, reason) {
				t.Errorf("%s on %s: all inputs %v, %q, want a reason that names %q", e.Launch, m.Desc.Name, r.AllInputs(), r.NotCovered, reason)
			}
			continue
		}
		if !r.AllInputs() || r.Best == nil || !r.Best.Safe {
			t.Errorf("%s on %s has no bound for all inputs: %s", e.Launch, m.Desc.Name, r.NotCovered)
			return
		}
		if len(r.InputDependent) == 0 || r.ThisInput == nil {
			t.Errorf("%s on %s takes the same path for all inputs", e.Launch, m.Desc.Name)
		}
		reports[i] = r
	}
	if notCovered[kernel] != "" {
		return
	}
	for i, r := range reports {
		for _, scope := range []bound.Scope{bound.Warp, bound.Block, r.WholeScope()} {
			a, b := r.Scope(scope).BestBound(), reports[0].Scope(scope).BestBound()
			if a == nil || b == nil || a.Cycles != b.Cycles {
				t.Errorf("%s on %s: the bound on a %s depends on the input: %v, and %v from %s", of[i].Launch, m.Desc.Name, scope, a, b, of[0].Launch)
			}
		}
		inputHolds(t, of[i], r)
		for _, other := range reports {
			counted(t, of[i].Launch, r, other)
		}
	}
}

// inputHolds simulates a launch, and holds what it computes to its reference and its
// times to the bounds of its report.
func inputHolds(t *testing.T, e examples.Example, r *analysis.Report) {
	t.Helper()
	l := open(t, e)
	var ran []load.Executable
	fresh := func() (simt.Kernel, error) {
		k, err := l.Kernel(false)
		ran = append(ran, k)
		return k, err
	}
	for _, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
		ran = nil
		opt := analysis.CompareOptions{
			Methods: []string{analysis.Best}, Scope: scope, Model: sim.Abstract, Checks: true,
			Policies: []policy.Policy{{Name: "lrr"}, {Name: "gto"}, {Name: "oldest"}},
		}
		rows, err := analysis.Compare(context.Background(), r, fresh, opt)
		if err != nil {
			t.Errorf("%s: %v", e.Launch, err)
			return
		}
		for i := range rows {
			row := &rows[i]
			if row.Refused != "" || !row.Claimed || !row.AllInputs || row.Violation() || row.SimulatedCycles > row.BoundCycles {
				t.Errorf("%s on %s, %s under %s: %d cycles simulated, bound %d: %+v", e.Launch, row.GPU, scope, row.Policy, row.SimulatedCycles, row.BoundCycles, row)
			}
		}
		for _, k := range ran {
			if err := e.Check(arguments(t, l, nil), arguments(t, l, k)); scope == bound.Kernel && err != nil {
				t.Error(err)
			}
		}
	}
}

// counted holds how often each warp of a recording executes each instruction to what is
// covered by the report of another input.
func counted(t *testing.T, launch string, of, by *analysis.Report) {
	t.Helper()
	ran, covered := of.ThisInput, by.Path
	most := map[*choice.Expr][]int64{}
	for b := range ran.Blocks() {
		class, all := &ran.Classes[ran.Class(b)], &covered.Classes[covered.Class(b)]
		for w := range class.Schedule {
			e := all.Warps[all.Schedule[w]].Warp.WholeChoice
			if most[e] == nil {
				most[e] = mostOf(t, covered.Symbols, e, len(of.Program.Instructions))
			}
			counts := make([]int64, len(of.Program.Instructions))
			count(counts, ran.Symbols, class.Warps[class.Schedule[w]].Warp.Whole, 1)
			for pc, n := range counts {
				if n > most[e][pc] {
					t.Errorf("%s: block %d, warp %d executes %s %d times, %d are covered", launch, b, w, of.Program.Instructions[pc].Pos, n, most[e][pc])
				}
			}
			if !slices.ContainsFunc(counts, func(n int64) bool { return n > 0 }) {
				t.Errorf("%s: block %d, warp %d executes nothing", launch, b, w)
			}
		}
	}
}

// mostOf is how often an expression executes each instruction at most.
func mostOf(t *testing.T, symbols []recorded.Symbol, e *choice.Expr, instructions int) []int64 {
	t.Helper()
	out := make([]int64, instructions)
	for pc := range out {
		n, err := e.MaxWeight(func(s int32) int64 {
			if symbols[s].PC == int32(pc) {
				return 1
			}
			return 0
		})
		if err != nil {
			t.Fatal(err)
		}
		out[pc] = n
	}
	return out
}

// count adds the instructions of times repetitions of a sequence.
func count(counts []int64, symbols []recorded.Symbol, s *seq.Seq, times int64) {
	for _, it := range s.Items() {
		for _, symbol := range it.Symbols {
			counts[symbols[symbol].PC] += times
		}
		if it.Body != nil {
			count(counts, symbols, it.Body, times*it.Count)
		}
	}
}
