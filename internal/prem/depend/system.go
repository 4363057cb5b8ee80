package depend

import (
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// System is a conjunction of equalities, inequalities and choices between such
// conjunctions over integer unknowns, which are *loop.Var values: those of the
// program, and those that Fresh makes. Forms that come from loop.Affine are over
// the integers, without wrapping. The zero value is the system without
// constraints. A System must not be used by several goroutines at once.
//
// A constraint whose numbers leave the range of int64 is left out: the system
// then has more solutions than it should, and Exact reports false.
type System struct {
	rows    []row
	choices []choice
	relaxed bool
	fresh   int // the last fresh variable's number, counted down from 0
}

// row is form >= 0 or, if eq, form == 0.
type row struct {
	form loop.Linear
	eq   bool
}

// choice is a disjunction of conjunctions.
type choice [][]row

// Fresh makes an unknown that no form has named yet. Its number is negative, so
// that it is no program's.
func (s *System) Fresh(name string) *loop.Var {
	s.fresh--
	return &loop.Var{Name: name, Type: loop.Long, Kind: loop.Induction, ID: s.fresh}
}

// Clone makes an independent copy with the same unknowns.
func (s *System) Clone() *System {
	c := *s
	c.rows = slices.Clone(s.rows)
	c.choices = slices.Clone(s.choices)
	return &c
}

// Exact reports whether every constraint that was asked for is in the system.
func (s *System) Exact() bool { return !s.relaxed }

// Zero demands l == 0.
func (s *System) Zero(l loop.Linear) { s.rows = append(s.rows, row{l, true}) }

// NonNegative demands l >= 0.
func (s *System) NonNegative(l loop.Linear) { s.rows = append(s.rows, row{l, false}) }

// Equal demands a == b.
func (s *System) Equal(a, b loop.Linear) {
	if d, ok := minus(b, a, 0); ok {
		s.Zero(d)
	} else {
		s.relaxed = true
	}
}

// AtMost demands a <= b.
func (s *System) AtMost(a, b loop.Linear) {
	if d, ok := minus(b, a, 0); ok {
		s.NonNegative(d)
	} else {
		s.relaxed = true
	}
}

// Less demands a < b.
func (s *System) Less(a, b loop.Linear) {
	if d, ok := minus(b, a, 1); ok {
		s.NonNegative(d)
	} else {
		s.relaxed = true
	}
}

// minus gives a - b - k.
func minus(a, b loop.Linear, k int64) (loop.Linear, bool) {
	b, ok := b.Scale(-1)
	if !ok {
		return loop.Linear{}, false
	}
	d, ok := a.Add(b)
	if !ok || d.Const < math.MinInt64+k {
		return loop.Linear{}, false
	}
	d.Const -= k
	return d, true
}

// Point gives unknowns their values; those it does not name are 0.
type Point map[*loop.Var]int64

// Value is that of l at the point, or false where it leaves the range of int64.
func (p Point) Value(l loop.Linear) (int64, bool) {
	sum := l.Const
	for _, t := range l.Terms {
		c, ok := mul(t.Coef, p[t.Var])
		if !ok {
			return 0, false
		}
		if sum, ok = add(sum, c); !ok {
			return 0, false
		}
	}
	return sum, true
}

// holds reports whether the point satisfies the rows.
func (p Point) holds(rows []row) bool {
	for _, r := range rows {
		v, ok := p.Value(r.form)
		if !ok || v < 0 || r.eq && v != 0 {
			return false
		}
	}
	return true
}

// verdict is what is known of a system.
type verdict uint8

const (
	unknown verdict = iota
	empty
	found
)

// maxCases is how many conjunctions one question may cost.
const maxCases = 256

func (s *System) solve() (verdict, Point) {
	left := maxCases
	return solveChoices(slices.Clip(s.rows), s.choices, &left)
}

// solveChoices decides the rows together with the choices, one after the other;
// rows that have no solution by themselves end the descent.
func solveChoices(rows []row, choices []choice, left *int) (verdict, Point) {
	if *left--; *left < 0 {
		return unknown, nil
	}
	v, p := decide(rows)
	if v == empty {
		return empty, nil
	}
	if v == found && !slices.ContainsFunc(choices, func(c choice) bool { return !c.holds(p) }) {
		return found, p
	}
	if len(choices) == 0 {
		return unknown, nil
	}
	all := empty
	for _, alternative := range choices[0] {
		v, p := solveChoices(slices.Concat(rows, alternative), choices[1:], left)
		switch v {
		case found:
			return found, p
		case unknown:
			all = unknown
		}
	}
	return all, nil
}

func (c choice) holds(p Point) bool {
	return slices.ContainsFunc(c, func(rows []row) bool { return p.holds(rows) })
}
