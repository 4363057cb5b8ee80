package emit

import (
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// access is what a run of statements does with memory.
type access struct {
	reads, writes []*loop.Array // in order of first use
	sync          bool          // it contains a Sync
}

func (a *access) expr(e loop.Expr) {
	loop.WalkExpr(e, func(x loop.Expr) {
		if i, ok := x.(*loop.Index); ok && !slices.Contains(a.reads, i.Array) {
			a.reads = append(a.reads, i.Array)
		}
	})
}

// index notes what computing the subscripts of an assigned element reads.
func (a *access) target(e loop.Expr) {
	i, ok := e.(*loop.Index)
	if !ok {
		return
	}
	if !slices.Contains(a.writes, i.Array) {
		a.writes = append(a.writes, i.Array)
	}
	for _, s := range i.Subs {
		a.expr(s)
	}
}

func (a *access) stmts(list []device.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *device.For:
			a.expr(s.Lo)
			a.expr(s.Hi)
			a.stmts(s.Body)
		case *device.If:
			a.expr(s.Cond)
			a.stmts(s.Then)
			a.stmts(s.Else)
		case *device.Assign:
			a.expr(s.RHS)
			a.target(s.LHS)
		case *device.Decl:
			if s.Init != nil {
				a.expr(s.Init)
			}
		case *device.Sync:
			a.sync = true
		}
	}
}

// label says which part of an interval a statement is, or nothing where it
// contains several or touches no memory.
func (k *kernelPrinter) label(s device.Stmt) string {
	var a access
	a.stmts([]device.Stmt{s})
	if a.sync || len(a.reads)+len(a.writes) == 0 || k.kernel.Scheme == device.Base {
		return ""
	}
	global := func(list []*loop.Array) []*loop.Array {
		return slices.DeleteFunc(slices.Clone(list), func(x *loop.Array) bool { return slices.Contains(k.kernel.Shared, x) })
	}
	in, out := global(a.reads), global(a.writes)
	switch {
	case k.phase == device.Compute && len(in)+len(out) == 0:
		return "execute"
	case k.phase == device.Compute:
		return ""
	case k.epilogue && len(in) == 0 && !slices.ContainsFunc(out, func(x *loop.Array) bool { return !k.partial(x) }):
		return "combine the team's results"
	case k.kernel.Scheme == device.CMPT && len(in)+len(out) > 0:
		return "execute in the memory phase: " + k.list(append(in, out...))
	case len(out) > 0:
		return "store " + k.list(out)
	case len(in) > 0:
		return "load " + k.list(in)
	}
	return "prepare the scratchpad"
}

// partial reports whether a holds partial results of a reduction.
func (k *kernelPrinter) partial(a *loop.Array) bool {
	return slices.ContainsFunc(k.kernel.Reductions, func(r device.Reduction) bool { return r.Partial == a })
}

// list names arrays, each once.
func (k *kernelPrinter) list(arrays []*loop.Array) string {
	var w []string
	for _, a := range arrays {
		if !slices.Contains(w, a.Name) {
			w = append(w, a.Name)
		}
	}
	return strings.Join(w, ", ")
}
