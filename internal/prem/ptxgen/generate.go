package ptxgen

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Options choose what is generated.
type Options struct {
	// Guard makes kernels follow the protocol of package guard at every Sync and at
	// their end. They then take the token's address as a further, last parameter.
	Guard bool
	// Approx allows the approximations of PTX for exp, log, pow, sin, cos, tan and
	// tanh, in binary32. Without it they are refused.
	Approx bool
	// Unroll is how many iterations of a copy loop are merged into one, all their
	// loads before all their stores, so that a warp waits for memory once; 0 and 1
	// leave loops as they are. Copy loops move elements between global memory and
	// the scratchpad and do nothing else.
	Unroll int
	// Scalars are the values of parameters, by name, that the kernels were planned
	// for; a comment before each entry that depends on them says so. GenerateAll
	// takes those of its parts.
	Scalars map[string]int64
}

// Part is the kernels of a function in a module of several, and the values of its
// parameters that they were planned for.
type Part struct {
	Kernels []*device.Entry
	Scalars map[string]int64
}

// MaxUnroll is the largest Options.Unroll.
const MaxUnroll = 32

// asWritten keeps an assembler from unrolling loops: what unrolls is Options.Unroll. It
// is not for predictability alone: ptxas of CUDA 11.8 to 13.0 unrolls some loops whose
// number of iterations it knows into code that goes on behind the last one, and reads
// memory outside the arrays (docs/prem.md).
const asWritten = ".pragma \"nounroll\";\n"

// Limits of a launch (PTX ISA 6.0, .reqntid), and of one whose teams count
// themselves in the two halves of the guard's arrival word.
const (
	maxThreads      = 1024
	maxTeams        = 1<<16 - 1
	maxGuardedTeams = 1<<15 - 1
)

// Generate writes a PTX module with one entry per kernel, in order, which
// device.Check has to accept. The error joins *loop.Errors with their positions.
// Equal kernels give equal text. A launch gives a kernel device.Entry.DynamicBytes of
// dynamic shared memory.
func Generate(kernels []*device.Entry, opt Options) (string, error) {
	return GenerateAll([]Part{{kernels, opt.Scalars}}, opt)
}

// GenerateAll is Generate for the kernels of several functions. The names of
// kernels are distinct, and so are those of their scratchpads.
func GenerateAll(parts []Part, opt Options) (string, error) {
	var kernels []*device.Entry
	for _, p := range parts {
		kernels = append(kernels, p.Kernels...)
	}
	var w strings.Builder
	w.WriteString(".version 6.0\n.target sm_53\n.address_size 64\n")
	files := sourceFiles(kernels)
	for i, f := range files {
		fmt.Fprintf(&w, ".file %d %q\n", i+1, f)
	}
	if opt.Unroll < 0 || opt.Unroll > MaxUnroll {
		return "", fmt.Errorf("unrolling by %d, want 0 to %d", opt.Unroll, MaxUnroll)
	}
	var errs []error
	names := make(map[string]bool)
	for _, p := range parts {
		opt.Scalars = p.Scalars
		for _, k := range p.Kernels {
			g := &gen{k: k, opt: opt, files: files, vars: make(map[*loop.Var]*binding), assigned: make(map[*loop.Var]bool),
				arrays: make(map[*loop.Array]poly), shared: make(map[*loop.Array]poly), opaque: make(map[string]int), pos: k.At}
			if names[k.Name] {
				g.fail(k.At, "two kernels are named %s", k.Name)
			}
			names[k.Name] = true
			text := g.kernel()
			if len(g.errs) > 0 {
				errs = append(errs, g.errs...)
				continue
			}
			w.WriteString("\n" + text)
		}
	}
	if len(errs) > 0 {
		return "", errors.Join(errs...)
	}
	return w.String(), nil
}

// gen generates one kernel, which device.Check has accepted.
type gen struct {
	k     *device.Entry
	opt   Options
	files []string
	errs  []error

	regs     [len(classes)]int
	labels   int
	cur      *scope
	loops    []*loopState // loops[d].pre has depth d
	pos      loop.Pos
	vars     map[*loop.Var]*binding
	assigned map[*loop.Var]bool
	symbols  []symbol
	opaque   map[string]int // expressions that are no sums, to their symbols

	arrays, shared map[*loop.Array]poly // where they start
	sharedBytes    int64
	thread         string // the register of the thread's number
	guard          guardState
}

func (g *gen) fail(at loop.Pos, format string, args ...any) {
	const most = 20
	if len(g.errs) < most {
		g.errs = append(g.errs, &loop.Error{Pos: at, Msg: fmt.Sprintf(format, args...)})
	}
}

var identifier = regexp.MustCompile(`^([A-Za-z]|_[A-Za-z0-9_])[A-Za-z0-9_]*$`)

func (g *gen) spmName() string { return g.k.Name + "_spm" }

// kernel generates the entry.
func (g *gen) kernel() string {
	k := g.k
	if !identifier.MatchString(k.Name) {
		g.fail(k.At, "kernel name %q is no identifier", k.Name)
	}
	most, with := int64(maxTeams), ""
	if g.opt.Guard {
		most, with = maxGuardedTeams, " with the guard"
	}
	if k.Threads < 1 || k.Threads > maxThreads || k.Teams < 1 || k.Teams > most {
		g.fail(k.At, "%d teams of %d threads%s, want 1 to %d of 1 to %d", k.Teams, k.Threads, with, most, maxThreads)
	}
	if err := device.Check(k); err != nil {
		g.errs = append(g.errs, err)
	}
	if len(g.errs) > 0 {
		return ""
	}
	offsets, bytes := k.Layout()
	g.sharedBytes = bytes
	assignedIn(k.Body, g.assigned)
	root := newScope(nil, 0)
	g.cur = root
	g.loops = []*loopState{{pre: root}}
	params := Params(k, g.opt.Guard)
	token := g.prologue(params, offsets)
	body := newScope(root, 1)
	g.loops[0].body = body
	g.cur = body
	if g.opt.Guard {
		g.enterGuard(token)
	}
	g.stmts(k.Body)
	if g.opt.Guard {
		g.leaveGuard()
	}
	g.put(fixed, "ret")
	root.out.items = append(root.out.items, item{sub: body.out})

	var w strings.Builder
	fmt.Fprintf(&w, "// %s: scheme %s, %d teams of %d threads\n", k.Name, k.Scheme, k.Teams, k.Threads)
	if k.Compatible != nil {
		fmt.Fprintf(&w, "//   no separate phases, as under cmpt: %s\n", strings.Join(strings.Fields(k.Compatible.Error()), " "))
	}
	if made := madeFor(k, g.opt.Scalars); made != "" {
		fmt.Fprintf(&w, "//   ONLY for %s: with other values it may access memory outside its arrays\n", made)
	}
	for i, a := range k.Shared {
		fmt.Fprintf(&w, "//   %s %s at %d of the scratchpad\n", a.Name, a.Elem, offsets[i])
	}
	if n := k.DynamicBytes(); n > 0 {
		fmt.Fprintf(&w, "//   scratchpad: %d bytes of dynamic shared memory, given at the launch\n", n)
		fmt.Fprintf(&w, ".extern .shared .align 8 .b8 %s[];\n", g.spmName())
	}
	fmt.Fprintf(&w, ".visible .entry %s(", k.Name)
	for i, p := range params {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(&w, "\n\t.param .%s %s", p.Type, p.Name)
	}
	fmt.Fprintf(&w, "\n)\n.reqntid %d, 1, 1\n%s{\n", k.Threads, asWritten)
	g.write(&w, root.out)
	w.WriteString("}\n")
	return w.String()
}

// madeFor lists the values that a kernel was planned for. Those of scheme Base keep
// nothing of the plan but the launch's size.
func madeFor(k *device.Entry, values map[string]int64) string {
	if k.Scheme == device.Base {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, fmt.Sprintf("%s = %d", name, values[name]))
	}
	return strings.Join(list, ", ")
}

// prologue loads the parameters and gives the register of the token's address.
func (g *gen) prologue(params []Param, offsets []int64) (token string) {
	k := g.k
	addresses := make(map[any]poly) // of arrays and records
	for _, p := range params {
		switch {
		case p.Var != nil:
			r := g.newFor(p.Var.Type)
			g.emit("ld.param.%s %s, [%s]", p.Type, r, p.Name)
			g.bindValue(p.Var, r, 0)
		default:
			r, global := g.newFor(loop.Long), g.newFor(loop.Long)
			g.emit("ld.param.u64 %s, [%s]", r, p.Name)
			g.emit("cvta.to.global.u64 %s, %s", global, r)
			if p.Token {
				token = global
				continue
			}
			start := symbolPoly(g.newSymbol(symbol{typ: loop.Long, op: global, address: true}))
			if p.Record != nil {
				addresses[p.Record] = start
			} else {
				addresses[p.Array] = start
			}
		}
	}
	for _, p := range k.Params {
		switch {
		case p.Array == nil:
		case p.Array.Record != nil:
			g.arrays[p.Array] = addresses[p.Array.Record]
		default:
			g.arrays[p.Array] = addresses[p.Array]
		}
	}
	special := func(v *loop.Var, name string, n int64) string {
		r := g.newFor(loop.Int)
		g.emit("mov.u32 %s, %s", r, name)
		g.bindValue(v, r, 0).span = span{0, n - 1}
		return r
	}
	g.thread = special(k.ThreadIdx, "%tid.x", k.Threads)
	special(k.TeamIdx, "%ctaid.x", k.Teams)
	if g.sharedBytes > 0 {
		r := g.newFor(loop.Long)
		g.emit("mov.u64 %s, %s", r, g.spmName())
		start := symbolPoly(g.newSymbol(symbol{typ: loop.Long, op: r, address: true}))
		for i, a := range k.Shared {
			g.shared[a] = start.plus(konst(offsets[i]))
		}
	}
	return token
}

// sourceFiles lists the files of the kernels' statements in order of appearance.
func sourceFiles(kernels []*device.Entry) []string {
	var files []string
	seen := make(map[string]bool)
	add := func(p loop.Pos) {
		if p.Line > 0 && !seen[p.File] {
			seen[p.File] = true
			files = append(files, p.File)
		}
	}
	var walk func(list []device.Stmt)
	walk = func(list []device.Stmt) {
		for _, s := range list {
			add(s.Position())
			switch s := s.(type) {
			case *device.For:
				walk(s.Body)
			case *device.If:
				walk(s.Then)
				walk(s.Else)
			}
		}
	}
	for _, k := range kernels {
		add(k.At)
		walk(k.Body)
	}
	return files
}
