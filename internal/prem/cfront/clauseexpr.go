package cfront

import (
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

var clauseOps = map[string]struct {
	prec int
	op   loop.Op
}{"+": {1, loop.Add}, "-": {1, loop.Sub}, "*": {2, loop.Mul}, "/": {2, loop.Div}, "%": {2, loop.Rem}}

// expr reads an integer expression of a clause whose operators bind tighter than
// prec: constants, scalars, parentheses, + - * / %.
func (r *reader) expr(prec int) loop.Expr {
	x := r.primary()
	for {
		o, ok := clauseOps[r.peek()]
		if !ok || o.prec <= prec {
			return x
		}
		r.next()
		at := r.last
		x = arithmetic(at, o.op, x, r.expr(o.prec))
	}
}

func (r *reader) primary() loop.Expr {
	s := r.next()
	at := r.last
	switch {
	case s == "(":
		if r.depth++; r.depth > maxDepth {
			r.l.fail(at, "brackets nested deeper than %d", maxDepth)
		}
		e := r.expr(0)
		r.expect(")")
		r.depth--
		return e
	case s == "-":
		if r.depth++; r.depth > maxDepth {
			r.l.fail(at, "operators nested deeper than %d", maxDepth)
		}
		e := loop.Fold(&loop.Unary{At: at, Op: loop.Neg, X: r.primary()})
		r.depth--
		return e
	case s != "" && s[0] >= '0' && s[0] <= '9':
		return r.number(at, s)
	}
	switch o := r.l.lookup(s).(type) {
	case *loop.Var:
		if !o.Type.IsInteger() {
			r.l.fail(at, "%s in a clause is %s", s, o.Type)
		}
		return &loop.Ref{At: at, Var: o}
	case *loop.IntLit:
		return &loop.IntLit{At: at, T: o.T, Value: o.Value}
	}
	r.l.fail(at, "%q in a clause is no integer", s)
	return nil
}

// number reads a constant without a suffix or with u, l and ul (C99 6.4.4.1).
func (r *reader) number(at loop.Pos, s string) loop.Expr {
	digits := strings.TrimRight(s, "uUlL")
	suffix := strings.ToLower(s[len(digits):])
	v, err := strconv.ParseUint(digits, 0, 63)
	if err != nil || strings.ContainsAny(digits, "_oObB") && !strings.HasPrefix(strings.ToLower(digits), "0x") {
		r.l.unsupported(at, "constant %s in a clause", s)
	}
	t, ok := map[string]loop.Type{"": loop.Int, "u": loop.Uint, "l": loop.Long, "ll": loop.Long, "ul": loop.Ulong, "lu": loop.Ulong}[suffix]
	if !ok {
		r.l.unsupported(at, "constant %s in a clause", s)
	}
	switch {
	case t == loop.Int && v > 1<<31-1:
		t = loop.Long
	case t == loop.Uint && v > 1<<32-1:
		t = loop.Ulong
	}
	return &loop.IntLit{At: at, T: t, Value: int64(v)}
}
