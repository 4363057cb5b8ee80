package sim

import (
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// plan is what all SMs of a run share: the kernel's static instructions in the
// form the hot loops read.
type plan struct {
	cfg    *settings
	kernel simt.Kernel
	timing []gpu.Timing
	code   []staticInstruction
	regs   []isa.Reg // operands of all instructions, see staticInstruction

	warps      int // a block
	slots      int // warp slots of an SM
	registers  int // registers of the program
	schedulers int
	perCycle   int

	banks        int
	wordBytes    int64
	segmentBytes int64
	barrierDelay int64
	startDelay   int64
	startGap     int64 // between the warps of a block (frontend)
	draining     bool
	fences       bool       // hold a warp until the accesses of its block are answered
	observers    []Observer // of more than accesses
}

// staticInstruction holds offsets into plan.regs: what an instruction waits for
// is regs[waits:waitsEnd], what it writes regs[writes:writesEnd].
type staticInstruction struct {
	waits, waitsEnd   int32
	writes, writesEnd int32
	memory            bool // results come from memory
	global            bool // may access global memory, and there are caches
	notIssued         bool // takes no issue slot (abstract model)
	uncached          bool // a load that passes the L1D
	control           bool // may change the program counter or stop the warp
	kind              isa.Kind
}

func newPlan(cfg *settings, kernel simt.Kernel, timing []gpu.Timing) *plan {
	d := cfg.Machine.Desc
	prog := kernel.Program()
	p := &plan{
		cfg: cfg, kernel: kernel, timing: timing,
		code:       make([]staticInstruction, len(prog.Instructions)),
		warps:      simt.NumWarps(kernel.BlockDim(), kernel.WarpSize()),
		registers:  len(prog.Registers),
		schedulers: d.SM.Schedulers, perCycle: d.Issue.PerCycle,
		banks: max(d.Memory.SharedBanks, 1), wordBytes: max(d.Memory.BankWordBytes, 1), segmentBytes: max(d.Memory.SegmentBytes, 1),
		barrierDelay: d.Barrier.DelayCycles, startDelay: d.Dispatch.StartDelayCycles, draining: d.Barrier.Draining,
		fences: cfg.caches != nil && cfg.caches.SoC != nil,
	}
	for _, o := range cfg.Observers {
		if _, ok := o.(interface{ accessesOnly() }); !ok {
			p.observers = append(p.observers, o)
		}
	}
	if cfg.model == Frontend {
		p.startGap = d.FrontEnd.StartGapCycles
	}
	p.slots = p.warps * cfg.BlocksPerSM
	for pc := range prog.Instructions {
		in, c := &prog.Instructions[pc], &p.code[pc]
		c.kind, c.control = in.Kind, in.Kind.Control()
		if cfg.model == Frontend {
			c.control = d.FrontEnd.Control(in)
		}
		c.notIssued = timing[pc].NotIssued && cfg.model == Abstract
		c.global = cfg.caches != nil && mayAccessGlobal(in)
		c.uncached = c.global && in.Uncached && cfg.caches != nil && cfg.caches.SoC != nil
		c.memory = in.Kind == isa.Load || in.Kind == isa.Atomic || in.Kind == isa.AsyncCopy
		c.waits = int32(len(p.regs))
		p.regs = append(p.regs, in.Reads...)
		if d.Issue.InterlockWAW {
			p.regs = append(p.regs, in.Writes...)
		}
		c.waitsEnd = int32(len(p.regs))
		c.writes = c.waitsEnd
		p.regs = append(p.regs, in.Writes...)
		c.writesEnd = int32(len(p.regs))
	}
	return p
}

// mayAccessGlobal tells whether an instruction is a global access, or can be
// one when it is executed.
func mayAccessGlobal(in *isa.Instruction) bool {
	switch in.Kind {
	case isa.Load, isa.Store, isa.Atomic, isa.AsyncCopy:
		return in.Class.Space == isa.Global || in.Class.Space == isa.Generic
	}
	return false
}

// transactions is the number of transactions of a memory step.
func (p *plan) transactions(t *gpu.Timing, step *simt.Step) int {
	switch t.Transactions {
	case gpu.Banks:
		return p.bankConflicts(step)
	case gpu.Segments:
		return step.Segments(p.segmentBytes)
	}
	return 1
}

// bankConflicts is step.BankConflicts with a short way for the common cases: no
// two lanes need different words of one bank.
func (p *plan) bankConflicts(step *simt.Step) int {
	if p.banks > simt.MaxLanes || step.MoreCount > 0 || int64(step.WidthBytes) > p.wordBytes {
		return step.BankConflicts(p.banks, p.wordBytes)
	}
	var word [simt.MaxLanes]uint64
	shift := uint(bits.TrailingZeros64(uint64(p.wordBytes)))
	last := uint64(p.banks - 1)
	seen := uint32(0)
	for m := step.Exec; m != 0; m &= m - 1 {
		a := step.Addresses[bits.TrailingZeros32(uint32(m))] >> shift
		b := a & last & (simt.MaxLanes - 1)
		if seen&(1<<b) == 0 {
			seen |= 1 << b
			word[b] = a
		} else if word[b] != a {
			return step.BankConflicts(p.banks, p.wordBytes)
		}
	}
	return min(1, int(seen))
}
