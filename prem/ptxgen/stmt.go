package ptxgen

import (
	"github.com/warpbound/warpbound/prem/device"
	"github.com/warpbound/warpbound/prem/loop"
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
		default:
			g.fail(s.Position(), "statement of type %T is not known", s)
		}
	}
	for _, v := range declared {
		delete(g.vars, v)
	}
}

func (g *gen) assign(s *device.Assign) {
	if s.LHS.Type() != s.RHS.Type() {
		g.fail(s.At, "assignment of %s to %s", s.RHS.Type(), s.LHS.Type())
		return
	}
	switch l := s.LHS.(type) {
	case *loop.Ref:
		b := g.known(l)
		if !b.assigned {
			g.fail(s.At, "assignment to %s, which is no local", l.Var.Name)
			return
		}
		g.into(s.RHS, b.op)
	case *loop.Index:
		x := g.register(s.RHS)
		base, offset := g.address(l)
		g.emit("st.%s.%s %s, %s", g.space(l.Array), typeNames[l.Array.Elem], at(base, offset), x)
	default:
		g.fail(s.At, "assignment to an expression")
	}
}

// declare gives a variable that is assigned later a register. Another one keeps
// its value: sums are computed where they are used, which mostly is in an address,
// the rest here.
func (g *gen) declare(s *device.Decl) {
	v := s.Var
	if s.Init != nil && s.Init.Type() != v.Type {
		g.fail(s.At, "%s is %s, its initialiser %s", v.Name, v.Type, s.Init.Type())
		return
	}
	if s.Init != nil && !g.assigned[v] {
		g.bindName(v, s.Init)
		return
	}
	r := g.newFor(v.Type)
	if s.Init != nil {
		g.into(s.Init, r)
	}
	g.vars[v] = &binding{level: g.cur.depth, op: r, assigned: true}
}

// bindName makes v stand for an expression of its type.
func (g *gen) bindName(v *loop.Var, e loop.Expr) {
	level, pure := g.info(e)
	switch {
	case g.polynomial(e):
		g.vars[v] = &binding{level: level, init: e, sum: g.sum(e)}
	case pure:
		g.bindValue(v, g.register(e), level)
	default:
		r := g.newFor(v.Type)
		g.into(e, r)
		g.bindValue(v, r, g.cur.depth)
	}
}

// assignedIn collects the variables that have to live in a register of their own.
func assignedIn(list []device.Stmt, out map[*loop.Var]bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *device.For:
			assignedIn(s.Body, out)
		case *device.If:
			assignedIn(s.Then, out)
			assignedIn(s.Else, out)
		case *device.Assign:
			if l, ok := s.LHS.(*loop.Ref); ok {
				out[l.Var] = true
			}
		}
	}
}
