package depend_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

// dice draws a number below n.
type dice func(n int) int

func (d dice) of(xs ...string) string { return xs[d(len(xs))] }

// nestSource writes a random function with one kernel of small constant bounds.
// Subscripts stay inside the arrays. With data, some conditions are on data; with
// symbols, bounds and subscripts name the parameter n, which is 0 to 3.
func nestSource(d dice, data, symbols bool) string {
	g := &generator{d: d, data: data, symbols: symbols}
	var b strings.Builder
	b.WriteString("void f(int n, float A[restrict 1000], float D[restrict 200][200], float B[restrict 1000]) {\n")
	if symbols {
		b.WriteString("if (n >= 0 && n <= 3) {\n")
	}
	collapse := 1 + d(2)
	fmt.Fprintf(&b, "%scollapse(%d)\n", target[1:], collapse)
	for v := range collapse {
		b.WriteString(g.loop([]string{"i", "j"}[v], false))
	}
	g.names = append(g.names, []string{"i", "j"}[:collapse]...)
	b.WriteString("{\n" + g.body(2) + "}\n}")
	if symbols {
		b.WriteString("}")
	}
	return b.String()
}

type generator struct {
	d             dice
	data, symbols bool
	names         []string // of the loop variables in scope
	loops         int
}

// loop writes the head of a loop, with at most 5 iterations if it is rectangular.
func (g *generator) loop(v string, triangular bool) string {
	lo, trip, step := g.d(6)-2, 1+g.d(5), []int{1, 1, 1, 2, 3, -1, -2}[g.d(7)]
	first := fmt.Sprint(lo)
	last := fmt.Sprint(lo + trip*step)
	if step < 0 {
		first = fmt.Sprint(lo + 4)
		last = fmt.Sprint(lo + 4 + trip*step)
	}
	if triangular && len(g.names) > 0 {
		switch n := g.names[g.d(len(g.names))]; g.d(3) {
		case 0:
			first = n + " + " + fmt.Sprint(g.d(3)-1)
		case 1:
			last = n + " + " + fmt.Sprint(g.d(3)-1)
		}
	}
	if g.symbols && g.d(3) == 0 {
		last += " + n"
	}
	cmp := g.d.of("<", "<=")
	if step < 0 {
		cmp = g.d.of(">", ">=")
	}
	return fmt.Sprintf("for (int %s = %s; %s %s %s; %s += %d) ", v, first, v, cmp, last, v, step)
}

// affine writes a form with coefficients -3 to 3 over what is in scope.
func (g *generator) affine() string {
	e := fmt.Sprint(g.d(7) - 3)
	for _, n := range g.names {
		if c := g.d(7) - 3; c != 0 && g.d(3) > 0 {
			e += fmt.Sprintf(" + %d * %s", c, n)
		}
	}
	if g.symbols && g.d(4) == 0 {
		e += fmt.Sprintf(" + %d * n", g.d(5)-2)
	}
	return e
}

func (g *generator) element() string {
	switch g.d(4) {
	case 0:
		return "A[500 + " + g.affine() + "]"
	case 1:
		return "A[500 + " + g.affine() + "]"
	case 2:
		return "D[100 + " + g.affine() + "][100 + " + g.affine() + "]"
	}
	// One variable a dimension is what programs mostly have.
	return fmt.Sprintf("D[100 + %s][100 + %s + %d]", g.d.of(g.names...), g.d.of(g.names...), g.d(3)-1)
}

func (g *generator) condition() string {
	switch g.d(8) {
	case 0:
		return "(" + g.condition() + " && " + g.condition() + ")"
	case 1:
		return "(" + g.condition() + " || " + g.condition() + ")"
	case 2:
		return "!(" + g.condition() + ")"
	case 3:
		if g.data {
			return "B[3] > 0.5f"
		}
	}
	return g.affine() + g.d.of(" < ", " <= ", " > ", " >= ", " == ", " != ") + g.affine()
}

func (g *generator) body(depth int) string {
	var b strings.Builder
	for range 1 + g.d(2) {
		switch k := g.d(6); {
		case k == 0 && depth > 0:
			fmt.Fprintf(&b, "if (%s) {\n%s}", g.condition(), g.body(depth-1))
			if g.d(2) == 0 {
				fmt.Fprintf(&b, " else {\n%s}", g.body(depth-1))
			}
			b.WriteString("\n")
		case k < 3 && depth > 0:
			g.loops++
			v := fmt.Sprintf("v%d", g.loops)
			b.WriteString(g.loop(v, true))
			g.names = append(g.names, v)
			fmt.Fprintf(&b, "{\n%s}\n", g.body(depth-1))
			g.names = g.names[:len(g.names)-1]
		case k == 3:
			fmt.Fprintf(&b, "%s = %s;\n", g.element(), g.element())
		case k == 4:
			fmt.Fprintf(&b, "%s = %s ? %s : 0.0f;\n", g.element(), g.condition(), g.element())
		default:
			fmt.Fprintf(&b, "%s = 1.0f;\n", g.element())
		}
	}
	return b.String()
}

// touch is what the SIMT iterations so far did to an element: the first two that
// wrote it, and the first two that read it.
type touch struct{ write, read [2]int }

// runner executes a kernel by enumeration. It shares no code with the test under
// test.
type runner struct {
	collapse  int
	env       map[*loop.Var]int64
	current   int // number of the SIMT iteration, from 1
	touched   map[string]*touch
	dependent bool // two iterations touch one element, or may, depending on data
	depth     int
}

func (r *runner) stmts(list []loop.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *loop.For:
			lo, hi := r.number(s.Lo), r.number(s.Hi)
			for v := lo; s.Cmp == loop.Lt && v < hi || s.Cmp == loop.Le && v <= hi || s.Cmp == loop.Gt && v > hi || s.Cmp == loop.Ge && v >= hi; v += s.Step {
				r.env[s.Var] = v
				r.depth++
				if r.depth == r.collapse {
					r.current++
				}
				r.stmts(s.Body)
				r.depth--
			}
			delete(r.env, s.Var)
		case *loop.If:
			yes, no := r.truth(s.Cond)
			if yes {
				r.stmts(s.Then)
			}
			if no {
				r.stmts(s.Else)
			}
		case *loop.Block:
			r.stmts(s.Body)
		case *loop.Assign:
			r.reads(s.RHS)
			r.element(s.LHS.(*loop.Index), true)
		}
	}
}

// truth says whether a condition may be true and whether it may be false.
func (r *runner) truth(e loop.Expr) (yes, no bool) {
	switch e := e.(type) {
	case *loop.Unary:
		if e.Op == loop.Not {
			yes, no = r.truth(e.X)
			return no, yes
		}
	case *loop.Binary:
		if e.X.Type().IsFloat() {
			r.reads(e.X)
			return true, true
		}
		if e.Op == loop.LAnd || e.Op == loop.LOr {
			yes, no = r.truth(e.X)
			if e.Op == loop.LAnd && yes {
				y, n := r.truth(e.Y)
				return y, no || n
			}
			if e.Op == loop.LOr && no {
				y, n := r.truth(e.Y)
				return yes || y, n
			}
			return yes, no
		}
	}
	v := r.number(e)
	return v != 0, v == 0
}

func (r *runner) reads(e loop.Expr) {
	switch e := e.(type) {
	case *loop.Index:
		r.element(e, false)
	case *loop.Cond:
		yes, no := r.truth(e.If)
		if yes {
			r.reads(e.Then)
		}
		if no {
			r.reads(e.Else)
		}
	case *loop.Binary:
		r.reads(e.X)
		r.reads(e.Y)
	case *loop.Convert:
		r.reads(e.X)
	}
}

func (r *runner) element(x *loop.Index, write bool) {
	key := x.Array.Name
	for _, s := range x.Subs {
		key += fmt.Sprint(" ", r.number(s))
	}
	t := r.touched[key]
	if t == nil {
		t = new(touch)
		r.touched[key] = t
	}
	other := func(xs [2]int) bool {
		return xs[0] != 0 && xs[0] != r.current || xs[1] != 0 && xs[1] != r.current
	}
	r.dependent = r.dependent || other(t.write) || write && other(t.read)
	list := &t.read
	if write {
		list = &t.write
	}
	switch {
	case list[0] == 0:
		list[0] = r.current
	case list[0] != r.current && list[1] == 0:
		list[1] = r.current
	}
}

func (r *runner) number(e loop.Expr) int64 {
	flag := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	switch e := e.(type) {
	case *loop.IntLit:
		return e.Value
	case *loop.Ref:
		return r.env[e.Var]
	case *loop.Unary:
		if e.Op == loop.Neg {
			return -r.number(e.X)
		}
		return flag(r.number(e.X) == 0)
	case *loop.Binary:
		x, y := r.number(e.X), r.number(e.Y)
		switch e.Op {
		case loop.Add:
			return x + y
		case loop.Sub:
			return x - y
		case loop.Mul:
			return x * y
		case loop.Lt:
			return flag(x < y)
		case loop.Le:
			return flag(x <= y)
		case loop.Gt:
			return flag(x > y)
		case loop.Ge:
			return flag(x >= y)
		case loop.Eq:
			return flag(x == y)
		case loop.Ne:
			return flag(x != y)
		}
	}
	panic("no number: " + loop.ExprString(e))
}

// dependent enumerates the kernel for every value of n.
func dependent(p *loop.Unit, k *loop.Nest, symbols bool) bool {
	n := p.Funcs[0].Params[0].Var
	for v := range int64(4) {
		r := &runner{collapse: k.Collapse, env: map[*loop.Var]int64{n: v}, touched: make(map[string]*touch)}
		r.stmts([]loop.Stmt{k.Loop})
		if r.dependent {
			return true
		}
		if !symbols {
			break
		}
	}
	return false
}

func proved(err error) bool {
	return err != nil && !strings.Contains(err.Error(), "cannot be excluded")
}

// A nest that is called independent is, and one with a proved dependence has one.
func TestNestsAreJudgedSoundly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := dice(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "d") })
		data, symbols := d(3) == 0, d(2) == 0
		source := nestSource(d, data, symbols)
		p, k := parse(t, source)
		err := depend.Kernel(p, k)
		switch is := dependent(p, k, symbols); {
		case is && err == nil:
			t.Fatalf("a dependence was overlooked:\n%s", source)
		case !is && proved(err):
			t.Fatalf("%v: no such dependence:\n%s", err, source)
		}
	})
}

// Most nests that are independent are found to be.
func TestPrecision(t *testing.T) {
	for _, c := range []struct {
		name    string
		data    bool
		symbols bool
		floor   float64
	}{
		{"constant bounds", false, false, 0.99},
		{"conditions on data", true, false, 0.99},
		{"a parameter", false, true, 0.99},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		independent, accepted, dependents, witnessed := 0, 0, 0, 0
		for range 600 {
			source := nestSource(rng.IntN, c.data, c.symbols)
			p, k := parse(t, source)
			err := depend.Kernel(p, k)
			if dependent(p, k, c.symbols) {
				dependents++
				if err == nil {
					t.Fatalf("a dependence was overlooked:\n%s", source)
				}
				if proved(err) {
					witnessed++
				}
				continue
			}
			independent++
			if err == nil {
				accepted++
			} else if proved(err) {
				t.Fatalf("%v: no such dependence:\n%s", err, source)
			} else {
				t.Logf("not accepted: %v\n%s", err, source)
			}
		}
		t.Logf("%s: %d of %d independent nests accepted; %d of %d dependences proved", c.name, accepted, independent, witnessed, dependents)
		if share := float64(accepted) / float64(independent); share < c.floor || independent < 100 {
			t.Errorf("%s: %.3f of %d independent nests accepted, want %.2f", c.name, share, independent, c.floor)
		}
	}
}
