package claims

import "fmt"

// Statements of what recent PTX has, and of textures: matrices, memory barrier
// objects, calls through addresses, pairs of halves, SIMD video instructions. They
// stand in one kernel of three, beside the others.

// recentShare is how many kernels are drawn for each that has them: those whose
// seed leaves 2.
const recentShare = 3

var recentTopics = []topic{products, products, rows, rows, fragments, fragments, objects, objects, fetches, fetches, fetches, indirect, indirect, pairs16, video}

// recentModule declares what the statements use: textures whose texels are known
// (tk, lk of integers, fk of floats) and unknown, and a table of functions.
const recentModule = `.global .texref tk; .global .texref tu; .global .texref lk; .global .texref lu; .global .texref fk; .global .texref fu;
.global .u64 ft[2] = {keep, stack};
`

// recentRegisters are those of the statements. objects lie at o.
const recentRegisters = `	.reg .b32 %m<16>; .reg .f32 %g<4>; .reg .b16 %h<2>; .reg .b64 %st; .reg .pred %pu;
	.shared .align 8 .b8 o[32];
`

// manyArrivals are more than a kernel makes.
const manyArrivals = 5000

// object makes the memory barrier object of a kernel, if it has one.
func (g *generator) object() {
	if g.arrivals > 0 {
		g.one("setp.eq.u32 %%pu, %%t, 0; @%%pu mbarrier.init.shared.b64 [o], %d; bar.sync 0;", g.arrivals)
	}
}

func (g *generator) number(of ...int) int { return of[g.rng.IntN(len(of))] }

// operand draws a register with data: of the kernel, or unknown ones in one lane
// or all.
func (g *generator) operand() string {
	switch g.rng.IntN(6) {
	case 0:
		g.one("mov.u32 %%m15, %d; @%%p2 ld.global.u32 %%m15, [%%u];", g.rng.IntN(4))
		return "%m15"
	case 1:
		g.one("ld.global.u32 %%m15, [%s];", g.pick("%u", "%ul"))
		return "%m15"
	}
	return g.r()
}

// whole draws a guard that all lanes of a warp agree on.
func (g *generator) whole() string {
	switch g.rng.IntN(6) {
	case 0:
		return g.pick("@%p0 ", "@!%p0 ", "@%p1 ", "@!%p1 ")
	case 1:
		g.one("ld.global.u32 %%m14, [%%u]; setp.ne.u32 %%pu, %%m14, %d;", g.rng.IntN(4))
		return "@%pu "
	}
	return ""
}

// products multiplies matrices that the lanes hold in registers.
func products(g *generator) {
	switch g.rng.IntN(5) {
	case 0:
		// Floats: the factors are whole numbers times one.
		g.one("mul.lo.u32 %%m0, %s, 0x3c00; mul.lo.u32 %%m1, %s, 0x3c00; cvt.rn.f32.u32 %%g0, %s; mov.f32 %%g1, %%g0; mov.f32 %%g2, %%g0; mov.f32 %%g3, %%g0;", g.operand(), g.r(), g.r())
		g.one("%smma.sync.aligned.m16n8k8.row.col.f32.%s.f32 {%%g0, %%g1, %%g2, %%g3}, {%%m0, %%m1}, {%%m1}, {%%g0, %%g1, %%g2, %%g3};", g.whole(), g.pick("f16.f16", "bf16.bf16"))
		g.one("cvt.rzi.s32.f32 %s, %%g%d;", g.r(), g.rng.IntN(4))
	case 1:
		a, b, c, w := g.operand(), g.r(), g.r(), g.whole()
		g.one("%smma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%%m0, %s, %%m1, %%m2}, {%s, %s, %s, %s}, {%s, %s}, {%s, %s, %s, %s};", w, g.r(), a, b, b, a, b, c, c, c, b, b)
	default:
		a, b, c, w := g.operand(), g.r(), g.r(), g.whole()
		if g.rng.IntN(2) == 0 {
			a, b, c = b, c, a
		}
		g.one("%smma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%s, %%m0}, {%s}, {%s}, {%s, %s};", w, g.r(), a, b, c, g.r())
	}
}

// rows loads matrices by rows whose addresses the lanes hold. Some of them may be
// unknown, of rows that are loaded or that are not.
func rows(g *generator) {
	if g.rng.IntN(4) == 0 {
		shared(g)
	}
	g.one("and.b32 %%x, %%lane, %d; mov.u32 %%c, s; mad.lo.u32 %%x, %%x, 16, %%c;", g.number(0, 1, 7, 7, 15))
	switch g.rng.IntN(5) {
	case 0:
		g.one("mov.u32 %%m14, 0; @%%p2 ld.global.u32 %%m14, [%%u]; and.b32 %%m14, %%m14, 1; mad.lo.u32 %%x, %%m14, 16, %%x;")
	case 1:
		g.one("setp.ge.u32 %%pu, %%lane, %d; mov.u32 %%m14, 0; @%%pu ld.global.u32 %%m14, [%%u]; and.b32 %%m14, %%m14, 1; mad.lo.u32 %%x, %%m14, 16, %%x;", g.number(7, 8, 16))
	case 2:
		g.one("and.b32 %%m14, %s, 1; mad.lo.u32 %%x, %%m14, 16, %%x;", g.operand())
	}
	list := []string{"%m0", "%m1", "%m2", "%m3"}
	n := g.number(1, 1, 2, 4)
	list[g.rng.IntN(n)] = g.r()
	regs := list[0]
	for _, r := range list[1:n] {
		regs += ", " + r
	}
	g.one("%sldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%%x+%d];", g.whole(), n, g.pick("", "", ".trans"), regs, 512*g.rng.IntN(2))
}

// fragments loads, multiplies and stores matrices whose layout in registers nobody
// knows.
func fragments(g *generator) {
	space, at := "shared", "%c"
	g.one("mov.u32 %%c, s;")
	if g.rng.IntN(3) == 0 {
		space, at = "global", g.pick("%a", "%a", "%u")
	}
	if g.rng.IntN(4) == 0 {
		if space == "shared" {
			g.one("ld.global.u32 %%m14, [%%u]; and.b32 %%m14, %%m14, 1; mad.lo.u32 %%c, %%m14, 32, %%c;")
		} else {
			g.one("ld.global.u32 %%m14, [%%u]; and.b32 %%m14, %%m14, 1; mul.wide.u32 %%d, %%m14, 32; add.u64 %%d, %s, %%d;", at)
			at = "%d"
		}
	}
	switch g.rng.IntN(5) {
	case 0, 1:
		g.one("%swmma.load.%s.sync.aligned.%s.m16n16k16.%s.%s {%s, %%m1}, [%s], %d;", g.whole(), g.pick("a", "b"), g.pick("row", "col"), space, g.pick("s8", "u8"), g.r(), at, g.number(0, 16))
	case 2, 3:
		v := g.operand()
		if g.rng.IntN(2) == 0 {
			g.one("mov.u32 %%m15, %d;", g.rng.IntN(4))
			v = g.pick("%m15", "%lane")
		}
		g.one("%swmma.store.d.sync.aligned.row.m16n16k16.%s.f16 [%s], {%s, %s, %s, %s}, %d;", g.whole(), space, at, v, v, v, v, g.number(0, 8, 16))
		if space == "shared" {
			g.one("ld.shared.u32 %s, [s+%d];", g.r(), g.word())
		} else {
			g.one("ld.global.u32 %s, [%%a+%d];", g.r(), g.word())
		}
	default:
		a, b, c, w := g.operand(), g.r(), g.r(), g.whole()
		g.one("%swmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%s, %%m1, %%m2, %%m3, %%m4, %%m5, %%m6, %%m7}, {%s, %s}, {%s, %s}, {%s, %s, %s, %s, %s, %s, %s, %s};",
			w, g.r(), a, b, b, b, c, c, c, c, c, c, c, c)
	}
}

// objects draws operations on memory barrier objects, and what becomes of their
// states.
func objects(g *generator) {
	if g.arrivals == 0 {
		copies(g)
		return
	}
	switch g.rng.IntN(9) {
	case 0, 1:
		g.one("%smbarrier.arrive.shared.b64 %%st, [o];", g.guard())
		g.states()
	case 2:
		if g.arrivals == manyArrivals {
			g.one("and.b32 %%x, %s, 1; add.u32 %%x, %%x, 1; %smbarrier.arrive.noComplete.shared.b64 %%st, [o], %%x;", g.operand(), g.guard())
		}
		g.states()
	case 3:
		g.one("mbarrier.%s.parity.shared.b64 %%p5, [o], %d;", g.pick("test_wait", "try_wait"), g.rng.IntN(2))
		g.one("selp.u32 %s, 1, 2, %%p5;", g.r())
	case 4:
		g.one("mbarrier.arrive.shared.b64 %%st, [o]; mbarrier.test_wait.shared.b64 %%p5, [o], %%st;")
	case 5:
		g.contents()
	case 6:
		// An object made at an unknown place.
		g.one("st.shared.u32 [o+24], 0; ld.global.u32 %%x, [%%u]; and.b32 %%x, %%x, 1; mov.u32 %%c, o; mad.lo.u32 %%x, %%x, 8, %%c; mbarrier.init.shared.b64 [%%x+16], 3;")
		g.one("ld.shared.u32 %s, [o+24];", g.r())
	default:
		g.one("cp.async.ca.shared.global [%%so+%d], [%s+%d], 4;", 128*g.word(), g.pick("%a", "%al"), g.word())
		g.one("cp.async.mbarrier.arrive%s.shared.b64 [o];", g.pick("", ".noinc"))
		g.one("ld.shared.u32 %s, [%%so+%d];", g.r(), 128*g.word())
	}
}

// contents reads an object, of which the upper bits say what is pending.
func (g *generator) contents() {
	r := g.r()
	g.one("ld.shared.u32 %s, [o]; shr.u32 %s, %s, %d;", r, r, r, g.number(0, 20, 20))
}

// states reads a state, or what is left in the object.
func (g *generator) states() {
	switch g.rng.IntN(3) {
	case 0:
		g.one("mbarrier.pending_count.b64 %s, %%st;", g.r())
	case 1:
		g.one("cvt.u32.u64 %s, %%st; shr.u64 %%st, %%st, 20; cvt.u32.u64 %%m0, %%st; add.u32 %s, %%m0, %d;", g.r(), g.r(), g.rng.IntN(4))
	default:
		g.contents()
	}
}

// fetches reads textures at coordinates that are known, or of which some are not.
func fetches(g *generator) {
	g.one("and.b32 %%x, %s, 7;", g.pick("%lane", g.operand()))
	g.one("and.b32 %%c, %s, 7;", g.pick("%lane", "%b", g.operand()))
	regs := fmt.Sprintf("{%s, %%m1, %%m2, %%m3}", g.r())
	if g.rng.IntN(5) == 0 {
		regs = fmt.Sprintf("{%%m1, %s, %%m2, %%m3}", g.r())
	}
	guard := g.guard()
	switch g.rng.IntN(6) {
	case 0:
		g.one("%stex.1d.v4.u32.s32 %s, [%s, {%%x}];", guard, regs, g.pick("lk", "lk", "lu"))
	case 1, 2:
		g.one("%stex.2d.v4.u32.s32 %s, [%s, {%%x, %%c}];", guard, regs, g.pick("tk", "tk", "tu"))
	case 3:
		g.one("cvt.rn.f32.u32 %%g0, %%x; cvt.rn.f32.u32 %%g1, %%c; %stld4.r.2d.v4.u32.f32 %s, [%s, {%%g0, %%g1}];", guard, regs, g.pick("tk", "tu"))
	case 4:
		g.one("cvt.rn.f32.u32 %%g0, %%x; cvt.rn.f32.u32 %%g1, %%c; mul.f32 %%g0, %%g0, 0f3e99999a; %stex.2d.v4.u32.f32 %s, [%s, {%%g0, %%g1}];", guard, regs, g.pick("tk", "tu"))
	default:
		g.one("cvt.rn.f32.u32 %%g0, %%x; cvt.rn.f32.u32 %%g1, %%c; %stex.2d.v4.f32.f32 {%%g0, %%g1, %%g2, %%g3}, [%s, {%%g0, %%g1}];", guard, g.pick("fk", "fk", "fu"))
		g.one("cvt.rzi.s32.f32 %s, %%g%d;", g.r(), g.rng.IntN(4)/3)
	}
}

// indirect calls a function by its address, which a table holds or a predicate
// selects.
func indirect(g *generator) {
	p := g.pick("%p1", "%p2", "%p3", "%p5", "%pu")
	if p == "%pu" {
		g.one("ld.global.u32 %%m14, [%s]; setp.ne.u32 %%pu, %%m14, %d;", g.pick("%u", "%ul", "%a"), g.rng.IntN(4))
	}
	if g.rng.IntN(3) == 0 {
		g.one("and.b32 %%x, %s, 1; mov.u64 %%e, ft; mad.wide.u32 %%e, %%x, 8, %%e; ld.global.u64 %%d, [%%e];", g.operand())
	} else {
		g.one("mov.u64 %%d, %s; mov.u64 %%e, %s; selp.b64 %%d, %%d, %%e, %s;", g.pick("keep", "flag"), g.pick("flag", "stack"), p)
	}
	g.labels++
	guard := ""
	if g.rng.IntN(4) == 0 {
		guard = g.guard()
	}
	g.one("{ .param .b32 x; .param .b32 q; P%d: .callprototype (.param .b32 _) _ (.param .b32 _); st.param.b32 [x], %s; %scall (q), %%d, (x), P%d; ld.param.b32 %s, [q]; }", g.labels, g.value(), guard, g.labels, g.r())
}

// pairs16 computes on pairs of halves, one of which may be unknown. Small whole
// numbers are floats, too, and add up as such.
func pairs16(g *generator) {
	a, b, d := g.operand(), g.r(), g.r()
	if g.rng.IntN(2) == 0 {
		a, b = b, a
	}
	switch g.rng.IntN(7) {
	case 0:
		g.one("%sadd.%s %s, %s, %s;", g.guard(), g.pick("f16x2", "u16x2", "bf16x2"), d, a, b)
	case 1:
		g.one("fma.rn.%s %s, %s, %s, %s;", g.pick("f16x2", "bf16x2"), d, a, b, g.r())
	case 2:
		g.one("%s.%s %s, %s, %s;", g.pick("min", "max"), g.pick("f16x2", "bf16x2", "s16x2", "u16x2"), d, a, b)
	case 3:
		g.one("setp.%s.f16x2 %%p5|%%p4, %s, %s;", g.pick("ne", "lt"), a, b)
	case 4:
		g.one("set.%s.%s.f16x2 %s, %s, %s;", g.pick("ne", "gt"), g.pick("f16x2", "u32"), d, a, b)
	case 5:
		g.one("cvt.u16.u32 %%h0, %s; cvt.u16.u32 %%h1, %s; mov.b32 %s, {%%h0, %%h1};", a, b, d)
	default:
		g.one("mov.b32 {%%h0, %%h1}, %s; cvt.u32.u16 %s, %%h%d;", a, d, g.rng.IntN(2))
	}
}

func video(g *generator) {
	a, b, c := g.operand(), g.r(), g.r()
	switch g.rng.IntN(3) {
	case 0:
		a, b = b, a
	case 1:
		a, c = c, a
	}
	switch g.rng.IntN(5) {
	case 0:
		g.one("vadd2.%s %s, %s, %s, %s;", g.pick("u32.u32.u32", "s32.s32.s32.sat", "u32.u32.u32.add"), g.r(), a, b, c)
	case 1:
		g.one("vset4.u32.u32.%s%s %s, %s, %s, %s;", g.pick("ne", "lt"), g.pick("", ".add"), g.r(), a, b, c)
	case 2:
		g.one("vset2.s32.s32.%s %s, %s, %s, %s;", g.pick("eq", "gt"), g.r(), a, b, c)
	case 3:
		g.one("vabsdiff4.u32.u32.u32%s %s, %s, %s, %s;", g.pick("", ".add"), g.r(), a, b, c)
	default:
		g.one("vmin2.u32.u32.u32 %s.%s, %s, %s.%s, %s;", g.r(), g.pick("h0", "h1", "h10"), a, b, g.pick("h10", "h32", "h12"), c)
	}
}
