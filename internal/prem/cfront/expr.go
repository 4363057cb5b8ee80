package cfront

import (
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// convertTo makes an implicit conversion explicit, or gives e where none is due.
func convertTo(e loop.Expr, t loop.Type) loop.Expr {
	if e.Type() == t {
		return e
	}
	return loop.Fold(&loop.Convert{At: e.Position(), T: t, X: e, Implicit: true})
}

// arithmetic builds an operator after the usual arithmetic conversions.
func arithmetic(where loop.Pos, op loop.Op, x, y loop.Expr) loop.Expr {
	switch op {
	case loop.Shl, loop.Shr, loop.LAnd, loop.LOr:
	default:
		t := loop.Common(x.Type(), y.Type())
		x, y = convertTo(x, t), convertTo(y, t)
	}
	return loop.Fold(&loop.Binary{At: where, Op: op, X: x, Y: y})
}

// operands refuses a floating operand of an integer operator.
func (l *lowerer) operands(where loop.Pos, op loop.Op, x, y loop.Expr) {
	switch op {
	case loop.Rem, loop.And, loop.Or, loop.Xor, loop.Shl, loop.Shr:
		if x.Type().IsFloat() || y.Type().IsFloat() {
			l.unsupported(where, "operator %s on %s and %s", op, x.Type(), y.Type())
		}
	}
}

// expr lowers an expression without side effects and checks that its type is the
// one the C parser gives it.
func (l *lowerer) expr(n cc.ExpressionNode) loop.Expr {
	e := l.lower(n)
	if t, ok := scalarOf(n.Type()); ok && t != e.Type() {
		l.fail(at(n), "expression %s is %s, but %s in C", loop.ExprText(e), e.Type(), t)
	}
	return e
}

func (l *lowerer) lower(n cc.ExpressionNode) loop.Expr {
	if op, x, y, where, ok := binaryParts(n); ok {
		a, b := l.expr(x), l.expr(y)
		l.operands(where, op, a, b)
		return arithmetic(where, op, a, b)
	}
	switch n := n.(type) {
	case *cc.PrimaryExpression:
		return l.primary(n)
	case *cc.PostfixExpression:
		switch n.Case {
		case cc.PostfixExpressionIndex:
			return l.index(n)
		case cc.PostfixExpressionCall:
			return l.call(n)
		case cc.PostfixExpressionSelect:
			return l.member(n)
		case cc.PostfixExpressionPSelect:
			l.unsupported(at(n), "operator ->")
		case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
			l.unsupported(at(n), "%s inside an expression", cc.NodeSource(n))
		case cc.PostfixExpressionComplit:
			l.unsupported(at(n), "compound literal")
		}
	case *cc.UnaryExpression:
		return l.unary(n)
	case *cc.CastExpression:
		if n.Case == cc.CastExpressionCast {
			t := l.scalarType(n.TypeName.Type(), at(n))
			return loop.Fold(&loop.Convert{At: at(n), T: t, X: l.expr(n.CastExpression)})
		}
	case *cc.ConditionalExpression:
		if n.Case == cc.ConditionalExpressionCond {
			if n.ExpressionList == nil {
				l.unsupported(at(n), "?: without its middle operand")
			}
			c := &loop.Cond{At: at(n), If: l.expr(n.LogicalOrExpression)}
			x, y := l.expr(n.ExpressionList), l.expr(n.ConditionalExpression)
			t := loop.Common(x.Type(), y.Type())
			c.Then, c.Else = convertTo(x, t), convertTo(y, t)
			return c
		}
	case *cc.AssignmentExpression:
		l.unsupported(at(n), "assignment inside an expression")
	case *cc.ExpressionList:
		l.unsupported(at(n), "comma operator")
	}
	l.unsupported(at(n), "an expression of this form")
	return nil
}

func binaryParts(n cc.ExpressionNode) (op loop.Op, x, y cc.ExpressionNode, where loop.Pos, ok bool) {
	var t cc.Token
	switch n := n.(type) {
	case *cc.AdditiveExpression:
		op = map[cc.AdditiveExpressionCase]loop.Op{cc.AdditiveExpressionAdd: loop.Add, cc.AdditiveExpressionSub: loop.Sub}[n.Case]
		x, y, t = n.AdditiveExpression, n.MultiplicativeExpression, n.Token
	case *cc.MultiplicativeExpression:
		op = map[cc.MultiplicativeExpressionCase]loop.Op{cc.MultiplicativeExpressionMul: loop.Mul,
			cc.MultiplicativeExpressionDiv: loop.Div, cc.MultiplicativeExpressionMod: loop.Rem}[n.Case]
		x, y, t = n.MultiplicativeExpression, n.CastExpression, n.Token
	case *cc.ShiftExpression:
		op = map[cc.ShiftExpressionCase]loop.Op{cc.ShiftExpressionLsh: loop.Shl, cc.ShiftExpressionRsh: loop.Shr}[n.Case]
		x, y, t = n.ShiftExpression, n.AdditiveExpression, n.Token
	case *cc.RelationalExpression:
		op = map[cc.RelationalExpressionCase]loop.Op{cc.RelationalExpressionLt: loop.Lt, cc.RelationalExpressionGt: loop.Gt,
			cc.RelationalExpressionLeq: loop.Le, cc.RelationalExpressionGeq: loop.Ge}[n.Case]
		x, y, t = n.RelationalExpression, n.ShiftExpression, n.Token
	case *cc.EqualityExpression:
		op = map[cc.EqualityExpressionCase]loop.Op{cc.EqualityExpressionEq: loop.Eq, cc.EqualityExpressionNeq: loop.Ne}[n.Case]
		x, y, t = n.EqualityExpression, n.RelationalExpression, n.Token
	case *cc.AndExpression:
		op, x, y, t = loop.And, n.AndExpression, n.EqualityExpression, n.Token
	case *cc.ExclusiveOrExpression:
		op, x, y, t = loop.Xor, n.ExclusiveOrExpression, n.AndExpression, n.Token
	case *cc.InclusiveOrExpression:
		op, x, y, t = loop.Or, n.InclusiveOrExpression, n.ExclusiveOrExpression, n.Token
	case *cc.LogicalAndExpression:
		op, x, y, t = loop.LAnd, n.LogicalAndExpression, n.InclusiveOrExpression, n.Token
	case *cc.LogicalOrExpression:
		op, x, y, t = loop.LOr, n.LogicalOrExpression, n.LogicalAndExpression, n.Token
	}
	return op, x, y, pos(t.Position()), op != loop.NoOp && x != nil && y != nil
}

func (l *lowerer) primary(n *cc.PrimaryExpression) loop.Expr {
	where := at(n)
	switch n.Case {
	case cc.PrimaryExpressionExpr:
		return l.expr(n.ExpressionList)
	case cc.PrimaryExpressionInt:
		return l.integer(n, n.Type())
	case cc.PrimaryExpressionFloat:
		return l.floating(n)
	case cc.PrimaryExpressionIdent:
		return l.ident(n)
	case cc.PrimaryExpressionChar, cc.PrimaryExpressionLChar:
		l.unsupported(where, "character constant")
	case cc.PrimaryExpressionString, cc.PrimaryExpressionLString:
		l.unsupported(where, "string literal")
	case cc.PrimaryExpressionStmt:
		l.unsupported(where, "statement expression")
	}
	l.unsupported(where, "generic selection")
	return nil
}

func (l *lowerer) integer(n cc.ExpressionNode, ct cc.Type) loop.Expr {
	t := l.scalarType(ct, at(n))
	switch v := n.Value().(type) {
	case cc.Int64Value:
		return &loop.IntLit{At: at(n), T: t, Value: int64(v)}
	case cc.UInt64Value:
		return &loop.IntLit{At: at(n), T: t, Value: int64(v)}
	}
	l.unsupported(at(n), "constant %s", cc.NodeSource(n))
	return nil
}

func (l *lowerer) floating(n *cc.PrimaryExpression) loop.Expr {
	t := l.scalarType(n.Type(), at(n))
	text, bits := n.Token.SrcStr(), 64
	if t == loop.Float {
		text, bits = strings.TrimRight(text, "fF"), 32
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil || strings.Contains(text, "_") {
		l.unsupported(at(n), "constant %s", n.Token.SrcStr())
	}
	return &loop.FloatLit{At: at(n), T: t, Value: v}
}

func (l *lowerer) ident(n *cc.PrimaryExpression) loop.Expr {
	name, where := n.Token.SrcStr(), at(n)
	switch o := l.lookup(name).(type) {
	case *loop.Var:
		return &loop.Ref{At: where, Var: o}
	case *loop.IntLit:
		return &loop.IntLit{At: where, T: o.T, Value: o.Value}
	case *loop.FloatLit:
		return &loop.FloatLit{At: where, T: o.T, Value: o.Value}
	case *loop.Array, *table:
		l.fail(where, "array %s without all its subscripts", name)
	case *structure:
		l.fail(where, "structure %s without a member", name)
	}
	if _, ok := n.ResolvedTo().(*cc.Enumerator); ok {
		return l.integer(n, n.Type())
	}
	l.unsupported(where, "name %s", name)
	return nil
}

// object takes an expression apart into the object that a name is bound to and its
// subscripts, innermost first.
func (l *lowerer) object(n cc.ExpressionNode) (obj any, subs []cc.ExpressionNode, name string) {
	base := n
	for {
		switch p := base.(type) {
		case *cc.PostfixExpression:
			if p.Case == cc.PostfixExpressionIndex {
				subs = append(subs, p.ExpressionList)
				base = p.PostfixExpression
				continue
			}
		case *cc.PrimaryExpression:
			if p.Case == cc.PrimaryExpressionExpr {
				base = p.ExpressionList
				continue
			}
			if p.Case == cc.PrimaryExpressionIdent {
				name = p.Token.SrcStr()
				return l.lookup(name), subs, name
			}
		}
		if len(subs) > 0 {
			l.fail(at(n), "pointer arithmetic: subscript of %s", cc.NodeSource(base))
		}
		return nil, nil, ""
	}
}

// index lowers a[i][j]...: the base has to be an array by its name.
func (l *lowerer) index(n *cc.PostfixExpression) loop.Expr {
	obj, subs, name := l.object(n)
	switch o := obj.(type) {
	case *loop.Array:
		return l.elementOf(o, subs, name, at(n))
	case *table:
		l.fail(at(n), "structure %s without a member", cc.NodeSource(n))
	}
	l.fail(at(n), "subscript of %s, which is no array", name)
	return nil
}

// elementOf makes an access with new nodes.
func (l *lowerer) elementOf(a *loop.Array, subs []cc.ExpressionNode, name string, where loop.Pos) loop.Expr {
	if len(subs) != len(a.Extents) {
		l.fail(where, "%d subscripts of %s, which has rank %d", len(subs), name, len(a.Extents))
	}
	out := &loop.Index{At: where, Array: a, Subs: make([]loop.Expr, len(subs))}
	for i, s := range subs {
		x := l.expr(s)
		if !x.Type().IsInteger() {
			l.unsupported(at(s), "subscript of type %s", x.Type())
		}
		out.Subs[len(subs)-1-i] = x
	}
	return out
}

func (l *lowerer) call(n *cc.PostfixExpression) loop.Expr {
	id, ok := n.PostfixExpression.(*cc.PrimaryExpression)
	if !ok || id.Case != cc.PrimaryExpressionIdent {
		l.unsupported(at(n), "call of %s", cc.NodeSource(n.PostfixExpression))
	}
	name := id.Token.SrcStr()
	fn := loop.Math(name)
	d, isDecl := id.ResolvedTo().(*cc.Declarator)
	if fn == nil || !isDecl || !strings.HasSuffix(d.Position().Filename, "include/math.h") {
		l.unsupported(at(n), "call of %s", name)
	}
	out := &loop.Call{At: at(n), Fn: fn}
	for a := n.ArgumentExpressionList; a != nil; a = a.ArgumentExpressionList {
		out.Args = append(out.Args, convertTo(l.expr(a.AssignmentExpression), fn.Type))
	}
	if len(out.Args) != fn.Arity {
		l.fail(at(n), "%s with %d arguments", name, len(out.Args))
	}
	return out
}

func (l *lowerer) unary(n *cc.UnaryExpression) loop.Expr {
	where := at(n)
	op := loop.NoOp
	switch n.Case {
	case cc.UnaryExpressionPlus:
		return l.expr(n.CastExpression)
	case cc.UnaryExpressionMinus:
		op = loop.Neg
	case cc.UnaryExpressionCpl:
		op = loop.Cpl
	case cc.UnaryExpressionNot:
		op = loop.Not
	case cc.UnaryExpressionDeref:
		l.unsupported(where, "pointer dereference %s", cc.NodeSource(n))
	case cc.UnaryExpressionAddrof:
		l.unsupported(where, "address of %s", cc.NodeSource(n.CastExpression))
	case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
		l.unsupported(where, "%s inside an expression", cc.NodeSource(n))
	case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType:
		l.unsupported(where, "sizeof")
	}
	if op == loop.NoOp {
		l.unsupported(where, "operator %s", n.Token.SrcStr())
	}
	x := l.expr(n.CastExpression)
	if op == loop.Cpl && x.Type().IsFloat() {
		l.unsupported(where, "operator ~ on %s", x.Type())
	}
	return loop.Fold(&loop.Unary{At: where, Op: op, X: x})
}
