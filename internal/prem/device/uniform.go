package device

import "github.com/warpbound/warpbound/internal/prem/loop"

// uniformity holds the variables whose value may differ between the threads of a
// team that execute the same statement together.
type uniformity struct{ varies map[*loop.Var]bool }

// newUniformity starts from the thread's number and adds what is assigned from it,
// from memory or under control flow that depends on either, until nothing is added.
func newUniformity(k *Entry) *uniformity {
	u := &uniformity{varies: map[*loop.Var]bool{k.ThreadIdx: true}}
	for n := -1; n != len(u.varies); {
		n = len(u.varies)
		u.stmts(k.Body, true)
	}
	return u
}

func (u *uniformity) stmts(list []Stmt, same bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *For:
			bounds := u.expr(s.Lo) && u.expr(s.Hi)
			if !bounds {
				u.varies[s.Var] = true
			}
			u.stmts(s.Body, same && bounds)
		case *If:
			in := same && u.expr(s.Cond)
			u.stmts(s.Then, in)
			u.stmts(s.Else, in)
		case *Assign:
			if r, ok := s.LHS.(*loop.Ref); ok && !(same && u.expr(s.RHS)) {
				u.varies[r.Var] = true
			}
		case *Decl:
			if s.Init != nil && !u.expr(s.Init) {
				u.varies[s.Var] = true
			}
		}
	}
}

func (u *uniformity) expr(e loop.Expr) bool {
	same := true
	loop.WalkExpr(e, func(x loop.Expr) {
		switch x := x.(type) {
		case *loop.Index:
			same = false
		case *loop.Ref:
			same = same && !u.varies[x.Var]
		}
	})
	return same
}

// uniform refuses barriers and Syncs below the expression why, which varies.
func (c *checker) uniform(list []Stmt, u *uniformity, why loop.Expr) {
	under := func(es ...loop.Expr) loop.Expr {
		for _, e := range es {
			if why == nil && !u.expr(e) {
				return e
			}
		}
		return why
	}
	for _, s := range list {
		switch s := s.(type) {
		case *For:
			c.uniform(s.Body, u, under(s.Lo, s.Hi))
		case *If:
			c.uniform(s.Then, u, under(s.Cond))
			c.uniform(s.Else, u, under(s.Cond))
		case *Barrier, *Sync:
			if why != nil {
				c.fail(s.Position(), "barrier that not every thread may meet: %s may differ between threads", loop.ExprText(why))
			}
		}
	}
}

// inPhase is a set of phases a team may be in.
type inPhase uint8

const (
	before    inPhase = 1 << iota // no Sync was passed
	inMemory                      // 1 << Memory, shifted by before
	inCompute                     // 1 << Compute, shifted by before
)

// phases follows the phases a team may be in, from in to the end of the list.
func (c *checker) phases(list []Stmt, in inPhase) inPhase {
	for _, s := range list {
		switch s := s.(type) {
		case *For:
			c.global(in, s.Lo, s.Hi)
			for errs := c.errs; ; c.errs = errs {
				out := in | c.phases(s.Body, in)
				if out == in {
					break
				}
				in = out
			}
		case *If:
			c.global(in, s.Cond)
			in = c.phases(s.Then, in) | c.phases(s.Else, in)
		case *Assign:
			c.global(in, s.LHS, s.RHS)
		case *Decl:
			if s.Init != nil {
				c.global(in, s.Init)
			}
		case *Sync:
			to := inMemory << s.Phase
			if in&to != 0 || s.Phase == Compute && in&before != 0 {
				c.fail(s.At, "%s where the team may not come from the other phase", s.Phase)
			}
			in = to
		}
	}
	return in
}

func (c *checker) global(in inPhase, es ...loop.Expr) {
	if !c.phased || in == inMemory {
		return
	}
	for _, e := range es {
		loop.WalkExpr(e, func(x loop.Expr) {
			if x, ok := x.(*loop.Index); ok && !c.shared[x.Array] {
				c.fail(x.At, "access to %s outside the memory phase", x.Array.Name)
			}
		})
	}
}
