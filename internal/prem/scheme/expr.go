package scheme

import (
	"math"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// builder makes expressions at one source position. Operands of different integer
// types are converted to their common type; constants are folded.
type builder struct{ at loop.Pos }

func (b builder) ref(v *loop.Var) loop.Expr { return &loop.Ref{At: b.at, Var: v} }

// lit is an Int where the value is one, a Long otherwise.
func (b builder) lit(n int64) loop.Expr {
	t := loop.Int
	if n < math.MinInt32 || n > math.MaxInt32 {
		t = loop.Long
	}
	return &loop.IntLit{At: b.at, T: t, Value: n}
}

func (b builder) to(t loop.Type, x loop.Expr) loop.Expr {
	if x.Type() == t {
		return x
	}
	return loop.Fold(&loop.Convert{At: b.at, T: t, X: x, Implicit: true})
}

func (b builder) op(op loop.Op, x, y loop.Expr) loop.Expr {
	if op < loop.LAnd {
		t := loop.Common(x.Type(), y.Type())
		x, y = b.to(t, x), b.to(t, y)
	}
	xc, xok := constant(x)
	yc, yok := constant(y)
	switch {
	case (op == loop.Add || op == loop.Sub) && yok && yc == 0,
		(op == loop.Mul || op == loop.Div) && yok && yc == 1:
		return x
	case op == loop.Add && xok && xc == 0, op == loop.Mul && xok && xc == 1:
		return y
	case op == loop.Add && yok && yc < 0 && yc != math.MinInt64 && !xok:
		return b.sub(x, b.to(y.Type(), b.lit(-yc)))
	case op == loop.Mul && (xok && xc == 0 || yok && yc == 0):
		return &loop.IntLit{At: b.at, T: x.Type()}
	}
	return loop.Fold(&loop.Binary{At: b.at, Op: op, X: x, Y: y})
}

func (b builder) add(x, y loop.Expr) loop.Expr { return b.op(loop.Add, x, y) }
func (b builder) sub(x, y loop.Expr) loop.Expr { return b.op(loop.Sub, x, y) }
func (b builder) mul(x, y loop.Expr) loop.Expr { return b.op(loop.Mul, x, y) }
func (b builder) div(x, y loop.Expr) loop.Expr { return b.op(loop.Div, x, y) }
func (b builder) rem(x, y loop.Expr) loop.Expr { return b.op(loop.Rem, x, y) }

// both is x && y, where nil stands for what always holds.
func (b builder) both(x, y loop.Expr) loop.Expr {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return b.op(loop.LAnd, x, y)
}

// pick is the smaller of two values, or with Gt the larger. The operands are
// evaluated twice.
func (b builder) pick(op loop.Op, x, y loop.Expr) loop.Expr {
	t := loop.Common(x.Type(), y.Type())
	x, y = b.to(t, x), b.to(t, y)
	xc, xok := constant(x)
	yc, yok := constant(y)
	if xok && yok {
		if (op == loop.Lt) == (xc < yc) {
			return x
		}
		return y
	}
	return &loop.Cond{At: b.at, If: b.op(op, x, y), Then: x, Else: y}
}

// linear writes a form as an expression: the positive terms, the constant where
// it is positive, and what is subtracted. Its type is Long where a variable or a
// number of the form is.
func (b builder) linear(l loop.Linear) loop.Expr {
	e := b.lit(0)
	for _, t := range l.Terms {
		if t.Coef > 0 {
			e = b.add(e, b.mul(b.lit(t.Coef), b.ref(t.Var)))
		}
	}
	_, bare := e.(*loop.IntLit)
	early := bare && l.Const > 0
	if early {
		e = b.lit(l.Const)
	}
	for _, t := range l.Terms {
		if t.Coef < 0 {
			e = b.sub(e, b.mul(b.lit(-t.Coef), b.ref(t.Var)))
		}
	}
	switch {
	case early:
		return e
	case l.Const < 0 && l.Const != math.MinInt64:
		return b.sub(e, b.lit(-l.Const))
	}
	return b.add(e, b.lit(l.Const))
}

// constant is the value of a signed integer literal.
func constant(e loop.Expr) (int64, bool) {
	l, ok := e.(*loop.IntLit)
	if !ok || !l.T.IsSigned() {
		return 0, false
	}
	return l.Value, true
}

// ceilDiv and floorDiv are for d > 0.
func ceilDiv(n, d int64) int64 { return -floorDiv(-n, d) }

func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}
