package scheme

import (
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// nodes emits what a tile executes.
func (g *gen) nodes(list []tile.Node, dims []dim, e *env) {
	used := make([]map[*loop.Var]bool, len(list))
	for i, n := range list {
		used[i] = usedIn(n)
	}
	for i, n := range list {
		for _, s := range hoistable(n) {
			for j := range list {
				if j == i || !used[j][s.Var] || e.hoisted[s.Var] {
					continue
				}
				// The statement goes under a condition of its own node; others see the local.
				g.at = s.At
				v := g.fresh(s.Var.Name, s.Var.Type, loop.Local)
				g.emit(&device.Decl{At: s.At, Var: v})
				e.vars[s.Var], e.hoisted[s.Var] = v, true
			}
		}
		switch n := n.(type) {
		case *tile.Plain:
			g.spread(dims, e, func(e *env) { g.clone(n.Stmts, e.child()) })
		case *tile.Walk:
			g.walk(n, dims, e)
		case *tile.Interval:
			g.interval(n, dims, e)
		default:
			g.fail(g.at, "the plan has a node of an unknown kind")
		}
	}
}

// hoistable are the declarations whose locals later nodes may name.
func hoistable(n tile.Node) []*loop.Decl {
	switch n := n.(type) {
	case *tile.Plain:
		return outerDecls(n.Stmts)
	case *tile.Interval:
		return outerDecls(n.Stmts)
	}
	return nil
}

func outerDecls(list []loop.Stmt) []*loop.Decl {
	var out []*loop.Decl
	for _, s := range list {
		switch s := s.(type) {
		case *loop.Decl:
			out = append(out, s)
		case *loop.Block:
			out = append(out, outerDecls(s.Body)...)
		}
	}
	return out
}

func usedIn(n tile.Node) map[*loop.Var]bool {
	used := make(map[*loop.Var]bool)
	var visit func(n tile.Node)
	stmts := func(list []loop.Stmt) {
		eachExpr(list, func(x loop.Expr) {
			loop.WalkExpr(x, func(y loop.Expr) {
				if r, ok := y.(*loop.Ref); ok {
					used[r.Var] = true
				}
			})
		})
	}
	visit = func(n tile.Node) {
		switch n := n.(type) {
		case *tile.Plain:
			stmts(n.Stmts)
		case *tile.Interval:
			stmts(n.Stmts)
		case *tile.Walk:
			for _, m := range n.Body {
				visit(m)
			}
		}
	}
	visit(n)
	return used
}

// extreme emits the least (Lt) or greatest (Gt) of a plan's forms.
func (g *gen) extreme(op loop.Op, name string, list []loop.Linear, e *env) loop.Expr {
	if len(list) == 0 {
		g.fail(g.at, "the plan gives no bound of %s", name)
		return g.lit(0)
	}
	var forms []loop.Linear
next:
	for _, l := range list {
		l = g.uniform(l, e)
		for i, f := range forms {
			if d := g.minus(l, f); len(d.Terms) == 0 {
				if (op == loop.Lt) == (d.Const < 0) {
					forms[i] = l
				}
				continue next
			}
		}
		forms = append(forms, l)
	}
	first := g.linear(forms[0])
	if len(forms) == 1 {
		return first
	}
	t := first.Type()
	for _, l := range forms[1:] {
		t = loop.Common(t, g.linear(l).Type())
	}
	v := g.let(name, g.to(t, first))
	for _, l := range forms[1:] {
		g.assign(g.ref(v), g.pick(op, g.linear(l), g.ref(v)))
	}
	return g.ref(v)
}

// bounds emits the uniform bounds of a loop: what satisfies all forms of the plan.
func (g *gen) bounds(l *loop.For, los, his []loop.Linear, e *env) (lo, hi loop.Expr) {
	low, high := loop.Gt, loop.Lt
	if l.Step < 0 {
		low, high = high, low
	}
	lo = g.extreme(low, l.Var.Name+"_first", los, e)
	hi = g.extreme(high, l.Var.Name+"_end", his, e)
	return g.to(l.Var.Type, lo), g.to(l.Var.Type, hi)
}

// same reports whether a bound of a loop is the same for all threads, namely the
// plan's single form.
func (g *gen) same(bound loop.Expr, list []loop.Linear, e *env) bool {
	l, ok := loop.Affine(bound)
	return ok && len(list) == 1 && g.form(l, e).Equal(g.uniform(list[0], e))
}

// walk emits a loop that all threads of the team take together.
func (g *gen) walk(w *tile.Walk, dims []dim, e *env) {
	l := w.Loop
	g.at = l.At
	for _, d := range dims {
		if d.Per > 1 {
			g.fail(l.At, "the plan walks %s in tiles of several iterations a thread", l.Var.Name)
			return
		}
	}
	lo, hi := g.bounds(l, w.Lo, w.Hi, e)
	sameLo := g.same(l.Lo, w.Lo, e)
	if !sameLo && l.Step != 1 && l.Step != -1 {
		g.fail(l.At, "the plan walks %s by %d from bounds that differ between threads", l.Var.Name, l.Step)
		return
	}
	var v *loop.Var
	list := g.block(func() {
		e := e.child()
		v = g.fresh(l.Var.Name, l.Var.Type, loop.Induction)
		g.runs(v, l.Cmp, lo, hi)
		e.vars[l.Var] = v
		var own loop.Expr
		if !sameLo {
			after := loop.Ge
			if l.Step < 0 {
				after = loop.Le
			}
			own = g.op(after, g.ref(v), g.expr(l.Lo, e))
		}
		if !g.same(l.Hi, w.Hi, e) {
			own = g.both(own, g.op(l.Cmp, g.ref(v), g.expr(l.Hi, e)))
		}
		if own != nil {
			e.live = g.ref(g.let("live", g.both(e.live, own)))
		}
		g.nodes(w.Body, dims, e)
	})
	g.at = l.At
	g.emit(&device.For{At: l.At, Var: v, Lo: lo, Hi: hi, Cmp: l.Cmp, Step: l.Step, Body: list})
}

// interval emits a unit of the schedule, in a loop where the plan tiles one.
func (g *gen) interval(n *tile.Interval, dims []dim, e *env) {
	if len(n.Stmts) == 0 {
		return
	}
	g.at = n.Stmts[0].Position()
	if n.Tile == nil {
		g.phases(n, dims, e, nil)
		return
	}
	t, l := n.Tile, n.Tile.Loop
	if len(n.Stmts) != 1 || n.Stmts[0] != loop.Stmt(l) || t.Count < 1 {
		g.fail(g.at, "the plan tiles %s by %d among %d statements", l.Var.Name, t.Count, len(n.Stmts))
		return
	}
	for _, d := range dims {
		if d.Per > 1 {
			g.fail(l.At, "the plan tiles %s in tiles of several iterations a thread", l.Var.Name)
			return
		}
	}
	if l.Step != 1 && l.Step != -1 && !g.same(l.Lo, t.Lo, e) {
		g.fail(l.At, "the plan tiles %s by %d from bounds that differ between threads", l.Var.Name, l.Step)
		return
	}
	width, ok := loop.Linear{Const: l.Step}.Scale(t.Count)
	if !ok || l.Var.Type == loop.Int && width.Const != int64(int32(width.Const)) {
		g.fail(l.At, "tile of %d iterations of %s", t.Count, l.Var.Name)
		return
	}
	lo, hi := g.bounds(l, t.Lo, t.Hi, e)
	var v *loop.Var
	list := g.block(func() {
		e := e.child()
		v = g.fresh(t.Origin.Name, l.Var.Type, loop.Induction)
		g.runs(v, l.Cmp, lo, hi)
		e.vars[t.Origin] = v
		g.phases(n, dims, e, v)
	})
	g.at = l.At
	g.emit(&device.For{At: l.At, Var: v, Lo: lo, Hi: hi, Cmp: l.Cmp, Step: width.Const, Body: list})
}

// phases emits an interval: what is loaded, executed and stored, or, in the
// compatible scheme, executed on memory.
func (g *gen) phases(n *tile.Interval, dims []dim, e *env, origin *loop.Var) {
	if g.scheme == device.CMPT {
		g.execute(n, dims, e, origin)
		g.sync(device.Compute)
		g.sync(device.Memory)
		return
	}
	at := g.at
	e = e.child()
	boxes := g.boxesOf(n, e)
	if g.err != nil {
		return
	}
	e.boxes = make(map[*loop.Index]*box)
	for _, b := range boxes {
		for _, x := range b.Refs {
			if e.boxes[x] != nil {
				g.fail(x.At, "the plan puts an access of %s into two boxes", x.Array.Name)
			}
			e.boxes[x] = b
		}
	}
	g.decideMarks(n, boxes)
	g.verifySpace(boxes)
	g.at = at
	g.transfer(func() { g.load(n, boxes, dims, e, origin) })
	g.at = at
	g.sync(device.Compute)
	g.execute(n, dims, e, origin)
	g.at = at
	g.sync(device.Memory)
	stores := g.transfer(func() { g.store(n, boxes, dims, e, origin) })
	g.at = at
	if stores {
		g.barrier()
	}
}

// transfer emits what f emits if an element is stored somewhere in it, and reports
// whether one is.
func (g *gen) transfer(f func()) bool {
	mark := len(g.out)
	g.limits = make(map[string]*loop.Var)
	f()
	found := false
	device.WalkStmts(g.out[mark:], func(s device.Stmt) {
		if a, ok := s.(*device.Assign); ok {
			_, element := a.LHS.(*loop.Index)
			found = found || element
		}
	})
	if !found {
		g.out = g.out[:mark]
	}
	return found
}

func (g *gen) execute(n *tile.Interval, dims []dim, e *env, origin *loop.Var) {
	at := g.at
	g.spread(dims, e, func(e *env) {
		e = e.child()
		g.share(n, e, origin, func(list []loop.Stmt) { g.clone(list, e) })
	})
	g.at = at
}

// share emits the thread's part of an interval's statements, each list of which
// body emits: those of a tiled loop in the iterations that are the interval's and
// in the thread's own bounds.
func (g *gen) share(n *tile.Interval, e *env, origin *loop.Var, body func(list []loop.Stmt)) {
	if n.Tile == nil {
		body(n.Stmts)
		return
	}
	l := n.Tile.Loop
	g.at = l.At
	start := loop.Of(origin)
	var lo loop.Expr = g.ref(origin)
	after, before := loop.Gt, loop.Lt
	if l.Step < 0 {
		after, before = before, after
	}
	if !g.same(l.Lo, n.Tile.Lo, e) {
		lo = g.ref(g.let(l.Var.Name+"_lo", g.pick(after, g.expr(l.Lo, e), lo)))
	}
	// The first iteration of the next interval, or for <= and >= the value before it.
	last := g.add(g.ref(origin), g.lit(l.Step*n.Tile.Count))
	switch l.Cmp {
	case loop.Le:
		last = g.add(g.ref(origin), g.lit(l.Step*n.Tile.Count-1))
	case loop.Ge:
		last = g.add(g.ref(origin), g.lit(l.Step*n.Tile.Count+1))
	}
	hi := last
	if !g.even(n.Tile, e) {
		hi = g.ref(g.let(l.Var.Name+"_hi", g.pick(before, g.expr(l.Hi, e), last)))
	}
	g.iterate(l, lo, hi, &start, e, func() { body(l.Body) })
}

// even reports whether every tile of a loop has all its iterations, in all threads.
func (g *gen) even(t *tile.TileLoop, e *env) bool {
	l := t.Loop
	if !g.same(l.Lo, t.Lo, e) || !g.same(l.Hi, t.Hi, e) {
		return false
	}
	dist := g.minus(g.uniform(t.Hi[0], e), g.uniform(t.Lo[0], e))
	switch l.Cmp {
	case loop.Le:
		dist.Const++
	case loop.Ge:
		dist.Const--
	}
	return len(dist.Terms) == 0 && dist.Const%(l.Step*t.Count) == 0
}
