package inputs

import (
	"fmt"
	"math/rand/v2"
)

// DrawTogether makes the case of a seed: a kernel with barriers in loops and forks through
// which all warps of a block go together, as arguments, blocks and elements of buffers
// decide, and seldom some that they do not. One of five is a kernel of reductions.
func DrawTogether(seed uint64) Case {
	if seed%5 == 0 {
		return drawReductions(seed)
	}
	return drawTogether(seed, false)
}

// DrawFunctions makes the case of a seed: one as of DrawTogether, in which some of what
// decides are results that PTX leaves open.
func DrawFunctions(seed uint64) Case { return drawTogether(seed, true) }

func drawTogether(seed uint64, open bool) Case {
	rng := rand.New(rand.NewPCG(seed, 0x746f676574686572))
	g := &generator{rng: rng, barriers: true, publishes: true, narrow: rng.IntN(3) == 0, exits: []int{0, 0, 0, 20}[rng.IntN(4)]}
	for range 1 + rng.IntN(3) {
		g.statements = append(g.statements, kinds[rng.IntN(len(kinds)-2)])
	}
	g.start()
	g.open = open
	for range 1 + rng.IntN(2) {
		g.together()
	}
	g.sink()
	g.one("ret;")
	g.out.WriteString(g.tail)
	c := Case{
		Seed: seed, Grid: []int{1, 2, 5}[rng.IntN(3)], GridY: []int{1, 1, 1, 3}[rng.IntN(4)],
		Block: []int{32, 33, 64, 64, 96}[rng.IntN(5)], BlockY: []int{1, 1, 1, 2}[rng.IntN(4)],
		GPU: []string{"gtx480", "ecrts2025-200"}[rng.IntN(2)], Loops: true, AllBounds: rng.IntN(6) == 0, Functions: open,
	}
	c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + signature + loopRegisters + prologue + loopPrologue + g.out.String() + "\tret;\n}\n"
	return c
}

// shared is an operand that is the same in the whole block, seldom another one.
func (g *generator) shared() string {
	if g.open && g.coin(3) {
		return g.approximate(g.whole())
	}
	return g.whole()
}

// approximate is a result that PTX leaves open, of an operand, brought into a few numbers.
func (g *generator) approximate(of string) string {
	at := g.fresh(32)
	g.one("mov.b32 %s, %s;", at, of)
	of = at
	switch g.rng.IntN(6) {
	case 0, 1:
		g.one("%s.f32 %s, %s;", g.pick("ex2.approx", "lg2.approx", "sin.approx", "rcp.approx", "sqrt.approx", "tanh.approx"), at, of)
	case 2:
		g.one("div.%s.f32 %s, %s, %s;", g.pick("full", "approx"), at, of, g.pick("%n", "%m", of))
	case 3:
		g.one("rem.u32 %s, %s, 0;", at, of)
	case 4:
		g.one("mov.b32 %s, 0f3f000000; lg2.approx.f32 %s, %s;", at, at, at)
	default:
		g.one("div.s32 %s, %s, %s;", at, g.pick("%n", "%m", "7"), of)
	}
	g.one("and.b32 %s, %s, %d;", at, at, []int{3, 7}[g.rng.IntN(2)])
	return at
}

// whole is an operand that PTX leaves nothing of open.
func (g *generator) whole() string {
	at := g.fresh(32)
	switch g.rng.IntN(24) {
	case 0, 1, 2, 3, 4:
		g.one("ld.global.u32 %s, [%%rows+%d];", at, 4*g.rng.IntN(3))
	case 5, 6:
		g.one("ld.global.s32 %s, [%%vals+%d];", at, 4*g.rng.IntN(3))
	case 7, 8:
		g.one("mad.lo.s32 %s, %s, %d, %d;", at, g.pick("%n", "%m", "%b"), g.rng.IntN(5)-1, g.rng.IntN(6)-2)
	case 9:
		g.one("mul.wide.u32 %%d, %s, 4; add.u64 %%d, %%d, %%rows; ld.global.u32 %s, [%%d];", g.pick("%b", "%by", "%n"), at)
	case 10:
		g.one("mul.lo.s32 %s, %s, %s; and.b32 %s, %s, 7;", at, g.pick("%n", "%m"), g.pick("%n", "%b"), at, at)
	case 11:
		g.one("ld.global.u32 %s, [%s]; and.b32 %s, %s, 3;", at, g.pick("%u", "%ua"), at, at)
	case 12:
		g.one("bar.red.popc.u32 %s, 0, %s; min.u32 %s, %s, %d;", at, g.pick("%p2", "%p3", "%p4", "%p5"), at, at, 1+g.rng.IntN(6))
	case 13:
		g.one("bar.sync 0; ld.shared.u32 %s, [s+4]; bar.sync 0; and.b32 %s, %s, 3;", at, at, at)
	case 14:
		g.one("mov.u32 %s, %s; and.b32 %s, %s, 3;", at, g.pick("%w", "%lane", "%y"), at, at)
	case 15, 16:
		if len(g.counters) > 0 {
			g.loops--
			return g.counters[g.rng.IntN(len(g.counters))]
		}
		fallthrough
	default:
		g.loops--
		return g.pick("%n", "%n", "%m", "%b", "%by", "1", "2", "3", "5")
	}
	return at
}

// decided sets predicate %k to what is the same in the whole block.
func (g *generator) decided() {
	if g.coin(6) {
		g.one("bar.red.%s.pred %%k, 0, %s;", g.pick("and", "or"), g.pick("%p2", "!%p3", "%p4", "%p5"))
		return
	}
	g.one("setp.%s.%s %%k, %s, %s;", g.pick("gt", "lt", "ge", "eq", "ne"), g.pick("s32", "u32"), g.shared(), g.shared())
}

// together is a fork or a loop with barriers.
func (g *generator) together() {
	if g.loops >= 28 || g.depth > 2 {
		g.publish()
		return
	}
	switch g.rng.IntN(6) {
	case 0, 1:
		other, end := g.label(), g.label()
		g.decided()
		g.one("@%s%%k bra %s;", g.pick("", "!"), other)
		g.pieces()
		if g.coin(2) {
			g.one("bra %s;\n%s:", end, other)
			g.pieces()
			g.one("%s:", end)
			return
		}
		g.one("%s:", other)
	case 2:
		if g.depth > 0 && g.coin(2) {
			g.one("bar.sync 0;")
			return
		}
		g.decided()
		if g.coin(2) {
			g.one("@%%k ret;")
			return
		}
		there := g.label()
		g.one("@%%k bra %s;", there)
		g.tail += there + ":\n"
		if g.coin(2) {
			g.tail += "\tbar.sync 0; add.u32 %c, %lane, 2; bar.sync 0;\n"
		}
		g.tail += "\tadd.u32 %c, %c, 1; ret;\n"
	default:
		g.gather()
	}
}

// gather is a loop with barriers.
func (g *generator) gather() {
	head, next, end := g.label(), g.label(), g.label()
	g.heads, g.ends = append(g.heads, next), append(g.ends, end)
	signed, up := g.coin(2), g.rng.IntN(3) > 0
	typ := map[bool]string{false: "u32", true: "s32"}[signed]
	step := 1 + g.rng.IntN(3)
	cmp, opposite := "lt", "ge"
	if !up {
		step, cmp, opposite = -step, "gt", "le"
	}
	if g.coin(6) {
		cmp, opposite = "ne", "eq"
	}
	from, to := g.shared(), g.shared()
	i := g.fresh(32)
	q := fmt.Sprintf("%%q%d", g.loops)
	g.one("mov.b32 %s, %s;", i, from)
	early := g.coin(2)
	if !early && g.coin(2) {
		g.one("setp.%s.%s %s, %s, %s; @%s bra %s;", opposite, typ, q, i, to, q, end)
	}
	g.one("%s:", head)
	if early {
		if g.coin(2) {
			g.piece()
		}
		g.one("setp.%s.%s %s, %s, %s; @%s bra %s;", opposite, typ, q, i, to, q, end)
	}
	g.counters = append(g.counters, i)
	g.pieces()
	if g.coin(2) {
		g.one("bar.sync 0;")
	}
	if g.coin(3) {
		g.piece()
	}
	g.counters = g.counters[:len(g.counters)-1]
	g.one("%s: add.%s %s, %s, %d;", next, typ, i, i, step)
	switch {
	case early:
		g.one("bra %s;\n%s:", head, end)
	case g.coin(6): // or what all find together
		g.one("setp.%s.%s %s, %s, %s; bar.red.or.pred %%k, 0, %s; and.pred %s, %s, %%k; @%s bra %s;\n%s:", cmp, typ, q, i, to, g.pick("%p2", "%p4", "%p5"), q, q, q, head, end)
	default:
		g.one("setp.%s.%s %s, %s, %s; @%s bra %s;\n%s:", cmp, typ, q, i, to, q, head, end)
	}
	g.closed()
	if g.coin(2) {
		g.one("mov.u32 %s, %s;", g.r(), i)
	}
}

// pieces is some, with barriers.
func (g *generator) pieces() {
	g.depth++
	for range 1 + g.rng.IntN(3) {
		g.piece()
	}
	g.depth--
}

// piece is what a side or an iteration executes.
func (g *generator) piece() {
	switch g.rng.IntN(10) {
	case 0, 1:
		g.one("bar.sync 0;")
	case 2, 3:
		g.publish()
	case 4, 5:
		g.together()
	case 6:
		g.decided()
		if n := len(g.ends); n > 0 {
			g.one("@%%k bra %s;", g.pick(g.ends[n-1], g.ends[n-1], g.heads[n-1], g.ends[g.rng.IntN(n)]))
		}
	case 7:
		g.meet()
	case 8:
		// Threads part, and meet again.
		barriers := g.barriers
		g.barriers, g.depth = false, g.depth+2
		heads, ends := g.heads, g.ends
		g.heads, g.ends = nil, nil
		g.either()
		g.barriers, g.depth, g.heads, g.ends = barriers, g.depth-2, heads, ends
	default:
		g.statements[g.rng.IntN(len(g.statements))](g)
	}
}
