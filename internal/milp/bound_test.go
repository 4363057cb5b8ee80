package milp

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// binaries returns a problem of n binaries with an integral objective.
func binaries(n int, maximize bool) *Problem {
	p := &Problem{Maximize: maximize}
	for i := range n {
		p.SetCost(p.AddBinary(fmt.Sprintf("x%d", i)), 1)
	}
	return p
}

func TestIntegerBound(t *testing.T) {
	for _, c := range []struct {
		maximize  bool
		dual, eps float64
		columns   int
		status    Status
		want      int64
	}{
		{true, 12.7, 0, 10, Feasible, 12},
		{true, 12, 0, 10, Feasible, 12},
		{true, 11.9999999, 0, 10, Feasible, 12},   // noise below the integer
		{true, 12.0000001, 0, 10, Feasible, 12},   // and above
		{true, 11.99, 0, 10, Feasible, 11},        // no noise
		{true, 11.99, 0, 20000, Feasible, 12},     // may be, with so many columns
		{true, 11.9995, 1e-3, 10, BoundOnly, 12},  // printed to three decimals
		{true, -11.9999999, 0, 10, Feasible, -12}, // floor, not truncation
		{true, -11.5, 0, 10, Feasible, -12},
		{false, 12.3, 0, 10, Feasible, 13},
		{false, 12.0000001, 0, 10, Feasible, 12},
		{false, 11.9999999, 0, 10, Feasible, 12},
		{false, -12.3, 0, 10, Feasible, -12},
		{false, 12.0005, 1e-3, 10, BoundOnly, 12},
		{true, 12, 0, 3000, Feasible, 15}, // wide: beyond any good, but safe
		{true, 12, 0, 3000, Optimal, 12},  // wide: what the solver claims
		{true, 12, 0, 1000, Feasible, 13}, // wide: exactly at the edge
	} {
		p := binaries(c.columns, c.maximize)
		for i := range p.Columns {
			if c.columns >= 1000 && c.columns <= 3000 {
				p.Columns[i].Upper = 1e9 // counts as 1000
			}
		}
		got, err := IntegerBound(p, &Solution{Status: c.status, DualBound: c.dual, BoundError: c.eps})
		if err != nil || got != c.want {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
}

func TestIntegerBoundRefuses(t *testing.T) {
	for _, d := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := IntegerBound(binaries(2, true), &Solution{DualBound: d}); !errors.Is(err, ErrNoBound) {
			t.Errorf("%v: error %v, want ErrNoBound", d, err)
		}
	}
	if _, err := IntegerBound(binaries(2, true), &Solution{DualBound: 1e17}); !errors.Is(err, ErrOverflow) {
		t.Errorf("error %v, want ErrOverflow", err)
	}
	for name, edit := range map[string]func(p *Problem){
		"fractional cost":     func(p *Problem) { p.Columns[0].Cost = 0.5 },
		"fractional constant": func(p *Problem) { p.Constant = 0.5 },
		"continuous column":   func(p *Problem) { p.Columns[0].Integer = false },
	} {
		p := binaries(2, true)
		edit(p)
		if _, err := IntegerBound(p, &Solution{DualBound: 1}); !errors.Is(err, ErrNotInteger) {
			t.Errorf("%s: error %v, want ErrNotInteger", name, err)
		}
	}
}

func TestCertify(t *testing.T) {
	inf := math.Inf(1)
	ones := []float64{1, 1}
	for _, c := range []struct {
		name   string
		sol    Solution
		want   Status
		bound  int64
		has    bool
		point  bool
		failed error
	}{
		{"optimal", Solution{Status: Optimal, DualBound: 2, Values: ones}, Optimal, 2, true, true, nil},
		{"optimal claim, loose bound", Solution{Status: Optimal, DualBound: 3, Values: ones}, Feasible, 3, true, true, nil},
		{"limit, closed gap", Solution{Status: Feasible, DualBound: 2.9, Values: ones}, Optimal, 2, true, true, nil},
		{"limit", Solution{Status: Feasible, DualBound: 4.5, Values: ones}, Feasible, 4, true, true, nil},
		{"limit, no bound", Solution{Status: Feasible, DualBound: inf, Values: ones}, Feasible, 0, false, true, nil},
		{"bound only", Solution{Status: BoundOnly, DualBound: 4.5}, BoundOnly, 4, true, false, nil},
		{"wrong point", Solution{Status: Optimal, DualBound: 3, Values: []float64{1, 2}}, BoundOnly, 3, true, false, ErrViolated},
		{"wrong point, no bound", Solution{Status: Feasible, DualBound: inf, Values: []float64{1, 2}}, Failed, 0, false, false, ErrViolated},
		{"infeasible", Solution{Status: Infeasible, DualBound: math.NaN()}, Infeasible, 0, false, false, nil},
		{"unbounded", Solution{Status: Unbounded, DualBound: math.NaN()}, Unbounded, 0, false, false, nil},
		{"failed", Solution{DualBound: inf}, Failed, 0, false, false, nil},
	} {
		got, err := Certify(binaries(2, true), &c.sol)
		if !errors.Is(err, c.failed) || err != nil && c.failed == nil || got == nil {
			t.Errorf("%s: %v, error %v, want %v", c.name, got, err, c.failed)
			continue
		}
		if got.Status != c.want || got.HasBound != c.has || got.Bound != c.bound || (got.Point != nil) != c.point {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	for _, maximize := range []bool{true, false} {
		p, d := binaries(2, maximize), 1.0
		if !maximize {
			d = 3
		}
		if c, err := Certify(p, &Solution{Status: Optimal, DualBound: d, Values: ones}); c != nil || !errors.Is(err, ErrContradiction) {
			t.Errorf("maximize=%v: %+v, %v, want ErrContradiction", maximize, c, err)
		}
	}
	p := binaries(2, true)
	p.Columns[0].Cost = 0.5
	if _, err := Certify(p, &Solution{Status: Optimal, DualBound: 1, Values: ones}); !errors.Is(err, ErrNotInteger) {
		t.Errorf("error %v, want ErrNotInteger", err)
	}
}
