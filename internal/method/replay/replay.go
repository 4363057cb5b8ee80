package replay

import (
	"context"
	"fmt"
)

// Stats count what happened in a replay.
type Stats struct {
	Instructions int64 // warp instructions issued
	NOPs         int64 // issued
	Hits, Misses int64 // of the instruction cache; a repeated request hits
	Taken        int64 // control instructions not followed by their neighbour
	Barriers     int64 // opened
}

// Result is what a replay found.
type Result struct {
	Cycles int64 // from the start of the first block to the end of the last one
	Stats  Stats
	// SteppedInstructions counts the instructions that were stepped one by one,
	// and Jumps how often repetitions of a state were skipped.
	SteppedInstructions int64
	Jumps               int64
}

// Options of Run.
type Options struct {
	// Unfolded steps through every cycle of every repetition.
	Unfolded bool
	// MaxSteps ends the run with ErrTooLong after that many stepped cycles; 0
	// means no limit.
	MaxSteps int64
	// Issue is called for each instruction issued, if it is not nil. Skipped
	// repetitions are not reported.
	Issue func(cycle int64, slot int, pc, op int32)
	// Issued is called as Issue, with the number of the block, the op's index in
	// Input.Ops and when it will have completed, and for each NOP, with op -1; if it is not nil.
	Issued func(cycle int64, slot int, block int64, op int32, complete int64)
}

// lookAt is how many cycles lie between looks at the context.
const lookAt = 1 << 13

// Run replays the blocks of an input on a machine. It fails on input that is not
// valid, with ErrStuck, ErrTooLong, ErrOverflow, or with the context's error.
func Run(ctx context.Context, m *Core, in *Input, opt Options) (*Result, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	if err := in.validate(m); err != nil {
		return nil, err
	}
	s := newSM(m, in)
	s.observe, s.issued = opt.Issue, opt.Issued
	j := newJumper(s)
	for steps := int64(0); ; steps++ {
		if steps%lookAt == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if opt.MaxSteps > 0 && steps >= opt.MaxSteps {
			return nil, fmt.Errorf("%w: cycle %d after %d stepped cycles", ErrTooLong, s.t, steps)
		}
		if err := s.step(); err != nil {
			return nil, err
		}
		if s.done == s.total {
			break
		}
		if s.event >= 0 && !opt.Unfolded {
			if err := j.look(); err != nil {
				return nil, err
			}
		}
		if err := s.pass(); err != nil {
			return nil, err
		}
	}
	return &Result{Cycles: s.end, Stats: s.stats, SteppedInstructions: s.stats.Instructions - j.skipped, Jumps: j.jumps}, nil
}
