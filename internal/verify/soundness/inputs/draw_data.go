package inputs

// kinds are the statements without control.
var kinds = []func(*generator){
	global, global, shared, shared, shared, local, unknownStore, unknownStore, atomics, exchange, exchange, calls, calls, calls, arithmetic, flags, flags, loads, generic, open, reductions,
}

func arithmetic(g *generator) {
	switch g.rng.IntN(6) {
	case 0:
		g.one("%sadd.u32 %s, %s, %s;", g.guard(), g.r(), g.r(), g.r())
	case 1:
		g.one("and.b32 %s, %s, 3;", g.r(), g.r())
	case 2:
		g.one("%ssetp.ne.u32 %%p5, %s, %d;", g.guard(), g.r(), g.rng.IntN(4))
	case 3:
		g.one("selp.u32 %s, 1, 2, %s;", g.r(), g.pick("%p4", "%p5", "%p2"))
	default:
		g.one("%smov.u32 %s, %d;", g.guard(), g.r(), g.rng.IntN(4))
	}
}

// flags sets predicates: to what is known, often, and adds it up.
func flags(g *generator) {
	p := g.pick("%p4", "%p5", "%p5")
	switch g.rng.IntN(5) {
	case 0, 1:
		g.one("setp.%s.u32 %s, %s, %d;", g.pick("lt", "ge", "ne"), p, g.pick("%lane", "%t", "%w"), g.rng.IntN(9))
	case 2:
		g.one("%s.pred %s, %s, %s;", g.pick("and", "or", "xor"), p, g.pick("%p4", "%p5"), g.pick("%p2", "%p3", "%p5"))
	default:
		end := g.label()
		g.one("@%s%s bra %s; add.u32 %s, %s, 1;\n%s:", g.pick("", "!"), p, end, g.r(), g.r(), end)
	}
}

func loads(g *generator) {
	switch g.rng.IntN(3) {
	case 0:
		g.one("and.b32 %%x, %s, 255; mul.wide.u32 %%d, %%x, 4; add.u64 %%d, %%u, %%d; %sld.global.u32 %s, [%%d];", g.r(), g.guard(), g.r())
	default:
		g.one("%sld.global.u32 %s, [%s+%d];", g.guard(), g.r(), g.pick("%ul", "%ul", "%u", "%ua"), g.word())
	}
}

// global accesses few words of the known buffer, from all blocks.
func global(g *generator) {
	if g.coin(2) {
		g.one("%sld.global.u32 %s, [%s+%d];", g.guard(), g.r(), g.pick("%a", "%al"), g.word())
	} else {
		g.one("%sst.global.u32 [%s+%d], %s;", g.guard(), g.pick("%a", "%al", "%al"), g.word(), g.value())
	}
}

func shared(g *generator) {
	at := g.pick("s", "%so", "%so")
	if g.coin(2) {
		g.one("%sld.shared.u32 %s, [%s+%d];", g.guard(), g.r(), at, g.word())
	} else {
		g.one("%sst.shared.u32 [%s+%d], %s;", g.guard(), at, g.word(), g.value())
	}
}

func local(g *generator) {
	if g.coin(2) {
		g.one("%sld.local.u32 %s, [l+%d];", g.guard(), g.r(), g.word())
	} else {
		g.one("%sst.local.u32 [l+%d], %s;", g.guard(), g.word(), g.value())
	}
}

func generic(g *generator) {
	at := g.pick("%a", "%gs", "%gl")
	if g.coin(3) {
		g.one("selp.u64 %%e, %s, %s, %s;", g.pick("%a", "%gs"), g.pick("%gl", "%gs"), g.pick("%p1", "%p2", "%p4"))
		at = "%e"
	}
	if g.coin(2) {
		g.one("%sld.u32 %s, [%s+%d];", g.guard(), g.r(), at, g.word())
	} else {
		g.one("%sst.u32 [%s+%d], %s;", g.guard(), at, g.word(), g.value())
	}
}

// unknownStore stores at an address that a register decides: it is in range.
func unknownStore(g *generator) {
	g.one("and.b32 %%x, %s, %d;", g.r(), []int{4, 4, 12}[g.rng.IntN(3)])
	switch g.rng.IntN(5) {
	case 0:
		g.one("cvt.u64.u32 %%d, %%x; add.u64 %%d, %%a, %%d; %sst.global.u32 [%%d], %s;", g.guard(), g.value())
	case 1:
		g.one("mov.u32 %%c, s; add.u32 %%x, %%x, %%c; %sst.shared.u32 [%%x], %s;", g.guard(), g.value())
	case 2:
		g.one("add.u32 %%x, %%x, %%lo; %sst.local.u32 [%%x], %s;", g.guard(), g.value())
	case 3:
		g.one("add.u32 %%x, %%x, %%so; %sld.shared.u32 %s, [%%x];", g.guard(), g.r())
	default:
		g.one("cvt.u64.u32 %%d, %%x; add.u64 %%d, %s, %%d; %sst.u32 [%%d], %s;", g.pick("%a", "%gs", "%gl"), g.guard(), g.value())
	}
}

func atomics(g *generator) {
	switch g.rng.IntN(4) {
	case 0:
		g.one("%satom.%s %s, [%%a+%d], 1;", g.guard(), g.pick("global.add.u32", "global.exch.b32", "global.max.u32"), g.r(), g.word())
	case 1:
		g.one("%satom.shared.%s %s, [s+%d], %s;", g.guard(), g.pick("add.u32", "exch.b32", "or.b32"), g.r(), g.word(), g.r())
	case 2:
		g.one("and.b32 %%x, %s, 12; mov.u32 %%c, s; add.u32 %%x, %%x, %%c; %satom.shared.add.u32 %s, [%%x], 1;", g.r(), g.guard(), g.r())
	default:
		g.one("%sred.shared.%s.u32 [%s+%d], %s;", g.guard(), g.pick("add", "max"), g.pick("s", "%so"), g.word(), g.r())
	}
}

// exchange draws operations among the lanes of a warp: of those that are there.
func exchange(g *generator) {
	if g.coin(2) {
		g.one("activemask.b32 %%c;")
		switch g.rng.IntN(5) {
		case 0:
			g.one("vote.sync.ballot.b32 %s, %s, %%c;", g.r(), g.pick("%p2", "%p4", "%p5"))
		case 1:
			g.one("vote.sync.%s.pred %%p5, %s, %%c;", g.pick("any", "all", "uni"), g.pick("%p2", "%p4", "%p5"))
		case 2:
			g.one("redux.sync.%s.u32 %s, %s, %%c;", g.pick("add", "max", "min"), g.r(), g.r())
		case 3:
			g.one("match.any.sync.b32 %s, %s, %%c;", g.r(), g.r())
		default:
			g.one("shfl.sync.%s.b32 %s, %s, %d, 31, %%c;", g.pick("bfly", "idx", "down"), g.r(), g.r(), g.rng.IntN(4))
		}
		return
	}
	switch g.rng.IntN(4) {
	case 0:
		g.one("activemask.b32 %s;", g.r())
	case 1:
		g.one("shfl.sync.%s.b32 %s, %s, %d, 31, -1;", g.pick("bfly", "idx", "down"), g.r(), g.r(), g.rng.IntN(4))
	case 2:
		g.one("vote.sync.%s.pred %%p5, %s, -1;", g.pick("any", "all"), g.pick("%p2", "%p4", "%p5"))
	default:
		g.one("bar.warp.sync -1; vote.sync.ballot.b32 %s, %s, -1;", g.r(), g.pick("%p2", "%p4", "%p5"))
	}
}

func calls(g *generator) {
	switch f := g.pick("side", "part", "part", "part", "count", "leave", "depart", "again", "direct"); f {
	case "again":
		g.one("call (%s), again, (%s, %s);", g.r(), g.r(), g.pick("1", "2", "2"))
	case "direct":
		if g.coin(2) {
			c, other, end := g.condition(), g.label(), g.label()
			g.one("{ .param .b32 q; @%s bra %s; call (q), direct, (%s);", c, other, g.value())
			if g.coin(2) {
				g.one("bra %s;\n%s: call (q), direct, (%s);\n%s: ld.param.b32 %s, [q]; }", end, other, g.value(), end, g.r())
			} else {
				g.one("%s: ld.param.b32 %s, [q]; }", other, g.r())
			}
			return
		}
		g.one("%scall (%s), direct, (%s);", g.known(), g.r(), g.r())
	default:
		g.one("{ .param .b32 x; .param .b32 q; st.param.b32 [x], %s; %scall (q), %s, (x); ld.param.b32 %s, [q]; }", g.value(), g.known(), f, g.r())
	}
}

func open(g *generator) {
	switch g.rng.IntN(3) {
	case 0:
		g.one("rem.u32 %s, 7, %s;", g.r(), g.pick("%lane", g.r()))
	case 1:
		g.one("elect.sync _|%%p5, -1;")
	default:
		g.one("mov.u32 %s, %%r3;", g.r())
	}
}

func reductions(g *generator) {
	if g.depth > 0 {
		exchange(g)
		return
	}
	switch g.rng.IntN(3) {
	case 0:
		g.one("bar.red.popc.u32 %s, 0, %s;", g.r(), g.pick("%p2", "%p5"))
	case 1:
		g.one("bar.red.%s.pred %%p5, 0, %s;", g.pick("and", "or"), g.pick("%p2", "%p5"))
	default:
		g.one("bar.sync 0;")
	}
}

// within compares what lies in a range of values: sums, differences, products and
// remainders of data, of which the sides of a branch may have given others.
func (g *generator) within() string {
	r := g.r()
	switch g.rng.IntN(5) {
	case 0:
		g.one("and.b32 %%x, %s, %d;", r, []int{1, 3, 7}[g.rng.IntN(3)])
	case 1:
		g.one("and.b32 %%x, %s, 3; sub.u32 %%x, %%x, %d;", r, g.rng.IntN(3))
	case 2:
		g.one("and.b32 %%x, %s, 3; mul.lo.u32 %%x, %%x, 0x55555555; add.u32 %%x, %%x, %d;", r, g.rng.IntN(3))
	case 3:
		g.one("and.b32 %%x, %s, 3; @%s and.b32 %%x, %s, 12;", r, g.pick("%p4", "%p5"), g.r())
	default:
		end := g.label()
		g.one("and.b32 %%x, %s, 3; @%s bra %s; %s.u32 %%x, %%x, %d;\n%s:", r, g.pick("%p4", "%p5"), end, g.pick("add", "sub", "max", "min", "shl.b32 %x, %x, 2; add"), 1+g.rng.IntN(6), end)
	}
	g.one("setp.%s.%s %%k, %%x, %d;", g.pick("gt", "ge", "lt", "le", "eq", "ne"), g.pick("u32", "u32", "s32"), g.rng.IntN(8))
	return "%k"
}
