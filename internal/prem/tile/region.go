package tile

import (
	"math"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// tooMuch stands for numbers of bytes and elements beyond every scratchpad.
const tooMuch = math.MaxInt64 / 64

func times(a, b int64) int64 {
	if a >= tooMuch || b >= tooMuch || a > 0 && b > tooMuch/a {
		return tooMuch
	}
	return a * b
}

// extent is what a subscript certainly lies in: one form each.
type extent struct{ low, high []loop.Linear }

// extents are those of the array's dimensions, a missing first one taken from the
// kernel's map clause; or nil and the expression that is not affine, if there is one.
func extents(k *loop.Nest, a *loop.Array) ([]extent, loop.Expr) {
	out := make([]extent, len(a.Extents))
	for d, length := range a.Extents {
		low := loop.Linear{}
		if length == nil {
			for _, m := range k.Maps {
				if m.Array == a && len(m.Sections) > 0 {
					var ok bool
					if low, ok = constantOrAffine(m.Sections[0].Lo); !ok {
						return nil, m.Sections[0].Lo
					}
					length = m.Sections[0].Len
				}
			}
		}
		if length == nil {
			return nil, nil
		}
		n, ok := constantOrAffine(length)
		if ok {
			n, ok = n.Add(low)
		}
		if ok {
			n, ok = plus(n, -1)
		}
		if !ok {
			return nil, length
		}
		out[d] = extent{[]loop.Linear{low}, []loop.Linear{n}}
	}
	return out, nil
}

// constantOrAffine is loop.Affine, which refuses unsigned constants, too.
func constantOrAffine(e loop.Expr) (loop.Linear, bool) {
	if l, ok := e.(*loop.IntLit); ok && l.Value >= 0 {
		return loop.Linear{Const: l.Value}, true
	}
	return loop.Affine(e)
}

// side is one dimension of a region: bounds that hold for every access, and the
// lattice that the subscripts lie on. Stride 0: they are all base.
type side struct {
	base      loop.Linear
	stride    int64
	low, high []loop.Linear
}

// region is the set of elements that some accesses of an interval touch, as a box.
type region struct {
	array         *loop.Array
	sides         []side
	accesses      []access
	read, written bool
	forced        *conflict // why accesses were merged that did not have to be
	// The box that holds the region; sized is whether it has a static size.
	dims  []BoxDim
	sized bool
	exact bool
	elems int64
	cost  int64 // bytes with marks
}

// single is the region of one access.
func single(a access) (*region, bool) {
	r := &region{array: a.ref.Array, accesses: []access{a}, read: !a.write, written: a.write}
	for _, f := range a.subs {
		var d side
		var ok bool
		if d.base, d.stride, ok = a.scope.lattice(f); !ok {
			return nil, false
		}
		d.low, d.high = a.scope.bounds(f, false), a.scope.bounds(f, true)
		r.sides = append(r.sides, d)
	}
	return r, true
}

// fit chooses the smallest box around r.
func (p *planner) fit(s *scope, r *region) {
	r.dims, r.sized, r.elems = make([]BoxDim, len(r.sides)), true, 1
	for d, x := range p.ext[r.array] {
		b, ok := r.sides[d].fit(s, x)
		if !ok {
			r.sized, r.elems, r.cost = false, tooMuch, tooMuch
			return
		}
		r.dims[d] = b
		r.elems = times(r.elems, b.Count)
	}
	r.exact = r.written && p.isExact(s, r)
	r.cost = times(r.elems, r.array.Elem.Size())
	if r.written && !r.exact {
		r.cost = min(r.cost+times(r.elems, loop.Int.Size()), tooMuch)
	}
}

// fit is the box's dimension with the least Count; Begin and End are unpruned.
func (d side) fit(s *scope, x extent) (BoxDim, bool) {
	best := BoxDim{Begin: append(clone(d.low), x.low...), End: append(clone(d.high), x.high...)}
	for _, lo := range best.Begin {
		step := max(d.stride, 1)
		off, ok := minus(lo, d.base)
		switch {
		case !ok || len(off.Terms) > 0:
			step = 1
		case step > 1:
			// The first point of the lattice that is not below lo.
			r := off.Const - floorDiv(off.Const, step)*step
			if r > 0 {
				if lo, ok = plus(lo, step-r); !ok {
					continue
				}
			}
		}
		for _, hi := range best.End {
			l, ok := minus(hi, lo)
			if !ok {
				continue
			}
			n, ok := s.extreme(l, true)
			if !ok || n >= tooMuch {
				continue
			}
			count := max(floorDiv(n, step)+1, 1)
			if best.Count == 0 || count < best.Count {
				best.Lo, best.Step, best.Count = lo, step, count
			}
		}
	}
	return best, best.Count > 0
}

func clone(l []loop.Linear) []loop.Linear { return append([]loop.Linear(nil), l...) }

// hull is the region around a and b.
func (p *planner) hull(s *scope, a, b *region) *region {
	r := &region{array: a.array, read: a.read || b.read, written: a.written || b.written, forced: a.forced}
	if r.forced == nil {
		r.forced = b.forced
	}
	r.accesses = append(append(r.accesses, a.accesses...), b.accesses...)
	for d := range a.sides {
		r.sides = append(r.sides, joinSides(s, a.sides[d], b.sides[d]))
	}
	p.fit(s, r)
	return r
}

func joinSides(s *scope, a, b side) side {
	out := side{base: a.base, stride: 1}
	if diff, ok := minus(a.base, b.base); ok && len(diff.Terms) == 0 {
		out.stride = gcd(gcd(a.stride, b.stride), diff.Const)
	}
	join := func(x, y []loop.Linear, upper bool) []loop.Linear {
		var forms []loop.Linear
		for _, f := range append(clone(x), y...) {
			if covers(s, f, x, upper) && covers(s, f, y, upper) {
				forms = appendForm(forms, f)
			}
		}
		if len(forms) > 0 {
			return forms
		}
		m, ok := outermost(s, x, upper)
		n, ok2 := outermost(s, y, upper)
		switch {
		case !ok || !ok2:
			return nil
		case upper:
			return []loop.Linear{{Const: max(m, n)}}
		}
		return []loop.Linear{{Const: min(m, n)}}
	}
	out.low, out.high = join(a.low, b.low, false), join(a.high, b.high, true)
	return out
}

// covers reports whether f is a bound wherever all of list are.
func covers(s *scope, f loop.Linear, list []loop.Linear, upper bool) bool {
	for _, g := range list {
		if upper && s.atMost(g, f) || !upper && s.atMost(f, g) {
			return true
		}
	}
	return false
}

// outermost is a constant that bounds what list bounds.
func outermost(s *scope, list []loop.Linear, upper bool) (int64, bool) {
	best, found := int64(0), false
	for _, f := range list {
		m, ok := s.extreme(f, upper)
		if ok && (!found || upper == (m < best)) {
			best, found = m, true
		}
	}
	return best, found
}

// apart reports whether the accesses of two regions provably share no element.
func apart(s *scope, a, b *region) bool {
	for d := range a.sides {
		x, y := a.sides[d], b.sides[d]
		if below(s, x.high, y.low) || below(s, y.high, x.low) {
			return true
		}
		diff, ok := minus(x.base, y.base)
		if g := gcd(x.stride, y.stride); ok && len(diff.Terms) == 0 && g > 1 && diff.Const%g != 0 {
			return true
		}
	}
	return false
}

// boxesApart reports whether the boxes of two regions provably share no element. A
// box may hold elements between those that its accesses touch, where that takes
// less space than to start it at one of them.
func boxesApart(s *scope, a, b *region) bool {
	for d := range a.sides {
		if x, y := a.sides[d], b.sides[d]; below(s, x.high, y.low) || below(s, y.high, x.low) {
			return true
		}
		x, y := a.dims[d], b.dims[d]
		diff, ok := minus(x.Lo, y.Lo)
		if g := gcd(x.Step, y.Step); ok && len(diff.Terms) == 0 && g > 1 && diff.Const%g != 0 {
			return true
		}
	}
	return false
}

func below(s *scope, high, low []loop.Linear) bool {
	for _, h := range high {
		if h, ok := plus(h, 1); ok {
			for _, l := range low {
				if s.atMost(h, l) {
					return true
				}
			}
		}
	}
	return false
}
