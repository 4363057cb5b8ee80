package scheme

import (
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// dim is one loop of the SIMT iteration space.
type dim struct {
	tile.Dim
	width int64 // iterations of a tile
	lo    loop.Expr
	// dist is the distance that the loop covers: for a step of one, the number
	// of iterations where it is positive.
	dist  loop.Expr
	trips int64 // iterations, -1 where they are not constant
	most  int64 // a number of iterations that is not exceeded
	coord loop.Linear
	left  loop.Expr // iterations from the tile's first on, nil where every tile is full
}

// step is the distance of two iterations, as a positive number.
func (d *dim) step() int64 { return max(d.Loop.Step, -d.Loop.Step) }

// iterations is the number of iterations divided by n and rounded up.
func (d *dim) iterations(b builder, n int64) loop.Expr {
	if d.trips >= 0 {
		return b.lit(ceilDiv(d.trips, n))
	}
	// The division truncates, and the distance may be negative.
	some := b.add(b.div(b.sub(d.dist, b.lit(1)), b.lit(n*d.step())), b.lit(1))
	return &loop.Cond{At: b.at, If: b.op(loop.Gt, d.dist, b.lit(0)), Then: some, Else: b.to(some.Type(), b.lit(0))}
}

// extent measures a loop of the SIMT space.
func (g *gen) extent(l *loop.For, e *env) dim {
	d := dim{Dim: tile.Dim{Loop: l}, trips: -1, most: math.MaxInt32}
	d.lo = g.expr(l.Lo, e)
	from, to := l.Lo, l.Hi
	if l.Step < 0 {
		from, to = to, from
	}
	more := int64(0)
	if l.Cmp == loop.Le || l.Cmp == loop.Ge {
		more = 1
	}
	a, ok := loop.Affine(from)
	b, ok2 := loop.Affine(to)
	if !ok || !ok2 {
		d.dist = g.add(g.sub(g.expr(to, e), g.expr(from, e)), g.lit(more))
		return d
	}
	dist := g.minus(g.form(b, e), g.form(a, e))
	dist.Const += more
	if len(dist.Terms) == 0 {
		d.trips = max(ceilDiv(dist.Const, d.step()), 0)
		d.most = d.trips
	} else if m := g.most(dist); m < math.MaxInt32 {
		d.most = max(ceilDiv(m, d.step()), 0)
	}
	d.dist = g.linear(dist)
	return d
}

// space measures the SIMT loops of the plan, or of the kernel itself for Base.
func (g *gen) space(e *env, planned bool) []dim {
	var dims []dim
	l := g.k.Loop
	for n := range g.k.Collapse {
		d := g.extent(l, e)
		if planned {
			if n >= len(g.plan.Dims) || g.plan.Dims[n].Loop != l {
				g.fail(l.At, "the plan's loops are not those of the kernel")
				return nil
			}
			d.Dim = g.plan.Dims[n]
			if d.Threads < 1 || d.Per < 1 || d.Threads > math.MaxInt32/d.Per {
				g.fail(l.At, "tile of %d times %d iterations of %s", d.Threads, d.Per, l.Var.Name)
				return nil
			}
			d.width = d.Threads * d.Per
		}
		dims = append(dims, d)
		if n+1 < g.k.Collapse {
			l = loop.OnlyFor(l.Body)
			if l == nil {
				g.fail(g.k.At, "collapse(%d) of a nest that is not perfect", g.k.Collapse)
				return nil
			}
		}
	}
	return dims
}

// split emits the numbers of an item in each dimension of a space, of which the
// last one runs fastest: names says what to call them, counts how many there are
// in each dimension (that of the first is not needed).
func (g *gen) split(item loop.Expr, names []string, counts []loop.Expr) []loop.Expr {
	out := make([]loop.Expr, len(counts))
	rest := item
	for n := len(counts) - 1; n > 0; n-- {
		if c, ok := constant(counts[n]); ok && c <= 1 {
			out[n] = g.lit(0)
			continue
		}
		out[n] = g.ref(g.let(names[n], g.rem(rest, counts[n])))
		if n > 1 || !isOne(counts[0]) {
			rest = g.div(rest, counts[n])
		} else {
			rest = g.lit(0)
		}
	}
	out[0] = rest
	if _, plain := rest.(*loop.Binary); plain {
		out[0] = g.ref(g.let(names[0], rest))
	}
	return out
}

func isOne(e loop.Expr) bool {
	c, ok := constant(e)
	return ok && c == 1
}

// product multiplies the numbers of items in several dimensions, none of which
// exceeds its most. It is a Long where the product and room more need not be an Int.
func (g *gen) product(at loop.Pos, counts []loop.Expr, most []int64, room int64) loop.Expr {
	limit, fits := int64(math.MaxInt32)-room, true
	bound := int64(1)
	for _, m := range most {
		// Items without number in one dimension may be none in another.
		m = max(m, 1)
		if fits = fits && bound <= limit/m; fits {
			bound *= m
		}
	}
	total := g.lit(1)
	for _, c := range counts {
		if !fits && len(counts) > 1 {
			c = g.to(loop.Long, c)
		}
		total = g.mul(total, c)
	}
	if c, ok := constant(total); ok && c > limit {
		g.fail(at, "iteration space of 2^31 iterations or more")
	}
	return total
}

// coordinates emits each thread's coordinates in a tile.
func (g *gen) coordinates(dims []dim) {
	names, counts := make([]string, len(dims)), make([]loop.Expr, len(dims))
	all := int64(1)
	for n, d := range dims {
		names[n], counts[n] = "t"+d.Loop.Var.Name, g.lit(d.Threads)
		all *= d.Threads
	}
	if all != g.kern.Threads {
		g.fail(g.k.At, "the plan's tile is for %d threads, the kernel for %d", all, g.kern.Threads)
		return
	}
	for n, c := range g.split(g.ref(g.kern.ThreadIdx), names, counts) {
		if r, ok := c.(*loop.Ref); ok {
			dims[n].coord = loop.Of(r.Var)
			g.known[r.Var] = interval{0, dims[n].Threads - 1}
		}
	}
}

// tiles emits the loop over the team's tiles around what body emits.
func (g *gen) tiles(dims []dim, e *env, body func()) {
	names, counts, most := make([]string, len(dims)), make([]loop.Expr, len(dims)), make([]int64, len(dims))
	for n := range dims {
		d := &dims[n]
		v := d.Loop.Var
		most[n] = ceilDiv(d.most, d.width)
		names[n] = v.Name + "_block"
		counts[n] = g.iterations(d, names[n]+"s", d.width)
		if d.trips < 0 {
			d.dist = g.iterations(d, v.Name+"_trips", 1)
		}
		if lo, ok := constant(d.lo); ok && d.trips >= 0 {
			// One tile beyond the end, in either direction.
			far := (ceilDiv(d.trips, d.width)*d.width + d.width) * d.step()
			if v.Type == loop.Int && (lo > math.MaxInt32-far || lo < math.MinInt32+far) {
				g.fail(d.Loop.At, "%s leaves the range of int in the last tile", v.Name)
				return
			}
		}
	}
	total := g.product(g.k.Loop.At, counts, most, g.kern.Teams)
	if _, ok := constant(total); !ok && len(dims) > 1 {
		total = g.ref(g.let("tiles", total))
	}
	g.count("tile", g.ref(g.kern.TeamIdx), total, g.kern.Teams, func(t *loop.Var) {
		number := g.ref(t)
		if isOne(total) {
			number = g.lit(0)
		}
		for n, c := range g.split(number, names, counts) {
			g.origin(&dims[n], c, e)
		}
		body()
	})
}

// iterations gives d.iterations, in a local where it is no constant.
func (g *gen) iterations(d *dim, name string, n int64) loop.Expr {
	x := d.iterations(g.builder, n)
	if _, ok := constant(x); ok {
		return x
	}
	return g.ref(g.let(name, x))
}

// origin emits where tile number t of a dimension begins, what is left from there
// on, and, where a thread executes one iteration of it, the loop's variable and
// whether it is in range.
func (g *gen) origin(d *dim, t loop.Expr, e *env) {
	v, at := d.Loop.Var, g.at
	g.at = d.Loop.At
	first := g.to(v.Type, g.add(d.lo, g.mul(g.lit(d.width*d.Loop.Step), t)))
	o := g.let(d.Origin.Name, first)
	e.vars[d.Origin] = o
	if n, ok := constant(first); ok {
		e.fixed[d.Origin] = n
	}
	if lo, ok := constant(d.lo); ok && d.trips > 0 {
		far := lo + d.Loop.Step*d.width*((d.trips-1)/d.width)
		g.known[o] = interval{min(lo, far), max(lo, far)}
	}
	d.left = nil
	if d.width > 1 && (d.trips < 0 || d.trips%d.width != 0) {
		trips := d.dist
		if d.trips >= 0 {
			trips = g.lit(d.trips)
		}
		d.left = g.sub(trips, g.mul(g.lit(d.width), t))
		if _, ok := constant(d.left); !ok {
			left := g.let(v.Name+"_left", d.left)
			d.left = g.ref(left)
			if d.Per > 1 {
				g.assign(d.left, g.pick(loop.Lt, d.left, g.lit(d.width)))
			}
		}
	}
	if d.Per == 1 {
		g.iteration(d, d.coord, e)
		if d.left != nil {
			e.live = g.both(e.live, g.op(loop.Lt, g.linear(d.coord), d.left))
		}
	}
	g.at = at
}

// iteration emits the loop's variable at iteration n of the tile.
func (g *gen) iteration(d *dim, n loop.Linear, e *env) {
	v, o := d.Loop.Var, g.form(loop.Of(d.Origin), e)
	at, ok := n.Scale(d.Loop.Step)
	if ok {
		at, ok = at.Add(o)
	}
	if !ok {
		g.fail(d.Loop.At, "subscript out of the range of 64 bits")
		return
	}
	if len(n.Terms) == 0 && n.Const == 0 {
		e.vars[v] = e.vars[d.Origin]
	} else {
		e.vars[v] = g.let(v.Name, g.to(v.Type, g.linear(at)))
	}
	e.lin[v] = at
}

// spread emits what body emits once for every iteration of the tile that the
// thread executes.
func (g *gen) spread(dims []dim, e *env, body func(e *env)) {
	i := slices.IndexFunc(dims, func(d dim) bool { return d.Per > 1 })
	if i < 0 {
		g.when(e.live, func() { body(e) })
		return
	}
	d := dims[i]
	end := g.lit(d.width)
	if d.left != nil {
		end = d.left
	}
	g.when(e.live, func() {
		e := e.child()
		e.live = nil
		g.count(d.Loop.Var.Name+"_n", g.linear(d.coord), end, d.Threads, func(n *loop.Var) {
			g.known[n] = interval{0, d.width - 1}
			g.iteration(&d, loop.Of(n), e)
			g.spread(dims[i+1:], e, body)
		})
	})
}
