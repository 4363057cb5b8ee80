package milp

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// transport: ship x, y, z in [0, 10], x+y+z = 12, 2x-y >= -3, z even by w.
func transport() *Problem {
	p := &Problem{Maximize: true, Constant: 100}
	x, y, z, w := p.AddInteger("x", 0, 10), p.AddInteger("y", 0, 10), p.AddInteger("z", 0, 10), p.AddInteger("w", -5, 5)
	p.SetCost(x, 3)
	p.SetCost(y, -2)
	p.SetCost(z, 7)
	p.AddRow("total", []Term{{x, 1}, {y, 1}, {z, 1}}, Equal, 12)
	p.AddRow("mix", []Term{{x, 2}, {y, -1}}, GreaterEqual, -3)
	p.AddRange("even", 0, []Term{{z, 1}, {w, -2}}, 0)
	return p
}

func TestCheckInteger(t *testing.T) {
	p := transport()
	pt, err := CheckInteger(p, []float64{2.0000004, 2, 7.9999996, 4})
	if err != nil {
		t.Fatal(err)
	}
	if pt.Objective != 100+6-4+56 || pt.Values[0] != 2 || pt.Values[2] != 8 {
		t.Errorf("%+v", pt)
	}
	for _, c := range []struct {
		name   string
		values []float64
		want   string
	}{
		{"equation off by one", []float64{3, 2, 8, 4}, `row "total": sum is 13, at most 12`},
		{"equation too low", []float64{2, 1, 8, 4}, `row "total": sum is 11, at least 12`},
		{"inequality off by one", []float64{1, 7, 4, 2}, `row "mix": sum is -5, at least -3`},
		{"hidden tie", []float64{2, 3, 7, 4}, `row "even": sum is -1, at least 0`},
		{"bound", []float64{0, 0, 12, 6}, `column "z" = 12, bounds 0 to 10`},
		{"fraction", []float64{2.5, 1.5, 8, 4}, `column "x" = 2.5 is not an integer`},
		{"NaN", []float64{math.NaN(), 2, 8, 4}, `column "x" = NaN`},
		{"infinite", []float64{math.Inf(1), 2, 8, 4}, `column "x" = +Inf`},
		{"too few", []float64{1}, "1 values for 4 columns"},
	} {
		if _, err := CheckInteger(p, c.values); !errors.Is(err, ErrViolated) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestCheckIntegerIsExact: float64 sums lose what the check must see.
func TestCheckIntegerIsExact(t *testing.T) {
	p := &Problem{}
	x, y := p.AddInteger("x", 0, maxExact), p.AddInteger("y", 0, 1)
	p.AddRow("sum", []Term{{x, 1}, {y, 1}}, LessEqual, maxExact)
	if float64(maxExact)+1 > maxExact {
		t.Fatal("float64 sees the difference: the case shows nothing")
	}
	if _, err := CheckInteger(p, []float64{maxExact, 1}); !errors.Is(err, ErrViolated) {
		t.Errorf("error %v, want ErrViolated", err)
	}
	if _, err := CheckInteger(p, []float64{maxExact, 0}); err != nil {
		t.Error(err)
	}
}

func TestCheckIntegerRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		want error
		edit func(p *Problem)
	}{
		{"continuous", ErrNotInteger, func(p *Problem) { p.Columns[0].Integer = false }},
		{"fractional coefficient", ErrNotInteger, func(p *Problem) { p.Rows[1].Terms[0].Coef = 2.5 }},
		{"fractional side", ErrNotInteger, func(p *Problem) { p.Rows[1].Lower = -3.5 }},
		{"fractional cost", ErrNotInteger, func(p *Problem) { p.Columns[0].Cost = 0.5 }},
		{"fractional constant", ErrNotInteger, func(p *Problem) { p.Constant = 0.5 }},
		{"product overflow", ErrOverflow, func(p *Problem) {
			p.Columns[0].Upper, p.Columns[0].Lower = maxExact, maxExact
			p.Rows = []Row{{Name: "r", Lower: 0, Upper: math.Inf(1), Terms: []Term{{0, 1e14}}}}
		}},
		{"sum overflow", ErrOverflow, func(p *Problem) {
			for i := range p.Columns {
				p.Columns[i] = Column{Name: p.Columns[i].Name, Integer: true, Lower: 1 << 40, Upper: 1 << 40, Cost: 1 << 22}
			}
			p.Rows = nil
		}},
	} {
		p := transport()
		c.edit(p)
		values := []float64{2, 2, 8, 4}
		for i := range values {
			values[i] = max(values[i], p.Columns[i].Lower)
		}
		if _, err := CheckInteger(p, values); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}
