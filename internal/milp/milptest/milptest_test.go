package milptest

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/milp"
)

// TestCheckIntegerAgainstEnumeration: the exact check accepts a point exactly
// where the enumeration does, and computes the same objective.
func TestCheckIntegerAgainstEnumeration(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := Random(rapid.Uint64Range(0, 1000).Draw(t, "seed"))
		x, values := make([]int64, len(p.Columns)), make([]float64, len(p.Columns))
		inside := true
		objective := int64(p.Constant)
		for i := range x {
			x[i] = rapid.Int64Range(-3, 3).Draw(t, "x")
			values[i] = float64(x[i]) + rapid.Float64Range(-1e-6, 1e-6).Draw(t, "noise")
			c := &p.Columns[i]
			if rapid.IntRange(0, 9).Draw(t, "clamp") > 0 {
				x[i] = min(max(x[i], int64(c.Lower)), int64(c.Upper))
				values[i] = float64(x[i])
			}
			inside = inside && float64(x[i]) >= c.Lower && float64(x[i]) <= c.Upper
			objective += int64(c.Cost) * x[i]
		}
		want := inside && satisfies(p, x)
		pt, err := milp.CheckInteger(p, values)
		if want != (err == nil) || err != nil && !errors.Is(err, milp.ErrViolated) {
			t.Fatalf("x = %v of %+v: %v, want accepted = %v", x, p, err, want)
		}
		if want && pt.Objective != objective {
			t.Fatalf("objective %d, want %d", pt.Objective, objective)
		}
		if want {
			accepted++
		} else {
			refused++
		}
	})
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted, %d refused: one side is not tested", accepted, refused)
	}
}

func TestEnumerate(t *testing.T) {
	for _, c := range Cases() {
		if c.Name != "knapsack" && c.Name != "equation" && c.Name != "spread coefficients" && c.Name != "fixed binaries and constant" {
			continue
		}
		if best, ok := Enumerate(c.Problem); !ok || float64(best) != c.Objective {
			t.Errorf("%s: %d, %v, want %v", c.Name, best, ok, c.Objective)
		}
	}
	p := parity()
	if _, ok := Enumerate(p); ok {
		t.Error("the parity problem has a point")
	}
}

func TestCheckFeasible(t *testing.T) {
	p := &milp.Problem{}
	x, n := p.AddContinuous("x", 0, 1), p.AddInteger("n", 0, 5)
	p.AddRow("r", []milp.Term{{Col: x, Coef: 0.1}, {Col: n, Coef: 1}}, milp.LessEqual, 2.05)
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0.5, 2}, ""},
		{[]float64{1 + 1e-8, 1}, ""},
		{[]float64{0.6, 2}, `row "r"`},
		{[]float64{1.1, 1}, `column "x"`},
		{[]float64{0, 1.5}, "not an integer"},
		{[]float64{math.NaN(), 1}, `column "x"`},
		{nil, "0 values"},
	} {
		err := CheckFeasible(p, c.values, 1e-6)
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, milp.ErrViolated) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: error %v, want %q", c.values, err, c.want)
		}
	}
}
