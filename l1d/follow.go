package l1d

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/simt"
)

// maxClasses bounds the classes of blocks that Analyse looks for. With more of
// them there is not much left that blocks share.
const maxClasses = 64

// ErrNotReplayed is wrapped by Analysis.Replayed.
var ErrNotReplayed = errors.New("blocks are executed one by one")

// followed are the classes into which the blocks of a launch fall, and which of
// the others they are told by.
type followed struct {
	grid, block [3]int
	warpSize    int
	classes     []simt.BlockClass
	blocks      []int64 // of each class
}

// follow finds the classes of a launch by executing one block of each. It returns
// an error where the launch has to be executed as a whole, because there are more
// than limit classes or for another reason; otherwise also the branches that part
// lanes.
func follow(ctx context.Context, k TaintedKernel, opt AnalyseOptions, limit int64) (*followed, []bool, error) {
	followable, ok := k.(interface {
		Follower() (simt.Follower, error)
	})
	if !ok {
		return nil, nil, fmt.Errorf("%w: the kernel cannot tell which blocks take one path", ErrNotReplayed)
	}
	f, err := followable.Follower()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotReplayed, err)
	}
	out := &followed{grid: k.Grid(), block: k.BlockDim(), warpSize: k.WarpSize()}
	total := simt.NumBlocks(out.grid)
	d := newDivergence(k.Program())
	executed := int64(0)
	var instructions []int64 // of a block of each class
	for i := out.next(0); i < total; i = out.next(i) {
		if int64(len(out.classes)) == limit {
			return nil, nil, fmt.Errorf("%w: more than %d classes of blocks", ErrNotReplayed, limit)
		}
		b, err := f.Follow(i)
		if err != nil {
			return nil, nil, err
		}
		before := executed
		if err := simt.RunBlock(ctx, b, opt.Limits, &executed, d.observe); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrNotReplayed, err)
		}
		b.Release()
		out.classes = append(out.classes, f.Class())
		instructions = append(instructions, executed-before)
		if opt.Progress != nil {
			opt.Progress(min(i+1, total), total)
		}
	}
	out.blocks = make([]int64, len(out.classes))
	for i := int64(0); i < total; {
		class, end := out.span(i)
		out.blocks[class] += end - i
		i = end
	}
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

// classLimit is the number of classes from which on a grid is better executed.
func classLimit(k simt.Kernel) int64 {
	return min(maxClasses, (simt.NumBlocks(k.Grid())+1)/2)
}

// class is the first class that holds a block.
func (f *followed) class(block [3]int64) int {
	for i := range f.classes {
		if f.classes[i].Holds(block) {
			return i
		}
	}
	return -1
}

// next is the first block from i on that is in no class, the number of blocks if
// there is none.
func (f *followed) next(i int64) int64 {
	total := simt.NumBlocks(f.grid)
	for i < total {
		class, end := f.span(i)
		if class < 0 {
			return i
		}
		i = end
	}
	return total
}

// span is the class of block i, -1 where it has none, and the end of the blocks
// of its row that follow it and are in this class too.
func (f *followed) span(i int64) (class int, end int64) {
	at := simt.BlockAt(f.grid, i)
	row := i - at[0]
	end = int64(f.grid[0])
	for c := range f.classes {
		low, high := f.classes[c].Row(at)
		if low <= at[0] && at[0] <= high {
			return c, row + min(end, high+1)
		}
		if low > at[0] && low <= high {
			end = min(end, low)
		}
	}
	return -1, row + end
}

// matches says whether a kernel has the geometry of the launch followed.
func (f *followed) matches(k simt.Kernel) bool {
	return k.Grid() == f.grid && k.BlockDim() == f.block && k.WarpSize() == f.warpSize
}

// Replayed says into how many classes of blocks the launch falls whose accesses
// Estimate replays, from one block of each. With 0 it executes every block; the
// error, which wraps ErrNotReplayed, says why.
func (a *Analysis) Replayed() (classes int, why error) {
	if a.followed == nil {
		return 0, a.whole
	}
	return len(a.followed.classes), nil
}
