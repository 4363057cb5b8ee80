package l1d

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/isa"
)

// request is one segment of an access at the tags of an L1D.
type request struct {
	block   int64
	warp    int
	index   int64
	request int
	pc      int32
	address uint64
	hit     bool
}

// atTheTags keeps what a simulation brings to the tags, by SM.
type atTheTags struct {
	sim.AccessesOnly
	bySM map[int][]request
}

// Issue must not be called: the observer asks for accesses only.
func (*atTheTags) Issue(sim.IssueEvent) { panic("an event that was not asked for") }

func (o *atTheTags) Access(e sim.AccessEvent) {
	if e.Kind == isa.Atomic {
		return
	}
	o.bySM[e.SM] = append(o.bySM[e.SM], request{e.Block, e.Warp, e.Index, e.Request, e.PC, e.Address, e.Class.Hits()})
}

// With the reordering unit, a simulation's requests meet the tags one by one as
// estimated, under any scheduler.
func TestEstimateIsWhatIsSimulated(t *testing.T) {
	ctx := context.Background()
	for i, e := range examples.All() {
		if testing.Short() && i%10 != 0 {
			continue
		}
		l, err := load.Open("../../../examples/" + e.Launch)
		if err != nil {
			t.Fatal(err)
		}
		follow, err := l.Kernel(true)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyse(ctx, follow, AnalyseOptions{})
		if err != nil {
			continue
		}
		m, timing := gpus.Timed(t, l.Program(), "gtx480", "sm.count=2", fmt.Sprintf("l1d.ways=%d", []int{4, 8, 16}[i%3]))
		k, err := l.Kernel(false)
		if err != nil {
			t.Fatal(err)
		}
		perSM := min(1+i%2, m.Desc.LDSTPath.Channels/simt.NumWarps(k.BlockDim(), k.WarpSize()))
		config := cache.Config{Sets: m.Desc.L1D.Sets, Ways: m.Desc.L1D.Ways, LineBytes: m.Desc.L1D.LineBytes, SectorBytes: m.Desc.L1D.SectorBytes, Index: cache.FermiHash, WriteEvict: true}
		estimated := map[int][]request{}
		_, err = a.Estimate(ctx, l.Fresh, Residency{Blocks: simt.NumBlocks(k.Grid()), SMs: 2, BlocksPerSM: perSM}, []cache.Config{config}, EstimateOptions{
			Observe: func(sm int, a *Access, results [][]cache.Result) error {
				for j, r := range results[0] {
					estimated[sm] = append(estimated[sm], request{a.Block, a.Warp, a.Index, j, a.PC, a.Lines[j], r.Hit})
				}
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		policy, err := policy.Parse([]string{"lrr", "gto", fmt.Sprintf("random:%d", i)}[i%3])
		if err != nil {
			t.Fatal(err)
		}
		own, err := l.Fresh()
		if err != nil {
			t.Fatal(err)
		}
		order, err := a.NewOrder(own, Options{SegmentBytes: config.SectorBytes})
		if err != nil {
			t.Fatal(err)
		}
		seen := &atTheTags{bySM: map[int][]request{}}
		if _, err := sim.Run(ctx, sim.Config{
			Machine: m, Model: sim.OwnModel{Policy: policy}, BlocksPerSM: perSM, Memory: sim.Caches{Order: order}, Placement: sim.InBatches, Checks: true, Observers: []sim.Observer{seen},
		}, k, timing); err != nil {
			t.Errorf("%s: %v", e.Launch, err)
			continue
		}
		for sm := range 2 {
			got, want := seen.bySM[sm], estimated[sm]
			for j := range min(len(got), len(want)) {
				if got[j] != want[j] {
					t.Errorf("%s: SM %d: request %d is %+v, estimated %+v", e.Launch, sm, j, got[j], want[j])
					break
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: SM %d: %d requests, estimated %d", e.Launch, sm, len(got), len(want))
			}
		}
	}
}

// Blocks are dealt as the simulator deals them.
func TestBatchesAreTheSimulators(t *testing.T) {
	for blocks := int64(1); blocks < 30; blocks++ {
		for sms := 1; sms < 6; sms++ {
			for per := 1; per < 4; per++ {
				r := Residency{blocks, sms, per}
				for sm := range int(min(int64(sms), blocks)) {
					for k := range r.Rounds() + 1 {
						if got, want := r.Batch(nil, sm, k), sim.Batch(blocks, int(min(int64(sms), blocks)), per, sm, k); !slices.Equal(got, want) {
							t.Fatalf("%+v: batch %d of SM %d is %v, simulated %v", r, k, sm, got, want)
						}
					}
				}
			}
		}
	}
}

// Random kernels, with channels of one entry, one MSHR and blocks that become
// resident one by one: no order of the analyser's stops the unit, where a warp
// whose channel is full does not issue. Where it blocks the load/store unit
// instead, a deadlock is possible, and an error.
func TestUnitDoesNotDeadlock(t *testing.T) {
	ctx := context.Background()
	deadlocks, irregular := 0, int64(0)
	seeds := uint64(120)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		s := drawKernel(rand.New(rand.NewPCG(seed, 2)), seed%2 == 1)
		s.warpSize = 8
		a, newKernel := s.again(t)
		for _, full := range []string{"hold-warp", "stall-unit"} {
			m, timing := gpus.Timed(t, a.Program(), "gtx480", "sm.count=2", "l1d.mshrs=1", "l1d.mshr_merges=1", "ldst_path.channel_entries=1", "ldst_path.full_channel="+full)
			k, err := newKernel()
			if err != nil {
				t.Fatal(err)
			}
			own, err := newKernel()
			if err != nil {
				t.Fatal(err)
			}
			order := newOrder(t, a, own, Options{})
			_, err = sim.Run(ctx, sim.Config{
				Machine: m, Model: sim.OwnModel{Policy: policy.Policy{Name: "random", Seed: seed}}, BlocksPerSM: 1 + int(seed%2), Memory: sim.Caches{Order: order}, Checks: true, MaxCycles: 10_000_000,
			}, k, timing)
			switch {
			case err == nil:
			case full == "stall-unit" && errors.Is(err, sim.ErrAccessOrder):
				deadlocks++
			default:
				t.Fatalf("seed %d, %s: %v\n%s", seed, full, err, s.text)
			}
			n, _ := order.Irregular()
			irregular += n
		}
	}
	if deadlocks == 0 || irregular == 0 {
		t.Errorf("%d deadlocks of units that block, %d irregular accesses: the kernels are too tame", deadlocks, irregular)
	}
}
