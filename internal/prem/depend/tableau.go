package depend

import (
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// tableau is a conjunction as integer rows: the coefficient of each column's
// unknown, then the constant.
type tableau struct {
	vars []*loop.Var
	eqs  [][]int64
	ges  []ineq
	// trail are the eliminations so far, to be undone from the last to the first.
	trail []step
	// projected counts the unknowns removed by project since the inequalities were numbered.
	projected int
}

// ineq is an inequality, and the set of those that it was combined from since they
// were last numbered: 0 where there were too many to number.
type ineq struct {
	c    []int64
	from uint64
}

// step removed column k: by x_k = value(the other columns), value[k] being 1 where
// it is a change of variables that puts another unknown in the column's place, or,
// with value nil, by Fourier and Motzkin from the bounds on x_k.
type step struct {
	k            int
	value        []int64
	lower, upper [][]int64 // rows in which x_k has a positive, a negative coefficient
}

// newTableau writes the rows out; false where a number is out of range.
func newTableau(rows []row) (*tableau, bool) {
	t := new(tableau)
	column := make(map[*loop.Var]int)
	for _, r := range rows {
		for _, x := range r.form.Terms {
			if _, ok := column[x.Var]; !ok {
				column[x.Var] = len(t.vars)
				t.vars = append(t.vars, x.Var)
			}
		}
	}
	n := len(t.vars)
	for _, r := range rows {
		out := make([]int64, n+1)
		out[n] = r.form.Const
		for _, x := range r.form.Terms {
			out[column[x.Var]] = x.Coef
		}
		if slices.Contains(out, math.MinInt64) {
			return nil, false
		}
		if r.eq {
			t.eqs = append(t.eqs, out)
		} else {
			t.ges = append(t.ges, ineq{c: out})
		}
	}
	return t, true
}

// decide finds a solution of the rows, proves that there is none, or gives up.
func decide(rows []row) (verdict, Point) {
	t, ok := newTableau(rows)
	if !ok {
		return unknown, nil
	}
	v, complete := t.eliminate()
	if v == empty || !complete {
		return v, nil
	}
	v, values := t.search()
	if v != found {
		return v, nil
	}
	p := make(Point, len(values))
	for k, x := range values {
		p[t.vars[k]] = x
	}
	if !p.holds(rows) {
		return unknown, nil
	}
	return found, p
}

// coefGCD is the greatest common divisor of the coefficients.
func coefGCD(r []int64) int64 {
	g := int64(0)
	for _, c := range r[:len(r)-1] {
		if c != 0 {
			if g = gcd(g, c); g == 1 {
				break
			}
		}
	}
	return g
}

// substitute puts value in place of x_k in every row; false at overflow.
func (t *tableau) substitute(k int, value []int64) bool {
	for _, r := range t.eqs {
		if !replace(r, k, value) {
			return false
		}
	}
	for _, r := range t.ges {
		if !replace(r.c, k, value) {
			return false
		}
	}
	t.trail = append(t.trail, step{k: k, value: value})
	return true
}

// replace puts value in place of x_k in one row.
func replace(r []int64, k int, value []int64) bool {
	c := r[k]
	if c == 0 {
		return true
	}
	r[k] = 0
	for j, v := range value {
		if v == 0 {
			continue
		}
		p, ok := mul(c, v)
		if !ok {
			return false
		}
		if r[j], ok = add(r[j], p); !ok {
			return false
		}
	}
	return true
}

// equalities removes all equalities, each together with one unknown. A
// unimodular change of variables makes a coefficient a unit where there is none,
// as in Euclid's algorithm, so that the integer solutions stay the same. It gives
// empty where the equalities have no integer solution, and false at overflow.
func (t *tableau) equalities() (verdict, bool) {
	for len(t.eqs) > 0 {
		r := t.eqs[len(t.eqs)-1]
		n := len(r) - 1
		g := coefGCD(r)
		if g == 0 {
			if r[n] != 0 {
				return empty, true
			}
			t.eqs = t.eqs[:len(t.eqs)-1]
			continue
		}
		if r[n]%g != 0 {
			return empty, true
		}
		for j := range r {
			r[j] /= g
		}
		k := -1
		for j, c := range r[:n] {
			if c != 0 && (k < 0 || abs(c) < abs(r[k])) {
				k = j
			}
		}
		a := r[k]
		value := make([]int64, n+1)
		if abs(a) == 1 {
			for j, c := range r {
				value[j] = -a * c
			}
			value[k] = 0
			t.eqs = t.eqs[:len(t.eqs)-1]
		} else {
			for j, c := range r {
				value[j] = -(c / a)
			}
			value[k] = 1
		}
		if !t.substitute(k, value) {
			return unknown, false
		}
	}
	return unknown, true
}
