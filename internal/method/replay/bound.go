package replay

import (
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// Method is the name of the bound in reports.
const Method = "replay"

// Theorem is where the proof is.
const Theorem = "docs/soundness.md, theorem 32"

// Determined says whether the issue stage follows its policy whatever the fetch
// stage did before: with SWaS, where there is one scheduler, and where both
// stages are strict, so that whose turn it is does not depend on what is ready.
// Otherwise reason says which of these fails.
func (f *FrontEnd) Determined() (ok bool, reason string) {
	switch {
	case f.SWaS, f.Fetch.Category == Strict && f.Issue.Category == Strict && f.Fetch.Algorithm != ICount && f.Issue.Algorithm != ICount:
		return true, ""
	case f.Fetch.Category == Strict && f.Issue.Category == Strict:
		return false, "a simulation of the declared machine: the policies select by what the queues hold, so that the order of issue depends on the timing of the front end"
	}
	return false, "a simulation of the declared machine: with two schedulers, not both of them strict, the order of issue depends on the timing of the front end and not on the program and its policy alone"
}

// Bound turns a replay into a bound, which is safe if the machine is
// Determined.
func (r *Result) Bound(scope bound.Scope, m *Core, ledger []bound.Assumption) bound.Bound {
	ok, reason := m.Front.Determined()
	return bound.Bound{
		Cycles: r.Cycles, Scope: scope, Method: Method, Safe: ok, UnsafeReason: reason, Theorem: Theorem,
		Breakdown: []bound.Component{
			bound.Part(bound.InstructionsIssued, r.Stats.Instructions),
			bound.Part(bound.NOPsIssued, r.Stats.NOPs),
			bound.Part(bound.NothingIssued, r.Cycles-r.Stats.Instructions-r.Stats.NOPs),
		},
		Assumptions: m.Assumptions(scope, ledger),
	}
}

// Assumptions lists what the bound rests on; entries of ledger replace those of
// the same id.
func (m *Core) Assumptions(scope bound.Scope, ledger []bound.Assumption) []bound.Assumption {
	f := &m.Front
	queue := m.Queue.String()
	if m.Queue == method.Slots || m.Queue == method.Pooled {
		queue = fmt.Sprintf("%s, %d places", queue, m.QueueSlots)
	}
	barrier := "does not wait for completion"
	if m.DrainingBarriers {
		barrier = "draining"
	}
	out := []bound.Assumption{
		bound.Assume(bound.SingleIssue, bound.Enforced, "one scheduler, one instruction or NOP a cycle"),
		bound.Assume(bound.InterferenceFree, bound.Assumed, ""),
		bound.Assume(bound.NoDataCache, bound.Assumed, ""),
		bound.Assume(bound.QueueKind, bound.Enforced, queue),
		bound.Assume(bound.WarpOrderPerUnit, bound.Enforced, "follows from FIFO"),
		bound.Assume(bound.DispatchOrder, bound.Enforced, "FIFO"),
		bound.Assume(bound.BarrierKind, bound.Enforced, barrier),
		bound.Assume(bound.Registers, bound.Assumed, ""),
		bound.Assume(bound.PathCovers, bound.Assumed, ""),
		bound.Assume(bound.PrivateDispatchPorts, bound.Enforced, ""),
	}
	if scope == bound.SM || scope == bound.Kernel {
		out = append(out,
			bound.Assume(bound.GreedyBlocks, bound.Assumed, "in the order of their numbers, into the lowest free slot"),
			bound.Assume(bound.SlotRule, bound.Enforced, fmt.Sprintf("%d slot(s)", m.BlockSlots)))
	}
	out = append(out,
		bound.Assume(bound.AloneFromReset, bound.Assumed, ""),
		bound.Assume(bound.Delays, bound.Enforced, ""),
		bound.Assume(bound.EqualClocks, bound.Assumed, ""),
		bound.Assume(bound.DeclaredPolicies, bound.Enforced, f.policies()),
		bound.Assume(bound.ExactTimings, bound.Assumed, "declared times that are upper bounds only do not do"),
		bound.Assume(bound.FrontEndAsDescribed, bound.Enforced, f.describe()),
		bound.Assume(bound.ICacheAtStart, bound.Assumed, f.ICache.describe()))
	return bound.Overlay(out, ledger)
}

func (f *FrontEnd) policies() string {
	if f.SWaS {
		return "SWaS, both stages " + f.Issue.String()
	}
	return "fetch " + f.Fetch.String() + ", issue " + f.Issue.String()
}

func (f *FrontEnd) describe() string {
	behind := "in sequence"
	if f.Stall {
		behind = "after resolution"
	}
	return fmt.Sprintf("queues of %d, fetch %d and decode 1 cycles, control resolved in %d, fetch behind it %s, warps activated %d apart",
		f.QueueEntries, f.FetchCycles, f.ResolveCycles, behind, f.StartGapCycles)
}

func (c *ICache) describe() string {
	if c.Perfect {
		return "every request hits"
	}
	return fmt.Sprintf("empty; %d sets of %d lines, LRU, misses of %d cycles", c.Sets, c.Ways, c.MissCycles)
}

// String is the usual name of the policy (Crouzet2024, Table I), in lower case.
func (p Policy) String() string {
	algorithm := [...]string{"rr", "o", "icount"}[p.Algorithm]
	switch p.Category {
	case Strict:
		return "s" + algorithm
	case Greedy:
		return "gtl" + algorithm
	case GreedyStrict:
		return "gs" + algorithm
	case Adaptive:
		return fmt.Sprintf("atl%s:%d", algorithm, p.Lead)
	}
	return "l" + algorithm
}
