package emit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Init is the formula of an array's contents before the run. Element e, in
// row-major order from zero, is ((Mul*e + Add) mod Mod) / Div + Off, and Diag more
// where all its subscripts are equal, computed in double precision from left to
// right and then converted. Div 0 stands for 1, Mod 0 for "Off alone".
type Init struct {
	Mul, Add, Mod, Div int64
	Off, Diag          float64
}

// DefaultInit is the formula of arrays that HarnessOptions.Args leaves out.
var DefaultInit = Init{Mul: 37, Add: 11, Mod: 211, Div: 97, Off: -1}

// Argument is the initial contents of a parameter or of an array at file scope,
// which the program's options --in, --set and --extent replace.
type Argument struct {
	Name string // a member of a structure: p.x
	Init Init   // of a scalar: Off
	// Extent is the first extent of an array that is declared without one.
	Extent int64
}

// HarnessOptions say what a harness holds besides the module.
type HarnessOptions struct {
	// Include names the file of the CUDA text to include; if it is empty, the
	// text itself is put in.
	Include string
	Args    []Argument
}

// Harness writes a host program for the CUDA form, one file for nvcc: main
// allocates and fills the arguments, runs the function's own body with its
// kernels as launches, and writes the arrays to files. Its options are in its
// --help. The error names an argument that the function does not have, and what
// cannot be written.
func Harness(m Module, o HarnessOptions) (string, error) {
	if err := m.check(); err != nil {
		return "", err
	}
	h := &harness{hostPrinter: hostPrinter{text: newText(m), m: m}, options: o}
	h.collect()
	if err := h.known(); err != nil {
		return "", err
	}
	h.comment("Host program of %s in %s. Build: nvcc -o %s THIS.cu -lpthread", m.Func.Name, m.base(), m.Func.Name)
	h.raw(harnessIncludes)
	if err := h.kernels(); err != nil {
		return "", err
	}
	h.tables()
	h.raw(harnessHead)
	if h.guarded {
		h.raw(harnessGuard)
	}
	h.table()
	// In a namespace nothing clashes with what the headers declare.
	h.line("")
	h.line("namespace wb {")
	h.function()
	h.main()
	h.line("}")
	h.line("")
	h.line("int main(int argc, char **argv) { return wb::run(argc, argv); }")
	return h.b.String(), h.missing
}

type harness struct {
	hostPrinter
	options HarnessOptions
	scalars []*loop.Var
	arrays  []*loop.Array // one of each memory
	rank    int
}

// collect finds the arguments of the function: its parameters, and the arrays
// at file scope that it or a kernel uses.
func (h *harness) collect() {
	used := make(map[*loop.Array]bool)
	hostExprs(h.m.Func.Body, func(e loop.Expr) {
		if i, ok := e.(*loop.Index); ok {
			used[i.Array] = true
		}
	})
	for _, k := range h.m.Kernels {
		h.guarded = h.guarded || h.m.guarded(k)
		for _, p := range k.Params {
			if p.Array != nil {
				used[p.Array] = true
			}
		}
	}
	seen := make(map[*loop.Record]bool)
	add := func(a *loop.Array) {
		if a.Record != nil {
			if seen[a.Record] {
				return
			}
			seen[a.Record] = true
		}
		h.arrays = append(h.arrays, a)
		h.rank = max(h.rank, len(a.Extents))
	}
	for _, a := range h.m.Program.Arrays {
		if used[a] {
			add(a)
		}
	}
	for _, p := range h.m.Func.Params {
		if p.Var != nil {
			h.scalars = append(h.scalars, p.Var)
		} else {
			add(p.Array)
		}
	}
}

// members lists the arrays that lie in the memory of a.
func members(a *loop.Array) []*loop.Array {
	if a.Record == nil {
		return []*loop.Array{a}
	}
	var list []*loop.Array
	for _, m := range a.Record.Members {
		list = append(list, m.Array)
	}
	return list
}

// memoryName is the source's name of a's memory.
func memoryName(a *loop.Array) string {
	if a.Record != nil {
		return a.Record.Name
	}
	return a.Name
}

func (h *harness) known() error {
	for _, g := range h.options.Args {
		ok := slices.ContainsFunc(h.scalars, func(v *loop.Var) bool { return v.Name == g.Name })
		for _, a := range h.arrays {
			for _, x := range members(a) {
				ok = ok || x.Name == g.Name
			}
		}
		if !ok {
			return &loop.Error{Pos: h.m.Func.At, Msg: fmt.Sprintf("function %s has no argument %s", h.m.Func.Name, g.Name)}
		}
	}
	return nil
}

func (h *harness) argument(name string) (Argument, bool) {
	for _, g := range h.options.Args {
		if g.Name == name {
			return g, true
		}
	}
	return Argument{Init: DefaultInit}, false
}

// kernels includes the device text, or writes it.
func (h *harness) kernels() error {
	n := newNames("wb", "run")
	for _, k := range h.m.Kernels {
		n.bind(k, k.Name)
	}
	records, err := records([]Module{h.m})
	if err != nil {
		return err
	}
	for _, r := range records {
		n.bind(r.Tag, r.Tag)
	}
	h.printer = printer{lang: host, names: n}
	if h.options.Include != "" {
		if strings.ContainsAny(h.options.Include, "\"\n\r\\") {
			return fmt.Errorf("emit: no file name to include: %q", h.options.Include)
		}
		h.line("#include %q", h.options.Include)
		return nil
	}
	text, err := CUDA(h.m)
	h.line("")
	h.raw(text)
	h.line("")
	return err
}

var hostTypes = [...]string{"", "WB_INT", "WB_UINT", "WB_LONG", "WB_ULONG", "WB_FLOAT", "WB_DOUBLE"}

// tables writes what the fixed part knows of the module.
func (h *harness) tables() {
	h.line("#define WB_ARRAYS %d", len(h.arrays))
	h.line("#define WB_SCALARS %d", len(h.scalars))
	h.line("#define WB_KERNELS %d", len(h.m.Kernels))
	h.line("#define WB_RANK %d", max(h.rank, 1))
	h.line("#define WB_GUARD %d", map[bool]int{true: 1}[h.guarded])
	h.line("static const char *const wb_scalar_name[] = {%s};", h.each(func(v *loop.Var) string { return strconv.Quote(v.Name) }))
	h.line("static const char *wb_scalar_text[] = {%s};", h.each(func(v *loop.Var) string {
		g, ok := h.argument(v.Name)
		if !ok {
			return "0"
		}
		if v.Type.IsInteger() {
			return strconv.Quote(strconv.FormatFloat(math.Trunc(g.Init.Off), 'f', -1, 64))
		}
		return strconv.Quote(strconv.FormatFloat(g.Init.Off, 'g', -1, 64))
	}))
	h.line("")
}

// each writes an initialiser list over the scalars, which is never empty.
func (h *harness) each(f func(*loop.Var) string) string {
	list := []string{}
	for _, v := range h.scalars {
		list = append(list, f(v))
	}
	if len(list) == 0 {
		return "0"
	}
	return strings.Join(list, ", ")
}

// table writes what is known of the arrays.
func (h *harness) table() {
	h.line("")
	for i, a := range h.arrays {
		h.line("static const struct wb_member wb_members_%d[] = {", i)
		for _, x := range members(a) {
			g, _ := h.argument(x.Name)
			f := g.Init
			h.line("    {%q, %s, %d, {%d, %d, %d, %d, %s, %s}},", x.Name, hostTypes[x.Elem], x.Offset, f.Mul, f.Add, f.Mod, f.Div, h.double(f.Off), h.double(f.Diag))
		}
		h.line("};")
	}
	h.line("struct wb_array wb_arrays[] = {")
	for i, a := range h.arrays {
		size := a.Elem.Size()
		if a.Record != nil {
			size = a.Record.Bytes
		}
		h.line("    {%q, %d, %d, %d, {%d}, wb_members_%d, 0, 0, 0},", memoryName(a), size, len(a.Extents), len(members(a)), h.extent(a), i)
	}
	if len(h.arrays) == 0 {
		h.line("    {0, 0, 0, 0, {0}, 0, 0, 0, 0},")
	}
	h.line("};")
}

// main writes what the program does.
func (h *harness) main() {
	h.line("")
	h.line("static int run(int argc, char **argv)")
	h.line("{")
	h.depth++
	h.line("wb_options(argc, argv);")
	h.names.push()
	for i, v := range h.scalars {
		h.line("%s %s = %s;", h.lang.typ(v.Type), h.names.bind(v, v.Name), scalarValue(v.Type, fmt.Sprintf("wb_scalar(%d), wb_scalar_name[%d]", i, i), fmt.Sprintf("wb_scalar(%d)", i), i))
	}
	fixed, values := h.m.fixed()
	for i, v := range fixed {
		h.line("if (%s != %s)", h.names.name(v), h.value(&loop.IntLit{At: v.At, T: v.Type, Value: values[i]}, precNone))
		h.line("    wb_die(\"the kernels are made for %d only\", %q);", values[i], v.Name)
	}
	for i, a := range h.arrays {
		for d, x := range a.Extents {
			if x != nil {
				h.line("wb_arrays[%d].dims[%d] = %s;", i, d, h.value(x, precNone))
			}
		}
	}
	h.allocate()
	call := fmt.Sprintf("%s(%s)", h.entry, strings.Join(h.callArgs(), ", "))
	if t := h.m.Func.Result; t != loop.NoType {
		h.line("%s wb_result = 0;", h.lang.typ(t))
		call = "wb_result = " + call
	}
	h.line("for (int wb_run = 0; wb_run < wb_repeat; wb_run++) {")
	h.line("    for (int wb_i = 0; wb_i < WB_ARRAYS; wb_i++)")
	h.line("        wb_fill(&wb_arrays[wb_i]);")
	h.line("    %s;", call)
	h.line("}")
	h.line("for (int wb_i = 0; wb_i < WB_ARRAYS; wb_i++)")
	h.line("    wb_save(&wb_arrays[wb_i], wb_folder);")
	h.report()
	h.line("return 0;")
	h.names.pop()
	h.depth--
	h.line("}")
}

func scalarValue(t loop.Type, both, text string, i int) string {
	switch t {
	case loop.Int:
		return "(int)wb_number(" + text + ", INT_MIN, INT_MAX, wb_scalar_name[" + strconv.Itoa(i) + "])"
	case loop.Uint:
		return "(unsigned)wb_unsigned(" + text + ", UINT_MAX, wb_scalar_name[" + strconv.Itoa(i) + "])"
	case loop.Long:
		return "wb_number(" + text + ", LLONG_MIN, LLONG_MAX, wb_scalar_name[" + strconv.Itoa(i) + "])"
	case loop.Ulong:
		return "wb_unsigned(" + text + ", ULLONG_MAX, wb_scalar_name[" + strconv.Itoa(i) + "])"
	case loop.Float:
		return "wb_realf(" + both + ")"
	}
	return "wb_real(" + both + ")"
}

// extent is the first extent that an argument gives an array without one.
func (h *harness) extent(a *loop.Array) int64 {
	for _, x := range members(a) {
		if g, ok := h.argument(x.Name); ok && g.Extent > 0 && a.Extents[0] == nil {
			return g.Extent
		}
	}
	return 0
}

func (h *harness) double(v float64) string {
	s, _ := h.floating(&loop.FloatLit{T: loop.Double, Value: v})
	return s
}

// allocate gets memory that host and device share.
func (h *harness) allocate() {
	h.line("for (int wb_i = 0; wb_i < WB_ARRAYS; wb_i++)")
	h.line("    WB_CUDA(cudaMallocManaged((void **)&wb_arrays[wb_i].memory, wb_elements(&wb_arrays[wb_i]) * wb_arrays[wb_i].element, cudaMemAttachGlobal));")
	h.line("WB_CUDA(cudaEventCreate(&wb_before));")
	h.line("WB_CUDA(cudaEventCreate(&wb_after));")
	for i, a := range h.arrays {
		if a.Global {
			h.line("%s = (%s)wb_arrays[%d].memory;", h.use(h.key(a), a.Name, a.At), strings.TrimSpace(h.pointer(a, "", "", "")), i)
		}
	}
	for _, p := range h.partials {
		h.line("WB_CUDA(cudaMallocManaged((void **)&%s, %d * sizeof *%s, cudaMemAttachGlobal));", h.names.name(p.array), p.teams, h.names.name(p.array))
	}
	for _, k := range h.m.Kernels {
		if b := k.DynamicBytes(); b > 0 {
			h.line("WB_CUDA(cudaFuncSetAttribute((const void *)%s, cudaFuncAttributeMaxDynamicSharedMemorySize, %d));", k.Name, b)
		}
	}
	if h.guarded {
		h.line("wb_guard_open();")
	}
}

// callArgs are main's arguments to the function.
func (h *harness) callArgs() []string {
	var list []string
	seen := make(map[*loop.Record]bool)
	for _, p := range h.m.Func.Params {
		if p.Var != nil {
			list = append(list, h.names.name(p.Var))
			continue
		}
		a := p.Array
		if a.Record != nil {
			if seen[a.Record] {
				continue
			}
			seen[a.Record] = true
		}
		i := slices.IndexFunc(h.arrays, func(x *loop.Array) bool { return x == a || a.Record != nil && x.Record == a.Record })
		list = append(list, fmt.Sprintf("(%s)wb_arrays[%d].memory", strings.TrimSpace(h.pointer(a, "", "", "")), i))
	}
	return list
}

// resultFormats print a result, a floating one exactly, too.
var resultFormats = [...]string{"", "%%d", "%%u", "%%lld", "%%llu", "%%.9g (%%a)", "%%.17g (%%a)"}

// report prints what the function returned last and what was measured.
func (h *harness) report() {
	if t := h.m.Func.Result; t != loop.NoType {
		value := "wb_result"
		if t.IsFloat() {
			value += ", wb_result"
		}
		h.line("printf(\"%%s returned "+resultFormats[t]+"\\n\", %q, %s);", h.m.Func.Name, value)
	}
	for i, k := range h.m.Kernels {
		h.line("if (wb_time && wb_times[%d].launches)", i)
		h.line("    printf(\"%%s launches %%ld, us: least %%.3f, mean %%.3f, most %%.3f\\n\", %q, wb_times[%d].launches,", k.Name, i)
		h.line("           wb_times[%d].least * 1e3, wb_times[%d].sum / wb_times[%d].launches * 1e3, wb_times[%d].most * 1e3);", i, i, i, i)
	}
	if h.guarded {
		h.line("printf(\"guard: %%ld hand-overs, %%ld missed, the latest %%lld ns after its time\\n\", wb_handovers, wb_missed, wb_latest);")
	}
}

// partial is the memory of a reduction's partial results.
type partial struct {
	array *loop.Array
	teams int64
}

func (h *harness) partialsOf(k *device.Entry) {
	for _, r := range k.Reductions {
		h.partials = append(h.partials, partial{r.Partial, k.Teams})
		h.line("static %s *%s;", h.lang.typ(r.Partial.Elem), h.names.bind(r.Partial, "partial_"+r.Partial.Name))
	}
}
