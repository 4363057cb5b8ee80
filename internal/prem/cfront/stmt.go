package cfront

import (
	"modernc.org/cc/v4"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// items lowers a block's items; each refused one leaves a message and nothing else.
func (l *lowerer) items(c *cc.CompoundStatement) []loop.Stmt {
	var out []loop.Stmt
	for bl := c.BlockItemList; bl != nil; bl = bl.BlockItemList {
		it := bl.BlockItem
		ok := l.try(func() {
			switch it.Case {
			case cc.BlockItemDecl:
				if at(it).Before(pos(c.Token.Position())) {
					return // the parser's own __func__
				}
				l.stray(at(it))
				out = append(out, l.localDeclaration(it.Declaration)...)
				l.strayIn(it)
			case cc.BlockItemStmt:
				out = append(out, l.statement(it.Statement)...)
			default:
				l.unsupported(at(it), "nested function or label declaration")
			}
		})
		if ts := cc.NodeTokens(it); !ok && len(ts) > 0 {
			// Directives inside what was refused are not the next item's.
			l.ps.take(pos(ts[len(ts)-1].Position()))
		}
	}
	l.stray(pos(c.Token2.Position()))
	return out
}

// strayIn refuses a directive between the tokens of a node.
func (l *lowerer) strayIn(n cc.Node) {
	if ts := cc.NodeTokens(n); len(ts) > 0 {
		l.stray(pos(ts[len(ts)-1].Position()))
	}
}

// body is the statements of a loop's or a conditional's body, in a scope of its own.
func (l *lowerer) body(s *cc.Statement) []loop.Stmt {
	l.push()
	defer l.pop()
	if s.Case == cc.StatementCompound {
		l.stray(at(s))
		return l.items(s.CompoundStatement)
	}
	return l.statement(s)
}

func (l *lowerer) statement(s *cc.Statement) []loop.Stmt {
	if ds := l.ps.take(at(s)); len(ds) > 0 {
		return []loop.Stmt{l.directives(ds, s)}
	}
	switch s.Case {
	case cc.StatementCompound:
		l.push()
		defer l.pop()
		return []loop.Stmt{&loop.Block{At: at(s), Body: l.items(s.CompoundStatement)}}
	case cc.StatementExpr:
		l.strayIn(s)
		if s.ExpressionStatement.ExpressionList == nil {
			return nil
		}
		return []loop.Stmt{l.assignment(s.ExpressionStatement.ExpressionList)}
	case cc.StatementSelection:
		return []loop.Stmt{l.selection(s.SelectionStatement)}
	case cc.StatementIteration:
		return []loop.Stmt{l.loop(s.IterationStatement)}
	case cc.StatementLabeled:
		l.unsupported(at(s), "label")
	case cc.StatementAsm:
		l.unsupported(at(s), "asm")
	case cc.StatementJump:
		if s.JumpStatement.Case == cc.JumpStatementReturn {
			return []loop.Stmt{l.leave(s.JumpStatement)}
		}
		names := map[cc.JumpStatementCase]string{cc.JumpStatementGoto: "goto", cc.JumpStatementGotoExpr: "goto",
			cc.JumpStatementContinue: "continue", cc.JumpStatementBreak: "break"}
		l.unsupported(at(s), "%s", names[s.JumpStatement.Case])
	}
	l.fail(at(s), "statement of an unknown form")
	return nil
}

// leave lowers a return statement, whose value is converted as in an assignment
// (C99 6.8.6.4).
func (l *lowerer) leave(s *cc.JumpStatement) loop.Stmt {
	l.strayIn(s)
	switch {
	case l.clauses != nil:
		l.unsupported(at(s), "return in a target loop")
	case l.region:
		l.fail(at(s), "return in a target data region, expected it after the region")
	case s.ExpressionList == nil && l.result != loop.NoType:
		l.fail(at(s), "return without a value in a function that returns %s", l.result)
	case s.ExpressionList == nil:
		return &loop.Return{At: at(s)}
	case l.result == loop.NoType:
		l.fail(at(s), "return of a value in a function that returns nothing")
	}
	return &loop.Return{At: at(s), Value: convertTo(l.expr(s.ExpressionList), l.result)}
}

// directives lowers a statement under one or more directives, the first outermost.
func (l *lowerer) directives(ds []directive, s *cc.Statement) loop.Stmt {
	r, data := l.open(ds[0])
	if data {
		d := r.dataClauses()
		l.push()
		defer l.pop()
		within := l.region
		l.region = true
		defer func() { l.region = within }()
		switch {
		case len(ds) > 1:
			d.Body = []loop.Stmt{l.directives(ds[1:], s)}
		case s.Case == cc.StatementCompound:
			d.Body = l.items(s.CompoundStatement)
		default:
			d.Body = l.statement(s)
		}
		return d
	}
	if len(ds) > 1 {
		l.fail(ds[1].at, "second directive before one loop")
	}
	if s.Case != cc.StatementIteration {
		l.fail(ds[0].at, "directive before a statement that is no loop")
	}
	c := r.kernelClauses()
	from := l.clauses
	l.clauses = c
	defer func() { l.clauses = from }()
	k := c.kernel
	k.Loop = l.loop(s.IterationStatement)
	l.listed(c)
	return k
}

func (l *lowerer) selection(s *cc.SelectionStatement) loop.Stmt {
	if s.Case == cc.SelectionStatementSwitch {
		l.unsupported(at(s), "switch")
	}
	out := &loop.If{At: at(s), Cond: l.expr(s.ExpressionList)}
	l.stray(pos(s.Token3.Position()))
	out.Then = l.body(s.Statement)
	if s.Case == cc.SelectionStatementIfElse {
		l.stray(pos(s.Token4.Position()))
		out.Else = l.body(s.Statement2)
	}
	return out
}

// loop lowers `for (T v = lo; v op hi; step)`.
func (l *lowerer) loop(s *cc.IterationStatement) *loop.For {
	switch s.Case {
	case cc.IterationStatementWhile:
		l.unsupported(at(s), "while")
	case cc.IterationStatementDo:
		l.unsupported(at(s), "do")
	case cc.IterationStatementFor:
		l.unsupported(at(s), "for whose variable is declared outside it")
	}
	l.push()
	defer l.pop()
	out := &loop.For{At: at(s)}
	il := s.Declaration.InitDeclaratorList
	if s.Declaration.Case != cc.DeclarationDecl || il == nil || il.InitDeclaratorList != nil || il.InitDeclarator.Initializer == nil {
		l.fail(at(s), "for that does not declare and set one variable")
	}
	d := il.InitDeclarator.Declarator
	where := pos(d.NameTok().Position())
	t, lo := l.localScalar(d, il.InitDeclarator, where)
	if !t.IsSigned() || d.IsConst() {
		l.fail(where, "loop variable %s: want int or long", d.Name())
	}
	out.Lo = lo
	out.Var = l.newVar(d.Name(), t, loop.Induction, false, where)
	if s.ExpressionList == nil || s.ExpressionList2 == nil {
		l.fail(at(s), "for without a condition or a step")
	}
	l.condition(out, s.ExpressionList)
	out.Step = l.step(out.Var, s.ExpressionList2)
	if up := out.Cmp == loop.Lt || out.Cmp == loop.Le; up != (out.Step > 0) {
		l.fail(at(s.ExpressionList2), "step %d of %s under condition %s", out.Step, out.Var.Name, out.Cmp)
	}
	l.stray(pos(s.Token4.Position()))
	out.Body = l.clauses.body(l, s.Statement)
	return out
}

func (l *lowerer) condition(f *loop.For, n cc.ExpressionNode) {
	c, ok := l.expr(n).(*loop.Binary)
	if !ok || c.Op < loop.Lt || c.Op > loop.Ge {
		l.fail(at(n), "loop condition: want %s <, <=, > or >= a bound", f.Var.Name)
	}
	x, y, op := c.X, c.Y, c.Op
	if !isVar(x, f.Var) && isVar(y, f.Var) {
		mirror := map[loop.Op]loop.Op{loop.Lt: loop.Gt, loop.Le: loop.Ge, loop.Gt: loop.Lt, loop.Ge: loop.Le}
		x, y, op = y, x, mirror[op]
	}
	if !isVar(x, f.Var) || y.Type() != f.Var.Type {
		l.fail(at(n), "loop condition: want %s <, <=, > or >= a bound of type %s", f.Var.Name, f.Var.Type)
	}
	f.Cmp, f.Hi = op, y
}

func isVar(e loop.Expr, v *loop.Var) bool {
	r, ok := e.(*loop.Ref)
	return ok && r.Var == v
}

// step reads ++v, v++, v += c, v = v + c, v = c + v and the decreasing forms.
func (l *lowerer) step(v *loop.Var, n cc.ExpressionNode) int64 {
	a, ok := l.assignment(n).(*loop.Assign)
	if ok && isVar(a.LHS, v) {
		if b, ok := a.RHS.(*loop.Binary); ok {
			c, okc := b.Y.(*loop.IntLit)
			x := b.X
			if !okc && b.Op == loop.Add {
				c, okc = b.X.(*loop.IntLit)
				x = b.Y
			}
			switch {
			case !okc || !isVar(x, v) || c.Value == 0 || c.Value == -1<<63:
			case b.Op == loop.Add:
				return c.Value
			case b.Op == loop.Sub:
				return -c.Value
			}
		}
	}
	l.fail(at(n), "step of loop over %s: want a constant added or subtracted", v.Name)
	return 0
}

var compound = map[cc.AssignmentExpressionCase]loop.Op{
	cc.AssignmentExpressionAssign: loop.NoOp, cc.AssignmentExpressionMul: loop.Mul, cc.AssignmentExpressionDiv: loop.Div,
	cc.AssignmentExpressionMod: loop.Rem, cc.AssignmentExpressionAdd: loop.Add, cc.AssignmentExpressionSub: loop.Sub,
	cc.AssignmentExpressionLsh: loop.Shl, cc.AssignmentExpressionRsh: loop.Shr, cc.AssignmentExpressionAnd: loop.And,
	cc.AssignmentExpressionXor: loop.Xor, cc.AssignmentExpressionOr: loop.Or,
}

// assignment lowers an expression that stands as a statement.
func (l *lowerer) assignment(n cc.ExpressionNode) loop.Stmt {
	one := func(x cc.ExpressionNode, op loop.Op) loop.Stmt {
		return l.store(at(n), l.expr(x), op, &loop.IntLit{At: at(n), T: loop.Int, Value: 1})
	}
	switch n := n.(type) {
	case *cc.PrimaryExpression:
		if n.Case == cc.PrimaryExpressionExpr {
			return l.assignment(n.ExpressionList)
		}
	case *cc.AssignmentExpression:
		op, ok := compound[n.Case]
		if !ok {
			break
		}
		if n.UnaryExpression.Type().Kind() == cc.Struct {
			return l.copyAll(n)
		}
		return l.store(at(n), l.expr(n.UnaryExpression), op, l.expr(n.AssignmentExpression))
	case *cc.PostfixExpression:
		switch n.Case {
		case cc.PostfixExpressionInc:
			return one(n.PostfixExpression, loop.Add)
		case cc.PostfixExpressionDec:
			return one(n.PostfixExpression, loop.Sub)
		case cc.PostfixExpressionCall:
			l.unsupported(at(n), "call of %s as a statement", cc.NodeSource(n.PostfixExpression))
		}
	case *cc.UnaryExpression:
		switch n.Case {
		case cc.UnaryExpressionInc:
			return one(n.UnaryExpression, loop.Add)
		case cc.UnaryExpressionDec:
			return one(n.UnaryExpression, loop.Sub)
		}
	}
	l.fail(at(n), "expression statement that assigns nothing")
	return nil
}

// store applies a compound operator in the common type and converts to the type
// of the left side (C99 6.5.16.2).
func (l *lowerer) store(where loop.Pos, lhs loop.Expr, op loop.Op, rhs loop.Expr) loop.Stmt {
	switch lhs.(type) {
	case *loop.Ref, *loop.Index:
	default:
		l.fail(where, "assignment to %s", loop.ExprText(lhs))
	}
	if op != loop.NoOp {
		l.operands(where, op, lhs, rhs)
		rhs = arithmetic(where, op, lhs, rhs)
	}
	return &loop.Assign{At: where, LHS: lhs, RHS: convertTo(rhs, lhs.Type()), Compound: op}
}
