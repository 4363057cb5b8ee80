package kernels

import (
	"fmt"
	"math/rand/v2"
)

// further draws what a kernel has beside the rest, by numbers of its own: what
// recent PTX brought, in one of four, and paths that differ by block, in half of
// those that follow from thread and block alone.
func (f *features) further(rng *rand.Rand) {
	f.recent = rng.IntN(4) == 0
	f.blocks = !f.data && !f.calls && rng.IntN(2) == 0
	if f.recent {
		f.exits = false // matrices want whole warps
	}
}

// recentDeclarations are the registers, the memory barrier object and the texture
// of recent statements; recentFunctions what is called by address.
const (
	recentDeclarations = `	.reg .b32 %m<8>;
	.reg .b64 %st;
	.shared .align 8 .b8 object[8];
`
	recentFunctions = `.global .texref image;
.func (.param .b32 q) more (.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 3; st.param.b32 [q], %a; ret; }
.func (.param .b32 q) less (.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; shr.u32 %a, %a, 1; mul.lo.u32 %a, %a, 3; st.param.b32 [q], %a; ret; }
`
	// recentPrologue begins the object, which expects more arrivals than there are.
	recentPrologue = `	mov.u32 %m0, 0;
	mov.u32 %m1, 15360;
	setp.eq.u32 %p2, %r1, 0;
	@%p2 mbarrier.init.shared.b64 [object], 1000000;
	bar.sync 0;
`
	// imageSide is the width and height of the texture.
	imageSide = 16
)

// newer draws one of the statements of recent PTX; uniform says that whole warps
// come here.
func (g *generator) newer(uniform bool) *node {
	switch k := g.rng.IntN(8); {
	case k < 3 && uniform:
		return g.together()
	case k < 5:
		return g.fetch()
	case k == 5:
		return g.indirect()
	}
	return g.lanewise()
}

// lanewise draws arithmetic on pairs and on parts of words.
func (g *generator) lanewise() *node {
	switch g.rng.IntN(5) {
	case 0:
		return g.one("add.f16x2 %s, %s, %s;", g.r(), g.read(), g.read())
	case 1:
		return g.one("fma.rn.f16x2 %s, %s, %s, %s;", g.r(), g.read(), g.read(), g.read())
	case 2:
		return g.one("vadd2.u32.u32.u32 %s, %s, %s, %s;", g.r(), g.read(), g.read(), g.read())
	case 3:
		return g.one("vset4.u32.u32.%s %s, %s, %s, %s;", g.pick("ne", "lt"), g.r(), g.read(), g.read(), g.read())
	default:
		return g.one("vabsdiff4.u32.u32.u32.add %s, %s, %s, %s;", g.r(), g.read(), g.read(), g.read())
	}
}

// fetch draws a texture read at coordinates that follow from the thread, inside,
// between texels and outside, or a copy whose end a memory barrier object is told.
func (g *generator) fetch() *node {
	t := g.temp()
	g.size -= 3
	first := fmt.Sprintf("and.b32 %s, %%r1, %d;", t, 1<<g.rng.IntN(6)-1)
	coord := []string{fmt.Sprintf("cvt.rn.f32.u32 %%f0, %s;", t), "mul.f32 %f1, %f0, " + g.pick("0f3F000000", "0f3EAAAAAB") + ";"}
	switch g.rng.IntN(5) {
	case 0:
		return &node{lines: []string{first, fmt.Sprintf("tex.2d.v4.f32.s32 {%%f2, %%f3, %%f4, %%f5}, [image, {%s, %s}];", t, g.pick(t, "%r10"))}}
	case 1:
		return &node{lines: append(append([]string{first}, coord...), "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f0, %f1}];")}
	case 2:
		return &node{lines: append(append([]string{first}, coord...), "tld4.r.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f1, %f0}];")}
	case 3:
		return g.one("mbarrier.arrive.shared.b64 %%st, [object];")
	default:
		return &node{lines: []string{
			fmt.Sprintf("cp.async.ca.shared.global [%%r8], [%%rd3+%d], 4;", 4*g.rng.IntN(64)),
			"cp.async.mbarrier.arrive.noinc.shared.b64 [object];",
			"cp.async.wait_all;",
		}}
	}
}

// together draws what a whole warp does at once: matrices from registers and from
// the warp's own words of tile.
func (g *generator) together() *node {
	t, u := g.temp(), g.temp()
	g.size -= 4
	switch g.rng.IntN(4) {
	case 0:
		return g.one("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%%f0, %%f1, %%f2, %%f3}, {%%m0, %%m1}, {%%m1}, {%%f2, %%f3, %%f4, %%f5};")
	case 1:
		return g.one("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%s, %%m2}, {%s}, {%s}, {%s, %s};", g.r(), g.read(), g.read(), g.read(), g.read())
	case 2:
		return g.one("wmma.load.a.sync.aligned.row.m16n16k16.global.s8 {%%m2, %%m3}, [%%rd0], %d;", 16*(1+g.rng.IntN(4)))
	default:
		return &node{lines: []string{
			fmt.Sprintf("and.b32 %s, %%r1, 7;", t),
			fmt.Sprintf("mov.u32 %s, tile;", u),
			fmt.Sprintf("mad.lo.u32 %s, %s, 16, %s;", u, t, u),
			fmt.Sprintf("mad.lo.u32 %s, %%r10, 128, %s;", u, u),
			fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x1%s.shared.b16 {%s}, [%s];", g.pick("", ".trans"), g.r(), u),
		}}
	}
}

// indirect calls one of two functions by its address, which the lane decides.
func (g *generator) indirect() *node {
	g.size -= 12
	return &node{lines: []string{
		"mov.u64 %rd8, more;", "mov.u64 %rd9, less;", "selp.b64 %rd8, %rd8, %rd9, " + g.pick("%p0", "%p1") + ";",
		"{ .param .b32 x; .param .b32 q; PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);",
		fmt.Sprintf("st.param.b32 [x], %s; call (q), %%rd8, (x), PROTOTYPE; ld.param.b32 %s, [q]; }", g.read(), g.r()),
	}}
}

// perBlock draws an access whose place follows from block and thread.
func (g *generator) perBlock() *node {
	t := g.temp()
	g.size -= 4
	stride := g.pick("32", "64", "100", "128", "200")
	access := fmt.Sprintf("ld.global.u32 %s, [%%rd7];", g.r())
	if g.rng.IntN(3) == 0 {
		access = fmt.Sprintf("st.global.u32 [%%rd7], %s;", g.read())
	}
	from := "%rd0"
	if access[0] == 's' {
		from = "%rd1"
	}
	return &node{lines: []string{
		fmt.Sprintf("mov.u32 %s, %%ctaid.x;", t),
		fmt.Sprintf("mad.lo.u32 %s, %s, %s, %%r1;", t, t, stride),
		fmt.Sprintf("mad.wide.u32 %%rd7, %s, 4, %s;", t, from),
		access,
	}}
}
