package depend_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// form is c + the sum of coefs over vars.
func form(t fataler, vars []*loop.Var, c int64, coefs ...int64) loop.Linear {
	l := loop.Linear{Const: c}
	for i, k := range coefs {
		x, ok := loop.Of(vars[i]).Scale(k)
		if ok {
			l, ok = l.Add(x)
		}
		if !ok {
			t.Fatalf("form out of range")
		}
	}
	return l
}

func constant(c int64) loop.Linear { return loop.Linear{Const: c} }

func unknowns(s *depend.System, n int) []*loop.Var {
	var out []*loop.Var
	for i := range n {
		out = append(out, s.Fresh(string(rune('a'+i))))
	}
	return out
}

func TestSystemsOfOldExamples(t *testing.T) {
	for _, c := range []struct {
		name  string
		empty bool
		make  func(s *depend.System, v []*loop.Var)
	}{
		{"nothing", false, func(s *depend.System, v []*loop.Var) {}},
		{"false constant", true, func(s *depend.System, v []*loop.Var) { s.Zero(constant(1)) }},
		{"false bound", true, func(s *depend.System, v []*loop.Var) { s.Less(constant(1), constant(1)) }},
		{"true bound", false, func(s *depend.System, v []*loop.Var) { s.AtMost(constant(1), constant(1)) }},
		{"parity", true, func(s *depend.System, v []*loop.Var) { s.Zero(form(t, v, 1, 2, 4)) }},
		// Pugh's example of equality elimination: 7x + 12y + 31z = 17, 3x + 5y + 14z = 7, 1 <= x <= 40,
		// whose solutions have x = 2, 5, ...; between 3 and 4 there is none.
		{"diophantine", false, func(s *depend.System, v []*loop.Var) {
			s.Zero(form(t, v, -17, 7, 12, 31))
			s.Zero(form(t, v, -7, 3, 5, 14))
			s.AtMost(constant(1), form(t, v, 0, 1))
			s.AtMost(form(t, v, 0, 1), constant(40))
			s.AtMost(constant(-50), form(t, v, 0, 0, 1))
			s.AtMost(form(t, v, 0, 0, 1), constant(50))
		}},
		// 27 <= 11x + 13y <= 45, -10 <= 7x - 9y <= 4 has rational and no integer solutions.
		{"rational only", true, func(s *depend.System, v []*loop.Var) {
			s.NonNegative(form(t, v, -27, 11, 13))
			s.NonNegative(form(t, v, 45, -11, -13))
			s.NonNegative(form(t, v, 10, 7, -9))
			s.NonNegative(form(t, v, 4, -7, 9))
		}},
		{"strip without integers", true, func(s *depend.System, v []*loop.Var) {
			s.NonNegative(form(t, v, -1, 3, -6))
			s.NonNegative(form(t, v, 2, -3, 6))
		}},
		{"an unknown that cancels", false, func(s *depend.System, v []*loop.Var) {
			// 2y + 1 <= 3x <= 2y + 2 needs y = 1, 2 (mod 3), not 0.
			s.AtMost(form(t, v, 1, 0, 2), form(t, v, 0, 3))
			s.AtMost(form(t, v, 0, 3), form(t, v, 2, 0, 2))
		}},
		{"an unknown that cancels, far away", false, func(s *depend.System, v []*loop.Var) {
			// Between 7y + 1 and 7y + 2 there is a multiple of 10 for y = 4 and x = 3.
			s.AtMost(form(t, v, 1, 0, 7), form(t, v, 0, 10))
			s.AtMost(form(t, v, 0, 10), form(t, v, 2, 0, 7))
		}},
		{"an equality in two halves", false, func(s *depend.System, v []*loop.Var) {
			// 50y == 71z + 1 has y = 27 and z = 19 nearest to 0.
			s.AtMost(form(t, v, 1, 0, 0, 71), form(t, v, 0, 0, 50))
			s.AtMost(form(t, v, 0, 0, 50), form(t, v, 1, 0, 0, 71))
		}},
		{"differ from all three", true, func(s *depend.System, v []*loop.Var) {
			s.AtMost(constant(0), form(t, v, 0, 1))
			s.AtMost(form(t, v, 0, 1), constant(2))
			for c := range int64(3) {
				s.Differ(form(t, v, 0, 1), constant(c))
			}
		}},
		{"differ from two of three", false, func(s *depend.System, v []*loop.Var) {
			s.AtMost(constant(0), form(t, v, 0, 1))
			s.AtMost(form(t, v, 0, 1), constant(2))
			s.Differ(form(t, v, 0, 1), constant(0))
			s.Differ(form(t, v, 0, 1), constant(2))
		}},
		{"chain", true, func(s *depend.System, v []*loop.Var) {
			s.Less(form(t, v, 0, 1), form(t, v, 0, 0, 1))
			s.Less(form(t, v, 0, 0, 1), form(t, v, 0, 0, 0, 1))
			s.Less(form(t, v, 0, 0, 0, 1), form(t, v, 2, 1))
		}},
	} {
		var s depend.System
		v := unknowns(&s, 3)
		c.make(&s, v)
		if !s.Exact() {
			t.Errorf("%s: not exact", c.name)
		}
		if s.Empty() != c.empty {
			t.Errorf("%s: empty is %v", c.name, !c.empty)
		}
		if _, ok := s.Sample(); ok == c.empty {
			t.Errorf("%s: sample is %v", c.name, ok)
		}
	}
}

// Numbers at the edge of int64 never lead to a wrong answer.
func TestOverflowIsNotKnown(t *testing.T) {
	const big = math.MaxInt64
	var s depend.System
	v := unknowns(&s, 2)
	s.Equal(form(t, v, big, 1), form(t, v, -big, 0, 1)) // left out
	if s.Exact() || s.Empty() {
		t.Error("a constraint out of range was used")
	}
	for _, c := range []func(s *depend.System){
		func(s *depend.System) { s.Less(form(t, v, big), form(t, v, math.MinInt64)) },
		func(s *depend.System) { s.Less(form(t, v, big), form(t, v, -1)) },
		func(s *depend.System) { s.AtMost(form(t, v, big), form(t, v, math.MinInt64)) },
		func(s *depend.System) { s.Differ(form(t, v, big), form(t, v, math.MinInt64)) },
	} {
		var s depend.System
		if c(&s); s.Exact() || s.Empty() {
			t.Error("a constraint out of range was used")
		}
	}
	for _, rows := range [][2]loop.Linear{
		{form(t, v, 1, big, big-1), form(t, v, 3, big-2, big-7)},
		{form(t, v, math.MinInt64, 3, 5), form(t, v, math.MinInt64, 5, 3)},
		{form(t, v, 0, math.MinInt64, 3), form(t, v, 0, 3, math.MinInt64)},
	} {
		s := depend.System{}
		s.Zero(rows[0])
		s.Zero(rows[1])
		s.NonNegative(form(t, v, big, -1))
		if s.Empty() && rows[0].Const == 0 {
			t.Errorf("%v: empty, but 0 is a solution", rows)
		}
		if p, ok := s.Sample(); ok {
			for _, r := range rows {
				if x, ok := p.Value(r); !ok || x != 0 {
					t.Errorf("%v is no solution", p)
				}
			}
		}
	}
	if _, ok := (depend.Point{v[0]: big}).Value(form(t, v, 1, 1)); ok {
		t.Error("a value out of range")
	}
	if _, ok := (depend.Point{v[0]: big}).Value(form(t, v, 1, 2)); ok {
		t.Error("a value out of range")
	}
}

// A solution that the search does not come to is not excluded.
func TestFarSolutionsAreNotExcluded(t *testing.T) {
	var s depend.System
	v := unknowns(&s, 2)
	// 71a + 1 <= 50b <= 71a + 2 first at a = -12.
	s.AtMost(form(t, v, 1, 71), form(t, v, 0, 0, 50))
	s.AtMost(form(t, v, 0, 0, 50), form(t, v, 2, 71))
	if s.Empty() {
		t.Error("empty, but a = 19, b = 27 is a solution")
	}
	// A large box with two solutions, at a = 469998 and a = 469999.
	s = depend.System{}
	s.AtMost(constant(0), form(t, v, 0, 1))
	s.AtMost(form(t, v, 0, 1), constant(1_000_000))
	s.AtMost(form(t, v, 30_001, 500_001), form(t, v, 0, 0, 500_000))
	s.AtMost(form(t, v, 0, 0, 500_000), form(t, v, 30_002, 500_001))
	if s.Empty() {
		t.Error("empty, but a = 469999 is a solution")
	}
	// More choices than are tried.
	s = depend.System{}
	s.AtMost(constant(0), form(t, v, 0, 1))
	s.AtMost(form(t, v, 0, 1), constant(400))
	for c := range int64(400) {
		s.Differ(form(t, v, 0, 1), constant(c))
	}
	if s.Empty() {
		t.Error("empty, but 400 is a solution")
	}
}

// A solution that constraints with large and small numbers were built around is not
// excluded.
func TestPlantedSolutionsStay(t *testing.T) {
	property := func(t *rapid.T) {
		var s depend.System
		v := unknowns(&s, rapid.IntRange(1, 4).Draw(t, "unknowns"))
		number := rapid.OneOf(rapid.Int64Range(-4, 4), rapid.Int64Range(-100, 100), rapid.Int64Range(-1<<33, 1<<33), rapid.Int64())
		p := make(depend.Point)
		for _, x := range v {
			p[x] = rapid.OneOf(rapid.Int64Range(-4, 4), rapid.Int64Range(-1<<31, 1<<31)).Draw(t, "value")
		}
		draw := func() loop.Linear {
			l := loop.Linear{}
			for _, x := range v {
				if c := number.Draw(t, "coefficient"); c != 0 {
					l, _ = l.Add(loop.Linear{Terms: []loop.Term{{Var: x, Coef: c}}})
				}
			}
			return l
		}
		for range rapid.IntRange(1, 6).Draw(t, "constraints") {
			l := draw()
			x, ok := p.Value(l)
			if !ok {
				continue
			}
			slack := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 9), rapid.Int64Range(0, 1<<62)).Draw(t, "slack")
			c, ok := constant(slack).Add(constant(-x))
			if !ok {
				continue
			}
			l.Const = c.Const
			if slack == 0 && rapid.Bool().Draw(t, "equality") {
				s.Zero(l)
			} else {
				s.NonNegative(l)
			}
		}
		if s.Empty() {
			t.Fatalf("empty with solution %v", p)
		}
	}
	for range 20 {
		rapid.Check(t, property)
	}
}

// Many constraints exceed the limits; the answer is then not known, and quick.
func TestLargeSystemsAreGivenUp(t *testing.T) {
	var s depend.System
	v := unknowns(&s, 14)
	for i := range int64(60) {
		coefs := make([]int64, len(v))
		for j := range coefs {
			coefs[j] = (i*7+int64(j)*13+i*int64(j))%11 - 5
		}
		s.NonNegative(form(t, v, 100+i, coefs...))
	}
	if s.Empty() {
		t.Error("0 is a solution")
	}
	for i := range 20 {
		s.Differ(form(t, v[i%14:], 0, 1), constant(int64(i)))
	}
	if s.Empty() {
		t.Error("there are other solutions")
	}
}

// Emptiness and samples agree with enumeration in a small box.
func TestSystemsEqualEnumeration(t *testing.T) {
	const edge = 4
	property := func(t *rapid.T) {
		var s depend.System
		n := rapid.IntRange(1, 3).Draw(t, "unknowns")
		v := unknowns(&s, n)
		boxed := rapid.Bool().Draw(t, "boxed")
		if boxed {
			for i := range v {
				s.AtMost(constant(-edge), loop.Of(v[i]))
				s.AtMost(loop.Of(v[i]), constant(edge))
			}
		}
		draw := func(name string) loop.Linear {
			coefs := rapid.SliceOfN(rapid.Int64Range(-6, 6), n, n).Draw(t, name)
			return form(t, v, rapid.Int64Range(-20, 20).Draw(t, name), coefs...)
		}
		var tests []func(p depend.Point) bool
		for range rapid.IntRange(1, 5).Draw(t, "constraints") {
			l := draw("l")
			value := func(p depend.Point) int64 { x, _ := p.Value(l); return x }
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				s.Zero(l)
				tests = append(tests, func(p depend.Point) bool { return value(p) == 0 })
			case 1:
				m := draw("m")
				s.Differ(l, m)
				tests = append(tests, func(p depend.Point) bool { x, _ := p.Value(m); return value(p) != x })
			case 2:
				m := draw("m")
				s.Less(l, m)
				tests = append(tests, func(p depend.Point) bool { x, _ := p.Value(m); return value(p) < x })
			default:
				s.NonNegative(l)
				tests = append(tests, func(p depend.Point) bool { return value(p) >= 0 })
			}
		}
		holds := func(p depend.Point) bool {
			for _, f := range tests {
				if !f(p) {
					return false
				}
			}
			return true
		}
		objective := draw("objective")
		least, count := int64(math.MaxInt64), 0
		p := make(depend.Point)
		var walk func(i int)
		walk = func(i int) {
			if i == n {
				if holds(p) {
					x, _ := p.Value(objective)
					least = min(least, x)
					count++
				}
				return
			}
			for x := int64(-edge); x <= edge; x++ {
				p[v[i]] = x
				walk(i + 1)
			}
		}
		walk(0)
		if s.Empty() && count > 0 {
			t.Fatalf("empty with %d solutions", count)
		}
		if boxed && count == 0 && !s.Empty() {
			t.Fatalf("a small box without solutions is not found to be empty")
		}
		if q, ok := s.Sample(); ok && !holds(q) {
			t.Fatalf("%v is no solution", q)
		} else if !ok && boxed && count > 0 {
			t.Fatalf("no sample of %d solutions", count)
		}
		threshold := rapid.Int64Range(-30, 30).Draw(t, "threshold")
		proved := always(&s, plus(t, objective, -threshold))
		if count > 0 && proved && least < threshold {
			t.Fatalf("%d was to be at least %d", least, threshold)
		}
		if boxed && count > 0 && !proved && least >= threshold {
			t.Fatalf("at least %d, not proved to be at least %d", least, threshold)
		}
	}
	for range 40 {
		rapid.Check(t, property)
	}
}

// Bounds of one form are those that the constraints give by hand.
func TestBounds(t *testing.T) {
	var s depend.System
	v := unknowns(&s, 3)
	// 0 <= a < 10, 2a <= b <= 2a + 5, c == 3b.
	s.AtMost(constant(0), form(t, v, 0, 1))
	s.Less(form(t, v, 0, 1), constant(10))
	s.AtMost(form(t, v, 0, 2), form(t, v, 0, 0, 1))
	s.AtMost(form(t, v, 0, 0, 1), form(t, v, 5, 2))
	s.Equal(form(t, v, 0, 0, 0, 1), form(t, v, 0, 0, 3))
	for _, c := range []struct {
		of     loop.Linear
		lo, hi int64
	}{
		{form(t, v, 0, 1), 0, 9},
		{form(t, v, 0, 0, 1), 0, 23},
		{form(t, v, 7, 0, 0, 1), 7, 76},
		{form(t, v, 0, -2, 1), 0, 5},
		{form(t, v, 0, 0, 0, -1), -69, 0},
		{constant(4), 4, 4},
	} {
		inRange(t, fmt.Sprint(c.of), &s, c.of, c.lo, c.hi)
	}
	s.Differ(form(t, v, 0, 1), constant(0))
	s.Differ(form(t, v, 0, 1), constant(9))
	inRange(t, "with choices", &s, form(t, v, 0, 0, 1), 2, 21)
	if free := s.Fresh("free"); always(&s, loop.Of(free)) {
		t.Error("an unknown without constraints is at least 0")
	}
}

// always reports that l >= 0 was proved of every solution.
func always(s *depend.System, l loop.Linear) bool {
	c := s.Clone()
	c.Less(l, loop.Linear{})
	return c.Empty()
}

// inRange checks that lo and hi are the least and the largest value of l.
func inRange(t *testing.T, what string, s *depend.System, l loop.Linear, lo, hi int64) {
	t.Helper()
	neg, ok := l.Scale(-1)
	if !ok {
		t.Fatalf("%s: out of range", what)
	}
	if !always(s, plus(t, l, -lo)) || always(s, plus(t, l, -lo-1)) {
		t.Errorf("%s: least is not %d", what, lo)
	}
	if !always(s, plus(t, neg, hi)) || always(s, plus(t, neg, hi-1)) {
		t.Errorf("%s: largest is not %d", what, hi)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	var s depend.System
	v := unknowns(&s, 1)
	x := form(t, v, 0, 1)
	// Three of each leave room behind the slices' ends.
	for c := range int64(3) {
		s.AtMost(constant(-c), x)
		s.Differ(x, constant(c))
	}
	c := s.Clone()
	c.AtMost(x, constant(3))
	c.Differ(x, constant(3))
	s.AtMost(x, constant(4))
	s.Differ(x, constant(4))
	if p, ok := c.Sample(); ok || !c.Empty() {
		t.Errorf("%v is a solution of the clone", p)
	}
	if p, ok := s.Sample(); !ok || p[v[0]] != 3 {
		t.Errorf("the solution of the original is %v, want 3", p)
	}
}

func plus(t fataler, l loop.Linear, c int64) loop.Linear {
	out, ok := l.Add(constant(c))
	if !ok {
		t.Fatalf("form out of range")
	}
	return out
}
