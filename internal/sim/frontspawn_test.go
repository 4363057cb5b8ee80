package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/isa"
)

// spawnFlow is a program whose first warp starts the others, twice, and waits in
// between: so many cycles, and with alone until they have stopped.
func spawnFlow(warps int, wait int64, alone bool) *flowKernel {
	start, stop := control(isa.Branch), control(isa.Branch)
	start.spawn, start.target = true, 6
	stop.stop = true
	again := start
	again.alone = alone
	k := newFlow(warps,
		start, plain(wait, none, 0), plain(1, 0, none), again, plain(1, none, none), stop,
		plain(1, none, 1), plain(30, 1, none), stop)
	k.inactive = true
	return k
}

// Warps that are not active at the start of a block run when another starts them,
// and may be started again, by the one that stops last even: in every model.
func TestInactiveWarps(t *testing.T) {
	const warps, blocks = 5, 3
	for _, c := range []struct {
		model sim.Model
		wait  int64
		alone bool
	}{
		{sim.AbstractModel{}, 500, false}, {sim.PipelineModel{}, 500, false}, {sim.FrontModel{Variant: gpu.Baseline}, 500, false}, {sim.FrontModel{Variant: gpu.SWaS}, 500, false},
		{sim.AbstractModel{}, 5, true}, {sim.PipelineModel{}, 5, true}, {sim.FrontModel{Variant: gpu.Baseline}, 5, true}, {sim.FrontModel{Variant: gpu.SWaS}, 5, true},
	} {
		k := spawnFlow(warps, c.wait, c.alone)
		k.blocks = blocks
		m := flowMachine(flowFront())
		m.Desc.Pipeline = &gpu.Pipeline{
			FetchWidth: 2, FetchPerCycle: 1, CollectorOrder: []string{"A", "B"}, CollectorSteps: 1, RegisterBanks: 2, ResultBuses: 1, LoadStoreUnit: "B", SegmentsPerCycle: 1, MemoryLatencyCycles: 1,
			CollectorPools: []gpu.CollectorPool{{Units: []string{"*"}, Count: 2, Dispatches: 1}},
		}
		count := &counter{stalled: map[string]int64{}}
		cfg := sim.Config{Machine: m, Model: c.model, BlocksPerSM: 2, Checks: true, KeepWarps: true, Observers: []sim.Observer{count}}
		r, err := sim.Run(context.Background(), cfg, k, k.timing())
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if want := int64(blocks * 6 * warps); r.WarpInstructions != want || count.issued != want || count.completed != want {
			t.Errorf("%+v: %d warp instructions, want %d", c, r.WarpInstructions, want)
		}
		// The first warp's wait, or the last instruction of the others.
		least := max(c.wait, 30)
		for _, b := range r.BlockTimes {
			if d := b.EndCycle - b.StartCycle; d < least || d > least+200 {
				t.Errorf("%+v: block %d takes %d cycles", c, b.Block, d)
			}
			for i, w := range b.Warps {
				if w.Instructions != 6 {
					t.Errorf("%+v: block %d, warp %d executes %d instructions", c, b.Block, i, w.Instructions)
				}
			}
		}
		cfg.Observers = nil
		sim.StepIdle(&cfg)
		again, err := sim.Run(context.Background(), cfg, k, k.timing())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(r, again); d != "" {
			t.Errorf("%+v: visiting every cycle:\n%s", c, d)
		}
	}
}

// A warp is active when the instruction that started it is resolved: issued in
// cycle 4, resolved in 9.
func TestFrontSpawn(t *testing.T) {
	start, stop := control(isa.Branch), control(isa.Branch)
	start.spawn, start.target, stop.stop = true, 2, true
	k := newFlow(2, start, stop, plain(1, none, none), stop)
	k.inactive = true
	_, log := flowRun(t, k, flowFront())
	// Warp 0 goes on fetching behind its stop, which is issued in cycle 9 and
	// resolved in 14.
	want := "0:f0.0 1:f0.1 2:f0.2 3:f0.3 4:i0.0 9:i0.1 9:f1.2 10:f1.3 13:i1.2 14:r0>-1-2 14:i1.3"
	if log != want {
		t.Errorf("events\n%s, want\n%s", log, want)
	}
	f := flowFront()
	f.Variant = gpu.SWaS
	_, log = flowRun(t, k, f)
	want = "0:n0 0:f0.0 1:n0 1:f0.1 2:n0 2:f0.2 3:n0 3:f0.3 4:i0.0 9:n1 9:f1.2 10:i0.1 11:n1 11:f1.3 12:n1 13:n1 14:i1.2 15:r0>-1-2 15:i1.3"
	if log != want {
		t.Errorf("swas: events\n%s, want\n%s", log, want)
	}
}

// A kernel whose warps all become inactive without ending stands still, and says
// so.
func TestInactiveForEver(t *testing.T) {
	k := newFlow(2, plain(1, none, none), control(isa.Barrier), control(isa.Exit))
	k.inactive = true
	k.ops[1].kind = isa.Branch
	k.ops[1].stop = true
	k.stuck = true
	for _, model := range []string{sim.Abstract, sim.Frontend} {
		_, err := sim.Run(context.Background(), sim.Config{Machine: flowMachine(flowFront()), Model: sim.ModelNamed(model), BlocksPerSM: 1}, k, k.timing())
		if err == nil || !strings.Contains(err.Error(), "deadlock") {
			t.Errorf("%s: %v", model, err)
		}
	}
}
