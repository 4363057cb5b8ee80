package scheme

import "github.com/warpbound/warpbound/internal/prem/loop"

// steady reports whether a condition depends on loop variables and parameters
// alone, so that every phase finds the same. Blind says that a condition around it
// is left out: then it must have a value also where the program never evaluates
// it.
func (g *gen) steady(x loop.Expr, blind bool) bool {
	ok := true
	loop.WalkExpr(x, func(y loop.Expr) {
		switch y := y.(type) {
		case *loop.Index:
			ok = false
		case *loop.Ref:
			if y.Var.Kind == loop.Local && g.own[y.Var] {
				ok = false
			}
		case *loop.Binary:
			switch y.Op {
			case loop.Div, loop.Rem, loop.Shl, loop.Shr:
				ok = ok && !blind
			}
		case *loop.Convert:
			ok = ok && !(blind && y.T.IsInteger() && y.X.Type().IsFloat())
		}
	})
	return ok
}

// needed is a condition that does not depend on data and holds wherever x is true
// or, if not truth, false; nil where there is only the trivial one. Independence
// may rest on it (package depend), so that a phase that leaves x out keeps it.
func (g *gen) needed(x loop.Expr, truth bool) loop.Expr {
	switch y := x.(type) {
	case *loop.Unary:
		if y.Op == loop.Not {
			return g.needed(y.X, !truth)
		}
	case *loop.Convert:
		if y.T.IsInteger() && y.X.Type().IsInteger() && y.T.Size() >= y.X.Type().Size() {
			return g.needed(y.X, truth)
		}
	case *loop.Binary:
		if y.Op != loop.LAnd && y.Op != loop.LOr {
			break
		}
		a, b := g.needed(y.X, truth), g.needed(y.Y, truth)
		switch {
		case (y.Op == loop.LAnd) == truth:
			switch {
			case a == nil:
				return b
			case b == nil:
				return a
			}
			return &loop.Binary{At: y.At, Op: loop.LAnd, X: a, Y: b}
		case a != nil && b != nil:
			return &loop.Binary{At: y.At, Op: loop.LOr, X: a, Y: b}
		}
		return nil
	}
	x = g.withValues(x)
	switch {
	case !g.steady(x, true):
		return nil
	case truth:
		return x
	}
	return &loop.Unary{At: x.Position(), Op: loop.Not, X: x}
}

// values finds the locals that are sums of loop variables and parameters wherever
// they are read, and writes them so.
func (g *gen) values() {
	g.sums = make(map[*loop.Var]loop.Expr)
	assigned := make(map[*loop.Var]bool)
	loop.WalkStmts([]loop.Stmt{g.k.Loop}, func(s loop.Stmt) {
		if a, ok := s.(*loop.Assign); ok {
			if r, ok := a.LHS.(*loop.Ref); ok {
				assigned[r.Var] = true
			}
		}
	})
	loop.WalkStmts([]loop.Stmt{g.k.Loop}, func(s loop.Stmt) {
		d, ok := s.(*loop.Decl)
		if !ok || d.Init == nil || assigned[d.Var] {
			return
		}
		x := g.withValues(d.Init)
		if _, ok := loop.Affine(x); ok {
			g.sums[d.Var] = x
		}
	})
}

// withValues replaces locals by what values found of them, in the operators that
// a condition on them is made of.
func (g *gen) withValues(x loop.Expr) loop.Expr {
	switch x := x.(type) {
	case *loop.Ref:
		if v, ok := g.sums[x.Var]; ok {
			return v
		}
	case *loop.Unary:
		return &loop.Unary{At: x.At, Op: x.Op, X: g.withValues(x.X)}
	case *loop.Binary:
		return &loop.Binary{At: x.At, Op: x.Op, X: g.withValues(x.X), Y: g.withValues(x.Y)}
	case *loop.Convert:
		return &loop.Convert{At: x.At, T: x.T, X: g.withValues(x.X), Implicit: x.Implicit}
	}
	return x
}
