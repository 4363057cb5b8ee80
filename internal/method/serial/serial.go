// Package serial bounds a scope by the time it would take if no two
// instructions ever overlapped: the sum, over everything executed, of
// initiation and latency, plus the delays of barriers and block starts.
//
// It needs almost nothing (docs/soundness/hardware.md, theorem 10 (nothing overlaps)):
// any barriers, partial and named ones included, any queues, any number of schedulers,
// shared units. It is the fallback where no tighter method applies.
//
// The input is per symbol: how often it is executed and how long it takes.
package serial

import (
	"fmt"
	"math"

	"github.com/warpbound/warpbound/bound"
)

// Method is the name of the bound in reports.
const Method = "serial"

// Work is what a scope executes.
type Work struct {
	// Counts and Cycles are per symbol: executions, and initiation plus latency.
	Counts, Cycles []int64
	// PathCycles is the largest sum of Cycles along any path of each warp that may
	// take several and that Counts leaves out, over all of them.
	PathCycles int64
	// Barriers is at least the number of barrier openings, Starts the number of
	// blocks.
	Barriers, Starts                int64
	BarrierDelayCycles, StartCycles int64
}

// Bound adds up the work. It fails where the sum leaves int64 or a figure is
// negative.
func Bound(scope bound.Scope, w Work, ledger []bound.Assumption) (bound.Bound, error) {
	b := bound.Bound{Scope: scope, Method: Method, Safe: true, Theorem: "docs/soundness.md, theorem 10"}
	if len(w.Counts) != len(w.Cycles) {
		return b, fmt.Errorf("%d counts for %d symbols", len(w.Counts), len(w.Cycles))
	}
	work := w.PathCycles
	if work < 0 {
		return b, fmt.Errorf("paths of %d cycles: negative", work)
	}
	if work > 0 {
		b.Theorem += ", theorem 41"
	}
	for i, n := range w.Counts {
		if err := addProduct(&work, n, w.Cycles[i]); err != nil {
			return b, fmt.Errorf("symbol %d: %w", i, err)
		}
	}
	var barriers, starts int64
	if err := addProduct(&barriers, w.Barriers, w.BarrierDelayCycles); err != nil {
		return b, fmt.Errorf("barrier delays: %w", err)
	}
	if err := addProduct(&starts, w.Starts, w.StartCycles); err != nil {
		return b, fmt.Errorf("block starts: %w", err)
	}
	b.Breakdown = []bound.Component{
		bound.Part(bound.AllInstructions, work),
		bound.Part(bound.BarrierDelays, barriers),
		bound.Part(bound.BlockStartDelay, starts),
	}
	for _, c := range b.Breakdown {
		if err := addProduct(&b.Cycles, c.Cycles, 1); err != nil {
			return b, err
		}
	}
	b.Assumptions = Assumptions(scope, ledger)
	return b, nil
}

// Assumptions lists what the bound rests on; entries of ledger replace those of
// the same id.
func Assumptions(scope bound.Scope, ledger []bound.Assumption) []bound.Assumption {
	out := []bound.Assumption{
		bound.Assume(bound.InterferenceFree, bound.Assumed, ""),
		bound.Assume(bound.NoDataCache, bound.Assumed, ""),
		bound.Assume(bound.BuffersNeverEmpty, bound.Assumed, ""),
		bound.Assume(bound.WorkConserving, bound.Assumed, ""),
		bound.Assume(bound.QueueKind, bound.Enforced, "any kind"),
		bound.Assume(bound.Registers, bound.Assumed, ""),
		bound.Assume(bound.PathCovers, bound.Assumed, ""),
	}
	if scope == bound.SM || scope == bound.Kernel {
		out = append(out, bound.Assume(bound.GreedyBlocks, bound.Assumed, ""))
	}
	out = append(out,
		bound.Assume(bound.WorstTimings, bound.Assumed, ""),
		bound.Assume(bound.AloneFromReset, bound.Assumed, ""),
		bound.Assume(bound.Delays, bound.Enforced, ""),
		bound.Assume(bound.EqualClocks, bound.Assumed, ""))
	return bound.Overlay(out, ledger)
}

func addProduct(sum *int64, n, cycles int64) error {
	if n < 0 || cycles < 0 {
		return fmt.Errorf("%d x %d cycles: negative", n, cycles)
	}
	if cycles > 0 && n > (math.MaxInt64-*sum)/cycles {
		return fmt.Errorf("%d x %d cycles do not fit 63 bits", n, cycles)
	}
	*sum += n * cycles
	return nil
}
