package ptxgen

import (
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// The barriers' numbers in PTX. Readers of a kernel tell phases by them.
const (
	BarrierPlain   = 0 // device.Barrier
	BarrierMemory  = 1 // device.Sync to a memory phase
	BarrierCompute = 2 // device.Sync to a compute phase
)

// stmts generates a list and ends the scope of what it declares.
func (g *gen) stmts(list []device.Stmt) {
	var declared []*loop.Var
	for _, s := range list {
		g.pos = s.Position()
		switch s := s.(type) {
		case *device.For:
			g.forLoop(s)
		case *device.If:
			p := g.cond(s.Cond)
			var els func()
			if len(s.Else) > 0 {
				els = func() { g.stmts(s.Else) }
			}
			g.branch(p, "if", func() { g.stmts(s.Then) }, els)
		case *device.Assign:
			g.assign(s)
		case *device.Decl:
			g.declare(s)
			declared = append(declared, s.Var)
		case *device.Barrier:
			g.put(fixed, "bar.sync %d", BarrierPlain)
		case *device.Sync:
			g.sync(s)
		}
	}
	for _, v := range declared {
		delete(g.vars, v)
	}
}

func (g *gen) assign(s *device.Assign) {
	switch l := s.LHS.(type) {
	case *loop.Ref:
		if b := g.vars[l.Var]; b != nil && b.assigned {
			g.into(s.RHS, b.op)
		} else {
			g.bindName(l.Var, s.RHS)
		}
	case *loop.Index:
		x := g.register(s.RHS)
		base, offset := g.address(l)
		g.emit("st.%s.%s %s, %s", g.space(l.Array), typeNames[l.Array.Elem], at(base, offset), x)
	}
}

// declare gives a variable a register that is assigned in a loop or under a
// condition. Others stand for values.
func (g *gen) declare(s *device.Decl) {
	v := s.Var
	if !g.assigned[v] {
		if s.Init != nil {
			g.bindName(v, s.Init)
		}
		return
	}
	r := g.newFor(v.Type)
	if s.Init != nil {
		g.into(s.Init, r)
	}
	g.vars[v] = &binding{level: g.cur.depth, op: r, assigned: true}
}

// maxName is the largest expression that is computed anew at each use.
const maxName = 16

// bindName makes v stand for the value that an expression has now. Sums are
// computed where they are used, which mostly is in an address, the rest here.
func (g *gen) bindName(v *loop.Var, e loop.Expr) {
	level, pure := g.info(e)
	size := 0
	loop.WalkExpr(e, func(loop.Expr) { size++ })
	switch {
	case g.polynomial(e) && size <= maxName:
		e = g.resolve(e)
		g.vars[v] = &binding{level: level, init: e, sum: g.sum(e)}
	case pure:
		within := g.reach(e)
		g.bindValue(v, g.register(e), level).span = within
	default:
		r := g.newFor(v.Type)
		g.into(e, r)
		g.bindValue(v, r, g.cur.depth)
	}
}

// assignedIn collects the variables that are assigned in another list than the one
// that declares them: those whose value depends on the path taken.
func assignedIn(list []device.Stmt, out map[*loop.Var]bool) {
	own := make(map[*loop.Var]bool)
	for _, s := range list {
		switch s := s.(type) {
		case *device.For:
			assignedIn(s.Body, out)
		case *device.If:
			assignedIn(s.Then, out)
			assignedIn(s.Else, out)
		case *device.Decl:
			own[s.Var] = true
		case *device.Assign:
			if l, ok := s.LHS.(*loop.Ref); ok && !own[l.Var] {
				out[l.Var] = true
			}
		}
	}
}
