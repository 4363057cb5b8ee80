package inputs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Case is a kernel with its launch. Its parameters are a known buffer, an unknown one,
// and a number.
type Case struct {
	Seed        uint64
	PTX         string
	Grid, Block int
	// The other dimension of the grid and of blocks; 0 means 1.
	GridY, BlockY int
	GPU           string // the preset that decides what counts transactions
	// Bounds says which loops are given bounds, by label; all, where it is nil and
	// AllBounds is set. The bounds are the largest trip counts of the executions.
	Bounds    []string
	AllBounds bool
	// Loops says that the kernel has the arguments of DrawLoops, besides, and is covered
	// in closed form only.
	Loops bool
	// Textures says that the kernel has those of DrawFetches, and AnyTextures that closed
	// covering executions know nothing of them.
	Textures, AnyTextures bool
	// Functions says that open results of executions are functions of their operands, and
	// taken for such.
	Functions bool
	// Lanes says that they are drawn for each lane all the same: this is not covered.
	Lanes bool
}

// signature begins kernels with the arguments of DrawLoops.
const signature = ".visible .entry k(.param .u64 pa, .param .u64 pu, .param .u32 n, .param .u64 pr, .param .u64 pv, .param .s32 m) {\n"

// functions of the kernels. Their results depend on their argument; some return, or end
// the thread, in some lanes only.
const functions = `.func (.reg .b32 q) gone (.reg .b32 x) { exit; }
.func (.reg .b32 q) spin (.reg .b32 x) { .reg .pred p; .reg .b32 y; H: sub.u32 x, x, 1; mov.b32 q, x; setp.gt.u32 p, x, 100; @p bra A; call (y), spin, (x); setp.gt.u32 p, y, 300; @p bra H; A: ret; }
.func (.param .b32 q) side (.param .b32 x) { .reg .b32 y, z; .reg .pred p; ld.param.b32 z, [x]; setp.gt.u32 p, z, 2; @p bra A; mov.u32 y, 3; bra B; A: add.u32 y, z, 1; B: st.param.b32 [q], y; ret; }
.func (.param .b32 q) part (.param .b32 x) { .reg .b32 y, z, t; .reg .pred p; ld.param.b32 z, [x]; mov.u32 t, %tid.x; and.b32 t, t, 31; st.param.b32 [q], 2; setp.lt.u32 p, t, 7; @p ret; add.u32 y, z, 1; setp.gt.u32 p, z, 2; @p bra A; add.u32 y, y, 1; A: st.param.b32 [q], y; ret; }
.func (.param .b32 q) count (.param .b32 x) { .reg .b32 y, z; .reg .pred p; ld.param.b32 z, [x]; and.b32 z, z, 3; mov.u32 y, 0; CL: setp.ge.u32 p, y, z; @p bra CE; add.u32 y, y, 1; setp.lt.u32 p, y, 4; @p bra CL; CE: st.param.b32 [q], y; ret; }
.func (.param .b32 q) leave (.param .b32 x) { .reg .b32 y, z; .reg .pred p; ld.param.b32 z, [x]; setp.eq.u32 p, z, 1; @p exit; add.u32 y, z, 1; st.param.b32 [q], y; ret; }
.func (.param .b32 q) depart (.param .b32 x) { .reg .b32 y, z; .reg .pred p; ld.param.b32 z, [x]; setp.eq.u32 p, z, 1; @p bra A; add.u32 y, z, 1; st.param.b32 [q], y; ret; A: exit; }
.func (.reg .b32 q) again (.reg .b32 x, .reg .b32 d) { .reg .b32 e, i, y; .reg .pred p; mov.u32 q, x; setp.eq.u32 p, d, 0; @p bra A; mov.u32 i, 0; AL: sub.u32 e, d, 1; call (y), again, (x, e); add.u32 q, y, x; setp.gt.u32 p, x, 2; @p bra A; add.u32 i, i, 1; setp.lt.u32 p, i, 2; @p bra AL; A: and.b32 q, q, 7; ret; }
.func (.reg .b32 q) quit (.reg .b32 x) { .reg .pred p; mov.b32 q, x; setp.eq.u32 p, x, 1; @p exit; ret; }
.func (.reg .b32 mq) more (.reg .b32 ma, .reg .b32 mb) { add.u32 mq, ma, mb; ret; }
.func (.param .b32 q) next (.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; add.u32 a, a, 1; st.param.b32 [q], a; ret; }
.func (.param .b32 q) upto (.param .b32 x) { .reg .b32 a, i; .reg .pred p; ld.param.b32 a, [x]; mov.u32 i, 0; UL: add.u32 i, i, 1; setp.lt.s32 p, i, a; @p bra UL; st.param.b32 [q], i; ret; }
.func (.reg .b32 hq) halves (.reg .b32 hx) { .reg .pred p; mov.u32 hq, 0; HL: add.u32 hq, hq, 1; shr.u32 hx, hx, 1; setp.ne.u32 p, hx, 0; @p bra HL; ret; }
.func (.reg .b32 oq) over (.reg .b32 ox) { .reg .b32 i, y; .reg .pred p; mov.u32 i, 0; mov.u32 oq, 0; OL: call (y), more, (i, ox); and.b32 y, y, 3; add.u32 oq, oq, y; add.u32 i, i, 1; setp.lt.s32 p, i, ox; @p bra OL; ret; }
.func (.reg .pred bq) below (.reg .b32 ba, .reg .b32 bb) { setp.lt.s32 bq, ba, bb; ret; }
.func (.reg .b32 pq) pokes (.reg .b64 at, .reg .b32 px) { st.u32 [at], px; mov.b32 pq, px; ret; }
.func (.reg .b32 q) direct (.reg .b32 x) { .reg .pred p; mov.b32 q, x; setp.ne.u32 p, x, 1; @p bra A; mov.b32 q, 4; A: ret; }
`

const prologue = `	.reg .b32 %t, %b, %w, %lane, %c, %x, %so, %lo, %n, %r<4>, %i<60>; .reg .b64 %a, %u, %al, %ul, %ua, %d, %e, %gs, %gl; .reg .pred %p<6>, %q<60>, %k;
	.shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[64];
	ld.param.u64 %a, [pa]; ld.param.u64 %u, [pu]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; shr.u32 %w, %t, 5; and.b32 %lane, %t, 31;
	mul.wide.u32 %al, %lane, 4; mul.wide.u32 %ul, %t, 4; add.u64 %ul, %u, %ul; add.u64 %al, %a, %al; mul.wide.u32 %ua, %b, 4; add.u64 %ua, %u, %ua;
	mov.u32 %so, s; mad.lo.u32 %so, %t, 4, %so; mov.u32 %lo, l;
	mov.u64 %d, s; cvta.shared.u64 %gs, %d; mov.u64 %d, l; cvta.local.u64 %gl, %d;
`

// generator draws the statements of a kernel.
type generator struct {
	rng    *rand.Rand
	out    strings.Builder
	labels int
	loops  int      // predicates and counters used
	bounds []string // labels of loops that have no other end than data
	depth  int
	// heads and ends are the labels of the loops around.
	heads, ends []string
	statements  []func(*generator)
	barriers    bool
	apart       bool     // threads may part for good
	narrow      bool     // they meet at one word
	publishes   bool     // one thread tells the others, behind barriers
	tail        string   // what they execute, behind the rest
	exits       int      // one statement of so many returns; 0: none
	loopy       bool     // there are loops of DrawLoops
	open        bool     // operands of the whole block may be open results
	counters    []string // of such loops around
}

// Draw makes the case of a seed.
func Draw(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0x696e70757473))
	g := &generator{rng: rng, barriers: rng.IntN(3) > 0, apart: rng.IntN(3) == 0, publishes: rng.IntN(3) == 0, narrow: rng.IntN(2) == 0, exits: []int{0, 0, 5, 12}[rng.IntN(4)]}
	for range 1 + rng.IntN(4) {
		g.statements = append(g.statements, kinds[rng.IntN(len(kinds))])
	}
	g.kernel()
	c := Case{
		Seed: seed, Grid: []int{1, 1, 2, 4}[rng.IntN(4)], Block: []int{1, 4, 20, 32, 32, 33, 64, 64, 96, 128}[rng.IntN(10)],
		GPU: []string{"gtx480", "ecrts2025-200"}[rng.IntN(2)], Bounds: g.bounds, AllBounds: rng.IntN(3) == 0,
	}
	c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + ".visible .entry k(.param .u64 pa, .param .u64 pu, .param .u32 n) {\n" + prologue + g.out.String() + "\tret;\n}\n"
	return c
}

func (g *generator) pick(words ...string) string { return words[g.rng.IntN(len(words))] }

func (g *generator) coin(n int) bool { return g.rng.IntN(n) == 0 }

func (g *generator) one(format string, args ...any) {
	fmt.Fprintf(&g.out, "\t"+format+"\n", args...)
}

// r draws a data register.
func (g *generator) r() string { return fmt.Sprintf("%%r%d", g.rng.IntN(3)) }

func (g *generator) label() string {
	g.labels++
	return fmt.Sprintf("L%d", g.labels)
}

// start sets registers and predicates.
func (g *generator) start() {
	for i := range 3 {
		if g.coin(2) {
			g.one("ld.global.u32 %%r%d, [%s+%d];", i, g.pick("%ul", "%ul", "%u", "%ua"), 4*g.rng.IntN(3))
		} else {
			g.one("mov.u32 %%r%d, %s;", i, g.pick("0", "1", "3", "%lane", "%t", "%w", "%b"))
		}
	}
	g.one("setp.eq.u32 %%p0, %%b, 0; setp.eq.u32 %%p1, %%w, 0; setp.lt.u32 %%p2, %%lane, %d; setp.eq.u32 %%p3, %%lane, %d;", 1+g.rng.IntN(31), g.rng.IntN(3))
	g.one("ld.global.u32 %%x, [%%ul+4]; setp.gt.u32 %%p4, %%x, 1; setp.gt.u32 %%p5, %%r0, 1;")
}

func (g *generator) kernel() {
	g.start()
	if g.coin(2) {
		g.one("mov.u32 %%x, %d; st.shared.u32 [%%so], %%x; st.shared.u32 [%%so+512], %%x; st.local.u32 [l], %%x; st.local.u32 [l+4], %%x; bar.sync 0;", g.rng.IntN(3))
	}
	for range 2 + g.rng.IntN(5) {
		if g.apart && g.coin(2) {
			if g.barriers && g.coin(4) {
				g.late()
			} else {
				g.part()
			}
		}
		g.statement()
		if g.barriers && g.publishes {
			g.publish()
		}
		if g.barriers && g.coin(3) {
			g.one("bar.sync 0;")
		}
	}
	g.sink()
	g.one("ret;")
	g.out.WriteString(g.tail)
}

// condition sets predicate %k and says so: of data, of the thread, or both.
func (g *generator) condition() string {
	switch g.rng.IntN(14) {
	case 11, 12, 13:
		return g.within()
	case 0, 1:
		g.one("ld.global.u32 %%x, [%%ul+%d]; setp.%s.u32 %%k, %%x, %d;", 4*g.rng.IntN(3), g.pick("gt", "eq", "ne", "lt"), g.rng.IntN(4))
	case 2:
		g.one("ld.global.u32 %%x, [%s]; setp.%s.u32 %%k, %%x, %d;", g.pick("%u", "%ua"), g.pick("gt", "eq", "ne"), g.rng.IntN(4))
	case 3:
		g.one("setp.%s.u32 %%k, %s, %d;", g.pick("gt", "lt"), g.pick("%lane", "%t", "%w", "%b"), g.rng.IntN(20))
	case 4:
		g.mixed(g.pick("%p0", "%p1", "%p2", "%p3"))
	case 5:
		return g.pick("%p4", "%p5", "%p2", "%p3")
	case 6:
		g.one("ld.shared.u32 %%x, [%s+%d]; setp.ne.u32 %%k, %%x, %d;", g.pick("s", "%so"), g.word(), g.rng.IntN(3))
	case 7:
		g.one("ld.global.u32 %%x, [%s+%d]; setp.ne.u32 %%k, %%x, %d;", g.pick("%a", "%al"), g.word(), g.rng.IntN(3))
	case 8:
		g.one("ld.local.u32 %%x, [l+%d]; setp.ne.u32 %%k, %%x, %d;", g.word(), g.rng.IntN(3))
	default:
		g.one("setp.%s.u32 %%k, %s, %d;", g.pick("gt", "eq", "ne", "lt"), g.r(), g.rng.IntN(5))
	}
	return "%k"
}

// mixed sets predicate %k to what data say in the lanes of a predicate, and to a known
// value in the others.
func (g *generator) mixed(lanes string) {
	g.one("ld.global.u32 %%x, [%s]; setp.%s.u32 %%k, %%t, %%t; @%s%s setp.gt.u32 %%k, %%x, %d;", g.pick("%ul", "%ul+4", "%u", "%ua"), g.pick("ne", "eq"), g.pick("", "!"), lanes, g.rng.IntN(4))
}

// guard draws a guard, often none.
func (g *generator) guard() string {
	if g.coin(3) {
		return ""
	}
	return g.pick("@", "@!") + g.pick("%p0", "%p1", "%p2", "%p3", "%p4", "%p4", "%p5", "%p5") + " "
}

func (g *generator) known() string {
	if g.coin(3) {
		return ""
	}
	return g.pick("@", "@!") + g.pick("%p0", "%p1", "%p2", "%p3") + " "
}

func (g *generator) word() int { return 4 * g.rng.IntN(2) }

// value is what is stored: a register, or a number.
func (g *generator) value() string {
	if g.coin(2) {
		return g.r()
	}
	return fmt.Sprint(g.rng.IntN(4))
}

// sink makes the path depend on every register.
func (g *generator) sink() {
	for i := range 3 {
		end := g.label()
		g.one("setp.%s.u32 %%k, %%r%d, %d; @%%k bra %s; mov.u32 %%c, 1;\n%s:", g.pick("ne", "gt", "eq"), i, g.rng.IntN(4), end, end)
	}
	if g.coin(2) {
		g.one("and.b32 %%c, %s, 31; mul.lo.u32 %%c, %%c, %%lane; mul.wide.u32 %%d, %%c, 4; add.u64 %%d, %%u, %%d; ld.global.u32 %%x, [%%d];", g.r())
	}
}

func (g *generator) block(n int) {
	g.depth++
	for range 1 + g.rng.IntN(n) {
		g.statement()
	}
	g.depth--
}

// statement draws one: control, or one of the kinds of this kernel.
func (g *generator) statement() {
	if g.exits > 0 && g.coin(g.exits) {
		g.leave()
		return
	}
	if len(g.heads) > 0 && g.coin(5) {
		g.jump()
		return
	}
	if g.loopy && g.coin(4) {
		g.family()
		return
	}
	if g.depth < 3 && g.coin(1+g.depth) {
		switch g.rng.IntN(8) {
		case 0, 1, 2:
			g.either()
		case 3, 4:
			g.counted()
		case 5:
			g.endless()
		case 6:
			g.forward()
		default:
			g.latches()
		}
		return
	}
	if g.coin(4) {
		g.sinkOne()
		return
	}
	g.statements[g.rng.IntN(len(g.statements))](g)
}

// sinkOne makes the path depend on a register, in one instruction.
func (g *generator) sinkOne() {
	end := g.label()
	g.one("setp.%s.u32 %%k, %s, %d; @%%k bra %s; add.u32 %s, %s, 1;\n%s:", g.pick("ne", "gt", "eq"), g.r(), g.rng.IntN(4), end, g.r(), g.r(), end)
}
