package replay

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// attackAnyPolicy draws a program, a machine and a work-conserving policy, in half
// of the cases also times shorter than declared, and returns the bound for every
// policy and what the simulator takes; 0, 0 where there is no bound.
func attackAnyPolicy(t *testing.T, seed uint64) (limit, cycles int64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	units := 1 + r.IntN(3)
	in, m := drawInput(r, units, 4), drawMachine(r, units)
	in.Order = []Stretch{{0, 1 + r.Int64N(2)}}
	m.BlockSlots = 1
	f := &m.Front
	f.SWaS, f.Stall, f.RefetchCycles, f.QueueEntries = true, false, 0, int(f.FetchCycles)+1
	f.ICache.Sets, f.ICache.Ways = 8, 16
	if r.IntN(4) == 0 {
		f.StartGapCycles = r.Int64N(80)
	}
	if r.IntN(3) == 0 {
		f.ResolveCycles = 1
	}
	for f.Issue.strict() {
		f.Issue = policies[r.IntN(len(policies))]
	}
	f.Fetch = f.Issue
	x, no := m.Extend(in, in.Order)
	if no != nil {
		return 0, 0
	}
	hw := method.Hardware{
		NumUnits: units, Queue: m.Queue, KeepsWarpOrder: true, FIFO: true, DrainingBarriers: m.DrainingBarriers, SubCores: 1, IssueWidth: 1,
		BarrierDelayCycles: m.BarrierDelayCycles, BlockStartDelayCycles: m.StartDelayCycles, SlotsPerSM: 1, SMs: 1,
	}
	if m.Queue == method.Slots || m.Queue == method.Pooled {
		hw.QueueSlots = m.QueueSlots
	}
	a, err := multiphase.NewAnalyzer(hw, multiphase.Options{Methods: []string{multiphase.SUM}})
	if err != nil {
		t.Fatal(err)
	}
	var ops []method.Op
	for _, op := range m.ControlRegister(in, 99) {
		ops = append(ops, op.Op)
	}
	b := &method.Block{}
	for _, s := range in.Blocks[0].Warps {
		p := &method.Stream{Ops: ops}
		var section []int32
		for x := range s.All() {
			if section = append(section, x); in.Ops[x].Sync == Arrive {
				p.Sections, section = append(p.Sections, seq.Must(seq.Run(section...))), nil
			}
		}
		p.Sections = append(p.Sections, seq.Must(seq.Run(section...)))
		b.Classes = append(b.Classes, method.WarpClass{Stream: p, Count: 1})
	}
	res, err := a.SM(context.Background(), []method.BlockClass{{Block: b, Count: in.Order[0].Count}})
	if err != nil || res.Bound(multiphase.SUM) == nil {
		t.Fatalf("seed %d: %+v, %v", seed, res, err)
	}
	whole, err := x.Bound(*res.Bound(multiphase.SUM), m)
	if err != nil {
		t.Fatal(err)
	}
	line := int64(1)
	for int(line) < len(in.Code) && in.Code[line].Line == 0 {
		line++
	}
	k := newDrawnKernel(in)
	cfg := sim.Config{Machine: described(m, line), BlocksPerSM: 1, MaxCycles: 1 << 20}
	if seed%2 == 1 {
		cfg.Memory = sim.FixedTimes{Shorten: func(s sim.Shortening) (int64, int64) {
			return 1 + r.Int64N(s.InitiationCycles), r.Int64N(s.LatencyCycles + 1)
		}}
	}
	got, err := sim.Run(context.Background(), cfg, k, k.timing())
	if errors.Is(err, sim.ErrMaxCycles) {
		return 0, 0
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return whole.Cycles, got.Cycles
}

// TestAnyPolicyHolds attacks the bound for every policy with random programs.
func TestAnyPolicyHolds(t *testing.T) {
	tried, near := 0, 0
	for seed := range uint64(settings.Cases(t, 300)) {
		limit, cycles := attackAnyPolicy(t, seed)
		if limit == 0 {
			continue
		}
		tried++
		if cycles > limit {
			t.Errorf("seed %d: %d cycles, bound %d", seed, cycles, limit)
		}
		if cycles*5 > limit*4 {
			near++
		}
	}
	t.Logf("%d programs, %d within a fifth of the bound", tried, near)
	if tried < 200 || near == 0 {
		t.Errorf("%d programs, %d within a fifth of the bound", tried, near)
	}
}
