package inputs

import (
	"fmt"
	"math/rand/v2"
)

// Registers of kernels with many loops, and what they have besides: a buffer of ascending
// elements, one of elements in a range, and a scalar that may be negative.
const loopRegisters = `	.reg .b64 %j<80>, %rows, %vals; .reg .b16 %h<80>; .reg .b32 %m, %y, %by; .param .b32 %fa; .param .b32 %fb;
`

const loopPrologue = `	ld.param.u64 %rows, [pr]; ld.param.u64 %vals, [pv]; ld.param.s32 %m, [m]; mov.u32 %y, %tid.y; mov.u32 %by, %ctaid.y;
`

// DrawLoops makes the case of a seed: a kernel with loops over arguments, elements of
// buffers, blocks and other loops, upwards and downwards, by sums, products and quotients, in
// several widths, whose counters may wrap around, with breaks and what comes behind them.
func DrawLoops(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0x6c6f6f7073))
	g := &generator{rng: rng, loopy: true, exits: []int{0, 0, 9}[rng.IntN(3)]}
	for range 1 + rng.IntN(3) {
		g.statements = append(g.statements, kinds[rng.IntN(len(kinds)-2)])
	}
	g.start()
	for range 1 + rng.IntN(3) {
		g.family()
		if g.coin(2) {
			g.statement()
		}
	}
	g.sink()
	g.one("ret;")
	g.out.WriteString(g.tail)
	c := Case{
		Seed: seed, Grid: []int{1, 2, 5}[rng.IntN(3)], GridY: []int{1, 1, 1, 3}[rng.IntN(4)],
		Block: []int{8, 32, 32, 33, 64}[rng.IntN(5)], BlockY: []int{1, 1, 1, 2}[rng.IntN(4)],
		GPU: []string{"gtx480", "ecrts2025-200"}[rng.IntN(2)], Loops: true, AllBounds: rng.IntN(5) == 0,
	}
	c.PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + functions + signature + loopRegisters + prologue + loopPrologue + g.out.String() + "\tret;\n}\n"
	return c
}

// fresh is a register of so many bits, for a counter or a limit.
func (g *generator) fresh(bits int) string {
	g.loops++
	return fmt.Sprintf("%%%s%d", map[int]string{16: "h", 32: "i", 64: "j"}[bits], g.loops-1)
}

// converted is a 32-bit operand as one of another width.
func (g *generator) converted(x string, bits int, signed bool) string {
	if bits == 32 {
		return x
	}
	to, s := g.fresh(bits), "u"
	if signed {
		s = "s"
	}
	if x[0] != '%' {
		g.one("mov.b%d %s, %s;", bits, to, x)
	} else {
		g.one("cvt.%s%d.%s32 %s, %s;", s, bits, s, to, x)
	}
	return to
}

// bound draws where a loop begins or ends, as a 32-bit operand.
func (g *generator) bound() string {
	at := g.fresh(32)
	switch g.rng.IntN(18) {
	case 15:
		g.passes(at, g.pick("%n", "%m", "%b", "%r0", "%y"))
	case 0, 1:
		g.loops--
		return fmt.Sprint(g.rng.IntN(9))
	case 2, 3:
		g.loops--
		return "%n"
	case 4:
		g.loops--
		return "%m"
	case 5:
		g.loops--
		return g.pick("%b", "%by", "%y", "%w")
	case 6:
		g.one("and.b32 %s, %s, 7;", at, g.pick("%lane", "%t", "%r0", "%r1"))
	case 7, 8:
		g.one("ld.global.u32 %s, [%%rows+%d];", at, 4*g.rng.IntN(3))
	case 9:
		g.one("ld.global.u32 %s, [%s];", at, g.pick("%u", "%vals", "%vals+4"))
		g.one("and.b32 %s, %s, 3;", at, at)
	case 10:
		g.one("ld.global.s32 %s, [%%vals+%d];", at, 4*g.rng.IntN(3))
	case 11:
		g.one("mad.lo.s32 %s, %s, %d, %d;", at, g.pick("%n", "%m", "%b"), g.rng.IntN(5)-1, g.rng.IntN(6)-2)
	case 12:
		g.one("mul.wide.u32 %%d, %s, 4; add.u64 %%d, %%d, %%rows; ld.global.u32 %s, [%%d];", g.pick("%lane", "%b", "%y"), at)
	case 16: // what a loop that is unrolled goes on to
		x, low := g.pick("%n", "%m", "%lane", "%b", "%r0"), 1<<(1+g.rng.IntN(2))-1
		if g.coin(2) {
			g.one("and.b32 %s, %s, %d;", at, x, ^low)
		} else {
			g.one("and.b32 %s, %s, %d; sub.u32 %s, %s, %s;", at, x, low, at, x, at)
		}
	case 13:
		g.one("%s.%s %s, %s, %d;", g.pick("shr", "div"), "u32", at, g.pick("%n", "%lane"), 1+g.rng.IntN(3))
	default:
		if len(g.counters) > 0 {
			g.loops--
			return g.counters[g.rng.IntN(len(g.counters))]
		}
		g.one("min.u32 %s, %s, %d;", at, g.pick("%r0", "%r1", "%lane"), g.rng.IntN(6))
	}
	return at
}

// family is a loop over what differs between launches.
func (g *generator) family() {
	if g.loops >= 30 || g.depth > 2 {
		return
	}
	if g.coin(3) {
		g.progress()
		return
	}
	g.heads, g.ends = append(g.heads, g.label()), append(g.ends, g.label())
	head, next, end := g.label(), g.heads[len(g.heads)-1], g.ends[len(g.ends)-1]
	bits, signed := []int{16, 32, 32, 32, 32, 64}[g.rng.IntN(6)], g.coin(2)
	typ := fmt.Sprintf("%s%d", map[bool]string{false: "u", true: "s"}[signed], bits)
	size := int64(1 + g.rng.IntN(7))
	if g.coin(12) { // so that few iterations wrap around
		size = int64(1)<<(bits-3) + g.rng.Int64N(9) - 2
	}
	up := g.rng.IntN(3) > 0
	step := size
	if !up {
		step = -size
	}
	from, to := g.bound(), g.bound()
	cmp := g.pick("lt", "lt", "le")
	if !up {
		cmp = g.pick("gt", "gt", "ge")
	}
	if g.coin(20) {
		cmp = g.pick("lt", "gt", "le", "ge", "eq")
	}
	pointer := bits == 64 && g.coin(2)
	switch {
	case g.coin(8): // by fours, up to a multiple of four or down from it to 0
		x, low, four := g.pick("%n", "%m", "%lane", "%b", "%r1"), g.fresh(32), g.fresh(32)
		g.one("%s %s, %s, %d; and.b32 %s, %s, 3; sub.u32 %s, %s, %s;", g.pick("add.u32", "mul.lo.u32"), four, x, 1+g.rng.IntN(9), low, four, four, four, low)
		cmp, step, from, to = "ne", 4, "0", four
		if !up {
			step, from, to = -4, four, "0"
		}
	case g.coin(5): // as many as a bound says, up to another number
		cmp = "ne"
		n, at := g.bound(), g.fresh(32)
		g.one("mov.b32 %s, %s; and.b32 %s, %s, 7; mad.lo.s32 %s, %s, %d, %s;", at, n, at, at, at, at, int32(step), from)
		to = at
	case bits == 32 && g.coin(4): // a row
		row := g.pick("%b", "%b", "%lane", "%t")
		from, to = g.fresh(32), g.fresh(32)
		g.one("mul.wide.u32 %%d, %s, 4; add.u64 %%d, %%d, %%rows; ld.global.u32 %s, [%%d]; ld.global.u32 %s, [%%d+4];", row, from, to)
		if !up {
			from, to = to, from
		}
	}
	a, b := g.converted(from, bits, signed), g.converted(to, bits, signed)
	i := g.fresh(bits)
	if pointer {
		scaled := g.fresh(64)
		g.one("mov.b64 %s, %s; mad.lo.u64 %s, %s, 4, %%u; mov.b64 %s, %s; mad.lo.u64 %s, %s, 4, %%u;", i, a, i, i, scaled, b, scaled, scaled)
		b, step, typ = scaled, 4*step, "u64"
	} else {
		g.one("mov.b%d %s, %s;", bits, i, a)
	}
	q := fmt.Sprintf("%%q%d", g.loops)
	opposite := map[string]string{"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq", "eq": "ne"}[cmp]
	early := g.coin(2)
	if !early && g.coin(2) { // guarded
		g.one("setp.%s.%s %s, %s, %s; @%s bra %s;", opposite, typ, q, i, b, q, end)
	}
	g.one("%s:", head)
	if early {
		g.one("setp.%s.%s %s, %s, %s; @%s bra %s;", opposite, typ, q, i, b, q, end)
	}
	if bits == 32 {
		g.counters = append(g.counters, i)
	}
	g.inside(i, bits, pointer)
	if bits == 32 {
		g.counters = g.counters[:len(g.counters)-1]
	}
	g.one("%s:", next)
	g.advance(i, typ, bits, step)
	g.turn(early, head, end, cmp, typ, q, i, b)
	g.closed()
	// Behind it.
	if bits == 32 {
		g.one("mov.u32 %s, %s;", g.r(), i)
	}
	if g.coin(2) {
		after := g.label()
		g.one("setp.%s.%s %%k, %s, %s; @%%k bra %s; add.u32 %%c, %%lane, 1;\n%s:", g.pick("gt", "ne", "lt", "ge"), typ, i, g.pick(b, "5", "0", "12"), after, after)
	}
	if g.coin(4) && bits == 32 {
		g.one("and.b32 %%c, %s, 63; mul.wide.u32 %%d, %%c, %d; add.u64 %%d, %%d, %s; ld.global.u32 %%x, [%%d];", i, 4*(1+g.rng.IntN(3)), g.pick("%u", "%ul"))
	}
}

// turn goes back to the head of a loop: if its counter compares so, where it was not tested
// early.
func (g *generator) turn(early bool, head, end, cmp, typ, pred, counter, limit string) {
	if early {
		g.one("bra %s;\n%s:", head, end)
		return
	}
	g.one("setp.%s.%s %s, %s, %s; @%s bra %s;\n%s:", cmp, typ, pred, counter, limit, pred, head, end)
}

// inside draws what a loop executes.
func (g *generator) inside(i string, bits int, pointer bool) {
	g.depth++
	defer func() { g.depth-- }()
	for range 1 + g.rng.IntN(3) {
		switch n := g.rng.IntN(15); {
		case n > 12 && bits == 32:
			g.passes(g.r(), g.pick(i, i, "%n", "%m", g.r()))
		case n == 0 && bits == 32:
			g.one("and.b32 %%c, %s, 127; mul.wide.u32 %%d, %%c, %d; add.u64 %%d, %%d, %s; ld.global.u32 %s, [%%d];", i, 4*(1+g.rng.IntN(3)), g.pick("%u", "%ul", "%ua"), g.r())
		case n == 1 && bits == 32:
			g.one("mul.wide.s32 %%d, %s, 4; add.u64 %%d, %%d, %s; %sld.global.u32 %s, [%%d+64];", i, g.pick("%u", "%ul", "%ua"), g.guard(), g.r())
		case n == 2 && pointer:
			g.one("ld.global.u32 %s, [%s];", g.r(), i)
		case n == 3 && bits == 32:
			g.one("and.b32 %%c, %s, 31; mad.lo.u32 %%c, %%c, %d, %%so; st.shared.u32 [%%c], %s;", i, 4*g.rng.IntN(3), g.r())
		case n == 4 && bits == 32:
			g.one("shl.b32 %%c, %s, %d; and.b32 %%c, %%c, 124; mov.u32 %%x, s; add.u32 %%x, %%x, %%c; ld.shared.u32 %s, [%%x];", i, 2+g.rng.IntN(3), g.r())
		case n == 5:
			g.test(i, bits)
		case n == 6:
			g.found(i, bits)
		case n == 7 && g.depth < 3:
			g.family()
		case n == 8:
			g.carried()
		case n == 9 && bits == 32:
			g.one("setp.eq.u32 %%k, %s, %s; @%%k bra %s;", i, g.pick("%n", "%m", "2", g.r()), g.pick(g.ends...))
		case n == 10:
			g.one("ld.global.u32 %%x, [%s]; setp.%s.u32 %%k, %%x, %d; @%%k bra %s;", g.pick("%u", "%ua", "%vals", "%rows"), g.pick("gt", "eq", "ne"), g.rng.IntN(4), g.ends[len(g.ends)-1])
		default:
			g.block(1)
		}
	}
}

// test makes the path depend on the counter.
func (g *generator) test(i string, bits int) {
	end, typ := g.label(), fmt.Sprintf("%s%d", g.pick("u", "s"), bits)
	x := fmt.Sprint(g.rng.IntN(9))
	if bits == 32 {
		x = g.pick(x, "%n", "%m", "%lane", "%b")
		if g.coin(3) {
			g.one("%s.%s32 %%c, %s, %d;", g.pick("rem", "div", "add", "shr", "sub", "mul.lo"), g.pick("u", "s"), i, 1+g.rng.IntN(4))
			i = "%c"
		}
	}
	g.one("setp.%s.%s %%k, %s, %s; @%%k bra %s; add.u32 %s, %s, 1;\n%s:", g.pick("gt", "eq", "ne", "lt", "le", "ge"), typ, i, x, end, g.r(), g.r(), end)
}

// found is code behind an exit: what was looked for is found.
func (g *generator) found(i string, bits int) {
	on := g.label()
	g.one("@%s bra %s;", g.condition(), on)
	if bits == 32 {
		g.one("mov.u32 %s, %s;", g.r(), i)
	}
	for range 1 + g.rng.IntN(2) {
		g.statements[g.rng.IntN(len(g.statements))](g)
	}
	if g.exits > 0 && g.coin(3) {
		g.one("ret;\n%s:", on)
		return
	}
	g.one("bra %s;\n%s:", g.pick(g.ends...), on)
}

// carried is something that an iteration leaves to the next ones.
func (g *generator) carried() {
	r := g.r()
	switch g.rng.IntN(6) {
	case 0:
		g.one("add.u32 %s, %s, %s;", r, r, g.pick("1", "4", "%n", "%lane", "%m"))
	case 1:
		g.one("@%s add.u32 %s, %s, 1;", g.pick("%p2", "%p4", "%p5", "%p1"), r, r)
	case 2:
		g.one("xor.b32 %s, %s, %s;", r, r, g.pick("1", "3", "%lane"))
	case 3:
		g.one("ld.global.u32 %s, [%s];", r, g.pick("%rows+8", "%vals", "%u", "%ul"))
	case 4:
		g.one("setp.lt.u32 %%p5, %s, %d;", r, g.rng.IntN(6))
	default:
		end := g.label()
		g.one("setp.%s.s32 %%k, %s, %s; @%%k bra %s; mov.u32 %s, %s;\n%s:", g.pick("gt", "lt", "eq"), g.pick("%n", "%m", r), g.pick("2", "0", "%m"), end, r, g.pick("%n", "%b", "7", "%lane"), end)
	}
}
