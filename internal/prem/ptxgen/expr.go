package ptxgen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

var typeNames = [...]string{loop.Int: "s32", loop.Uint: "u32", loop.Long: "s64", loop.Ulong: "u64", loop.Float: "f32", loop.Double: "f64"}

// bitType is the type of operations that do not care for signs.
func bitType(t loop.Type) string {
	if t.Size() == 8 {
		return "b64"
	}
	return "b32"
}

// key is the same for expressions that compute the same from the same variables.
func (g *gen) key(e loop.Expr) string {
	var b strings.Builder
	g.writeKey(&b, e)
	return b.String()
}

func (g *gen) writeKey(b *strings.Builder, e loop.Expr) {
	list := func(name string, xs ...loop.Expr) {
		b.WriteString(name + "(")
		for _, x := range xs {
			g.writeKey(b, x)
			b.WriteByte(' ')
		}
		b.WriteByte(')')
	}
	switch e := e.(type) {
	case *loop.IntLit:
		fmt.Fprintf(b, "%d:%s", e.Value, e.T)
	case *loop.FloatLit:
		b.WriteString(hexFloat(e.T, e.Value))
	case *loop.Ref:
		switch v := g.known(e); {
		case v.init != nil:
			g.writeKey(b, v.init)
		default:
			fmt.Fprintf(b, "v%d", v.sym)
		}
	case *loop.Unary:
		list(e.Op.String()+"1", e.X)
	case *loop.Binary:
		list(e.Op.String(), e.X, e.Y)
	case *loop.Cond:
		list("?", e.If, e.Then, e.Else)
	case *loop.Call:
		list(e.Fn.Name, e.Args...)
	case *loop.Convert:
		list(e.T.String(), e.X)
	}
}

// value gives an operand that holds the value of an expression: a register, or an
// immediate of its type.
func (g *gen) value(e loop.Expr) string { return g.valueTo(e, "") }

// valueTo is value; where dst is a register and the expression has to be computed
// here, the result is put there.
func (g *gen) valueTo(e loop.Expr, dst string) string {
	switch e := e.(type) {
	case *loop.IntLit:
		return strconv.FormatInt(e.Value, 10)
	case *loop.FloatLit:
		return hexFloat(e.T, e.Value)
	case *loop.Ref:
		switch b := g.known(e); {
		case b.of != nil:
			return g.counter(b.of)
		case b.init != nil:
			return g.valueTo(b.init, dst)
		default:
			return b.op
		}
	}
	if c, ok := g.constant(e); ok {
		if e.Type() == loop.Int {
			c = int64(int32(c))
		}
		return strconv.FormatInt(c, 10)
	}
	if c, ok := floatConstant(e); ok {
		return c
	}
	level, pure := g.info(e)
	if !pure {
		return g.compute(e, dst)
	}
	return g.atLevel(level, "v"+g.key(e), func() string { return g.compute(e, "") })
}

// into computes an expression into a register.
func (g *gen) into(e loop.Expr, reg string) {
	if op := g.valueTo(e, reg); op != reg {
		g.emit("mov.%s %s, %s", moveType(e.Type()), reg, op)
	}
}

func moveType(t loop.Type) string {
	if t.IsFloat() {
		return typeNames[t]
	}
	return bitType(t)
}

// register gives a register that holds the value: immediates are loaded once.
func (g *gen) register(e loop.Expr) string {
	op := g.value(e)
	if strings.HasPrefix(op, "%") {
		return op
	}
	t := e.Type()
	return g.atLevel(0, "c"+moveType(t)+op, func() string {
		r := g.newFor(t)
		g.emit("mov.%s %s, %s", moveType(t), r, op)
		return r
	})
}

// floatConstant folds conversions and signs of constants, which are exact or
// round as the conversion does.
func floatConstant(e loop.Expr) (string, bool) {
	switch e := e.(type) {
	case *loop.Convert:
		x, ok := e.X.(*loop.IntLit)
		if !ok || x.T == loop.Ulong || !e.T.IsFloat() {
			return "", false
		}
		if e.T == loop.Float {
			return hexFloat(e.T, float64(float32(x.Value))), true
		}
		return hexFloat(e.T, float64(x.Value)), true
	case *loop.Unary:
		if x, ok := e.X.(*loop.FloatLit); ok && e.Op == loop.Neg {
			return hexFloat(x.T, math.Copysign(x.Value, -1*sign(x.Value))), true
		}
	}
	return "", false
}

func sign(v float64) float64 {
	if math.Signbit(v) {
		return -1
	}
	return 1
}

// compute emits the operation of an expression here.
func (g *gen) compute(e loop.Expr, dst string) string {
	r := func() string {
		if dst == "" {
			return g.newFor(e.Type())
		}
		return dst
	}
	switch e := e.(type) {
	case *loop.Index:
		base, offset := g.address(e)
		d := r()
		g.emit("ld.%s.%s %s, %s", g.space(e.Array), typeNames[e.Type()], d, at(base, offset))
		return d
	case *loop.Unary:
		return g.unary(e, r)
	case *loop.Binary:
		if e.Op >= loop.Lt && e.Op <= loop.LOr {
			return g.truth(e, r)
		}
		return g.binary(e, r)
	case *loop.Cond:
		return g.choose(e, r)
	case *loop.Call:
		return g.call(e, r)
	case *loop.Convert:
		return g.convert(e, r)
	}
	g.fail(e.Position(), "expression of type %T is not known", e)
	return "0"
}

func (g *gen) unary(e *loop.Unary, r func() string) string {
	t := e.X.Type()
	if e.Op == loop.Not {
		return g.truth(e, r)
	}
	x := g.register(e.X)
	d := r()
	switch {
	case e.Op == loop.Cpl:
		g.emit("not.%s %s, %s", bitType(t), d, x)
	case t.IsFloat():
		g.emit("neg.%s %s, %s", typeNames[t], d, x)
	default:
		g.emit("neg.s%d %s, %s", 8*t.Size(), d, x)
	}
	return d
}

// truth makes 1 or 0 of a condition.
func (g *gen) truth(e loop.Expr, r func() string) string {
	p := g.cond(e)
	switch p {
	case yes:
		return "1"
	case no:
		return "0"
	}
	d := r()
	if s, ok := strings.CutPrefix(p, "!"); ok {
		g.emit("selp.s32 %s, 0, 1, %s", d, s)
	} else {
		g.emit("selp.s32 %s, 1, 0, %s", d, p)
	}
	return d
}

// Float operations name their rounding, so that no assembler contracts a product
// and a sum into one operation that rounds once.
var (
	floatOps = map[loop.Op]string{loop.Add: "add.rn", loop.Sub: "sub.rn", loop.Mul: "mul.rn", loop.Div: "div.rn"}
	intOps   = map[loop.Op]string{loop.Add: "add", loop.Sub: "sub", loop.Mul: "mul.lo", loop.Div: "div"}
	bitOps   = map[loop.Op]string{loop.And: "and", loop.Or: "or", loop.Xor: "xor"}
)

func (g *gen) binary(e *loop.Binary, r func() string) string {
	t := e.X.Type()
	if e.Op == loop.Shl || e.Op == loop.Shr {
		return g.shift(e, r)
	}
	if e.Op == loop.Div || e.Op == loop.Rem {
		if n, ok := g.powerOfTwo(e.X, e.Y); ok && t.IsInteger() {
			x, d := g.register(e.X), r()
			if e.Op == loop.Div {
				g.emit("shr.%s %s, %s, %d", typeNames[t], d, x, n)
			} else {
				g.emit("and.%s %s, %s, %d", bitType(t), d, x, uint64(1)<<n-1)
			}
			return d
		}
	}
	if e.Op == loop.Rem {
		// The quotient is often wanted, too, and a remainder costs a division.
		q := g.register(&loop.Binary{At: e.At, Op: loop.Div, X: e.X, Y: e.Y})
		x, y := g.value(e.X), g.value(e.Y)
		m := g.newFor(t)
		g.emit("mul.lo.%s %s, %s, %s", typeNames[t], m, q, y)
		d := r()
		g.emit("sub.%s %s, %s, %s", typeNames[t], d, x, m)
		return d
	}
	x, y := g.value(e.X), g.value(e.Y)
	switch {
	case strings.HasPrefix(x, "%"):
	case e.Op == loop.Div || e.Op == loop.Sub && !strings.HasPrefix(y, "%"):
		x = g.register(e.X)
	case e.Op != loop.Sub: // it commutes
		x, y = y, x
	}
	if !strings.HasPrefix(x, "%") && e.Op != loop.Sub {
		x = g.register(e.Y)
	}
	d := r()
	switch {
	case t.IsFloat():
		g.emit("%s.%s %s, %s, %s", floatOps[e.Op], typeNames[t], d, x, y)
	case bitOps[e.Op] != "":
		g.emit("%s.%s %s, %s, %s", bitOps[e.Op], bitType(t), d, x, y)
	default:
		g.emit("%s.%s %s, %s, %s", intOps[e.Op], typeNames[t], d, x, y)
	}
	return d
}

// shift takes its count as 32 bits: greater ones are undefined.
func (g *gen) shift(e *loop.Binary, r func() string) string {
	t := e.X.Type()
	x, y := g.register(e.X), g.value(e.Y)
	if e.Y.Type().Size() == 8 && strings.HasPrefix(y, "%") {
		n := g.newFor(loop.Uint)
		g.emit("cvt.u32.u64 %s, %s", n, y)
		y = n
	}
	d := r()
	if e.Op == loop.Shl {
		g.emit("shl.%s %s, %s, %s", bitType(t), d, x, y)
	} else {
		g.emit("shr.%s %s, %s, %s", typeNames[t], d, x, y)
	}
	return d
}

// choose is ?:, of which only one side may be evaluated where a side reads memory.
func (g *gen) choose(e *loop.Cond, r func() string) string {
	p := g.cond(e.If)
	if p == yes || p == no {
		x := e.Then
		if p == no {
			x = e.Else
		}
		return g.value(x)
	}
	if reads(e.Then) || reads(e.Else) {
		d := r()
		g.branch(p, "cond", func() { g.into(e.Then, d) }, func() { g.into(e.Else, d) })
		return d
	}
	x, y := g.value(e.Then), g.value(e.Else)
	if s, ok := strings.CutPrefix(p, "!"); ok {
		p, x, y = s, y, x
	}
	d := r()
	g.emit("selp.%s %s, %s, %s, %s", typeNames[e.Type()], d, x, y, p)
	return d
}

func (g *gen) convert(e *loop.Convert, r func() string) string {
	from, to := e.X.Type(), e.T
	if from == to {
		return g.value(e.X)
	}
	x := g.register(e.X)
	mode := ""
	switch {
	case from.IsInteger() && to.IsInteger() && from.Size() == to.Size():
		return x
	case from.IsInteger() && to.IsInteger() && from.Size() > to.Size():
		from, to = loop.Ulong, loop.Uint
	case from.IsFloat() && to.IsInteger():
		mode = ".rzi"
	case to == loop.Float || to.IsFloat() && from.IsInteger():
		mode = ".rn"
	}
	d := r()
	g.emit("cvt%s.%s.%s %s, %s", mode, typeNames[to], typeNames[from], d, x)
	return d
}
