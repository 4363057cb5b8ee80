package gpu

// QueueKind says what an issued instruction meets in front of its unit
// (docs/soundness.md, section 1 and theorem 6).
type QueueKind uint8

// The queue kinds.
const (
	Unbounded QueueKind = iota // issue never waits for a unit
	Slots                      // a private buffer of K entries per unit
	NoQueue                    // issue only to a unit that is not initiating
	Pooled                     // K entries shared by all units
)

func (k QueueKind) String() string {
	return [...]string{"unbounded", "slots", "none", "pooled"}[k]
}

// TransactionRule says what makes one access take several transactions.
type TransactionRule uint8

// The transaction rules.
const (
	OneTransaction TransactionRule = iota
	Banks                          // bank conflicts of shared memory
	Segments                       // segments of global memory touched
)

// Timing is the timing of one static instruction in the terms of the bounds:
// an instruction dispatched in cycle D initiates in [D, D+Initiation) and
// completes at D+Initiation+Latency.
type Timing struct {
	Unit              int32 // index into Machine.Units
	NotIssued         bool  // takes no issue slot and no unit; completes at once
	Transactions      TransactionRule
	InitiationCycles  int64
	LatencyCycles     int64
	TransactionCycles int64 // added to the initiation per transaction after the first
	// UnitLatencyCycles is the published latency, before the dependency depth
	// is added: what the pipeline model works with.
	UnitLatencyCycles int64
}

// Initiation is the initiation of an access that makes n transactions, in
// cycles; n < 1 counts as 1.
func (t *Timing) Initiation(n int) int64 {
	if n <= 1 {
		return t.InitiationCycles
	}
	return t.InitiationCycles + int64(n-1)*t.TransactionCycles
}

// Machine is a description with everything resolved that does not depend on a
// kernel. It is immutable.
type Machine struct {
	Desc  *Description
	Queue QueueKind
	Slots int  // K, where Queue is Slots or Pooled
	FIFO  bool // units serve in issue order; otherwise in any order
	Units []Unit
}
