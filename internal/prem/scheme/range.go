package scheme

import (
	"math"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// interval is a range of values, both ends included.
type interval struct{ lo, hi int64 }

// whole is the range of an unknown value. Its ends are so small that sums of a
// few products with small numbers do not overflow.
var whole = interval{-1 << 40, 1 << 40}

// within notes that a variable lies from lo to below hi, as far as these are known.
func (g *gen) within(v *loop.Var, lo, hi loop.Expr) {
	r := whole
	r.lo = max(r.lo, g.value(lo).lo)
	r.hi = min(r.hi, g.value(hi).hi-1)
	if r.lo <= r.hi { // else no iteration is executed
		g.known[v] = r
	}
}

// runs notes that a loop's variable runs from lo as long as cmp holds with hi.
func (g *gen) runs(v *loop.Var, cmp loop.Op, lo, hi loop.Expr) {
	one := g.lit(1)
	switch cmp {
	case loop.Lt:
		g.within(v, lo, hi)
	case loop.Le:
		g.within(v, lo, g.add(hi, one))
	case loop.Gt:
		g.within(v, g.add(hi, one), g.add(lo, one))
	case loop.Ge:
		g.within(v, hi, g.add(lo, one))
	}
}

// host notes the ranges of the host's loops around the kernel, and reports whether
// the statements hold it.
func (g *gen) host(list []loop.Stmt) bool {
	for _, s := range list {
		found := false
		switch s := s.(type) {
		case *loop.Nest:
			found = s == g.k
		case *loop.For:
			lo, ok := loop.Affine(s.Lo)
			hi, ok2 := loop.Affine(s.Hi)
			if ok && ok2 {
				if s.Step < 0 {
					lo, hi = hi, lo
				}
				// Of < and > one end is not reached.
				r := interval{max(whole.lo, g.least(lo)), min(whole.hi, g.most(hi))}
				if r.lo <= r.hi {
					g.known[s.Var] = r
				}
			}
			found = g.host(s.Body)
		case *loop.If:
			found = g.host(s.Then) || g.host(s.Else)
		case *loop.Block:
			found = g.host(s.Body)
		case *loop.Data:
			found = g.host(s.Body)
		}
		if found {
			return true
		}
	}
	return false
}

// value is the range of a literal or a variable.
func (g *gen) value(x loop.Expr) interval {
	if c, ok := constant(x); ok && c >= whole.lo && c <= whole.hi {
		return interval{c, c}
	}
	if r, ok := x.(*loop.Ref); ok {
		return g.rangeOf(r.Var)
	}
	return whole
}

func (g *gen) rangeOf(v *loop.Var) interval {
	if r, ok := g.known[v]; ok {
		return r
	}
	return whole
}

// least is a value below which a form does not lie, math.MinInt64 where none is
// known.
func (g *gen) least(l loop.Linear) int64 {
	sum := l.Const
	if sum < whole.lo || sum > whole.hi || len(l.Terms) > 8 {
		return math.MinInt64
	}
	for _, t := range l.Terms {
		r := g.rangeOf(t.Var)
		end := r.lo
		if t.Coef < 0 {
			end = r.hi
		}
		if end == whole.lo || end == whole.hi || t.Coef < -1<<16 || t.Coef > 1<<16 {
			return math.MinInt64
		}
		sum += t.Coef * end
	}
	return sum
}

// most is a value above which a form does not lie, math.MaxInt64 where none is
// known.
func (g *gen) most(l loop.Linear) int64 {
	n, ok := l.Scale(-1)
	if !ok {
		return math.MaxInt64
	}
	if m := g.least(n); m != math.MinInt64 {
		return -m
	}
	return math.MaxInt64
}
