package segment

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// lowered gives each instruction an op and a register of its own.
func lowered(p instr.Warps) *program {
	out := &program{}
	for _, warp := range p {
		first := int32(len(out.ops))
		sections := [][]int32{nil}
		for j, i := range warp {
			op := method.Op{Unit: i.Unit, InitCycles: i.InitiationCycles, LatencyCycles: i.LatencyCycles, Writes: []int32{first + int32(j)}}
			for _, s := range i.Sources {
				op.Reads = append(op.Reads, first+int32(s))
			}
			if i.BarrierBefore {
				sections = append(sections, nil)
			}
			last := &sections[len(sections)-1]
			*last = append(*last, int32(len(out.ops)))
			out.ops = append(out.ops, op)
		}
		out.warps = append(out.warps, sections)
	}
	return out
}

// drawn draws warps with the same number of barriers.
func drawn(r *rand.Rand) instr.Warps {
	var p instr.Warps
	barriers := r.IntN(3)
	for range 1 + r.IntN(5) {
		var warp []instr.Instruction
		for section := range barriers + 1 {
			for j := range 1 + r.IntN(5) {
				i := instr.Instruction{Unit: r.IntN(3), InitiationCycles: 1 + r.Int64N(4), LatencyCycles: r.Int64N(12), BarrierBefore: section > 0 && j == 0}
				if n := len(warp); n > 0 && r.IntN(2) == 0 {
					i.Sources = []int{r.IntN(n)}
				}
				warp = append(warp, i)
			}
		}
		p = append(p, warp)
	}
	return p
}

// TestStrictSimulation runs the simulator under its strict policies. Where the
// turns are fixed the bound of the fixed sequence is exact, under segments the
// published figure and under all of them the bound for any strict scheduler
// hold; and the simulator takes the turns that the machine of this test takes.
func TestStrictSimulation(t *testing.T) {
	exceeded := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 11))
		p := drawn(r)
		k, err := instr.NewKernel(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		queue, machineQueue := method.Unbounded, gpu.Unbounded
		if r.IntN(2) == 0 {
			queue, machineQueue = method.NoQueue, gpu.NoQueue
		}
		draining := r.IntN(3) == 0
		for sched, name := range []string{"segments", "gsrr", "srr"} {
			cfg := sim.Config{Machine: k.Machine(), BlocksPerSM: 1, Model: sim.OwnModel{Policy: policy.Policy{Name: name}}, Checks: true}
			cfg.Machine.Queue, cfg.Machine.Desc.Barrier.Draining = machineQueue, draining
			res, err := sim.Run(context.Background(), cfg, k, k.Timing())
			if err != nil {
				t.Fatal(err)
			}
			if own := simulate(lowered(p), Scheduler(sched), queue, draining, declared); own != res.Cycles {
				t.Fatalf("seed %d, %s, queue %s, draining %t: the simulator takes %d cycles, the machine of the test %d: %s", seed, name, queue, draining, res.Cycles, own, p)
			}
			m := &ordered.CachedSM{Queue: queue, FIFO: true, DrainingBarriers: draining, Channels: 64, ChannelEntries: 1, MSHRs: 1}
			out, err := Compute(context.Background(), m, lowered(p).input(), &Memory{}, Scheduler(sched), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range out.Bounds {
				if b.Safe && b.Cycles < res.Cycles || b.Method == ordered.TurnsMethod && b.Cycles != res.Cycles {
					t.Fatalf("seed %d, %s, queue %s: %s is %d, the simulation takes %d cycles: %s", seed, name, queue, b.Method, b.Cycles, res.Cycles, p)
				}
				if b.Cycles < res.Cycles {
					exceeded++
				}
			}
		}
	}
	if exceeded == 0 {
		t.Error("no figure marked unsafe was below a simulation: the test sees no difference")
	}
	t.Logf("%d unsafe figures below the simulation", exceeded)
}
