package scheme

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// decideMarks gives the boxes whose stores have to be marked their marks: by
// SoftDMA all that may be written in part, by stripping those that are stored
// under a condition that the store phase cannot evaluate.
func (g *gen) decideMarks(n *tile.Interval, boxes []*box) {
	blind := make(map[*loop.Index]bool)
	if g.scheme == device.DAE {
		blind = g.blindStores(n.Stmts)
	}
	for _, b := range boxes {
		if !b.Written {
			continue
		}
		need := !b.Exact
		if g.scheme == device.DAE {
			need = need && slices.ContainsFunc(b.Refs, func(x *loop.Index) bool { return blind[x] })
		}
		if !need {
			continue
		}
		if b.Mask < 0 {
			g.fail(b.at, "the plan marks no stores to %s, some of which depend on data", b.Array.Name)
			return
		}
		g.at = b.at
		var extents []int64
		for _, d := range b.kept {
			extents = append(extents, b.dims[d].count)
		}
		b.mask = g.shared(b.shared.Name+"_set", loop.Int, b.Mask, extents...)
	}
}

// load emits the load phase: what is read comes into the scratchpad, and no store
// is marked.
func (g *gen) load(n *tile.Interval, boxes []*box, dims []dim, e *env, origin *loop.Var) {
	if g.scheme != device.DAE {
		g.copyIn(boxes)
		return
	}
	g.strip(n, dims, e, origin, false)
	for _, b := range boxes {
		if b.mask != nil {
			g.eachElement(b, g.spans(b), func(q []loop.Linear) { g.clearMark(b, q) })
		}
	}
}

// store emits the store phase: what is written, and only that, goes to memory.
func (g *gen) store(n *tile.Interval, boxes []*box, dims []dim, e *env, origin *loop.Var) {
	if g.scheme == device.DAE {
		g.strip(n, dims, e, origin, true)
		return
	}
	for _, b := range boxes {
		if !b.Written {
			continue
		}
		g.eachElement(b, g.spans(b), func(q []loop.Linear) {
			var set loop.Expr
			if b.mask != nil {
				set = b.element(g.builder, b.mask, q)
			}
			g.when(set, func() { g.assign(g.source(b, q), b.element(g.builder, b.shared, q)) })
		})
	}
}

func (g *gen) clearMark(b *box, q []loop.Linear) {
	g.assign(b.element(g.builder, b.mask, q), g.lit(0))
}

// copyIn emits Algorithm 3's loads. Elements that an earlier box of the array
// holds are copied from there, once that box is complete.
func (g *gen) copyIn(boxes []*box) {
	ranges := make(map[*tile.Box][]span)
	made := make(map[*tile.Box]*box)
	levels := 0
	for _, b := range boxes {
		made[b.Box] = b
		if b.Read || b.mask != nil {
			ranges[b.Box] = g.spans(b)
			levels = max(levels, b.level)
		}
	}
	for _, b := range boxes {
		if !b.Read && b.mask == nil {
			continue
		}
		g.at = b.at
		g.eachElement(b, ranges[b.Box], func(q []loop.Linear) {
			if b.mask != nil {
				g.clearMark(b, q)
			}
			if !b.Read {
				return
			}
			var held loop.Expr
			for _, a := range b.After {
				in, _, never := g.held(b, q, made[a], ranges[a])
				switch {
				case never:
				case in == nil: // all of them
					return
				case held == nil:
					held = in
				default:
					held = g.op(loop.LOr, held, in)
				}
			}
			if held != nil {
				held = &loop.Unary{At: g.at, Op: loop.Not, X: held}
			}
			g.when(held, func() { g.assign(b.element(g.builder, b.shared, q), g.source(b, q)) })
		})
	}
	for level := 1; level <= levels; level++ {
		first := true
		for _, b := range boxes {
			if b.level != level {
				continue
			}
			g.at = b.at
			if first {
				g.barrier()
				first = false
			}
			g.eachElement(b, ranges[b.Box], func(q []loop.Linear) { g.takeOver(b, q, b.After, made, ranges) })
		}
	}
}

// takeOver emits the copy of an element from the first of the boxes that holds it.
func (g *gen) takeOver(b *box, q []loop.Linear, from []*tile.Box, made map[*tile.Box]*box, ranges map[*tile.Box][]span) {
	for i, s := range from {
		a := made[s]
		in, place, never := g.held(b, q, a, ranges[s])
		if never {
			continue
		}
		x := &loop.Index{At: g.at, Array: a.shared}
		for _, d := range a.kept {
			x.Subs = append(x.Subs, place[d])
		}
		copyIt := func() { g.assign(b.element(g.builder, b.shared, q), x) }
		if in == nil {
			copyIt()
			return
		}
		then := g.block(copyIt)
		els := g.block(func() { g.takeOver(b, q, from[i+1:], made, ranges) })
		g.emit(&device.If{At: g.at, Cond: in, Then: then, Else: els})
		return
	}
}

// held says where box a holds place q of box b: the condition that it does (nil
// where it always does), the place in a, and whether it never does.
func (g *gen) held(b *box, q []loop.Linear, a *box, ranges []span) (cond loop.Expr, place []loop.Expr, never bool) {
	place = make([]loop.Expr, len(q))
	for d, x := range b.dims {
		l, ok := q[d].Scale(x.step)
		if ok {
			l, ok = l.Add(x.lo)
		}
		if !ok {
			g.fail(g.at, "subscript out of the range of 64 bits")
			return nil, place, true
		}
		y := a.dims[d]
		l = g.minus(l, y.lo)
		in := ranges[d]
		if n, ok := quotient(l, y.step); ok {
			place[d] = g.linear(n)
			cond = g.both(cond, g.inRange(n, in))
			continue
		}
		if _, ok := quotient(loop.Linear{Terms: l.Terms}, y.step); ok {
			return nil, place, true // another residue throughout
		}
		far := g.linear(l)
		place[d] = g.div(far, g.lit(y.step))
		on := g.op(loop.Eq, g.rem(far, g.lit(y.step)), g.lit(0))
		cond = g.both(cond, g.both(on, g.both(g.op(loop.Ge, place[d], in.first), g.op(loop.Lt, place[d], in.end))))
	}
	return cond, place, false
}

// inRange is the condition that a place lies in a range, nil where it always does.
func (g *gen) inRange(n loop.Linear, s span) loop.Expr {
	var cond loop.Expr
	if c, ok := constant(s.first); !ok || g.least(n) < c {
		cond = g.op(loop.Ge, g.linear(n), s.first)
	}
	if c, ok := constant(s.end); !ok || g.most(n) >= c {
		cond = g.both(cond, g.op(loop.Lt, g.linear(n), s.end))
	}
	return cond
}

// eachElement emits Algorithm 3's loops over the places of a box around what body
// emits: the last dimension is spread over the threads, the others are sequential
// loops. Dimensions of one element need no loop, so that the last one of several
// elements is spread.
func (g *gen) eachElement(b *box, ranges []span, body func(q []loop.Linear)) {
	g.at = b.at
	thread := g.ref(g.kern.ThreadIdx)
	var cond loop.Expr
	starts, steps := make([]loop.Expr, len(b.dims)), make([]int64, len(b.dims))
	for d, x := range b.dims {
		starts[d], steps[d] = ranges[d].first, 1
		if x.count == 1 {
			cond = g.both(cond, g.inRange(loop.Linear{}, ranges[d]))
		}
	}
	last := b.kept[len(b.kept)-1]
	lanes := g.lanes(b)
	switch {
	case b.dims[last].count == 1:
		cond = g.both(g.op(loop.Eq, thread, g.lit(0)), cond)
	case lanes < g.kern.Threads:
		row := b.kept[len(b.kept)-2]
		steps[row], steps[last] = g.kern.Threads/lanes, lanes
		starts[row] = g.add(g.once("line", g.div(thread, g.lit(lanes))), starts[row])
		starts[last] = g.add(g.once("lane", g.rem(thread, g.lit(lanes))), starts[last])
	default:
		steps[last] = g.kern.Threads
		starts[last] = g.add(thread, starts[last])
	}
	q := make([]loop.Linear, len(b.dims))
	names := placeNames(len(b.dims))
	var nest func(d int)
	nest = func(d int) {
		switch {
		case d == len(b.dims):
			body(q)
		case b.dims[d].count == 1:
			nest(d + 1)
		default:
			g.count(names[d][1:], starts[d], ranges[d].end, steps[d], func(v *loop.Var) {
				g.known[v] = interval{0, b.dims[d].count - 1}
				q[d] = loop.Of(v)
				nest(d + 1)
			})
		}
	}
	g.when(cond, func() { nest(0) })
}

// lanes is how many threads copy a row: all, or with Options.Pack the least
// divisor of their number that is not below the elements of a row.
func (g *gen) lanes(b *box) int64 {
	if !g.opt.Pack || len(b.kept) < 2 {
		return g.kern.Threads
	}
	n := b.dims[b.kept[len(b.kept)-1]].count
	for n < g.kern.Threads && g.kern.Threads%n != 0 {
		n++
	}
	return min(n, g.kern.Threads)
}
