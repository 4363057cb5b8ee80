package sim

// FrontObserver is an Observer that also sees the front end of the Frontend
// model.
type FrontObserver interface {
	Observer
	Fetch(FetchEvent)
	NOP(NOPEvent)
	Redirect(RedirectEvent)
	Discrepancy(DiscrepancyEvent)
}

// FetchEvent is a request to the instruction cache.
type FetchEvent struct {
	Place
	Cycle int64
	PC    int32
	Miss  bool // the warp is suspended until the line arrives
	// AvailableCycle is from when the instruction, or the NOP in its place, can be
	// issued; Unknown where a miss puts nothing into the queue.
	AvailableCycle int64
}

// NOPEvent is a NOP that takes an issue slot.
type NOPEvent struct {
	Place
	Cycle int64
}

// RedirectEvent is a control instruction that is resolved and not followed by its
// neighbour. What was in the warp's queue is discarded or, with gpu.SWaS,
// replaced by NOPs.
type RedirectEvent struct {
	Place
	Cycle     int64
	NextPC    int32 // isa.NoPC where the warp has ended
	Discarded int   // instructions, those in flight included
}

// DiscrepancyEvent is a cycle in which the issue stage did not select what one
// of the oracles does. Slots are -1 where nothing is selected.
type DiscrepancyEvent struct {
	SM       int
	Cycle    int64
	Slot     int // selected by the stage
	Intended int // by osched1, for which instructions are always at hand
	Expected int // by osched2: another slot than selected is an error
}
