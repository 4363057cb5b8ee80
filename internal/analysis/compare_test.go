package analysis

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// Every scope of an example, with every method: rows in the order asked for, the
// bound of Run, and never a violation.
func TestCompare(t *testing.T) {
	methods := append([]string{Best}, Names(method.Plain)...)
	policies := []policy.Policy{{Name: "lrr"}, {Name: "gto"}, {Name: "srr"}}
	l := open(t, filepath.Join("..", "..", "examples", "basic", "reduce", "reduce.toml"))
	for _, gpuName := range []string{"ecrts2025-25", "rtx3070"} {
		m := gpus.Preset(t, gpuName)
		r := analysed(t, l, m)
		for i, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
			rows, err := Compare(context.Background(), r, l.Fresh, CompareOptions{Methods: methods, Policies: policies, Scope: scope, Model: sim.Abstract, Checks: true})
			if err != nil || len(rows) != len(methods)*len(policies) {
				t.Fatalf("%s, %s: %d rows, %v", gpuName, scope, len(rows), err)
			}
			for j := range rows {
				row := &rows[j]
				policy, method := policies[j/len(methods)], methods[j%len(methods)]
				if row.Policy != policy.Name || row.Method != method || row.Scope != scope || row.GPU != m.Desc.Name || row.Model != sim.Abstract {
					t.Errorf("row %d: %+v", j, row)
				}
				b := r.Scopes[i].Bound(method)
				if method == Best {
					b = r.Scopes[i].BestBound()
				}
				switch {
				case (b == nil) != (row.Refused != ""):
					t.Errorf("%+v: bound %+v", row, b)
				case row.Violation():
					t.Errorf("violated: %+v", row)
				case b == nil:
				case b.Cycles != row.BoundCycles || b.Safe != row.Safe || row.Claimed != (policy.Name != "srr"):
					t.Errorf("%+v: bound %+v", row, b)
				case math.Abs(float64(row.BoundCycles)/float64(row.SimulatedCycles)-1-row.Overestimation) > 1e-12:
					t.Errorf("%+v", row)
				}
			}
		}
	}
}

// The pipeline model is compared, but no bound claims to cover it.
func TestPipelineIsNotClaimed(t *testing.T) {
	l := open(t, filepath.Join("..", "..", "examples", "basic", "saxpy", "saxpy.toml"))
	r := analysed(t, l, gpus.Preset(t, "rtx3070"))
	rows, err := Compare(context.Background(), r, l.Fresh, CompareOptions{Methods: []string{Best}, Policies: []policy.Policy{{Name: "gto"}}, Scope: bound.Kernel, Model: sim.Pipeline, Checks: true})
	if err != nil || len(rows) != 1 || rows[0].Claimed || rows[0].Model != sim.Pipeline {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestViolation(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want bool
	}{
		{Row{BoundCycles: 9, SimulatedCycles: 10, Safe: true, Claimed: true}, true},
		{Row{BoundCycles: 10, SimulatedCycles: 10, Safe: true, Claimed: true}, false},
		{Row{BoundCycles: 9, SimulatedCycles: 10, Claimed: true}, false},
		{Row{BoundCycles: 9, SimulatedCycles: 10, Safe: true}, false},
		{Row{BoundCycles: 9, SimulatedCycles: 10, Safe: true, Claimed: true, Refused: "why"}, false},
	} {
		if c.row.Violation() != c.want {
			t.Errorf("%+v: %v", c.row, !c.want)
		}
	}
}

// Numbers by hand: overestimations 0.5 and 0.1 of simulated 100 and 300.
func TestSummarize(t *testing.T) {
	row := func(method, policy string, bound, simulated int64, safe, claimed bool) Row {
		return Row{Method: method, Policy: policy, BoundCycles: bound, SimulatedCycles: simulated, Overestimation: float64(bound)/float64(simulated) - 1, Safe: safe, Claimed: claimed}
	}
	refused := Row{Method: "gub", Policy: "lrr", SimulatedCycles: 5, Refused: "why"}
	got := Summarize([]Row{
		row("best", "lrr", 150, 100, true, true),
		refused,
		row("best", "lrr", 330, 300, true, true),
		row("sum", "lrr", 90, 100, true, true),
		row("sum", "lrr", 90, 100, true, false),
		row("sum", "lrr", 90, 100, false, true),
		row("best", "gto", 100, 100, true, true),
	})
	want := []Summary{
		{Method: "best", Policy: "lrr", Rows: 2, Mean: 0.3, Max: 0.5, WeightedMean: 0.2, StdDev: 0.2},
		{Method: "gub", Policy: "lrr", Refused: 1},
		{Method: "sum", Policy: "lrr", Rows: 3, Mean: -0.1, Max: -0.1, WeightedMean: -0.1, Violations: 1, Exceeded: 3},
		{Method: "best", Policy: "gto", Rows: 1},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
	if Summarize(nil) != nil {
		t.Error("a summary of nothing")
	}
	if refused.Violation() {
		t.Error("a missing bound is violated")
	}
}

// Smaller scopes run the class that takes longest, unless the path is of this
// input: then the class of block 0, whose path was seen.
func TestSlowestClass(t *testing.T) {
	warps := func(instructions ...int64) []path.WarpClass {
		var out []path.WarpClass
		for _, n := range instructions {
			out = append(out, path.WarpClass{Warp: &path.Warp{Instructions: n}})
		}
		return out
	}
	r := &Report{Facts: &method.Facts{Path: &path.Recorded{ClassOf: []int32{0, 1}, Classes: []path.BlockClass{{Warps: warps(5, 3)}, {Warps: warps(1, 9, 9)}}}}}
	for _, c := range []struct {
		scope       bound.Scope
		dependent   bool
		class, warp int
	}{
		{bound.Block, false, 1, 1}, {bound.Warp, false, 1, 1}, {bound.Warp, true, 0, 0}, {bound.Kernel, false, 0, 0},
	} {
		r.InputDependent = nil
		if c.dependent {
			r.InputDependent = []simt.Taint{{}}
		}
		if class, warp := r.slowestClass(c.scope, 1); class != c.class || warp != c.warp {
			t.Errorf("%+v: class %d, warp %d", c, class, warp)
		}
	}
}
