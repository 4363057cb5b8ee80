package multiphase

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

func chainOf(t *testing.T, h method.Hardware, b *method.Block, period int) int64 {
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
		m exhaust.Rules
		h method.Hardware
	}{
		{exhaust.Rules{Slots: -1, FIFO: true, OwnOrder: true, ShortLat: true}, unbounded(0)},
		{exhaust.Rules{Slots: -1, OwnOrder: true, ShortLat: true}, anyOrder()},
		{exhaust.Rules{Slots: 0, FIFO: true, OwnOrder: true, ShortLat: true}, queued(method.NoQueue, 0)},
		{exhaust.Rules{Slots: 1, FIFO: true, OwnOrder: true, ShortLat: true}, queued(method.Slots, 1)},
		{exhaust.Rules{Slots: 2, Pooled: true, FIFO: true, OwnOrder: true, ShortLat: true}, queued(method.Pooled, 2)},
	}
	rng := rand.New(rand.NewPCG(31, 32))
	cases := 1500
	if testing.Short() {
		cases = 300
	}
	var e exhaust.Explorer
	tight, tooLarge := 0, 0
	for i := range cases {
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 2 + i%2, Instrs: 5, Units: 2, Init: 3, Lat: 4, Sections: 3, Equal: 3})
		m := machines[i%len(machines)]
		worst, err := e.Worst(&s, m.m)
		if err != nil && !errors.Is(err, exhaust.ErrStates) {
			t.Fatal(err)
		}
		if err != nil {
			tooLarge++
			continue
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
		parts := int64(0)
		for _, c := range chain.Breakdown {
			parts += c.Cycles
		}
		if parts != chain.Cycles {
			t.Fatalf("%s on %s: CHAIN %d, its parts %+v", s, m.m, chain.Cycles, chain.Breakdown)
		}
		sum := r.Bound(SUM).Cycles
		if m.h.FIFO && withoutGaps(s) && chain.Cycles > sum {
			t.Fatalf("%s on %s: CHAIN %d, SUM %d", s, m.m, chain.Cycles, sum)
		}
		if s.Sections() == 1 && chain.Cycles != sum {
			t.Fatalf("%s on %s: one section, CHAIN %d, SUM %d", s, m.m, chain.Cycles, sum)
		}
	}
	if tooLarge > cases/2 {
		t.Errorf("%d of %d systems are too large to explore", tooLarge, cases)
	}
	if tight == 0 {
		t.Error("CHAIN never equals the worst case")
	}
}

// TestChainHoldsOnSubCores compares CHAIN with adversarial schedules of blocks on
// two sub-cores with private and shared units and barrier delays. On very small
// blocks the schedules reach it.
func TestChainHoldsOnSubCores(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	cases := 3000
	if testing.Short() {
		cases = 600
	}
	tight := 0
	for range cases {
		shape := exhaust.Shape{Warps: 2 + rng.IntN(3), Instrs: 2 + rng.IntN(5), Units: 1 + rng.IntN(3), Init: 4, Lat: 6, Sections: 2 + rng.IntN(3), Equal: 3}
		s := exhaust.RandomSystem(rng, shape)
		m := exhaust.Rules{Slots: rng.IntN(3) - 1, FIFO: rng.IntN(2) == 0, OwnOrder: true, ShortLat: rng.IntN(2) == 0}
		h := unbounded(0)
		h.FIFO, h.SubCores, h.BarrierDelayCycles = m.FIFO, 2, rng.Int64N(4)
		switch {
		case m.Slots == 0:
			h.Queue = method.NoQueue
		case m.Slots > 0:
			h.Queue, h.QueueSlots = method.Slots, m.Slots
			if m.Pooled = rng.IntN(2) == 0; m.Pooled {
				h.Queue = method.Pooled
			}
		}
		h = withFacts(h, s)
		g := exhaust.Grid{Machine: m, Blocks: []exhaust.System{s}, SlotsPerSM: 1, SMs: 1, SubCores: 2, BarrierDelay: int(h.BarrierDelayCycles)}
		for u := range h.Units {
			h.Units[u].Shared = rng.IntN(2) == 0
			g.Shared = append(g.Shared, h.Units[u].Shared)
		}
		b := blockOf(s)
		for w := range b.Classes {
			b.Classes[w].SubCore = w % 2
		}
		chain := chainOf(t, h, b, maxChainPeriod)
		for range 10 {
			tr, err := g.Run(exhaust.NewRandom(rng, m))
			if err != nil {
				t.Fatal(err)
			}
			if int64(tr.End) > chain {
				t.Fatalf("%s on %s, shared %v, delay %d: CHAIN %d, a schedule of %d", s, m, g.Shared, g.BarrierDelay, chain, tr.End)
			}
			if int64(tr.End) == chain {
				tight++
			}
		}
	}
	if tight == 0 {
		t.Error("no schedule reaches CHAIN")
	}
}

// withoutGaps tells whether no warp leaves out a section between two of its own.
func withoutGaps(s exhaust.System) bool {
	for _, p := range s.Warps {
		for j := 1; j < len(p); j++ {
			if p[j].Section > p[j-1].Section+1 {
				return false
			}
		}
	}
	return true
}

func anyOrder() method.Hardware {
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
	// A warp that leaves out a section is charged all of it, initiations that
	// overlap included: 1 + 30 + 1 of the other warp on top of 102.
	s = parse(t, "F0/1/100 | | F0/1/0(0) ; F1/1/0 | F1/10/0 F2/10/0 F3/10/0 | F1/1/0")
	r = analyzeBlock(t, unbounded(0), s)
	if chain, sum := r.Bound(CHAIN).Cycles, r.Bound(SUM).Cycles; chain != 134 || sum != 116 {
		t.Errorf("CHAIN %d, SUM %d, want 134, 116", chain, sum)
	}
	s = parse(t, "F0/1/100 | F0/1/100 | F0/1/100")
	if got := analyzeBlock(t, unbounded(0), s).Bound(CHAIN).Cycles; got != 103 {
		t.Errorf("CHAIN %d, want 103", got)
	}
}

// TestChainJumpsExactly compares jumping over repeated sections with executing
// every one: warps that start late or end early, sections without instructions,
// groups of up to four sections behind a beginning and before an end of others.
func TestChainJumpsExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	cases := 4000
	if testing.Short() {
		cases = 1000
	}
	for i := range cases {
		units := 1 + rng.IntN(3)
		h := unbounded(units)
		h.BarrierDelayCycles = rng.Int64N(3)
		h.SubCores = 1 + rng.IntN(2)
		switch rng.IntN(5) {
		case 0:
			h.FIFO = false
		case 1:
			h.Queue = method.NoQueue
		case 2:
			h.Queue, h.QueueSlots, h.FIFO = method.Slots, 1, rng.IntN(2) == 0
		case 3:
			h.Queue, h.FIFO = method.Pooled, rng.IntN(2) == 0
		}
		b := repeatedSections(rng, units, h.SubCores)
		if jumped, executed := chainOf(t, h, b, maxChainPeriod), chainOf(t, h, b, 0); jumped != executed {
			t.Fatalf("case %d: jumped %d, executed %d: %d classes on %+v", i, jumped, executed, len(b.Classes), h)
		}
	}
}

// repeatedSections is a block whose classes repeat groups of sections, each from
// a section of its own to one of its own.
func repeatedSections(rng *rand.Rand, units, cores int) *method.Block {
	maxLat := []int64{4, 30, 600}[rng.IntN(3)]
	ops := make([]method.Op, 6)
	for i := range ops {
		ops[i] = method.Op{Unit: rng.IntN(units), InitCycles: 1 + rng.Int64N(4), LatencyCycles: rng.Int64N(maxLat), Writes: []int32{rng.Int32N(4)}}
		for range rng.IntN(3) {
			ops[i].Reads = append(ops[i].Reads, rng.Int32N(4))
		}
	}
	bodies := []*seq.Seq{seq.Must()}
	for range 4 {
		run := make([]int32, 1+rng.IntN(5))
		for j := range run {
			run[j] = rng.Int32N(int32(len(ops)))
		}
		body := seq.Must(seq.Run(run...))
		if rng.IntN(4) == 0 {
			body = seq.Must(seq.Repeat(2+rng.Int64N(9), body))
		}
		bodies = append(bodies, body)
	}
	draw := func(n int) []*seq.Seq {
		part := make([]*seq.Seq, n)
		for i := range part {
			part[i] = bodies[min(1+rng.IntN(len(bodies)), len(bodies)-1)]
			if rng.IntN(8) == 0 {
				part[i] = bodies[0]
			}
		}
		return part
	}
	b := &method.Block{}
	period, repeats, before := 1+rng.IntN(4), 3+rng.IntN(30), rng.IntN(3)
	for range 1 + rng.IntN(3) {
		p := &method.Stream{Ops: ops, Sections: draw(before)}
		if rng.IntN(4) == 0 {
			for range before + period*rng.IntN(repeats) {
				p.Sections = append(p.Sections, bodies[0]) // starts late
			}
		}
		part := draw(period)
		n := repeats
		if rng.IntN(3) == 0 {
			n = 1 + rng.IntN(repeats) // ends early
		}
		for range n {
			p.Sections = append(p.Sections, part...)
		}
		if rng.IntN(3) == 0 {
			p.Sections = append(p.Sections, draw(1+rng.IntN(3))...)
		}
		b.Classes = append(b.Classes, method.WarpClass{Stream: p, Count: 1 + rng.Int64N(3), SubCore: rng.IntN(cores)})
	}
	return b
}

// TestChainEndsInJumpedSections: a warp whose last sections are jumped ends in
// the last of them, however long the latency it leaves behind.
func TestChainEndsInJumpedSections(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 1, LatencyCycles: 1000}, {Unit: 1, InitCycles: 1}}
	load, other := seq.Must(seq.Run(0)), seq.Must(seq.Run(1))
	for _, sections := range []int{10, 11, 12} {
		p, q := &method.Stream{Ops: ops}, &method.Stream{Ops: ops}
		for k := range sections {
			if k < 10 {
				p.Sections = append(p.Sections, load)
			}
			q.Sections = append(q.Sections, other)
		}
		h := unbounded(2)
		// Ten sections of two issues; the last load issues at 19 at the latest.
		if got := chainOf(t, h, &method.Block{Classes: []method.WarpClass{{Stream: p, Count: 1}, {Stream: q, Count: 1}}}, maxChainPeriod); got != 1020 {
			t.Errorf("%d sections: CHAIN %d, want 1020", sections, got)
		}
	}
}

// chainByDefinition is CHAIN as the longest path in the graph of theorem 13 (CHAIN), for
// a system whose every section has an instruction, with unbounded queues. A node's value
// includes the charges up to its section.
func chainByDefinition(s exhaust.System, fifo bool, delay int) int {
	sections := s.Sections()
	charge := func(w, from, to int) int { // sections behind from, up to to
		sum := 0
		for v, p := range s.Warps {
			for _, in := range p {
				if v != w && in.Section > from && in.Section <= to {
					sum += in.Init
				}
			}
		}
		return sum
	}
	issue, start := make([][]int, len(s.Warps)), make([][]int, len(s.Warps))
	for w, p := range s.Warps {
		issue[w], start[w] = make([]int, len(p)), make([]int, len(p))
	}
	end := 0
	for k := range sections {
		for w, p := range s.Warps {
			for q, in := range p {
				if in.Section != k {
					continue
				}
				at := 0
				if k == 0 {
					at = charge(w, -1, 0)
				}
				if q > 0 {
					at = max(at, issue[w][q-1]+1+charge(w, p[q-1].Section, k))
				}
				for u, pu := range s.Warps {
					if !slices.ContainsFunc(pu, func(in exhaust.Instr) bool { return in.Section == k-1 }) {
						continue
					}
					for j, from := range pu {
						if from.Section < k {
							over := charge(u, from.Section, k-1) + delay + charge(w, k-1, k)
							at = max(at, issue[u][j]+1+over, start[u][j]+from.Init+over)
						}
					}
				}
				d := 0
				for _, b := range in.Src {
					at = max(at, start[w][b]+p[b].Init+p[b].Lat+charge(w, p[b].Section, k))
				}
				for b := range q {
					if p[b].Unit == in.Unit {
						d = max(d, start[w][b]+p[b].Init+charge(w, p[b].Section, k))
					}
				}
				issue[w][q], start[w][q] = at, max(at, d)
				done := start[w][q] + in.Init + in.Lat
				if !fifo {
					done += charge(w, k, sections)
				}
				end = max(end, done)
			}
		}
	}
	return end
}

func everySectionUsed(s exhaust.System) bool {
	used := map[int]bool{}
	for _, p := range s.Warps {
		for _, in := range p {
			used[in.Section] = true
		}
	}
	return len(used) == s.Sections()
}

func TestChainEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 2000 {
		s := exhaust.RandomSystem(rng, exhaust.Shape{Warps: 4, Instrs: 8, Units: 3, Init: 4, Lat: 12, Sections: 4, Equal: 3})
		if !everySectionUsed(s) {
			continue
		}
		h := unbounded(0)
		h.FIFO = rng.IntN(2) == 0
		h.BarrierDelayCycles = rng.Int64N(4)
		want := chainByDefinition(s, h.FIFO, int(h.BarrierDelayCycles))
		if got := analyzeBlock(t, h, s).Bound(CHAIN).Cycles; got != int64(want) {
			t.Fatalf("%s, FIFO %v, delay %d: CHAIN %d, by definition %d", s, h.FIFO, h.BarrierDelayCycles, got, want)
		}
	}
}

// TestChainOfAMillionSections is only possible because repetitions are jumped.
func TestChainOfAMillionSections(t *testing.T) {
	body := seq.Must(seq.Run(0, 1))
	p := &method.Stream{Ops: []method.Op{{Unit: 0, InitCycles: 2, LatencyCycles: 7, Writes: []int32{0}}, {Unit: 1, InitCycles: 1, Reads: []int32{0}}}}
	for range 1_000_000 {
		p.Sections = append(p.Sections, body)
	}
	h := unbounded(0)
	h.NumUnits = 2
	// A section of one warp: issue 0, initiate to 2, complete at 9, issue at 9,
	// over at 10; the other adds 3.
	if got := chainOf(t, h, &method.Block{Classes: []method.WarpClass{{Stream: p, Count: 2}}}, maxChainPeriod); got != 13_000_000 {
		t.Errorf("%d cycles, want 13,000,000", got)
	}
}
