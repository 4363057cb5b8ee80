package sim_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/sim"
)

// spawnFlow is a program whose first warp starts the others, twice, and waits long
// enough in between for them to stop.
func spawnFlow(warps int) *flowKernel {
	start, stop := control(isa.Branch), control(isa.Branch)
	start.spawn, start.target = true, 6
	stop.stop = true
	k := newFlow(warps,
		start, plain(500, none, 0), plain(1, 0, none), start, plain(1, none, none), stop,
		plain(1, none, 1), plain(30, 1, none), stop)
	k.inactive = true
	return k
}

// Warps that are not active at the start of a block run when another starts them,
// and may be started again: in every model.
func TestInactiveWarps(t *testing.T) {
	const warps, blocks = 5, 3
	for _, model := range []string{sim.Abstract, sim.Pipeline, sim.Frontend} {
		k := spawnFlow(warps)
		k.blocks = blocks
		f := flowFront()
		for _, variant := range []string{gpu.Baseline, gpu.SWaS} {
			f.Variant = variant
			m := flowMachine(f)
			m.Desc.Pipeline = &gpu.Pipeline{
				FetchWidth: 2, FetchPerCycle: 1, CollectorOrder: []string{"A", "B"}, CollectorSteps: 1, RegisterBanks: 2, ResultBuses: 1, LoadStoreUnit: "B", SegmentsPerCycle: 1, MemoryLatencyCycles: 1,
				CollectorPools: []gpu.CollectorPool{{Units: []string{"*"}, Count: 2, Dispatches: 1}},
			}
			count := &counter{stalled: map[string]int64{}}
			cfg := sim.Config{Machine: m, Model: model, BlocksPerSM: 2, Checks: true, KeepWarps: true, Observers: []sim.Observer{count}}
			r, err := sim.Run(context.Background(), cfg, k, k.timing())
			if err != nil {
				t.Errorf("%s, %s: %v", model, variant, err)
				continue
			}
			if want := int64(blocks * (6 + (warps-1)*6)); r.WarpInstructions != want || count.issued != want || count.completed != want {
				t.Errorf("%s, %s: %d warp instructions, want %d", model, variant, r.WarpInstructions, want)
			}
			for _, b := range r.BlockTimes {
				// The first warp's wait, and the second turn of the others.
				if d := b.EndCycle - b.StartCycle; d < 500+30 || d > 700 {
					t.Errorf("%s, %s: block %d takes %d cycles", model, variant, b.Block, d)
				}
				for i, w := range b.Warps {
					if w.Instructions != 6 {
						t.Errorf("%s, %s: block %d, warp %d executes %d instructions", model, variant, b.Block, i, w.Instructions)
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
				t.Errorf("%s, %s: visiting every cycle:\n%s", model, variant, d)
			}
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
		_, err := sim.Run(context.Background(), sim.Config{Machine: flowMachine(flowFront()), Model: model, BlocksPerSM: 1}, k, k.timing())
		if err == nil || !strings.Contains(err.Error(), "deadlock") {
			t.Errorf("%s: %v", model, err)
		}
	}
}
