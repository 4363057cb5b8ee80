package kernels

import (
	"fmt"
	"math/rand/v2"
)

// Registers of generated kernels: %r0..%r7, %f and %fd hold data, %r8..%r12
// addresses; nodes take the others.
const (
	intRegs    = 8
	floatRegs  = 6
	doubleRegs = 3
	firstTemp  = 16
	maxNest    = 3
	// elements of the input and the output buffer, 4 bytes each
	elements = 8192
)

// features are what a kernel may contain beside arithmetic, branches on the
// thread number, memory at addresses that follow from it, and barriers.
type features struct {
	data    bool // branches, trip counts and addresses that depend on loaded values
	atomics bool // atomics, whose results depend on the order of warps
	named   bool // barriers of some warps, and arrivals that do not wait
	exits   bool // warps and lanes that end early
	calls   bool
	rare    bool // doubles, divisions, special functions
	recent  bool // what recent PTX brought, and textures (generate_recent.go)
	blocks  bool // paths and places that depend on the block
}

// generator draws statements.
type generator struct {
	rng   *rand.Rand
	has   features
	temps int
	size  int // instructions still to write
	preds int
}

// generate draws a kernel. It is structured: every branch is a loop or a
// conditional, and barriers stand only where all warps of a block pass.
func generate(rng *rand.Rand, size int, has features) *source {
	g := &generator{rng: rng, has: has, temps: firstTemp, size: size}
	body := g.statements(0, true)
	return &source{temps: g.temps, body: body, calls: has.calls, recent: has.recent}
}

func (g *generator) pick(words ...string) string { return words[g.rng.IntN(len(words))] }

func (g *generator) one(format string, args ...any) *node {
	g.size--
	return &node{lines: []string{fmt.Sprintf(format, args...)}}
}

// r draws an integer data register that may be written: %r1 (tid) and %r5
// (ntid) keep their values.
func (g *generator) r() string { return fmt.Sprintf("%%r%d", []int{0, 2, 3, 4, 6, 7}[g.rng.IntN(6)]) }

// read draws any integer data register.
func (g *generator) read() string { return fmt.Sprintf("%%r%d", g.rng.IntN(intRegs)) }

func (g *generator) f() string { return fmt.Sprintf("%%f%d", g.rng.IntN(floatRegs)) }

func (g *generator) fd() string { return fmt.Sprintf("%%fd%d", g.rng.IntN(doubleRegs)) }

func (g *generator) temp() string {
	g.temps++
	return fmt.Sprintf("%%r%d", g.temps-1)
}

// statements draws statements until the size is used up or a coin says stop.
// uniform says that all warps of a block come here together, all lanes at once.
func (g *generator) statements(nest int, uniform bool) []*node {
	var out []*node
	for n := 1 + g.rng.IntN(6); (n > 0 || nest == 0) && g.size > 0; n-- {
		if g.has.recent && g.rng.IntN(4) == 0 {
			out = append(out, g.newer(uniform))
			continue
		}
		if g.has.blocks && g.rng.IntN(8) == 0 {
			out = append(out, g.perBlock())
			continue
		}
		switch k := g.rng.IntN(16); {
		case k < 5:
			out = append(out, g.arithmetic())
		case k < 8:
			out = append(out, g.memory())
		case k == 8 && uniform:
			out = append(out, g.barrier()...)
		case k == 9 && g.has.atomics:
			out = append(out, g.atomic())
		case k == 10:
			out = append(out, g.predicated())
		case k == 11 && g.has.calls:
			out = append(out, g.one("call (%s), %s, (%s);", g.r(), g.pick("twice", "down"), g.pick("%r1", "%r5", "%r10")))
			g.size -= 6
		case k == 12 && nest == 0 && g.has.exits:
			out = append(out, g.exit())
		case k == 13 && nest < maxNest:
			out = append(out, g.conditional(nest))
		case k >= 14 && nest < maxNest:
			out = append(out, g.loop(nest, uniform))
		default:
			out = append(out, g.arithmetic())
		}
	}
	return out
}

func (g *generator) arithmetic() *node {
	kinds := 11
	if g.has.rare {
		kinds = 18
	}
	switch g.rng.IntN(kinds) {
	case 0:
		return g.one("add.s32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 1:
		return g.one("mul.lo.s32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 2:
		return g.one("mad.lo.s32 %s, %s, %s, %s;", g.r(), g.read(), g.read(), g.read())
	case 3:
		return g.one("xor.b32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 4:
		return g.one("shl.b32 %s, %s, %d;", g.r(), g.read(), g.rng.IntN(8))
	case 5:
		return g.one("min.u32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 6, 7:
		return g.one("add.f32 %s, %s, %s;", g.f(), g.f(), g.f())
	case 8:
		return g.one("fma.rn.f32 %s, %s, %s, %s;", g.f(), g.f(), g.f(), g.f())
	case 9:
		return g.one("mul.f32 %s, %s, %s;", g.f(), g.f(), g.f())
	case 10:
		return g.one("mov.u32 %s, %s;", g.r(), g.read())
	case 11:
		return g.one("div.u32 %s, %s, 7;", g.r(), g.read())
	case 12:
		return g.one("div.rn.f32 %s, %s, %s;", g.f(), g.f(), g.f())
	case 13:
		return g.one("add.f64 %s, %s, %s;", g.fd(), g.fd(), g.fd())
	case 14:
		return g.one("fma.rn.f64 %s, %s, %s, %s;", g.fd(), g.fd(), g.fd(), g.fd())
	case 15:
		return g.one("div.rn.f64 %s, %s, %s;", g.fd(), g.fd(), g.fd())
	case 16:
		return g.one("%s.approx.f32 %s, %s;", g.pick("sin", "rsqrt", "sqrt", "ex2", "rcp"), g.f(), g.f())
	default:
		return g.one("cvt.f64.f32 %s, %s;", g.fd(), g.f())
	}
}

// memory draws an access whose address follows from the thread number, or, with
// data, from a loaded value. What threads exchange through wide comes back only
// as floats, on which nothing depends but other floats.
func (g *generator) memory() *node {
	kinds := 10
	if g.has.data {
		kinds = 12
	}
	near, far := 4*g.rng.IntN(64), 16*g.rng.IntN(64)
	switch g.rng.IntN(kinds) {
	case 0:
		return g.one("ld.global.u32 %s, [%%rd3+%d];", g.r(), near)
	case 1:
		return g.one("ld.global.f32 %s, [%%rd5+%d];", g.f(), near)
	case 2:
		return g.one("ld.global.v4.f32 {%%f0, %%f1, %%f2, %%f3}, [%%rd5+%d];", far)
	case 3:
		return g.one("st.global.u32 [%%rd4+%d], %s;", near, g.read())
	case 4:
		return g.one("ld.shared.u32 %s, [%%r8+%d];", g.r(), 512*g.rng.IntN(2))
	case 5:
		return g.one("st.shared.u32 [%%r8+%d], %s;", 512*g.rng.IntN(2), g.read())
	case 6:
		return g.one("ld.shared.f32 %s, [%%r11+%d];", g.f(), near)
	case 7:
		return g.one("st.shared.f32 [%%r11+%d], %s;", near, g.f())
	case 8:
		return g.one("ld.shared.v2.f32 {%%f4, %%f5}, [%%r11+%d];", 2*near)
	case 9:
		return g.one("ld.shared.f64 %s, [%%r11+%d];", g.fd(), 2*near)
	case 10:
		t, u := g.temp(), g.temp()
		g.size -= 2
		return &node{lines: []string{
			fmt.Sprintf("and.b32 %s, %s, %d;", t, g.read(), 4*(1<<g.rng.IntN(9)-1)),
			fmt.Sprintf("mov.u32 %s, wide;", u),
			fmt.Sprintf("add.u32 %s, %s, %s;", u, u, t),
			fmt.Sprintf("ld.shared.f32 %s, [%s];", g.f(), u),
		}}
	default:
		t := g.temp()
		g.size -= 3
		return &node{lines: []string{
			fmt.Sprintf("and.b32 %s, %s, %d;", t, g.read(), 4*(1<<g.rng.IntN(9)-1)),
			fmt.Sprintf("cvt.u64.u32 %%rd7, %s;", t),
			"add.u64 %rd7, %rd0, %rd7;",
			fmt.Sprintf("ld.global.u32 %s, [%%rd7];", g.r()),
		}}
	}
}

func (g *generator) atomic() *node {
	at := 4 * g.rng.IntN(8)
	switch g.rng.IntN(4) {
	case 0:
		return g.one("atom.shared.add.u32 %s, [%%r12+%d], 1;", g.r(), at)
	case 1:
		return g.one("atom.global.add.u32 %s, [%%rd6+%d], 1;", g.r(), at)
	case 2:
		return g.one("red.global.add.u32 [%%rd6+%d], %s;", at, g.read())
	default:
		return g.one("atom.shared.max.u32 %s, [%%r12+%d], %s;", g.r(), at, g.read())
	}
}

func (g *generator) predicated() *node {
	p := g.pick("%p0", "!%p0", "%p1", "!%p1")
	n := &node{}
	if g.has.data && g.rng.IntN(3) == 0 {
		n.lines = append(n.lines, fmt.Sprintf("setp.lt.u32 %%p2, %s, %s;", g.read(), g.read()))
		p = g.pick("%p2", "!%p2")
	}
	inner := g.arithmetic()
	if g.rng.IntN(3) == 0 {
		inner = g.memory()
	}
	last := len(inner.lines) - 1
	n.lines = append(n.lines, inner.lines[:last]...)
	n.lines = append(n.lines, "@"+p+" "+inner.lines[last])
	return n
}

// barrier draws a barrier of the whole block, or a pair of halves: even warps
// arrive without waiting, odd ones wait.
func (g *generator) barrier() []*node {
	if g.has.named && g.rng.IntN(2) == 0 {
		all, parity := g.temp(), g.temp()
		id := 1 + g.rng.IntN(3)
		pair := &node{
			kind: branch,
			lines: []string{
				fmt.Sprintf("add.u32 %s, %%r5, 31;", all),
				fmt.Sprintf("and.b32 %s, %s, -32;", all, all),
				fmt.Sprintf("and.b32 %s, %%r10, 1;", parity),
				fmt.Sprintf("setp.ne.u32 %%p3, %s, 0;", parity),
			},
			pred:  "%p3",
			body:  []*node{{lines: []string{fmt.Sprintf("bar.arrive %d, %s;", id, all)}}},
			other: []*node{{lines: []string{fmt.Sprintf("bar.sync %d, %s;", id, all)}}},
		}
		g.size -= 8
		return []*node{pair, g.one("bar.sync 0;")}
	}
	return []*node{g.one("bar.sync 0;")}
}

// exit ends some warps, or some lanes of each.
func (g *generator) exit() *node {
	if g.rng.IntN(2) == 0 {
		return &node{lines: []string{fmt.Sprintf("setp.ge.u32 %%p4, %%r10, %d;", 1+g.rng.IntN(3)), "@%p4 exit;"}}
	}
	return &node{lines: []string{fmt.Sprintf("setp.ge.u32 %%p4, %%r1, %d;", 5+g.rng.IntN(90)), "@%p4 " + g.pick("exit;", "ret;")}}
}

// conditional draws an if, with or without else: on the thread number, so that
// warps and lanes disagree, or on data.
func (g *generator) conditional(nest int) *node {
	g.preds++
	n := &node{kind: branch, pred: fmt.Sprintf("%%p%d", 5+g.preds%80)}
	g.size -= 3
	switch k := g.rng.IntN(3); {
	case k != 1 && g.has.blocks:
		t := g.temp()
		n.lines = []string{fmt.Sprintf("mov.u32 %s, %%ctaid.x;", t), fmt.Sprintf("setp.%s.u32 %s, %s, %d;", g.pick("lt", "ge", "eq"), n.pred, t, g.rng.IntN(6))}
	case k == 0 && g.has.data:
		r := g.read()
		if g.rng.IntN(2) == 0 {
			r = g.temp()
			n.lines = []string{fmt.Sprintf("ld.global.u32 %s, [%%rd3+%d];", r, 4*g.rng.IntN(64))}
		}
		n.lines = append(n.lines, fmt.Sprintf("setp.lt.u32 %s, %s, %s;", n.pred, r, g.read()))
	case k == 1:
		n.lines = []string{fmt.Sprintf("setp.lt.u32 %s, %%r1, %d;", n.pred, g.rng.IntN(128))}
	default:
		t := g.temp()
		n.lines = []string{fmt.Sprintf("and.b32 %s, %%r1, %d;", t, 1+g.rng.IntN(63)), fmt.Sprintf("setp.eq.u32 %s, %s, 0;", n.pred, t)}
	}
	n.body = g.statements(nest+1, false)
	if g.rng.IntN(2) == 0 {
		n.other = g.statements(nest+1, false)
	}
	return n
}

// loop draws a loop whose trip count is constant or depends on the thread, or
// on data.
func (g *generator) loop(nest int, uniform bool) *node {
	count, limit := g.temp(), g.temp()
	n := &node{kind: loop, pred: fmt.Sprintf("%%p%d", 90+nest), lines: []string{fmt.Sprintf("mov.u32 %s, 0;", count)}}
	switch k := g.rng.IntN(6); {
	case k > 3 && g.has.blocks:
		n.lines = append(n.lines, fmt.Sprintf("mov.u32 %s, %%ctaid.x;", limit), fmt.Sprintf("%s.u32 %s, %s, %d;", g.pick("min", "max"), limit, limit, 1+g.rng.IntN(5)))
	case k < 2:
		n.lines = append(n.lines, fmt.Sprintf("and.b32 %s, %%r1, %d;", limit, 1+g.rng.IntN(3)))
		uniform = false
	case k == 2 && g.has.data:
		n.lines = append(n.lines, fmt.Sprintf("and.b32 %s, %s, %d;", limit, g.read(), 1+g.rng.IntN(7)))
		uniform = false
	default:
		n.lines = append(n.lines, fmt.Sprintf("mov.u32 %s, %d;", limit, 1+g.rng.IntN(6)))
	}
	g.size -= 5
	n.body = g.statements(nest+1, uniform)
	n.tail = []string{
		fmt.Sprintf("add.u32 %s, %s, 1;", count, count),
		fmt.Sprintf("setp.lt.u32 %s, %s, %s;", n.pred, count, limit),
	}
	return n
}
