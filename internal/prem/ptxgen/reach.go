package ptxgen

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Ranges of integers: numbers beyond ±known count as unknown, and are ±unknown.
// Sums of maxTerms products of a known number and a coefficient do not wrap.
const (
	known    = 1 << 38
	unknown  = 1 << 60
	maxCoef  = 1 << 18
	maxTerms = 8
)

// span is the least and the greatest value of something.
type span struct{ min, max int64 }

var anything = span{-unknown, unknown}

// spanOf is what values of a type can be.
func spanOf(t loop.Type) span {
	switch t {
	case loop.Int:
		return span{math.MinInt32, math.MaxInt32}
	case loop.Uint:
		return span{0, math.MaxUint32}
	}
	return anything
}

// trim turns unknown numbers into ±unknown, and narrows to the range of t.
func (s span) trim(t loop.Type) span {
	if s.min < -known {
		s.min = -unknown
	}
	if s.max > known {
		s.max = unknown
	}
	if u := spanOf(t); u != anything {
		return span{max(s.min, u.min), min(s.max, u.max)}
	}
	return s
}

// scaled is the span of a product with a coefficient.
func (s span) scaled(c int64) span {
	times := func(x int64) int64 {
		switch {
		case x > -unknown && x < unknown:
			return x * c
		case (x < 0) == (c > 0):
			return -unknown
		}
		return unknown
	}
	a, b := times(s.min), times(s.max)
	return span{min(a, b), max(a, b)}
}

// bounds is the span of a sum.
func (g *gen) bounds(p poly) span {
	c, rest := p.cut()
	out := span{c, c}
	if len(rest) > maxTerms || c < -known || c > known {
		return anything
	}
	for _, t := range rest {
		if len(t.syms) > 1 || t.coef > maxCoef || t.coef < -maxCoef {
			return anything
		}
		s := g.symbols[t.syms[0]].span.scaled(t.coef)
		if out.min > -unknown && s.min > -unknown {
			out.min += s.min
		} else {
			out.min = -unknown
		}
		if out.max < unknown && s.max < unknown {
			out.max += s.max
		} else {
			out.max = unknown
		}
	}
	return out.trim(loop.Long)
}

// reach is the span of an integer expression.
func (g *gen) reach(e loop.Expr) span {
	t := e.Type()
	if g.polynomial(e) {
		return g.bounds(g.sum(e)).trim(t)
	}
	if !t.IsSigned() {
		return spanOf(t)
	}
	switch e := e.(type) {
	case *loop.Binary:
		d, constant := g.constant(e.Y)
		if !constant || d <= 0 || d > known {
			break
		}
		if e.Op == loop.And {
			return span{0, d}
		}
		x := g.reach(e.X)
		switch {
		case e.Op == loop.Div && x.min > -unknown && x.max < unknown:
			return span{x.min / d, x.max / d}
		case e.Op == loop.Rem && x.min >= 0:
			return span{0, min(x.max, d-1)}
		}
	case *loop.Cond:
		x, y := g.reach(e.Then), g.reach(e.Else)
		switch g.extreme(e) {
		case -1:
			return span{min(x.min, y.min), min(x.max, y.max)}
		case 1:
			return span{max(x.min, y.min), max(x.max, y.max)}
		}
		return span{min(x.min, y.min), max(x.max, y.max)}
	}
	return spanOf(t)
}

// extreme is -1 for a minimum, an expression such as x < y ? x : y, 1 for a
// maximum, 0 for anything else.
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
	if l, literal := y.(*loop.IntLit); literal {
		d, constant = l.Value, true
	}
	if !constant || d <= 0 || d&(d-1) != 0 || x.Type().IsSigned() && g.reach(x).min < 0 {
		return 0, false
	}
	return bits.TrailingZeros64(uint64(d)), true
}
