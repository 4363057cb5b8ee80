package tile_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
)

// nest writes a random annotated loop nest as C. Every variable has values in
// 0..span-1, and subscripts are shifted into their array.
type nest struct {
	t     *rapid.T
	b     strings.Builder
	vars  []string
	loops int
}

const (
	span = 12 + 2*5 // 12, and as much as two loops over bands add
	trip = 12
	ext  = 6 * span
)

func (n *nest) pick(name string, hi int) int { return rapid.IntRange(0, hi).Draw(n.t, name) }

func (n *nest) line(depth int, format string, args ...any) {
	fmt.Fprintf(&n.b, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
}

// header is a loop with values in 0..span-1; its bounds may name outer variables
// where triangular is set.
func (n *nest) header(v string, triangular bool) string {
	lo, hi := fmt.Sprint(n.pick("lo", 3)), fmt.Sprint(trip-n.pick("hi", 8))
	if triangular && len(n.vars) > 0 {
		u := n.vars[n.pick("bound variable", len(n.vars)-1)]
		switch n.pick("shape", 8) {
		case 5:
			// A band; the array is wide enough for what lies beyond span.
			lo, hi = u, fmt.Sprintf("%s + %d", u, 1+n.pick("band", 4))
		case 0:
			lo = u
		case 1:
			hi = u
		case 2:
			hi = fmt.Sprintf("%d - %s", trip, u)
		case 3:
			hi = "n"
		case 4:
			lo, hi = u, "n"
		}
	}
	step := 1 + n.pick("step", 2)/2
	if n.pick("down", 3) == 0 {
		return fmt.Sprintf("for (int %s = %s - 1; %s >= %s; %s -= %d) {", v, hi, v, lo, v, step)
	}
	return fmt.Sprintf("for (int %s = %s; %s < %s; %s += %d) {", v, lo, v, hi, v, step)
}

// subscript is an affine form in 0..ext-1.
func (n *nest) subscript() string {
	least, most := 0, 0
	var b strings.Builder
	for range 1 + n.pick("terms", 1) {
		c := []int{1, 1, 1, 2, -1, 3}[n.pick("coefficient", 5)]
		v := n.vars[n.pick("variable", len(n.vars)-1)]
		if b.Len() > 0 {
			b.WriteString(" + ")
		}
		fmt.Fprintf(&b, "%d * %s", c, v)
		least, most = least+min(c, 0)*(span-1), most+max(c, 0)*(span-1)
	}
	shift := -least + n.pick("offset", 2)
	if most+shift >= ext {
		panic("subscript beyond the arrays")
	}
	fmt.Fprintf(&b, " + %d", shift)
	return b.String()
}

// vectors are the arrays of one dimension: many, so that some have few accesses
// and end where these do.
const vectors = "ADEFG"

func (n *nest) element() string {
	if v := n.pick("vector", 7); v < len(vectors) {
		return vectors[v:v+1] + "[" + n.subscript() + "]"
	}
	name := []string{"B", "C"}[n.pick("matrix", 1)]
	return name + "[" + n.subscript() + "][" + n.subscript() + "]"
}

func (n *nest) stmts(depth, levels int) {
	for range 1 + n.pick("statements", 1) {
		switch k := n.pick("kind", 7); {
		case k <= 2 && levels > 0:
			v := fmt.Sprintf("v%d", n.loops)
			n.loops++
			n.line(depth, "%s", n.header(v, true))
			n.vars = append(n.vars, v)
			n.stmts(depth+1, levels-1)
			n.vars = n.vars[:len(n.vars)-1]
			n.line(depth, "}")
		case k == 3:
			cond := n.element() + " > 0.0f"
			if n.pick("affine condition", 1) == 0 {
				cond = n.vars[n.pick("variable", len(n.vars)-1)] + " < 5"
			}
			n.line(depth, "if (%s) {", cond)
			n.line(depth+1, "%s = 1.0f;", n.element())
			n.line(depth, "}")
		case k == 4:
			n.line(depth, "s = s + %s;", n.element())
		case k == 5:
			n.line(depth, "%s += %s;", n.element(), n.element())
		default:
			n.line(depth, "%s = %s + s;", n.element(), n.element())
		}
	}
}

// source is the C text of a function with one kernel.
func (n *nest) source() string {
	n.line(0, "void f(int n, float A[restrict A0], float B[restrict B0][B1], double C[restrict C0][C1],")
	n.line(0, "float D[restrict D0], double E[restrict E0], float F[restrict F0], float G[restrict G0])\n{")
	n.line(1, "for (int k = 0; k < %d; k++) {", 1+n.pick("host trips", 4))
	n.vars = append(n.vars, "k")
	collapse := 1 + n.pick("collapse", 1)
	n.line(0, "#pragma omp target teams distribute parallel for collapse(%d) num_teams(%d) num_threads(%d) firstprivate(k, n)",
		collapse, 1+n.pick("teams", 2), []int{1, 2, 3, 4, 6, 8, 12}[n.pick("threads", 6)])
	var heads []string
	for d := range collapse {
		heads = append(heads, n.header([]string{"i", "j"}[d], d == 0))
	}
	for d, h := range heads {
		n.line(2+d, "%s", h)
		n.vars = append(n.vars, []string{"i", "j"}[d])
	}
	n.line(4, "float s = 0.0f;")
	n.stmts(4, 2)
	for d := range heads {
		n.line(3-d, "}")
	}
	n.line(1, "}\n}")
	return n.b.String()
}

// extents gives the macros for the arrays' extents: as the largest subscripts of an
// execution demand, so that a box that reaches further is noticed, or ext each
// where there is no program yet.
func extents(p *loop.Unit, size int64) map[string]string {
	most := map[string]int64{"A0": 0, "B0": 0, "B1": 0, "C0": 0, "C1": 0, "D0": 0, "E0": 0, "F0": 0, "G0": 0}
	if p == nil {
		for m := range most {
			most[m] = ext - 1
		}
	} else {
		f := p.Funcs[0]
		o := &oracle{}
		o.env.set(f.Params[0].Var, size)
		o.stmts(f.Body, true, func(x *loop.Index, _, _ bool) {
			ev := o.event(x)
			for d, v := range ev.subs[:len(x.Subs)] {
				m := fmt.Sprint(x.Array.Name, d)
				most[m] = max(most[m], v)
			}
		})
	}
	out := make(map[string]string)
	for m, v := range most {
		out[m] = fmt.Sprint(v + 1)
	}
	return out
}

// TestRandomNestsAreCoveredByTheirPlans puts random nests to the oracle.
func TestRandomNestsAreCoveredByTheirPlans(t *testing.T) {
	var planned, intervals, refused, compatible int
	rapid.Check(t, func(rt *rapid.T) {
		n := &nest{t: rt}
		text := n.source()
		size := rapid.Int64Range(1, trip).Draw(rt, "n")
		wide, err := cfront.Parse("f.c", text, extents(nil, 0))
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		p, err := cfront.Parse("f.c", text, extents(wide, size))
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		f := p.Funcs[0]
		k := f.Kernels()[0]
		opt := tile.Options{SPMBytes: int64(rapid.IntRange(40, 1500).Draw(rt, "spm"))}
		if rapid.Bool().Draw(rt, "n known") {
			opt.Scalars = map[string]int64{"n": size}
		}
		if n.loops > 0 && rapid.Bool().Draw(rt, "tile given") {
			v := fmt.Sprintf("v%d", rapid.IntRange(0, n.loops-1).Draw(rt, "of"))
			opt.Override = map[string]int64{v: rapid.Int64Range(1, 4).Draw(rt, "size")}
		}
		pl, err := tile.Make(p, f, k, opt)
		if again, err2 := tile.Make(p, f, k, opt); err == nil {
			if a, b := tile.Explain(pl), tile.Explain(again); a != b {
				rt.Fatalf("explained as\n%s\nand as\n%s\n%s", a, b, text)
			}
		} else if err2 == nil || err.Error() != err2.Error() {
			rt.Fatalf("refused with %v and with %v\n%s", err, err2, text)
		}
		switch {
		case err != nil:
			refused++
			return
		case pl.Compatible != nil:
			compatible++
			return
		}
		planned++
		if err := capacity(pl); err != nil {
			rt.Fatalf("%v\n%s\n%s", err, text, listing(pl))
		}
		o := &oracle{plan: pl, body: bodyOf(k)}
		o.env.set(f.Params[0].Var, size)
		hosts(o, f.Body, k, func() {
			if err := o.run(func(int64, int64) bool { return true }); err != nil {
				rt.Fatalf("%v\n%s\n%s", err, text, listing(pl))
			}
		})
		intervals += o.intervals
	})
	t.Logf("%d planned with %d intervals, %d refused, %d compatible", planned, intervals, refused, compatible)
	if planned < 20 || intervals < 10*planned {
		t.Errorf("%d nests planned with %d intervals", planned, intervals)
	}
}
