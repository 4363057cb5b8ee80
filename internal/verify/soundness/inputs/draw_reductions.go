package inputs

import (
	"fmt"
	"math/rand/v2"
)

// drawReductions makes the case of a seed: a kernel of which barriers reduce what lanes, warps
// and data say, in loops and behind them, while lanes and warps end.
func drawReductions(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0x7265647563))
	g := &generator{rng: rng, barriers: true, exits: []int{0, 1, 1, 2, 4}[rng.IntN(5)]}
	for range 1 + rng.IntN(2) {
		g.statements = append(g.statements, kinds[rng.IntN(len(kinds)-2)])
	}
	g.start()
	for range 1 + rng.IntN(3) {
		g.reducing(2)
		if g.coin(3) {
			g.reduction()
		}
	}
	if g.coin(2) {
		g.sink()
	}
	g.one("ret;")
	g.out.WriteString(g.tail)
	c := Case{
		Seed: seed, Grid: 1 + rng.IntN(2), Block: []int{32, 64, 64, 64, 96}[rng.IntN(5)], GPU: "gtx480", Loops: true, AllBounds: rng.IntN(6) == 0,
	}
	c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + signature + loopRegisters + prologue + loopPrologue + g.out.String() + "\tret;\n}\n"
	return c
}

// voted draws a predicate that barriers reduce: of lanes, warps, data and counters.
func (g *generator) voted() string {
	switch g.rng.IntN(8) {
	case 0:
		g.one("ld.global.u32 %%x, [%s]; setp.gt.u32 %%p5, %%x, %d;", g.pick("%ul", "%ul+4", "%u"), g.rng.IntN(3))
		return "%p5"
	case 1:
		if n := len(g.counters); n > 0 {
			g.one("setp.%s.u32 %%p5, %s, %s;", g.pick("lt", "gt", "eq"), g.counters[n-1], g.pick("%lane", "%w", "2", "%n", "%r0"))
			return "%p5"
		}
	case 2:
		g.one("setp.%s.s32 %%p5, %s, %d;", g.pick("gt", "eq"), g.pick("%n", "%m"), g.rng.IntN(5))
		return "%p5"
	}
	return g.pick("", "", "!") + g.pick("%p1", "%p2", "%p2", "%p3", "%p4", "%p5")
}

// reduction is one, or one for each warp at a place of its own, and a branch by the result.
func (g *generator) reduction() {
	p, r := g.voted(), g.r()
	popc := func(guard, to string) { g.one("%sbar.red.popc.u32 %s, 0, %s;", guard, to, p) }
	switch g.rng.IntN(9) {
	case 0: // in the other order
		q, other, end := g.pick("%p2", "%p3", "%p4", "%p5"), g.label(), g.label()
		g.one("@%%p1 bra %s; %s bar.red.popc.u32 %s, 0, %s; bar.red.popc.u32 %%x, 0, %s; bra %s;\n%s:", other, g.pick("", "@%p0", "setp.ne.u32 %k, %t, %t; @%k"), r, p, q, end, other)
		g.one("bar.red.popc.u32 %%x, 0, %s; bar.red.popc.u32 %s, 0, %s;\n%s:", p, g.pick("%x", r), q, end)
	case 1: // each at one of its own
		popc("@%p1 ", r)
		popc("@!%p1 ", g.pick(r, "%x"))
	case 2:
		g.one("bar.red.%s.pred %s, 0, %s;", g.pick("and", "or"), g.pick("%p4", "%p5"), p)
		return
	case 3, 4:
		g.one("bar.red.%s.pred %%k, 0, %s;", g.pick("and", "or"), p)
		g.by("%k")
		return
	case 5:
		popc("", r)
		g.one("and.b32 %s, %s, 7;", r, r)
		return
	default:
		popc("", r)
	}
	if g.coin(3) {
		g.one("add.u32 %s, %s, %s;", r, r, g.pick("%n", "1", "%x"))
	}
	g.one("setp.%s.u32 %%k, %s, %s;", g.pick("gt", "lt", "eq", "ne"), r, g.pick("0", "3", "9", "20", "27", "32", "54", "59", "64", "%x", "%n"))
	g.by("%k")
}

// by is a branch by what a barrier gave.
func (g *generator) by(p string) {
	n := len(g.ends)
	switch g.rng.IntN(7) {
	case 0:
		if n > 0 {
			g.one("@%s bra %s;", p, g.pick(g.ends[n-1], g.heads[n-1], g.ends[g.rng.IntN(n)]))
			return
		}
	case 1:
		if g.exits > 0 {
			g.one("@%s %s;", p, g.pick("ret", "exit"))
			return
		}
	case 2, 3:
		end := g.label()
		g.one("@%s bra %s; bar.sync 0; add.u32 %%c, %%c, 1;\n%s:", p, end, end)
		return
	}
	end := g.label()
	g.one("@%s bra %s; add.u32 %s, %s, 1;\n%s:", p, end, g.pick("%c", g.r()), g.r(), end)
}

// ending ends lanes, or warps: always the same ones, in one iteration, or by data; here, in a
// function, or behind a branch.
func (g *generator) ending() {
	if g.exits == 0 {
		return
	}
	p := "%k"
	switch g.rng.IntN(9) {
	case 0:
		p = g.pick("%p1", "%p2", "%p3", "%p4", "%p5")
	case 1:
		g.one("setp.%s.u32 %%k, %s, %d;", g.pick("lt", "gt", "eq"), g.pick("%lane", "%t", "%r0"), g.rng.IntN(40))
	case 2:
		g.one("ld.global.u32 %%x, [%s]; setp.%s.u32 %%k, %%x, %d;", g.pick("%ul", "%ul+4", "%u"), g.pick("eq", "gt"), 1+g.rng.IntN(3))
	case 3:
		g.one("ld.global.u32 %%x, [%s]; setp.%s.and.u32 %%k, %%x, %d, %s;", g.pick("%ul", "%u", "%vals"), g.pick("eq", "gt"), 1+g.rng.IntN(3), g.pick("%p1", "!%p1", "%p2", "%p3"))
	default:
		i := "%n"
		if n := len(g.counters); n > 0 {
			i = g.counters[g.rng.IntN(n)]
		}
		g.one("setp.%s.and.u32 %%k, %s, %s, %s;", g.pick("eq", "eq", "gt"), i, g.pick("1", "2", "3", "4", "%lane", "%r1", "%n"), g.pick("%p1", "!%p1", "%p2", "!%p2", "%p3", "%p4"))
	}
	switch g.rng.IntN(6) {
	case 0, 1:
		g.one("@%s %s;", p, g.pick("exit", "ret"))
	case 2:
		there := g.label()
		g.one("@%s bra %s;", p, there)
		g.tail += there + ":\n"
		if g.coin(4) {
			g.tail += "\tbar.sync 0;\n"
		}
		g.tail += "\tadd.u32 %c, %c, 1; ret;\n"
	case 3:
		end := g.label()
		g.one("@!%s bra %s; call (%%x), gone, (%%c);\n%s:", p, end, end)
	case 4:
		g.one("selp.u32 %%c, 1, 0, %s; call (%%x), quit, (%%c);", p)
	default:
		g.one("selp.u32 %%c, 1, 0, %s; st.param.b32 [%%fa], %%c; call (%%fb), %s, (%%fa);", p, g.pick("leave", "depart"))
	}
}

// reducing is a loop of them.
func (g *generator) reducing(depth int) {
	i := g.fresh(32)
	q := fmt.Sprintf("%%q%d", g.loops)
	head, next, end := g.label(), g.label(), g.label()
	g.heads, g.ends = append(g.heads, next), append(g.ends, end)
	to := g.pick("%n", "%n", "%n", "%m", "4")
	switch g.rng.IntN(6) {
	case 0:
		to = g.fresh(32)
		g.one("ld.global.s32 %s, [%s];", to, g.pick("%rows+4", "%vals", "%vals+4"))
	case 1:
		to = g.fresh(32)
		times := 2
		if depth == 2 { // more than are executed one by one, and no loops inside
			times, depth = 20, 0
		}
		g.one("mul.lo.s32 %s, %s, %d;", to, g.pick("%n", "%m"), times)
	}
	g.one("mov.u32 %s, 0;\n%s:", i, head)
	early := g.coin(2)
	if early {
		g.one("setp.ge.s32 %s, %s, %s; @%s bra %s;", q, i, to, q, end)
	}
	g.counters = append(g.counters, i)
	for range 1 + g.rng.IntN(4) {
		switch g.rng.IntN(12) {
		case 0, 1, 2, 3:
			g.reduction()
		case 4, 5, 6:
			if g.coin(g.exits + 1) {
				g.ending()
			}
		case 7, 8:
			g.one("bar.sync 0;")
		case 9, 10:
			if depth > 0 {
				g.reducing(depth - 1)
			}
		default:
			g.statements[g.rng.IntN(len(g.statements))](g)
		}
	}
	if g.coin(2) {
		g.one("bar.sync 0;")
	}
	if g.exits > 0 && g.coin(4) {
		g.ending()
	}
	g.counters = g.counters[:len(g.counters)-1]
	g.one("%s: add.u32 %s, %s, 1;", next, i, i)
	switch {
	case early:
		g.one("bra %s;\n%s:", head, end)
	case g.coin(4):
		g.one("setp.lt.s32 %s, %s, %s; bar.red.or.pred %%k, 0, %s; and.pred %s, %s, %%k; @%s bra %s;\n%s:", q, i, to, g.voted(), q, q, q, head, end)
	default:
		g.one("setp.lt.s32 %s, %s, %s; @%s bra %s;\n%s:", q, i, to, q, head, end)
	}
	g.closed()
}
