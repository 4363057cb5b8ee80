package scheme

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// clone emits a copy of statements with the variables of e, its accesses
// redirected to the boxes of e where it has any.
func (g *gen) clone(list []loop.Stmt, e *env) {
	for _, s := range list {
		g.at = s.Position()
		switch s := s.(type) {
		case *loop.For:
			g.cloneFor(s, e)
		case *loop.If:
			c := g.expr(s.Cond, e)
			then := g.block(func() { g.clone(s.Then, e) })
			els := g.block(func() { g.clone(s.Else, e) })
			g.emit(&device.If{At: s.At, Cond: c, Then: then, Else: els})
		case *loop.Assign:
			rhs := g.expr(s.RHS, e)
			x, ok := s.LHS.(*loop.Index)
			if !ok || e.boxes == nil {
				g.emit(&device.Assign{At: s.At, LHS: g.expr(s.LHS, e), RHS: rhs})
				continue
			}
			if b := g.boxOf(x, true, e); b != nil {
				q := g.place(b, x, e)
				g.emit(&device.Assign{At: s.At, LHS: b.element(g.builder, b.shared, q), RHS: rhs})
				if b.mask != nil {
					g.assign(b.element(g.builder, b.mask, q), g.lit(1))
				}
			}
		case *loop.Decl:
			g.cloneDecl(s, e)
		case *loop.Block:
			g.clone(s.Body, e)
		default:
			g.fail(g.at, "statement of an unknown kind in a kernel")
		}
	}
}

func (g *gen) cloneDecl(s *loop.Decl, e *env) {
	var init loop.Expr
	if s.Init != nil {
		init = g.expr(s.Init, e)
	}
	if e.hoisted[s.Var] {
		if init != nil {
			g.emit(&device.Assign{At: s.At, LHS: g.ref(e.vars[s.Var]), RHS: init})
		}
		return
	}
	v := g.fresh(s.Var.Name, s.Var.Type, loop.Local)
	e.vars[s.Var] = v
	g.emit(&device.Decl{At: s.At, Var: v, Init: init})
}

func (g *gen) cloneFor(s *loop.For, e *env) {
	lo, hi := g.expr(s.Lo, e), g.expr(s.Hi, e)
	g.iterate(s, lo, hi, nil, e, func() { g.clone(s.Body, e) })
}

// iterate emits a loop of the source from lo to hi around what body emits, or
// nothing if body emits nothing. Where a subscript needs the number of the
// iteration, it is counted from the form start, or from that of the loop's lower
// bound.
func (g *gen) iterate(s *loop.For, lo, hi loop.Expr, start *loop.Linear, e *env, body func()) {
	at := g.at
	var counter *loop.Var
	if g.counted(s, e) {
		if start == nil {
			l, ok := loop.Affine(s.Lo)
			if !ok {
				g.fail(s.At, "strided access in a loop from %s, which is not affine", loop.ExprText(s.Lo))
				return
			}
			l = g.form(l, e)
			start = &l
		}
		counter = g.fresh(s.Var.Name+"_n", loop.Int, loop.Local)
	}
	var v *loop.Var
	list := g.block(func() {
		v = g.fresh(s.Var.Name, s.Var.Type, loop.Induction)
		e.vars[s.Var] = v
		delete(e.lin, s.Var)
		g.runs(v, s.Cmp, lo, hi)
		if counter != nil {
			n, ok := loop.Of(counter).Scale(s.Step)
			if ok {
				n, ok = n.Add(*start)
			}
			if !ok {
				g.fail(s.At, "subscript out of the range of 64 bits")
			}
			e.lin[s.Var] = n
		}
		body()
		g.at = at
		if counter != nil && len(g.out) > 0 {
			g.assign(g.ref(counter), g.add(g.ref(counter), g.lit(1)))
		}
	})
	if len(list) == 0 {
		return
	}
	if counter != nil {
		g.emit(&device.Decl{At: at, Var: counter, Init: g.lit(0)})
	}
	g.emit(&device.For{At: s.At, Var: v, Lo: g.to(v.Type, lo), Hi: g.to(v.Type, hi), Cmp: s.Cmp, Step: s.Step, Body: list})
}

// counted reports whether a place in a box is a fraction of the loop's variable,
// so that the iteration's number has to be counted. Variables of strided loops
// inside count with their first values.
func (g *gen) counted(s *loop.For, e *env) bool {
	if s.Step == 1 || s.Step == -1 || e.boxes == nil {
		return false
	}
	var inner []*loop.For
	eachFor(s.Body, func(l *loop.For) {
		if l.Step != 1 && l.Step != -1 {
			inner = append(inner, l)
		}
	})
	found := false
	eachIndex(s.Body, func(x *loop.Index) {
		b := e.boxes[x]
		if b == nil {
			return
		}
		for d, sub := range x.Subs {
			l, ok := loop.Affine(sub)
			for _, f := range slices.Backward(inner) {
				if first, affine := loop.Affine(f.Lo); ok && affine {
					l, ok = l.Replace(f.Var, first)
				}
			}
			if ok && l.Coef(s.Var)%b.dims[d].step != 0 {
				found = true
			}
		}
	})
	return found
}

// expr is a copy of an expression.
func (g *gen) expr(x loop.Expr, e *env) loop.Expr {
	switch x := x.(type) {
	case *loop.IntLit, *loop.FloatLit:
		return x
	case *loop.Ref:
		return &loop.Ref{At: x.At, Var: g.variable(x.Var, e)}
	case *loop.Index:
		if e.boxes == nil {
			return g.global(x, e)
		}
		b := g.boxOf(x, false, e)
		if b == nil {
			return x
		}
		return b.element(g.builder, b.shared, g.place(b, x, e))
	case *loop.Unary:
		return &loop.Unary{At: x.At, Op: x.Op, X: g.expr(x.X, e)}
	case *loop.Binary:
		return &loop.Binary{At: x.At, Op: x.Op, X: g.expr(x.X, e), Y: g.expr(x.Y, e)}
	case *loop.Cond:
		return &loop.Cond{At: x.At, If: g.expr(x.If, e), Then: g.expr(x.Then, e), Else: g.expr(x.Else, e)}
	case *loop.Call:
		c := &loop.Call{At: x.At, Fn: x.Fn}
		for _, a := range x.Args {
			c.Args = append(c.Args, g.expr(a, e))
		}
		return c
	case *loop.Convert:
		return &loop.Convert{At: x.At, T: x.T, X: g.expr(x.X, e), Implicit: x.Implicit}
	}
	g.fail(g.at, "expression of an unknown kind")
	return x
}

// global is the access x in global memory.
func (g *gen) global(x *loop.Index, e *env) *loop.Index {
	out := &loop.Index{At: x.At, Array: x.Array}
	for _, s := range x.Subs {
		out.Subs = append(out.Subs, g.expr(s, e))
	}
	return out
}

// eachFor calls f on each loop, outer ones first.
func eachFor(list []loop.Stmt, f func(*loop.For)) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			f(s)
			eachFor(s.Body, f)
		case *loop.If:
			eachFor(s.Then, f)
			eachFor(s.Else, f)
		case *loop.Block:
			eachFor(s.Body, f)
		}
	}
}

// eachExpr calls f on the outermost expressions of statements: sides of
// assignments, conditions, initialisers and bounds.
func eachExpr(list []loop.Stmt, f func(loop.Expr)) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			f(s.Lo)
			f(s.Hi)
			eachExpr(s.Body, f)
		case *loop.If:
			f(s.Cond)
			eachExpr(s.Then, f)
			eachExpr(s.Else, f)
		case *loop.Assign:
			f(s.LHS)
			f(s.RHS)
		case *loop.Decl:
			if s.Init != nil {
				f(s.Init)
			}
		case *loop.Block:
			eachExpr(s.Body, f)
		}
	}
}

// eachIndex calls f on each access.
func eachIndex(list []loop.Stmt, f func(*loop.Index)) {
	eachExpr(list, func(x loop.Expr) {
		loop.WalkExpr(x, func(y loop.Expr) {
			if i, ok := y.(*loop.Index); ok {
				f(i)
			}
		})
	})
}

// eachDecl calls f on each local that the statements declare, loop variables
// included.
func eachDecl(list []loop.Stmt, f func(*loop.Var)) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			f(s.Var)
			eachDecl(s.Body, f)
		case *loop.If:
			eachDecl(s.Then, f)
			eachDecl(s.Else, f)
		case *loop.Decl:
			f(s.Var)
		case *loop.Block:
			eachDecl(s.Body, f)
		}
	}
}
