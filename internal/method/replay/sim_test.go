package replay

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/isa"
)

// drawnKernel executes an Input: its warps take the steps that their sequences
// say, and nothing is computed.
type drawnKernel struct {
	in      *Input
	program isa.Program
	blocks  []int // class of each
}

func newDrawnKernel(in *Input) *drawnKernel {
	k := &drawnKernel{in: in}
	for i := range in.Ops {
		op := &in.Ops[i]
		x := isa.Instruction{Opcode: "op", Guard: isa.NoReg}
		for _, r := range op.Reads {
			x.Reads = append(x.Reads, isa.Reg(r))
		}
		for _, r := range op.Writes {
			x.Writes = append(x.Writes, isa.Reg(r))
		}
		switch {
		case op.Sync == Arrive:
			x.Kind = isa.Barrier
		case in.Code[i].Control:
			x.Kind, x.Targets = isa.Branch, []int32{0}
		}
		k.program.Instructions = append(k.program.Instructions, x)
	}
	k.program.Registers = make([]string, 8)
	k.program.Functions = []isa.Function{{Name: "drawn", End: int32(len(in.Ops))}}
	for _, o := range in.Order {
		for range o.Count {
			k.blocks = append(k.blocks, o.Class)
		}
	}
	return k
}

func (k *drawnKernel) timing() []gpu.Timing {
	var out []gpu.Timing
	for i := range k.in.Ops {
		op := &k.in.Ops[i]
		out = append(out, gpu.Timing{Unit: int32(op.Unit), InitiationCycles: op.InitCycles, LatencyCycles: op.LatencyCycles})
	}
	return out
}

func (k *drawnKernel) Program() *isa.Program { return &k.program }
func (k *drawnKernel) Grid() [3]int          { return [3]int{len(k.blocks), 1, 1} }
func (k *drawnKernel) BlockDim() [3]int      { return [3]int{len(k.in.Blocks[0].Warps) * 32, 1, 1} }
func (k *drawnKernel) WarpSize() int         { return 32 }
func (k *drawnKernel) SharedBytes() int64    { return 0 }

func (k *drawnKernel) NewBlock(i int64) (simt.Block, error) {
	b := &drawnBlock{k: k, index: i}
	for _, s := range k.in.Blocks[k.blocks[i]].Warps {
		b.warps = append(b.warps, &drawnWarp{b: b, symbols: slices.Collect(s.All())})
	}
	return b, nil
}

type drawnBlock struct {
	k     *drawnKernel
	index int64
	warps []simt.Warp
}

func (b *drawnBlock) Index() int64       { return b.index }
func (b *drawnBlock) Warps() []simt.Warp { return b.warps }
func (b *drawnBlock) Release()           {}

// Wait implements simt.Waiter.
func (b *drawnBlock) Wait(int) (simt.Wait, bool) { return simt.Wait{}, true }

type drawnWarp struct {
	b       *drawnBlock
	symbols []int32
	waits   bool
}

func (w *drawnWarp) PC() int32 {
	if len(w.symbols) == 0 {
		return isa.NoPC
	}
	return w.b.k.in.Ops[w.symbols[0]].PC
}

func (w *drawnWarp) Status() simt.Status {
	switch {
	case len(w.symbols) == 0:
		return simt.Done
	case w.waits:
		return simt.Waiting
	}
	return simt.Ready
}

func (w *drawnWarp) Step(s *simt.Step) error {
	op := &w.b.k.in.Ops[w.symbols[0]]
	s.PC, s.Active, s.Exec, s.WidthBytes = op.PC, 1, 1, 0
	s.Barrier, s.BarrierFull, s.BarrierOpened = -1, false, false
	w.symbols = w.symbols[1:]
	s.NextPC = w.PC()
	if op.Sync == Arrive {
		s.Barrier, s.BarrierFull, w.waits = 0, true, true
	}
	closed, live := false, false
	for _, x := range w.b.warps {
		u := x.(*drawnWarp)
		live = live || u.waits
		closed = closed || u.Status() == simt.Ready
	}
	if live && !closed {
		s.BarrierOpened = true
		for _, x := range w.b.warps {
			x.(*drawnWarp).waits = false
		}
	}
	return nil
}

// names of policies in the words of package gpu.
func gpuPolicy(p Policy) gpu.FrontPolicy {
	return gpu.FrontPolicy{
		Algorithm: map[Algorithm]gpu.FrontAlgorithm{RoundRobin: gpu.RoundRobin, Oldest: gpu.OldestFirst, ICount: gpu.ICount}[p.Algorithm],
		Category:  map[Category]gpu.FrontCategory{Loose: gpu.Loose, Strict: gpu.Strict, Greedy: gpu.Greedy, GreedyStrict: gpu.GreedyStrict, Adaptive: gpu.Adaptive}[p.Category],
		Lead:      p.Lead,
	}
}

// described is a machine in the words of package gpu; line is the number of
// instructions of a line of the instruction cache.
func described(m *Core, line int64) *gpu.Machine {
	f := &m.Front
	d := &gpu.Description{
		Name: "drawn", Model: sim.Frontend, SM: gpu.SM{Count: 1, WarpSize: 32, Schedulers: 1}, Issue: gpu.Issue{PerCycle: 1, Policy: "lrr"},
		Queue:    gpu.Queue{Order: "fifo", KeepsWarpOrder: true},
		Barrier:  gpu.Barrier{Draining: m.DrainingBarriers, DelayCycles: m.BarrierDelayCycles},
		Dispatch: gpu.Dispatch{StartDelayCycles: m.StartDelayCycles},
		FrontEnd: &gpu.FrontEnd{
			Kind: gpu.Predict, Variant: gpu.Baseline, FetchPolicy: gpuPolicy(f.Fetch).String(), IssuePolicy: gpuPolicy(f.Issue).String(),
			QueueEntries: f.QueueEntries, FetchCycles: f.FetchCycles, RefetchCycles: f.RefetchCycles, BranchResolveCycles: f.ResolveCycles,
			StartGapCycles: f.StartGapCycles, InstructionBytes: 1,
			ICache: gpu.ICache{Perfect: f.ICache.Perfect, Sets: f.ICache.Sets, Ways: f.ICache.Ways, LineBytes: line, MissCycles: f.ICache.MissCycles},
		},
	}
	if f.Stall {
		d.FrontEnd.Kind = gpu.Stall
	}
	if f.SWaS {
		d.FrontEnd.Variant, d.FrontEnd.FetchPolicy = gpu.SWaS, d.FrontEnd.IssuePolicy
	}
	for _, n := range m.Servers {
		d.Units = append(d.Units, gpu.Unit{Name: "U", Count: n})
	}
	queue := map[method.QueueKind]gpu.QueueKind{method.Unbounded: gpu.Unbounded, method.Slots: gpu.Slots, method.NoQueue: gpu.NoQueue, method.Pooled: gpu.Pooled}[m.Queue]
	return &gpu.Machine{Desc: d, Queue: queue, Slots: m.QueueSlots, FIFO: true, Units: d.Units}
}

// drawn is a random program on a random machine, and the line size of the latter.
func drawn(seed uint64, most int64) (*Input, *Core, int64) {
	r := rand.New(rand.NewPCG(seed, 1))
	units := 1 + r.IntN(3)
	in, m := drawInput(r, units, most), drawMachine(r, units)
	line := int64(1)
	for int(line) < len(in.Code) && in.Code[line].Line == 0 {
		line++
	}
	return in, m, line
}

// TestDrawnAreSimulated compares random programs on random machines with the
// simulator: cycles, instructions, NOPs, misses.
func TestDrawnAreSimulated(t *testing.T) {
	ran, stuck := 0, 0
	for seed := range uint64(settings.Cases(t, 300)) {
		in, m, line := drawn(seed+1000, 9)
		res, err := Run(context.Background(), m, in, Options{MaxSteps: 50_000})
		if errors.Is(err, ErrTooLong) || err == nil && res.Cycles > 60_000 {
			continue
		}
		k := newDrawnKernel(in)
		got, simErr := sim.Run(context.Background(), sim.Config{Machine: described(m, line), BlocksPerSM: m.BlockSlots, MaxCycles: 60_000, Checks: true}, k, k.timing())
		if errors.Is(err, ErrStuck) && simErr != nil && (errors.Is(simErr, sim.ErrStuck) || errors.Is(simErr, sim.ErrMaxCycles) || errors.Is(simErr, simt.ErrDeadlock)) {
			stuck++
			continue
		}
		if err != nil || simErr != nil {
			t.Fatalf("seed %d: replay %v, simulation %v", seed, err, simErr)
		}
		ran++
		if got.Cycles != res.Cycles || got.WarpInstructions != res.Stats.Instructions || got.Scheduling.NOPs != res.Stats.NOPs || got.Scheduling.ICacheMisses != res.Stats.Misses {
			t.Fatalf("seed %d: %d cycles, %+v; simulated %d cycles, %d instructions, %+v\n%+v", seed, res.Cycles, res.Stats, got.Cycles, got.WarpInstructions, *got.Scheduling, m)
		}
	}
	t.Logf("%d programs, %d stuck", ran, stuck)
	if ran < 100 || stuck == 0 {
		t.Errorf("%d programs compared, %d stuck", ran, stuck)
	}
}
