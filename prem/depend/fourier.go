package depend

import (
	"cmp"
	"slices"
)

// maxRows is the number of inequalities beyond which elimination gives up.
const maxRows = 512

// eliminate removes all unknowns but that of column keep (-1: all) from the rows.
// It gives empty where a contradiction comes out, and otherwise whether it came to
// the end: it gives up at overflow and at systems that grow too large.
func (t *tableau) eliminate(keep int) (v verdict, complete bool) {
	for {
		v, ok := t.equalities()
		if !ok {
			// A row may be half replaced: nothing is known from here on.
			t.eqs, t.ges = nil, nil
		}
		if v == empty || !ok {
			return v, false
		}
		if t.compact(keep < 0) == empty {
			return empty, false
		}
		if len(t.eqs) > 0 {
			continue
		}
		k, growth := t.pick(keep)
		if k < 0 {
			return unknown, true
		}
		if len(t.ges)+growth > maxRows {
			return unknown, false
		}
		t.project(k)
	}
}

// compact divides each inequality by the common divisor of its coefficients,
// rounding the constant down to the integers, and keeps the tightest of each
// direction. Two opposite inequalities contradict each other, or, where promote is
// set, become the equality that they amount to.
func (t *tableau) compact(promote bool) verdict {
	out := t.ges[:0]
	for _, r := range t.ges {
		n := len(r) - 1
		switch g := coefGCD(r); {
		case g == 0 && r[n] < 0:
			return empty
		case g == 0:
			continue
		case g > 1:
			for j := range r[:n] {
				r[j] /= g
			}
			r[n] = floorDiv(r[n], g)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, slices.Compare)
	out = slices.CompactFunc(out, func(a, b []int64) bool { return slices.Equal(a[:len(a)-1], b[:len(b)-1]) })
	t.ges = out
	for i, r := range out {
		n := len(r) - 1
		j, ok := slices.BinarySearchFunc(out, r, compareNegated)
		if !ok || j < i {
			continue
		}
		width, fits := add(r[n], out[j][n])
		switch {
		case !fits || width > 0:
		case width < 0:
			return empty
		case promote:
			t.eqs = append(t.eqs, r)
		}
	}
	if len(t.eqs) > 0 {
		t.ges = slices.DeleteFunc(out, func(r []int64) bool {
			return slices.ContainsFunc(t.eqs, func(e []int64) bool { return &e[0] == &r[0] || compareNegated(e, r) == 0 })
		})
	}
	return unknown
}

// compareNegated orders the coefficients of a against those of -b.
func compareNegated(a, b []int64) int {
	for j, c := range a[:len(a)-1] {
		if d := cmp.Compare(c, -b[j]); d != 0 {
			return d
		}
	}
	return 0
}

// pick chooses the unknown to remove next, -1 where none but keep's is left: first
// one whose removal loses no integer, then one that adds the fewest rows.
func (t *tableau) pick(keep int) (k, growth int) {
	k = -1
	exact := false
	for c := range t.vars {
		if c == keep {
			continue
		}
		lower, upper, unitLower, unitUpper := 0, 0, true, true
		for _, r := range t.ges {
			switch {
			case r[c] > 0:
				lower++
				unitLower = unitLower && r[c] == 1
			case r[c] < 0:
				upper++
				unitUpper = unitUpper && r[c] == -1
			}
		}
		if lower+upper == 0 {
			continue
		}
		e, g := unitLower || unitUpper, lower*upper-lower-upper
		if k < 0 || e && !exact || e == exact && g < growth {
			k, growth, exact = c, g, e
		}
	}
	return k, growth
}

// project removes x_k: every lower bound must be at most every upper one. A row
// whose numbers overflow is left out, which only enlarges what is left.
func (t *tableau) project(k int) {
	s := step{k: k}
	var rest [][]int64
	for _, r := range t.ges {
		switch {
		case r[k] > 0:
			s.lower = append(s.lower, r)
		case r[k] < 0:
			s.upper = append(s.upper, r)
		default:
			rest = append(rest, r)
		}
	}
	for _, l := range s.lower {
		for _, u := range s.upper {
			if r, ok := combine(l, u, k); ok {
				rest = append(rest, r)
			}
		}
	}
	t.ges = rest
	t.trail = append(t.trail, s)
}

// combine adds positive multiples of l and u such that x_k disappears.
func combine(l, u []int64, k int) ([]int64, bool) {
	g := gcd(l[k], u[k])
	a, b := -u[k]/g, l[k]/g
	out := make([]int64, len(l))
	for j := range out {
		x, ok := mul(a, l[j])
		y, ok2 := mul(b, u[j])
		if !ok || !ok2 {
			return nil, false
		}
		if out[j], ok = add(x, y); !ok {
			return nil, false
		}
	}
	return out, true
}
