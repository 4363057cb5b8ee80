package deviceexec

import (
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// evaluation gives the value of an expression, condition whether one holds, and
// operation executes a statement without a barrier, in one thread.
type (
	evaluation func(t *thread) uint64
	condition  func(t *thread) bool
	operation  func(t *thread)
)

// Compile makes a kernel ready for execution. Its error is Check's.
func Compile(k *device.Entry) (*Code, error) {
	if err := device.Check(k); err != nil {
		return nil, err
	}
	return compile(k), nil
}

func compile(k *device.Entry) *Code {
	c := &Code{kernel: k, phased: k.Phased()}
	g := &generator{c: c, vars: make(map[*loop.Var]int), arrays: make(map[*loop.Array]int), unset: make(map[*loop.Var]bool)}
	c.thread, c.team = g.slot(k.ThreadIdx), g.slot(k.TeamIdx)
	for _, p := range k.Params {
		if p.Var != nil {
			c.params = append(c.params, g.slot(p.Var))
		} else {
			c.params = append(c.params, g.array(p.Array))
		}
	}
	for _, a := range k.Shared {
		g.array(a)
	}
	c.body = g.nodes(k.Body)
	c.slots = len(g.vars)
	return c
}

type generator struct {
	c      *Code
	vars   map[*loop.Var]int
	arrays map[*loop.Array]int
	unset  map[*loop.Var]bool // declared without a value
}

func (g *generator) slot(v *loop.Var) int {
	i, ok := g.vars[v]
	if !ok {
		i = len(g.vars)
		g.vars[v] = i
	}
	return i
}

func (g *generator) array(a *loop.Array) int {
	g.arrays[a] = len(g.c.arrays)
	g.c.arrays = append(g.c.arrays, a)
	return g.arrays[a]
}

// nodes collects what stands between barriers in segments.
func (g *generator) nodes(list []device.Stmt) []node {
	var out []node
	var seg *segment
	for _, s := range list {
		if !collective(s) {
			if seg == nil {
				seg = &segment{}
				out = append(out, seg)
			}
			seg.ops = append(seg.ops, g.stmt(s))
			continue
		}
		seg = nil
		switch s := s.(type) {
		case *device.Barrier:
			out = append(out, barrier{})
		case *device.Sync:
			out = append(out, change{s.Phase})
		case *device.If:
			out = append(out, &teamIf{s.At, g.cond(s.Cond), g.nodes(s.Then), g.nodes(s.Else)})
		case *device.For:
			enter, within, next := g.loop(s)
			out = append(out, &teamFor{s.At, enter, within, next, g.nodes(s.Body)})
		}
	}
	return out
}

func (g *generator) list(list []device.Stmt) []operation {
	ops := make([]operation, len(list))
	for i, s := range list {
		ops[i] = g.stmt(s)
	}
	return ops
}

func perform(t *thread, ops []operation) {
	for _, op := range ops {
		op(t)
	}
}

func (g *generator) stmt(s device.Stmt) operation {
	switch s := s.(type) {
	case *device.For:
		enter, within, next := g.loop(s)
		body, at := g.list(s.Body), s.At
		return func(t *thread) {
			for enter(t); within(t); next(t) {
				t.m.step(t, at)
				perform(t, body)
			}
		}
	case *device.If:
		cond, then, otherwise, at := g.cond(s.Cond), g.list(s.Then), g.list(s.Else), s.At
		return func(t *thread) {
			t.m.step(t, at)
			if cond(t) {
				perform(t, then)
			} else {
				perform(t, otherwise)
			}
		}
	case *device.Assign:
		return g.assign(s)
	case *device.Decl:
		return g.decl(s)
	}
	return func(*thread) {}
}

// loop gives the three parts of a For, which evaluates its bound once.
func (g *generator) loop(s *device.For) (enter operation, within condition, next operation) {
	lo, hi := g.expr(s.Lo), g.expr(s.Hi)
	v := g.slot(s.Var)
	bound := g.slot(&loop.Var{})
	typ, cmp, step, at := s.Var.Type, s.Cmp, uint64(s.Step), s.At
	enter = func(t *thread) { t.vals[v], t.vals[bound] = lo(t), hi(t) }
	within = func(t *thread) bool { return loop.Compare(cmp, typ, t.vals[v], t.vals[bound]) }
	next = func(t *thread) {
		x, fault := loop.EvalBinary(loop.Add, typ, typ, t.vals[v], step)
		if fault != "" {
			t.fail(at, "%s", fault)
		}
		t.vals[v] = x
	}
	return enter, within, next
}

func (g *generator) assign(s *device.Assign) operation {
	rhs, at := g.expr(s.RHS), s.At
	if r, ok := s.LHS.(*loop.Ref); ok {
		v := g.slot(r.Var)
		return func(t *thread) {
			t.m.step(t, at)
			t.vals[v], t.set[v] = rhs(t), true
		}
	}
	l := s.LHS.(*loop.Index)
	a, i := g.arrays[l.Array], g.element(l)
	return func(t *thread) {
		t.m.step(t, at)
		x := rhs(t)
		t.m.store(t, at, &t.m.mem[a], i(t), x)
	}
}

func (g *generator) decl(s *device.Decl) operation {
	v, at := g.slot(s.Var), s.At
	if s.Init == nil {
		g.unset[s.Var] = true
		return func(t *thread) { t.set[v] = false }
	}
	init := g.expr(s.Init)
	return func(t *thread) {
		t.m.step(t, at)
		t.vals[v] = init(t)
	}
}

// element gives the place of an element in row-major order.
func (g *generator) element(e *loop.Index) func(t *thread) int64 {
	a, at := g.arrays[e.Array], e.At
	subs := make([]evaluation, len(e.Subs))
	for d, s := range e.Subs {
		subs[d] = g.expr(s)
	}
	return func(t *thread) int64 {
		mem := &t.m.mem[a]
		flat := int64(0)
		for d, s := range subs {
			i := s(t)
			// A negative signed subscript is above every extent as unsigned.
			if i >= uint64(mem.shape[d]) {
				t.fail(at, "subscript %d of %s is %d, outside [0, %d)", d, mem.array.Name, int64(i), mem.shape[d])
			}
			flat = flat*mem.shape[d] + int64(i)
		}
		return flat
	}
}

func (g *generator) cond(e loop.Expr) condition {
	x, typ := g.expr(e), e.Type()
	if typ.IsInteger() {
		return func(t *thread) bool { return x(t) != 0 }
	}
	return func(t *thread) bool { return loop.Truth(typ, x(t)) }
}

func (g *generator) expr(e loop.Expr) evaluation {
	at := e.Position()
	switch e := e.(type) {
	case *loop.IntLit:
		v := uint64(e.Value)
		return func(*thread) uint64 { return v }
	case *loop.FloatLit:
		v := e.Bits()
		return func(*thread) uint64 { return v }
	case *loop.Ref:
		v, name := g.slot(e.Var), e.Var.Name
		if !g.unset[e.Var] {
			return func(t *thread) uint64 { return t.vals[v] }
		}
		return func(t *thread) uint64 {
			if !t.set[v] {
				t.fail(at, "%s is read before it is set", name)
			}
			return t.vals[v]
		}
	case *loop.Index:
		a, i := g.arrays[e.Array], g.element(e)
		return func(t *thread) uint64 { return t.m.load(t, at, &t.m.mem[a], i(t)) }
	case *loop.Cond:
		cond, then, otherwise := g.cond(e.If), g.expr(e.Then), g.expr(e.Else)
		return func(t *thread) uint64 {
			if cond(t) {
				return then(t)
			}
			return otherwise(t)
		}
	case *loop.Call:
		return g.call(e)
	case *loop.Convert:
		x, to, from := g.expr(e.X), e.T, e.X.Type()
		if to == from {
			return x
		}
		return checked(at, func(t *thread) (uint64, string) { return loop.EvalConvert(to, from, x(t)) })
	case *loop.Unary:
		x, op, typ := g.expr(e.X), e.Op, e.X.Type()
		return checked(at, func(t *thread) (uint64, string) { return loop.EvalUnary(op, typ, x(t)) })
	case *loop.Binary:
		return g.binary(e)
	}
	return func(*thread) uint64 { return 0 }
}

// checked stops at what C leaves undefined.
func checked(at loop.Pos, f func(t *thread) (uint64, string)) evaluation {
	return func(t *thread) uint64 {
		v, fault := f(t)
		if fault != "" {
			t.fail(at, "%s", fault)
		}
		return v
	}
}

func (g *generator) binary(e *loop.Binary) evaluation {
	if e.Op == loop.LAnd || e.Op == loop.LOr {
		x, y, or := g.cond(e.X), g.cond(e.Y), e.Op == loop.LOr
		return func(t *thread) uint64 {
			if r := x(t); r == or {
				return bit(r)
			}
			return bit(y(t))
		}
	}
	x, y, op, typ, yt, at := g.expr(e.X), g.expr(e.Y), e.Op, e.X.Type(), e.Y.Type(), e.At
	return func(t *thread) uint64 {
		a := x(t)
		v, fault := loop.EvalBinary(op, typ, yt, a, y(t))
		if fault != "" {
			t.fail(at, "%s", fault)
		}
		return v
	}
}

func (g *generator) call(e *loop.Call) evaluation {
	fn, x := e.Fn, g.expr(e.Args[0])
	if fn.Arity == 1 {
		return func(t *thread) uint64 { return fn.Eval(x(t), 0) }
	}
	y := g.expr(e.Args[1])
	return func(t *thread) uint64 {
		a := x(t)
		return fn.Eval(a, y(t))
	}
}

// collective reports whether a statement is or holds a barrier or a Sync.
func collective(s device.Stmt) bool {
	found := false
	device.WalkStmts([]device.Stmt{s}, func(x device.Stmt) {
		switch x.(type) {
		case *device.Barrier, *device.Sync:
			found = true
		}
	})
	return found
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
