package ptxgen

import (
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Conditions are given as a predicate register, one led by "!", or one of these.
const (
	yes = "true"
	no  = "false"
)

var compareOps = map[loop.Op]string{loop.Lt: "lt", loop.Le: "le", loop.Gt: "gt", loop.Ge: "ge", loop.Eq: "eq", loop.Ne: "ne"}

// mirrored are comparisons with their operands exchanged.
var mirrored = map[string]string{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}

// cond evaluates an expression as a condition.
func (g *gen) cond(e loop.Expr) string {
	switch e := e.(type) {
	case *loop.Unary:
		if e.Op == loop.Not {
			return invert(g.cond(e.X))
		}
	case *loop.Binary:
		if p := g.decide(e); p != "" {
			return p
		}
		if e.Op < loop.Lt || e.Op > loop.LOr {
			break
		}
		level, pure := g.info(e)
		if !pure {
			return g.test(e)
		}
		return g.atLevel(level, "p"+g.key(e), func() string { return g.test(e) })
	}
	if c, ok := g.constant(e); ok {
		if c != 0 {
			return yes
		}
		return no
	}
	level, pure := g.info(e)
	nonzero := func() string {
		t := e.Type()
		switch x := g.register(e); {
		case t == loop.Float:
			return g.compare("neu.f32", x, "0f00000000")
		case t == loop.Double:
			return g.compare("neu.f64", x, "0d0000000000000000")
		default:
			return g.compare("ne."+typeNames[t], x, "0")
		}
	}
	if !pure {
		return nonzero()
	}
	return g.atLevel(level, "p"+g.key(e), nonzero)
}

func (g *gen) compare(how, x, y string) string {
	p := g.newPred()
	g.emit("setp.%s %s, %s, %s", how, p, x, y)
	return p
}

// decide gives the result of a comparison that is the same always.
func (g *gen) decide(e *loop.Binary) string {
	if e.Op < loop.Lt || e.Op > loop.Ne || !g.polynomial(e.X) || !g.polynomial(e.Y) {
		return ""
	}
	d := g.bounds(g.sum(e.X).plus(g.sum(e.Y).scale(-1)))
	lo, hi := d.min, d.max
	pick := func(always, never bool) string {
		switch {
		case always:
			return yes
		case never:
			return no
		}
		return ""
	}
	switch e.Op {
	case loop.Lt:
		return pick(hi < 0, lo >= 0)
	case loop.Le:
		return pick(hi <= 0, lo > 0)
	case loop.Gt:
		return pick(lo > 0, hi <= 0)
	case loop.Ge:
		return pick(lo >= 0, hi < 0)
	case loop.Eq:
		return pick(lo == 0 && hi == 0, lo > 0 || hi < 0)
	}
	return pick(lo > 0 || hi < 0, lo == 0 && hi == 0)
}

// test emits a comparison or a logical operation here.
func (g *gen) test(e *loop.Binary) string {
	if e.Op != loop.LAnd && e.Op != loop.LOr {
		t := e.X.Type()
		how := compareOps[e.Op]
		if e.Op == loop.Ne && t.IsFloat() {
			how = "neu" // a NaN differs from everything
		}
		x, y := g.value(e.X), g.value(e.Y)
		if !strings.HasPrefix(x, "%") {
			if x, y = y, x; mirrored[how] != "" {
				how = mirrored[how]
			}
			if !strings.HasPrefix(x, "%") {
				x = g.register(e.Y)
			}
		}
		return g.compare(how+"."+typeNames[t], x, y)
	}
	and := e.Op == loop.LAnd
	a := g.cond(e.X)
	switch {
	case a == yes && and, a == no && !and:
		return g.cond(e.Y)
	case a == yes, a == no:
		return a
	}
	if reads(e.Y) {
		return g.shortCircuit(a, e.Y, and)
	}
	b := g.cond(e.Y)
	switch {
	case b == yes && and, b == no && !and:
		return a
	case b == yes, b == no:
		return b
	}
	x, y := g.positive(a), g.positive(b)
	p := g.newPred()
	op := "or"
	if and {
		op = "and"
	}
	g.emit("%s.pred %s, %s, %s", op, p, x, y)
	return p
}

// shortCircuit evaluates y only where a does not decide.
func (g *gen) shortCircuit(a string, y loop.Expr, and bool) string {
	p := g.newPred()
	g.emit("mov.pred %s, %s", p, g.positive(a))
	if !and {
		a = invert(a)
	}
	g.branch(a, "and", func() {
		switch b := g.cond(y); b {
		case yes, no:
			g.emit("setp.%s.s32 %s, %s, 0", map[string]string{yes: "ge", no: "lt"}[b], p, g.thread)
		default:
			g.emit("mov.pred %s, %s", p, g.positive(b))
		}
	}, nil)
	return p
}

// positive gives the predicate register of a condition.
func (g *gen) positive(p string) string {
	s, negated := strings.CutPrefix(p, "!")
	if !negated {
		return p
	}
	d := g.newPred()
	g.emit("not.pred %s, %s", d, s)
	return d
}

// maxGuarded is the most instructions that are guarded rather than jumped over.
const maxGuarded = 4

// branch executes one of two pieces of code; els may be nil. Short ones are
// guarded, so that the lanes of a warp stay together.
func (g *gen) branch(p, name string, then, els func()) {
	switch {
	case p == yes:
		then()
		return
	case p == no:
		if els != nil {
			els()
		}
		return
	}
	a, b := g.inside(then), &block{}
	if els != nil {
		b = g.inside(els)
	}
	n, ok := a.plainLines()
	m, ok2 := b.plainLines()
	if ok && ok2 && n+m <= maxGuarded {
		a.each(func(l *line) { l.guard = p })
		b.each(func(l *line) { l.guard = invert(p) })
		g.place(a)
		g.place(b)
		return
	}
	if n == 0 && ok {
		a, b, n, m, p = b, a, m, n, invert(p)
	}
	end := g.label(name + "_end")
	other := end
	if m > 0 || !ok2 {
		other = g.label(name + "_else")
	}
	g.putGuarded(invert(p), "bra %s", other)
	g.place(a)
	if other != end {
		g.put(fixed, "bra %s", end)
		g.mark(other)
		g.place(b)
	}
	g.mark(end)
}
