package multiphase

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/exhaust"
	"github.com/warpbound/warpbound/internal/seq"
)

func chainOf(t *testing.T, h Hardware, b *Block, period int) int64 {
	t.Helper()
	a, err := NewAnalyzer(h, Options{Methods: []string{CHAIN}})
	if err != nil {
		t.Fatal(err)
	}
	a.chainPeriod = period
	r, err := a.Block(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return r.Bounds[0].Cycles
}

// TestChainHolds compares CHAIN with exact worst cases of systems with barriers,
// on every kind of hardware it is offered for.
func TestChainHolds(t *testing.T) {
	machines := []struct {
		m exhaust.Machine
		h Hardware
	}{
		{exhaust.Machine{Slots: -1, FIFO: true, OwnOrder: true, ShortLat: true}, unbounded(0)},
		{exhaust.Machine{Slots: -1, OwnOrder: true, ShortLat: true}, anyOrder()},
		{exhaust.Machine{Slots: 0, FIFO: true, OwnOrder: true, ShortLat: true}, queued(NoQueue, 0)},
		{exhaust.Machine{Slots: 1, FIFO: true, OwnOrder: true, ShortLat: true}, queued(Slots, 1)},
		{exhaust.Machine{Slots: 2, Pooled: true, FIFO: true, OwnOrder: true, ShortLat: true}, queued(Pooled, 2)},
	}
	rng := rand.New(rand.NewPCG(31, 32))
	cases := 1500
	if testing.Short() {
		cases = 300
	}
	var e exhaust.Explorer
	tight := 0
	for i := range cases {
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 2 + i%2, Instrs: 5, Units: 2, Init: 3, Lat: 4, Sections: 3, Equal: 3})
		m := machines[i%len(machines)]
		worst, err := e.Worst(&s, m.m)
		if err != nil {
			continue // too large to explore
		}
		r := analyzeBlock(t, m.h, s)
		chain := r.Bound(CHAIN)
		if chain == nil {
			t.Fatalf("%s on %s: not offered", s, m.m)
		}
		if chain.Cycles < int64(worst) {
			t.Fatalf("%s on %s: CHAIN %d, worst case %d", s, m.m, chain.Cycles, worst)
		}
		if chain.Cycles == int64(worst) {
			tight++
		}
		sum := r.Bound(SUM).Cycles
		if m.h.FIFO && chain.Cycles > sum {
			t.Fatalf("%s on %s: CHAIN %d, SUM %d", s, m.m, chain.Cycles, sum)
		}
		if s.Sections() == 1 && chain.Cycles != sum {
			t.Fatalf("%s on %s: one section, CHAIN %d, SUM %d", s, m.m, chain.Cycles, sum)
		}
	}
	if tight == 0 {
		t.Error("CHAIN never equals the worst case")
	}
}

func anyOrder() Hardware {
	h := unbounded(0)
	h.FIFO = false
	return h
}

// TestChainLeavesLatenciesBehind: a load that nobody waits for before the barrier
// is not waited for at the barrier.
func TestChainLeavesLatenciesBehind(t *testing.T) {
	s := parse(t, "F0/1/100 | F1/1/0 | F1/1/0(0)")
	r := analyzeBlock(t, unbounded(0), s)
	// Load 0 to 101; barriers at 1 and 2; the last instruction waits for the load.
	if got := r.Bound(CHAIN).Cycles; got != 102 {
		t.Errorf("CHAIN %d, want 102", got)
	}
	if got := r.Bound(SUM).Cycles; got != 103 {
		t.Errorf("SUM %d, want 103", got)
	}
	s = parse(t, "F0/1/100 | F0/1/100 | F0/1/100")
	if got := analyzeBlock(t, unbounded(0), s).Bound(CHAIN).Cycles; got != 103 {
		t.Errorf("CHAIN %d, want 103", got)
	}
}

// TestChainJumpsExactly compares jumping over repeated sections with executing
// every one.
func TestChainJumpsExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for range 600 {
		units := 1 + rng.IntN(3)
		ops := make([]Op, 6)
		for i := range ops {
			ops[i] = Op{Unit: rng.IntN(units), InitCycles: 1 + rng.Int64N(4), LatencyCycles: rng.Int64N(30), Writes: []int32{rng.Int32N(4)}}
			for range rng.IntN(3) {
				ops[i].Reads = append(ops[i].Reads, rng.Int32N(4))
			}
		}
		bodies := make([]*seq.Seq, 3)
		for i := range bodies {
			run := make([]int32, 1+rng.IntN(5))
			for j := range run {
				run[j] = rng.Int32N(int32(len(ops)))
			}
			bodies[i] = seq.Must(seq.Run(run...))
		}
		b := &Block{}
		period := 1 + rng.IntN(3)
		repeats := 3 + rng.IntN(30)
		for range 1 + rng.IntN(3) {
			p := &Program{Ops: ops}
			part := make([]*seq.Seq, period)
			for i := range part {
				part[i] = bodies[rng.IntN(len(bodies))]
			}
			n := repeats
			if rng.IntN(4) == 0 {
				n = 1 + rng.IntN(repeats) // ends early
			}
			for range n {
				p.Sections = append(p.Sections, part...)
			}
			b.Classes = append(b.Classes, WarpClass{Program: p, Count: 1 + rng.Int64N(3)})
		}
		h := unbounded(units)
		h.BarrierDelayCycles = rng.Int64N(3)
		h.FIFO = rng.IntN(2) == 0
		if jumped, executed := chainOf(t, h, b, maxChainPeriod), chainOf(t, h, b, 0); jumped != executed {
			t.Fatalf("jumped %d, executed %d: %d classes, period %d, repeats %d", jumped, executed, len(b.Classes), period, repeats)
		}
	}
}

// TestChainOfAMillionSections is only possible because repetitions are jumped.
func TestChainOfAMillionSections(t *testing.T) {
	body := seq.Must(seq.Run(0, 1))
	p := &Program{Ops: []Op{{Unit: 0, InitCycles: 2, LatencyCycles: 7, Writes: []int32{0}}, {Unit: 1, InitCycles: 1, Reads: []int32{0}}}}
	for range 1_000_000 {
		p.Sections = append(p.Sections, body)
	}
	h := unbounded(0)
	h.NumUnits = 2
	// A section of one warp: issue 0, initiate to 2, complete at 9, issue at 9,
	// over at 10; the other adds 3.
	if got := chainOf(t, h, &Block{Classes: []WarpClass{{Program: p, Count: 2}}}, maxChainPeriod); got != 13_000_000 {
		t.Errorf("%d cycles, want 13,000,000", got)
	}
}
