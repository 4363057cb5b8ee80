package scheme

import (
	"fmt"
	"strconv"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// gen makes one kernel. Statements are appended to out; the first error stays in
// err, and what is generated after it is discarded.
type gen struct {
	builder
	opt       Options
	p         *loop.Unit
	k         *loop.Nest
	plan      *tile.Plan
	scheme    device.Scheme // what is made: CMPT where the plan is compatible
	kern      *device.Entry
	own       map[*loop.Var]bool      // declared in the source kernel
	sums      map[*loop.Var]loop.Expr // locals that are sums; see values
	out       []device.Stmt
	taken     map[string]bool // names of what is in scope
	scope     []string        // the names that blocks took, in order
	numArrays int
	accs      []accumulator
	// known are ranges of variables of the kernel.
	known map[*loop.Var]interval
	// limits are those of boxes that the current phase has computed, by text.
	limits map[string]*loop.Var
	err    error
}

func (g *gen) fail(at loop.Pos, format string, args ...any) {
	if g.err == nil {
		g.err = &loop.Error{Pos: at, Msg: fmt.Sprintf(format, args...)}
	}
}

func (g *gen) emit(s device.Stmt) { g.out = append(g.out, s) }

// block collects what f emits; names taken in it are free again afterwards.
func (g *gen) block(f func()) []device.Stmt {
	saved, mark, at := g.out, len(g.scope), g.at
	g.out = nil
	f()
	list := g.out
	for _, n := range g.scope[mark:] {
		delete(g.taken, n)
	}
	g.out, g.scope, g.at = saved, g.scope[:mark], at
	return list
}

// name makes a name that nothing in scope has.
func (g *gen) name(want string) string {
	n := want
	for i := 1; g.taken[n]; i++ {
		n = want + "_" + strconv.Itoa(i)
	}
	g.taken[n] = true
	g.scope = append(g.scope, n)
	return n
}

func (g *gen) fresh(name string, t loop.Type, kind loop.Kind) *loop.Var {
	v := &loop.Var{Name: g.name(name), Type: t, Kind: kind, ID: g.kern.NumVars, At: g.at}
	g.kern.NumVars++
	return v
}

// array makes an array of constant extents.
func (g *gen) array(name string, elem loop.Type, extents ...int64) *loop.Array {
	a := &loop.Array{Name: name, Elem: elem, ID: g.numArrays, At: g.at}
	g.numArrays++
	for _, x := range extents {
		a.Extents = append(a.Extents, g.lit(x))
	}
	return a
}

// shared makes an array in the scratchpad, at a byte offset. Its name is taken in
// the whole kernel: it must be called before blocks that use the name are done.
func (g *gen) shared(name string, elem loop.Type, offset int64, extents ...int64) *loop.Array {
	n := name
	for i := 1; g.taken[n]; i++ {
		n = name + "_" + strconv.Itoa(i)
	}
	g.taken[n] = true
	a := g.array(n, elem, extents...)
	g.kern.Shared = append(g.kern.Shared, a)
	g.kern.SharedAt = append(g.kern.SharedAt, offset)
	return a
}

// let declares a local with the value x.
func (g *gen) let(name string, x loop.Expr) *loop.Var {
	v := g.fresh(name, x.Type(), loop.Local)
	g.emit(&device.Decl{At: g.at, Var: v, Init: x})
	return v
}

func (g *gen) assign(lhs, rhs loop.Expr) {
	g.emit(&device.Assign{At: g.at, LHS: lhs, RHS: g.to(lhs.Type(), rhs)})
}

func (g *gen) sync(p device.Phase) { g.emit(&device.Sync{At: g.at, Phase: p}) }
func (g *gen) barrier()            { g.emit(&device.Barrier{At: g.at}) }

// when emits what f emits under a condition; nil stands for true.
func (g *gen) when(cond loop.Expr, f func()) {
	if cond == nil {
		f()
		return
	}
	if list := g.block(f); len(list) > 0 {
		g.emit(&device.If{At: g.at, Cond: cond, Then: list})
	}
}

// count emits `for (v = lo; v < hi; v += step)` around what f emits.
func (g *gen) count(name string, lo, hi loop.Expr, step int64, f func(v *loop.Var)) {
	var v *loop.Var
	list := g.block(func() {
		v = g.fresh(name, loop.Common(lo.Type(), hi.Type()), loop.Induction)
		g.within(v, lo, hi)
		f(v)
	})
	g.emit(&device.For{At: g.at, Var: v, Lo: g.to(v.Type, lo), Hi: g.to(v.Type, hi), Cmp: loop.Lt, Step: step, Body: list})
}

// env says what the variables of the source stand for at some point of the
// kernel.
type env struct {
	// vars are the kernel's variables of the source's own ones; what has none is a
	// parameter and stands for itself.
	vars map[*loop.Var]*loop.Var
	// lin are exact values of loop variables, which take their place in subscripts:
	// Origin + Step*n tells what Origin alone does not, that the difference of two
	// iterations is a multiple of Step.
	lin map[*loop.Var]loop.Linear
	// hoisted are the locals declared around the statement that declares them.
	hoisted map[*loop.Var]bool
	// fixed are the plan's variables whose values are numbers.
	fixed map[*loop.Var]int64
	// live is the condition under which the thread is active, nil where it always
	// is.
	live loop.Expr
	// boxes are those of the accesses, nil where accesses go to global memory.
	boxes map[*loop.Index]*box
}

func newEnv() *env {
	return &env{vars: make(map[*loop.Var]*loop.Var), lin: make(map[*loop.Var]loop.Linear), hoisted: make(map[*loop.Var]bool),
		fixed: make(map[*loop.Var]int64)}
}

// child is an environment whose changes e does not see.
func (e *env) child() *env {
	c := newEnv()
	c.live, c.boxes = e.live, e.boxes
	for k, v := range e.vars {
		c.vars[k] = v
	}
	for k, v := range e.lin {
		c.lin[k] = v
	}
	for k, v := range e.hoisted {
		c.hoisted[k] = v
	}
	for k, v := range e.fixed {
		c.fixed[k] = v
	}
	return c
}

// form rewrites a linear form of the source or the plan into one over the
// kernel's variables.
func (g *gen) form(l loop.Linear, e *env) loop.Linear {
	out, ok := loop.Linear{Const: l.Const}, true
	for _, t := range l.Terms {
		m, found := e.lin[t.Var]
		if n, fixed := e.fixed[t.Var]; fixed {
			m, found = loop.Linear{Const: n}, true
		}
		if !found {
			m = loop.Of(g.variable(t.Var, e))
		}
		if m, ok = m.Scale(t.Coef); ok {
			out, ok = out.Add(m)
		}
		if !ok {
			g.fail(g.at, "subscript out of the range of 64 bits")
			return loop.Linear{}
		}
	}
	return out
}

// uniform is form for the plan's forms, which must be the same for all threads of
// a team.
func (g *gen) uniform(l loop.Linear, e *env) loop.Linear {
	for _, t := range l.Terms {
		if _, thread := e.lin[t.Var]; thread {
			g.fail(g.at, "the plan bounds a tile by %s, which differs between threads", t.Var.Name)
		}
	}
	return g.form(l, e)
}

func (g *gen) minus(a, b loop.Linear) loop.Linear {
	n, ok := b.Scale(-1)
	if ok {
		n, ok = a.Add(n)
	}
	if !ok {
		g.fail(g.at, "subscript out of the range of 64 bits")
	}
	return n
}

// variable is the kernel's variable for one of the source.
func (g *gen) variable(v *loop.Var, e *env) *loop.Var {
	if d, ok := e.vars[v]; ok {
		return d
	}
	if g.own[v] || v.ID >= g.p.NumVars {
		g.fail(g.at, "%s is used outside the statements that it belongs to", v.Name)
	}
	return v
}
