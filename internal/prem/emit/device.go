package emit

import (
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// CUDA writes the kernels of modules of one program as CUDA C++. The error says what
// cannot be written.
func CUDA(ms ...Module) (string, error) { return kernels(ms, cuda) }

// OpenCL writes the kernels of modules of one program as OpenCL C 1.2. The error
// says what has no text.
func OpenCL(ms ...Module) (string, error) { return kernels(ms, opencl) }

// kernels writes all of a device text.
func kernels(ms []Module, l lang) (string, error) {
	if err := checkAll(ms); err != nil {
		return "", err
	}
	t := newText(ms...)
	header(t, ms, l)
	n, err := structures(t, ms, l)
	if err != nil {
		return "", err
	}
	guardText(t, ms, l)
	for _, m := range ms {
		for _, k := range m.Kernels {
			if err := one(t, m, l, n, k); err != nil {
				return "", err
			}
		}
	}
	return t.b.String(), nil
}

// fixedMark begins the lines that name the values which kernels were planned for.
const fixedMark = "// ONLY FOR "

// header says what the text is and what its compiler needs to know.
func header(t *text, ms []Module, l lang) {
	var names []string
	for _, m := range ms {
		names = append(names, m.Func.Name)
	}
	t.comment("%s of %s, as generated kernels.", strings.Join(names, ", "), ms[0].base())
	for _, m := range ms {
		of := ""
		if len(ms) > 1 {
			of = " of " + m.Func.Name
		}
		params, values := m.fixed()
		for i, v := range params {
			t.line(fixedMark+"%s = %d%s: with another value they may access memory outside their arrays.", v.Name, values[i], of)
		}
	}
	if l == cuda {
		t.comment("Exact as it stands: products, quotients and roots are rounded one by one,")
		t.comment("whatever -fmad says. Do not compile it with -use_fast_math.")
		return
	}
	if slices.ContainsFunc(ms, relaxed) {
		t.comment("Exact when built with -cl-fp32-correctly-rounded-divide-sqrt, without which")
		t.comment("float quotients and roots may differ in their last bits.")
	}
	t.line("#pragma OPENCL FP_CONTRACT OFF")
	if slices.ContainsFunc(ms, usesDouble) {
		t.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
	}
}

// relaxed reports whether a kernel divides floats or takes a root of one.
func relaxed(m Module) bool {
	found := false
	each(m, func(e loop.Expr) {
		switch e := e.(type) {
		case *loop.Binary:
			found = found || e.Op == loop.Div && e.Type() == loop.Float
		case *loop.Call:
			found = found || e.Fn.Name == "sqrtf"
		}
	})
	return found
}

func usesDouble(m Module) bool {
	found := false
	each(m, func(e loop.Expr) { found = found || e.Type() == loop.Double })
	for _, k := range m.Kernels {
		for _, p := range k.Params {
			found = found || p.Var != nil && p.Var.Type == loop.Double || p.Array != nil && recordHas(p.Array, loop.Double)
		}
	}
	return found
}

func recordHas(a *loop.Array, t loop.Type) bool {
	if a.Record == nil {
		return a.Elem == t
	}
	return slices.ContainsFunc(a.Record.Members, func(m loop.Member) bool { return m.Array.Elem == t })
}

// each calls f on every expression of the kernels.
func each(m Module, f func(loop.Expr)) {
	for _, k := range m.Kernels {
		eachExpr(k.Body, f)
	}
}

// structures defines the structures of the modules and gives the names at file
// scope: those of structures and of kernels.
func structures(t *text, ms []Module, l lang) (*names, error) {
	records, err := records(ms)
	if err != nil {
		return nil, err
	}
	n := newNames()
	for _, m := range ms {
		for _, k := range m.Kernels {
			n.bind(k, k.Name)
		}
	}
	p := printer{lang: l, names: n}
	for _, r := range records {
		t.line("")
		t.at(r.At, "struct %s {", n.bind(r.Tag, r.Tag))
		for i, f := range r.Members {
			t.line("    %s %s;", l.typ(f.Array.Elem), p.memberNames(r)[i])
		}
		t.line("};")
		if l != opencl {
			t.line("static_assert(sizeof(struct %s) == %d, \"layout\");", n.name(r.Tag), r.Bytes)
		}
	}
	return n, nil
}

// guarded reports whether the kernel takes the token: one without phases asks for
// none.
func (m Module) guarded(k *device.Entry) bool { return m.Guard && phases(k) }

func phases(k *device.Entry) bool {
	var a access
	a.stmts(k.Body)
	return a.sync
}

// guardText writes the functions that change phases, in a form that may stand in
// several texts of one compilation.
func guardText(t *text, ms []Module, l lang) {
	if !slices.ContainsFunc(ms, func(m Module) bool { return slices.ContainsFunc(m.Kernels, phases) }) {
		return
	}
	m := ms[0] // in what follows all are alike
	name, s := "WARPBOUND_PHASES", openclPlainSync
	switch {
	case m.Guard && l == cuda:
		s = cudaGuard
	case m.Guard:
		s = openclGuard
	case l == cuda:
		s = cudaPlainSync
	}
	if m.Guard {
		name = "WARPBOUND_GUARD"
	}
	t.raw("\n#ifndef " + name + "\n#define " + name + s + "#endif\n")
}

// one writes a kernel.
func one(t *text, m Module, l lang, file *names, d *device.Entry) error {
	n := file.nested()
	k := &kernelPrinter{text: t, printer: printer{lang: l, names: n}, kernel: d, guard: m.guarded(d), written: writtenArrays(d)}
	bytes, _ := scratchpad(d)
	t.last = ""
	t.line("")
	t.comment("%s, scheme %s: %d teams of %d threads, %d bytes of scratchpad a team.", place(d.At), d.Scheme, d.Teams, d.Threads, bytes)
	if d.Compatible != nil {
		t.comment("No separate phases, as under cmpt: %s: %s", place(d.Compatible.Pos), d.Compatible.Msg)
	}
	if q := t.quote(d.At); q != "" {
		t.comment("  %s", q)
	}
	params := k.params()
	token := "volatile unsigned *wb_token"
	start := "extern \"C\" __global__ void __launch_bounds__(%d)\n%s("
	if l == opencl {
		token = "volatile __global uint *wb_token"
		start = "__kernel __attribute__((reqd_work_group_size(%d, 1, 1)))\nvoid %s("
	}
	if k.guard {
		params = append(params, token)
	}
	head := ""
	for i, p := range params {
		if i > 0 {
			head += ",\n    "
		}
		head += p
	}
	if len(params) > 1 {
		head = "\n    " + head
	}
	t.line(start+"%s)", d.Threads, d.Name, head)
	t.line("{")
	t.depth++
	k.shared()
	k.numbers()
	if k.guard {
		t.line("guard_t wb_guard;")
		t.line("guard_begin(&wb_guard, wb_token);")
	}
	k.top()
	if k.guard {
		t.line("guard_leave(&wb_guard);")
	}
	t.depth--
	t.line("}")
	return k.missing
}
