package ptxgen

import (
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// copies reports whether statements move elements between the scratchpad and
// global memory, and do nothing else. No element is then both read and written:
// arrays do not alias, and arrays of one memory are all read or all written.
func (g *gen) copies(list []device.Stmt, from *string) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *device.Assign:
			l, ok := s.LHS.(*loop.Index)
			r, ok2 := s.RHS.(*loop.Index)
			if !ok || !ok2 || !g.plainSubscripts(l) || !g.plainSubscripts(r) {
				return false
			}
			if *from == "" {
				*from = g.space(r.Array)
			}
			if g.space(r.Array) != *from || g.space(l.Array) == *from {
				return false
			}
		case *device.If:
			if _, pure := g.info(s.Cond); !pure || len(s.Else) > 0 || !g.copies(s.Then, from) {
				return false
			}
		case *device.For:
			_, pure := g.info(s.Lo)
			_, pure2 := g.info(s.Hi)
			if !pure || !pure2 || !g.atMostOnce(s, s.Lo, s.Hi) {
				return false
			}
			g.bindValue(s.Var, "", g.cur.depth)
			ok := g.copies(s.Body, from)
			delete(g.vars, s.Var)
			if !ok {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (g *gen) plainSubscripts(e *loop.Index) bool {
	for _, s := range e.Subs {
		if _, pure := g.info(s); !pure {
			return false
		}
	}
	return true
}

// unrolled generates a copy loop with several iterations at a time, and reports
// whether it is one. Without a constant number of iterations, each is under the
// condition that it exists, which must not overflow.
func (g *gen) unrolled(s *device.For, lo, hi loop.Expr) bool {
	n := int64(g.opt.Unroll)
	if n < 2 || !g.copyLoop(s, lo, hi) {
		return false
	}
	h := &loop.Var{Name: s.Var.Name, Type: s.Var.Type, Kind: loop.Induction, At: s.At}
	at := func(from loop.Expr, k int64) loop.Expr {
		step := &loop.IntLit{At: s.At, T: s.Var.Type, Value: k * s.Step}
		return &loop.Binary{At: s.At, Op: loop.Add, X: from, Y: step}
	}
	wide := &device.For{At: s.At, Var: h, Cmp: s.Cmp, Step: n * s.Step}
	ref := &loop.Ref{At: s.At, Var: h}
	if trips, ok := g.trips(s, lo, hi); ok {
		whole := trips / n * n
		if wide.Cmp = loop.Lt; s.Step < 0 {
			wide.Cmp = loop.Gt
		}
		switch {
		case whole == n:
			g.batch(s, lo, at, n, nil)
		case whole > n:
			g.repeat(wide, lo, at(lo, whole), yes, func() { g.batch(s, ref, at, n, nil) })
		}
		if trips > whole {
			g.batch(s, at(lo, whole), at, trips-whole, nil)
		}
		return true
	}
	// Iterations that do not exist lie less than n+1 steps behind the end.
	last := g.reach(hi)
	end := last.max + (n+1)*s.Step
	if s.Step < 0 {
		end = last.min + (n+1)*s.Step
	}
	if end < -known || end > known || s.Var.Type == loop.Int && end != int64(int32(end)) {
		return false
	}
	enters := g.cond(&loop.Binary{At: s.At, Op: s.Cmp, X: lo, Y: hi})
	g.repeat(wide, lo, hi, enters, func() {
		g.batch(s, ref, at, n, func(x loop.Expr) loop.Expr { return &loop.Binary{At: s.At, Op: s.Cmp, X: x, Y: hi} })
	})
	return true
}

// copyLoop reports whether a loop is a copy loop.
func (g *gen) copyLoop(s *device.For, lo, hi loop.Expr) bool {
	inside := g.reachOf(s, lo, hi)
	g.bindValue(s.Var, "", g.cur.depth+1).span = inside
	defer delete(g.vars, s.Var)
	from := ""
	return g.copies(s.Body, &from) && from != ""
}

// trips is the number of iterations, where it is a constant.
func (g *gen) trips(s *device.For, lo, hi loop.Expr) (int64, bool) {
	if !g.polynomial(lo) || !g.polynomial(hi) {
		return 0, false
	}
	way, rest := g.sum(hi).plus(g.sum(lo).scale(-1)).cut()
	if len(rest) > 0 || way < -known || way > known {
		return 0, false
	}
	step := s.Step
	if step < 0 {
		way, step = -way, -step
	}
	if s.Cmp == loop.Le || s.Cmp == loop.Ge {
		way++
	}
	return (way + step - 1) / step, true
}

// batch generates n iterations from the value `from` on: first all loads, then all
// stores. An iteration but the first is under the condition exists, unless nil.
func (g *gen) batch(s *device.For, from loop.Expr, at func(loop.Expr, int64) loop.Expr, n int64, exists func(loop.Expr) loop.Expr) {
	b := &batch{load: true}
	for range 2 {
		for k := range n {
			x := at(from, k)
			if k == 0 {
				x = from
			}
			p := yes
			if k > 0 && exists != nil {
				p = g.cond(exists(x))
			}
			g.bindName(s.Var, x)
			g.move(s.Body, p, b)
			delete(g.vars, s.Var)
		}
		b.load = false
	}
}

// batch is the elements that are moved together.
type batch struct {
	load   bool
	values []string // loaded and not yet stored
}

// move generates the loads or the stores of a copy loop's body under condition p.
// Conditions read no memory: all are evaluated.
func (g *gen) move(list []device.Stmt, p string, b *batch) {
	if p == no {
		return
	}
	for _, s := range list {
		g.pos = s.Position()
		switch s := s.(type) {
		case *device.Assign:
			l, r := s.LHS.(*loop.Index), s.RHS.(*loop.Index)
			if b.load {
				base, offset := g.address(r)
				x := g.newFor(r.Type())
				g.emit("ld.%s.%s %s, %s", g.space(r.Array), typeNames[r.Type()], x, at(base, offset))
				b.values = append(b.values, x)
			} else {
				base, offset := g.address(l)
				g.emit("st.%s.%s %s, %s", g.space(l.Array), typeNames[l.Type()], at(base, offset), b.values[0])
				b.values = b.values[1:]
			}
			if p != yes {
				g.cur.out.items[len(g.cur.out.items)-1].line.guard = p
			}
		case *device.If:
			g.move(s.Then, g.both(p, g.cond(s.Cond)), b)
		case *device.For:
			lo, hi := g.resolve(s.Lo), g.resolve(s.Hi)
			enters := g.cond(&loop.Binary{At: s.At, Op: s.Cmp, X: lo, Y: hi})
			g.bindName(s.Var, lo)
			g.move(s.Body, g.both(p, enters), b)
			delete(g.vars, s.Var)
		}
	}
}

// both is the conjunction of two conditions.
func (g *gen) both(p, q string) string {
	switch {
	case p == yes, q == no:
		return q
	case q == yes, p == no:
		return p
	}
	return g.atLevel(g.cur.depth, "&"+p+q, func() string {
		x, y, r := g.positive(p), g.positive(q), g.newPred()
		g.emit("and.pred %s, %s, %s", r, x, y)
		return r
	})
}
