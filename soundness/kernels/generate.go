package kernels

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Registers of generated kernels: %r0..%r7 and %f0..%f5 hold data, %r8 and up
// serve addresses and loop counters.
const (
	intRegs   = 8
	floatRegs = 6
	maxNest   = 3
	elements  = 1024 // of the input and the output buffer
)

// generator writes one kernel.
type generator struct {
	rng    *rand.Rand
	body   strings.Builder
	labels int
	temps  int
	size   int // instructions still to write
}

// Generate writes a random kernel named k with parameters (in u64, out u64,
// n u32) in PTX. It is structured: every branch is a loop or a conditional, and
// barriers stand only where all warps of a block pass.
func Generate(rng *rand.Rand, size int) string {
	g := &generator{rng: rng, temps: 12, size: size}
	g.statements(0, true)
	var b strings.Builder
	b.WriteString(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n)
{
	.reg .pred %p<100>;
`)
	fmt.Fprintf(&b, "\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%rd<8>;\n\t.reg .f32 %%f<%d>;\n", g.temps+1, floatRegs)
	b.WriteString(`	.shared .align 4 .b8 tile[4096];
	ld.param.u64 %rd0, [p_in];
	ld.param.u64 %rd1, [p_out];
	ld.param.u32 %r0, [p_n];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r8, tile;
	shl.b32 %r9, %r1, 2;
	add.u32 %r8, %r8, %r9;
	cvt.u64.u32 %rd2, %r9;
	add.u64 %rd3, %rd0, %rd2;
	add.u64 %rd4, %rd1, %rd2;
	mov.u32 %r3, 5;
	mov.u32 %r4, 9;
	mov.u32 %r5, %ntid.x;
	mov.u32 %r6, 3;
	mov.u32 %r7, 1;
`)
	for i := range floatRegs {
		fmt.Fprintf(&b, "\tmov.f32 %%f%d, 0f3F80000%d;\n", i, i)
	}
	b.WriteString(g.body.String())
	b.WriteString("\tst.global.u32 [%rd4], %r3;\n\tret;\n}\n")
	return b.String()
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.body, "\t"+format+"\n", args...)
	g.size--
}

func (g *generator) label(prefix string) string {
	g.labels++
	return fmt.Sprintf("$%s_%d", prefix, g.labels)
}

// r draws an integer data register that may be written: %r1 (tid) and %r5
// (ntid) keep their values, so that addresses and trip counts stay in range.
func (g *generator) r() string { return fmt.Sprintf("%%r%d", []int{0, 2, 3, 4, 6, 7}[g.rng.IntN(6)]) }

// read draws any integer data register.
func (g *generator) read() string { return fmt.Sprintf("%%r%d", g.rng.IntN(intRegs)) }

func (g *generator) f() string { return fmt.Sprintf("%%f%d", g.rng.IntN(floatRegs)) }

func (g *generator) temp() string {
	g.temps++
	return fmt.Sprintf("%%r%d", g.temps-1)
}

// statements writes statements until the size is used up or a coin says stop.
// uniform says that all warps of a block come here together.
func (g *generator) statements(nest int, uniform bool) {
	for n := 1 + g.rng.IntN(6); n > 0 && g.size > 0; n-- {
		switch k := g.rng.IntN(12); {
		case k < 6:
			g.arithmetic()
		case k < 8:
			g.memory()
		case k == 8 && uniform:
			g.line("bar.sync 0;")
		case k == 9 && nest < maxNest:
			g.conditional(nest)
		case k >= 10 && nest < maxNest:
			g.loop(nest, uniform)
		default:
			g.arithmetic()
		}
	}
}

func (g *generator) arithmetic() {
	switch g.rng.IntN(12) {
	case 0:
		g.line("add.s32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 1:
		g.line("mul.lo.s32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 2:
		g.line("mad.lo.s32 %s, %s, %s, %s;", g.r(), g.read(), g.read(), g.read())
	case 3:
		g.line("xor.b32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 4:
		g.line("shl.b32 %s, %s, %d;", g.r(), g.read(), g.rng.IntN(8))
	case 5:
		g.line("min.u32 %s, %s, %s;", g.r(), g.read(), g.read())
	case 6:
		g.line("div.u32 %s, %s, 7;", g.r(), g.read())
	case 7:
		g.line("add.f32 %s, %s, %s;", g.f(), g.f(), g.f())
	case 8:
		g.line("fma.rn.f32 %s, %s, %s, %s;", g.f(), g.f(), g.f(), g.f())
	case 9:
		g.line("sqrt.approx.f32 %s, %s;", g.f(), g.f())
	case 10:
		g.line("mul.f32 %s, %s, %s;", g.f(), g.f(), g.f())
	default:
		g.line("mov.u32 %s, %s;", g.r(), g.read())
	}
}

func (g *generator) memory() {
	switch g.rng.IntN(5) {
	case 0:
		g.line("ld.global.u32 %s, [%%rd3+%d];", g.r(), 4*g.rng.IntN(64))
	case 1:
		g.line("ld.global.f32 %s, [%%rd3+%d];", g.f(), 4*g.rng.IntN(64))
	case 2:
		g.line("st.global.u32 [%%rd4+%d], %s;", 4*g.rng.IntN(64), g.read())
	case 3:
		g.line("ld.shared.u32 %s, [%%r8+%d];", g.r(), 4*g.rng.IntN(64))
	default:
		g.line("st.shared.u32 [%%r8+%d], %s;", 4*g.rng.IntN(64), g.read())
	}
}

// conditional writes an if, with or without else, on the thread number: warps
// and lanes disagree.
func (g *generator) conditional(nest int) {
	p := fmt.Sprintf("%%p%d", g.rng.IntN(90))
	other, join := g.label("ELSE"), g.label("JOIN")
	if g.rng.IntN(2) == 0 {
		g.line("setp.lt.u32 %s, %%r1, %d;", p, g.rng.IntN(128))
	} else {
		t := g.temp()
		g.line("and.b32 %s, %%r1, %d;", t, 1+g.rng.IntN(63))
		g.line("setp.eq.u32 %s, %s, 0;", p, t)
	}
	g.line("@%s bra %s;", p, other)
	g.statements(nest+1, false)
	g.line("bra.uni %s;", join)
	g.body.WriteString(other + ":\n")
	if g.rng.IntN(2) == 0 {
		g.statements(nest+1, false)
	}
	g.body.WriteString(join + ":\n")
	g.line("mov.u32 %%r6, 3;")
}

// loop writes a loop whose trip count is constant or depends on the thread.
func (g *generator) loop(nest int, uniform bool) {
	p := fmt.Sprintf("%%p%d", 90+nest)
	head := g.label("LOOP")
	count, limit := g.temp(), g.temp()
	g.line("mov.u32 %s, 0;", count)
	perThread := g.rng.IntN(3) == 0
	if perThread {
		g.line("and.b32 %s, %%r1, %d;", limit, 1+g.rng.IntN(3))
	} else {
		g.line("mov.u32 %s, %d;", limit, 1+g.rng.IntN(6))
	}
	g.body.WriteString(head + ":\n")
	g.statements(nest+1, uniform && !perThread)
	g.line("add.u32 %s, %s, 1;", count, count)
	g.line("setp.lt.u32 %s, %s, %s;", p, count, limit)
	g.line("@%s bra %s;", p, head)
}
