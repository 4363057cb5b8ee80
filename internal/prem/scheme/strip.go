package scheme

import (
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// stripper emits the control flow of statements with their loads, or their
// stores, and nothing else.
type stripper struct {
	*gen
	e      *env
	stores bool
	seen   []transfer // what is done already wherever the next statement is reached
}

// transfer is a load or store of a place in a box.
type transfer struct {
	b *box
	q []loop.Linear
}

// strip emits the load phase of an interval by stripping, or its store phase.
func (g *gen) strip(n *tile.Interval, dims []dim, e *env, origin *loop.Var, stores bool) {
	g.spread(dims, e, func(e *env) {
		s := &stripper{gen: g, e: e.child(), stores: stores}
		s.share(n, s.e, origin, func(list []loop.Stmt) { s.stmts(list, false) })
	})
}

// inner is block for a scope that may not be entered: what is transferred in it
// does not count as transferred afterwards.
func (s *stripper) inner(f func()) []device.Stmt {
	mark := len(s.seen)
	list := s.block(f)
	s.seen = s.seen[:mark]
	return list
}

// stmts strips a list. Blind says that a condition around it was left out, so
// that an access may be one that the program never makes.
func (s *stripper) stmts(list []loop.Stmt, blind bool) {
	for _, x := range list {
		s.at = x.Position()
		switch x := x.(type) {
		case *loop.For:
			mark := len(s.seen)
			lo, hi := s.expr(x.Lo, s.e), s.expr(x.Hi, s.e)
			s.iterate(x, lo, hi, nil, s.e, func() { s.stmts(x.Body, blind) })
			s.seen = s.seen[:mark]
		case *loop.If:
			s.loads(x.Cond, blind)
			s.branch(x.Cond, blind, func(blind bool) { s.stmts(x.Then, blind) }, func(blind bool) { s.stmts(x.Else, blind) })
		case *loop.Assign:
			s.loads(x.RHS, blind)
			if i, ok := x.LHS.(*loop.Index); ok && s.stores {
				s.store(i, blind)
			}
		case *loop.Decl:
			if x.Init != nil {
				s.loads(x.Init, blind)
			}
		case *loop.Block:
			s.stmts(x.Body, blind)
		default:
			s.fail(s.at, "statement of an unknown kind in a kernel")
		}
	}
}

// branch emits two branches under a condition, or if it depends on data one after
// the other, blind, each under what is needed for it apart from data.
func (s *stripper) branch(cond loop.Expr, blind bool, then, els func(blind bool)) {
	at := s.at
	if !s.steady(cond, blind) {
		s.under(s.needed(cond, true), then)
		s.at = at
		s.under(s.needed(cond, false), els)
		return
	}
	a := s.inner(func() { then(blind) })
	s.at = at
	b := s.inner(func() { els(blind) })
	c := s.expr(cond, s.e)
	switch {
	case len(a) > 0:
		s.emit(&device.If{At: at, Cond: c, Then: a, Else: b})
	case len(b) > 0:
		s.emit(&device.If{At: at, Cond: &loop.Unary{At: at, Op: loop.Not, X: c}, Then: b})
	}
}

// under emits a branch, blind, under a condition on loop variables and parameters.
func (s *stripper) under(needed loop.Expr, branch func(blind bool)) {
	if needed == nil {
		branch(true)
		return
	}
	at := s.at
	list := s.inner(func() { branch(true) })
	if len(list) > 0 {
		s.emit(&device.If{At: at, Cond: s.expr(needed, s.e), Then: list})
	}
}

// loads strips an expression; what is evaluated under a condition of its own is
// loaded under it.
func (s *stripper) loads(x loop.Expr, blind bool) {
	if s.stores {
		return
	}
	switch x := x.(type) {
	case *loop.Index:
		for _, sub := range x.Subs {
			s.loads(sub, blind)
		}
		s.load(x, blind)
	case *loop.Unary:
		s.loads(x.X, blind)
	case *loop.Binary:
		s.loads(x.X, blind)
		none, other := func(bool) {}, func(blind bool) { s.loads(x.Y, blind) }
		switch x.Op {
		case loop.LAnd:
			s.branch(x.X, blind, other, none)
		case loop.LOr:
			s.branch(x.X, blind, none, other)
		default:
			s.loads(x.Y, blind)
		}
	case *loop.Cond:
		s.loads(x.If, blind)
		s.branch(x.If, blind, func(blind bool) { s.loads(x.Then, blind) }, func(blind bool) { s.loads(x.Else, blind) })
	case *loop.Call:
		for _, a := range x.Args {
			s.loads(a, blind)
		}
	case *loop.Convert:
		s.loads(x.X, blind)
	}
}

// done reports whether the transfer was made already, and notes it.
func (s *stripper) done(b *box, q []loop.Linear, note bool) bool {
next:
	for _, t := range s.seen {
		if t.b != b {
			continue
		}
		for d := range q {
			if !t.q[d].Equal(q[d]) {
				continue next
			}
		}
		return true
	}
	if note {
		s.seen = append(s.seen, transfer{b, q})
	}
	return false
}

func (s *stripper) load(x *loop.Index, blind bool) {
	b := s.boxOf(x, false, s.e)
	if b == nil {
		return
	}
	q := s.place(b, x, s.e)
	if s.done(b, q, !blind) {
		return
	}
	s.at = x.At
	s.when(s.inside(b, q, blind), func() {
		s.assign(b.element(s.builder, b.shared, q), s.global(x, s.e))
	})
}

func (s *stripper) store(x *loop.Index, blind bool) {
	b := s.boxOf(x, true, s.e)
	if b == nil {
		return
	}
	q := s.place(b, x, s.e)
	if s.done(b, q, !blind) {
		return
	}
	cond := s.inside(b, q, blind)
	if blind && b.mask != nil { // else other stores write the whole box
		cond = s.both(cond, b.element(s.builder, b.mask, q))
	}
	s.when(cond, func() {
		s.assign(s.global(x, s.e), b.element(s.builder, b.shared, q))
	})
}

// inside is the condition that place q of a box exists and its element may be
// accessed, nil where that is certain.
func (s *stripper) inside(b *box, q []loop.Linear, blind bool) loop.Expr {
	if !blind {
		return nil
	}
	var cond loop.Expr
	var tests []loop.Linear
	atLeastZero := func(l loop.Linear) {
		if s.least(l) >= 0 {
			return
		}
		for _, t := range tests {
			if d := s.minus(l, t); len(d.Terms) == 0 && d.Const >= 0 {
				return
			}
		}
		tests = append(tests, l)
		cond = s.both(cond, s.op(loop.Ge, s.linear(l), s.lit(0)))
	}
	for d, x := range b.dims {
		at, ok := q[d].Scale(x.step)
		if !ok {
			s.fail(s.at, "subscript out of the range of 64 bits")
			return nil
		}
		atLeastZero(q[d])
		atLeastZero(s.minus(loop.Linear{Const: x.count - 1}, q[d]))
		if at, ok = at.Add(x.lo); !ok {
			s.fail(s.at, "subscript out of the range of 64 bits")
			return nil
		}
		for _, l := range x.begin {
			atLeastZero(s.minus(at, l))
		}
		for _, l := range x.end {
			atLeastZero(s.minus(l, at))
		}
	}
	return cond
}

// blindStores are the stores under a condition that the store phase leaves out.
func (g *gen) blindStores(list []loop.Stmt) map[*loop.Index]bool {
	out := make(map[*loop.Index]bool)
	var visit func(list []loop.Stmt, blind bool)
	visit = func(list []loop.Stmt, blind bool) {
		for _, s := range list {
			switch s := s.(type) {
			case *loop.For:
				visit(s.Body, blind)
			case *loop.If:
				blind := blind || !g.steady(s.Cond, blind)
				visit(s.Then, blind)
				visit(s.Else, blind)
			case *loop.Assign:
				if x, ok := s.LHS.(*loop.Index); ok && blind {
					out[x] = true
				}
			case *loop.Block:
				visit(s.Body, blind)
			}
		}
	}
	visit(list, false)
	return out
}
