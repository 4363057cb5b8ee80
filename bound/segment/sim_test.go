package segment_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/bound/multiphase"
	"github.com/warpbound/warpbound/bound/ordered"
	"github.com/warpbound/warpbound/bound/segment"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/sim"
	"github.com/warpbound/warpbound/sim/instr"
)

// lower gives each instruction an op and a register of its own.
func lower(p instr.Program) *ordered.Input {
	in := &ordered.Input{}
	for _, warp := range p {
		first := int32(len(in.Ops))
		var sections []*seq.Seq
		var run []int32
		for j, i := range warp {
			op := multiphase.Op{Unit: i.Unit, InitCycles: i.InitiationCycles, LatencyCycles: i.LatencyCycles, Writes: []int32{first + int32(j)}}
			for _, s := range i.Sources {
				op.Reads = append(op.Reads, first+int32(s))
			}
			if i.BarrierBefore {
				sections = append(sections, seq.Must(seq.Run(run...)))
				run = nil
			}
			run = append(run, int32(len(in.Ops)))
			in.Ops = append(in.Ops, op)
		}
		in.Warps = append(in.Warps, ordered.Warp{Sections: append(sections, seq.Must(seq.Run(run...)))})
	}
	return in
}

// TestStrictSimulation runs the simulator under its strict round robin, which
// passes the turn on after each instruction: the fixed sequence is exact, and
// the bound for any strict scheduler holds.
func TestStrictSimulation(t *testing.T) {
	policy, err := sim.ParsePolicy("srr")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 11))
		var p instr.Program
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
		k, err := instr.NewKernel(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Config{Machine: k.Machine(), BlocksPerSM: 1, Policy: policy, Checks: true}
		queue := multiphase.Unbounded
		if r.IntN(2) == 0 {
			queue, cfg.Machine.Queue = multiphase.NoQueue, gpu.NoQueue
		}
		res, err := sim.Run(context.Background(), cfg, k, k.Timing())
		if err != nil {
			t.Fatal(err)
		}
		m := &ordered.Machine{Queue: queue, FIFO: true, Channels: 64, ChannelEntries: 1, MSHRs: 1}
		out, err := segment.Compute(context.Background(), m, lower(p), &segment.Memory{}, segment.InstructionTurns, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range out.Bounds {
			if b.Safe && b.Cycles < res.Cycles || b.Method == ordered.TurnsMethod && b.Cycles != res.Cycles {
				t.Fatalf("seed %d, queue %s: %s is %d, the simulation takes %d cycles: %s", seed, queue, b.Method, b.Cycles, res.Cycles, p)
			}
		}
	}
}
