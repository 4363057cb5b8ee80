package simt

import (
	"context"

	"github.com/warpbound/warpbound/isa"
)

// Flow is what was observed of the control flow of an execution, by PC.
type Flow struct {
	Executions []int64 // of warps
	Diverged   []bool  // lanes of a warp parted there
}

// MaskControlled is implemented by kernels in which instructions set the mask of active
// lanes (RISC-V programs): where lanes part and meet is not told by branches, and warps
// start one another.
type MaskControlled interface {
	Kernel
	MaskControlled()
}

// RecordFlow executes all blocks of a kernel, in order. Where control changes the mask of
// active lanes, as in RISC-V programs, byMask asks for divergence to be told by that;
// otherwise it is told by branches.
func RecordFlow(ctx context.Context, k Kernel, limits Limits, byMask bool) (*Flow, error) {
	n := len(k.Program().Instructions)
	w := flowWatch{program: k.Program(), byMask: byMask, last: map[int]lastStep{}, Flow: Flow{Executions: make([]int64, n), Diverged: make([]bool, n)}}
	var executed int64
	for i := range NumBlocks(k.Grid()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := k.NewBlock(i)
		if err != nil {
			return nil, err
		}
		clear(w.last)
		if err := RunBlock(ctx, b, limits, &executed, w.step); err != nil {
			return nil, err
		}
		b.Release()
	}
	return &w.Flow, nil
}

// flowWatch notes how often instructions are executed, and where lanes part.
type flowWatch struct {
	Flow
	program *isa.Program
	byMask  bool
	last    map[int]lastStep // of each warp of the block
}

type lastStep struct {
	pc     int32
	active Mask
}

func (w *flowWatch) step(warp int, s *Step) {
	w.Executions[s.PC]++
	if w.byMask {
		// Fewer lanes than before: the others go another way, or wait.
		if l, ok := w.last[warp]; ok && s.Active != l.active && s.Active&^l.active == 0 {
			w.Diverged[l.pc] = true
		}
		w.last[warp] = lastStep{s.PC, s.Active}
		return
	}
	// Lanes part where some take a branch or leave and others do not.
	in := &w.program.Instructions[s.PC]
	if s.Exec != 0 && s.Exec != s.Active && (len(in.Targets) > 0 || s.NextPC != s.PC+1) {
		w.Diverged[s.PC] = true
	}
}
