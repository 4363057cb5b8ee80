package l1d

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/internal/simt"
)

// maxClasses bounds the classes of blocks that Analyse looks for. With more,
// blocks share too little.
const maxClasses = 64

// ErrNotReplayed is wrapped by Analysis.Replayed.
var ErrNotReplayed = errors.New("blocks are executed one by one")

// followed are the classes into which the blocks of a launch fall, and which of
// the others they are told by.
type followed struct {
	simt.Partition
	block    [3]int
	warpSize int
	blocks   []int64 // of each class
}

// follow finds the classes of a launch by executing one block of each. It returns
// an error where the launch has to be executed as a whole, because there are more
// than limit classes or for another reason; otherwise also the branches that part
// lanes.
func follow(ctx context.Context, k simt.Tainted, opt AnalyseOptions, limit int64) (*followed, []bool, error) {
	followable, ok := k.(simt.Followable)
	if !ok {
		return nil, nil, fmt.Errorf("%w: the kernel cannot tell which blocks take one path", ErrNotReplayed)
	}
	f, err := followable.Follower()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotReplayed, err)
	}
	out := &followed{Partition: simt.Partition{Grid: k.Grid()}, block: k.BlockDim(), warpSize: k.WarpSize()}
	total := simt.NumBlocks(out.Grid)
	d := newDivergence(k.Program())
	executed, before := int64(0), int64(0)
	var instructions []int64 // of a block of each class
	err = out.Find(f, limit, func(b simt.Block) error {
		return simt.RunBlock(ctx, b, opt.Limits, &executed, d.observe)
	}, func(i int64, _ *simt.BlockClass) error {
		instructions = append(instructions, executed-before)
		before = executed
		if opt.Progress != nil {
			opt.Progress(min(i+1, total), total)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotReplayed, err)
	}
	out.blocks = out.Counts()
	if limit := opt.Limits.MaxInstructions; limit > 0 {
		for i, n := range out.blocks {
			if limit -= n * instructions[i]; limit < 0 {
				return nil, nil, fmt.Errorf("%w: the limit on instructions is reached", ErrNotReplayed)
			}
		}
	}
	if opt.Progress != nil {
		opt.Progress(total, total)
	}
	return out, d.parts, nil
}

// classLimit is the largest number of classes for which following pays.
func classLimit(k simt.Kernel) int64 {
	return min(maxClasses, (simt.NumBlocks(k.Grid())+1)/2)
}

// matches says whether a kernel has the geometry of the launch followed.
func (f *followed) matches(k simt.Kernel) bool {
	return k.Grid() == f.Grid && k.BlockDim() == f.block && k.WarpSize() == f.warpSize
}

// Replayed says into how many classes of blocks the launch falls whose accesses
// Estimate replays, from one block of each. With 0 it executes every block; the
// error, which wraps ErrNotReplayed, says why. Tests ask it, so that a launch that
// should be replayed is not executed as a whole unnoticed.
func (a *Analysis) Replayed() (classes int, why error) {
	if a.followed == nil {
		return 0, a.whole
	}
	return len(a.followed.Classes), nil
}
