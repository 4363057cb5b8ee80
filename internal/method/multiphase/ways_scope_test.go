package multiphase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// anyHardware draws hardware of every kind that SUM or FUA is offered for.
func anyHardware(rng *rand.Rand, units int) method.Hardware {
	h := unbounded(units)
	h.Queue = method.QueueKind(rng.IntN(4))
	if h.Queue == method.Slots {
		h.QueueSlots = 1 + rng.IntN(3)
	}
	h.KeepsWarpOrder = rng.IntN(3) > 0
	h.FIFO = h.KeepsWarpOrder && rng.IntN(2) == 0
	h.DrainingBarriers = rng.IntN(2) == 0
	h.SubCores = 1 + rng.IntN(2)
	h.Units = make([]method.UnitFact, units)
	for u := range h.Units {
		h.Units[u].Shared = rng.IntN(3) == 0
	}
	h.BarrierDelayCycles, h.BlockStartDelayCycles = rng.Int64N(3), rng.Int64N(3)
	h.SlotsPerSM, h.SMs = 1+rng.Int64N(3), 1+rng.Int64N(2)
	return h
}

// waysOf is a stream of sections with choices, and the paths of each section.
type waysOf struct {
	stream *method.Stream
	paths  [][]*seq.Seq
}

// randomWays draws a stream that has few paths.
func randomWays(rng *rand.Rand, ops []method.Op, sections int) waysOf {
	m := newMaker()
	w := waysOf{stream: &method.Stream{Ops: ops}}
	for len(w.paths) < sections {
		e := m.random(rng, len(ops), 1+rng.IntN(2))
		if paths, ok := few(e, 40); ok {
			w.stream.Choices = append(w.stream.Choices, e)
			w.paths = append(w.paths, paths)
		}
	}
	return w
}

// taken is the stream of a warp that takes one of the paths, in sections of so many of
// its own.
func (w *waysOf) taken(rng *rand.Rand, sections []int32) *method.Stream {
	out := &method.Stream{Ops: w.stream.Ops}
	for _, k := range sections {
		paths := w.paths[k]
		out.Sections = append(out.Sections, paths[rng.IntN(len(paths))])
	}
	return out
}

// grid is a grid of blocks of warps with choices.
type grid struct {
	hw      method.Hardware
	streams []waysOf
	// classes of warps by class of blocks; each names a stream.
	blocks []gridBlock
	// stages are the orders in which sections come.
	stages [][]int32
}

type gridBlock struct {
	count int64
	warps []gridWarps
}

type gridWarps struct {
	stream, core int
	count        int64
}

func randomGrid(rng *rand.Rand) *grid {
	units := 1 + rng.IntN(3)
	g := &grid{hw: anyHardware(rng, units)}
	ops := randomOps(rng, 2+rng.IntN(4), units)
	sections := 1 + rng.IntN(3)
	for range 1 + rng.IntN(2) {
		g.streams = append(g.streams, randomWays(rng, ops, sections))
	}
	g.stages = [][]int32{nil}
	for k := range int32(sections) {
		g.stages[0] = append(g.stages[0], k)
	}
	if m := newMaker(); rng.IntN(2) == 0 {
		stages := m.must(m.Concat(m.run(int32(rng.IntN(sections))), m.random(rng, sections, 2)))
		if rng.IntN(2) == 0 {
			g.hw.BarrierDelayCycles = rng.Int64N(500)
		}
		if paths, ok := few(stages, 40); ok {
			g.stages = nil
			for _, p := range paths {
				g.stages = append(g.stages, slices.Collect(p.All()))
			}
			for i := range g.streams {
				g.streams[i].stream.Stages = stages
			}
		}
	}
	for range 1 + rng.IntN(2) {
		b := gridBlock{count: 1 + rng.Int64N(3)}
		for range 1 + rng.IntN(2) {
			b.warps = append(b.warps, gridWarps{rng.IntN(len(g.streams)), rng.IntN(g.hw.SubCores), 1 + rng.Int64N(2)})
		}
		g.blocks = append(g.blocks, b)
	}
	return g
}

// sets is the grid with its choices.
func (g *grid) sets() []method.BlockClass {
	var out []method.BlockClass
	for _, b := range g.blocks {
		block := &method.Block{}
		for _, w := range b.warps {
			block.Classes = append(block.Classes, method.WarpClass{Stream: g.streams[w.stream].stream, Count: w.count, SubCore: w.core})
		}
		out = append(out, method.BlockClass{Block: block, Count: b.count})
	}
	return out
}

// taken is the grid with a path for each warp of each block.
func (g *grid) taken(rng *rand.Rand) []method.BlockClass {
	var out []method.BlockClass
	for _, b := range g.blocks {
		for range b.count {
			block := &method.Block{}
			sections := g.stages[rng.IntN(len(g.stages))]
			for _, w := range b.warps {
				for range w.count {
					block.Classes = append(block.Classes, method.WarpClass{Stream: g.streams[w.stream].taken(rng, sections), Count: 1, SubCore: w.core})
				}
			}
			out = append(out, method.BlockClass{Block: block, Count: 1})
		}
	}
	return out
}

// bounds are the bounds by SUM and FUA at every scope, of the first warp and the
// first block where a scope is of one.
func (g *grid) bounds(blocks []method.BlockClass) (map[string]int64, error) {
	ctx := context.Background()
	out := map[string]int64{}
	a, err := NewAnalyzer(g.hw, Options{Methods: []string{SUM, FUA}})
	if err != nil {
		return nil, err
	}
	first := blocks[0].Block
	for _, scope := range []struct {
		name  string
		bound func() (*bound.Result, error)
	}{
		{"warp", func() (*bound.Result, error) { return a.Warp(ctx, first.Classes[0].Stream) }},
		{"block", func() (*bound.Result, error) { return a.Block(ctx, first) }},
		{"SM", func() (*bound.Result, error) { return a.SM(ctx, blocks) }},
		{"kernel", func() (*bound.Result, error) { return a.Kernel(ctx, blocks) }},
	} {
		r, err := scope.bound()
		if err != nil {
			return nil, err
		}
		for _, method := range []string{SUM, FUA} {
			if b := r.Bound(method); b != nil {
				out[scope.name+" "+method] = b.Cycles
			}
		}
	}
	return out, nil
}

// everyLaunch compares the bounds of launches whose warps have choices with those
// of the same launches along drawn paths, which no bound may exceed; where nothing
// can be chosen they agree. It returns how often a bound was of a launch with
// choices, by scope and method.
func everyLaunch(seed uint64, cases, draws int) (map[string]int, error) {
	rng := rand.New(rand.NewPCG(seed, 5))
	seen := map[string]int{}
	for range cases {
		g := randomGrid(rng)
		sets := g.sets()
		got, err := g.bounds(sets)
		if err != nil {
			return seen, err
		}
		choices := slices.ContainsFunc(g.streams, func(w waysOf) bool { return w.stream.HasChoices() })
		for range draws {
			taken := g.taken(rng)
			one, err := g.bounds(taken)
			if err != nil {
				return seen, err
			}
			for name := range got {
				cycles, ok := one[name]
				if !ok {
					return seen, fmt.Errorf("with choices %v, without %v", got, one)
				}
				if cycles > got[name] || !choices && cycles != got[name] {
					return seen, fmt.Errorf("%+v: %s is %d, along paths of it %d", g, name, got[name], cycles)
				}
				if choices {
					seen[name]++
				}
			}
		}
	}
	return seen, nil
}

func TestBoundsCoverEveryPath(t *testing.T) {
	seen, err := everyLaunch(75, scale(400, 5000), 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"warp sum", "warp fua", "block sum", "block fua", "SM sum", "SM fua", "kernel sum", "kernel fua"} {
		if seen[name] < 100 {
			t.Errorf("%s: compared %d times, too few to tell", name, seen[name])
		}
	}
}

// TestChargesOfStages: what warps start is most on another path of stages than time is, where
// barriers take long.
func TestChargesOfStages(t *testing.T) {
	m := newMaker()
	h := unbounded(1)
	h.BarrierDelayCycles = 1000
	a := newTestAnalyzer(t, h)
	s := &method.Stream{Ops: []method.Op{{Unit: 0, InitCycles: 100, LatencyCycles: 1}, {Unit: 0, InitCycles: 1, LatencyCycles: 1}},
		Choices: []*choice.Expr{m.run(0), m.run(1)}, Stages: m.must(m.One(m.run(0), m.run(1, 1, 1, 1)))}
	p, err := a.plan(&method.Block{Classes: []method.WarpClass{{Stream: s, Count: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := a.blockCharges(t.Context(), p)
	if err != nil || q.sum != 100 || q.iso != 3*1000+4*2 {
		t.Errorf("charges %d, isolated %d, %v, expected 100 and 3008", q.sum, q.iso, err)
	}
}

// TestLastBlockIsOneExpression: which block ends last decides two summands of
// theorem 4 (one SM) together.
func TestLastBlockIsOneExpression(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 50, LatencyCycles: 1}, {Unit: 0, InitCycles: 1, LatencyCycles: 90}}
	m := newMaker()
	block := func(e *choice.Expr) *method.Block {
		return &method.Block{Classes: []method.WarpClass{{Stream: &method.Stream{Ops: ops, Choices: []*choice.Expr{e}}, Count: 1}}}
	}
	h := unbounded(1)
	h.SlotsPerSM = 2
	a := newTestAnalyzer(t, h)
	r, err := a.SM(t.Context(), []method.BlockClass{{Block: block(m.must(m.AtMost(1, m.run(0)))), Count: 1}, {Block: block(m.must(m.AtMost(1, m.run(1)))), Count: 1}})
	if err != nil {
		t.Fatal(err)
	}
	// Charges 50 and 1, isolated times 51 and 91: the second last, 50 + 91.
	if b := r.Bound(SUM); b.Cycles != 141 {
		t.Errorf("SUM %d, want 141: %v", b.Cycles, b.Breakdown)
	}
}
