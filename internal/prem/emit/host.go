package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// hostPrinter writes the function's own body, with launches in place of its
// kernels.
type hostPrinter struct {
	*text
	printer
	m        Module
	guarded  bool // some kernel takes the token
	entry    string
	partials []partial
	next     int // the next kernel
}

// hostExprs calls f on every expression of host statements, kernels left out, and
// what it consists of.
func hostExprs(list []loop.Stmt, f func(loop.Expr)) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			loop.WalkExpr(s.Lo, f)
			loop.WalkExpr(s.Hi, f)
			hostExprs(s.Body, f)
		case *loop.If:
			loop.WalkExpr(s.Cond, f)
			hostExprs(s.Then, f)
			hostExprs(s.Else, f)
		case *loop.Assign:
			loop.WalkExpr(s.LHS, f)
			loop.WalkExpr(s.RHS, f)
		case *loop.Decl:
			if s.Init != nil {
				loop.WalkExpr(s.Init, f)
			}
		case *loop.Return:
			if s.Value != nil {
				loop.WalkExpr(s.Value, f)
			}
		case *loop.Block:
			hostExprs(s.Body, f)
		case *loop.Data:
			hostExprs(s.Body, f)
		}
	}
}

// key is what an array's memory is bound by.
func (p *printer) key(a *loop.Array) any {
	if a.Record != nil {
		return a.Record
	}
	return a
}

// function writes the arrays at file scope and the function.
func (h *harness) function() {
	h.line("")
	for _, a := range h.arrays {
		if a.Global {
			h.line("static %s;", h.pointer(a, h.bindArray(a), "", ""))
		}
	}
	for _, k := range h.m.Kernels {
		h.partialsOf(k)
	}
	h.entry = h.names.bind(h.m.Func, h.m.Func.Name)
	h.names.push()
	defer h.names.pop()
	var params []string
	seen := make(map[*loop.Record]bool)
	for _, p := range h.m.Func.Params {
		switch {
		case p.Var != nil:
			params = append(params, h.lang.typ(p.Var.Type)+" "+h.names.bind(p.Var, p.Var.Name))
		case p.Array.Record == nil || !seen[p.Array.Record]:
			if p.Array.Record != nil {
				seen[p.Array.Record] = true
			}
			params = append(params, h.pointer(p.Array, h.bindArray(p.Array), "", ""))
		}
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	h.line("")
	h.at(h.m.Func.At, "static %s %s(%s)", h.lang.typ(h.m.Func.Result), h.entry, strings.Join(params, ", "))
	h.line("{")
	h.unused()
	h.body(h.m.Func.Body)
	h.line("}")
}

// unused tells compilers which parameters neither the host's statements nor the
// kernels need, so that they do not.
func (h *harness) unused() {
	used := make(map[any]bool)
	hostExprs(h.m.Func.Body, func(e loop.Expr) {
		switch e := e.(type) {
		case *loop.Ref:
			used[e.Var] = true
		case *loop.Index:
			used[h.key(e.Array)] = true
		}
	})
	for _, k := range h.m.Kernels {
		for _, p := range k.Params {
			if p.Var != nil {
				used[p.Var] = true
			} else {
				used[h.key(p.Array)] = true
			}
		}
	}
	for _, p := range h.m.Func.Params {
		key := any(p.Var)
		if p.Array != nil {
			key = h.key(p.Array)
		}
		if !used[key] {
			used[key] = true // of a structure once
			h.line("    (void)%s;", h.names.name(key))
		}
	}
}

// body writes statements in a scope of their own.
func (h *hostPrinter) body(list []loop.Stmt) {
	h.names.push()
	defer h.names.pop()
	h.depth++
	defer func() { h.depth-- }()
	for _, s := range list {
		h.stmt(s)
	}
}

func (h *hostPrinter) stmt(s loop.Stmt) {
	switch s := s.(type) {
	case *loop.For:
		lo := h.value(s.Lo, precNone)
		h.names.push()
		defer h.names.pop()
		v := h.names.bind(s.Var, s.Var.Name)
		h.at(s.At, "for (%s %s = %s; %s %s %s; %s) {", h.lang.typ(s.Var.Type), v, lo, v, s.Cmp, h.value(s.Hi, precShift), step(v, s.Step, h.lang.suffix(s.Var.Type)))
		h.body(s.Body)
		h.line("}")
	case *loop.If:
		h.at(s.At, "if (%s) {", h.cond(s.Cond, precNone))
		h.body(s.Then)
		if len(s.Else) > 0 {
			h.line("} else {")
			h.body(s.Else)
		}
		h.line("}")
	case *loop.Assign:
		h.at(s.At, "%s", h.assign(s.LHS, s.RHS))
	case *loop.Decl:
		h.at(s.At, "%s", h.declare(s.Var, s.Init))
	case *loop.Block:
		h.block(s.Body)
	case *loop.Data:
		h.block(s.Body)
	case *loop.Return:
		if s.Value == nil {
			h.at(s.At, "return;")
		} else {
			h.at(s.At, "return %s;", h.value(s.Value, precNone))
		}
	case *loop.Nest:
		h.launch(h.next)
		h.next++
	default:
		if h.missing == nil {
			h.missing = fmt.Errorf("emit: statement of unknown kind %T", s)
		}
	}
}

func (h *hostPrinter) block(list []loop.Stmt) {
	h.line("{")
	h.body(list)
	h.line("}")
}

// launch writes the launch of kernel i and combines its partial results, in the
// order of the teams.
func (h *hostPrinter) launch(i int) {
	k := h.m.Kernels[i]
	var args []string
	for _, g := range arguments(k) {
		switch {
		case g.scalar != nil:
			args = append(args, h.use(g.scalar, g.scalar.Name, k.At))
		default:
			args = append(args, h.use(h.key(g.array), g.array.Name, k.At))
		}
	}
	dynamic := k.DynamicBytes()
	guarded := h.m.guarded(k)
	if guarded {
		h.line("wb_offload((const void *)%s, %d, %d, %d, %q);", k.Name, k.Teams, k.Threads, dynamic, k.Name)
		args = append(args, "wb_guard_on ? wb_device_token : 0")
	}
	config := []string{strconv.FormatInt(k.Teams, 10), strconv.FormatInt(k.Threads, 10)}
	if dynamic > 0 {
		config = append(config, strconv.FormatInt(dynamic, 10))
	}
	h.line("wb_start();")
	h.at(k.At, "%s<<<%s>>>(%s);", k.Name, strings.Join(config, ", "), strings.Join(args, ", "))
	h.line("wb_stop(%d);", i)
	if guarded {
		h.line("wb_onload();")
	}
	for _, r := range k.Reductions {
		h.combine(k, r)
	}
}

func (h *hostPrinter) combine(k *device.Entry, r device.Reduction) {
	v, p := h.use(r.Var, r.Var.Name, k.At), h.names.name(r.Partial)
	h.line("for (int wb_team = 0; wb_team < %d; wb_team++)", k.Teams)
	p += "[wb_team]"
	switch {
	case r.Op == loop.RedAdd:
		h.line("    %s += %s;", v, p)
	case r.Op == loop.RedMul && r.Var.Type.IsFloat():
		h.line("    %s = %s(%s, %s);", v, h.lang.function(loop.Mul, r.Var.Type), v, p)
	case r.Op == loop.RedMul:
		h.line("    %s *= %s;", v, p)
	case r.Op == loop.RedMin:
		h.line("    %s = %s < %s ? %s : %s;", v, p, v, p, v)
	default:
		h.line("    %s = %s > %s ? %s : %s;", v, p, v, p, v)
	}
}
