package warpbound

import (
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
)

// EventKind says what happened.
type EventKind uint8

// The kinds of events, with the fields of Event that they fill besides Kind, Cycle
// and SM.
const (
	// Issue: an instruction leaves its warp. Block, Warp, Slot, Scheduler, PC, Index.
	Issue EventKind = iota
	// Dispatch: an instruction starts on its unit. As Issue, and Unit; EndCycle is
	// when its results can be used, -1 where that is not known yet.
	Dispatch
	// Complete: the results of an instruction can be used. As Issue.
	Complete
	// Stall: a scheduler issued nothing from Cycle to before EndCycle, for Reason.
	// Scheduler.
	Stall
	// Wait: a warp issued nothing from Cycle to before EndCycle, for Reason. It is
	// told when it ends. Block, Warp, Slot, Scheduler.
	Wait
	// Barrier: a barrier opens for a warp. Block, Warp, Slot, Scheduler.
	Barrier
	// BlockStart and BlockEnd: a block takes and leaves a slot. Block, Slot.
	BlockStart
	BlockEnd
)

var eventNames = [...]string{"issue", "dispatch", "complete", "stall", "wait", "barrier", "block start", "block end"}

// String is issue, dispatch, complete, stall, wait, barrier, block start or block end.
func (k EventKind) String() string {
	if int(k) >= len(eventNames) {
		return fmt.Sprintf("EventKind(%d)", k)
	}
	return eventNames[k]
}

// Event is something that happened in a simulation. Fields that its kind does not
// fill are zero.
type Event struct {
	Kind      EventKind
	Cycle     int64
	EndCycle  int64
	SM        int
	Scheduler int   // of the SM
	Slot      int   // of the SM: of its warps, or in BlockStart and BlockEnd of its blocks
	Block     int64 // number of the block in the grid
	Warp      int   // number of the warp in its block
	PC        int32 // index into Launch.Program
	Index     int64 // number of the executed instruction in its warp, from 0
	Unit      string
	Reason    string // as in Simulation.Stalls
}

// observer turns the events of the simulator into those of this package.
type observer struct {
	tell  func(Event)
	units []gpu.Unit
}

func at(kind EventKind, p sim.Place, cycle int64) Event {
	return Event{Kind: kind, Cycle: cycle, SM: p.SM, Scheduler: p.Scheduler, Slot: p.Slot, Block: p.Block, Warp: p.Warp}
}

func (o *observer) Issue(e sim.IssueEvent) {
	out := at(Issue, e.Place, e.Cycle)
	out.PC, out.Index = e.PC, e.Index
	o.tell(out)
}

func (o *observer) Dispatch(e sim.DispatchEvent) {
	out := at(Dispatch, e.Place, e.Cycle)
	out.PC, out.Index, out.EndCycle, out.Unit = e.PC, e.Index, e.CompleteCycle, o.units[e.Unit].Name
	o.tell(out)
}

func (o *observer) Complete(e sim.CompleteEvent) {
	out := at(Complete, e.Place, e.Cycle)
	out.PC, out.Index = e.PC, e.Index
	o.tell(out)
}

func (o *observer) Stall(e sim.StallEvent) {
	o.tell(Event{Kind: Stall, Cycle: e.FromCycle, EndCycle: e.ToCycle, SM: e.SM, Scheduler: e.Scheduler, Reason: e.Reason.String()})
}

func (o *observer) Wait(e sim.WaitEvent) {
	out := at(Wait, e.Place, e.FromCycle)
	out.EndCycle, out.Reason = e.ToCycle, e.Reason.String()
	o.tell(out)
}

func (o *observer) Barrier(e sim.BarrierEvent) { o.tell(at(Barrier, e.Place, e.Cycle)) }

func (o *observer) BlockStart(e sim.BlockEvent) { o.block(BlockStart, e) }

func (o *observer) BlockEnd(e sim.BlockEvent) { o.block(BlockEnd, e) }

func (o *observer) block(kind EventKind, e sim.BlockEvent) {
	o.tell(Event{Kind: kind, Cycle: e.Cycle, SM: e.SM, Slot: e.Slot, Block: e.Block})
}
