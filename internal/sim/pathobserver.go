package sim

import (
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// PathObserver is an Observer that also sees what holds up the way to the L1D of an SM.
type PathObserver interface {
	Observer
	Release(ReleaseEvent)
	TagWait(TagWaitEvent)
	MSHRs(MSHREvent)
}

// ReleaseEvent is a unit that becomes free in Cycle, having been busy with an access
// since it started it for a time that was not known then.
type ReleaseEvent struct {
	SM, Unit, Server int
	Cycle            int64
}

// TagWaitEvent is the request at the tags of an L1D having waited in
// [FromCycle, ToCycle): for a line to be replaced that is on its way ("victim"), for a
// free MSHR ("mshr") or for room in one ("merge").
type TagWaitEvent struct {
	SM                 int
	FromCycle, ToCycle int64
	Cause              string
}

// MSHREvent is how many MSHRs of an SM are in use from Cycle on.
type MSHREvent struct {
	SM    int
	Cycle int64
	InUse int
}

// L2Observer is an observer that also sees what the slices of the L2 look up, in the
// order of time.
type L2Observer interface {
	Observer
	memory.L2Observer
}

// CoreObserver is an observer that also sees what the CPU cores around the GPU do, in
// the order of time.
type CoreObserver interface {
	Observer
	soc.Observer
}
