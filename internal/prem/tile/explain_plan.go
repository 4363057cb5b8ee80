package tile

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

func (w *explainer) nodes(indent string, list []Node, around []*loop.For) {
	for _, n := range list {
		switch n := n.(type) {
		case *Plain:
			w.line("%sno memory: %s", indent, w.lines(n.Stmts))
		case *Walk:
			w.line("%swalk %s from %s while %s %s, one iteration at a time", indent, n.Loop.Var.Name,
				either(n.Lo, n.Loop.Step > 0, "max", "min"), n.Loop.Cmp, either(n.Hi, n.Loop.Step > 0, "min", "max"))
			w.nodes(indent+"  ", n.Body, append(around, n.Loop))
		case *Interval:
			w.interval(indent, n)
		}
	}
}

// either writes the bounds of a loop over all threads.
func either(forms []loop.Linear, up bool, whenUp, whenDown string) string {
	if len(forms) == 1 {
		return formString(forms[0])
	}
	name := whenDown
	if up {
		name = whenUp
	}
	return name + "(" + formList(forms) + ")"
}

func formList(forms []loop.Linear) string {
	var out []string
	for _, f := range forms {
		out = append(out, formString(f))
	}
	return strings.Join(out, ", ")
}

// lines says where statements of the kernel stand.
func (w *explainer) lines(list []loop.Stmt) string {
	first, last := list[0].Position(), list[len(list)-1].Position()
	switch {
	case first.File != last.File:
		return fmt.Sprintf("%s:%d to %s:%d", first.File, first.Line, last.File, last.Line)
	case first.File != w.p.Kernel.At.File:
		return fmt.Sprintf("%s:%d to %d", first.File, first.Line, last.Line)
	case first.Line == last.Line:
		return fmt.Sprintf("line %d", first.Line)
	}
	return fmt.Sprintf("lines %d to %d", first.Line, last.Line)
}

func (w *explainer) interval(indent string, n *Interval) {
	what := w.lines(n.Stmts)
	if t := n.Tile; t != nil {
		what = fmt.Sprintf("%d %s of %s from %s while %s %s", t.Count, plural(t.Count, "iteration", "iterations"), t.Loop.Var.Name,
			either(t.Lo, t.Loop.Step > 0, "max", "min"), t.Loop.Cmp, either(t.Hi, t.Loop.Step > 0, "min", "max"))
	}
	w.line("%sinterval of %s: %d bytes", indent, what, n.Bytes)
	counts := w.executions(n)
	for _, b := range n.Boxes {
		w.box(indent+"  ", b, counts)
	}
}

func (w *explainer) box(indent string, b *Box, counts map[*loop.Index]int64) {
	var dims strings.Builder
	elems, accesses := int64(1), int64(0)
	for _, d := range b.Dims {
		elems = times(elems, d.Count)
		dims.WriteString("[" + formString(d.Lo))
		if d.Count > 1 {
			fmt.Fprintf(&dims, ", %d of step %d", d.Count, d.Step)
		}
		if len(d.Begin) > 0 {
			dims.WriteString(", not below " + formList(d.Begin))
		}
		if len(d.End) > 0 {
			dims.WriteString(", not above " + formList(d.End))
		}
		dims.WriteString("]")
	}
	for _, r := range b.Refs {
		if n, ok := counts[r]; ok && accesses >= 0 {
			accesses = min(accesses+n, tooMuch)
		}
	}
	how := "loaded"
	switch {
	case b.Read && b.Written:
		how = "loaded and stored"
	case b.Written:
		how = "stored"
	}
	if b.Written && !b.Exact {
		how += fmt.Sprintf(" where written (%d bytes of marks)", times(elems, loop.Int.Size()))
	}
	w.line("%s%s%s: %d bytes, %s", indent, b.Array.Name, dims.String(), b.Bytes, how)
	if len(b.After) > 0 {
		w.line("%s  elements that a box of %s above holds are taken from there", indent, b.Array.Name)
	}
	// A tenth is exact enough and keeps the text free of rounding modes.
	tenths := times(accesses, 10) / elems
	w.line("%s  reuse %d.%d: at most %d %s to %d %s%s", indent, tenths/10, tenths%10, accesses, plural(accesses, "access", "accesses"),
		elems, plural(elems, "element", "elements"), w.sharing(b))
}

// sharing says along which SIMT loops several threads of a tile use an element.
func (w *explainer) sharing(b *Box) string {
	var out strings.Builder
	for _, d := range w.p.Dims {
		if d.Threads*d.Per == 1 {
			continue
		}
		same, shifted := false, false
		for i, r := range b.Refs {
			switch {
			case !names(r, d.Loop.Var):
				same = true
			case w.slides(r, d.Loop.Var):
				shifted = true
			}
			for _, q := range b.Refs[:i] {
				if differsAlong(r, q, d.Loop.Var) {
					shifted = true
				}
			}
		}
		switch {
		case same:
			fmt.Fprintf(&out, "; all iterations of %s share them", d.Loop.Var.Name)
		case shifted:
			fmt.Fprintf(&out, "; neighbours along %s share some", d.Loop.Var.Name)
		}
	}
	return out.String()
}

// slides reports whether a subscript depends on v and on a loop inside the SIMT
// space, so that the ranges of neighbours overlap.
func (w *explainer) slides(x *loop.Index, v *loop.Var) bool {
	for _, s := range x.Subs {
		l, ok := loop.Affine(s)
		if !ok || l.Coef(v) == 0 {
			continue
		}
		for _, f := range w.p.loops {
			if !f.simt && l.Coef(f.loop.Var) != 0 {
				return true
			}
		}
	}
	return false
}

// names reports whether a subscript depends on v.
func names(x *loop.Index, v *loop.Var) bool {
	for _, s := range x.Subs {
		if l, ok := loop.Affine(s); ok && l.Coef(v) != 0 {
			return true
		}
	}
	return false
}

// differsAlong reports whether a subscript of both depends on v in the same way,
// and differs by a constant.
func differsAlong(x, y *loop.Index, v *loop.Var) bool {
	for d := range x.Subs {
		l, ok := loop.Affine(x.Subs[d])
		m, ok2 := loop.Affine(y.Subs[d])
		if !ok || !ok2 || l.Coef(v) == 0 {
			continue
		}
		if diff, ok := minus(l, m); ok && len(diff.Terms) == 0 && diff.Const != 0 {
			return true
		}
	}
	return false
}

// executions is the number of times that each reference of an interval is
// executed in a full tile, at most: compound assignments count as two.
func (w *explainer) executions(n *Interval) map[*loop.Index]int64 {
	per := int64(1)
	for d, dim := range w.p.Dims {
		size := dim.Threads * dim.Per
		if t := w.p.loops[d].trips; t >= 0 {
			size = min(size, t)
		}
		per = times(per, size)
	}
	counts := make(map[*loop.Index]int64)
	var visit func(list []loop.Stmt, each int64)
	visit = func(list []loop.Stmt, each int64) {
		c := &collector{read: func(x *loop.Index) { counts[x] = min(counts[x]+each, tooMuch) }}
		for _, s := range list {
			switch s := s.(type) {
			case *loop.For:
				t := w.facts[s].trips
				if n.Tile != nil && s == n.Tile.Loop && (t < 0 || n.Tile.Count < t) {
					t = n.Tile.Count
				}
				if t < 0 {
					t = tooMuch
				}
				visit(s.Body, times(each, t))
			case *loop.If:
				c.expr(s.Cond)
				visit(s.Then, each)
				visit(s.Else, each)
			case *loop.Block:
				visit(s.Body, each)
			case *loop.Decl:
				if s.Init != nil {
					c.expr(s.Init)
				}
			case *loop.Assign:
				c.expr(s.RHS)
				if x, ok := s.LHS.(*loop.Index); ok {
					counts[x] = min(counts[x]+each, tooMuch)
				}
			}
		}
	}
	visit(n.Stmts, per)
	return counts
}
