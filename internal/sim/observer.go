package sim

import "github.com/warpbound/warpbound/internal/simt"

// Reason says what a warp, or a scheduler that issued nothing, waits for.
type Reason uint8

// The reasons. Fences hold warps in the pipeline model and with Caches.SoC,
// fetches in the pipeline and the frontend model.
const (
	Selected         Reason = iota // ready, another warp was issued or its unit accepts nothing
	Withheld                       // ready, but the policy holds the turn for another warp
	UnitBusy                       // warps are ready, but no unit or queue slot accepts what they would issue
	MemoryRAW                      // a source, or the target of an interlock, comes from memory
	DataRAW                        // the same from any other unit
	AtBarrier                      // at a barrier of the block
	AtFence                        // at a memory fence
	Starting                       // the block has its slot but may not issue yet
	Draining                       // all instructions issued, some not complete
	Idle                           // no warp
	Fetching                       // the instruction buffer is empty
	Refetch                        // a taken branch or a return emptied the instruction buffer
	AwaitsTurn                     // as MemoryRAW, and an access of the warp is in its channel before the reordering unit
	ChannelFull                    // the channel has no entry for the access the warp would issue
	Inactive                       // of a core whose warps start one another: not started, or ended and not started again
	ICacheMiss                     // the line of the next instruction is on its way
	BranchUnresolved               // the control instruction before the next one is not resolved
	NumReasons
)

var reasonNames = [NumReasons]string{"selected", "withheld", "unit_busy", "memory", "data", "barrier", "fence", "start", "drain", "idle", "fetch", "refetch", "turn", "channel_full", "inactive", "icache_miss", "branch"}

func (r Reason) String() string { return reasonNames[r] }

// A Place is where an event happens.
type Place struct {
	SM        int
	Scheduler int
	Block     int64 // block number in the grid
	Warp      int   // warp of the block
	Slot      int   // warp slot of the SM
}

// IssueEvent is an instruction leaving its warp.
type IssueEvent struct {
	Place
	Cycle int64
	PC    int32
	Index int64 // dynamic instruction of the warp, from 0, those not issued included
	Exec  simt.Mask
	// NotIssued marks instructions that take no issue slot.
	NotIssued bool
}

// DispatchEvent is an instruction starting on its unit.
type DispatchEvent struct {
	Place
	Cycle            int64
	PC               int32
	Index            int64
	Unit             int
	Server           int // of the units of its kind on the SM
	InitiationCycles int64
	// CompleteCycle is when its results can be used, Unknown for accesses that go
	// through caches: their completion is reported when it is known, and their
	// InitiationCycles are the least (PathObserver says when the unit is free).
	CompleteCycle int64
}

// Unknown is a cycle that is not known yet.
const Unknown int64 = -1

// CompleteEvent is an instruction whose results can be used from Cycle on.
type CompleteEvent struct {
	Place
	Cycle int64
	PC    int32
	Index int64
}

// StallEvent is a scheduler that issued nothing in [FromCycle, ToCycle).
type StallEvent struct {
	SM, Scheduler      int
	FromCycle, ToCycle int64
	Reason             Reason
}

// WaitEvent is a warp that issued nothing in [FromCycle, ToCycle), and why.
type WaitEvent struct {
	Place
	FromCycle, ToCycle int64
	Reason             Reason
}

// BarrierEvent is a barrier of a block opening for a warp: its next instruction
// can issue at Cycle at the earliest.
type BarrierEvent struct {
	Place
	Cycle int64
}

// BlockEvent is a block taking or leaving a slot of an SM.
type BlockEvent struct {
	SM, Slot int
	Block    int64
	Cycle    int64
}

// Observer sees what happens, in order of time per SM; events of one cycle come
// in the order of the stages. A wait is reported when it ends. Embed
// NopObserver to see only some events.
type Observer interface {
	Issue(IssueEvent)
	Dispatch(DispatchEvent)
	Complete(CompleteEvent)
	Stall(StallEvent)
	Wait(WaitEvent)
	Barrier(BarrierEvent)
	BlockStart(BlockEvent)
	BlockEnd(BlockEvent)
}

// NopObserver ignores all events.
type NopObserver struct{}

// Issue implements Observer.
func (NopObserver) Issue(IssueEvent) {}

// Dispatch implements Observer.
func (NopObserver) Dispatch(DispatchEvent) {}

// Complete implements Observer.
func (NopObserver) Complete(CompleteEvent) {}

// Stall implements Observer.
func (NopObserver) Stall(StallEvent) {}

// Wait implements Observer.
func (NopObserver) Wait(WaitEvent) {}

// Barrier implements Observer.
func (NopObserver) Barrier(BarrierEvent) {}

// BlockStart implements Observer.
func (NopObserver) BlockStart(BlockEvent) {}

// BlockEnd implements Observer.
func (NopObserver) BlockEnd(BlockEvent) {}
