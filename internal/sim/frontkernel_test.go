package sim_test

import (
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// fop is an instruction of a flowKernel.
type fop struct {
	kind          isa.Kind
	reads, writes isa.Reg // isa.NoReg for none
	timing        gpu.Timing
	target        int32 // of a branch
	taken         int   // how often each warp takes it before it falls through
	spawn, stop   bool  // starts all inactive warps; makes the warp inactive
	alone         bool  // the spawn waits until no other warp is active
}

// flowKernel is one block whose warps execute a list of instructions from its
// start, with branches that are taken a number of times, barriers of all active
// warps, and instructions that start and stop warps as those of Vortex do.
type flowKernel struct {
	program  isa.Program
	ops      []fop
	warps    int
	inactive bool // only warp 0 is active at the start
	stuck    bool // warps do not end when none is active
	blocks   int
}

// plain is an instruction of unit 0, initiation 1, with the distance to a
// dependent one.
func plain(distance int64, reads, writes isa.Reg) fop {
	return fop{reads: reads, writes: writes, timing: gpu.Timing{InitiationCycles: 1, LatencyCycles: distance - 1, UnitLatencyCycles: distance}}
}

func control(kind isa.Kind) fop {
	f := plain(1, isa.NoReg, isa.NoReg)
	f.kind = kind
	return f
}

func branchOp(target int32, taken int) fop {
	f := control(isa.Branch)
	f.target, f.taken = target, taken
	return f
}

func newFlow(warps int, ops ...fop) *flowKernel {
	k := &flowKernel{ops: ops, warps: warps, blocks: 1, program: isa.Program{Name: "flow"}}
	for pc, op := range ops {
		in := isa.Instruction{Opcode: fmt.Sprintf("op%d", pc), Kind: op.kind, Guard: isa.NoReg}
		if op.reads != isa.NoReg {
			in.Reads = []isa.Reg{op.reads}
		}
		if op.writes != isa.NoReg {
			in.Writes = []isa.Reg{op.writes}
		}
		if op.kind == isa.Branch {
			in.Targets = []int32{op.target}
		}
		k.program.Instructions = append(k.program.Instructions, in)
	}
	for r := range 8 {
		k.program.Registers = append(k.program.Registers, fmt.Sprintf("r%d", r))
	}
	k.program.Functions = []isa.Function{{Name: "flow", End: int32(len(ops))}}
	return k
}

func (k *flowKernel) timing() []gpu.Timing {
	var ts []gpu.Timing
	for _, op := range k.ops {
		ts = append(ts, op.timing)
	}
	return ts
}

func (k *flowKernel) Program() *isa.Program { return &k.program }
func (k *flowKernel) Grid() [3]int          { return [3]int{k.blocks, 1, 1} }
func (k *flowKernel) BlockDim() [3]int      { return [3]int{32 * k.warps, 1, 1} }
func (k *flowKernel) WarpSize() int         { return 32 }
func (k *flowKernel) SharedBytes() int64    { return 0 }

func (k *flowKernel) NewBlock(i int64) (simt.Block, error) {
	b := &flowBlock{k: k, index: i}
	for j := range k.warps {
		w := &flowWarp{b: b, times: make([]int, len(k.ops))}
		if k.inactive && j > 0 {
			w.pc, w.status = isa.NoPC, simt.Waiting
			w.off = true
		}
		b.warps = append(b.warps, w)
	}
	return b, nil
}

type flowBlock struct {
	k     *flowKernel
	index int64
	warps []simt.Warp

	spawner *flowWarp // that waits to start the others at target
	target  int32
}

func (b *flowBlock) active() int {
	n := 0
	for _, w := range b.warps {
		if !w.(*flowWarp).off {
			n++
		}
	}
	return n
}

func (b *flowBlock) start(target int32) {
	for _, w := range b.warps {
		if w := w.(*flowWarp); w.off {
			w.off, w.status, w.pc = false, simt.Ready, target
		}
	}
}

func (b *flowBlock) Index() int64       { return b.index }
func (b *flowBlock) Warps() []simt.Warp { return b.warps }
func (b *flowBlock) Release()           {}

type flowWarp struct {
	b      *flowBlock
	pc     int32
	status simt.Status
	off    bool // inactive
	times  []int
}

func (w *flowWarp) PC() int32           { return w.pc }
func (w *flowWarp) Status() simt.Status { return w.status }

func (w *flowWarp) Step(s *simt.Step) error {
	k := w.b.k
	op := &k.ops[w.pc]
	*s = simt.Step{PC: w.pc, Active: ^simt.Mask(0), Exec: ^simt.Mask(0), Barrier: -1}
	next := w.pc + 1
	switch {
	case op.spawn && op.alone && w.b.active() > 1:
		w.status, w.b.spawner, w.b.target = simt.Waiting, w, op.target
	case op.spawn:
		s.BarrierOpened = true
		w.b.start(op.target)
	case op.stop:
		w.off, w.status = true, simt.Waiting
		all := !k.stuck
		for _, o := range w.b.warps {
			all = all && o.(*flowWarp).off
		}
		if by := w.b.spawner; by != nil && w.b.active() == 1 {
			w.b.spawner, by.status, next = nil, simt.Ready, w.b.target
			w.b.start(next)
			s.BarrierOpened = true
			break
		}
		if all {
			for _, o := range w.b.warps {
				o.(*flowWarp).status, o.(*flowWarp).pc = simt.Done, isa.NoPC
			}
			next = isa.NoPC
		}
	case op.kind == isa.Branch:
		if w.times[w.pc] < op.taken {
			w.times[w.pc]++
			next = op.target
		} else {
			w.times[w.pc] = 0
		}
	case op.kind == isa.Barrier:
		s.Barrier = 0
		w.status = simt.Waiting
		w.pc = next
		s.BarrierOpened = w.b.open()
	case op.kind == isa.Exit:
		w.status, w.pc, next = simt.Done, isa.NoPC, isa.NoPC
		s.BarrierOpened = w.b.open()
	}
	w.pc, s.NextPC = next, next
	return nil
}

// open lets the warps go if all that have not ended wait, and reports whether
// any did.
func (b *flowBlock) open() bool {
	waiting := false
	for _, o := range b.warps {
		o := o.(*flowWarp)
		if o.status == simt.Ready {
			return false
		}
		waiting = waiting || o.status == simt.Waiting && !o.off
	}
	for _, o := range b.warps {
		if o := o.(*flowWarp); o.status == simt.Waiting && !o.off {
			o.status = simt.Ready
		}
	}
	return waiting
}

// flowMachine is one SM with two units, unbounded queues and a front end.
func flowMachine(f gpu.FrontEnd) *gpu.Machine {
	d := &gpu.Description{
		Name: "flow", Model: "abstract", SM: gpu.SM{Count: 1, WarpSize: 32, Schedulers: 1}, Issue: gpu.Issue{PerCycle: 1, Policy: "lrr"},
		Queue: gpu.Queue{Kind: "unbounded", Order: "fifo", KeepsWarpOrder: true}, Units: []gpu.Unit{{Name: "A", Count: 1}, {Name: "B", Count: 1}}, FrontEnd: &f,
	}
	return &gpu.Machine{Desc: d, Queue: gpu.Unbounded, FIFO: true, Units: d.Units}
}

// flowFront is the front end of the worked examples of docs/frontend.md: t_F 3,
// resolution after 5 cycles, an instruction cache that always hits.
func flowFront() gpu.FrontEnd {
	return gpu.FrontEnd{
		Kind: gpu.Predict, Variant: gpu.Baseline, FetchPolicy: "lrr", IssuePolicy: "lrr", QueueEntries: 4, FetchCycles: 3, BranchResolveCycles: 5, InstructionBytes: 8,
		ICache: gpu.ICache{Perfect: true, Sets: 4, Ways: 1, LineBytes: 32, MissCycles: 10},
	}
}
