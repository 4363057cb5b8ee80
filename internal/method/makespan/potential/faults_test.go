package potential

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

func graphOf(t *testing.T, in *makespan.Instance, base int64) *graph {
	t.Helper()
	p, err := newProblem(in)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGraph(context.Background(), p, p.caps(base), 1<<20, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// without is the graph with only the edges that keep accepts; it is given the
// place of an edge among those of its state with the same move.
func (g *graph) without(keep func(node int, e edge, place int) bool) *graph {
	out := *g
	out.edges, out.start = nil, nil
	for n := range g.nodes() {
		out.start = append(out.start, int32(len(out.edges)))
		place, move := 0, int32(-1)
		for _, e := range g.edges[g.start[n]:g.start[n+1]] {
			if e.move != move {
				place, move = 0, e.move
			}
			if keep(n, e, place) {
				out.edges = append(out.edges, e)
			}
			place++
		}
	}
	out.start = append(out.start, int32(len(out.edges)))
	return &out
}

// accepted derives from a graph with a fault and says whether Check accepts it; a
// certificate that passes is a proof whatever the fault, so it must be a bound.
func accepted(t *testing.T, in *makespan.Instance, g *graph, what string) bool {
	t.Helper()
	r, w, err := improve(context.Background(), g, in.Warps, 100)
	if err != nil {
		t.Fatal(err)
	}
	c := r.certificate(w)
	if c.Check() != nil {
		return false
	}
	if b := c.bound(in.Warps); b.Int64() < reference.Longest(in) {
		t.Errorf("%s: the bound %v passed, exact %d", what, b, reference.Longest(in))
	}
	return true
}

// A capped count that always falls by what executed is the classic error of an
// abstraction: the bound of LLCLL would be wrong.
func TestCheckFindsAWrongSuccessor(t *testing.T) {
	rejected := 0
	for _, text := range []string{"LLCLL", "LCLCL", "CCLLLC", "LCCL", "LLC", "CLLCL"} {
		for _, capacity := range reference.Tuples(2, 2) {
			in := reference.Instance(t, text, 6, capacity...)
			g := graphOf(t, in, 2)
			if !accepted(t, in, g, text) {
				t.Errorf("%s %v: the certificate without a fault is refused", text, capacity)
			}
			if !accepted(t, in, g.without(func(_ int, _ edge, place int) bool { return place == 0 }), text) {
				rejected++
			}
		}
	}
	if rejected < 24 {
		t.Errorf("%d of 24 certificates rejected", rejected)
	}
}

func TestCheckFindsADroppedEdge(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 6, 1, 1)
	g := graphOf(t, in, 2)
	rejected := 0
	for n := range g.edges {
		left := n
		faulty := g.without(func(int, edge, int) bool { left--; return left != -1 })
		if len(faulty.edges) != len(g.edges)-1 {
			t.Fatal("no edge dropped")
		}
		if alive(faulty) && !accepted(t, in, faulty, "LLCLL") {
			rejected++
		}
	}
	if rejected == 0 {
		t.Error("no certificate rejected")
	}
}

// alive says whether every state has a cycle to go on with.
func alive(g *graph) bool {
	for n := range g.nodes() {
		if int32(n) != g.final && g.start[n] == g.start[n+1] {
			return false
		}
	}
	return true
}

// Every number of a certificate matters, except where there is slack.
func TestCheckFindsChangedNumbers(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 6, 1, 1)
	fresh := func() *Certificate {
		c, err := Derive(context.Background(), in, Options{Base: []int64{2}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := fresh()
	start := c.Caps[0]
	for name, spoil := range map[string]func(*Certificate){
		"start lowered":    func(c *Certificate) { c.Offsets[start]-- },
		"start dropped":    func(c *Certificate) { c.Offsets[start] = Unreachable },
		"end raised":       func(c *Certificate) { c.Offsets[0]++ },
		"end lowered":      func(c *Certificate) { c.Offsets[0]-- },
		"weight lowered":   func(c *Certificate) { c.Weights[0][0]-- },
		"last weight":      func(c *Certificate) { c.Weights[4][4]-- },
		"scale raised":     func(c *Certificate) { c.Scale++ },
		"scale zero":       func(c *Certificate) { c.Scale = 0 },
		"cap raised":       func(c *Certificate) { c.Caps[1]++ },
		"cap too small":    func(c *Certificate) { c.Caps[1] = 0 },
		"capacity zero":    func(c *Certificate) { c.Capacities[0] = 0 },
		"kind swapped":     func(c *Certificate) { c.Kinds[2] = 1 - c.Kinds[2] },
		"kind out of them": func(c *Certificate) { c.Kinds[2] = 2 },
		"row missing":      func(c *Certificate) { c.Weights = c.Weights[1:] },
		"row short":        func(c *Certificate) { c.Weights[2] = nil },
		"offsets short":    func(c *Certificate) { c.Offsets = c.Offsets[:1] },
		"huge weight":      func(c *Certificate) { c.Weights[0][0] = 1 << 62 },
		"huge offset":      func(c *Certificate) { c.Offsets[start] = -1 << 62 },
		"empty":            func(c *Certificate) { *c = Certificate{} },
	} {
		c := fresh()
		c.Kinds, c.Capacities = slices.Clone(c.Kinds), slices.Clone(c.Capacities)
		spoil(c)
		if c.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	dropped := 0
	for n, o := range c.Offsets {
		if n == 0 || o == Unreachable {
			continue
		}
		c.Offsets[n] = Unreachable
		if c.Check() != nil {
			dropped++
		}
		c.Offsets[n] = o
	}
	if dropped == 0 {
		t.Error("no dropped state is missed")
	}
	for n, o := range c.Offsets {
		if o == Unreachable {
			continue
		}
		c.Offsets[n] = o - 1_000_000
		if c.Check() == nil {
			t.Errorf("state %d lowered: accepted", n)
		}
		c.Offsets[n] = o
	}
}

// An ended context ends the check of a course, too: there may be millions of states.
func TestCheckOfACourseEnds(t *testing.T) {
	c, err := DeriveCourses(context.Background(), reference.Instance(t, "LCL", 6, 1, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.checkCourse(gone, &c.Courses[0]); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Potentials grow with the warps: where they would leave int64 nothing is searched,
// and nothing is said but the bound.
func TestExactRefusesLargePotentials(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 6, 1, 1)
	c, err := Derive(context.Background(), in, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The same proof in smaller units.
	const finer = 1 << 36
	c.Scale *= finer
	for p := range c.Weights {
		for i := range c.Weights[p] {
			c.Weights[p][i] *= finer
		}
	}
	for n := range c.Offsets {
		if c.Offsets[n] != Unreachable {
			c.Offsets[n] *= finer
		}
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if r, err := Exact(context.Background(), in, c, Limits{}); err != nil || !r.Exact || r.Cycles != 25 {
		t.Errorf("%+v, %v", r, err)
	}
	const warps = 1 << 26
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	r, err := Exact(ctx, in.WithWarps(warps), c, Limits{})
	var limit *makespan.LimitError
	if !errors.As(err, &limit) || limit.What != "states" || limit.Cycles != 4*warps+1 || r.UpperCycles != 4*warps+1 || r.Cycles != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, _, err := dive(ctx, c, in.WithWarps(warps), tieFirst, 0); !errors.As(err, &limit) || limit.What != "states" {
		t.Errorf("%v", err)
	}
	for _, edge := range []struct {
		warps, cycles int64
		want          bool
	}{{1, 0, true}, {1 << 24, 0, true}, {1 << 24, 1 << 27, false}, {1 << 25, 0, false}, {math.MaxInt64, math.MaxInt64, false}} {
		if got := c.fits(edge.warps, edge.cycles); got != edge.want {
			t.Errorf("%+v: %t, weights up to %d", edge, got, c.Weights[0][0])
		}
	}
}
