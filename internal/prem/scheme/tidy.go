package scheme

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// exprsOf calls f on each node of the expressions that a statement itself holds.
func exprsOf(s device.Stmt, f func(loop.Expr)) {
	var list []loop.Expr
	switch s := s.(type) {
	case *device.For:
		list = []loop.Expr{s.Lo, s.Hi}
	case *device.If:
		list = []loop.Expr{s.Cond}
	case *device.Assign:
		list = []loop.Expr{s.LHS, s.RHS}
	case *device.Decl:
		list = []loop.Expr{s.Init}
	}
	for _, x := range list {
		if x != nil {
			loop.WalkExpr(x, f)
		}
	}
}

// tidy replaces locals that are only a number or another variable, and removes
// unused locals, empty loops and empty conditions.
func tidy(list []device.Stmt) []device.Stmt {
	plain := make(map[*loop.Var]loop.Expr)
	assigned := make(map[*loop.Var]bool)
	device.WalkStmts(list, func(s device.Stmt) {
		if a, ok := s.(*device.Assign); ok {
			if r, ok := a.LHS.(*loop.Ref); ok {
				assigned[r.Var] = true
			}
		}
	})
	device.WalkStmts(list, func(s device.Stmt) {
		rewrite(s, plain)
		d, ok := s.(*device.Decl)
		if !ok || d.Init == nil || assigned[d.Var] {
			return
		}
		switch x := d.Init.(type) {
		case *loop.IntLit:
			plain[d.Var] = x
		case *loop.Ref:
			if !assigned[x.Var] {
				plain[d.Var] = x
			}
		}
	})
	for {
		used := make(map[*loop.Var]bool)
		device.WalkStmts(list, func(s device.Stmt) {
			exprsOf(s, func(x loop.Expr) {
				if r, ok := x.(*loop.Ref); ok {
					used[r.Var] = true
				}
			})
		})
		kept, changed := sweep(list, used)
		if list = kept; !changed {
			return list
		}
	}
}

// rewrite replaces variables by values in a statement's expressions.
func rewrite(s device.Stmt, plain map[*loop.Var]loop.Expr) {
	if len(plain) == 0 {
		return
	}
	switch s := s.(type) {
	case *device.For:
		s.Lo, s.Hi = replace(s.Lo, plain), replace(s.Hi, plain)
	case *device.If:
		s.Cond = replace(s.Cond, plain)
	case *device.Assign:
		s.LHS, s.RHS = replace(s.LHS, plain), replace(s.RHS, plain)
	case *device.Decl:
		if s.Init != nil {
			s.Init = replace(s.Init, plain)
		}
	}
}

func replace(x loop.Expr, plain map[*loop.Var]loop.Expr) loop.Expr {
	switch x := x.(type) {
	case *loop.Ref:
		switch v := plain[x.Var].(type) {
		case *loop.IntLit:
			return &loop.IntLit{At: x.At, T: v.T, Value: v.Value}
		case *loop.Ref:
			return &loop.Ref{At: x.At, Var: v.Var}
		}
		return x
	case *loop.Index:
		out := &loop.Index{At: x.At, Array: x.Array}
		for _, s := range x.Subs {
			out.Subs = append(out.Subs, replace(s, plain))
		}
		return out
	case *loop.Unary:
		return &loop.Unary{At: x.At, Op: x.Op, X: replace(x.X, plain)}
	case *loop.Binary:
		a, b := replace(x.X, plain), replace(x.Y, plain)
		if x.Op <= loop.Mul && x.Type().IsInteger() {
			return builder{x.At}.op(x.Op, a, b)
		}
		return &loop.Binary{At: x.At, Op: x.Op, X: a, Y: b}
	case *loop.Cond:
		return &loop.Cond{At: x.At, If: replace(x.If, plain), Then: replace(x.Then, plain), Else: replace(x.Else, plain)}
	case *loop.Call:
		out := &loop.Call{At: x.At, Fn: x.Fn}
		for _, a := range x.Args {
			out.Args = append(out.Args, replace(a, plain))
		}
		return out
	case *loop.Convert:
		return &loop.Convert{At: x.At, T: x.T, X: replace(x.X, plain), Implicit: x.Implicit}
	}
	return x
}

func sweep(list []device.Stmt, used map[*loop.Var]bool) ([]device.Stmt, bool) {
	changed := false
	sub := func(list []device.Stmt) []device.Stmt {
		kept, c := sweep(list, used)
		changed = changed || c
		return kept
	}
	out := slices.DeleteFunc(list, func(s device.Stmt) bool {
		drop := false
		switch s := s.(type) {
		case *device.For:
			s.Body = sub(s.Body)
			drop = len(s.Body) == 0
		case *device.If:
			s.Then, s.Else = sub(s.Then), sub(s.Else)
			drop = len(s.Then) == 0 && len(s.Else) == 0
		case *device.Decl:
			drop = !used[s.Var]
		}
		changed = changed || drop
		return drop
	})
	return out, changed
}

// parameters lists what the body uses of the program: the function's parameters in
// their order, file-scope arrays and other scalars by number, partial results.
func (g *gen) parameters(f *loop.Func) []loop.Param {
	own := map[*loop.Var]bool{g.kern.ThreadIdx: true, g.kern.TeamIdx: true}
	shared := make(map[*loop.Array]bool)
	for _, a := range g.kern.Shared {
		shared[a] = true
	}
	scalars, arrays := make(map[*loop.Var]bool), make(map[*loop.Array]bool)
	var visit func(x loop.Expr)
	visit = func(x loop.Expr) {
		switch x := x.(type) {
		case *loop.Ref:
			scalars[x.Var] = true
		case *loop.Index:
			if shared[x.Array] || arrays[x.Array] {
				return
			}
			arrays[x.Array] = true
			for _, n := range x.Array.Extents {
				if n != nil {
					loop.WalkExpr(n, visit)
				}
			}
		}
	}
	device.WalkStmts(g.kern.Body, func(s device.Stmt) {
		switch s := s.(type) {
		case *device.For:
			own[s.Var] = true
		case *device.Decl:
			own[s.Var] = true
		}
		exprsOf(s, visit)
	})
	for v := range own {
		delete(scalars, v)
	}
	var out []loop.Param
	take := func(p loop.Param) {
		if p.Var != nil && scalars[p.Var] || p.Array != nil && arrays[p.Array] {
			out = append(out, p)
			delete(scalars, p.Var)
			delete(arrays, p.Array)
		}
	}
	for _, p := range f.Params {
		take(p)
	}
	for _, a := range g.p.Arrays {
		take(loop.Param{Array: a})
	}
	rest := make([]*loop.Var, 0, len(scalars))
	for v := range scalars {
		rest = append(rest, v)
	}
	slices.SortFunc(rest, func(a, b *loop.Var) int { return a.ID - b.ID })
	for _, v := range rest {
		out = append(out, loop.Param{Var: v})
	}
	for _, r := range g.kern.Reductions {
		take(loop.Param{Array: r.Partial})
	}
	for a := range arrays {
		g.fail(g.k.At, "array %s is no parameter of %s", a.Name, f.Name)
	}
	return out
}
