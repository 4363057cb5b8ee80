package scheme

import (
	"math"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// box is a box of the plan in terms of the kernel's variables, its steps positive.
type box struct {
	*tile.Box
	at     loop.Pos
	dims   []boxDim
	kept   []int // the dimensions of shared: those of more than one element, or the last
	shared *loop.Array
	mask   *loop.Array // nil where no stores have to be marked
	level  int         // how many boxes have to be there before it, one after the other
}

// boxDim is a dimension: the elements lo + step*q, 0 <= q < count, of which those
// below a form of begin or above one of end do not count.
type boxDim struct {
	lo          loop.Linear
	step, count int64
	begin, end  []loop.Linear
}

// boxesOf makes the boxes of an interval and their arrays in the scratchpad.
func (g *gen) boxesOf(n *tile.Interval, e *env) []*box {
	var out []*box
	made := make(map[*tile.Box]*box)
	for _, s := range n.Boxes {
		b := &box{Box: s, at: g.at}
		if len(s.Refs) > 0 {
			b.at = s.Refs[0].At
		}
		g.at = b.at
		if len(s.Dims) != len(s.Array.Extents) || len(s.Dims) == 0 {
			g.fail(b.at, "the plan's box of %s has %d dimensions", s.Array.Name, len(s.Dims))
			return nil
		}
		var extents []int64
		for d, x := range s.Dims {
			b.dims = append(b.dims, g.boxDim(x, e))
			if x.Count > 1 || d == len(s.Dims)-1 && len(b.kept) == 0 {
				b.kept = append(b.kept, d)
				extents = append(extents, x.Count)
			}
			if x.Count < 1 || x.Count > 1 && x.Step == 0 {
				g.fail(b.at, "the plan's box of %s has %d elements of stride %d", s.Array.Name, x.Count, x.Step)
				return nil
			}
		}
		b.shared = g.shared("s"+plainName(s.Array.Name), s.Array.Elem, s.Offset, extents...)
		if s.Written && !s.Exact && s.Mask < 0 {
			g.fail(b.at, "the plan marks no stores to %s, not all of whose elements are written", s.Array.Name)
		}
		for _, a := range s.After {
			o := made[a]
			if o == nil || o.Array != s.Array || s.Written || o.Written || !o.Read {
				g.fail(b.at, "the plan takes elements of %s from a box that does not hold them", s.Array.Name)
				return nil
			}
			b.level = max(b.level, o.level+1)
		}
		made[s] = b
		out = append(out, b)
	}
	return out
}

// verifySpace fails where two arrays of an interval share memory or one leaves the
// scratchpad.
func (g *gen) verifySpace(boxes []*box) {
	type extent struct {
		from, to int64
		name     string
	}
	var used []extent
	add := func(b *box, a *loop.Array, offset int64) {
		n := a.Elem.Size()
		aligned := offset >= 0 && offset%n == 0
		for _, d := range b.kept {
			if n > g.plan.SPMBytes {
				break
			}
			n *= b.dims[d].count
		}
		if !aligned || n > g.plan.SPMBytes || offset > g.plan.SPMBytes-n {
			g.fail(b.at, "the plan places %s at byte %d of a scratchpad of %d", a.Name, offset, g.plan.SPMBytes)
			return
		}
		for _, u := range used {
			if offset < u.to && u.from < offset+n {
				g.fail(b.at, "the plan places %s on %s", a.Name, u.name)
			}
		}
		used = append(used, extent{offset, offset + n, a.Name})
	}
	for _, b := range boxes {
		add(b, b.shared, b.Offset)
		if b.mask != nil {
			add(b, b.mask, b.Mask)
		}
	}
}

// plainName is the name of a member array without its dot.
func plainName(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c == '.' {
			out[i] = '_'
		}
	}
	return string(out)
}

func (g *gen) boxDim(x tile.BoxDim, e *env) boxDim {
	d := boxDim{lo: g.uniform(x.Lo, e), step: x.Step, count: x.Count}
	if x.Count == 1 {
		d.step = 1
	}
	if d.step < 0 {
		last, ok := loop.Linear{Const: x.Step}.Scale(x.Count - 1)
		if ok {
			d.lo, ok = d.lo.Add(last)
		}
		if !ok {
			g.fail(g.at, "subscript out of the range of 64 bits")
		}
		d.step = -x.Step
	}
	for _, l := range x.Begin {
		d.begin = append(d.begin, g.uniform(l, e))
	}
	for _, l := range x.End {
		d.end = append(d.end, g.uniform(l, e))
	}
	return d
}

// boxOf is the box of an access that is stored to or loaded, nil after a failure.
func (g *gen) boxOf(x *loop.Index, stored bool, e *env) *box {
	b := e.boxes[x]
	switch {
	case b == nil:
		g.fail(x.At, "the plan has no box for the access %s", loop.ExprText(x))
		return nil
	case b.Array != x.Array:
		g.fail(x.At, "the plan puts an access of %s into a box of %s", x.Array.Name, b.Array.Name)
		return nil
	case stored && !b.Written:
		g.fail(x.At, "the plan does not store %s, which is written", loop.ExprText(x))
	case !stored && !b.Read:
		g.fail(x.At, "the plan does not load %s, which is read", loop.ExprText(x))
	}
	return b
}

// place is where in its box an access lies: an exact quotient in each dimension.
func (g *gen) place(b *box, x *loop.Index, e *env) []loop.Linear {
	out := make([]loop.Linear, len(x.Subs))
	for d, s := range x.Subs {
		l, ok := loop.Affine(s)
		if !ok {
			g.fail(x.At, "subscript %d of %s is not affine", d, loop.ExprText(x))
			return out
		}
		dim := b.dims[d]
		out[d], ok = quotient(g.minus(g.form(l, e), dim.lo), dim.step)
		if !ok {
			g.fail(x.At, "subscript %d of %s is no multiple of %d from the start of its box", d, loop.ExprText(x), dim.step)
			return out
		}
	}
	return out
}

// quotient is l/k where k divides every number of l.
func quotient(l loop.Linear, k int64) (loop.Linear, bool) {
	if l.Const%k != 0 {
		return loop.Linear{}, false
	}
	out := loop.Linear{Const: l.Const / k}
	for _, t := range l.Terms {
		if t.Coef%k != 0 {
			return loop.Linear{}, false
		}
		out.Terms = append(out.Terms, loop.Term{Var: t.Var, Coef: t.Coef / k})
	}
	return out, true
}

// element is the element of one of b's arrays in the scratchpad at place q.
func (b *box) element(at builder, a *loop.Array, q []loop.Linear) *loop.Index {
	out := &loop.Index{At: at.at, Array: a}
	for _, d := range b.kept {
		out.Subs = append(out.Subs, at.linear(q[d]))
	}
	return out
}

// source is the element of global memory at place q.
func (g *gen) source(b *box, q []loop.Linear) *loop.Index {
	out := &loop.Index{At: g.at, Array: b.Array}
	for d, x := range b.dims {
		l, ok := q[d].Scale(x.step)
		if ok {
			l, ok = l.Add(x.lo)
		}
		if !ok {
			g.fail(g.at, "subscript out of the range of 64 bits")
		}
		out.Subs = append(out.Subs, g.linear(l))
	}
	return out
}

// span is the range of places that count in one dimension, first included and
// end excluded. The box is empty where end is not above first.
type span struct{ first, end loop.Expr }

// spans emits the ranges of a box's dimensions.
func (g *gen) spans(b *box) []span {
	g.at = b.at
	out := make([]span, len(b.dims))
	for n, d := range b.dims {
		first, end := int64(0), d.count
		var firsts, ends []loop.Expr
		for _, l := range d.begin {
			l = g.minus(l, d.lo)
			switch {
			case len(l.Terms) == 0:
				first = max(first, ceilDiv(l.Const, d.step))
			case g.most(l) > 0:
				firsts = append(firsts, g.ceil(l, d.step))
			}
		}
		for _, l := range d.end {
			l = g.minus(l, d.lo)
			l.Const++
			switch low := g.least(l); {
			case len(l.Terms) == 0:
				end = min(end, ceilDiv(l.Const, d.step))
			case low == math.MinInt64 || ceilDiv(low, d.step) < d.count:
				ends = append(ends, g.ceil(l, d.step))
			}
		}
		name := b.shared.Name + placeNames(len(b.dims))[n]
		out[n] = span{g.fold(loop.Gt, name+"_lo", first, firsts), g.fold(loop.Lt, name+"_hi", end, ends)}
	}
	return out
}

// fold emits the greatest (Gt) or least (Lt) of a constant and other values, once
// a phase.
func (g *gen) fold(op loop.Op, name string, c int64, list []loop.Expr) loop.Expr {
	if len(list) == 0 {
		return g.lit(c)
	}
	t := loop.Int
	for _, x := range list {
		t = loop.Common(t, x.Type())
	}
	key := op.String() + " " + loop.ExprText(g.to(t, g.lit(c)))
	for _, x := range list {
		key += " " + loop.ExprText(x)
	}
	if v := g.limits[key]; v != nil {
		return g.ref(v)
	}
	v := g.let(name, g.to(t, g.lit(c)))
	for _, x := range list {
		g.assign(g.ref(v), g.pick(op, g.to(t, x), g.ref(v)))
	}
	g.limits[key] = v
	return g.ref(v)
}

// once emits a local that holds x, once a phase.
func (g *gen) once(name string, x loop.Expr) loop.Expr {
	key := loop.ExprText(x)
	if g.limits[key] == nil {
		g.limits[key] = g.let(name, x)
	}
	return g.ref(g.limits[key])
}

// ceil is l/k rounded up, and a number below one where l is negative and k does
// not divide its variables' coefficients.
func (g *gen) ceil(l loop.Linear, k int64) loop.Expr {
	vars := loop.Linear{Terms: l.Terms}
	if q, ok := quotient(vars, k); ok {
		q.Const = ceilDiv(l.Const, k)
		return g.linear(q)
	}
	// C's division truncates, which rounds negative numbers up.
	return g.div(g.add(g.linear(l), g.lit(k-1)), g.lit(k))
}

// placeNames are the names of the places in a box of rank dimensions.
func placeNames(rank int) []string {
	switch rank {
	case 1:
		return []string{"_n"}
	case 2:
		return []string{"_row", "_col"}
	case 3:
		return []string{"_plane", "_row", "_col"}
	}
	names := make([]string, rank)
	for i := range names {
		names[i] = "_" + string(rune('a'+i%26))
	}
	return names
}
