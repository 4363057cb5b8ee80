package tile

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

func errorf(at loop.Pos, format string, args ...any) *loop.Error {
	return &loop.Error{Pos: at, Msg: fmt.Sprintf(format, args...)}
}

// span is a loop's bounds as linear forms: its first value, the form of its Hi,
// and a bound on its last value, exact where exact is set.
type span struct {
	first, hi, last loop.Linear
	exact           bool
}

// spanOf gives the bounds of l, or the one that is not affine.
func spanOf(l *loop.For) (span, *loop.Error) {
	var b span
	var ok bool
	if b.first, ok = loop.Affine(l.Lo); !ok {
		return b, notAffine(l, l.Lo)
	}
	if b.hi, ok = loop.Affine(l.Hi); !ok {
		return b, notAffine(l, l.Hi)
	}
	if b.last, ok = plus(b.hi, past(l)); !ok {
		return b, notAffine(l, l.Hi)
	}
	b.exact = l.Step == 1 || l.Step == -1
	if d, ok := minus(b.last, b.first); ok && len(d.Terms) == 0 && !b.exact {
		n := floorDiv(d.Const, l.Step)
		if l.Step < 0 {
			n = floorDiv(-d.Const, -l.Step)
		}
		if f, ok := plus(b.first, n*l.Step); ok {
			b.last, b.exact = f, true
		}
	}
	return b, nil
}

// past leads from a loop's Hi to the last value that it allows.
func past(l *loop.For) int64 {
	switch l.Cmp {
	case loop.Lt:
		return -1
	case loop.Gt:
		return 1
	}
	return 0
}

func notAffine(l *loop.For, e loop.Expr) *loop.Error {
	return errorf(e.Position(), "the bound %s of the loop over %s is not an affine expression of loop variables and parameters",
		loop.ExprString(e), l.Var.Name)
}

// ends orders two bounds of an induction variable as low and high.
func ends(l *loop.For, first, last []loop.Linear) (low, high []loop.Linear) {
	if l.Step > 0 {
		return first, last
	}
	return last, first
}

func abs(a int64) int64 { return max(a, -a) }

// whole enters a loop that the interval executes whole.
func whole(s *scope, l *loop.For, b span) *scope {
	n := scope{v: l.Var, base: b.first, stride: abs(l.Step)}
	n.low, n.high = ends(l, []loop.Linear{b.first}, []loop.Linear{b.last})
	if s.isFixed(b.first) && s.isFixed(b.last) {
		n.shape = &shape{b.first, l.Step, []loop.Linear{b.last}}
	}
	return s.with(n)
}

// uniform reports whether all threads of a tile have the bounds b.
func uniform(s *scope, b span) bool { return s.isFixed(b.first) && s.isFixed(b.hi) }

// common gives the bounds of a walked or tiled loop over all threads of a tile.
func common(s *scope, l *loop.For, b span) (lo, hi []loop.Linear) {
	up := l.Step > 0
	return tightest(s, s.bounds(b.first, !up), !up), tightest(s, s.bounds(b.hi, up), up)
}

// origin enters a variable that takes every count-th value of the loop and is the
// same for all threads: the variable of a Walk, the Origin of a tiled loop.
func origin(s *scope, l *loop.For, v *loop.Var, count int64, b span) *scope {
	up := l.Step > 0
	n := scope{v: v, fixed: true}
	last := b.last
	if d, ok := minus(b.last, b.first); ok && len(d.Terms) == 0 && uniform(s, b) {
		// The last origin is a whole number of tiles behind the first.
		if size, ok := (loop.Linear{Const: l.Step}).Scale(count); ok {
			if f, ok := plus(b.first, floorDiv(abs(d.Const), abs(size.Const))*size.Const); ok && (d.Const >= 0) == up {
				last = f
			}
		}
	}
	n.low, n.high = ends(l, s.bounds(b.first, !up), s.bounds(last, up))
	return s.with(n)
}

// after is the value n iterations of l behind that of org.
func after(org *loop.Var, l *loop.For, n int64) (loop.Linear, bool) {
	d, ok := (loop.Linear{Const: l.Step}).Scale(n)
	if !ok {
		return d, false
	}
	return loop.Of(org).Add(d)
}

// from enters a loop of which count iterations from org on are executed by an
// interval, within the loop's own bounds.
func from(s *scope, l *loop.For, org *loop.Var, count int64, b span) *scope {
	n := scope{v: l.Var, base: loop.Of(org), stride: abs(l.Step)}
	first, last := []loop.Linear{loop.Of(org)}, []loop.Linear{b.last}
	if end, ok := after(org, l, count-1); ok {
		last = []loop.Linear{end, b.last}
	}
	if uniform(s, b) {
		n.shape = &shape{loop.Of(org), l.Step, last}
	} else {
		first = append(first, b.first)
	}
	n.low, n.high = ends(l, first, last)
	return s.with(n)
}

// trips is a static bound on the loop's iterations, or false. With uniform bounds
// that cannot be empty, it is at least 1.
func trips(s *scope, l *loop.For, b span) (int64, bool) {
	d, ok := minus(b.last, b.first)
	if !ok {
		return 0, false
	}
	if l.Step < 0 {
		if d, ok = d.Scale(-1); !ok {
			return 0, false
		}
	}
	m, ok := s.extreme(d, true)
	if !ok {
		return 0, false
	}
	return max(floorDiv(m, abs(l.Step))+1, 0), true
}

// runs reports whether the loop provably executes an iteration.
func runs(s *scope, l *loop.For, b span) bool {
	if l.Step > 0 {
		return s.atMost(b.first, b.last)
	}
	return s.atMost(b.last, b.first)
}

// access is one reference to memory in an interval, with its subscripts and the
// variables around it.
type access struct {
	ref   *loop.Index
	write bool
	subs  []loop.Linear
	scope *scope
	// loops are the inner loops around it, executed whole or tiled.
	loops []inner
	// certain says that the access is executed in every iteration of its loops.
	certain bool
}

type inner struct {
	loop  *loop.For
	span  span
	outer *scope
	tiled bool // then at least one iteration is executed
}

// collector gathers the accesses of statements in program order: Algorithm 1's
// walk over a loop and its sub-loops.
type collector struct {
	spans map[*loop.For]span
	list  []access
	err   *loop.Error
	loops []inner
	scope *scope
	sure  bool
	// read, if not nil, is called with every element read, which is then not
	// listed.
	read  func(*loop.Index)
	tiled *loop.For // of which the interval executes a part, at least one iteration
}

func (c *collector) stmts(list []loop.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

func (c *collector) stmt(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.For:
		c.loop(s, whole(c.scope, s, c.spans[s]))
	case *loop.If:
		c.expr(s.Cond)
		c.unsure(func() {
			c.stmts(s.Then)
			c.stmts(s.Else)
		})
	case *loop.Assign:
		c.expr(s.RHS)
		if x, ok := s.LHS.(*loop.Index); ok {
			for _, e := range x.Subs {
				c.expr(e)
			}
			c.add(x, true)
		}
	case *loop.Decl:
		if s.Init != nil {
			c.expr(s.Init)
		}
	case *loop.Block:
		c.stmts(s.Body)
	}
}

// loop gathers the accesses of l's body, in which inside is the scope.
func (c *collector) loop(l *loop.For, inside *scope) {
	outer := c.scope
	c.loops = append(c.loops, inner{l, c.spans[l], outer, l == c.tiled})
	c.scope = inside
	c.stmts(l.Body)
	c.scope = outer
	c.loops = c.loops[:len(c.loops)-1]
}

func (c *collector) unsure(f func()) {
	was := c.sure
	c.sure = false
	f()
	c.sure = was
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
	case *loop.Convert:
		c.expr(e.X)
	case *loop.Binary:
		c.expr(e.X)
		if e.Op == loop.LAnd || e.Op == loop.LOr {
			c.unsure(func() { c.expr(e.Y) })
		} else {
			c.expr(e.Y)
		}
	case *loop.Cond:
		c.expr(e.If)
		c.unsure(func() {
			c.expr(e.Then)
			c.expr(e.Else)
		})
	case *loop.Call:
		for _, a := range e.Args {
			c.expr(a)
		}
	}
}

func (c *collector) add(x *loop.Index, write bool) {
	if c.read != nil {
		c.read(x)
		return
	}
	a := access{ref: x, write: write, scope: c.scope, certain: c.sure, loops: append([]inner(nil), c.loops...)}
	for d, e := range x.Subs {
		f, ok := loop.Affine(e)
		if !ok {
			if c.err == nil {
				c.err = errorf(e.Position(), "subscript %d of %s, %s, is not an affine expression of loop variables and parameters",
					d, x.Array.Name, loop.ExprString(e))
			}
			return
		}
		a.subs = append(a.subs, f)
	}
	c.list = append(c.list, a)
}
