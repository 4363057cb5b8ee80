package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// The models.
const (
	Abstract = "abstract" // the SM model of docs/soundness/model.md, section 1
	Pipeline = "pipeline" // fetch, collectors, ports, result buses, LSU
	Frontend = "frontend" // fetch, instruction cache and queues before the units of Abstract
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
	Model   string // "" means the description's own
	// Policy picks among ready warps; the zero value means the description's.
	Policy policy.Policy
	// Front replaces settings of the description's front end in the Frontend model,
	// which has no use for Policy. Other models do not take it.
	Front FrontConfig
	// DispatchOrder picks among the instructions waiting for a unit where the
	// description's queues serve in any order; the zero value is oldest first.
	DispatchOrder policy.DispatchOrder
	// BlocksPerSM is the number of blocks resident on an SM (its occupancy).
	BlocksPerSM int
	// Blocks are the block numbers to run, in dispatch order; nil means all of
	// the grid.
	Blocks []int64
	// FillFirst gives the next block to the lowest SM with a free slot instead of
	// the SM with most free slots.
	FillFirst bool
	// Memory decides the time of memory accesses; nil means the fixed
	// initiation and latency of the timing table.
	Memory Memory
	// Caches says what is behind the load/store units instead of Memory; the zero
	// value is no caches.
	Caches CacheConfig
	// Batches gives an SM its next blocks only when all its resident blocks have
	// ended, and deals blocks to SMs beforehand (Batch), so that which blocks are
	// resident together does not depend on time. Excludes FillFirst.
	Batches bool
	// Shorten, if not nil, may shorten the initiation and latency of any
	// instruction; results outside [1, initiation] and [0, latency] are clamped.
	Shorten func(Shortening) (initiationCycles, latencyCycles int64)
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
	front    frontConfig
}

// FrontConfig is what a run changes of the description's front end; "" means the
// description's own.
type FrontConfig struct {
	FetchPolicy, IssuePolicy string
	Variant                  string // gpu.Baseline or gpu.SWaS
}

// CacheConfig is the way of global accesses through caches. They take the place of
// Config.Memory and exclude Config.Shorten.
type CacheConfig struct {
	// L1Order says whether global accesses go through caches, and in which order
	// they reach the L1D of their SM: L1None (also ""), L1Dynamic or L1Reorder.
	L1Order string
	// Order is the order that the reordering unit enforces with L1Reorder. One
	// serves one run.
	Order AccessOrder
	// SoC is what shares the DRAM with the GPU; nil for nothing.
	SoC *soc.Config
}

// Progress is how far a run is.
type Progress struct {
	Cycles           int64
	BlocksDone       int64
	Blocks           int64
	WarpInstructions int64
	At               simt.At // a warp that can go on, the first
}

// Shortening is one dynamic instruction whose timing may be shortened.
type Shortening struct {
	Block            int64
	Warp             int
	Index            int64 // dynamic instruction of the warp, from 0
	PC               int32
	InitiationCycles int64
	LatencyCycles    int64
}

// A Request is a memory instruction about to start on its unit.
type Request struct {
	Cycle        int64
	SM           int
	Block        int64
	Warp         int
	PC           int32
	Kind         isa.Kind
	Space        isa.Space
	Transactions int // by the transaction rule of the timing class
	// Segments are the distinct aligned segments of gpu.Memory.SegmentBytes
	// touched, in lane order, as byte addresses. Valid during the call.
	Segments         []uint64
	InitiationCycles int64 // by the timing table, transactions included
	LatencyCycles    int64
}

// Memory is the stage behind the load/store units: where caches and memories
// with contention go. It sees accesses to every state space. Access returns the initiation (at least 1) and latency
// (at least 0) of one request; it is called in the order in which requests
// start, SMs in index order within a cycle.
type Memory interface {
	Access(*Request) (initiationCycles, latencyCycles int64)
}

// Run simulates a launch and returns its statistics. timing is the timing of
// the kernel's instructions by instruction index. The same arguments give the
// same result, whatever the machine.
//
// Errors: ErrConfig, ErrStuck (a policy that waits for ever), ErrMaxCycles, ErrScript, ErrConservation, the context's,
// and the kernel's own as *simt.RuntimeError, barrier deadlocks included.
func Run(ctx context.Context, cfg Config, kernel simt.Kernel, timing []gpu.Timing) (*Result, error) {
	g, err := newGrid(&cfg, kernel, timing)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return g.run(ctx)
}
