package inputs

import "fmt"

// far makes a number that may be 0, negative or huge, as a 32-bit operand.
func (g *generator) far() string {
	if g.coin(3) {
		return g.bound()
	}
	at := g.fresh(32)
	x := g.bound()
	switch g.rng.IntN(6) {
	case 0:
		g.one("mad.lo.u32 %s, %s, %d, %d;", at, x, 1+g.rng.IntN(400), g.rng.IntN(20)-2)
	case 1:
		g.one("mul.lo.u32 %s, %s, %d;", at, x, -(1 + g.rng.IntN(300)))
	case 2:
		g.one("not.b32 %s, %s;", at, x)
	case 3:
		g.one("shl.b32 %s, %s, %d;", at, x, 1+g.rng.IntN(30))
	case 4:
		g.one("add.u32 %s, %s, %d;", at, x, []int{1, 2, 1000, 1 << 30, 1<<31 - 4, -1 << 31, -3}[g.rng.IntN(7)])
	default:
		g.one("max.%s32 %s, %s, %d;", g.pick("u", "s"), at, x, 1+g.rng.IntN(90))
	}
	return at
}

// changed multiplies, shifts or divides a counter, and perhaps adds to it.
func (g *generator) changed(i string, bits int, up, signed bool) {
	s := map[bool]string{false: "u", true: "s"}[signed]
	if g.coin(9) {
		s = g.pick("u", "s")
	}
	if up {
		switch g.rng.IntN(4) {
		case 0:
			g.one("mul.lo.%s%d %s, %s, %d;", s, bits, i, i, 2+g.rng.IntN(4))
		case 1:
			g.one("mad.lo.%s%d %s, %s, %d, %d;", s, bits, i, i, 2+g.rng.IntN(3), g.rng.IntN(5)-1)
		default:
			g.one("shl.b%d %s, %s, %d;", bits, i, i, 1+g.rng.IntN(3))
		}
		return
	}
	if g.coin(6) { // rounded otherwise
		g.one("add.%s%d %s, %s, %d;", s, bits, i, i, g.rng.IntN(5)-1)
	}
	switch g.rng.IntN(5) {
	case 0, 1:
		g.one("div.%s%d %s, %s, %d;", s, bits, i, i, 1+g.rng.IntN(10))
	case 2: // as compilers halve
		t := g.fresh(bits)
		g.one("shr.u%d %s, %s, %d; add.u%d %s, %s, %s; shr.s%d %s, %s, 1;", bits, t, i, bits-1, bits, t, t, i, bits, i, t)
	default:
		g.one("shr.%s%d %s, %s, %d;", s, bits, i, i, 1+g.rng.IntN(4))
	}
}

// progress is a loop whose counter is multiplied, shifted or divided.
func (g *generator) progress() {
	g.heads, g.ends = append(g.heads, g.label()), append(g.ends, g.label())
	head, next, end := g.label(), g.heads[len(g.heads)-1], g.ends[len(g.ends)-1]
	bits, signed, up := []int{16, 32, 32, 32, 64}[g.rng.IntN(5)], g.coin(2), g.coin(2)
	typ := fmt.Sprintf("%s%d", map[bool]string{false: "u", true: "s"}[signed], bits)
	below := signed && g.coin(4) // it is negative, and moves the other way
	from, to := g.far(), fmt.Sprint(g.rng.IntN(3))
	tame := !below && !g.coin(3) // it ends, mostly
	switch {
	case tame && up:
		from, to = g.fresh(32), g.bound()
		g.one("max.s32 %s, %s, %d;", from, g.bound(), 1+g.rng.IntN(3))
	case !tame:
		to = g.far()
	}
	cmp := g.pick("lt", "lt", "le")
	if up == below {
		cmp = g.pick("gt", "gt", "gt", "ge", "ne")
	}
	if !tame && g.coin(15) {
		cmp = g.pick("lt", "gt", "le", "ge", "eq", "ne")
	}
	a, b := g.converted(from, bits, signed), g.converted(to, bits, signed)
	i, q := g.fresh(bits), fmt.Sprintf("%%q%d", g.loops)
	g.one("mov.b%d %s, %s;", bits, i, a)
	opposite := map[string]string{"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "ne": "eq", "eq": "ne"}[cmp]
	early := g.coin(2)
	if !early && g.coin(2) {
		g.one("setp.%s.%s %s, %s, %s; @%s bra %s;", opposite, typ, q, i, b, q, end)
	}
	g.one("%s:", head)
	if early {
		g.one("setp.%s.%s %s, %s, %s; @%s bra %s;", opposite, typ, q, i, b, q, end)
	}
	if g.coin(3) {
		g.changed(i, bits, up, signed)
	}
	g.inside(i, bits, false)
	g.one("%s:", next)
	g.changed(i, bits, up, signed)
	g.turn(early, head, end, cmp, typ, q, i, b)
	g.closed()
	if bits == 32 {
		g.one("mov.u32 %s, %s;", g.r(), i)
	}
}
