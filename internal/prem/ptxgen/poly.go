package ptxgen

import (
	"slices"
	"strconv"
)

// poly is a sum of products of symbols, modulo 2^64: what addresses are computed
// from. Terms are ordered by their symbols and have nonzero coefficients; the
// constant, the term without symbols, comes first.
type poly []term

type term struct {
	syms []int // ascending, with repetition
	coef int64
}

func konst(c int64) poly {
	if c == 0 {
		return nil
	}
	return poly{{nil, c}}
}

func symbolPoly(s int) poly { return poly{{[]int{s}, 1}} }

func (p poly) plus(q poly) poly {
	out := make(poly, 0, len(p)+len(q))
	for len(p) > 0 && len(q) > 0 {
		switch c := slices.Compare(p[0].syms, q[0].syms); {
		case c < 0:
			out, p = append(out, p[0]), p[1:]
		case c > 0:
			out, q = append(out, q[0]), q[1:]
		default:
			if k := p[0].coef + q[0].coef; k != 0 {
				out = append(out, term{p[0].syms, k})
			}
			p, q = p[1:], q[1:]
		}
	}
	return append(append(out, p...), q...)
}

func (p poly) scale(k int64) poly {
	if k == 0 {
		return nil
	}
	out := make(poly, 0, len(p))
	for _, t := range p {
		if c := t.coef * k; c != 0 {
			out = append(out, term{t.syms, c})
		}
	}
	return out
}

func (p poly) times(q poly) poly {
	var out poly
	for _, a := range p {
		var row poly
		for _, b := range q {
			c := a.coef * b.coef
			if c == 0 {
				continue
			}
			syms := append(slices.Clone(a.syms), b.syms...)
			slices.Sort(syms)
			row = row.plus(poly{{syms, c}})
		}
		out = out.plus(row)
	}
	return out
}

// cut gives the constant and the rest.
func (p poly) cut() (int64, poly) {
	if len(p) > 0 && len(p[0].syms) == 0 {
		return p[0].coef, p[1:]
	}
	return 0, p
}

// split gives f0 and f1, free of s, with p = f0 + s*f1; or false where s occurs
// in a power.
func (p poly) split(s int) (f0, f1 poly, ok bool) {
	for _, t := range p {
		i := slices.Index(t.syms, s)
		if i < 0 {
			f0 = append(f0, t)
			continue
		}
		rest := slices.Delete(slices.Clone(t.syms), i, i+1)
		if slices.Contains(rest, s) {
			return nil, nil, false
		}
		f1 = f1.plus(poly{{rest, t.coef}})
	}
	return f0, f1, true
}

func (p poly) has(s int) bool {
	return slices.ContainsFunc(p, func(t term) bool { return slices.Contains(t.syms, s) })
}

// key is the same for equal sums only.
func (p poly) key() string {
	b := make([]byte, 0, 32)
	for _, t := range p {
		b = strconv.AppendInt(b, t.coef, 10)
		for _, s := range t.syms {
			b = append(b, '*')
			b = strconv.AppendInt(b, int64(s), 10)
		}
		b = append(b, ';')
	}
	return string(b)
}
