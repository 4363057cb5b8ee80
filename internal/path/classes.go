package path

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
)

// maxClasses bounds the classes of blocks that are looked for; the time it takes
// to find the class of every block grows with them.
const maxClasses = 4096

// recordClasses records one block of each class of blocks that take one path and
// make the same transactions (docs/soundness/paths.md, theorem 27 (classes of blocks)
// and its corollary). The error wraps simt.ErrNotFollowed where the launch is not known
// to fall into such classes.
func recordClasses(ctx context.Context, k simt.Kernel, m *gpu.Machine, timing []gpu.Timing, opt Options) (*Recorded, error) {
	followable, ok := k.(simt.Followable)
	if !ok {
		return nil, simt.ErrNotFollowed
	}
	f, err := followable.Follower()
	if err != nil {
		return nil, err
	}
	r := newRecorder(k, m, timing, opt)
	if skipper, ok := f.(simt.LoopSkipper); ok && !opt.EveryIteration {
		skipper.SkipLoops(func(l *simt.Loop) (bool, error) { return r.skipLoop(ctx, opt.Limits, l) })
	}
	p := simt.Partition{Grid: k.Grid()}
	total := simt.NumBlocks(p.Grid)
	var classOf []int32 // of the classes of p: the class of their blocks
	var executed []int64
	err = p.Find(f, maxClasses, func(b simt.Block) error {
		before := r.executed
		class, err := r.block(ctx, b, opt.Limits)
		classOf, executed = append(classOf, class), append(executed, r.executed-before)
		if err != nil && ctx.Err() == nil && !errors.Is(err, ErrTooLarge) && !errors.Is(err, simt.ErrInstructionLimit) {
			// The launch itself reports what is wrong, in its order.
			err = fmt.Errorf("%w: %w", simt.ErrNotFollowed, err)
		}
		return err
	}, func(i int64, c *simt.BlockClass) error {
		r.sameTransactions(c)
		if opt.Progress != nil {
			opt.Progress(min(i+1, total), total)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case r.spawn != "" || r.timed != "":
		return nil, fmt.Errorf("%w: %s%s", simt.ErrNotFollowed, r.spawn, r.timed)
	}
	r.out.Executed, r.out.Stepped, r.out.Skipped = int64(len(p.Classes)), r.executed-r.skipped, r.skipped
	if len(r.out.Classes) > 1 {
		r.out.ClassOf = make([]int32, total)
	}
	for i := int64(0); i < total; {
		found, end := p.Span(i)
		class := classOf[found]
		r.out.Classes[class].Blocks += end - i
		r.out.Instructions += (end - i) * executed[found]
		for ; i < end && r.out.ClassOf != nil; i++ {
			r.out.ClassOf[i] = class
		}
		i = end
	}
	if opt.Progress != nil {
		opt.Progress(total, total)
	}
	return r.out, nil
}

// sameTransactions narrows a class to blocks whose accesses make as many
// transactions as those of the representative: where an access is counted by
// segments, addresses differ by a multiple of the segment, and where it is counted
// by bank conflicts, by a multiple of the word.
func (r *recorder) sameTransactions(c *simt.BlockClass) {
	for pc, shift := range c.Shifts {
		unit := r.unit(&r.timing[pc])
		for axis, s := range shift {
			c.Every[axis] = max(c.Every[axis], unit/gcd(unit, s))
		}
	}
}

// gcd is the greatest common divisor of a power of two and any number; that of
// unit and 0 is unit.
func gcd(unit, n int64) int64 {
	if n == 0 {
		return unit
	}
	return int64(min(uint64(unit), uint64(n)&-uint64(n)))
}
