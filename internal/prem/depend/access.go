package depend

import (
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Accesses are the accesses of one kernel to arrays, each with the iterations in
// which it is executed as far as affine bounds and conditions tell.
type Accesses struct {
	kernel *loop.Nest
	list   []*access
	byNode map[*loop.Index][]*access
	host   []*nest   // loops around the kernel, outermost first
	guard  []formula // conditions around the kernel
	fresh  int       // the last stand-in's number, counted down from 0
}

// access is one occurrence of an Index.
type access struct {
	node  *loop.Index
	write bool
	loops []*nest     // of the kernel, around it, outermost first
	guard []formula   // the conditions around it in the kernel
	subs  []subscript // one a dimension
}

// subscript is a linear form where affine is set.
type subscript struct {
	form   loop.Linear
	affine bool
}

// nest is a loop with its bounds as linear forms. A bound that is not affine but
// the same in all iterations of the kernel is an unknown of its own; exact is then
// false, as it is where a bound is not known at all.
type nest struct {
	loop           *loop.For
	lo, hi         loop.Linear
	knowLo, knowHi bool
	exact          bool
}

// Collect lists the accesses of kernel k of p. The program has to satisfy
// loop.Check; the error is that k is no kernel of p.
func Collect(p *loop.Unit, k *loop.Nest) (*Accesses, error) {
	a := &Accesses{kernel: k, byNode: make(map[*loop.Index][]*access)}
	c := &collector{out: a, locals: make(map[*loop.Var]loop.Linear)}
	for _, f := range p.Funcs {
		if !c.find(f.Body) {
			continue
		}
		for _, x := range a.list {
			if k.Collapse < 1 || len(x.loops) < k.Collapse || len(x.subs) != len(x.node.Array.Extents) {
				return nil, fmt.Errorf("%s: kernel breaks the rules of the representation", x.node.At)
			}
		}
		return a, nil
	}
	return nil, fmt.Errorf("kernel at %s is not in %s", k.At, p.File)
}

// collector walks a function: first down to the kernel, then through it.
type collector struct {
	out *Accesses
	// locals are the scalars that have one value in an iteration of the loops around
	// them, as a linear form of what is known outside.
	locals   map[*loop.Var]loop.Linear
	assigned map[*loop.Var]bool
	loops    []*nest
	guard    []formula
}

// find looks for the kernel and collects its accesses; what stands around it
// becomes the context.
func (c *collector) find(list []loop.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			c.out.host = append(c.out.host, c.nest(s))
			if c.find(s.Body) {
				return true
			}
			c.out.host = c.out.host[:len(c.out.host)-1]
		case *loop.If:
			for _, branch := range []struct {
				body  []loop.Stmt
				truth bool
			}{{s.Then, true}, {s.Else, false}} {
				outer := c.out.guard
				c.out.guard = slices.Concat(outer, condition(s.Cond, branch.truth, c.affine))
				if c.find(branch.body) {
					return true
				}
				c.out.guard = outer
			}
		case *loop.Block:
			if c.find(s.Body) {
				return true
			}
		case *loop.Data:
			if c.find(s.Body) {
				return true
			}
		case *loop.Nest:
			if s == c.out.kernel {
				c.enter(s)
				return true
			}
		}
	}
	return false
}

func (c *collector) enter(k *loop.Nest) {
	c.assigned = make(map[*loop.Var]bool)
	assignments([]loop.Stmt{k.Loop}, c.assigned)
	for _, v := range k.FirstPrivate {
		// No statement of the kernel assigns it (loop.Check), so that it is one value
		// throughout.
		if v.Kind == loop.Local {
			c.locals[v] = loop.Of(c.standIn(v.Name, v.Type))
		}
	}
	c.stmt(k.Loop)
}

// assignments collects the scalars that statements assign, other than where they
// are declared.
func assignments(list []loop.Stmt, out map[*loop.Var]bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			assignments(s.Body, out)
		case *loop.If:
			assignments(s.Then, out)
			assignments(s.Else, out)
		case *loop.Block:
			assignments(s.Body, out)
		case *loop.Assign:
			if r, ok := s.LHS.(*loop.Ref); ok {
				out[r.Var] = true
			}
		}
	}
}

// standIn is an unknown that is the same in all iterations of the kernel.
func (c *collector) standIn(name string, t loop.Type) *loop.Var {
	c.out.fresh--
	return &loop.Var{Name: name, Type: t, Kind: loop.Parameter, ID: c.out.fresh}
}

func (c *collector) stmts(list []loop.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *collector) stmt(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.For:
		c.loops = append(c.loops, c.nest(s))
		c.stmts(s.Body)
		c.loops = c.loops[:len(c.loops)-1]
	case *loop.If:
		c.expr(s.Cond)
		c.under(s.Cond, true, func() { c.stmts(s.Then) })
		c.under(s.Cond, false, func() { c.stmts(s.Else) })
	case *loop.Block:
		c.stmts(s.Body)
	case *loop.Assign:
		if x, ok := s.LHS.(*loop.Index); ok {
			for _, sub := range x.Subs {
				c.expr(sub)
			}
			c.add(x, true)
		}
		c.expr(s.RHS)
	case *loop.Decl:
		if s.Init == nil {
			return
		}
		c.expr(s.Init)
		if l, ok := c.affine(s.Init); ok && !c.assigned[s.Var] {
			c.locals[s.Var] = l
		}
	}
}

// under calls f with a further condition around it.
func (c *collector) under(cond loop.Expr, truth bool, f func()) {
	outer := c.guard
	c.guard = slices.Concat(outer, condition(cond, truth, c.affine))
	f()
	c.guard = outer
}

func (c *collector) expr(e loop.Expr) {
	switch e := e.(type) {
	case *loop.Index:
		for _, s := range e.Subs {
			c.expr(s)
		}
		c.add(e, false)
	case *loop.Unary:
		c.expr(e.X)
	case *loop.Binary:
		c.expr(e.X)
		if e.Op == loop.LAnd || e.Op == loop.LOr {
			c.under(e.X, e.Op == loop.LAnd, func() { c.expr(e.Y) })
		} else {
			c.expr(e.Y)
		}
	case *loop.Cond:
		c.expr(e.If)
		c.under(e.If, true, func() { c.expr(e.Then) })
		c.under(e.If, false, func() { c.expr(e.Else) })
	case *loop.Call:
		for _, x := range e.Args {
			c.expr(x)
		}
	case *loop.Convert:
		c.expr(e.X)
	}
}

func (c *collector) add(x *loop.Index, write bool) {
	a := &access{node: x, write: write, loops: slices.Clone(c.loops), guard: c.guard}
	for _, s := range x.Subs {
		l, ok := c.affine(s)
		a.subs = append(a.subs, subscript{l, ok})
	}
	c.out.list = append(c.out.list, a)
	c.out.byNode[x] = append(c.out.byNode[x], a)
}

func (c *collector) nest(f *loop.For) *nest {
	n := &nest{loop: f, exact: true}
	n.lo, n.knowLo = c.bound(f.Lo, n)
	n.hi, n.knowHi = c.bound(f.Hi, n)
	return n
}

// bound gives a loop bound as a linear form, if need be of an unknown of its own.
func (c *collector) bound(e loop.Expr, n *nest) (loop.Linear, bool) {
	if l, ok := c.affine(e); ok {
		return l, true
	}
	n.exact = false
	if c.shared(e) {
		return loop.Of(c.standIn(loop.ExprString(e), e.Type())), true
	}
	return loop.Linear{}, false
}

// shared reports whether a loop bound, which names parameters and loop variables
// alone, has one value in all iterations of the kernel.
func (c *collector) shared(e loop.Expr) bool {
	switch e := e.(type) {
	case *loop.IntLit:
		return true
	case *loop.Ref:
		return !slices.ContainsFunc(c.loops, func(n *nest) bool { return n.loop.Var == e.Var }) && e.Var.Kind != loop.Local
	case *loop.Unary:
		return c.shared(e.X)
	case *loop.Binary:
		return c.shared(e.X) && c.shared(e.Y)
	case *loop.Cond:
		return c.shared(e.If) && c.shared(e.Then) && c.shared(e.Else)
	case *loop.Convert:
		return c.shared(e.X)
	}
	return false
}

// affine is loop.Affine, which refuses locals, with those replaced whose form is
// known.
func (c *collector) affine(e loop.Expr) (loop.Linear, bool) {
	var named []*loop.Var
	stand := make(map[*loop.Var]*loop.Var)
	e = c.withStandIns(e, func(v *loop.Var) *loop.Var {
		if _, ok := c.locals[v]; !ok {
			return nil
		}
		if stand[v] == nil {
			stand[v] = &loop.Var{Name: v.Name, Type: v.Type, Kind: loop.Parameter, ID: v.ID}
			named = append(named, v)
		}
		return stand[v]
	})
	l, ok := loop.Affine(e)
	for _, v := range named {
		if !ok {
			break
		}
		l, ok = l.Replace(stand[v], c.locals[v])
	}
	return l, ok
}

// withStandIns copies those parts of an expression that loop.Affine looks into,
// with locals replaced by what stand gives for them.
func (c *collector) withStandIns(e loop.Expr, stand func(*loop.Var) *loop.Var) loop.Expr {
	switch e := e.(type) {
	case *loop.Ref:
		if v := stand(e.Var); v != nil {
			return &loop.Ref{At: e.At, Var: v}
		}
	case *loop.Unary:
		return &loop.Unary{At: e.At, Op: e.Op, X: c.withStandIns(e.X, stand)}
	case *loop.Binary:
		return &loop.Binary{At: e.At, Op: e.Op, X: c.withStandIns(e.X, stand), Y: c.withStandIns(e.Y, stand)}
	case *loop.Convert:
		return &loop.Convert{At: e.At, T: e.T, X: c.withStandIns(e.X, stand), Implicit: e.Implicit}
	}
	return e
}
