package instr

import (
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// Kernel runs one program in every block of a one-dimensional grid. It
// implements simt.Kernel. Barriers take no issue slot: they only split the
// sections, as in docs/soundness.md.
type Kernel struct {
	program isa.Program
	timing  []gpu.Timing
	entries []int32
	blocks  int
	units   int
	last    []bool // by pc: the instruction is its warp's last
}

// NewKernel lowers a program that blocks many blocks run. Each instruction that
// a later one needs writes a register of its own, so sources are the only
// dependences. The error
// of an invalid program names the instruction.
func NewKernel(p Warps, blocks int) (*Kernel, error) {
	if len(p) == 0 || blocks < 1 {
		return nil, fmt.Errorf("instruction string: %d warps in %d blocks: expected at least one of each", len(p), blocks)
	}
	k := &Kernel{blocks: blocks, units: p.Units(), program: isa.Program{Name: "program"}}
	registers := 0
	for w, warp := range p {
		if len(warp) == 0 {
			return nil, fmt.Errorf("warp %d: no instruction", w)
		}
		entry := int32(len(k.program.Instructions))
		k.entries = append(k.entries, entry)
		register := readRegisters(warp)
		for j, in := range warp {
			if in.InitiationCycles < 1 || in.LatencyCycles < 0 || in.Unit < 0 {
				return nil, fmt.Errorf("warp %d, instruction %d: unit %d, initiation %d, latency %d", w, j, in.Unit, in.InitiationCycles, in.LatencyCycles)
			}
			if in.BarrierBefore {
				k.append(isa.Instruction{Opcode: "barrier", Kind: isa.Barrier, Guard: isa.NoReg, Class: isa.Class{Family: isa.BarrierSync}},
					gpu.Timing{NotIssued: true, InitiationCycles: 1}, w, j)
			}
			out := isa.Instruction{Opcode: fmt.Sprintf("F%d", in.Unit), Guard: isa.NoReg}
			if r := register[j]; r != isa.NoReg {
				out.Writes = []isa.Reg{r}
				registers = max(registers, int(r)+1)
			}
			for _, s := range in.Sources {
				if s < 0 || s >= j {
					return nil, fmt.Errorf("warp %d, instruction %d: source %d is not an earlier instruction", w, j, s)
				}
				out.Reads = append(out.Reads, register[s])
			}
			k.append(out, gpu.Timing{Unit: int32(in.Unit), InitiationCycles: in.InitiationCycles, LatencyCycles: in.LatencyCycles, UnitLatencyCycles: in.InitiationCycles + in.LatencyCycles}, w, j)
		}
		k.last[len(k.last)-1] = true
		k.program.Functions = append(k.program.Functions, isa.Function{Name: fmt.Sprintf("warp%d", w), Entry: entry, End: int32(len(k.program.Instructions))})
	}
	for r := range registers {
		k.program.Registers = append(k.program.Registers, fmt.Sprintf("r%d", r))
	}
	k.program.RegisterUnits = registers
	return k, k.program.Check()
}

// readRegisters gives a register to every instruction that a later one needs.
func readRegisters(warp []Instruction) []isa.Reg {
	needed := make([]bool, len(warp))
	for _, in := range warp {
		for _, s := range in.Sources {
			if s >= 0 && s < len(warp) {
				needed[s] = true
			}
		}
	}
	registers := make([]isa.Reg, len(warp))
	next := isa.Reg(0)
	for j := range warp {
		registers[j] = isa.NoReg
		if needed[j] {
			registers[j] = next
			next++
		}
	}
	return registers
}

func (k *Kernel) append(in isa.Instruction, t gpu.Timing, warp, index int) {
	in.Pos = isa.Position{File: fmt.Sprintf("warp %d", warp), Line: index + 1}
	k.program.Instructions = append(k.program.Instructions, in)
	k.timing = append(k.timing, t)
	k.last = append(k.last, false)
}

// Timing is the timing table of the program, by instruction index.
func (k *Kernel) Timing() []gpu.Timing { return k.timing }

// Machine describes one SM with one unit of each kind the program
// uses, unbounded FIFO queues and barriers that do not drain. Callers change
// the description before they run it.
func (k *Kernel) Machine() *gpu.Machine {
	d := &gpu.Description{Name: "program", Model: "abstract", SM: gpu.SM{Count: 1, WarpSize: 32, Schedulers: 1}, Issue: gpu.Issue{PerCycle: 1, Policy: "lrr"}, Queue: gpu.Queue{Kind: "unbounded", Order: "fifo", KeepsWarpOrder: true}}
	for u := range max(k.units, 1) {
		d.Units = append(d.Units, gpu.Unit{Name: fmt.Sprintf("F%d", u), Count: 1})
	}
	return &gpu.Machine{Desc: d, Queue: gpu.Unbounded, FIFO: true, Units: d.Units}
}

// Program implements simt.Kernel.
func (k *Kernel) Program() *isa.Program { return &k.program }

// Grid implements simt.Kernel.
func (k *Kernel) Grid() [3]int { return [3]int{k.blocks, 1, 1} }

// BlockDim implements simt.Kernel.
func (k *Kernel) BlockDim() [3]int { return [3]int{len(k.entries) * k.WarpSize(), 1, 1} }

// WarpSize implements simt.Kernel.
func (k *Kernel) WarpSize() int { return simt.MaxLanes }

// SharedBytes implements simt.Kernel.
func (k *Kernel) SharedBytes() int64 { return 0 }

// NewBlock implements simt.Kernel.
func (k *Kernel) NewBlock(i int64) (simt.Block, error) {
	if i < 0 || i >= int64(k.blocks) {
		return nil, fmt.Errorf("block %d of %d", i, k.blocks)
	}
	b := &block{kernel: k, index: i, live: len(k.entries)}
	warps := make([]warp, len(k.entries))
	for w := range warps {
		warps[w] = warp{block: b, pc: k.entries[w]}
		b.warps = append(b.warps, &warps[w])
	}
	return b, nil
}

type block struct {
	kernel  *Kernel
	index   int64
	warps   []simt.Warp
	live    int
	waiting int
}

func (b *block) Index() int64       { return b.index }
func (b *block) Warps() []simt.Warp { return b.warps }
func (b *block) Release()           {}

type warp struct {
	block   *block
	pc      int32
	waiting bool
}

func (w *warp) PC() int32 { return w.pc }

func (w *warp) Status() simt.Status {
	switch {
	case w.pc == isa.NoPC:
		return simt.Done
	case w.waiting:
		return simt.Waiting
	}
	return simt.Ready
}

func (w *warp) Step(s *simt.Step) error {
	if w.Status() != simt.Ready {
		return &simt.RuntimeError{Kind: simt.ErrInvalid, Detail: "step of a warp that is " + w.Status().String(), Block: w.block.index, Thread: -1, PC: w.pc}
	}
	b := w.block
	s.PC, s.Active, s.Exec = w.pc, ^simt.Mask(0), ^simt.Mask(0)
	s.Space, s.WidthBytes = isa.NoSpace, 0
	s.Barrier, s.BarrierFull, s.BarrierOpened = -1, false, false
	barrier := b.kernel.program.Instructions[w.pc].Kind == isa.Barrier
	if b.kernel.last[w.pc] {
		w.pc = isa.NoPC
		b.live--
	} else {
		w.pc++
	}
	s.NextPC = w.pc
	if barrier {
		w.waiting = true
		b.waiting++
		s.Barrier, s.BarrierFull = 0, true
	}
	if b.waiting > 0 && b.waiting == b.live {
		s.BarrierOpened = barrier
		b.waiting = 0
		for _, other := range b.warps {
			other.(*warp).waiting = false
		}
	}
	return nil
}
