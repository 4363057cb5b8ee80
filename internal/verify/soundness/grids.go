package soundness

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// schedulesPerGrid is how many adversaries run each random grid.
const schedulesPerGrid = 12

// randomGrid draws blocks on SMs and compares the bounds with adversarial
// schedules, which need not reach the worst case.
func (c *checker) randomGrid(rng *rand.Rand) (*Violation, error) {
	m := exhaust.RandomMachine(rng)
	g := exhaust.Grid{Machine: m, SlotsPerSM: 1 + rng.IntN(3), SMs: 1 + rng.IntN(3), SubCores: 1}
	if rng.IntN(3) == 0 {
		g.SubCores = 2
	}
	if rng.IntN(2) == 0 {
		g.BarrierDelay, g.StartDelay = rng.IntN(12), rng.IntN(8)
	}
	shape := exhaust.Shape{Warps: 1 + rng.IntN(4), Instrs: 1 + rng.IntN(9), Units: 1 + rng.IntN(3), Init: 1 + rng.IntN(4), Lat: rng.IntN(8), Sections: 1 + rng.IntN(3), Equal: 3}
	kinds := make([]exhaust.System, 1+rng.IntN(3))
	for i := range kinds {
		kinds[i] = exhaust.RandomSystem(rng, shape)
	}
	blocks := 1
	if rng.IntN(4) > 0 {
		blocks = 1 + rng.IntN(7)
	}
	counts := make([]int64, len(kinds))
	for range blocks {
		k := rng.IntN(len(kinds))
		counts[k]++
		g.Blocks = append(g.Blocks, kinds[k])
	}
	h := Hardware(m, shape.Units)
	h.SlotsPerSM, h.SMs, h.SubCores = int64(g.SlotsPerSM), int64(g.SMs), g.SubCores
	h.BarrierDelayCycles, h.BlockStartDelayCycles = int64(g.BarrierDelay), int64(g.StartDelay)
	stateFacts(&h, kinds...)
	if g.SubCores > 1 && rng.IntN(2) == 0 {
		g.Shared = make([]bool, shape.Units)
		for u := range g.Shared {
			g.Shared[u] = rng.IntN(2) == 0
			h.Units[u].Shared = g.Shared[u]
		}
	}
	a, err := multiphase.NewAnalyzer(h, multiphase.Options{MaxPhases: 1})
	if err != nil {
		return nil, err
	}
	var classes []method.BlockClass
	for i, n := range counts {
		if n > 0 {
			classes = append(classes, method.BlockClass{Block: Block(kinds[i], g.SubCores), Count: n})
		}
	}
	analyse := a.Kernel
	if g.SMs == 1 {
		analyse = a.SM
	}
	r, err := analyse(c.ctx, classes)
	if err != nil {
		return nil, err
	}
	for range schedulesPerGrid {
		tr, err := g.Run(exhaust.NewRandom(rng, m))
		if err != nil {
			return nil, err
		}
		b := c.exceeded(r, int64(tr.End))
		text := disordered(r)
		if b == nil && text == "" {
			continue
		}
		v := &Violation{Kind: "grid", Method: "all", Machine: gridText(&g), System: blocksText(&g), Cycles: int64(tr.End), Detail: text}
		if b != nil {
			v.Method, v.BoundCycles = b.Method, b.Cycles
		}
		return v, nil
	}
	return nil, nil
}

func gridText(g *exhaust.Grid) string {
	return fmt.Sprintf("%s, %d SM(s) of %d slot(s), %d sub-core(s), shared units %v, barrier delay %d, start delay %d",
		g.Machine, g.SMs, g.SlotsPerSM, g.SubCores, g.Shared, g.BarrierDelay, g.StartDelay)
}

// blocksText lists the blocks in their order, " // " between them.
func blocksText(g *exhaust.Grid) string {
	var parts []string
	for _, b := range g.Blocks {
		parts = append(parts, b.String())
	}
	return strings.Join(parts, " // ")
}
