package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
)

// The ways a run can fail besides errors of the kernel itself
// (*simt.RuntimeError) and a cancelled context.
var (
	ErrConfig       = errors.New("invalid simulation")
	ErrStuck        = errors.New("the policy stands still")
	ErrMaxCycles    = errors.New("cycle limit reached")
	ErrConservation = errors.New("conservation check failed")
)

// Config says what to simulate besides the kernel.
type Config struct {
	Machine *gpu.Machine
	Model   Model  // nil means the description's own
	Memory  Memory // nil means FixedTimes{}
	// BlocksPerSM is the number of blocks resident on an SM (its occupancy).
	BlocksPerSM int
	// Blocks are the block numbers to run, in dispatch order; nil means all of
	// the grid.
	Blocks []int64
	// Placement is which SM gets the next block.
	Placement Placement
	// MaxCycles ends the run with ErrMaxCycles; 0 means no limit.
	MaxCycles int64
	Observers []Observer
	// Checks verifies conservation laws when the run ends.
	Checks bool
	// KeepBlocks and KeepWarps fill Result.Blocks, one entry a block or a warp.
	KeepBlocks, KeepWarps bool
	// Progress is called now and then.
	Progress func(Progress)

	stepIdle bool // visit every cycle instead of skipping idle ones (tests)
	stepAll  bool // and every SM in each
}

// Progress is how far a run is.
type Progress struct {
	Cycles           int64
	BlocksDone       int64
	Blocks           int64
	WarpInstructions int64
	At               simt.At // a warp that can go on, the first
}

// Run simulates a launch and returns its statistics. timing is the timing of
// the kernel's instructions by instruction index. The same arguments give the
// same result, whatever the machine.
//
// Errors: ErrConfig, ErrStuck (a policy that waits for ever), ErrMaxCycles, ErrScript, ErrConservation, the context's,
// and the kernel's own as *simt.RuntimeError, barrier deadlocks included.
func Run(ctx context.Context, cfg Config, kernel simt.Kernel, timing []gpu.Timing) (*Result, error) {
	g, err := newGrid(cfg, kernel, timing)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return g.run(ctx)
}
