package exec

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/isa"
)

// ErrPhase is wrapped by the error of a kernel that accesses global memory outside
// its memory phases.
var ErrPhase = errors.New("access to global memory outside the memory phases")

// Counts are what the launches of a kernel did, added up. Elements are accesses of
// single threads; the guard's token is not counted.
type Counts struct {
	Launches                    int64
	WarpInstructions            int64
	LoadedElements, LoadedBytes int64
	StoredElements, StoredBytes int64
	SharedElements              int64 // accesses to the scratchpad
	MemoryPhases, ComputePhases int64 // of the teams, added up
}

// Functional executes launches on the functional machine: teams one after the
// other, or, where the kernels follow the guard's protocol, in turns with a host
// that grants what is asked for.
type Functional struct {
	Limits simt.Limits
	// Counts are indexed by the kernel's number.
	Counts []Counts
}

// Run is a Runner.
func (x *Functional) Run(ctx context.Context, l *Offload) (*ptxexec.Kernel, error) {
	k, err := l.Fresh(false)
	if err != nil {
		return nil, err
	}
	for len(x.Counts) <= l.Kernel.Number {
		x.Counts = append(x.Counts, Counts{})
	}
	o := &observer{kernel: l.Kernel, code: k.Program().Instructions, counts: &x.Counts[l.Kernel.Number]}
	o.counts.Launches++
	if l.Kernel.guard {
		o.token, _ = k.BufferAddress(Token)
		err = x.together(ctx, k, o)
	} else {
		err = x.inTurn(ctx, k, o)
	}
	var e *simt.RuntimeError
	if errors.As(err, &e) {
		e.Locate(k.Program())
	}
	return k, err
}

// inTurn executes the teams one after the other.
func (x *Functional) inTurn(ctx context.Context, k *ptxexec.Kernel, o *observer) error {
	executed := int64(0)
	defer func() { o.counts.WarpInstructions += executed }()
	for i := range simt.NumBlocks(k.Grid()) {
		b, err := k.NewBlock(i)
		if err != nil {
			return err
		}
		o.begin(len(b.Warps()))
		if err := simt.RunBlock(ctx, b, x.Limits, &executed, o.step); err != nil {
			return err
		}
		b.Release()
		if o.err != nil {
			return o.err
		}
	}
	return nil
}

// turn is the most instructions that a warp executes before the next one does.
const turn = 256

// together executes all teams in turns, as kernels need that wait for one another.
func (x *Functional) together(ctx context.Context, k *ptxexec.Kernel, o *observer) error {
	type team struct {
		block simt.Block
		seen  observer
	}
	teams := make([]team, simt.NumBlocks(k.Grid()))
	for i := range teams {
		b, err := k.NewBlock(int64(i))
		if err != nil {
			return err
		}
		teams[i] = team{b, *o}
		teams[i].seen.begin(len(b.Warps()))
	}
	token := k.Buffer(Token)
	var step simt.Step
	for {
		moved, waits := false, simt.Block(nil)
		for i := range teams {
			t := &teams[i]
			for w, warp := range t.block.Warps() {
				for n := 0; n < turn && warp.Status() == simt.Ready; n++ {
					if x.Limits.MaxInstructions > 0 && o.counts.WarpInstructions >= x.Limits.MaxInstructions {
						return &simt.RuntimeError{Kind: simt.ErrInstructionLimit, Detail: fmt.Sprintf("%d warp instructions executed", o.counts.WarpInstructions), Block: int64(i), Thread: -1, PC: warp.PC()}
					}
					if err := warp.Step(&step); err != nil {
						return err
					}
					o.counts.WarpInstructions++
					moved = true
					if t.seen.step(w, &step); t.seen.err != nil {
						return t.seen.err
					}
				}
				if warp.Status() != simt.Done {
					waits = t.block
				}
			}
		}
		if waits == nil {
			return nil
		}
		if !moved {
			return simt.Deadlock(waits)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		// The host: it grants what is asked for, at once.
		ask := binary.LittleEndian.Uint32(token[ptxgen.RequestBytes:])
		if kind := guard.Word(ask).Kind(); kind == guard.Memory || kind == guard.Compute {
			binary.LittleEndian.PutUint32(token[ptxgen.GrantBytes:], ask)
		}
	}
}

// observer follows the phases of a team's warps and counts accesses.
type observer struct {
	kernel *Compiled
	code   []isa.Instruction
	counts *Counts
	token  uint64  // its address, 0 where there is none
	phase  []int32 // by warp: the barrier it passed last of those that begin phases
	open   []bool  // by warp: of the two barriers of a guarded Sync it has passed one
	err    error
}

// begin prepares it for a team.
func (o *observer) begin(warps int) {
	o.phase, o.open = make([]int32, warps), make([]bool, warps)
}

func (o *observer) step(warp int, s *simt.Step) {
	if s.Barrier == ptxgen.BarrierMemory || s.Barrier == ptxgen.BarrierCompute {
		o.barrier(warp, s.Barrier)
		return
	}
	in := &o.code[s.PC]
	if in.Kind != isa.Load && in.Kind != isa.Store && in.Kind != isa.Atomic || s.Exec == 0 {
		return
	}
	n := int64(bits.OnesCount32(uint32(s.Exec)))
	switch s.Space {
	case isa.Shared:
		o.counts.SharedElements += n
		return
	case isa.Global:
	default:
		return
	}
	if first := s.Addresses[bits.TrailingZeros32(uint32(s.Exec))]; o.token != 0 && first >= o.token && first < o.token+TokenBytes {
		return
	}
	if o.kernel.Phased && o.phase[warp] != ptxgen.BarrierMemory && o.err == nil {
		o.err = fmt.Errorf("%s: %w", in.Source, ErrPhase)
	}
	if in.Kind == isa.Load {
		o.counts.LoadedElements += n
		o.counts.LoadedBytes += n * int64(s.WidthBytes)
	} else {
		o.counts.StoredElements += n
		o.counts.StoredBytes += n * int64(s.WidthBytes)
	}
}

// barrier begins a phase. Of the two barriers of a guarded Sync the first ends the
// phase before: until the second one nothing is granted.
func (o *observer) barrier(warp int, number int32) {
	if o.kernel.guard && !o.open[warp] {
		o.open[warp], o.phase[warp] = true, 0
		return
	}
	o.open[warp], o.phase[warp] = false, number
	switch {
	case warp > 0:
	case number == ptxgen.BarrierMemory:
		o.counts.MemoryPhases++
	default:
		o.counts.ComputePhases++
	}
}
