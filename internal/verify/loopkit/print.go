package loopkit

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Print writes a program as text: one line per declaration and statement, ending
// in its line:col. An implicit conversion is written T~(x), one of the source
// T(x); a compound assignment is written out, its operator in brackets; a
// subscript that Affine refuses is marked with a leading `?`.
func Print(p *loop.Unit) string {
	w := &printer{}
	w.Add(0, loop.Pos{}, "program %s", p.File)
	for _, a := range p.Arrays {
		w.Add(0, a.At, "array %s", arrayDecl(a))
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
		if f.Result != loop.NoType {
			result = " " + f.Result.String()
		}
		w.Add(0, f.At, "func %s(%s)%s", f.Name, strings.Join(ps, ", "), result)
		w.stmts(1, f.Body)
	}
	for _, o := range p.Omitted {
		w.Add(0, o.At, "omitted %s", o.Name)
	}
	return w.String()
}

type printer struct{ Lines }

// Lines is a text in which every line ends in a position.
type Lines struct{ b strings.Builder }

// String is the text so far.
func (w *Lines) String() string { return w.b.String() }

// Add adds a line at a depth, with the line:col of a position that is known.
func (w *Lines) Add(depth int, at loop.Pos, format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&w.b, format, args...)
	if at.Line > 0 {
		fmt.Fprintf(&w.b, " @%d:%d", at.Line, at.Col)
	}
	w.b.WriteByte('\n')
}

func arrayDecl(a *loop.Array) string {
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
			b.WriteString("[" + loop.ExprString(x) + "]")
		}
	}
	if r := a.Record; r != nil {
		fmt.Fprintf(&b, " in %s at %d of %d", r.Tag, a.Offset, r.Bytes)
	}
	return b.String()
}

func (w *printer) stmts(depth int, list []loop.Stmt) {
	for _, s := range list {
		w.stmt(depth, s)
	}
}

func (w *printer) stmt(depth int, s loop.Stmt) {
	switch s := s.(type) {
	case *loop.For:
		w.Add(depth, s.At, "for %s %s = %s; %s %s %s; %+d", s.Var.Name, s.Var.Type, loop.ExprString(s.Lo),
			s.Var.Name, s.Cmp, loop.ExprString(s.Hi), s.Step)
		w.stmts(depth+1, s.Body)
	case *loop.If:
		w.Add(depth, s.At, "if %s", loop.ExprString(s.Cond))
		w.stmts(depth+1, s.Then)
		if len(s.Else) > 0 {
			w.Add(depth, loop.Pos{}, "else")
			w.stmts(depth+1, s.Else)
		}
	case *loop.Assign:
		mark := ""
		if s.Compound != loop.NoOp {
			mark = " [" + s.Compound.String() + "=]"
		}
		w.Add(depth, s.At, "%s = %s%s", loop.ExprString(s.LHS), loop.ExprString(s.RHS), mark)
	case *loop.Decl:
		if s.Init == nil {
			w.Add(depth, s.At, "var %s %s", s.Var.Name, s.Var.Type)
		} else {
			w.Add(depth, s.At, "var %s %s = %s", s.Var.Name, s.Var.Type, loop.ExprString(s.Init))
		}
	case *loop.Block:
		w.Add(depth, s.At, "block")
		w.stmts(depth+1, s.Body)
	case *loop.Data:
		w.Add(depth, s.At, "data%s", mapList(s.Maps))
		w.stmts(depth+1, s.Body)
	case *loop.Return:
		if s.Value == nil {
			w.Add(depth, s.At, "return")
		} else {
			w.Add(depth, s.At, "return %s", loop.ExprString(s.Value))
		}
	case *loop.Nest:
		w.Add(depth, s.At, "kernel%s", clauses(s))
		w.stmt(depth+1, s.Loop)
	}
}

func clauses(k *loop.Nest) string {
	var b strings.Builder
	if k.Simd {
		b.WriteString(" simd")
	}
	fmt.Fprintf(&b, " collapse(%d)", k.Collapse)
	if k.NumTeams != nil {
		fmt.Fprintf(&b, " num_teams(%s)", loop.ExprString(k.NumTeams))
	}
	if k.NumThreads != nil {
		fmt.Fprintf(&b, " num_threads(%s)", loop.ExprString(k.NumThreads))
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
		fmt.Fprintf(&b, " schedule(static, %s)", loop.ExprString(k.Chunk))
	case k.Static:
		b.WriteString(" schedule(static)")
	}
	return b.String()
}

func mapList(maps []loop.Map) string {
	var b strings.Builder
	for _, m := range maps {
		fmt.Fprintf(&b, " map(%s: ", m.Kind)
		if m.Array != nil {
			b.WriteString(m.Array.Name)
		} else {
			b.WriteString(m.Var.Name)
		}
		for _, s := range m.Sections {
			b.WriteString("[" + loop.ExprString(s.Lo) + ":" + loop.ExprString(s.Len) + "]")
		}
		b.WriteByte(')')
	}
	return b.String()
}
