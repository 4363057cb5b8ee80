package emit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Precedences of C's operators, loosest first.
const (
	precNone = iota
	precCond
	precLOr
	precLAnd
	precOr
	precXor
	precAnd
	precEq
	precRel
	precShift
	precAdd
	precMul
	precUnary
	precPrimary
)

var binaryPrec = map[loop.Op]int{
	loop.LOr: precLOr, loop.LAnd: precLAnd, loop.Or: precOr, loop.Xor: precXor, loop.And: precAnd,
	loop.Eq: precEq, loop.Ne: precEq, loop.Lt: precRel, loop.Le: precRel, loop.Gt: precRel, loop.Ge: precRel,
	loop.Shl: precShift, loop.Shr: precShift, loop.Add: precAdd, loop.Sub: precAdd,
	loop.Mul: precMul, loop.Div: precMul, loop.Rem: precMul,
}

// printer writes expressions and declarations in one language.
type printer struct {
	lang    lang
	names   *names
	members map[*loop.Record][]string // of the structures' members, in order
	// missing is the first name in a tree that nothing declares.
	missing error
}

func (p *printer) use(key any, name string, at loop.Pos) string {
	if _, ok := p.names.of[key]; !ok && p.missing == nil {
		p.missing = &loop.Error{Pos: at, Msg: name + " is used and not declared"}
	}
	return p.names.name(key)
}

// expr writes e so that it can be an operand where operators of precedence at
// least prec are expected.
func (p *printer) expr(e loop.Expr, prec int) string {
	s, own := p.write(e)
	if own < prec {
		return "(" + s + ")"
	}
	return s
}

// cond writes e where C wants a truth value; floating ones are compared with zero.
func (p *printer) cond(e loop.Expr, prec int) string {
	if !e.Type().IsFloat() {
		return p.expr(e, prec)
	}
	zero, _ := p.write(&loop.FloatLit{At: e.Position(), T: e.Type()})
	s := p.expr(e, precRel) + " != " + zero
	if prec > precEq {
		return "(" + s + ")"
	}
	return s
}

// value writes e where the context converts it to its type: implicit conversions
// between integers that keep the value are left out.
func (p *printer) value(e loop.Expr, prec int) string { return p.expr(widened(e), prec) }

// widened strips implicit conversions of an int to a wider signed type.
func widened(e loop.Expr) loop.Expr {
	if c, ok := e.(*loop.Convert); ok && c.Implicit && c.T == loop.Long && c.X.Type() == loop.Int {
		return c.X
	}
	return e
}

func (p *printer) write(e loop.Expr) (string, int) {
	switch e := e.(type) {
	case *loop.IntLit:
		return p.integer(e)
	case *loop.FloatLit:
		return p.floating(e)
	case *loop.Ref:
		return p.use(e.Var, e.Var.Name, e.At), precPrimary
	case *loop.Index:
		return p.element(e), precPrimary
	case *loop.Unary:
		return p.unary(e)
	case *loop.Binary:
		return p.binary(e)
	case *loop.Cond:
		return p.cond(e.If, precLOr) + " ? " + p.expr(e.Then, precLOr) + " : " + p.expr(e.Else, precCond), precCond
	case *loop.Call:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = p.expr(a, precCond)
		}
		return p.lang.call(e.Fn) + "(" + strings.Join(args, ", ") + ")", precPrimary
	case *loop.Convert:
		if e.T == e.X.Type() {
			return p.write(e.X)
		}
		return "(" + p.lang.typ(e.T) + ")" + p.expr(e.X, precPrimary), precUnary
	}
	if p.missing == nil {
		p.missing = fmt.Errorf("emit: expression of unknown kind %T", e)
	}
	return "0", precPrimary
}

// integer writes a constant; the least value of a type has no constant of its own.
func (p *printer) integer(e *loop.IntLit) (string, int) {
	suffix := p.lang.suffix(e.T)
	switch {
	case e.T == loop.Int && e.Value == math.MinInt32, e.T == loop.Long && e.Value == math.MinInt64:
		return fmt.Sprintf("%d%s - 1", e.Value+1, suffix), precAdd
	case e.T == loop.Ulong:
		return strconv.FormatUint(uint64(e.Value), 10) + suffix, precPrimary
	case e.Value < 0:
		return strconv.FormatInt(e.Value, 10) + suffix, precUnary
	}
	return strconv.FormatInt(e.Value, 10) + suffix, precPrimary
}

func (p *printer) floating(e *loop.FloatLit) (string, int) {
	if math.IsInf(e.Value, 0) || math.IsNaN(e.Value) {
		if e.T == loop.Float {
			return p.lang.bits(e.T, fmt.Sprintf("0x%08x", math.Float32bits(float32(e.Value)))), precPrimary
		}
		return p.lang.bits(e.T, fmt.Sprintf("0x%016x", math.Float64bits(e.Value))), precPrimary
	}
	bits, suffix := 64, ""
	if e.T == loop.Float {
		bits, suffix = 32, "f"
	}
	s := strconv.FormatFloat(e.Value, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	if s[0] == '-' {
		return s + suffix, precUnary
	}
	return s + suffix, precPrimary
}

func (p *printer) unary(e *loop.Unary) (string, int) {
	if e.Op == loop.Not {
		return "!" + p.cond(e.X, precPrimary), precUnary
	}
	return e.Op.String() + p.expr(e.X, precPrimary), precUnary
}

func (p *printer) binary(e *loop.Binary) (string, int) {
	prec := binaryPrec[e.Op]
	switch {
	case e.Op == loop.LAnd || e.Op == loop.LOr:
		// Compilers warn where && stands in || without parentheses.
		right := prec + 1
		if e.Op == loop.LOr {
			right = precOr
		}
		left := right
		if x, ok := e.X.(*loop.Binary); ok && x.Op == e.Op {
			left = prec
		}
		return p.cond(e.X, left) + " " + e.Op.String() + " " + p.cond(e.Y, right), prec
	case e.X.Type().IsFloat():
		if f := p.lang.function(e.Op, e.X.Type()); f != "" {
			return f + "(" + p.expr(e.X, precCond) + ", " + p.expr(e.Y, precCond) + ")", precPrimary
		}
	}
	left, right := prec, prec+1
	if prec < precAdd {
		left, right = precAdd, precAdd
	}
	if prec == precShift || prec < precEq {
		left, right = precUnary, precUnary
	}
	x, y := e.X, e.Y
	if prec >= precEq && prec != precShift {
		// The operator converts one operand to the type of the other by itself.
		if widened(x) == x {
			y = widened(y)
		} else {
			x = widened(x)
		}
	}
	return p.expr(x, left) + " " + e.Op.String() + " " + p.expr(y, right), prec
}

// element writes an array's element: with one subscript per dimension where all
// extents but the first are constants, otherwise with a computed one.
func (p *printer) element(e *loop.Index) string {
	name, member := p.arrayName(e.Array, e.At)
	var b strings.Builder
	b.WriteString(name)
	if _, ok := fixedTail(e.Array); ok {
		for _, s := range e.Subs {
			b.WriteString("[" + p.value(s, precNone) + "]")
		}
	} else {
		b.WriteString("[" + p.flat(e.Array, e.Subs) + "]")
	}
	return b.String() + member
}

// flat writes the row-major number of an element, in 64 bits.
func (p *printer) flat(a *loop.Array, subs []loop.Expr) string {
	s := "(" + p.lang.typ(loop.Long) + ")" + p.value(subs[0], precPrimary)
	for d := 1; d < len(subs); d++ {
		if d > 1 {
			s = "(" + s + ")"
		}
		s += " * " + p.value(a.Extents[d], precUnary) + " + " + p.value(subs[d], precMul)
	}
	return s
}

// arrayName is the name of a's memory and the member to select from its elements.
func (p *printer) arrayName(a *loop.Array, at loop.Pos) (name, member string) {
	if a.Record == nil {
		return p.use(a, a.Name, at), ""
	}
	return p.use(a.Record, a.Record.Name, at), "." + p.member(a)
}

func (p *printer) member(a *loop.Array) string {
	for i, m := range a.Record.Members {
		if m.Array == a {
			return p.memberNames(a.Record)[i]
		}
	}
	if p.missing == nil {
		p.missing = &loop.Error{Pos: a.At, Msg: fmt.Sprintf("array %s is no member of %s", a.Name, a.Record.Name)}
	}
	return "undeclared"
}

// memberNames are the names of a structure's members, in order. They depend on the
// members alone, so that all records of one tag agree.
func (p *printer) memberNames(r *loop.Record) []string {
	if p.members == nil {
		p.members = make(map[*loop.Record][]string)
	}
	if p.members[r] == nil {
		n := newNames()
		list := make([]string, len(r.Members))
		for i := range r.Members {
			list[i] = n.bind(&r.Members[i], r.Members[i].Name)
		}
		p.members[r] = list
	}
	return p.members[r]
}

// constant folds e and gives its value, or false where it is none.
func constant(e loop.Expr) (int64, bool) {
	switch x := e.(type) {
	case *loop.IntLit:
		return x.Value, true
	case *loop.Convert:
		v, ok := constant(x.X)
		if !ok {
			return 0, false
		}
		l, ok := loop.Fold(&loop.Convert{At: x.At, T: x.T, X: &loop.IntLit{At: x.At, T: x.X.Type(), Value: v}}).(*loop.IntLit)
		if !ok {
			return 0, false
		}
		return l.Value, true
	case *loop.Binary:
		a, ok := constant(x.X)
		b, ok2 := constant(x.Y)
		if !ok || !ok2 {
			return 0, false
		}
		l, ok := loop.Fold(&loop.Binary{At: x.At, Op: x.Op,
			X: &loop.IntLit{At: x.At, T: x.X.Type(), Value: a}, Y: &loop.IntLit{At: x.At, T: x.Y.Type(), Value: b}}).(*loop.IntLit)
		if !ok {
			return 0, false
		}
		return l.Value, true
	}
	return 0, false
}

// fixedTail gives the extents of all dimensions but the first where they are
// constants.
func fixedTail(a *loop.Array) ([]int64, bool) {
	tail := make([]int64, 0, len(a.Extents))
	for _, x := range a.Extents[1:] {
		if x == nil {
			return nil, false
		}
		v, ok := constant(x)
		if !ok {
			return nil, false
		}
		tail = append(tail, v)
	}
	return tail, true
}

// dims writes constant extents as C does.
func dims(tail []int64) string {
	var b strings.Builder
	for _, n := range tail {
		fmt.Fprintf(&b, "[%d]", n)
	}
	return b.String()
}
