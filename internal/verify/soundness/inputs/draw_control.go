package inputs

import "fmt"

// leave ends threads: by a guarded instruction, or behind a branch.
func (g *generator) leave() {
	c := g.condition()
	switch g.rng.IntN(5) {
	case 0:
		end := g.label()
		g.one("@!%s bra %s; %s\n\tret;\n%s:", c, end, "mov.u32 %c, 2;", end)
	case 1, 2:
		g.one("@%s exit;", g.pick("%p0", "%p1", "%p2", "%p2", "%p3", "%p4"))
	default:
		g.one("@%s%s %s;", g.pick("", "!"), c, g.pick("ret", "exit"))
	}
}

// jump leaves a loop around, or goes on with its next iteration.
func (g *generator) jump() {
	i := g.rng.IntN(len(g.heads))
	g.one("@%s bra %s;", g.condition(), g.pick(g.ends[i], g.ends[i], g.heads[i]))
}

func (g *generator) either() {
	if g.exits > 0 && g.coin(4) {
		g.ended()
		return
	}
	c, other, end := g.condition(), g.label(), g.label()
	g.one("@%s%s bra %s;", g.pick("", "!"), c, other)
	g.block(2)
	if g.coin(2) {
		g.one("bra %s;\n%s:", end, other)
		g.block(2)
		g.one("%s:", end)
		return
	}
	g.one("%s:", other)
}

// loop opens a loop whose next iterations begin at next.
func (g *generator) loop() (counter, pred, head, next, end string) {
	counter, pred = fmt.Sprintf("%%i%d", g.loops), fmt.Sprintf("%%q%d", g.loops)
	g.loops++
	head, next, end = g.label(), g.label(), g.label()
	g.heads, g.ends = append(g.heads, next), append(g.ends, end)
	return
}

func (g *generator) closed() {
	g.heads, g.ends = g.heads[:len(g.heads)-1], g.ends[:len(g.ends)-1]
}

// counted is a loop that ends after a known number of iterations, if data do not end it
// before.
func (g *generator) counted() {
	if g.loops >= 40 {
		return
	}
	i, q, head, next, end := g.loop()
	g.one("mov.u32 %s, 0;\n%s:", i, head)
	if g.coin(2) {
		g.one("setp.ge.u32 %s, %s, %s; @%s bra %s;", q, i, g.r(), q, end)
	}
	g.block(2)
	g.one("%s: add.u32 %s, %s, 1; setp.lt.u32 %s, %s, %s; @%s bra %s;\n%s:", next, i, i, q, i, g.pick("2", "3", "%n", "4"), q, head, end)
	g.closed()
}

// endless is a loop that only data end: it is given a bound.
func (g *generator) endless() {
	if g.loops >= 40 {
		return
	}
	i, q, head, next, end := g.loop()
	limit := g.pick("%r0", "%r1", "%r2", "%x")
	if limit == "%x" {
		g.one("ld.global.u32 %%x, [%s];", g.pick("%ul", "%u", "%ul+4"))
	}
	bound := fmt.Sprintf("%%i%d", g.loops)
	g.loops++
	g.one("and.b32 %s, %s, %d; mov.u32 %s, 0;", bound, limit, []int{1, 3, 3, 7}[g.rng.IntN(4)], i)
	switch g.rng.IntN(4) {
	case 3: // tested twice, the second time where those meet that went on at the first
		g.one("%s:", head)
		g.block(1)
		g.one("add.u32 %s, %s, 1; setp.lt.u32 %s, %s, %s; @%s bra %s;", i, i, q, i, bound, q, head)
		g.block(1)
		g.one("%s: setp.lt.u32 %s, %s, %d; @%s bra %s;\n%s:", next, q, i, 1+g.rng.IntN(5), q, head, end)
		g.bounds = append(g.bounds, head)
	case 0: // tested at the end
		g.one("%s:", head)
		g.block(2)
		g.one("%s: add.u32 %s, %s, 1; setp.lt.u32 %s, %s, %s; @%s bra %s;\n%s:", next, i, i, q, i, bound, q, head, end)
		g.bounds = append(g.bounds, head)
	case 1: // tested at the start
		g.one("%s: setp.ge.u32 %s, %s, %s; @%s bra %s;", head, q, i, bound, q, end)
		g.block(2)
		g.one("%s: add.u32 %s, %s, 1; bra %s;\n%s:", next, i, i, head, end)
		g.bounds = append(g.bounds, head)
	default: // entered at the test
		test := g.label()
		g.one("bra %s;\n%s:", test, head)
		g.block(2)
		g.one("%s: add.u32 %s, %s, 1;\n%s: setp.lt.u32 %s, %s, %s; @%s bra %s;\n%s:", next, i, i, test, q, i, bound, q, head, end)
		g.bounds = append(g.bounds, test)
	}
	g.closed()
}

// forward is pieces that branch forward into one another.
func (g *generator) forward() {
	n := 3 + g.rng.IntN(3)
	labels := make([]string, n)
	for i := range labels {
		labels[i] = g.label()
	}
	for i := range n {
		if to := i + 1 + g.rng.IntN(n-i); to < n {
			g.one("@%s bra %s;", g.condition(), labels[to])
		}
		g.statements[g.rng.IntN(len(g.statements))](g)
		if to := i + 1 + g.rng.IntN(n-i); to < n && g.coin(3) {
			g.one("bra %s;", labels[to])
		}
		g.one("%s:", labels[i])
		g.one("add.u32 %s, %s, 1;", g.r(), g.r())
	}
}

// latches is a loop with several ways back to its head, which do not meet before.
func (g *generator) latches() {
	if g.loops >= 40 {
		return
	}
	i, q, head, next, end := g.loop()
	g.one("mov.u32 %s, 0;\n%s: add.u32 %s, %s, 1; setp.gt.u32 %s, %s, %d; @%s bra %s;", i, head, i, i, q, i, 1+g.rng.IntN(3), q, end)
	g.statements[g.rng.IntN(len(g.statements))](g)
	g.one("@%s bra %s;", g.condition(), head)
	g.statements[g.rng.IntN(len(g.statements))](g)
	if g.coin(2) {
		g.one("@%s bra %s;", g.condition(), g.pick(head, end))
	}
	g.one("%s: bra %s;\n%s:", next, head, end)
	g.closed()
}

// part sends some threads to an end of their own, without barriers. Some stay for
// certain, often.
func (g *generator) part() {
	switch g.rng.IntN(5) {
	case 0:
		g.condition()
		g.one("setp.ne.u32 %%k, %s, %d;", g.r(), g.rng.IntN(4))
	case 1:
		g.one("setp.%s.u32 %%k, %%lane, %d;", g.pick("lt", "gt"), 1+g.rng.IntN(30))
	default:
		g.mixed(g.pick("%p2", "%p3", "%p3", "%p1"))
	}
	there, barriers, before := g.label(), g.barriers, g.out.String()
	g.out.Reset()
	g.barriers = false
	if !g.narrow && g.coin(2) {
		g.block(3)
	}
	for range g.rng.IntN(2) + 1 {
		g.meet()
	}
	g.barriers = barriers
	text := g.out.String()
	g.out.Reset()
	g.out.WriteString(before)
	if g.coin(3) {
		g.one("@%%k bra %s;", there)
		g.tail += there + ":\n" + text + "\tret;\n"
	} else {
		g.one("@!%%k bra %s;", there)
		g.out.WriteString(text + "\tret;\n" + there + ":\n")
	}
	if g.barriers && g.publishes && g.coin(2) {
		g.publish()
	}
}

// ended is an end of some threads on one of two sides, in a function, so that the sides
// meet, and what only they execute then.
func (g *generator) ended() {
	c, p, meet, after := g.condition(), g.pick("%p1", "%p2", "%p3"), g.label(), g.label()
	g.one("@%s bra %s; selp.u32 %%c, 1, 0, %s; call (%%c), quit, (%%c);\n%s: @!%s bra %s; add.u32 %s, %s, 1;\n%s:", c, meet, p, meet, p, after, g.r(), g.r(), after)
}

// late is a part that loads behind barriers of the others what they have changed, or
// stores what they load.
func (g *generator) late() {
	end, there, what := g.label(), g.label(), "st.shared.u32 [s], 3;"
	if g.coin(2) {
		what = fmt.Sprintf("ld.shared.u32 %%c, [s]; setp.eq.u32 %%k, %%c, 1; @%%k bra %s; add.u32 %%c, %%c, 1;", end)
	}
	g.one("bar.sync 0; setp.eq.u32 %%k, %%t, 0; @%%k st.shared.u32 [s], 1; bar.sync 0;")
	g.one("ld.global.u32 %%x, [%s]; setp.ne.u32 %%k, %%t, %%t; @%s setp.gt.u32 %%k, %%x, %d;", g.pick("%ul", "%ul+4", "%u"), g.pick("%p2", "%p3"), g.rng.IntN(3))
	g.one("@!%%k bra %s; %s\n%s: ret;", there, what, end)
	g.one("%s: bar.sync 0; setp.eq.u32 %%k, %%t, %d; @%%k st.shared.u32 [s], 2; bar.sync 0;", there, 16+g.rng.IntN(20))
	after := g.label()
	g.one("ld.shared.u32 %%c, [s]; setp.eq.u32 %%k, %%c, 2; @%%k bra %s; add.u32 %%c, %%c, 1;\n%s:", after, after)
}

// meet accesses what publish does, and makes the path depend on it.
func (g *generator) meet() {
	at, space := g.pick("s", "s+4"), "shared"
	if g.narrow {
		at = "s"
	} else if g.coin(3) {
		g.one("mul.wide.u32 %%d, %%b, 4; add.u64 %%d, %%a, %%d;")
		at, space = "%d", "global"
	}
	if g.coin(4) {
		g.one("st.%s.u32 [%s], %d;", space, at, g.rng.IntN(4))
		return
	}
	end := g.label()
	g.one("ld.%s.u32 %%c, [%s]; setp.%s.u32 %%k, %%c, %d; @%%k bra %s; add.u32 %%c, %%c, 1;\n%s:", space, at, g.pick("ne", "gt", "eq"), g.rng.IntN(4), end, end)
}

// publish is a store of one thread behind a barrier, which all read behind another.
func (g *generator) publish() {
	if g.coin(5) {
		end := g.label()
		g.one("bar.red.%s.pred %%k, 0, %s; @%%k bra %s; add.u32 %%c, %%c, 1;\n%s:", g.pick("and", "or"), g.pick("%p2", "!%p2", "%p3", "%p3", "!%p3", "%p1"), end, end)
		return
	}
	at, space, r := g.pick("s", "s+4"), "shared", g.r()
	if g.narrow {
		at = "s"
	} else if g.coin(3) {
		g.one("mul.wide.u32 %%d, %%b, 4; add.u64 %%d, %%a, %%d;")
		at, space = "%d", "global"
	}
	if !g.coin(3) {
		g.one("bar.sync 0;")
	}
	g.one("setp.eq.u32 %%k, %%t, %d; @%%k st.%s.u32 [%s], %d; bar.sync 0; ld.%s.u32 %s, [%s];", []int{0, 1, 31, 32}[g.rng.IntN(4)], space, at, g.rng.IntN(4), space, r, at)
	end := g.label()
	g.one("setp.%s.u32 %%k, %s, %d; @%%k bra %s; add.u32 %%c, %s, 1;\n%s:", g.pick("ne", "gt", "eq"), r, g.rng.IntN(4), end, r, end)
}
