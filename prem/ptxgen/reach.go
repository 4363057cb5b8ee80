package ptxgen

import (
	"math/bits"

	"github.com/warpbound/warpbound/prem/loop"
)

// bounds gives the least and the greatest value of a sum, or false where they are
// not known or beyond 2^50.
func (g *gen) bounds(p poly) (lo, hi int64, ok bool) {
	const limit = 1 << 50
	c, rest := p.cut()
	lo, hi = c, c
	for _, t := range rest {
		s := &g.symbols[t.syms[0]]
		if len(t.syms) > 1 || !s.bounded || t.coef > 1<<20 || t.coef < -1<<20 {
			return 0, 0, false
		}
		a, b := s.min*t.coef, s.max*t.coef
		lo, hi = lo+min(a, b), hi+max(a, b)
		if lo < -limit || hi > limit {
			return 0, 0, false
		}
	}
	return lo, hi, lo >= -limit && hi <= limit
}

// reach bounds an integer expression, as bounds does.
func (g *gen) reach(e loop.Expr) (lo, hi int64, ok bool) {
	const limit = 1 << 50
	if g.polynomial(e) {
		return g.bounds(g.sum(e))
	}
	if !e.Type().IsSigned() {
		return 0, 0, false
	}
	switch e := e.(type) {
	case *loop.Binary:
		d, constant := g.constant(e.Y)
		if !constant || d <= 0 || d > limit {
			return 0, 0, false
		}
		if e.Op == loop.And {
			return 0, d, true
		}
		lo, hi, ok = g.reach(e.X)
		switch {
		case e.Op == loop.Div:
			return lo / d, hi / d, ok
		case e.Op == loop.Rem && lo >= 0:
			return 0, min(hi, d-1), ok
		}
	case *loop.Cond:
		a, b, ok := g.reach(e.Then)
		c, d, ok2 := g.reach(e.Else)
		if !ok || !ok2 {
			return 0, 0, false
		}
		switch g.extreme(e) {
		case -1:
			return min(a, c), min(b, d), true
		case 1:
			return max(a, c), max(b, d), true
		}
		return min(a, c), max(b, d), true
	}
	return 0, 0, false
}

// extreme is -1 for the lesser of two expressions written as x < y ? x : y or the
// like, 1 for the greater, 0 for what is neither.
func (g *gen) extreme(e *loop.Cond) int {
	c, ok := e.If.(*loop.Binary)
	if _, pure := g.info(e); !ok || !pure || c.Op < loop.Lt || c.Op > loop.Ge {
		return 0
	}
	x, y, then, els := g.key(c.X), g.key(c.Y), g.key(e.Then), g.key(e.Else)
	sign := 0
	switch {
	case x == then && y == els:
		sign = -1
	case x == els && y == then:
		sign = 1
	}
	if c.Op == loop.Gt || c.Op == loop.Ge {
		sign = -sign
	}
	return sign
}

// powerOfTwo gives the logarithm of a constant by which an expression that is
// never negative can be divided by shifting.
func (g *gen) powerOfTwo(x, y loop.Expr) (log int, ok bool) {
	d, constant := g.constant(y)
	if l, unsigned := y.(*loop.IntLit); unsigned {
		d, constant = l.Value, true
	}
	if !constant || d <= 0 || d&(d-1) != 0 {
		return 0, false
	}
	if x.Type().IsSigned() {
		if lo, _, known := g.reach(x); !known || lo < 0 {
			return 0, false
		}
	}
	return bits.TrailingZeros64(uint64(d)), true
}
