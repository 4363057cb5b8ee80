package device

import (
	"errors"
	"fmt"
	"math"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Check verifies the invariants of a kernel and joins a *loop.Error for each
// breach: scopes and types as loop.Check demands them, shared arrays of constant
// extents, variables named once and parameters and loop variables never assigned,
// bounds that no statement of the loop changes, barriers and Syncs where control
// flow is the same for all threads of a team, phases that alternate, and, in a
// kernel with Syncs, no access to global memory outside the memory phase.
//
// That control flow is uniform is shown conservatively: an expression is uniform
// if it reads neither memory nor the thread's number and only variables that are
// assigned uniform values under uniform control flow.
func Check(k *Entry) error {
	c := &checker{k: k, vars: make(map[*loop.Var]bool), arrays: make(map[*loop.Array]bool),
		ids: make(map[int]bool), fixed: make(map[*loop.Var]bool), shared: make(map[*loop.Array]bool)}
	c.header()
	if len(c.errs) == 0 {
		c.stmts(k.Body)
	}
	if len(c.errs) == 0 {
		u := newUniformity(k)
		c.uniform(k.Body, u, nil)
		c.phased = k.Phased()
		c.phases(k.Body, before)
	}
	return errors.Join(c.errs...)
}

type checker struct {
	k      *Entry
	vars   map[*loop.Var]bool // in scope
	arrays map[*loop.Array]bool
	shared map[*loop.Array]bool
	ids    map[int]bool       // ever declared
	fixed  map[*loop.Var]bool // parameters and loop variables
	phased bool
	errs   []error
}

func (c *checker) fail(at loop.Pos, format string, args ...any) {
	c.errs = append(c.errs, &loop.Error{Pos: at, Msg: fmt.Sprintf(format, args...)})
}

func (c *checker) header() {
	k := c.k
	if k.Name == "" || k.Teams <= 0 || k.Threads <= 0 || k.Teams > math.MaxInt32 || k.Threads > math.MaxInt32 {
		c.fail(k.At, "kernel %q of %d teams of %d threads", k.Name, k.Teams, k.Threads)
	}
	for _, p := range k.Params {
		if (p.Var == nil) == (p.Array == nil) {
			c.fail(k.At, "parameter that is neither a scalar nor an array")
			return
		}
		if p.Var != nil {
			c.declare(p.Var)
			c.fixed[p.Var] = true
		}
	}
	for _, p := range k.Params {
		if p.Array != nil {
			c.array(p.Array)
		}
	}
	for _, a := range k.Shared {
		c.array(a)
		c.shared[a] = true
		n := int64(1)
		for d, x := range a.Extents {
			l, ok := x.(*loop.IntLit)
			if !ok || l.Value <= 0 || l.Value > math.MaxInt32 || n*l.Value > math.MaxInt32 {
				c.fail(a.At, "shared array %s: dimension %d has no constant extent in range", a.Name, d)
				break
			}
			n *= l.Value
		}
	}
	if k.SharedAt != nil && len(k.SharedAt) != len(k.Shared) {
		c.fail(k.At, "%d offsets of %d shared arrays", len(k.SharedAt), len(k.Shared))
	}
	for i, at := range k.SharedAt[:min(len(k.SharedAt), len(k.Shared))] {
		if size := k.Shared[i].Elem.Size(); at < 0 || at > math.MaxInt32 || size > 0 && at%size != 0 {
			c.fail(k.Shared[i].At, "shared array %s at offset %d", k.Shared[i].Name, at)
		}
	}
	for _, v := range []*loop.Var{k.ThreadIdx, k.TeamIdx} {
		if v == nil || v.Type != loop.Int {
			c.fail(k.At, "the thread's and the team's number need a variable of type int")
			return
		}
		c.declare(v)
		c.fixed[v] = true
	}
	for _, r := range k.Reductions {
		if r.Var == nil || r.Partial == nil || !c.arrays[r.Partial] || c.shared[r.Partial] ||
			len(r.Partial.Extents) != 1 || r.Partial.Elem != r.Var.Type || r.Op > loop.RedMax {
			c.fail(k.At, "reduction without a parameter of one partial result a team")
		}
	}
}

func (c *checker) declare(v *loop.Var) {
	if c.ids[v.ID] || v.ID < 0 || v.ID >= c.k.NumVars {
		c.fail(v.At, "variable %s: number %d is taken or out of range", v.Name, v.ID)
	}
	if v.Type == loop.NoType || v.Type > loop.Double {
		c.fail(v.At, "variable %s has no type", v.Name)
	}
	c.ids[v.ID], c.vars[v] = true, true
}

// array demands extents over parameters where they are needed to find an element:
// the first one is not.
func (c *checker) array(a *loop.Array) {
	if a.Elem.Size() == 0 || len(a.Extents) == 0 {
		c.fail(a.At, "array %s: element type %s, rank %d", a.Name, a.Elem, len(a.Extents))
		return
	}
	if c.arrays[a] {
		c.fail(a.At, "array %s is named twice", a.Name)
	}
	for d, x := range a.Extents[1:] {
		if x == nil {
			c.fail(a.At, "array %s: dimension %d has no extent", a.Name, d+1)
			continue
		}
		c.bound(x, "extent")
	}
	c.arrays[a] = true
}

func (c *checker) stmts(list []Stmt) {
	var declared []*loop.Var
	for _, s := range list {
		if s == nil {
			c.fail(c.k.At, "statement that is nil")
			continue
		}
		if s.Position().Line <= 0 {
			c.fail(s.Position(), "statement without a position")
		}
		switch s := s.(type) {
		case *For:
			c.loop(s)
		case *If:
			c.expr(s.At, s.Cond)
			c.stmts(s.Then)
			c.stmts(s.Else)
		case *Assign:
			c.assign(s)
		case *Decl:
			if s.Var == nil {
				c.fail(s.At, "declaration of nothing")
				continue
			}
			if s.Init != nil && c.expr(s.At, s.Init) && s.Init.Type() != s.Var.Type {
				c.fail(s.At, "%s is %s, its initialiser %s", s.Var.Name, s.Var.Type, s.Init.Type())
			}
			c.declare(s.Var)
			declared = append(declared, s.Var)
		case *Sync:
			if s.Phase > Compute {
				c.fail(s.At, "Sync into phase %d", s.Phase)
			}
		}
	}
	for _, v := range declared {
		delete(c.vars, v)
	}
}

func (c *checker) loop(s *For) {
	if s.Var == nil || !c.bound(s.Lo, "lower bound") || !c.bound(s.Hi, "bound") {
		c.fail(s.At, "loop without a variable or a bound")
		return
	}
	t := s.Var.Type
	if !t.IsSigned() || s.Lo.Type() != t || s.Hi.Type() != t {
		c.fail(s.At, "loop variable %s is %s, its bounds %s and %s; want one signed type", s.Var.Name, t, s.Lo.Type(), s.Hi.Type())
	}
	up := s.Step > 0 && (s.Cmp == loop.Lt || s.Cmp == loop.Le)
	down := s.Step < 0 && (s.Cmp == loop.Gt || s.Cmp == loop.Ge)
	if !up && !down || t == loop.Int && s.Step != int64(int32(s.Step)) || s.Step == math.MinInt64 {
		c.fail(s.At, "loop over %s: step %d with %s", s.Var.Name, s.Step, s.Cmp)
	}
	assigned := make(map[*loop.Var]bool)
	WalkStmts(s.Body, func(x Stmt) {
		if a, ok := x.(*Assign); ok {
			if r, ok := a.LHS.(*loop.Ref); ok {
				assigned[r.Var] = true
			}
		}
	})
	loop.WalkExpr(s.Hi, func(x loop.Expr) {
		if r, ok := x.(*loop.Ref); ok && assigned[r.Var] {
			c.fail(x.Position(), "the loop over %s assigns %s, which its bound names", s.Var.Name, r.Var.Name)
		}
	})
	c.declare(s.Var)
	c.fixed[s.Var] = true
	c.stmts(s.Body)
	delete(c.vars, s.Var)
}

// bound checks an expression that fixes a trip count or an extent, which reads no
// memory.
func (c *checker) bound(e loop.Expr, what string) bool {
	if !c.expr(c.k.At, e) {
		return false
	}
	if !e.Type().IsInteger() {
		c.fail(e.Position(), "%s %s is %s", what, loop.ExprText(e), e.Type())
	}
	loop.WalkExpr(e, func(x loop.Expr) {
		if x, ok := x.(*loop.Index); ok {
			c.fail(x.At, "%s %s reads memory", what, loop.ExprText(e))
		}
	})
	return true
}

func (c *checker) assign(s *Assign) {
	if !c.expr(s.At, s.LHS) || !c.expr(s.At, s.RHS) {
		return
	}
	if s.LHS.Type() != s.RHS.Type() {
		c.fail(s.At, "assignment of %s to %s", s.RHS.Type(), s.LHS.Type())
	}
	switch l := s.LHS.(type) {
	case *loop.Ref:
		if c.fixed[l.Var] {
			c.fail(l.At, "assignment to %s, a parameter or a loop's variable", l.Var.Name)
		}
	case *loop.Index:
		if l.Array.Const {
			c.fail(l.At, "assignment to const array %s", l.Array.Name)
		}
	default:
		c.fail(s.At, "assignment to an expression")
	}
}

// expr reports whether e can be walked.
func (c *checker) expr(at loop.Pos, e loop.Expr) bool {
	if e == nil {
		c.fail(at, "expression missing")
		return false
	}
	errs := loop.CheckExpr(e, c.vars, c.arrays)
	c.errs = append(c.errs, errs...)
	return true
}

// WalkStmts calls f on each statement of the trees, outer ones first.
func WalkStmts(list []Stmt, f func(Stmt)) {
	for _, s := range list {
		f(s)
		switch s := s.(type) {
		case *For:
			WalkStmts(s.Body, f)
		case *If:
			WalkStmts(s.Then, f)
			WalkStmts(s.Else, f)
		}
	}
}

// Phased reports whether the kernel has Syncs.
func (k *Entry) Phased() bool {
	found := false
	WalkStmts(k.Body, func(x Stmt) {
		if _, ok := x.(*Sync); ok {
			found = true
		}
	})
	return found
}
