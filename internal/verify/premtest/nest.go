package premtest

import (
	"fmt"
	"slices"
	"strings"
)

// variable is a loop variable or an integer parameter; low and high bound its
// values, and a parameter takes both.
type variable struct {
	name      string
	low, high int
	long      bool
}

type term struct {
	v *variable
	k int
}

// affine is an affine form.
type affine struct {
	terms []term
	c     int
}

func (a affine) bounds() (low, high int) {
	low, high = a.c, a.c
	for _, t := range a.terms {
		x, y := t.k*t.v.low, t.k*t.v.high
		low, high = low+min(x, y), high+max(x, y)
	}
	return low, high
}

func (a affine) plus(c int) affine { return affine{a.terms, a.c + c} }

func (a affine) String() string {
	var b strings.Builder
	for i, t := range a.terms {
		k := t.k
		switch {
		case i > 0 && k < 0:
			b.WriteString(" - ")
			k = -k
		case i > 0:
			b.WriteString(" + ")
		case k == -1:
			b.WriteString("-")
			k = 1
		}
		if k != 1 {
			fmt.Fprintf(&b, "%d * ", k)
		}
		b.WriteString(t.v.name)
	}
	switch {
	case len(a.terms) == 0:
		fmt.Fprintf(&b, "%d", a.c)
	case a.c > 0:
		fmt.Fprintf(&b, " + %d", a.c)
	case a.c < 0:
		fmt.Fprintf(&b, " - %d", -a.c)
	}
	return b.String()
}

// subscript is an affine form, or what text gives, with bounds on its value where
// it is evaluated.
type subscript struct {
	form      affine
	text      func() string
	low, high int
}

func plain(a affine) subscript {
	low, high := a.bounds()
	return subscript{form: a, low: low, high: high}
}

// array is a parameter; its extents follow from the subscripts it is given.
type array struct {
	name, elem string
	limit      int // of an array of subscripts: its values are below it
	low, high  []int
	touched    bool
	slack      []int // elements left free below and above
	symbolic   bool  // its extents are parameters
	global     bool  // it stands at file scope
	open       bool  // its first extent stands in a map clause only
	written    bool
	last       []subscript // of its latest access, if these were plain
}

// ref notes an access and gives its text, once all accesses are noted.
func (a *array) ref(subs []subscript) func() string {
	for d, s := range subs {
		if !a.touched {
			a.low[d], a.high[d] = s.low, s.high
		}
		a.low[d], a.high[d] = min(a.low[d], s.low), max(a.high[d], s.high)
	}
	a.touched = true
	return func() string {
		var b strings.Builder
		b.WriteString(a.name)
		for d, s := range subs {
			off := a.slack[2*d] - a.low[d]
			switch {
			case s.text == nil:
				fmt.Fprintf(&b, "[%s]", s.form.plus(off))
			case off == 0:
				fmt.Fprintf(&b, "[%s]", s.text())
			default:
				fmt.Fprintf(&b, "[%s + %d]", s.text(), off)
			}
		}
		return b.String()
	}
}

func (a *array) integer() bool { return a.elem != "float" && a.elem != "double" }

func (a *array) extents() []int {
	e := make([]int, len(a.low))
	for d := range e {
		e[d] = a.high[d] - a.low[d] + 1 + a.slack[2*d] + a.slack[2*d+1]
	}
	return e
}

// scalar is a local of the loop nest.
type scalar struct{ name, typ string }

// generator builds the text of one loop nest. Text that holds subscripts is made
// late, when the extents are known.
type generator struct {
	*Choices
	arrays  []*array
	params  []*variable // int parameters, low == high
	floats  []string    // float parameters
	serial  int
	targets []*target
	simt    []*variable
	indent  int
	lines   []func() string
	scope   []*variable
	locals  []scalar
	total   int // iterations of the loops around, at most
	depth   int
	reduce  []reduction
	result  string // the type of what the function returns, or ""
	host    *variable
	loops   []string
	maps    *string // the map clauses of the kernel, known at the end
	ints    bool
}

type reduction struct{ op, name, typ string }

// target is an array the nest writes: own gives each of its leading dimensions a
// form in the SIMT variables that no two iterations share.
type target struct {
	*array
	own []affine // one a dimension; the terms of SIMT variables
}

func (g *generator) name(prefix string) string {
	g.serial++
	return fmt.Sprintf("%s%d", prefix, g.serial)
}

func (g *generator) line(format string, args ...func() string) {
	pad := strings.Repeat("    ", g.indent)
	g.lines = append(g.lines, func() string {
		texts := make([]any, len(args))
		for i, a := range args {
			texts[i] = a()
		}
		return pad + fmt.Sprintf(format, texts...)
	})
}

func fixed(s string) func() string { return func() string { return s } }

func (g *generator) newArray(rank int) *array {
	a := &array{name: g.name("A"), elem: []string{"float", "double", "int"}[g.pick(3)], low: make([]int, rank), high: make([]int, rank)}
	for range 2 * rank {
		a.slack = append(a.slack, g.pick(2))
	}
	switch k := g.pick(20); {
	case k >= 18:
		a.symbolic = true
	case k == 17:
		a.global = true
	case k == 16:
		a.open = true
	case k == 15:
		a.elem = []string{"long", "unsigned"}[g.pick(2)]
	}
	g.arrays = append(g.arrays, a)
	return a
}

// form draws an affine form over variables in scope.
func (g *generator) form(terms int) affine {
	a := affine{c: g.in(0, 2) * (1 - 2*g.pick(2))}
	for range terms {
		v := g.scope[len(g.scope)-1-g.pick(len(g.scope))]
		a = a.with(v, []int{1, 1, 1, 1, -1, 2, -2, 3}[g.pick(8)])
	}
	return a
}

func (a affine) with(v *variable, k int) affine {
	out := affine{c: a.c}
	for _, t := range a.terms {
		if t.v == v {
			k += t.k
			continue
		}
		out.terms = append(out.terms, t)
	}
	if k != 0 {
		out.terms = append(out.terms, term{v, k})
	}
	return out
}

// free draws any subscript.
func (g *generator) free() subscript {
	switch {
	case g.chance(1):
		f := g.form(2)
		low, _ := f.bounds()
		m := g.in(2, 7)
		return subscript{text: fixed(fmt.Sprintf("(%s) %% %d", f.plus(max(0, -low)), m)), low: 0, high: m - 1}
	case g.chance(1):
		x := g.newArray(1)
		x.elem, x.limit = "int", g.in(2, 9)
		return subscript{text: x.ref([]subscript{plain(g.form(1))}), low: 0, high: x.limit - 1}
	}
	return plain(g.form([]int{1, 1, 1, 0, 2}[g.pick(5)]))
}

// read gives an access of an array the nest does not write, a new one or one of
// before, and its element type.
func (g *generator) read() (func() string, string) {
	var known []*array
	for _, a := range g.arrays {
		if !a.written && a.limit == 0 {
			known = append(known, a)
		}
	}
	var a *array
	if n := g.pick(len(known) + 2); n < len(known) {
		a = known[n]
	} else {
		a = g.newArray([]int{1, 2, 2, 3}[g.pick(4)])
		if g.ints {
			a.elem = "int"
		}
	}
	subs := make([]subscript, len(a.low))
	for d := range subs {
		subs[d] = g.free()
	}
	if len(a.last) > 0 && g.visible(a.last) && g.chance(50) {
		// A neighbour of an element that is read already.
		copy(subs, a.last)
		d := g.pick(len(subs))
		subs[d] = plain(a.last[d].form.plus(g.in(0, 2) - 1))
	}
	a.last = subs
	return a.ref(subs), a.elem
}

// visible reports whether the subscripts are affine forms in variables in scope.
func (g *generator) visible(subs []subscript) bool {
	for _, s := range subs {
		if s.text != nil {
			return false
		}
		for _, t := range s.form.terms {
			if !slices.Contains(g.scope, t.v) {
				return false
			}
		}
	}
	return true
}

// own gives an access of a written array that only its own SIMT iteration makes,
// or rarely any access of it.
func (g *generator) own(t *target) func() string {
	subs := make([]subscript, len(t.low))
	any := g.chance(3)
	for d, f := range t.own {
		switch {
		case any:
			subs[d] = g.free()
		case len(f.terms) > 0:
			subs[d] = plain(f)
		default:
			subs[d] = plain(g.form(1))
		}
	}
	return t.ref(subs)
}

// newTarget makes an array to be written, in which each SIMT variable stands in one
// dimension, alone or as in a row-major number.
func (g *generator) newTarget() *target {
	rank := g.in(1, 3)
	t := &target{array: g.newArray(rank), own: make([]affine, rank)}
	t.written = true
	if g.ints {
		t.elem = "int"
	}
	free := make([]int, rank)
	for d := range free {
		free[d] = d
	}
	for _, v := range g.simt {
		k := []int{1, 1, 1, 1, -1, 2}[g.pick(6)]
		if len(free) == 0 {
			// The span of what stands there makes room for the variable below it.
			d := g.pick(rank)
			low, high := affine{terms: t.own[d].terms}.bounds()
			f := affine{}
			for _, x := range t.own[d].terms {
				f = f.with(x.v, x.k)
			}
			t.own[d] = f.with(v, k*(high-low+1))
			continue
		}
		i := g.pick(len(free))
		t.own[free[i]] = t.own[free[i]].with(v, k)
		free = append(free[:i], free[i+1:]...)
	}
	if g.host != nil && g.chance(30) {
		d := g.pick(rank)
		if len(t.own[d].terms) > 0 {
			t.own[d] = t.own[d].with(g.host, 1)
		}
	}
	g.targets = append(g.targets, t)
	return t
}
