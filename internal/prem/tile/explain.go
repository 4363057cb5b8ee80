package tile

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// loopFact is what the search knew of a loop: its nesting depth, the greatest
// trip count (-1: none is known), and whether it is of the SIMT space.
type loopFact struct {
	loop  *loop.For
	depth int
	trips int64
	simt  bool
}

// facts lists the loops of the kernel for explanation.
func (p *planner) facts(host *scope) {
	s := host
	for d, dim := range p.plan.Dims {
		p.plan.loops = append(p.plan.loops, loopFact{dim.Loop, d, p.trips[d], true})
		b, err := spanOf(dim.Loop)
		if err != nil {
			s = s.with(scope{v: dim.Loop.Var})
			continue
		}
		s = whole(s, dim.Loop, b)
	}
	var visit func(list []loop.Stmt, s *scope, depth int)
	visit = func(list []loop.Stmt, s *scope, depth int) {
		for _, st := range list {
			switch st := st.(type) {
			case *loop.For:
				b, err := spanOf(st)
				n := int64(-1)
				if t, ok := trips(s, st, b); ok && err == nil {
					n = t
				}
				p.plan.loops = append(p.plan.loops, loopFact{st, depth, n, false})
				if err == nil {
					visit(st.Body, whole(s, st, b), depth+1)
				} else {
					visit(st.Body, s.with(scope{v: st.Var}), depth+1)
				}
			case *loop.If:
				visit(st.Then, s, depth)
				visit(st.Else, s, depth)
			case *loop.Block:
				visit(st.Body, s, depth)
			}
		}
	}
	visit(p.body, s, len(p.plan.Dims))
}

// Explain writes how a plan was made: the loops, the accesses as add-recurrences
// ({start,+,step}<loop>, Forsberg2021, section 3.2.1), the steps of Algorithm 2
// with their bytes, the intervals with their boxes and how often an element that is
// moved once is accessed, and the reason where phases are not separate. The text is
// the same for the same plan.
func Explain(p *Plan) string {
	w := &explainer{p: p, facts: make(map[*loop.For]loopFact)}
	for _, f := range p.loops {
		w.facts[f.loop] = f
	}
	w.line("kernel at %s: %d %s of %d %s, %d bytes of scratchpad each", p.Kernel.At,
		p.Teams, plural(p.Teams, "team", "teams"), p.Threads, plural(p.Threads, "thread", "threads"), p.SPMBytes)
	w.loops()
	w.accesses()
	w.line("search (Algorithm 2)")
	for _, d := range p.Decisions {
		w.line("  %s  %s", d.At.In(p.Kernel.At.File), d.Text)
	}
	if p.Compatible != nil {
		w.line("  no plan: %s", p.Compatible)
		w.line("result")
		w.line("  compatible intervals: every block iteration runs whole in the memory phase, as under CMPT")
		return w.b.String()
	}
	w.line("result")
	for _, d := range p.Dims {
		w.line("  %s: a tile is %d %s, %d %s with %d each", d.Loop.Var.Name, d.Threads*d.Per, plural(d.Threads*d.Per, "iteration", "iterations"),
			d.Threads, plural(d.Threads, "thread", "threads"), d.Per)
	}
	w.nodes("  ", p.Body, nil)
	if p.Reduce >= 0 {
		w.line("  reductions: %d bytes at %d", p.Bytes-p.Reduce, p.Reduce)
	}
	w.line("  %d of %d bytes", p.Bytes, p.SPMBytes)
	return w.b.String()
}

type explainer struct {
	b     strings.Builder
	p     *Plan
	facts map[*loop.For]loopFact
}

func (w *explainer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

func plural(n int64, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func (w *explainer) loops() {
	w.line("loops")
	for _, f := range w.p.loops {
		l := f.loop
		trips := "trip count not known"
		if f.trips >= 0 {
			trips = fmt.Sprintf("%d %s", f.trips, plural(f.trips, "iteration", "iterations"))
			if !constant(l) {
				trips = "at most " + trips
			}
		}
		kind := ""
		if f.simt {
			kind = ", SIMT"
		}
		w.line("  %s%s %s from %s while %s %s, step %d: %s%s", strings.Repeat("  ", f.depth), l.At.In(w.p.Kernel.At.File), l.Var.Name,
			bound(l.Lo), l.Cmp, bound(l.Hi), l.Step, trips, kind)
	}
}

// constant reports whether the loop's trip count is the same wherever it runs.
func constant(l *loop.For) bool {
	b, err := spanOf(l)
	if err != nil {
		return false
	}
	d, ok := minus(b.hi, b.first)
	return ok && len(d.Terms) == 0
}

func bound(e loop.Expr) string {
	if l, ok := loop.Affine(e); ok {
		return formString(l)
	}
	return loop.ExprString(e)
}

// accesses lists the references of the kernel in program order, each with the
// recurrence of every subscript.
func (w *explainer) accesses() {
	w.line("accesses")
	c := &recurrences{w: w}
	c.stmts([]loop.Stmt{w.p.Kernel.Loop})
	if c.count == 0 {
		w.line("  none")
	}
}

type recurrences struct {
	w     *explainer
	loops []*loop.For
	count int
}

func (c *recurrences) stmts(list []loop.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			c.loops = append(c.loops, s)
			c.stmts(s.Body)
			c.loops = c.loops[:len(c.loops)-1]
		case *loop.If:
			c.reads(s.Cond)
			c.stmts(s.Then)
			c.stmts(s.Else)
		case *loop.Block:
			c.stmts(s.Body)
		case *loop.Decl:
			if s.Init != nil {
				c.reads(s.Init)
			}
		case *loop.Assign:
			c.reads(s.RHS)
			if x, ok := s.LHS.(*loop.Index); ok {
				c.reads(x.Subs...)
				c.access(x, "written")
			}
		}
	}
}

func (c *recurrences) reads(list ...loop.Expr) {
	g := &collector{read: func(x *loop.Index) { c.access(x, "read") }}
	for _, e := range list {
		g.expr(e)
	}
}

func (c *recurrences) access(x *loop.Index, how string) {
	c.count++
	var b strings.Builder
	for _, s := range x.Subs {
		l, ok := loop.Affine(s)
		if !ok {
			b.WriteString("[not affine: " + loop.ExprString(s) + "]")
			continue
		}
		b.WriteString("[" + recurrence(l, c.loops) + "]")
	}
	c.w.line("  %s %s %s", x.At.In(c.w.p.Kernel.At.File), x.Array.Name+b.String(), how)
}

// recurrence writes l over the iterations of the loops, outermost first: a
// variable's first value in its place, and its coefficient times its step.
func recurrence(l loop.Linear, loops []*loop.For) string {
	for len(loops) > 0 {
		f := loops[len(loops)-1]
		loops = loops[:len(loops)-1]
		k := l.Coef(f.Var)
		if k == 0 {
			continue
		}
		first, ok := loop.Affine(f.Lo)
		if !ok {
			first = loop.Of(&loop.Var{Name: "(" + loop.ExprString(f.Lo) + ")", ID: -1})
		}
		start, ok := l.Replace(f.Var, first)
		step, ok2 := (loop.Linear{Const: k}).Scale(f.Step)
		if !ok || !ok2 {
			break
		}
		return fmt.Sprintf("{%s,+,%d}<%s>", recurrence(start, loops), step.Const, f.Var.Name)
	}
	return formString(l)
}
