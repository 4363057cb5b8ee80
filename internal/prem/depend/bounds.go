package depend

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Least gives a number that l is not below at any solution of the system: the least
// value of l, or one that rounding left a little under it. It is false where there
// is none, or none was found; so it is of a system known to be empty.
func (s *System) Least(l loop.Linear) (int64, bool) {
	left := maxCases
	b := leastOf(slices.Clip(s.rows), s.choices, l, &left)
	return b.value, b.known
}

// Largest gives a number that l is not above at any solution; see Least.
func (s *System) Largest(l loop.Linear) (int64, bool) {
	n, ok := l.Scale(-1)
	if !ok {
		return 0, false
	}
	v, ok := s.Least(n)
	if !ok {
		return 0, false
	}
	return mul(v, -1)
}

// bound is a lower bound; vacuous says that there is nothing to bound.
type bound struct {
	value          int64
	known, vacuous bool
}

// leastOf bounds l over all ways through the choices. Where those are too many,
// it leaves the remaining choices out.
func leastOf(rows []row, choices []choice, l loop.Linear, left *int) bound {
	*left--
	if len(choices) == 0 || *left < len(choices[0]) {
		return leastOfRows(rows, l)
	}
	out := bound{vacuous: true}
	for _, alternative := range choices[0] {
		b := leastOf(slices.Concat(rows, alternative), choices[1:], l, left)
		switch {
		case b.vacuous:
		case !b.known:
			// Without the choice there are fewer constraints, so perhaps a bound.
			return leastOfRows(rows, l)
		case out.vacuous || b.value < out.value:
			out = b
		}
	}
	return out
}

// leastOfRows eliminates all unknowns but one that equals l.
func leastOfRows(rows []row, l loop.Linear) bound {
	z := &loop.Var{Name: "z"}
	terms := slices.Clone(l.Terms)
	above := row{form: loop.Linear{Const: l.Const, Terms: append(terms, loop.Term{Var: z, Coef: -1})}}
	neg, ok := above.form.Scale(-1)
	if !ok {
		return bound{}
	}
	t, ok := newTableau(slices.Concat([]row{above, {form: neg}}, rows))
	if !ok {
		return bound{}
	}
	keep := slices.Index(t.vars, z)
	if v, _ := t.eliminate(keep); v == empty {
		return bound{vacuous: true}
	}
	for _, q := range t.ges {
		n := len(q.c) - 1
		if q.c[keep] > 0 && !slices.ContainsFunc(q.c[:keep], nonzero) && !slices.ContainsFunc(q.c[keep+1:n], nonzero) {
			return bound{value: -floorDiv(q.c[n], q.c[keep]), known: true}
		}
	}
	return bound{}
}

func nonzero(c int64) bool { return c != 0 }
