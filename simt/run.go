package simt

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/warpbound/warpbound/isa"
)

// Limits bound a functional execution.
type Limits struct {
	// MaxInstructions is the most warp instructions executed over the whole
	// run; 0 means no limit.
	MaxInstructions int64
}

// Observer sees every step of a functional execution. The step is only valid
// during the call.
type Observer func(warp int, s *Step)

// RunBlock executes one block to its end: each warp runs until it waits at a
// barrier or ends, in warp order, again and again. executed counts warp
// instructions over calls and is compared with limits. A context that is
// cancelled ends the run with its error.
func RunBlock(ctx context.Context, b Block, limits Limits, executed *int64, observe Observer) error {
	warps := b.Warps()
	var step Step
	for {
		progress, live := false, false
		for i, w := range warps {
			for w.Status() == Ready {
				if err := w.Step(&step); err != nil {
					return err
				}
				progress = true
				*executed++
				if limits.MaxInstructions > 0 && *executed > limits.MaxInstructions {
					return &RuntimeError{Kind: ErrInstructionLimit, Detail: fmt.Sprintf("%d warp instructions", limits.MaxInstructions), Block: b.Index(), Thread: -1, PC: step.PC}
				}
				if *executed&0xffff == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				if observe != nil {
					observe(i, &step)
				}
			}
			live = live || w.Status() != Done
		}
		if !live {
			return nil
		}
		if !progress {
			return Deadlock(b)
		}
	}
}

// Deadlock describes a block whose live warps all wait at barriers.
func Deadlock(b Block) error {
	waiting := map[int32][]int{}
	done := 0
	first := isa.NoPC
	for i, w := range b.Warps() {
		switch w.Status() {
		case Waiting:
			waiting[w.PC()] = append(waiting[w.PC()], i)
			if first == isa.NoPC {
				first = w.PC()
			}
		case Done:
			done++
		}
	}
	pcs := make([]int32, 0, len(waiting))
	for pc := range waiting {
		pcs = append(pcs, pc)
	}
	sort.Slice(pcs, func(i, j int) bool { return pcs[i] < pcs[j] })
	var where []string
	for _, pc := range pcs {
		where = append(where, fmt.Sprintf("warps %v wait before pc %d", waiting[pc], pc))
	}
	return &RuntimeError{Kind: ErrDeadlock, Detail: fmt.Sprintf("%s; %d warps have ended", strings.Join(where, "; "), done), Block: b.Index(), Thread: -1, PC: first}
}

// Run executes all blocks of a launch in order and returns the number of warp
// instructions executed.
func Run(ctx context.Context, k Kernel, limits Limits) (int64, error) {
	var executed int64
	for i := int64(0); i < NumBlocks(k.Grid()); i++ {
		b, err := k.NewBlock(i)
		if err != nil {
			return executed, err
		}
		if err := RunBlock(ctx, b, limits, &executed, nil); err != nil {
			return executed, err
		}
		b.Release()
	}
	return executed, nil
}
