package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// kernelPrinter writes one kernel.
type kernelPrinter struct {
	*text
	printer
	kernel   *device.Entry
	guard    bool
	phase    device.Phase // at the statement being written
	labelled string
	epilogue bool // of a kernel with reductions, after its last Sync
	written  map[*loop.Array]bool
}

// argument is one parameter of the kernel in the text: a scalar, an array, or the
// structures that several arrays are members of.
type argument struct {
	scalar *loop.Var
	array  *loop.Array // for structures, the first member that is a parameter
}

// arguments lists the kernel's parameters in the order of the text.
func arguments(k *device.Entry) []argument {
	var out []argument
	seen := make(map[*loop.Record]bool)
	for _, p := range k.Params {
		switch {
		case p.Var != nil:
			out = append(out, argument{scalar: p.Var})
		case p.Array.Record == nil:
			out = append(out, argument{array: p.Array})
		case !seen[p.Array.Record]:
			seen[p.Array.Record] = true
			out = append(out, argument{array: p.Array})
		}
	}
	return out
}

// writtenArrays are the arrays that the kernel assigns to.
func writtenArrays(k *device.Entry) map[*loop.Array]bool {
	var a access
	a.stmts(k.Body)
	m := make(map[*loop.Array]bool)
	for _, x := range a.writes {
		m[x] = true
	}
	return m
}

// writes reports whether the kernel assigns to the memory of an argument.
func (k *kernelPrinter) writes(a *loop.Array) bool {
	if a.Record == nil {
		return k.written[a]
	}
	return slices.ContainsFunc(a.Record.Members, func(m loop.Member) bool { return k.written[m.Array] })
}

// elem is the type of an array's elements in the text.
func (p *printer) elem(a *loop.Array) string {
	if a.Record == nil {
		return p.lang.typ(a.Elem)
	}
	return "struct " + p.use(a.Record.Tag, a.Record.Tag, a.At)
}

// pointer declares a pointer to an array's first row.
func (p *printer) pointer(a *loop.Array, name, qualifiers, restrict string) string {
	tail, ok := fixedTail(a)
	if !ok || len(tail) == 0 {
		return fmt.Sprintf("%s%s *%s%s", qualifiers, p.elem(a), restrict, name)
	}
	return fmt.Sprintf("%s%s (*%s%s)%s", qualifiers, p.elem(a), restrict, name, dims(tail))
}

// bindArray names an array's memory, once for all members of a structure.
func (p *printer) bindArray(a *loop.Array) string {
	if a.Record == nil {
		return p.names.bind(a, a.Name)
	}
	return p.names.bind(a.Record, a.Record.Name)
}

// params writes the parameters and binds their names.
func (k *kernelPrinter) params() []string {
	var list []string
	for _, g := range arguments(k.kernel) {
		if g.scalar != nil {
			list = append(list, k.lang.typ(g.scalar.Type)+" "+k.names.bind(g.scalar, g.scalar.Name))
			continue
		}
		qualifiers, restrict := "", "__restrict__ "
		if !k.writes(g.array) {
			qualifiers = "const "
		}
		if k.lang == opencl {
			qualifiers, restrict = "__global "+qualifiers, "restrict "
		}
		list = append(list, k.pointer(g.array, k.bindArray(g.array), qualifiers, restrict))
	}
	return list
}

// shared declares the scratchpad's arrays that are used: one by one, or where they share memory
// as pointers into all of it. What shares memory is used between different
// barriers, over which no compiler moves an access.
func (k *kernelPrinter) shared() {
	space, bytes := "__shared__ ", "unsigned char"
	if k.lang == opencl {
		space, bytes = "__local ", "uchar"
	}
	total, apart := scratchpad(k.kernel)
	at, _ := k.kernel.Layout()
	if !apart {
		switch {
		case k.lang == opencl:
			k.line("__local uchar wb_spm[%d] __attribute__((aligned(8)));", total)
		case k.kernel.DynamicBytes() > 0:
			k.line("extern __shared__ __align__(8) %s wb_spm[]; // %d, given at the launch", bytes, total)
		default:
			k.line("__shared__ __align__(8) %s wb_spm[%d];", bytes, total)
		}
	}
	var used access
	used.stmts(k.kernel.Body)
	for i, a := range k.kernel.Shared {
		if !slices.Contains(used.reads, a) && !slices.Contains(used.writes, a) {
			continue
		}
		tail, _ := fixedTail(a)
		n, _ := constant(a.Extents[0])
		name := k.names.bind(a, a.Name)
		if apart {
			k.line("%s%s %s%s;", space, k.lang.typ(a.Elem), name, dims(append([]int64{n}, tail...)))
			continue
		}
		if k.lang == cuda {
			space = ""
		}
		cast := k.pointer(a, "", space, "")
		k.line("%s = (%s)(wb_spm + %d); // %s%s", k.pointer(a, name, space, ""), strings.TrimSpace(cast), at[i], name, dims(append([]int64{n}, tail...)))
	}
}

// numbers declares the thread's and the team's number where the body reads them.
func (k *kernelPrinter) numbers() {
	used := make(map[*loop.Var]bool)
	eachExpr(k.kernel.Body, func(e loop.Expr) {
		if r, ok := e.(*loop.Ref); ok {
			used[r.Var] = true
		}
	})
	thread, team := "(int)threadIdx.x", "(int)blockIdx.x"
	if k.lang == opencl {
		thread, team = "(int)get_local_id(0)", "(int)get_group_id(0)"
	}
	if v := k.kernel.ThreadIdx; v != nil && used[v] {
		k.line("const int %s = %s;", k.names.bind(v, v.Name), thread)
	}
	if v := k.kernel.TeamIdx; v != nil && used[v] {
		k.line("const int %s = %s;", k.names.bind(v, v.Name), team)
	}
}

// eachExpr calls f on every expression of the statements and what it consists of.
func eachExpr(list []device.Stmt, f func(loop.Expr)) {
	for _, s := range list {
		switch s := s.(type) {
		case *device.For:
			loop.WalkExpr(s.Lo, f)
			loop.WalkExpr(s.Hi, f)
			eachExpr(s.Body, f)
		case *device.If:
			loop.WalkExpr(s.Cond, f)
			eachExpr(s.Then, f)
			eachExpr(s.Else, f)
		case *device.Assign:
			loop.WalkExpr(s.LHS, f)
			loop.WalkExpr(s.RHS, f)
		case *device.Decl:
			if s.Init != nil {
				loop.WalkExpr(s.Init, f)
			}
		}
	}
}

// body writes statements in a scope of their own.
func (k *kernelPrinter) body(list []device.Stmt) {
	k.names.push()
	defer k.names.pop()
	k.depth++
	defer func() { k.depth-- }()
	for _, s := range list {
		k.stmt(s)
	}
}

// top writes the kernel's body.
func (k *kernelPrinter) top() {
	last := -1
	for i, s := range k.kernel.Body {
		var a access
		if a.stmts([]device.Stmt{s}); a.sync {
			last = i
		}
	}
	k.names.push()
	defer k.names.pop()
	for i, s := range k.kernel.Body {
		k.epilogue = i > last && len(k.kernel.Reductions) > 0
		k.stmt(s)
	}
}

func (k *kernelPrinter) stmt(s device.Stmt) {
	if l := k.label(s); l != "" && l != k.labelled {
		k.line("// %s", plain(l))
		k.labelled = l
		k.last = ""
	}
	switch s := s.(type) {
	case *device.For:
		k.loop(s)
	case *device.If:
		k.at(s.At, "if (%s) {", k.cond(s.Cond, precNone))
		k.conditional(s)
	case *device.Assign:
		k.at(s.At, "%s", k.assign(s.LHS, s.RHS))
	case *device.Decl:
		k.at(s.At, "%s", k.declare(s.Var, s.Init))
	case *device.Barrier:
		if k.lang == opencl {
			k.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);")
		} else {
			k.line("__syncthreads();")
		}
	case *device.Sync:
		k.sync(s)
	default:
		if k.missing == nil {
			k.missing = fmt.Errorf("emit: statement of unknown kind %T", s)
		}
	}
}

func (k *kernelPrinter) sync(s *device.Sync) {
	k.phase, k.labelled = s.Phase, ""
	call := "enter_mem"
	if s.Phase == device.Compute {
		call = "enter_comp"
	}
	arg := ""
	if k.guard {
		arg = "&wb_guard"
	}
	k.line("%s(%s);", call, arg)
}

// conditional writes what follows the head of an If.
func (k *kernelPrinter) conditional(s *device.If) {
	// Both branches start in the phase before; a Sync stands in neither, as barriers
	// are met by all threads.
	k.body(s.Then)
	if len(s.Else) == 0 {
		k.line("}")
		return
	}
	if len(s.Else) == 1 {
		if e, ok := s.Else[0].(*device.If); ok {
			k.at(e.At, "} else if (%s) {", k.cond(e.Cond, precNone))
			k.conditional(e)
			return
		}
	}
	k.line("} else {")
	k.body(s.Else)
	k.line("}")
}

// loop writes a For; its variable's scope is the loop.
func (k *kernelPrinter) loop(s *device.For) {
	lo, hi := k.value(s.Lo, precNone), ""
	k.names.push()
	defer k.names.pop()
	v := k.names.bind(s.Var, s.Var.Name)
	hi = k.value(s.Hi, precShift)
	k.at(s.At, "for (%s %s = %s; %s %s %s; %s) {", k.lang.typ(s.Var.Type), v, lo, v, s.Cmp, hi, step(v, s.Step, k.lang.suffix(s.Var.Type)))
	k.body(s.Body)
	k.line("}")
}

func step(v string, n int64, suffix string) string {
	switch {
	case n == 1:
		return v + "++"
	case n == -1:
		return v + "--"
	case n < 0:
		return fmt.Sprintf("%s -= %d%s", v, -n, suffix)
	}
	return fmt.Sprintf("%s += %d%s", v, n, suffix)
}

// assign writes an assignment, x = x op y as x op= y.
func (p *printer) assign(lhs, rhs loop.Expr) string {
	l := p.expr(lhs, precPrimary)
	if b, ok := rhs.(*loop.Binary); ok && b.X.Type() == b.Y.Type() && p.expr(b.X, precPrimary) == l {
		switch {
		case b.Op == loop.Add, b.Op == loop.Sub,
			(b.Op == loop.Mul || b.Op == loop.Div) && !b.X.Type().IsFloat():
			return fmt.Sprintf("%s %s= %s;", l, b.Op, p.value(b.Y, precNone))
		}
	}
	return fmt.Sprintf("%s = %s;", l, p.value(rhs, precNone))
}

// declare writes a declaration and names the variable for what follows. The
// initialiser is written first: it does not see the variable.
func (p *printer) declare(v *loop.Var, init loop.Expr) string {
	value := ""
	if init != nil {
		value = " = " + p.value(init, precNone)
	}
	return p.lang.typ(v.Type) + " " + p.names.bind(v, v.Name) + value + ";"
}
