package crouzet2024

import (
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/isa"
)

// frontWatch sees what becomes of instruction queues in a simulation of variant
// baseline with one block, to tell what the warp lacked that a scheduling error
// passed over, and how long loads take.
type frontWatch struct {
	sim.NopObserver
	program *isa.Program
	warps   []watchedWarp // by slot

	taken                                        int64
	afterBranch, notRequested, inFlight, nothing int64
	loads, loadCycles                            int64

	issues, redirects []int64 // cycles
}

// watchedWarp is what is known of the queue of a warp.
type watchedWarp struct {
	available []int64 // when the entries of the queue can be issued, first to last
	redirect  bool    // nothing issued since a taken branch
	issued    map[int64]int64
}

func newFrontWatch(d *gpu.Description, p *isa.Program) *frontWatch {
	w := &frontWatch{program: p, warps: make([]watchedWarp, d.SM.MaxWarps)}
	for i := range w.warps {
		w.warps[i].issued = map[int64]int64{}
	}
	return w
}

// Fetch implements sim.FrontObserver.
func (w *frontWatch) Fetch(e sim.FetchEvent) {
	if !e.Miss {
		x := &w.warps[e.Slot]
		x.available = append(x.available, e.AvailableCycle)
	}
}

// NOP implements sim.FrontObserver.
func (*frontWatch) NOP(sim.NOPEvent) {}

// Issue implements sim.Observer.
func (w *frontWatch) Issue(e sim.IssueEvent) {
	x := &w.warps[e.Slot]
	if len(x.available) > 0 {
		x.available = x.available[1:]
	}
	x.redirect = false
	w.issues = append(w.issues, e.Cycle)
	if w.program.Instructions[e.PC].Kind == isa.Load {
		x.issued[e.Index] = e.Cycle
	}
}

// Complete implements sim.Observer.
func (w *frontWatch) Complete(e sim.CompleteEvent) {
	x := &w.warps[e.Slot]
	if at, ok := x.issued[e.Index]; ok {
		delete(x.issued, e.Index)
		w.loads++
		w.loadCycles += e.Cycle - at
	}
}

// Redirect implements sim.FrontObserver.
func (w *frontWatch) Redirect(e sim.RedirectEvent) {
	x := &w.warps[e.Slot]
	x.available, x.redirect = x.available[:0], e.NextPC >= 0
	if e.NextPC >= 0 {
		w.taken++
		w.redirects = append(w.redirects, e.Cycle)
	}
}

// afterBranchCycles is how long after a taken branch a core of 32 warps that takes
// turns comes to its NOPs.
const afterBranchCycles = 32

// idleAfter sums up the cycles that issue nothing of the afterBranchCycles after
// each taken branch.
func (w *frontWatch) idleAfter() int64 {
	idle := int64(0)
	for _, t := range w.redirects {
		from, _ := slices.BinarySearch(w.issues, t)
		to, _ := slices.BinarySearch(w.issues, t+afterBranchCycles)
		idle += afterBranchCycles - int64(to-from)
	}
	return idle
}

// Discrepancy implements sim.FrontObserver. It comes before the entry that is
// issued leaves its queue.
func (w *frontWatch) Discrepancy(e sim.DiscrepancyEvent) {
	if e.Expected == e.Slot {
		return
	}
	if e.Expected < 0 {
		w.nothing++
		return
	}
	x := &w.warps[e.Expected]
	switch {
	case len(x.available) > 0 && x.available[0] <= e.Cycle:
		w.nothing++
	case x.redirect:
		w.afterBranch++
	case len(x.available) > 0:
		w.inFlight++
	default:
		w.notRequested++
	}
}
