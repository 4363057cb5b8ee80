package method

import "fmt"

// QueueKind says where an issued instruction waits for its unit.
type QueueKind int

// The kinds of issue queues.
const (
	// Unbounded: every unit has a queue that never fills.
	Unbounded QueueKind = iota
	// Slots: every unit has a private queue of Hardware.QueueSlots ≥ 1 places; an
	// instruction whose queue is full is not issued.
	Slots
	// NoQueue: an instruction is issued only to a unit that is not initiating.
	NoQueue
	// Pooled: several units share waiting places; an instruction that finds none
	// is not issued, and some unit is then initiating.
	Pooled
)

var queueNames = [...]string{"unbounded", "slots", "none", "pooled"}

// String is unbounded, slots, none or pooled.
func (k QueueKind) String() string {
	if k < 0 || int(k) >= len(queueNames) {
		return fmt.Sprintf("QueueKind(%d)", int(k))
	}
	return queueNames[k]
}

// UnitFact is what holds for a unit whatever runs on the SM.
type UnitFact struct {
	Name string
	// MaxInitCycles bounds the initiation of everything that can run on the SM;
	// 0 means not known, which only makes REF larger.
	MaxInitCycles int64
	// Shared: one unit serves all sub-cores of the SM, instead of one each.
	Shared bool
}

// Hardware holds the facts about an SM that the theorems of docs/soundness.md ask
// for, and the sizes of the scopes.
type Hardware struct {
	NumUnits int
	// Units is empty or has NumUnits entries.
	Units []UnitFact

	Queue      QueueKind
	QueueSlots int // places per unit if Queue is Slots
	// KeepsWarpOrder: a unit serves the instructions of one warp in order.
	KeepsWarpOrder bool
	// FIFO: a unit serves all instructions in issue order. Implies KeepsWarpOrder.
	FIFO bool
	// DrainingBarriers: a barrier opens only when everything before it has completed.
	DrainingBarriers bool

	// SubCores ≥ 1 with units of their own; WarpClass.SubCore says where a warp is.
	SubCores           int
	IssueWidth         int // instructions per cycle and sub-core
	SharedDispatchPort bool

	// BarrierDelayCycles is the longest time from the arrival of the last warp (or
	// the last completion) to the first issue behind the barrier.
	BarrierDelayCycles int64
	// BlockStartDelayCycles is the longest time from a free slot to the first issue.
	BlockStartDelayCycles int64
	SlotsPerSM            int64
	SMs                   int64
}

// Validate checks the numbers. It does not ask whether any method is offered.
func (h *Hardware) Validate() error {
	switch {
	case h.NumUnits < 1 || h.NumUnits > MaxUnits:
		return fmt.Errorf("%d units, expected 1 to %d", h.NumUnits, MaxUnits)
	case len(h.Units) != 0 && len(h.Units) != h.NumUnits:
		return fmt.Errorf("facts about %d units, expected none or %d", len(h.Units), h.NumUnits)
	case h.Queue < Unbounded || h.Queue > Pooled:
		return fmt.Errorf("queue kind %d is not known", int(h.Queue))
	case h.Queue == Slots && h.QueueSlots < 1:
		return fmt.Errorf("queues of %d slots, expected at least 1", h.QueueSlots)
	case h.FIFO && !h.KeepsWarpOrder:
		return fmt.Errorf("FIFO dispatch keeps the order of a warp, but the description says that it is not kept")
	case h.SubCores < 1:
		return fmt.Errorf("%d sub-cores, expected at least 1", h.SubCores)
	case h.IssueWidth < 1:
		return fmt.Errorf("issue width %d, expected at least 1", h.IssueWidth)
	case h.SlotsPerSM < 1 || h.SMs < 1:
		return fmt.Errorf("%d SMs of %d block slots, expected at least 1 of each", h.SMs, h.SlotsPerSM)
	}
	for _, d := range [2]int64{h.BarrierDelayCycles, h.BlockStartDelayCycles} {
		if d < 0 || d > MaxOpCycles {
			return fmt.Errorf("delay of %d cycles, expected 0 to %d", d, MaxOpCycles)
		}
	}
	for i, u := range h.Units {
		if u.MaxInitCycles < 0 || u.MaxInitCycles > MaxOpCycles {
			return fmt.Errorf("unit %d (%s): largest initiation of %d cycles, expected 0 to %d", i, u.Name, u.MaxInitCycles, MaxOpCycles)
		}
	}
	return nil
}
