package ptxgen

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// loopState is a loop whose body is being generated; the first is the kernel as a
// whole and has no variable.
type loopState struct {
	v      *loop.Var
	sym    int
	step   int64
	lo, hi loop.Expr // pure
	pre    *scope    // executed once before the first iteration
	body   *scope
	reg    string // that holds v, or "" where none is needed
	steps  []string
	meters []meter
}

// meter is a register that runs with v, f0 + v*coef, and can tell the loop's end.
type meter struct {
	reg, start string // start is its value before the first iteration
	f0         poly
	coef       int64
}

// pure gives an expression that keeps the value that e has here.
func (g *gen) pure(e loop.Expr) loop.Expr {
	if _, ok := g.info(e); ok {
		return g.resolve(e)
	}
	v := &loop.Var{Name: "bound", Type: e.Type(), Kind: loop.Local, At: e.Position()}
	r := g.newFor(e.Type())
	g.into(e, r)
	g.bindValue(v, r, g.cur.depth)
	return g.vars[v].ref
}

// forLoop generates a loop as `if (enters) do ... while (goes on)`. What does not
// change in it is computed between the two tests.
func (g *gen) forLoop(s *device.For) {
	lo, hi := g.pure(s.Lo), g.pure(s.Hi)
	enters := g.cond(&loop.Binary{At: s.At, Op: s.Cmp, X: lo, Y: hi})
	if enters == no {
		return
	}
	if g.atMostOnce(s, lo, hi) {
		g.branch(enters, "if_"+s.Var.Name, func() {
			g.bindName(s.Var, lo)
			g.stmts(s.Body)
			delete(g.vars, s.Var)
		}, nil)
		return
	}
	if g.unrolled(s, lo, hi) {
		return
	}
	g.repeat(s, lo, hi, enters, func() { g.stmts(s.Body) })
}

// repeat generates a loop; enters says whether it has an iteration.
func (g *gen) repeat(s *device.For, lo, hi loop.Expr, enters string, body func()) {
	l := &loopState{v: s.Var, step: s.Step, lo: lo, hi: hi}
	head := g.label("for_" + s.Var.Name)
	exit := head + "_end"
	if enters != yes {
		g.putGuarded(invert(enters), "bra %s", exit)
	}
	here := g.cur
	l.pre = newScope(here, here.depth)
	l.body = newScope(l.pre, here.depth+1)
	l.sym = g.newSymbol(symbol{level: here.depth + 1, typ: s.Var.Type, of: l})
	g.symbols[l.sym].span = g.reachOf(s, lo, hi)
	g.vars[s.Var] = &binding{level: here.depth + 1, of: l, sym: l.sym}
	g.loops = append(g.loops, l)
	g.place(l.pre.out)
	g.mark(head)
	where := ""
	if s.At.File != g.k.At.File {
		where = fmt.Sprintf(" of %q", s.At.File)
	}
	g.put(comment, "for %s (line %d%s)", s.Var.Name, s.At.Line, where)
	g.place(l.body.out)
	g.cur = l.body
	body()
	g.pos = s.At
	again := g.latch(l, s)
	g.putGuarded(again, "bra %s", head)
	g.cur = here
	g.loops = g.loops[:len(g.loops)-1]
	delete(g.vars, s.Var)
	if enters != yes {
		g.mark(exit)
	}
}

// atMostOnce reports whether no thread executes a second iteration.
func (g *gen) atMostOnce(s *device.For, lo, hi loop.Expr) bool {
	if !g.polynomial(lo) || !g.polynomial(hi) {
		return false
	}
	second := g.bounds(g.sum(lo).plus(konst(s.Step)).plus(g.sum(hi).scale(-1)))
	switch s.Cmp {
	case loop.Lt:
		return second.min >= 0
	case loop.Le:
		return second.min > 0
	case loop.Gt:
		return second.max <= 0
	}
	return second.max < 0
}

// reachOf is the span of a loop's variable in its body.
func (g *gen) reachOf(s *device.For, lo, hi loop.Expr) span {
	a, b := g.bounds(g.sum(lo)), g.bounds(g.sum(hi))
	switch s.Cmp {
	case loop.Lt:
		return span{a.min, b.max - 1}.trim(s.Var.Type)
	case loop.Le:
		return span{a.min, b.max}.trim(s.Var.Type)
	case loop.Gt:
		return span{b.min + 1, a.max}.trim(s.Var.Type)
	}
	return span{b.min, a.max}.trim(s.Var.Type)
}

// ahead runs f at the place before a loop's first iteration.
func (g *gen) ahead(l *loopState, f func()) {
	here := g.cur
	g.cur = l.pre
	f()
	g.cur = here
}

// counter gives the register of a loop's variable.
func (g *gen) counter(l *loopState) string {
	if l.reg != "" {
		return l.reg
	}
	l.reg = g.newFor(l.v.Type)
	g.ahead(l, func() { g.emit("mov.%s %s, %s", bitType(l.v.Type), l.reg, g.value(l.lo)) })
	l.steps = append(l.steps, fmt.Sprintf("add.%s %s, %s, %d", typeNames[l.v.Type], l.reg, l.reg, l.step))
	return l.reg
}

// stepped gives a register that holds f0 + v*f1 in every iteration of a loop over v.
func (g *gen) stepped(l *loopState, key string, f0, f1 poly) string {
	r := g.newFor(loop.Long)
	var step, start string
	g.ahead(l, func() {
		if start = g.full(f0.plus(f1.times(g.sum(l.lo))), r); start != r {
			g.emit("mov.b64 %s, %s", r, start)
		}
		if !strings.HasPrefix(start, "%") {
			start = r
		}
		step = g.full(f1.scale(l.step), "")
	})
	l.steps = append(l.steps, fmt.Sprintf("add.s64 %s, %s, %s", r, r, step))
	if c, rest := f1.cut(); len(rest) == 0 && c > -1<<28 && c < 1<<28 && l.v.Type == loop.Int {
		l.meters = append(l.meters, meter{r, start, f0, c})
	}
	l.body.cache[key] = r
	return r
}

// latch advances the loop's registers and gives the condition to go on. Where
// nothing needs the variable, an address that runs with it tells the end: with a
// step of one by being equal, which no overflow disturbs, else by being less,
// which is right where the address cannot leave the range of 64 bits.
func (g *gen) latch(l *loopState, s *device.For) string {
	var m *meter
	for i := range l.meters {
		if l.reg == "" && (l.step == 1 || l.step == -1 || g.small(l.meters[i].f0)) {
			m = &l.meters[i]
			break
		}
	}
	if m == nil {
		reg := g.counter(l)
		var hi string
		g.ahead(l, func() { hi = g.value(l.hi) })
		g.advance(l)
		return g.compare(compareOps[s.Cmp]+"."+typeNames[l.v.Type], reg, hi)
	}
	end := g.sum(l.hi)
	how := compareOps[s.Cmp]
	if m.coef < 0 {
		how = map[string]string{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[how]
	}
	if l.step == 1 || l.step == -1 {
		how = "ne"
		if s.Cmp == loop.Le || s.Cmp == loop.Ge {
			end = end.plus(konst(l.step))
		}
	}
	var hi string
	g.ahead(l, func() {
		// The distance from start to end is mostly known before the start.
		way := g.full(end.plus(g.sum(l.lo).scale(-1)).scale(m.coef), "")
		hi = g.newFor(loop.Long)
		g.emit("add.s64 %s, %s, %s", hi, m.start, way)
	})
	g.advance(l)
	return g.compare(how+".s64", m.reg, hi)
}

func (g *gen) advance(l *loopState) {
	for _, s := range l.steps {
		g.emit("%s", s)
	}
}

// small reports whether a sum of addresses and 32-bit variables is far from the
// ends of the range of 64 bits.
func (g *gen) small(p poly) bool {
	if len(p) > 8 {
		return false
	}
	for _, t := range p {
		if len(t.syms) > 1 || t.coef < -1<<28 || t.coef > 1<<28 {
			return false
		}
		if len(t.syms) == 1 {
			if s := &g.symbols[t.syms[0]]; s.typ != loop.Int && !(s.address && t.coef == 1) {
				return false
			}
		}
	}
	return true
}
