package scheme

import (
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"pgregory.net/rapid"
)

// A nest writes the text of a random program: one kernel, whose iterations are
// independent in most draws, and whose subscripts lie in the extents it chooses.
type nest struct {
	t     *rapid.T
	body  strings.Builder
	loops []bounded // around the statement in hand, those of the SIMT space first
	simt  int
	rank  map[string]int
	most  map[string][]int // the greatest subscript of an array
	least map[string][]int
	names int
	// reduced says that the kernel has a reduction of sum.
	reduced bool
}

// bounded is a loop variable and the values it may have.
type bounded struct {
	name   string
	lo, hi int
}

func (n *nest) draw(lo, hi int) int        { return rapid.IntRange(lo, hi).Draw(n.t, "n") }
func (n *nest) chance(percent int) bool    { return n.draw(0, 99) < percent }
func (n *nest) pick(list ...string) string { return rapid.SampledFrom(list).Draw(n.t, "pick") }

func (n *nest) line(format string, args ...any) {
	n.body.WriteString(strings.Repeat("  ", len(n.loops)+1))
	fmt.Fprintf(&n.body, format+"\n", args...)
}

// header writes a loop, whose bounds may depend on the loops around it.
func (n *nest) header(free bool) {
	n.names++
	v := bounded{name: fmt.Sprintf("%c%d", 'i'+len(n.loops), n.names)}
	trips, step := n.draw(1, 9), n.draw(1, 5)
	if step > 3 {
		step = 1
	}
	first := n.draw(0, 3)
	from, to := fmt.Sprint(first), fmt.Sprint(first+trips*step-n.draw(0, step-1))
	lo, hi := first, first+trips*step
	if free && n.chance(40) {
		o := n.loops[n.draw(0, len(n.loops)-1)]
		switch n.draw(0, 2) {
		case 0:
			from = fmt.Sprintf("%s + %d", o.name, first)
			to = fmt.Sprint(o.hi + trips)
			lo, hi = o.lo+first, o.hi+trips
		case 1:
			to = fmt.Sprintf("%s + %d", o.name, trips)
			lo, hi = first, o.hi+trips
		case 2:
			from, to = o.name, fmt.Sprintf("%s + %d", o.name, trips)
			lo, hi = o.lo, o.hi+trips
		}
	}
	if n.chance(20) {
		// m is a parameter of value 5.
		to, hi = fmt.Sprintf("m + %d", max(first+trips-5, 0)), max(first+trips, 5)+hi
	}
	v.lo, v.hi = lo, hi
	switch n.draw(0, 3) {
	case 0:
		n.line("for (int %s = %s - 1; %s >= %s; %s -= %d) {", v.name, to, v.name, from, v.name, step)
	case 1:
		n.line("for (int %s = %s; %s <= %s - 1; %s += %d) {", v.name, from, v.name, to, v.name, step)
	default:
		n.line("for (int %s = %s; %s < %s; %s += %d) {", v.name, from, v.name, to, v.name, step)
	}
	n.loops = append(n.loops, v)
}

func (n *nest) close() {
	n.loops = n.loops[:len(n.loops)-1]
	n.line("}")
}

// sub is a random affine subscript.
func (n *nest) sub(array string, dim int) string {
	if n.most[array] == nil {
		n.most[array], n.least[array] = make([]int, n.rank[array]), make([]int, n.rank[array])
	}
	c := n.draw(-2, 3)
	text, lo, hi := fmt.Sprint(c), c, c
	for range n.draw(0, 2) {
		v := n.loops[n.draw(0, len(n.loops)-1)]
		k := n.draw(-1, 2)
		text += fmt.Sprintf(" + %d * %s", k, v.name)
		lo, hi = lo+min(k*v.lo, k*v.hi), hi+max(k*v.lo, k*v.hi)
	}
	n.note(array, dim, lo, hi)
	return text
}

func (n *nest) note(array string, dim, lo, hi int) {
	if n.most[array] == nil {
		n.most[array], n.least[array] = make([]int, n.rank[array]), make([]int, n.rank[array])
	}
	n.least[array][dim], n.most[array][dim] = min(n.least[array][dim], lo), max(n.most[array][dim], hi)
}

// access is an element of an array. Those of arrays that are written begin with
// the variables of the SIMT space.
func (n *nest) access(array string) string {
	text := array
	for d := range n.rank[array] {
		s := ""
		if array[0] == 'W' && d < n.simt {
			v := n.loops[d]
			s = v.name
			n.note(array, d, v.lo, v.hi)
		} else {
			s = n.sub(array, d)
		}
		text += fmt.Sprintf("[%s + O%s%d]", s, array, d)
	}
	return text
}

var arrayNames = []string{"W", "WX", "R", "RX"}

func (n *nest) value(depth int, locals []string) string {
	switch k := n.draw(0, 9); {
	case k < 5 || depth == 0:
		return n.access(n.pick(arrayNames...))
	case k == 5 && len(locals) > 0:
		return n.pick(locals...)
	case k == 6:
		return fmt.Sprintf("(%s ? %s : %s)", n.condition(depth-1, locals), n.value(depth-1, locals), n.value(depth-1, locals))
	}
	return fmt.Sprintf("(%s %s 0.75f * %s)", n.value(depth-1, locals), n.pick("+", "-"), n.value(depth-1, locals))
}

func (n *nest) condition(depth int, locals []string) string {
	v, w := n.loops[n.draw(0, len(n.loops)-1)], n.loops[n.draw(0, len(n.loops)-1)]
	switch n.draw(0, 4) {
	case 0:
		return fmt.Sprintf("%s < %s + %d", v.name, w.name, n.draw(-1, 4))
	case 1:
		return fmt.Sprintf("%s %% 2 == %d", v.name, n.draw(0, 1))
	case 2:
		return fmt.Sprintf("(%s > %d && %s > 0.25f)", v.name, n.draw(1, 4), n.value(max(depth, 0), locals))
	}
	return fmt.Sprintf("%s > %s", n.value(0, locals), n.value(0, locals))
}

func (n *nest) stmts(depth int, locals []string) {
	for range n.draw(1, 3) {
		switch k := n.draw(0, 9); {
		case k < 3 && depth > 0:
			n.header(true)
			n.stmts(depth-1, locals)
			n.close()
		case k == 3 && depth > 0:
			n.line("if (%s) {", n.condition(1, locals))
			n.stmts(depth-1, locals)
			n.line("} else {")
			n.stmts(depth-1, locals)
			n.line("}")
		case k == 4:
			n.names++
			v := fmt.Sprintf("v%d", n.names)
			n.line("float %s = %s;", v, n.value(1, locals))
			locals = append(locals[:len(locals):len(locals)], v)
		case k == 6 && n.reduced:
			n.line("sum += %s;", n.value(1, locals))
		case k == 5 && len(locals) > 0:
			n.line("%s += %s;", n.pick(locals...), n.value(1, locals))
		default:
			n.line("%s %s %s;", n.access(n.pick("W", "WX")), n.pick("=", "+=", "-="), n.value(2, locals))
		}
	}
}

// program draws a whole one.
func program(t *rapid.T) string {
	n := &nest{t: t, most: map[string][]int{}, least: map[string][]int{}, rank: map[string]int{}}
	n.simt, n.reduced = n.draw(1, 2), n.chance(25)
	for _, a := range arrayNames {
		n.rank[a] = n.draw(1, 2)
		if a[0] == 'W' {
			n.rank[a] = n.simt + n.draw(0, 1)
		}
	}
	for range n.simt {
		n.header(false)
	}
	n.stmts(2, nil)
	for range n.simt {
		n.close()
	}
	var out strings.Builder
	var params, maps []string
	for _, a := range arrayNames {
		text, section := "", ""
		for d := range n.rank[a] {
			n.note(a, d, 0, 0)
			fmt.Fprintf(&out, "#define O%s%d %d\n", a, d, -n.least[a][d])
			x := n.most[a][d] - n.least[a][d] + 1
			section += fmt.Sprintf("[0:%d]", x)
			if d == 0 {
				text += fmt.Sprintf("[restrict %d]", x)
			} else {
				text += fmt.Sprintf("[%d]", x)
			}
		}
		kind := "tofrom"
		if a[0] == 'R' {
			kind = "to"
			params = append(params, "const float "+a+text)
		} else {
			params = append(params, "float "+a+text)
		}
		maps = append(maps, fmt.Sprintf("map(%s: %s%s)", kind, a, section))
	}
	clauses := ""
	if n.reduced {
		clauses = " reduction(+: sum) map(tofrom: sum)"
	}
	fmt.Fprintf(&out, "void nest(int m, float T[restrict 1], %s)\n{\n  float sum = 0.3f;\n#pragma omp target teams distribute parallel for "+
		"collapse(%d) num_teams(%d) num_threads(%d) %s%s\n%s  T[0] = sum;\n}\n", strings.Join(params, ", "), n.simt, n.draw(1, 3),
		[]int{1, 2, 4, 6, 8, 32}[n.draw(0, 5)], strings.Join(maps, " "), clauses, n.body.String())
	return out.String()
}

// Whatever the dependence test and the planner let through computes what the
// program computes, under every scheme.
func TestRandomNests(t *testing.T) {
	kept, separate := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		plan := checkNest(t)
		if plan != nil {
			kept++
		}
		if plan != nil && plan.Compatible == nil {
			separate++
		}
	})
	if kept < 20 || separate < 10 {
		t.Errorf("%d programs, of which %d have separate phases", kept, separate)
	}
}

// checkNest draws a program and checks it; it gives no plan where there is none.
func checkNest(t *rapid.T) *tile.Plan {
	text := program(t)
	p, err := cfront.Parse("nest.c", text, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f := p.Funcs[0]
	k := f.Kernels()[0]
	if depend.Kernel(p, k) != nil {
		return nil
	}
	o := tile.Options{SPMBytes: int64(rapid.SampledFrom([]int{32, 100, 300, 1000, 3000, 48 << 10}).Draw(t, "spm"))}
	if rapid.Bool().Draw(t, "override") {
		var names []string
		eachFor([]loop.Stmt{k.Loop}, func(l *loop.For) { names = append(names, l.Var.Name) })
		o.Override = map[string]int64{rapid.SampledFrom(names).Draw(t, "loop"): int64(rapid.IntRange(1, 4).Draw(t, "count"))}
	}
	plan, err := tile.Make(p, f, k, o)
	if err != nil {
		return nil
	}
	in := fill(t, p, map[string]loop.Value{"m": loop.OfInt(5)})
	opt := Options{Pack: rapid.Bool().Draw(t, "pack")}
	for _, s := range schemes {
		c, err := buildWith(opt, p, s, func(*loop.Unit, *loop.Func, *loop.Nest, int) (*tile.Plan, error) { return plan, nil })
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		compare(&withText{t, text}, p, c, in, true)
	}
	return plan
}

// withText is a check that shows the program it fails at.
type withText struct {
	*rapid.T
	text string
}

func (w *withText) Fatal(args ...any) {
	w.T.Helper()
	w.T.Fatalf("%s\n%s", fmt.Sprint(args...), w.text)
}

func FuzzNests(f *testing.F) {
	for seed := range 3 {
		b := make([]byte, 4096)
		for i := range b {
			b[i] = byte((i*i*(seed+3) + 7*i) >> 3)
		}
		f.Add(b)
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { checkNest(t) }))
}

func BenchmarkGenerate(b *testing.B) {
	p := parse(b, "f.c", refusedText, nil)
	f := p.Funcs[0]
	k := f.Kernels()[0]
	plan, err := tile.Make(p, f, k, tile.Options{SPMBytes: 700})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Generate(p, f, k, 0, plan, device.SDMA); err != nil {
			b.Fatal(err)
		}
	}
}
