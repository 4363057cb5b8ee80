package ptxgen

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// polynomial reports whether an expression is one in variables that are not
// assigned: its value where it does not overflow, and an overflow is undefined.
func (g *gen) polynomial(e loop.Expr) bool {
	if !e.Type().IsSigned() {
		return false
	}
	switch e := e.(type) {
	case *loop.IntLit:
		return true
	case *loop.Ref:
		return !g.known(e).assigned
	case *loop.Unary:
		return e.Op == loop.Neg && g.polynomial(e.X)
	case *loop.Binary:
		return (e.Op == loop.Add || e.Op == loop.Sub || e.Op == loop.Mul) && g.polynomial(e.X) && g.polynomial(e.Y)
	case *loop.Convert:
		return e.T.Size() >= e.X.Type().Size() && g.polynomial(e.X)
	}
	return false
}

// sum gives an integer expression as a poly; what is none becomes a symbol.
func (g *gen) sum(e loop.Expr) poly {
	if e.Type().IsSigned() {
		switch e := e.(type) {
		case *loop.IntLit:
			return konst(e.Value)
		case *loop.Ref:
			switch b := g.known(e); {
			case b.assigned:
			case b.init != nil:
				return b.sum
			default:
				return symbolPoly(b.sym)
			}
		case *loop.Unary:
			if e.Op == loop.Neg {
				return g.sum(e.X).scale(-1)
			}
		case *loop.Binary:
			switch e.Op {
			case loop.Add:
				return g.sum(e.X).plus(g.sum(e.Y))
			case loop.Sub:
				return g.sum(e.X).plus(g.sum(e.Y).scale(-1))
			case loop.Mul:
				return g.sum(e.X).times(g.sum(e.Y))
			}
		case *loop.Convert:
			if e.X.Type().IsSigned() && e.T.Size() >= e.X.Type().Size() {
				return g.sum(e.X)
			}
		}
	}
	level, pure := g.info(e)
	if !pure {
		return symbolPoly(g.newSymbol(symbol{level: g.cur.depth, volatile: true, typ: e.Type(), op: g.value(e)}))
	}
	key := g.key(e)
	s, ok := g.opaque[key]
	if !ok {
		s = g.newSymbol(symbol{level: level, typ: e.Type(), expr: g.resolve(e)})
		g.symbols[s].span = g.reach(e)
		g.opaque[key] = s
	}
	return symbolPoly(s)
}

// constant gives the value of an integer expression that is a constant.
func (g *gen) constant(e loop.Expr) (int64, bool) {
	if !g.polynomial(e) {
		return 0, false
	}
	c, rest := g.sum(e).cut()
	return c, len(rest) == 0
}

// address gives the register and the offset of an element.
func (g *gen) address(e *loop.Index) (string, int64) {
	base, shared := g.shared[e.Array]
	if !shared {
		base = g.arrays[e.Array]
	}
	var flat poly
	for d, s := range e.Subs {
		if d > 0 {
			flat = flat.times(g.sum(e.Array.Extents[d]))
		}
		flat = flat.plus(g.sum(s))
	}
	if r := e.Array.Record; r != nil && !shared {
		flat = flat.scale(r.Bytes).plus(konst(e.Array.Offset))
	} else {
		flat = flat.scale(e.Array.Elem.Size())
	}
	p := base.plus(flat)
	if c, rest := p.cut(); c == int64(int32(c)) {
		return g.val(rest, ""), c
	}
	return g.full(p, ""), 0
}

// full gives an operand that holds a sum, in dst if one is named.
func (g *gen) full(p poly, dst string) string {
	c, rest := p.cut()
	switch {
	case len(rest) == 0:
		return strconv.FormatInt(c, 10)
	case c == 0:
		return g.val(rest, dst)
	}
	add := func() string {
		r := dst
		if r == "" {
			r = g.newFor(loop.Long)
		}
		g.emit("add.s64 %s, %s, %d", r, g.val(rest, ""), c)
		return r
	}
	level, volatile := g.levelOf(p)
	if dst != "" || volatile {
		return add()
	}
	return g.atLevel(level, "a"+p.key(), add)
}

// before reports whether a sum is known in the loops outside a level.
func (g *gen) before(level int, p poly) bool {
	l, _ := g.levelOf(p)
	return l < level
}

func (g *gen) levelOf(p poly) (level int, volatile bool) {
	for _, t := range p {
		for _, s := range t.syms {
			level = max(level, g.symbols[s].level)
			volatile = volatile || g.symbols[s].volatile
		}
	}
	return level, volatile
}

// val gives a register that holds a sum without a constant. A sum in the induction
// variable of a loop becomes a register that the loop steps. With dst, a register
// of the caller's, the result may be there; it is not remembered then.
func (g *gen) val(p poly, dst string) string {
	if len(p) == 1 && len(p[0].syms) == 1 && p[0].coef == 1 && g.symbols[p[0].syms[0]].of == nil {
		return g.wide(p[0].syms[0])
	}
	key := "a" + p.key()
	if op, ok := g.lookup(key); ok {
		return op
	}
	level, volatile := g.levelOf(p)
	if volatile {
		return g.add(p, level, dst)
	}
	if l := g.loops[max(level-1, 0)]; level > 0 && l.v != nil && p.has(l.sym) {
		if f0, f1, ok := p.split(l.sym); ok && g.before(level, f0) && g.before(level, f1) {
			return g.stepped(l, key, f0, f1)
		}
	}
	if dst != "" && level == g.cur.depth {
		return g.add(p, level, dst)
	}
	return g.atLevel(level, key, func() string { return g.add(p, level, "") })
}

// add computes a sum here: first the terms that outer loops know.
func (g *gen) add(p poly, level int, dst string) string {
	var outer, inner poly
	for _, t := range p {
		if l, _ := g.levelOf(poly{t}); l < level {
			outer = append(outer, t)
		} else {
			inner = append(inner, t)
		}
	}
	acc := ""
	if len(outer) > 0 {
		acc = g.val(outer, "")
	}
	// What needs no product comes first: the others then add to it.
	slices.SortStableFunc(inner, func(s, t term) int { return rank(s) - rank(t) })
	part := outer
	for i, t := range inner {
		if i == len(inner)-1 {
			return g.addTerm(acc, t, dst)
		}
		part = part.plus(poly{t})
		key := "a" + part.key()
		op, ok := g.lookup(key)
		if !ok {
			op = g.addTerm(acc, t, "")
			if _, volatile := g.levelOf(part); !volatile {
				g.cur.cache[key] = op
			}
		}
		acc = op
	}
	return acc
}

func rank(t term) int {
	if t.coef == 1 && len(t.syms) == 1 {
		return 0
	}
	return 1
}

// addTerm gives acc + t, or t where acc is "".
func (g *gen) addTerm(acc string, t term, dst string) string {
	r := func() string {
		if dst == "" {
			return g.newFor(loop.Long)
		}
		return dst
	}
	if s := &g.symbols[t.syms[0]]; len(t.syms) == 1 && t.coef != 1 && s.typ == loop.Int && t.coef == int64(int32(t.coef)) {
		x, d := g.narrow(t.syms[0]), r()
		if acc == "" {
			g.emit("mul.wide.s32 %s, %s, %d", d, x, t.coef)
		} else {
			g.emit("mad.wide.s32 %s, %s, %d, %s", d, x, t.coef, acc)
		}
		return d
	}
	x := g.wide(t.syms[0])
	for _, s := range t.syms[1:] {
		y, d := g.wide(s), g.newFor(loop.Long)
		g.emit("mul.lo.s64 %s, %s, %s", d, x, y)
		x = d
	}
	switch {
	case acc == "" && t.coef == 1:
		return x
	case t.coef == 1:
		d := r()
		g.emit("add.s64 %s, %s, %s", d, acc, x)
		return d
	case acc == "":
		d := r()
		g.emit("mul.lo.s64 %s, %s, %d", d, x, t.coef)
		return d
	}
	d := r()
	g.emit("mad.lo.s64 %s, %s, %d, %s", d, x, t.coef, acc)
	return d
}

// narrow gives a symbol's value in its own type.
func (g *gen) narrow(n int) string {
	switch s := &g.symbols[n]; {
	case s.of != nil:
		return g.counter(s.of)
	case s.op != "":
		return s.op
	default:
		return g.value(s.expr)
	}
}

// wide gives a symbol's value in 64 bits.
func (g *gen) wide(n int) string {
	s := g.symbols[n]
	if s.typ == loop.Long || s.typ == loop.Ulong {
		return g.narrow(n)
	}
	extend := func() string {
		x, r := g.narrow(n), g.newFor(loop.Long)
		if s.typ == loop.Uint {
			g.emit("cvt.u64.u32 %s, %s", r, x)
		} else {
			g.emit("cvt.s64.s32 %s, %s", r, x)
		}
		return r
	}
	if s.volatile {
		return extend()
	}
	return g.atLevel(s.level, fmt.Sprintf("w%d", n), extend)
}

func at(reg string, offset int64) string {
	if offset == 0 {
		return "[" + reg + "]"
	}
	return fmt.Sprintf("[%s+%d]", reg, offset)
}

func (g *gen) space(a *loop.Array) string {
	if _, ok := g.shared[a]; ok {
		return "shared"
	}
	return "global"
}

func hexFloat(t loop.Type, v float64) string {
	if t == loop.Float {
		return fmt.Sprintf("0f%08X", math.Float32bits(float32(v)))
	}
	return fmt.Sprintf("0d%016X", math.Float64bits(v))
}
