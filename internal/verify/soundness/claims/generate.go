package claims

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Case is a kernel with its launch. Its parameters are a known buffer, an unknown
// one, and a number.
type Case struct {
	Seed        uint64
	PTX         string
	Grid, Block int
	GPU         string // the preset that decides what counts transactions
}

// The buffers: the known one holds small numbers.
const (
	knownWords   = 160
	unknownBytes = 8192
)

// registers of a kernel that hold data.
const registers = 4

// functions of the kernels: registers and predicates that one call writes and the
// next does not, and a parameter whose address is computed.
const functions = `.func (.param .b32 q) keep (.param .b32 x) { .reg .b32 y, z; .reg .pred p; ld.param.b32 z, [x]; setp.gt.u32 p, z, 3; @p mov.u32 y, 5; st.param.b32 [q], y; ret; }
.func (.param .b32 q) flag (.param .b32 x) { .reg .b32 y, z; .reg .pred p, c; ld.param.b32 z, [x]; setp.gt.u32 p, z, 3; @p setp.eq.u32 c, z, z; selp.u32 y, 1, 2, c; st.param.b32 [q], y; ret; }
.func (.param .b32 q) field (.param .align 4 .b8 x[16], .param .b32 i) { .reg .b32 y, z; .reg .b64 d, e; mov.b64 d, x; ld.param.b32 z, [i]; and.b32 z, z, 3; mul.wide.u32 e, z, 4; add.u64 d, d, e; st.param.b32 [d], 7; ld.param.b32 y, [x]; st.param.b32 [q], y; ret; }
.func (.param .b32 q) stack (.param .b32 i) { .local .align 4 .b8 l[16]; .reg .b32 y, z, d; ld.param.b32 z, [i]; and.b32 z, z, 12; mov.u32 d, l; add.u32 d, d, z; st.local.u32 [d], z; ld.local.u32 y, [l+4]; st.param.b32 [q], y; ret; }
`

const entry = ".visible .entry k(.param .u64 pa, .param .u64 pu, .param .u32 n) {\n"

const prologue = `	.reg .b32 %t, %b, %w, %lane, %c, %x, %m, %r<8>; .reg .b64 %a, %u, %al, %ul, %d, %e, %gs, %gl; .reg .pred %p<8>, %q; .reg .f32 %f; .reg .b32 %so, %lo;
	.shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[64];
	ld.param.u64 %a, [pa]; ld.param.u64 %u, [pu]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; shr.u32 %w, %t, 5; and.b32 %lane, %t, 31;
	mul.wide.u32 %al, %lane, 4; add.u64 %ul, %u, %al; add.u64 %al, %a, %al;
	mov.u32 %so, s; mad.lo.u32 %so, %t, 4, %so; mov.u32 %lo, l;
	mov.u64 %d, s; cvta.shared.u64 %gs, %d; mov.u64 %d, l; cvta.local.u64 %gl, %d;
`

// generator draws the statements of a kernel.
type generator struct {
	rng    *rand.Rand
	out    strings.Builder
	topics []topic
	labels int
	legacy bool // no instructions of recent machines, but shuffles without masks
	// Kernels differ in how many registers and words they use, and in whether
	// they store what they computed: the fewer, the more meet.
	registers, words int
	constants        bool
	recent           bool // has statements of what recent PTX has, too
	arrivals         int  // that the memory barrier object expects; 0 where there is none
	// role, if any, is the predicate of those that load: the others store.
	role string
}

// topic draws a statement of one kind.
type topic func(g *generator)

// Draw makes the case of a seed.
func Draw(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0x636c61696d73))
	g := &generator{rng: rng, legacy: rng.IntN(12) == 0, registers: 1 + rng.IntN(registers), words: 1 + rng.IntN(2), constants: rng.IntN(2) == 0, role: []string{"", "", "%p0", "%p1"}[rng.IntN(4)]}
	g.recent = seed%recentShare == 2 && !g.legacy
	if g.recent {
		g.arrivals = []int{0, 32, 64, manyArrivals}[rng.IntN(4)]
	}
	for i := range max(1, rng.IntN(4)) {
		list := topics
		switch {
		case g.legacy:
			list = legacyTopics
		case g.recent && (i == 0 || rng.IntN(2) == 0):
			list = recentTopics
		}
		g.topics = append(g.topics, list[rng.IntN(len(list))])
	}
	g.kernel()
	version, module, declared := ".version 8.0\n.target sm_90\n", "", ""
	switch {
	case g.legacy:
		version = ".version 6.0\n.target sm_60\n"
	case g.recent:
		module, declared = recentModule, recentRegisters
	}
	return Case{
		Seed: seed, Grid: []int{1, 1, 2, 3}[rng.IntN(4)], Block: 32 * (1 + rng.IntN(3)), GPU: []string{"gtx480", "ecrts2025-200"}[rng.IntN(2)],
		PTX: version + ".address_size 64\n" + functions + module + entry + declared + prologue + g.out.String() + "\tret;\n}\n",
	}
}

func (g *generator) pick(words ...string) string { return words[g.rng.IntN(len(words))] }

func (g *generator) one(format string, args ...any) {
	fmt.Fprintf(&g.out, "\t"+format+"\n", args...)
}

// r draws a data register.
func (g *generator) r() string { return fmt.Sprintf("%%r%d", g.rng.IntN(g.registers)) }

// guard draws a guard, often none: on the block, the warp, the lane, or data.
func (g *generator) guard() string {
	if g.rng.IntN(3) == 0 {
		return ""
	}
	return g.pick("@%p0 ", "@!%p0 ", "@%p1 ", "@!%p1 ", "@%p2 ", "@!%p2 ", "@%p3 ", "@%p4 ", "@%p5 ")
}

// loads and stores draw the guard of an access: that of the kernel's roles, often.
func (g *generator) loads() string {
	if g.role == "" || g.rng.IntN(4) == 0 {
		return g.guard()
	}
	return "@" + g.role + " "
}

func (g *generator) stores() string {
	if g.role == "" || g.rng.IntN(4) == 0 {
		return g.guard()
	}
	return "@!" + g.role + " "
}

func (g *generator) word() int { return 4 * g.rng.IntN(g.words) }

func (g *generator) kernel() {
	if g.rng.IntN(4) > 0 {
		g.one("mov.u32 %%x, %d; st.shared.u32 [%%so], %%x; st.shared.u32 [%%so+512], %%x; st.local.u32 [l], %%x; st.local.u32 [l+4], %%x; bar.sync 0;", g.rng.IntN(6))
	}
	g.object()
	for i := range registers {
		switch g.rng.IntN(8) {
		case 0:
			g.one("mov.u32 %%r%d, %s;", i, g.pick("%lane", "%t", "%b", "%w"))
		default:
			g.one("mov.u32 %%r%d, %d;", i, g.rng.IntN(6))
		}
	}
	g.one("setp.eq.u32 %%p0, %%b, %d; setp.eq.u32 %%p1, %%w, %d; setp.eq.u32 %%p2, %%lane, %d; setp.lt.u32 %%p3, %%lane, %d;", g.rng.IntN(2), g.rng.IntN(2), g.rng.IntN(3), 1+g.rng.IntN(31))
	g.one("setp.eq.u32 %%p4, %%b, %d; setp.ne.u32 %%p5, %s, 3;", g.rng.IntN(3), g.r())
	for n := 3 + g.rng.IntN(10); n > 0; n-- {
		switch k := g.rng.IntN(10); {
		case k < 7:
			g.topics[g.rng.IntN(len(g.topics))](g)
		case k == 7:
			arithmetic(g)
		case k == 8:
			g.one("bar.sync 0;")
		default:
			if g.rng.IntN(4) == 0 {
				g.sink()
			} else {
				unknown(g)
			}
		}
	}
	g.sink()
}

// sink makes the path, or the transactions of an access, depend on a register.
func (g *generator) sink() {
	r := g.r()
	g.labels++
	switch g.rng.IntN(6) {
	case 0, 4, 5:
		g.one("and.b32 %%c, %s, 3;\nL%d:\tsetp.eq.u32 %%q, %%c, 0; @%%q bra E%d; sub.u32 %%c, %%c, 1; bra L%d;\nE%d:", r, g.labels, g.labels, g.labels, g.labels)
	case 1:
		g.one("setp.ne.u32 %%q, %s, %d; @%%q bra E%d; mov.u32 %%c, 1;\nE%d:", r, g.rng.IntN(6), g.labels, g.labels)
	case 2:
		g.one("and.b32 %%c, %s, 31; mul.lo.u32 %%c, %%c, %%lane; mul.wide.u32 %%d, %%c, 4; add.u64 %%d, %%u, %%d; ld.global.u32 %%x, [%%d];", r)
	default:
		g.one("setp.ne.u32 %%q, %s, %d; @%%q ld.global.u32 %%x, [%%u];", r, g.rng.IntN(6))
	}
}

// topics are the kinds of statements of a kernel.
var topics = []topic{
	global, global, unknownStore, unknownStores, unknownStores, unknownStores, unknownStores, shared, shared, local, generic, narrow, atomics, copies, copies, copies, calls, calls, specials, open, exchange, reductions, prefetches, fresh, pairs,
}

var legacyTopics = []topic{global, shared, shuffles, shuffles, shuffles, calls}

func arithmetic(g *generator) {
	switch g.rng.IntN(5) {
	case 0:
		g.one("add.u32 %s, %s, %s;", g.r(), g.r(), g.r())
	case 1:
		g.one("and.b32 %s, %s, 7;", g.r(), g.r())
	case 2:
		g.one("setp.ne.u32 %%p5, %s, %d;", g.r(), g.rng.IntN(6))
	case 3:
		g.one("%smov.u32 %s, %d;", g.guard(), g.r(), g.rng.IntN(6))
	default:
		g.one("selp.u32 %s, 1, 4, %%p5;", g.r())
	}
}

func unknown(g *generator) {
	if g.rng.IntN(3) == 0 {
		g.one("ld.global.u32 %%x, [%%u]; setp.ne.u32 %%p5, %%x, %d;", g.rng.IntN(6))
		return
	}
	g.one("%sld.global.u32 %s, [%s+%d];", g.guard(), g.r(), g.pick("%u", "%ul"), g.word())
}

// global accesses few words of the known buffer, from all blocks.
func global(g *generator) {
	if k := g.rng.IntN(8); k == 0 {
		g.one("ld.global.u32 %%x, [%%u]; %sst.global.u32 [%%a+%d], %%x;", g.stores(), g.word())
	} else if k < 4 {
		g.one("%sld.global.u32 %s, [%s+%d];", g.loads(), g.r(), g.pick("%a", "%a", "%al"), g.word())
	} else {
		g.one("%sst.global.u32 [%s+%d], %s;", g.stores(), g.pick("%a", "%a", "%al"), g.word(), g.value())
	}
}

// value is what is stored: a register, or one number for all.
func (g *generator) value() string {
	if !g.constants && g.rng.IntN(2) == 0 {
		return g.r()
	}
	return fmt.Sprint(g.rng.IntN(6))
}

// offset puts 0 or 4 into %x, as data say: unknown ones, often.
func (g *generator) offset() {
	if g.rng.IntN(2) == 0 {
		g.one("ld.global.u32 %%x, [%s]; and.b32 %%x, %%x, 4;", g.pick("%u", "%ul"))
	} else {
		g.one("and.b32 %%x, %s, 4;", g.r())
	}
}

func unknownStore(g *generator) {
	switch g.rng.IntN(5) {
	case 0:
		global(g)
	case 1:
		g.offset()
		g.one("cvt.u64.u32 %%d, %%x; add.u64 %%d, %%a, %%d; %sst.global.u32 [%%d], %s;", g.stores(), g.value())
	case 2:
		g.offset()
		g.one("mov.u32 %%c, s; add.u32 %%x, %%x, %%c; %sst.shared.u32 [%%x], %s;", g.stores(), g.value())
	case 3:
		g.offset()
		g.one("add.u32 %%x, %%x, %%lo; %sst.local.u32 [%%x], %s;", g.stores(), g.value())
	default:
		g.offset()
		g.one("cvt.u64.u32 %%d, %%x; add.u64 %%d, %s, %%d; %sst.u32 [%%d], %s;", g.pick("%a", "%gs", "%gl"), g.stores(), g.value())
	}
}

// unknownStores draws accesses to one memory, some of them stores to unknown
// addresses.
func unknownStores(g *generator) {
	if g.rng.IntN(8) == 0 {
		g.one("bar.sync 0;")
	}
	switch g.rng.IntN(8) {
	case 0, 6, 7:
		g.offset()
		g.one("cvt.u64.u32 %%d, %%x; add.u64 %%d, %%a, %%d; %sst.global.u32 [%%d], %s;", g.stores(), g.value())
	case 1, 2:
		g.one("%sld.global.u32 %s, [%%a+%d];", g.loads(), g.r(), g.word())
	case 3:
		g.one("%sst.global.u32 [%%a+%d], %s;", g.stores(), g.word(), g.value())
	case 4:
		// Some lanes know where they store, and some do not.
		g.one("mov.u32 %%x, 0; %sld.global.u32 %%x, [%%u]; and.b32 %%x, %%x, 4; mov.u32 %%c, s; add.u32 %%x, %%x, %%c; st.shared.u32 [%%x], %s;", g.pick("@!%p2 ", g.guard()), g.pick("%lane", g.value()))
	default:
		g.one("%sld.shared.u32 %s, [s+%d];", g.loads(), g.r(), g.word())
	}
}

func shared(g *generator) {
	if g.rng.IntN(4) == 0 {
		g.one("bar.sync 0;")
	}
	at := g.pick("s", "s", "%so")
	if g.rng.IntN(8) == 0 {
		// One lane stores what it does not know where others do.
		g.one("mov.u32 %%x, %d; @%%p2 ld.global.u32 %%x, [%%u]; st.shared.u32 [s+%d], %%x;", g.rng.IntN(6), g.word())
		return
	}
	if g.rng.IntN(2) == 0 {
		g.one("%sld.shared.u32 %s, [%s+%d];", g.loads(), g.r(), at, g.word())
	} else {
		g.one("%sst.shared.u32 [%s+%d], %s;", g.stores(), at, g.word(), g.value())
	}
}

func local(g *generator) {
	if g.rng.IntN(2) == 0 {
		g.one("%sld.local.u32 %s, [l+%d];", g.guard(), g.r(), g.word())
	} else {
		g.one("%sst.local.u32 [l+%d], %s;", g.guard(), g.word(), g.value())
	}
}

func generic(g *generator) {
	at := g.pick("%a", "%gs", "%gl")
	if g.rng.IntN(3) == 0 {
		g.one("selp.u64 %%e, %s, %s, %s;", g.pick("%a", "%gs"), g.pick("%gl", "%gs"), g.pick("%p1", "%p2", "%p3"))
		at = "%e"
	}
	if g.rng.IntN(2) == 0 {
		g.one("%sld.u32 %s, [%s+%d];", g.loads(), g.r(), at, g.word())
	} else {
		g.one("%sst.u32 [%s+%d], %s;", g.stores(), at, g.word(), g.value())
	}
}

// narrow accesses parts of words.
func narrow(g *generator) {
	space, at := "shared", "s"
	if g.rng.IntN(4) == 0 {
		space, at = "global", "%a"
	}
	switch g.rng.IntN(5) {
	case 0:
		g.one("%sst.%s.u8 [%s+%d], %s;", g.stores(), space, at, g.rng.IntN(4), g.r())
	case 1:
		g.one("%sst.%s.u16 [%s+%d], %s;", g.stores(), space, at, 2*g.rng.IntN(2), g.r())
	case 2:
		g.one("%sst.%s.u32 [%s], %s;", g.stores(), space, at, g.value())
	case 3:
		g.one("%sld.%s.u8 %s, [%s+%d];", g.loads(), space, g.r(), at, g.rng.IntN(4))
	default:
		g.one("%sld.%s.u32 %s, [%s];", g.loads(), space, g.r(), at)
	}
}

// pairs accesses two words at once.
func pairs(g *generator) {
	space, at := "global", "%a"
	if g.rng.IntN(2) == 0 {
		space, at = "shared", "s"
	}
	switch g.rng.IntN(3) {
	case 0:
		g.one("%sst.%s.v2.u32 [%s], {%s, %s};", g.stores(), space, at, g.r(), g.r())
	case 1:
		g.one("%sld.%s.v2.u32 {%s, %%x}, [%s];", g.loads(), space, g.r(), at)
	default:
		g.one("%sst.%s.u32 [%s+%d], %s;", g.stores(), space, at, g.word(), g.value())
	}
}

func atomics(g *generator) {
	switch g.rng.IntN(5) {
	case 0:
		global(g)
	case 1:
		shared(g)
	case 2:
		g.one("%satom.%s %s, [%%a+%d], 1;", g.guard(), g.pick("global.add.u32", "global.exch.b32", "global.max.u32"), g.r(), g.word())
	case 3:
		g.one("%satom.shared.%s %s, [s+%d], %s;", g.guard(), g.pick("add.u32", "exch.b32", "or.b32"), g.r(), g.word(), g.r())
	default:
		g.one("%sred.shared.%s.u32 [s+%d], %s;", g.guard(), g.pick("add", "max"), g.word(), g.r())
	}
}

func copies(g *generator) {
	guard := ""
	if g.rng.IntN(4) == 0 {
		guard = g.guard()
	}
	// Each thread has words of its own, mostly, 512 bytes apart.
	to := g.pick("s", "%so", "%so", "%so")
	at := g.word()
	if to == "%so" {
		at *= 128
	}
	switch g.rng.IntN(10) {
	case 0, 1:
		g.one("%scp.async.ca.shared.global [%s+%d], [%s+%d], 4;", guard, to, at, g.pick("%a", "%al"), g.word())
		if guard == "" && g.rng.IntN(2) == 0 {
			g.one("cp.async.commit_group;")
		}
	case 2:
		g.one("%scp.async.commit_group;", guard)
	case 3:
		g.one("cp.async.wait_group %d;", g.rng.IntN(2))
	case 4:
		g.one("%scp.async.wait_all;", guard)
	case 5, 6:
		g.one("ld.shared.u32 %s, [%s+%d];", g.r(), to, at)
	case 7:
		g.one("%sst.shared.u32 [%s+%d], %s;", guard, to, at, g.value())
	default:
		g.one("%sst.global.u32 [%s+%d], %s;", guard, g.pick("%a", "%al"), g.word(), g.value())
	}
}

func calls(g *generator) {
	switch f := g.pick("keep", "keep", "flag", "flag", "field", "stack"); f {
	case "field":
		g.one("{ .param .align 4 .b8 x[16]; .param .b32 i; .param .b32 q; st.param.b32 [x], %d; st.param.b32 [x+4], 1; st.param.b32 [x+8], 1; st.param.b32 [x+12], 1; st.param.b32 [i], %s; call (q), field, (x, i); ld.param.b32 %s, [q]; }", g.rng.IntN(6), g.r(), g.r())
	default:
		g.one("{ .param .b32 x; .param .b32 q; st.param.b32 [x], %s; call (q), %s, (x); ld.param.b32 %s, [q]; }", g.value(), f, g.r())
	}
}

func specials(g *generator) {
	g.one("mov.u32 %s, %s;", g.r(), g.pick("%warpid", "%smid", "%nwarpid", "%total_smem_size", "%dynamic_smem_size", "%clock", "%laneid"))
}

func open(g *generator) {
	switch g.rng.IntN(5) {
	case 0:
		g.one("%s.u32 %s, %s, %s;", g.pick("div", "rem"), g.r(), g.r(), g.r())
	case 1:
		g.one("rem.u32 %s, 7, %%lane;", g.r())
	case 2, 3:
		r := g.r()
		g.one("cvt.rn.f32.u32 %%f, %s; %s.approx.f32 %%f, %%f; cvt.rzi.s32.f32 %s, %%f;", r, g.pick("sin", "lg2", "ex2", "rcp", "sqrt"), g.r())
	default:
		g.one("elect.sync %s|%%p5, -1;", g.r())
	}
}

// exchange draws operations among the lanes of a warp.
func exchange(g *generator) {
	switch g.rng.IntN(6) {
	case 0:
		g.one("vote.sync.ballot.b32 %s, %%p5, -1;", g.r())
	case 1:
		g.one("redux.sync.%s.u32 %s, %s, -1;", g.pick("add", "max", "min"), g.r(), g.r())
	case 2:
		g.one("match.any.sync.b32 %s, %s, -1;", g.r(), g.r())
	case 3:
		g.one("shfl.sync.%s.b32 %s, %s, %d, 31, -1;", g.pick("bfly", "idx", "down"), g.r(), g.r(), g.rng.IntN(4))
	case 4:
		g.one("activemask.b32 %s;", g.r())
	default:
		g.one("%sld.global.u32 %s, [%%ul];", g.guard(), g.r())
	}
}

// shuffles draws those of older machines, which do not name the lanes.
func shuffles(g *generator) {
	if g.rng.IntN(3) == 0 {
		// One lane may be there or not, and is read by others.
		r := g.r()
		g.one("mov.u32 %%x, 9; @%%p2 ld.global.u32 %%x, [%%u]; setp.ne.u32 %%p5, %%x, 3; @%%p5 shfl.%s.b32 %s, %%lane, %d, 31; @%%p2 mov.u32 %s, 1;", g.pick("bfly", "idx"), r, g.rng.IntN(3), r)
		return
	}
	g.one("%sshfl.%s.b32 %s, %s, %d, 31;", g.guard(), g.pick("bfly", "idx", "down"), g.r(), g.r(), g.rng.IntN(4))
}

func reductions(g *generator) {
	switch g.rng.IntN(3) {
	case 0:
		g.one("bar.red.popc.u32 %s, 0, %%p5;", g.r())
	case 1:
		g.one("bar.red.%s.pred %%p5, 0, %%p5;", g.pick("and", "or"))
	default:
		arithmetic(g)
	}
}

func prefetches(g *generator) {
	g.one("and.b32 %%x, %s, 31; mul.lo.u32 %%x, %%x, %%lane; mul.wide.u32 %%d, %%x, 4; add.u64 %%d, %%u, %%d; %sprefetch.global.L1 [%%d];", g.r(), g.guard())
}

// fresh reads what nobody has written.
func fresh(g *generator) {
	switch g.rng.IntN(4) {
	case 0:
		g.one("mov.u32 %s, %%r%d;", g.r(), registers+g.rng.IntN(8-registers))
	case 1:
		g.one("ld.shared.u32 %s, [s+%d];", g.r(), 960+g.word())
	case 2:
		g.one("ld.local.u32 %s, [l+%d];", g.r(), 16+g.word())
	default:
		g.one("selp.u32 %s, 1, 2, %%p%d;", g.r(), 6+g.rng.IntN(2))
	}
}
