package premtest

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// Nest is a generated program: one function, kernel_nest, with one loop nest.
type Nest struct {
	Source  string
	scalars [2]map[string]loop.Value
	arrays  []argument
	// Override gives some loops of the kernel a size of their tiles.
	Override map[string]int64
}

// argument is an array; limit is above 0 for an array of subscripts.
type argument struct {
	name  string
	elem  loop.Type
	shape []int64
	limit int
}

// Function is the name of the function of a Nest.
const Function = "kernel_nest"

// Generate draws a loop nest.
func Generate(c *Choices) *Nest {
	g := &generator{Choices: c}
	g.ints = g.chance(15)
	for range g.pick(2) {
		g.floats = append(g.floats, g.name("f"))
	}
	g.indent, g.total = 1, 1
	hosted := g.chance(20)
	if hosted {
		head, v, trips := g.loop("t", g.in(1, 3), false)
		g.line("%s", fixed(head))
		g.indent++
		g.host, g.total = v, trips
		g.scope = append(g.scope, v)
	}
	if g.chance(20) {
		for range g.in(1, 2) {
			g.newReduction()
		}
	}
	g.kernel()
	for _, r := range g.reduce {
		a := g.newArray(1)
		a.elem, a.written, a.open = r.typ, true, false
		w := a.ref([]subscript{{low: 0, high: 0}})
		g.line("%s = "+r.name+";", w)
	}
	g.leave()
	if hosted {
		g.indent--
		g.line("}")
	}
	switch {
	case g.result != "" && hosted:
		g.line("return -1;")
	case g.result != "":
		g.line("return " + g.reduce[0].name + ";")
	}
	return g.finish()
}

// leave lets some nests with reductions return a value, and end early where it is a
// certain one.
func (g *generator) leave() {
	if len(g.reduce) == 0 || !g.chance(50) {
		return
	}
	r := g.reduce[0]
	g.result = r.typ
	if g.host != nil {
		g.line("if (%s %s) return %s;", fixed(r.name), fixed([]string{"> 1", "< 1", "!= 1"}[g.pick(3)]), fixed(r.name))
	}
}

func (g *generator) newReduction() {
	r := reduction{op: []string{"+", "max", "min", "*"}[g.pick(4)], name: g.name("r"), typ: []string{"float", "int", "double"}[g.pick(3)]}
	g.line(fmt.Sprintf("%s %s = 1;", r.typ, r.name))
	g.reduce = append(g.reduce, r)
}

// kernel draws the directive, the SIMT loops and their body.
func (g *generator) kernel() {
	dims := []int{1, 2, 1, 2, 3}[g.pick(5)]
	var clauses strings.Builder
	if dims > 1 {
		fmt.Fprintf(&clauses, " collapse(%d)", dims)
	}
	fmt.Fprintf(&clauses, " num_teams(%d) num_threads(%d)", g.in(1, 4), []int{4, 1, 2, 3, 8, 16, 32, 6, 64}[g.pick(9)])
	for _, r := range g.reduce {
		fmt.Fprintf(&clauses, " reduction(%s: %s)", r.op, r.name)
	}
	g.maps = new(string)
	g.line("#pragma omp target teams distribute parallel for"+clauses.String()+"%s", func() string { return *g.maps })
	around := g.scope
	for range dims {
		// The bounds of SIMT loops may name the host's variable only.
		inside := g.scope
		g.scope = around
		head, v, trips := g.loop(g.name("i"), g.in(1, []int{40, 12, 7}[dims-1]), g.host != nil && g.chance(30))
		g.scope = append(inside, v)
		g.simt = append(g.simt, v)
		g.total *= trips
		g.line("%s", fixed(head))
		g.indent++
	}
	g.newTarget()
	g.stmts(g.in(1, 3))
	g.store()
	for range dims {
		g.indent--
		g.line("}")
	}
	g.scope = around
}

func (g *generator) finish() *Nest {
	n := &Nest{Override: make(map[string]int64)}
	for range 2 {
		n.Override[g.loops[len(g.loops)-1-g.pick(len(g.loops))]] = int64(g.in(1, 5))
	}
	var params, globals []string
	for _, a := range g.arrays {
		if !a.touched {
			continue
		}
		arg := argument{name: a.name, limit: a.limit, elem: types[a.elem]}
		decl := a.elem + " " + a.name
		if !a.written && !a.global {
			decl = "const " + decl
		}
		for d, e := range a.extents() {
			arg.shape = append(arg.shape, int64(e))
			size := fmt.Sprint(e)
			if a.symbolic {
				p := &variable{name: g.name("m"), low: e, high: e}
				g.params = append(g.params, p)
				size = p.name
			}
			if d == 0 && a.open {
				size = ""
				*g.maps += fmt.Sprintf(" map(tofrom: %s[0:%d])", a.name, e)
			}
			if d == 0 && !a.global {
				size = "restrict " + size
			}
			decl += "[" + size + "]"
		}
		n.arrays = append(n.arrays, arg)
		if a.global {
			globals = append(globals, decl+";\n")
		} else {
			params = append(params, decl)
		}
	}
	var scalars []string
	n.scalars = [2]map[string]loop.Value{make(map[string]loop.Value), make(map[string]loop.Value)}
	for _, p := range g.params {
		scalars = append(scalars, "int "+p.name)
		n.scalars[0][p.name] = loop.OfInt(int32(p.high))
		n.scalars[1][p.name] = loop.OfInt(int32(p.low))
	}
	for i, f := range g.floats {
		scalars = append(scalars, "float "+f)
		for _, m := range n.scalars {
			m[f] = loop.OfFloat(float32(i)*0.3 + 0.7)
		}
	}
	var b strings.Builder
	result := "void"
	if g.result != "" {
		result = g.result
	}
	fmt.Fprintf(&b, "%s%s %s(%s)\n{\n", strings.Join(globals, ""), result, Function, strings.Join(append(scalars, params...), ", "))
	for _, l := range g.lines {
		b.WriteString(l() + "\n")
	}
	b.WriteString("}\n")
	n.Source = b.String()
	return n
}

var types = map[string]loop.Type{"float": loop.Float, "double": loop.Double, "int": loop.Int, "long": loop.Long, "unsigned": loop.Uint}

// Variants is the number of sets of arguments: one with the greatest values of the
// integer parameters, and another with less where there are such parameters.
func (n *Nest) Variants() int {
	for name, v := range n.scalars[0] {
		if n.scalars[1][name] != v {
			return 2
		}
	}
	return 1
}

// Known gives the integer parameters their values in a variant.
func (n *Nest) Known(variant int) map[string]int64 {
	out := make(map[string]int64)
	for name, v := range n.scalars[variant] {
		if v.Type == loop.Int {
			out[name] = int64(v.Bits)
		}
	}
	return out
}

// Args gives the arguments of a call, new at each one, of a variant. Elements are multiples of
// 1/8 from -3 to 3, and subscripts where the nest subscripts with them.
func (n *Nest) Args(variant int) loop.Args {
	args := loop.Args{Scalars: n.scalars[variant], Arrays: make(map[string]*loop.Buffer)}
	for k, a := range n.arrays {
		size := int64(1)
		for _, s := range a.shape {
			size *= s
		}
		b := &loop.Buffer{Elem: a.elem, Shape: a.shape, Bits: make([]uint64, size)}
		Fill(b, k)
		if a.limit > 0 {
			for e := range b.Bits {
				b.Bits[e] = uint64((e*7 + 3) % a.limit)
			}
		}
		args.Arrays[a.name] = b
	}
	return args
}

// Fill gives the elements of a buffer values from -3 to 3 in steps of 1/8, of integers
// from -24 to 24 or to 48, which depend on their place and on k.
func Fill(b *loop.Buffer, k int) {
	for e := range b.Bits {
		v := (e*29+k*17+e/7)%49 - 24
		switch b.Elem {
		case loop.Float:
			b.Bits[e] = loop.OfFloat(float32(v) / 8).Bits
		case loop.Double:
			b.Bits[e] = loop.OfDouble(float64(v) / 8).Bits
		case loop.Uint, loop.Ulong:
			b.Bits[e] = uint64(v + 24)
		default:
			b.Bits[e] = loop.OfLong(int64(v)).Bits
		}
	}
}
