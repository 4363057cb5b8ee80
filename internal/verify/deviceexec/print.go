package deviceexec

import (
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// Print writes a kernel as text: one line per declaration and statement, ending
// in the line:col of its source. Expressions are as in loop.ExprText.
func Print(k *device.Entry) string {
	w := &printer{}
	w.Add(0, k.At, "kernel %s %s teams(%d) threads(%d)", k.Name, k.Scheme, k.Teams, k.Threads)
	if k.Compatible != nil {
		w.Add(1, k.Compatible.Pos, "compatible: %s", k.Compatible.Msg)
	}
	for _, p := range k.Params {
		if p.Var != nil {
			w.Add(1, p.Var.At, "param %s %s", p.Var.Name, p.Var.Type)
		} else {
			w.Add(1, p.Array.At, "param %s", arrayText(p.Array))
		}
	}
	for i, a := range k.Shared {
		if k.SharedAt == nil {
			w.Add(1, a.At, "shared %s", arrayText(a))
		} else {
			w.Add(1, a.At, "shared %s at(%d)", arrayText(a), k.SharedAt[i])
		}
	}
	for _, r := range k.Reductions {
		w.Add(1, r.Var.At, "reduction %s: %s from %s", r.Op, r.Var.Name, r.Partial.Name)
	}
	w.stmts(1, k.Body)
	return w.String()
}

type printer struct{ loopkit.Lines }

func arrayText(a *loop.Array) string {
	var b strings.Builder
	b.WriteString(a.Name + " ")
	if a.Const {
		b.WriteString("const ")
	}
	b.WriteString(a.Elem.String())
	for _, x := range a.Extents {
		b.WriteByte('[')
		if x != nil {
			b.WriteString(loop.ExprText(x))
		}
		b.WriteByte(']')
	}
	return b.String()
}

func (w *printer) stmts(depth int, list []device.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *device.For:
			w.Add(depth, s.At, "for %s %s = %s; %s %s %s; %+d", s.Var.Name, s.Var.Type, loop.ExprText(s.Lo),
				s.Var.Name, s.Cmp, loop.ExprText(s.Hi), s.Step)
			w.stmts(depth+1, s.Body)
		case *device.If:
			w.Add(depth, s.At, "if %s", loop.ExprText(s.Cond))
			w.stmts(depth+1, s.Then)
			if len(s.Else) > 0 {
				w.Add(depth, loop.Pos{}, "else")
				w.stmts(depth+1, s.Else)
			}
		case *device.Assign:
			w.Add(depth, s.At, "%s = %s", loop.ExprText(s.LHS), loop.ExprText(s.RHS))
		case *device.Decl:
			if s.Init == nil {
				w.Add(depth, s.At, "var %s %s", s.Var.Name, s.Var.Type)
			} else {
				w.Add(depth, s.At, "var %s %s = %s", s.Var.Name, s.Var.Type, loop.ExprText(s.Init))
			}
		case *device.Barrier:
			w.Add(depth, s.At, "barrier")
		case *device.Sync:
			w.Add(depth, s.At, "%s", s.Phase)
		}
	}
}
