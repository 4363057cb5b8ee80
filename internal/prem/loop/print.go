package loop

import (
	"fmt"
	"strconv"
	"strings"
)

var opNames = [...]string{"", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
	"<", "<=", ">", ">=", "==", "!=", "&&", "||", "-", "!", "~"}

func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

func (k MapKind) String() string { return [...]string{"tofrom", "to", "from", "alloc"}[k&3] }

func (o RedOp) String() string { return [...]string{"+", "*", "min", "max"}[o&3] }

// Print writes a program as text: one line per declaration and statement, ending
// in its line:col. An implicit conversion is written T~(x), one of the source
// T(x); a compound assignment is written out, its operator in brackets; a
// subscript that Affine refuses is marked with a leading `?`.
func Print(p *Unit) string {
	w := &printer{}
	w.line(0, Pos{}, "program %s", p.File)
	for _, a := range p.Arrays {
		w.line(0, a.At, "array %s", arrayDecl(a))
	}
	for _, f := range p.Funcs {
		var ps []string
		for _, q := range f.Params {
			if q.Var != nil {
				ps = append(ps, q.Var.Name+" "+q.Var.Type.String())
			} else {
				ps = append(ps, arrayDecl(q.Array))
			}
		}
		result := ""
		if f.Result != NoType {
			result = " " + f.Result.String()
		}
		w.line(0, f.At, "func %s(%s)%s", f.Name, strings.Join(ps, ", "), result)
		w.stmts(1, f.Body)
	}
	for _, o := range p.Omitted {
		w.line(0, o.At, "omitted %s", o.Name)
	}
	return w.b.String()
}

type printer struct{ b strings.Builder }

func (w *printer) line(depth int, at Pos, format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&w.b, format, args...)
	if at.Line > 0 {
		fmt.Fprintf(&w.b, " @%d:%d", at.Line, at.Col)
	}
	w.b.WriteByte('\n')
}

func arrayDecl(a *Array) string {
	var b strings.Builder
	b.WriteString(a.Name + " ")
	if a.Const {
		b.WriteString("const ")
	}
	b.WriteString(a.Elem.String())
	for _, x := range a.Extents {
		if x == nil {
			b.WriteString("[]")
		} else {
			b.WriteString("[" + ExprString(x) + "]")
		}
	}
	if r := a.Record; r != nil {
		fmt.Fprintf(&b, " in %s at %d of %d", r.Tag, a.Offset, r.Bytes)
	}
	return b.String()
}

func (w *printer) stmts(depth int, list []Stmt) {
	for _, s := range list {
		w.stmt(depth, s)
	}
}

func (w *printer) stmt(depth int, s Stmt) {
	switch s := s.(type) {
	case *For:
		w.line(depth, s.At, "for %s %s = %s; %s %s %s; %+d", s.Var.Name, s.Var.Type, ExprString(s.Lo),
			s.Var.Name, s.Cmp, ExprString(s.Hi), s.Step)
		w.stmts(depth+1, s.Body)
	case *If:
		w.line(depth, s.At, "if %s", ExprString(s.Cond))
		w.stmts(depth+1, s.Then)
		if len(s.Else) > 0 {
			w.line(depth, Pos{}, "else")
			w.stmts(depth+1, s.Else)
		}
	case *Assign:
		mark := ""
		if s.Compound != NoOp {
			mark = " [" + s.Compound.String() + "=]"
		}
		w.line(depth, s.At, "%s = %s%s", ExprString(s.LHS), ExprString(s.RHS), mark)
	case *Decl:
		if s.Init == nil {
			w.line(depth, s.At, "var %s %s", s.Var.Name, s.Var.Type)
		} else {
			w.line(depth, s.At, "var %s %s = %s", s.Var.Name, s.Var.Type, ExprString(s.Init))
		}
	case *Block:
		w.line(depth, s.At, "block")
		w.stmts(depth+1, s.Body)
	case *Data:
		w.line(depth, s.At, "data%s", mapList(s.Maps))
		w.stmts(depth+1, s.Body)
	case *Return:
		if s.Value == nil {
			w.line(depth, s.At, "return")
		} else {
			w.line(depth, s.At, "return %s", ExprString(s.Value))
		}
	case *Nest:
		w.line(depth, s.At, "kernel%s", clauses(s))
		w.stmt(depth+1, s.Loop)
	}
}

func clauses(k *Nest) string {
	var b strings.Builder
	if k.Simd {
		b.WriteString(" simd")
	}
	fmt.Fprintf(&b, " collapse(%d)", k.Collapse)
	if k.NumTeams != nil {
		fmt.Fprintf(&b, " num_teams(%s)", ExprString(k.NumTeams))
	}
	if k.NumThreads != nil {
		fmt.Fprintf(&b, " num_threads(%s)", ExprString(k.NumThreads))
	}
	b.WriteString(mapList(k.Maps))
	for _, r := range k.Reductions {
		fmt.Fprintf(&b, " reduction(%s: %s)", r.Op, r.Var.Name)
	}
	for _, v := range k.FirstPrivate {
		fmt.Fprintf(&b, " firstprivate(%s)", v.Name)
	}
	switch {
	case k.Chunk != nil:
		fmt.Fprintf(&b, " schedule(static, %s)", ExprString(k.Chunk))
	case k.Static:
		b.WriteString(" schedule(static)")
	}
	return b.String()
}

func mapList(maps []Map) string {
	var b strings.Builder
	for _, m := range maps {
		fmt.Fprintf(&b, " map(%s: ", m.Kind)
		if m.Array != nil {
			b.WriteString(m.Array.Name)
		} else {
			b.WriteString(m.Var.Name)
		}
		for _, s := range m.Sections {
			b.WriteString("[" + ExprString(s.Lo) + ":" + ExprString(s.Len) + "]")
		}
		b.WriteByte(')')
	}
	return b.String()
}

// ExprString writes an expression, fully parenthesised.
func ExprString(e Expr) string { return exprString(e, true) }

// ExprText is ExprString without the marks of subscripts.
func ExprText(e Expr) string { return exprString(e, false) }

func exprString(e Expr, mark bool) string {
	switch e := e.(type) {
	case *IntLit:
		if e.T == Ulong {
			return strconv.FormatUint(uint64(e.Value), 10) + "ul"
		}
		return strconv.FormatInt(e.Value, 10) + map[Type]string{Uint: "u", Long: "l"}[e.T]
	case *FloatLit:
		if e.T == Float {
			return formatFloat(e.Value, 32) + "f"
		}
		return formatFloat(e.Value, 64)
	case *Ref:
		return e.Var.Name
	case *Index:
		var b strings.Builder
		b.WriteString(e.Array.Name)
		for _, s := range e.Subs {
			b.WriteByte('[')
			if _, ok := Affine(s); !ok && mark {
				b.WriteByte('?')
			}
			b.WriteString(exprString(s, mark) + "]")
		}
		return b.String()
	case *Unary:
		return e.Op.String() + "(" + exprString(e.X, mark) + ")"
	case *Binary:
		return "(" + exprString(e.X, mark) + " " + e.Op.String() + " " + exprString(e.Y, mark) + ")"
	case *Cond:
		return "(" + exprString(e.If, mark) + " ? " + exprString(e.Then, mark) + " : " + exprString(e.Else, mark) + ")"
	case *Call:
		var args []string
		for _, a := range e.Args {
			args = append(args, exprString(a, mark))
		}
		return e.Fn.Name + "(" + strings.Join(args, ", ") + ")"
	case *Convert:
		if e.Implicit {
			return e.T.String() + "~(" + exprString(e.X, mark) + ")"
		}
		return e.T.String() + "(" + exprString(e.X, mark) + ")"
	}
	return "?"
}

func formatFloat(v float64, bits int) string {
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}
