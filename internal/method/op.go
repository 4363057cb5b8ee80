package method

// Op is a static instruction with fixed worst-case timing.
type Op struct {
	// Unit is the functional unit that executes it, 0 ≤ Unit < Hardware.NumUnits.
	Unit int
	// InitCycles ≥ 1 is how long it occupies the unit's entry.
	InitCycles int64
	// LatencyCycles ≥ 0 is the time from the end of the initiation to completion.
	LatencyCycles int64
	// Reads are the registers it waits for before it issues. Where the hardware
	// interlocks on write-after-write, they include the registers written; see
	// WithWAW.
	Reads []int32
	// Writes are the registers that are ready when it completes.
	Writes []int32
}

// WithWAW returns op with its written registers among those it waits for.
func WithWAW(op Op) Op {
	reads := append([]int32(nil), op.Reads...)
	op.Reads = append(reads, op.Writes...)
	return op
}

// Limits of the input. They leave the arithmetic of one step far from overflow.
const (
	MaxOpCycles = int64(1) << 32 // of an initiation, a latency or a delay
	MaxUnits    = 64
)
