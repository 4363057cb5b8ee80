package premtest

import "fmt"

// value draws an expression that is not an integer unless the nest is one on
// integers alone.
func (g *generator) value(depth int) func() string {
	switch k := g.pick(10); {
	case k == 0 || g.depth > 0 && depth == 0 && k < 3:
		return fixed(g.constant())
	case k == 1 && len(g.locals) > 0:
		return fixed(g.locals[g.pick(len(g.locals))].name)
	case k == 2:
		return fixed(g.scope[g.pick(len(g.scope))].name)
	case k == 3 && len(g.targets) > 0:
		return g.own(g.targets[g.pick(len(g.targets))])
	case k <= 6 || depth == 0:
		r, _ := g.read()
		return r
	case k == 9:
		c, x, y := g.condition(depth-1), g.value(depth-1), g.value(depth-1)
		return func() string { return fmt.Sprintf("(%s ? %s : %s)", c(), x(), y()) }
	}
	op := []string{"+", "-", "*", "+"}[g.pick(4)]
	x, y := g.value(depth-1), g.value(depth-1)
	return func() string { return fmt.Sprintf("(%s %s %s)", x(), op, y()) }
}

func (g *generator) constant() string {
	if g.ints {
		return fmt.Sprint(g.in(0, 5))
	}
	if n := g.pick(len(g.floats) + 3); n >= 3 {
		return g.floats[n-3]
	}
	return []string{"2", "0.1f", "0.7", "3.0f", "0.5f"}[g.pick(5)]
}

// condition draws a condition: affine or on data.
func (g *generator) condition(depth int) func() string {
	if g.chance(60) {
		f := g.form(g.in(1, 2))
		low, high := f.bounds()
		return fixed(fmt.Sprintf("%s %s %d", f, []string{"<", ">=", "!=", "==", "<=", ">"}[g.pick(6)], g.in(low, high)))
	}
	x, y := g.value(0), g.value(max(depth, 0))
	return func() string { return fmt.Sprintf("%s < %s", x(), y()) }
}

// stmts draws the statements of a body.
func (g *generator) stmts(n int) {
	locals := len(g.locals)
	for range n {
		g.stmt()
	}
	g.locals = g.locals[:locals]
}

func (g *generator) stmt() {
	switch k := g.pick(12); {
	case k <= 3:
		g.store()
	case k == 4:
		l := scalar{g.name("s"), []string{"float", "double"}[g.pick(2)]}
		if g.ints {
			l.typ = "int"
		}
		v := g.pure()
		if g.chance(60) {
			v = g.rounded(2)
		}
		g.line(l.typ+" "+l.name+" = %s;", v)
		g.locals = append(g.locals, l)
	case k == 5 && len(g.locals) > 0:
		l := g.locals[g.pick(len(g.locals))]
		op := []string{"=", "+=", "="}[g.pick(3)]
		if g.ints {
			op = "="
		}
		g.line(l.name+" "+op+" %s;", g.rounded(2))
	case k == 6 && g.depth < 3:
		g.branch()
	case k == 7 && len(g.reduce) > 0:
		g.fold()
	case k >= 7 && g.depth < 3 && g.total < 3000:
		if k == 11 {
			g.accumulate()
		} else {
			g.inner()
		}
	default:
		g.store()
	}
}

// pure draws a value that reads no memory.
func (g *generator) pure() func() string {
	if len(g.locals) > 0 && g.chance(30) {
		return fixed(g.locals[g.pick(len(g.locals))].name)
	}
	if g.chance(50) {
		return fixed(g.scope[g.pick(len(g.scope))].name)
	}
	return fixed(g.constant())
}

// accumulate draws a private sum over an inner loop that is then stored.
func (g *generator) accumulate() {
	l := scalar{g.name("s"), "float"}
	if g.ints {
		l.typ = "int"
	}
	g.line(l.typ+" "+l.name+" = %s;", g.pure())
	g.locals = append(g.locals, l)
	g.nested(func() {
		x, _ := g.read()
		y, _ := g.read()
		if g.ints {
			g.line(l.name+" = ("+l.name+" + %s * %s) %% 100;", x, y)
		} else {
			g.line(l.name+" += %s * %s;", x, y)
		}
	})
	t := g.anyTarget()
	w := g.own(t)
	if t.integer() && !g.ints {
		g.line("%s = "+l.name+" < 2;", w)
	} else {
		g.line("%s = "+l.name+";", w)
	}
}

// rounded is a value; of integers one that stays small, since their overflow is
// an error.
func (g *generator) rounded(depth int) func() string {
	v := g.value(depth)
	if !g.ints {
		return v
	}
	return func() string { return fmt.Sprintf("(%s) %% 100", v()) }
}

func (g *generator) store() {
	var t *target
	if n := g.pick(len(g.targets) + 1); n < len(g.targets) {
		t = g.targets[n]
	} else if len(g.targets) < 3 {
		t = g.newTarget()
	} else {
		t = g.targets[0]
	}
	w := g.own(t)
	if t.integer() && !g.ints {
		// A conversion of a floating value could be out of range.
		v := g.form(2)
		g.line("%s = "+v.String()+";", w)
		return
	}
	op := []string{"=", "=", "+=", "-="}[g.pick(4)]
	if g.ints {
		op = "="
	}
	g.line("%s "+op+" %s;", w, g.rounded(2))
}

// branch draws an If, in some cases one that keeps a subscript inside an array.
func (g *generator) branch() {
	if g.chance(30) {
		f := g.form(g.in(1, 2))
		low, high := f.bounds()
		cut := g.in(low, high)
		a := g.newArray(1)
		if g.ints {
			a.elem = "int"
		}
		s := plain(f)
		s.high = cut
		g.line(fmt.Sprintf("if (%s <= %d) {", f, cut))
		g.indent++
		t := g.anyTarget()
		w, r := g.own(t), a.ref([]subscript{s})
		if t.integer() && !a.integer() {
			g.line("%s = %s > 0.5f;", w, r)
		} else {
			g.line("%s = %s;", w, r)
		}
		g.indent--
		g.line("}")
		return
	}
	g.line("if (%s) {", g.condition(1))
	g.block(g.in(1, 2))
	if g.chance(30) {
		g.line("} else {")
		g.block(1)
	}
	g.line("}")
}

func (g *generator) anyTarget() *target {
	if len(g.targets) == 0 {
		return g.newTarget()
	}
	return g.targets[g.pick(len(g.targets))]
}

func (g *generator) block(n int) { g.indented(func() { g.stmts(n) }) }

func (g *generator) indented(body func()) {
	g.indent++
	g.depth++
	body()
	g.depth--
	g.indent--
}

// inner draws a sequential loop: rectangular, or with a bound in the variables
// around it.
func (g *generator) inner() {
	g.nested(func() { g.stmts(g.in(1, 2)) })
}

func (g *generator) nested(body func()) {
	head, v, trips := g.loop(g.name("k"), []int{g.in(1, 5), g.in(1, 11), g.in(8, 24)}[g.pick(3)], g.chance(30))
	g.line("%s", fixed(head))
	total := g.total
	g.total *= trips
	g.scope = append(g.scope, v)
	g.indented(body)
	g.scope = g.scope[:len(g.scope)-1]
	g.total = total
	g.line("}")
}

// loop draws the head of a loop of at most about n iterations over the variable
// name.
func (g *generator) loop(name string, n int, slanted bool) (head string, v *variable, trips int) {
	lo := affine{c: g.in(0, 3)}
	hi := affine{c: lo.c + n - 1} // the last value
	if slanted && len(g.scope) > 0 {
		f := affine{c: g.in(0, 2)}.with(g.scope[g.pick(len(g.scope))], []int{1, 1, -1}[g.pick(3)])
		if g.chance(25) {
			f = f.with(g.scope[g.pick(len(g.scope))], 1)
		}
		if low, high := f.bounds(); high-low < 24 {
			if g.chance(50) {
				lo, hi = f, affine{c: high + g.in(0, 2) - 1}
			} else {
				hi = f
				lo = affine{c: low - g.in(0, 3) + 1}
			}
		}
	} else if g.chance(12) {
		p := &variable{name: g.name("n"), low: hi.c - g.pick(4), high: hi.c}
		g.params = append(g.params, p)
		hi = affine{}.with(p, 1)
	}
	v = &variable{name: name}
	if name[0] != 't' {
		g.loops = append(g.loops, name)
	}
	v.low, _ = lo.bounds()
	_, v.high = hi.bounds()
	v.high = max(v.high, v.low)
	trips = v.high - v.low + 1
	step := []int{1, 1, 1, 1, 2, 3}[g.pick(6)]
	typ := "int"
	v.long = g.chance(12)
	for _, x := range append(lo.terms, hi.terms...) {
		v.long = v.long || x.v.long // a bound of a greater type is refused
	}
	if v.long {
		typ = "long"
	}
	if g.chance(25) {
		if g.chance(50) {
			return fmt.Sprintf("for (%s %s = %s; %s >= %s; %s -= %d) {", typ, name, hi, name, lo, name, step), v, trips
		}
		return fmt.Sprintf("for (%s %s = %s; %s > %s; %s -= %d) {", typ, name, hi, name, lo.plus(-1), name, step), v, trips
	}
	if g.chance(30) {
		return fmt.Sprintf("for (%s %s = %s; %s <= %s; %s += %d) {", typ, name, lo, name, hi, name, step), v, trips
	}
	return fmt.Sprintf("for (%s %s = %s; %s < %s; %s += %d) {", typ, name, lo, name, hi.plus(1), name, step), v, trips
}

// fold draws a contribution to a reduction that is exact in any order: all data
// are small multiples of 1/8.
func (g *generator) fold() {
	r := g.reduce[g.pick(len(g.reduce))]
	x, elem := g.read()
	if r.typ == "int" && elem != "int" || elem == "long" || elem == "unsigned" {
		x = fixed(g.scope[g.pick(len(g.scope))].name)
	}
	switch r.op {
	case "+":
		g.line(r.name+" += %s;", x)
	case "*":
		g.line(r.name+" *= %s < 1 ? -1 : 1;", x)
	case "max":
		g.line(r.name+" = %s > "+r.name+" ? %s : "+r.name+";", x, x)
	case "min":
		g.line(r.name+" = %s < "+r.name+" ? %s : "+r.name+";", x, x)
	}
}
