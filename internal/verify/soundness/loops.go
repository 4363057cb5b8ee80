package soundness

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// LoopKernel is a random kernel with loops: every warp class runs its own loop
// nest over one table of instructions.
type LoopKernel struct {
	Ops      []method.Op
	Sections [][]*seq.Seq // by class
	Counts   []int64      // warps by class
}

// RandomLoopKernel draws a kernel whose unrolled length per warp is at most limit.
func RandomLoopKernel(rng *rand.Rand, units, limit int) *LoopKernel {
	k := &LoopKernel{Ops: make([]method.Op, 1+rng.IntN(6))}
	maxInit, maxLat, regs := 1+rng.IntN(5), 1+rng.IntN(40), 1+rng.IntN(5)
	for i := range k.Ops {
		op := &k.Ops[i]
		op.Unit, op.InitCycles, op.LatencyCycles = rng.IntN(units), 1+rng.Int64N(int64(maxInit)), rng.Int64N(int64(maxLat))
		for range rng.IntN(3) {
			op.Reads = append(op.Reads, int32(rng.IntN(regs)))
		}
		for range rng.IntN(3) {
			op.Writes = append(op.Writes, int32(rng.IntN(regs)))
		}
		if rng.IntN(3) == 0 {
			*op = method.WithWAW(*op)
		}
	}
	if rng.IntN(3) == 0 {
		// A backlog that loops work off slowly, so that comparisons turn late.
		op := &k.Ops[rng.IntN(len(k.Ops))]
		op.InitCycles, op.LatencyCycles = 1+rng.Int64N(600), rng.Int64N(600)
	}
	sections := 1 + rng.IntN(2)
	for range 1 + rng.IntN(2) {
		var list []*seq.Seq
		for range sections {
			s := randomNest(rng, len(k.Ops), 1+rng.IntN(3))
			for s.Len() > int64(limit) {
				s = randomNest(rng, len(k.Ops), 1+rng.IntN(2))
			}
			list = append(list, s)
		}
		k.Sections, k.Counts = append(k.Sections, list), append(k.Counts, 1+rng.Int64N(2))
	}
	return k
}

func randomNest(rng *rand.Rand, ops, depth int) *seq.Seq {
	var items []seq.Item
	for range 1 + rng.IntN(3) {
		if depth > 0 && rng.IntN(3) > 0 {
			items = append(items, seq.Repeat(rng.Int64N(24), randomNest(rng, ops, depth-1)))
			continue
		}
		run := make([]int32, 1+rng.IntN(4))
		for i := range run {
			run[i] = int32(rng.IntN(ops))
		}
		items = append(items, seq.Run(run...))
	}
	return seq.Must(items...)
}

// Block is the kernel's block, as folded as it was drawn or fully unrolled.
func (k *LoopKernel) Block(unrolled bool) *method.Block {
	b := &method.Block{}
	for i, sections := range k.Sections {
		p := &method.Stream{Ops: k.Ops, Sections: sections}
		if unrolled {
			p.Sections = nil
			for _, s := range sections {
				p.Sections = append(p.Sections, seq.Must(seq.Run(slices.Collect(s.All())...)))
			}
		}
		b.Classes = append(b.Classes, method.WarpClass{Stream: p, Count: k.Counts[i]})
	}
	return b
}

// System is the kernel unrolled, with registers resolved to sources.
func (k *LoopKernel) System() exhaust.System {
	var out exhaust.System
	for i, sections := range k.Sections {
		var p exhaust.Sequence
		writer := map[int32]int{}
		for section, s := range sections {
			for sym := range s.All() {
				op := &k.Ops[sym]
				in := exhaust.Instr{Unit: op.Unit, Init: int(op.InitCycles), Lat: int(op.LatencyCycles), Section: section}
				for _, r := range op.Reads {
					if b, ok := writer[r]; ok && !slices.Contains(in.Src, b) {
						in.Src = append(in.Src, b)
					}
				}
				for _, r := range op.Writes {
					writer[r] = len(p)
				}
				p = append(p, in)
			}
		}
		for range k.Counts[i] {
			out.Warps = append(out.Warps, p)
		}
	}
	return out
}

// String prints the operations and the folded sections.
func (k *LoopKernel) String() string {
	return fmt.Sprintf("ops %+v; classes %v of %v", k.Ops, k.Sections, k.Counts)
}

// RandomRepeatedSections draws a kernel whose classes repeat a group of one to
// four short sections; some end before others, and some sections are empty.
func RandomRepeatedSections(rng *rand.Rand, units int) *LoopKernel {
	k := RandomLoopKernel(rng, units, 40)
	period, repeats := 1+rng.IntN(4), 3+rng.IntN(10)
	k.Sections, k.Counts = nil, nil
	for range 1 + rng.IntN(3) {
		list := []*seq.Seq{randomNest(rng, len(k.Ops), 0)}
		group := make([]*seq.Seq, period)
		for i := range group {
			group[i] = randomNest(rng, len(k.Ops), rng.IntN(2))
			if rng.IntN(8) == 0 {
				group[i] = seq.Must()
			}
		}
		n := repeats
		if rng.IntN(3) == 0 {
			n = 1 + rng.IntN(repeats)
		}
		for range n {
			list = append(list, group...)
		}
		k.Sections, k.Counts = append(k.Sections, list), append(k.Counts, 1+rng.Int64N(2))
	}
	return k
}

// randomLoops compares a folded kernel with itself unrolled, and its bounds with
// an adversarial schedule; then the same with repeated sections in place of long
// loops.
func (c *checker) randomLoops(rng *rand.Rand) (*Violation, error) {
	units := 1 + rng.IntN(3)
	k := RandomLoopKernel(rng, units, 300+rng.IntN(1500))
	m := exhaust.RandomMachine(rng)
	v, err := c.folded(rng, k, units, m, 0)
	if v != nil || err != nil {
		return v, err
	}
	return c.folded(rng, RandomRepeatedSections(rng, units), units, exhaust.RandomMachine(rng), rng.IntN(4))
}

// folded compares one kernel on one machine. Where sections of the folded kernel
// repeat, those of the unrolled one are all different.
func (c *checker) folded(rng *rand.Rand, k *LoopKernel, units int, m exhaust.Rules, barrierDelay int) (*Violation, error) {
	h := Hardware(m, units)
	h.BarrierDelayCycles = int64(barrierDelay)
	h.Units = make([]method.UnitFact, units)
	for _, op := range k.Ops {
		u := &h.Units[op.Unit]
		u.MaxInitCycles = max(u.MaxInitCycles, op.InitCycles)
	}
	a, err := multiphase.NewAnalyzer(h, multiphase.Options{MaxPhases: 1})
	if err != nil {
		return nil, err
	}
	folded, err := a.Block(c.ctx, k.Block(false))
	if err != nil {
		return nil, err
	}
	unrolled, err := a.Block(c.ctx, k.Block(true))
	if err != nil {
		return nil, err
	}
	for i := range folded.Bounds {
		f, u := &folded.Bounds[i], &unrolled.Bounds[i]
		c.compared++
		if f.Cycles != u.Cycles {
			return &Violation{Kind: "folding", Method: f.Method, Machine: m.String(), System: k.String(), BoundCycles: f.Cycles, Cycles: u.Cycles, Detail: "the unrolled kernel has another bound\n"}, nil
		}
	}
	g := exhaust.Grid{Machine: m, Blocks: []exhaust.System{k.System()}, SlotsPerSM: 1, SMs: 1, SubCores: 1, BarrierDelay: barrierDelay}
	tr, err := g.Run(exhaust.NewRandom(rng, m))
	if err != nil {
		return nil, err
	}
	if b := c.exceeded(folded, int64(tr.End)); b != nil {
		return &Violation{Kind: "loops", Method: b.Method, Machine: m.String(), System: k.String(), BoundCycles: b.Cycles, Cycles: int64(tr.End)}, nil
	}
	return nil, nil
}
