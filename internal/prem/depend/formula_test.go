package depend

import (
	"math"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// A condition with too many alternatives becomes one that is true more often, never
// less, and says so.
func TestFormulasBeyondTheLimitAreWider(t *testing.T) {
	x := &loop.Var{Name: "x", Type: loop.Int, ID: 1}
	is := func(c int64) formula {
		return atom(loop.Linear{Const: -c, Terms: []loop.Term{{Var: x, Coef: 1}}}, true)
	}
	some := formula{exact: true}
	for c := range int64(maxAlternatives) {
		some = some.or(is(c))
	}
	if !some.exact || len(some.any) != maxAlternatives {
		t.Fatalf("%d alternatives, exact %v", len(some.any), some.exact)
	}
	holds := func(f formula, c int64) bool { return f.any.holds(Point{x: c}) }
	for _, c := range []struct {
		name      string
		f         formula
		want, not []int64 // true at, false at
	}{
		{"or", some.or(is(maxAlternatives)), []int64{0, maxAlternatives}, nil},
		{"and", some.and(is(1).or(is(2))), []int64{1, 2}, []int64{maxAlternatives}},
		{"and, all", both([]formula{some, is(1).or(is(2)), is(2).or(is(3))}), []int64{2}, nil},
	} {
		if c.f.exact {
			t.Errorf("%s is called exact", c.name)
		}
		for _, v := range c.want {
			if !holds(c.f, v) {
				t.Errorf("%s is false at %d", c.name, v)
			}
		}
		for _, v := range c.not {
			if holds(c.f, v) {
				t.Errorf("%s is true at %d", c.name, v)
			}
		}
	}
	if f := both([]formula{is(1).or(is(2)), is(2).or(is(3))}); !f.exact || !holds(f, 2) || holds(f, 1) || holds(f, 3) {
		t.Errorf("the conjunction of two choices is %v", f)
	}
}

func TestArithmeticAtTheEdges(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range []struct {
		a, b     int64
		sum, mul bool
	}{
		{most, 1, false, true}, {most, -1, true, true}, {-most, -1, false, true}, {-most, -2, false, false},
		{most, most, false, false}, {1 << 62, 2, true, false}, {1 << 62, -2, true, false}, {-1 << 62, -1 << 62, false, false},
		{3037000500, 3037000500, true, false}, {3037000499, 3037000499, true, true}, {least, 1, true, false}, {0, least, false, true},
	} {
		s, ok := add(c.a, c.b)
		// A sum with the least number may be in range, but no operand of the solver is.
		if ok != c.sum && c.a != least && c.b != least || ok && s != c.a+c.b {
			t.Errorf("%d + %d = %d, %v", c.a, c.b, s, ok)
		}
		p, ok := mul(c.a, c.b)
		if ok != c.mul || ok && p != c.a*c.b {
			t.Errorf("%d * %d = %d, %v", c.a, c.b, p, ok)
		}
	}
	for _, c := range [][3]int64{{7, 2, 3}, {-7, 2, -4}, {-8, 2, -4}, {0, 5, 0}, {-1, most, -1}} {
		if q := floorDiv(c[0], c[1]); q != c[2] {
			t.Errorf("%d / %d rounded down is %d, want %d", c[0], c[1], q, c[2])
		}
	}
}
