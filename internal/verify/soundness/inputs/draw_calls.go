package inputs

// passes makes a register what a function makes of another one.
func (g *generator) passes(to, from string) {
	guard := ""
	if g.coin(4) {
		guard = g.guard()
	}
	switch g.rng.IntN(10) {
	case 0:
		g.one("%scall (%s), more, (%s, %d);", guard, to, from, g.rng.IntN(4)-1)
	case 1, 2:
		g.one("st.param.b32 [%%fa], %s; %scall (%%fb), next, (%%fa); ld.param.b32 %s, [%%fb];", from, guard, to)
	case 3:
		g.one("%sst.param.b32 [%%fa], %s; call (%%fb), %s, (%%fa); ld.param.b32 %s, [%%fb];", guard, from, g.pick("upto", "next", "count", "side"), to)
	case 4:
		g.one("%scall (%s), halves, (%s);", guard, to, from)
	case 5:
		g.one("and.b32 %%c, %s, 15; %scall (%s), over, (%%c);", from, guard, to)
	case 6: // by way of local memory, of which others change a part
		g.one("st.local.u32 [l], %s; %scall (%%x), pokes, (%s, %s); %sld.local.u32 %s, [l];", from, guard, g.pick("%gl", "%gl", "%gs"), g.pick("%n", "3", g.r()), guard, to)
	case 7:
		g.one("st.local.u32 [l], %s; %sst.local.u%s [l+%d], %s; ld.local.u32 %s, [l];", from, guard, g.pick("8", "32"), 4*g.rng.IntN(2), g.pick("%n", "%lane", g.r()), to)
	case 8:
		g.one("call (%%k), below, (%s, %s); %sselp.u32 %s, %s, %d, %%k;", from, g.pick("%n", "5", "%m"), guard, to, from, g.rng.IntN(7))
	default: // what was passed before
		g.one("%sst.param.b32 [%%fa], %s; ld.param.b32 %s, [%s];", guard, from, to, g.pick("%fa", "%fa", "%fb"))
	}
}

// advance moves a counter, perhaps by a function.
func (g *generator) advance(i, typ string, bits int, step int64) {
	if bits != 32 || !g.coin(5) {
		g.one("add.%s %s, %s, %d;", typ, i, i, step)
		return
	}
	switch g.rng.IntN(4) {
	case 0:
		g.one("st.param.b32 [%%fa], %s; call (%%fb), next, (%%fa); ld.param.b32 %s, [%%fb]; add.u32 %s, %s, %d;", i, i, i, i, int32(step-1))
	case 1: // of some lanes alone
		p := g.pick("%p2", "%p3", "%p1")
		g.one("@%s call (%s), more, (%s, %d); @!%s add.u32 %s, %s, %d;", p, i, i, int32(step), p, i, i, int32(step))
	default:
		g.one("call (%s), more, (%s, %d);", i, i, int32(step))
	}
}
