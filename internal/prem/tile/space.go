package tile

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// A scope is the chain of variables that a form may name, outermost first. Bounds
// of a variable name only variables before it, so that replacing the last
// variables first ends in constants.
type scope struct {
	outer *scope
	depth int
	v     *loop.Var
	// fixed says that v has one value while an interval executes: a parameter, a
	// variable of a host loop, an Origin or the variable of a Walk.
	fixed bool
	// low and high are forms at or below, at or above every value that v has where
	// something is executed; none where nothing is known.
	low, high []loop.Linear
	// Of a variable that is not fixed: every value differs from base by a multiple
	// of stride.
	base   loop.Linear
	stride int64
	// shape says how the values are known to be executed, for exactness.
	shape *shape
}

// shape gives the values of a variable exactly: first, first+step, ... as far as
// every form of last allows, the same for all threads of a tile.
type shape struct {
	first loop.Linear
	step  int64
	last  []loop.Linear
}

func (s *scope) with(n scope) *scope {
	n.outer = s
	if s != nil {
		n.depth = s.depth + 1
	}
	return &n
}

func (s *scope) find(v *loop.Var) *scope {
	for ; s != nil; s = s.outer {
		if s.v == v {
			return s
		}
	}
	return nil
}

// last is the innermost variable of l that can be replaced, nil where none is.
func (s *scope) last(l loop.Linear, keepFixed bool) *scope {
	var out *scope
	for _, t := range l.Terms {
		if n := s.find(t.Var); n != nil && !(keepFixed && n.fixed) && (out == nil || n.depth > out.depth) {
			out = n
		}
	}
	return out
}

// maxForms bounds the forms that are kept as bounds of one subscript; dropping
// one makes a bound coarser, never wrong.
const maxForms = 8

// bounds gives forms at or above (upper) or at or below l wherever it is evaluated,
// in fixed variables alone.
func (s *scope) bounds(l loop.Linear, upper bool) []loop.Linear {
	var out []loop.Linear
	s.replace(l, upper, true, func(f loop.Linear) { out = appendForm(out, f) })
	return out
}

// extreme is the greatest (upper) or least value that is provably not exceeded by
// l, or false where there is none.
func (s *scope) extreme(l loop.Linear, upper bool) (int64, bool) {
	if len(l.Terms) == 0 {
		return l.Const, true
	}
	best, ok := int64(0), false
	s.replace(l, upper, false, func(f loop.Linear) {
		if len(f.Terms) == 0 && (!ok || upper == (f.Const < best)) {
			best, ok = f.Const, true
		}
	})
	return best, ok
}

// replace calls out with each form that putting bounds in place of variables
// gives, innermost variables first.
func (s *scope) replace(l loop.Linear, upper, keepFixed bool, out func(loop.Linear)) {
	n := s.last(l, keepFixed)
	if n == nil {
		out(l)
		return
	}
	forms := n.low
	if (l.Coef(n.v) > 0) == upper {
		forms = n.high
	}
	for _, f := range forms {
		if m, ok := l.Replace(n.v, f); ok {
			s.replace(m, upper, keepFixed, out)
		}
	}
}

// atMost reports whether a <= b is proven.
func (s *scope) atMost(a, b loop.Linear) bool {
	d, ok := minus(a, b)
	if !ok {
		return false
	}
	m, ok := s.extreme(d, true)
	return ok && m <= 0
}

// lattice gives the base and the stride of l's values, the base in fixed
// variables: l is base plus a multiple of stride. Stride 0: l is fixed.
func (s *scope) lattice(l loop.Linear) (loop.Linear, int64, bool) {
	stride := int64(0)
	for {
		n := s.last(l, true)
		if n == nil {
			return l, stride, true
		}
		c, ok := (loop.Linear{Const: n.stride}).Scale(l.Coef(n.v))
		if !ok {
			return l, 0, false
		}
		stride = gcd(stride, c.Const)
		if l, ok = l.Replace(n.v, n.base); !ok {
			return l, 0, false
		}
	}
}

// isFixed reports whether l names fixed variables alone.
func (s *scope) isFixed(l loop.Linear) bool {
	for _, t := range l.Terms {
		if n := s.find(t.Var); n == nil || !n.fixed {
			return false
		}
	}
	return true
}

func appendForm(list []loop.Linear, f loop.Linear) []loop.Linear {
	if len(list) >= maxForms || contains(list, f) {
		return list
	}
	return append(list, f)
}

func contains(list []loop.Linear, f loop.Linear) bool {
	for _, g := range list {
		if g.Equal(f) {
			return true
		}
	}
	return false
}

func minus(a, b loop.Linear) (loop.Linear, bool) {
	if slices.Equal(a.Terms, b.Terms) && abs(a.Const) < tooMuch && abs(b.Const) < tooMuch {
		return loop.Linear{Const: a.Const - b.Const}, true // most questions; no allocation
	}
	b, ok := b.Scale(-1)
	if !ok {
		return b, false
	}
	return a.Add(b)
}

func plus(a loop.Linear, k int64) (loop.Linear, bool) { return a.Add(loop.Linear{Const: k}) }

func gcd(a, b int64) int64 {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// floorDiv and ceilDiv are a/b rounded down and up, b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }
