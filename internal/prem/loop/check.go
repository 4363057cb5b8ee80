package loop

import (
	"errors"
	"math"
	"slices"
)

// Check verifies the invariants of a program and joins an *Error for each breach:
// scopes, types, rank, bounds that no statement of the loop changes, and what the
// clauses demand (a collapsed nest is perfect and rectangular; a scalar assigned in a
// kernel is the kernel's own or reduced; an array mapped `to` is not written; an
// array of unknown extent has a section; a function that returns something does so on
// every path through it).
func Check(p *Unit) error {
	c := &checker{vars: make(map[*Var]bool), ids: make(map[int]bool), arrays: make(map[*Array]bool), p: p}
	for _, a := range p.Arrays {
		c.array(a)
	}
	for _, f := range p.Funcs {
		for _, q := range f.Params {
			if q.Var != nil {
				c.declare(q.Var, Parameter)
			}
		}
		for _, q := range f.Params {
			if q.Array != nil {
				c.array(q.Array)
			}
		}
		c.function(f)
		for _, q := range f.Params {
			delete(c.vars, q.Var)
			delete(c.arrays, q.Array)
		}
	}
	return errors.Join(c.errs...)
}

// function checks the body of a function whose parameters are in scope.
func (c *checker) function(f *Func) {
	if f.Result > Double {
		c.fail(f.At, "function %s returns a value of no type", f.Name)
	}
	c.result = f.Result
	c.stmts(f.Body)
	if f.Result != NoType && !returns(f.Body) {
		c.fail(f.At, "function %s can end without returning a value, expected a return statement of type %s at its end", f.Name, f.Result)
	}
}

// returns reports whether no path leads past the end of the statements. Of an if
// both branches have to return; a loop may have no iteration.
func returns(list []Stmt) bool {
	return slices.ContainsFunc(list, func(s Stmt) bool {
		switch s := s.(type) {
		case *Return:
			return true
		case *If:
			return returns(s.Then) && returns(s.Else)
		case *Block:
			return returns(s.Body)
		}
		return false
	})
}

// leave checks a return statement.
func (c *checker) leave(s *Return) {
	have := NoType
	if s.Value != nil {
		c.expr(s.Value)
		have = s.Value.Type()
	}
	switch {
	case c.kernel != nil:
		c.fail(s.At, "return in a kernel")
	case c.region:
		c.fail(s.At, "return in a target data region, expected it after the region")
	case have != c.result:
		c.fail(s.At, "return of %s in a function that returns %s", have, c.result)
	}
}

type checker struct {
	p      *Unit
	vars   map[*Var]bool // in scope
	ids    map[int]bool  // ever declared
	arrays map[*Array]bool
	result Type // of the function
	kernel *Nest
	region bool          // in a target data region
	remote []*Array      // mapped by the target data regions around
	own    map[*Var]bool // declared in the kernel or reduced by it
	// generated says that expressions are those of a generated kernel, whose
	// buffers have extents of their own.
	generated bool
	errs      []error
}

func (c *checker) fail(at Pos, format string, args ...any) {
	c.errs = append(c.errs, errorf(at, format, args...))
}

func (c *checker) declare(v *Var, kinds ...Kind) {
	if c.ids[v.ID] || v.ID < 0 || v.ID >= c.p.NumVars {
		c.fail(v.At, "variable %s: number %d is taken or out of range", v.Name, v.ID)
	}
	if v.Type == NoType || v.Type > Double {
		c.fail(v.At, "variable %s has no type", v.Name)
	}
	if len(kinds) == 1 && v.Kind != kinds[0] {
		c.fail(v.At, "variable %s is of the wrong kind", v.Name)
	}
	c.ids[v.ID], c.vars[v] = true, true
	if c.own != nil {
		c.own[v] = true
	}
}

func (c *checker) array(a *Array) {
	if a.ID < 0 || a.ID >= c.p.NumArrays || a.Elem.Size() == 0 || len(a.Extents) == 0 {
		c.fail(a.At, "array %s: number %d, element type %s, rank %d", a.Name, a.ID, a.Elem, len(a.Extents))
	}
	for d, x := range a.Extents {
		switch {
		case x == nil && (d > 0 || a.Global):
			c.fail(a.At, "array %s: dimension %d has no extent", a.Name, d)
		case x == nil:
		default:
			c.bound(x, "extent")
			if l, ok := x.(*IntLit); ok && l.Value <= 0 {
				c.fail(a.At, "array %s: extent %d", a.Name, l.Value)
			}
		}
	}
	if a.Record != nil {
		c.record(a)
	}
	c.arrays[a] = true
}

// record checks that a is a member of its record, aligned, inside the structure
// and apart from the other members, and that all have the same extents.
func (c *checker) record(a *Array) {
	r, size, found := a.Record, a.Elem.Size(), false
	for _, m := range r.Members {
		b := m.Array
		if b == a {
			found = true
			continue
		}
		if b == nil || b.Record != r || len(b.Extents) != len(a.Extents) {
			c.fail(r.At, "structure %s: member %s is no array of it, or has another rank", r.Name, m.Name)
			continue
		}
		for d, x := range a.Extents {
			if y := b.Extents[d]; (x == nil) != (y == nil) || x != nil && ExprString(x) != ExprString(y) {
				c.fail(r.At, "structure %s: dimension %d of %s and of %s differ", r.Name, d, a.Name, b.Name)
			}
		}
		if a.Offset < b.Offset+b.Elem.Size() && b.Offset < a.Offset+size {
			c.fail(r.At, "structure %s: %s and %s share memory", r.Name, a.Name, b.Name)
		}
	}
	if !found {
		c.fail(a.At, "array %s is no member of %s", a.Name, r.Name)
	}
	if size > 0 && (a.Offset < 0 || a.Offset%size != 0 || a.Offset+size > r.Bytes || r.Bytes%size != 0) {
		c.fail(a.At, "array %s at byte %d of structures of %d", a.Name, a.Offset, r.Bytes)
	}
}

func (c *checker) stmts(list []Stmt) {
	var declared []*Var
	for _, s := range list {
		if s.Position().Line <= 0 {
			c.fail(s.Position(), "statement without a position")
		}
		switch s := s.(type) {
		case *For:
			c.loop(s)
		case *If:
			c.expr(s.Cond)
			c.stmts(s.Then)
			c.stmts(s.Else)
		case *Assign:
			c.assign(s)
		case *Decl:
			if s.Init != nil {
				c.expr(s.Init)
				if s.Init.Type() != s.Var.Type {
					c.fail(s.At, "%s is %s, its initialiser %s", s.Var.Name, s.Var.Type, s.Init.Type())
				}
			}
			c.declare(s.Var, Local)
			declared = append(declared, s.Var)
		case *Block:
			c.stmts(s.Body)
		case *Data:
			c.data(s)
		case *Nest:
			c.kernelStmt(s)
		case *Return:
			c.leave(s)
		}
	}
	for _, v := range declared {
		delete(c.vars, v)
	}
}

func (c *checker) loop(s *For) {
	c.bound(s.Lo, "lower bound")
	c.bound(s.Hi, "bound")
	t := s.Var.Type
	if !t.IsSigned() || s.Lo.Type() != t || s.Hi.Type() != t {
		c.fail(s.At, "loop variable %s is %s, its bounds %s and %s; want one signed type", s.Var.Name, t, s.Lo.Type(), s.Hi.Type())
	}
	up := s.Step > 0 && (s.Cmp == Lt || s.Cmp == Le)
	down := s.Step < 0 && (s.Cmp == Gt || s.Cmp == Ge)
	if !up && !down || t == Int && s.Step != int64(int32(s.Step)) || s.Step == math.MinInt64 {
		c.fail(s.At, "loop over %s: step %d with %s", s.Var.Name, s.Step, s.Cmp)
	}
	c.declare(s.Var, Induction)
	c.stmts(s.Body)
	delete(c.vars, s.Var)
}

// bound checks an expression that fixes a trip count or an extent: integer, over
// inductions and parameters, which no statement assigns.
func (c *checker) bound(e Expr, what string) {
	c.expr(e)
	if !e.Type().IsInteger() {
		c.fail(e.Position(), "%s %s is %s", what, ExprString(e), e.Type())
	}
	walkExpr(e, func(x Expr) {
		switch x := x.(type) {
		case *Index, *Call:
			c.fail(x.Position(), "unknown bound: %s %s depends on %s", what, ExprString(e), ExprString(x))
		case *Ref:
			if x.Var.Kind == Local {
				c.fail(x.At, "unknown bound: %s %s depends on local %s", what, ExprString(e), x.Var.Name)
			}
		}
	})
}

func (c *checker) assign(s *Assign) {
	c.expr(s.LHS)
	c.expr(s.RHS)
	if s.LHS.Type() != s.RHS.Type() {
		c.fail(s.At, "assignment of %s to %s", s.RHS.Type(), s.LHS.Type())
	}
	switch l := s.LHS.(type) {
	case *Ref:
		v := l.Var
		switch {
		case v.Kind == Induction:
			c.fail(l.At, "assignment to loop variable %s", v.Name)
		case v.Kind == Parameter:
			c.fail(l.At, "assignment to parameter %s", v.Name)
		case v.Const:
			c.fail(l.At, "assignment to const %s", v.Name)
		case c.kernel != nil && !c.own[v]:
			c.fail(l.At, "kernel assigns %s, which is neither its own nor in a reduction clause", v.Name)
		}
	case *Index:
		if l.Array.Const {
			c.fail(l.At, "assignment to const array %s", l.Array.Name)
		}
		if c.kernel == nil {
			return
		}
		for _, m := range c.kernel.Maps {
			if m.Array == l.Array && m.Kind == To {
				c.fail(l.At, "kernel writes %s, which it maps only `to`", l.Array.Name)
			}
		}
	default:
		c.fail(s.At, "assignment to an expression")
	}
}

func (c *checker) expr(e Expr) {
	walkExpr(e, func(x Expr) {
		if x.Position().Line <= 0 {
			c.fail(x.Position(), "expression without a position")
		}
		switch x := x.(type) {
		case *IntLit:
			if !x.T.IsInteger() || truncate(x.T, uint64(x.Value)) != uint64(x.Value) {
				c.fail(x.At, "%d is no %s", x.Value, x.T)
			}
		case *FloatLit:
			if !x.T.IsFloat() || x.T == Float && float64(float32(x.Value)) != x.Value && !math.IsNaN(x.Value) {
				c.fail(x.At, "%v is no %s", x.Value, x.T)
			}
		case *Ref:
			if !c.vars[x.Var] {
				c.fail(x.At, "%s is not in scope", x.Var.Name)
			}
		case *Index:
			c.index(x)
		case *Unary:
			if x.Op < Neg || x.Op > Cpl || x.Op == Cpl && !x.X.Type().IsInteger() {
				c.fail(x.At, "operator %s on %s", x.Op, x.X.Type())
			}
		case *Binary:
			c.binary(x)
		case *Cond:
			if x.Then.Type() != x.Else.Type() {
				c.fail(x.At, "branches of types %s and %s", x.Then.Type(), x.Else.Type())
			}
		case *Call:
			if x.Fn == nil || len(x.Args) != x.Fn.Arity {
				c.fail(x.At, "call with %d arguments", len(x.Args))
				return
			}
			for _, a := range x.Args {
				if a.Type() != x.Fn.Type {
					c.fail(a.Position(), "%s of %s", x.Fn.Name, a.Type())
				}
			}
		case *Convert:
			if x.T == NoType || x.T > Double || x.Implicit && x.T == x.X.Type() {
				c.fail(x.At, "conversion of %s to %s", x.X.Type(), x.T)
			}
		}
	})
}

func (c *checker) index(x *Index) {
	if !c.arrays[x.Array] {
		c.fail(x.At, "array %s is not in scope", x.Array.Name)
	}
	if len(x.Subs) != len(x.Array.Extents) {
		c.fail(x.At, "%d subscripts of %s, which has rank %d", len(x.Subs), x.Array.Name, len(x.Array.Extents))
	}
	for _, s := range x.Subs {
		if !s.Type().IsInteger() {
			c.fail(s.Position(), "subscript of type %s", s.Type())
		}
	}
	if c.kernel == nil && slices.Contains(c.remote, x.Array) {
		c.fail(x.At, "host code uses %s inside a target data region that maps it", x.Array.Name)
	}
	if c.generated || len(x.Array.Extents) == 0 || x.Array.Extents[0] != nil {
		return
	}
	if c.kernel == nil {
		c.fail(x.At, "unknown bound: %s has no extent outside a kernel that maps it", x.Array.Name)
		return
	}
	for _, m := range c.kernel.Maps {
		if m.Array == x.Array && len(m.Sections) > 0 {
			return
		}
	}
	c.fail(x.At, "unknown bound: %s needs a map clause with a section", x.Array.Name)
}

func (c *checker) binary(x *Binary) {
	xt, yt := x.X.Type(), x.Y.Type()
	ok := xt == yt
	switch x.Op {
	case Add, Sub, Mul, Div, Lt, Le, Gt, Ge, Eq, Ne:
	case Rem, And, Or, Xor:
		ok = ok && xt.IsInteger()
	case Shl, Shr:
		ok = xt.IsInteger() && yt.IsInteger()
	case LAnd, LOr:
		ok = true
	default:
		ok = false
	}
	if !ok {
		c.fail(x.At, "operator %s on %s and %s", x.Op, xt, yt)
	}
	if zero, constant := x.Y.(*IntLit); constant && zero.Value == 0 && (x.Op == Div || x.Op == Rem) {
		c.fail(x.At, "division by zero in %s, expected another divisor", ExprText(x))
	}
}
