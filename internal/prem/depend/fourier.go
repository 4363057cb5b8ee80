package depend

import (
	"cmp"
	"math/bits"
	"slices"
)

// maxRows is the number of inequalities beyond which elimination gives up, fewRows
// that up to which it keeps even those that others imply.
const (
	maxRows = 512
	fewRows = 32
)

// eliminate removes all unknowns from the rows. It gives empty where it derives a contradiction,
// and otherwise whether it is complete: it gives up on overflow and on systems that grow too large.
func (t *tableau) eliminate() (v verdict, complete bool) {
	t.number()
	for {
		v, ok := t.equalities()
		if !ok {
			// A row may be half replaced: nothing is known from here on.
			t.eqs, t.ges = nil, nil
		}
		if v == empty || !ok {
			return v, false
		}
		if t.compact() == empty {
			return empty, false
		}
		if len(t.eqs) > 0 {
			t.number()
			continue
		}
		if len(t.ges) > maxRows {
			return unknown, false
		}
		k := t.pick()
		if k < 0 {
			return unknown, true
		}
		t.project(k)
	}
}

// number makes the present inequalities the ones that later ones are combined from.
func (t *tableau) number() {
	t.projected = 0
	for i := range t.ges {
		t.ges[i].from = 0
		if len(t.ges) <= 64 {
			t.ges[i].from = 1 << i
		}
	}
}

// compact divides each inequality by the common divisor of its coefficients,
// rounding the constant down to the integers, and keeps the tightest of each
// direction. Two opposite inequalities that leave one value become the equality that
// they amount to, and contradict each other where they leave none.
func (t *tableau) compact() verdict {
	out := t.ges[:0]
	for _, q := range t.ges {
		r := q.c
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
		out = append(out, q)
	}
	slices.SortFunc(out, func(a, b ineq) int {
		if d := slices.Compare(a.c, b.c); d != 0 {
			return d
		}
		return bits.OnesCount64(a.from) - bits.OnesCount64(b.from)
	})
	out = slices.CompactFunc(out, func(a, b ineq) bool { return slices.Equal(a.c[:len(a.c)-1], b.c[:len(b.c)-1]) })
	t.ges = out
	for i, q := range out {
		r := q.c
		n := len(r) - 1
		j, ok := slices.BinarySearchFunc(out, r, compareNegated)
		if !ok || j < i {
			continue
		}
		width, fits := add(r[n], out[j].c[n])
		switch {
		case !fits || width > 0:
		case width < 0:
			return empty
		default:
			t.eqs = append(t.eqs, r)
		}
	}
	if len(t.eqs) > 0 {
		t.ges = slices.DeleteFunc(out, func(q ineq) bool {
			return slices.ContainsFunc(t.eqs, func(e []int64) bool { return &e[0] == &q.c[0] || compareNegated(q, e) == 0 })
		})
	}
	return unknown
}

// compareNegated orders the coefficients of q against those of -b.
func compareNegated(q ineq, b []int64) int {
	for j, c := range q.c[:len(q.c)-1] {
		if d := cmp.Compare(c, -b[j]); d != 0 {
			return d
		}
	}
	return 0
}

// pick chooses the unknown to remove next, -1 where none is left: first one whose removal loses no integer, then one that adds the fewest rows.
func (t *tableau) pick() int {
	k, growth, exact := -1, 0, false
	for c := range t.vars {
		lower, upper, unitLower, unitUpper := 0, 0, true, true
		for _, q := range t.ges {
			switch a := q.c[c]; {
			case a > 0:
				lower++
				unitLower = unitLower && a == 1
			case a < 0:
				upper++
				unitUpper = unitUpper && a == -1
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
	return k
}

// project removes x_k: every lower bound must be at most every upper one. Left out
// are rows whose numbers overflow and, where there are many, those combined from
// more rows than there are removed unknowns plus one, which others imply (Kohler's
// rule); leaving a row out only enlarges what is left.
func (t *tableau) project(k int) {
	var lower, upper, rest []ineq
	for _, q := range t.ges {
		switch {
		case q.c[k] > 0:
			lower = append(lower, q)
		case q.c[k] < 0:
			upper = append(upper, q)
		default:
			rest = append(rest, q)
		}
	}
	t.projected++
	prune := len(rest)+len(lower)*len(upper) > fewRows
	for _, l := range lower {
		for _, u := range upper {
			from := l.from | u.from
			if prune && bits.OnesCount64(from) > t.projected+1 {
				continue
			}
			if r, ok := combine(l.c, u.c, k); ok {
				rest = append(rest, ineq{r, from})
			}
		}
	}
	t.ges = rest
	t.trail = append(t.trail, step{k: k, lower: rowsOf(lower), upper: rowsOf(upper)})
}

func rowsOf(list []ineq) [][]int64 {
	out := make([][]int64, len(list))
	for i, q := range list {
		out[i] = q.c
	}
	return out
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
