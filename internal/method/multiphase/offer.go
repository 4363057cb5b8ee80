package multiphase

import (
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// situation is what decides, besides the hardware, which theorems apply.
type situation struct {
	scope    bound.Scope
	barriers bool // more than one section
	resident bool // blocks share an SM, or their number is not known to be one
}

// outside returns why no theorem covers the hardware at all, nil if one does.
func (h *hardware) outside() *bound.Refusal {
	switch {
	case h.IssueWidth != 1:
		return &bound.Refusal{Assumption: bound.SingleIssue, Reason: fmt.Sprintf("%d instructions issue per cycle and sub-core; the theorems are for one", h.IssueWidth)}
	case h.SharedDispatchPort:
		return &bound.Refusal{Assumption: bound.PrivateDispatchPorts, Reason: "units share a dispatch port, so one unit can keep another from starting"}
	}
	return nil
}

// refuse returns why a method gives no safe bound here, nil if it does. The
// conditions are those of docs/soundness.md, section "Which bound where".
func (h *hardware) refuse(name string, s situation) *bound.Refusal {
	r := h.outside()
	if r == nil {
		r = h.refuseMethod(name, s)
	}
	if r != nil {
		r.Method, r.Scope = name, s.scope
	}
	return r
}

// everyPath is what the proof of a bound rests on besides where warps have several
// paths.
const everyPath = ", theorem 41"

// refuse returns why a method cannot bound the block's warps: it reads the one
// sequence of each, and some have several (docs/soundness/inputs.md, "Which methods
// hold").
func (p *plan) refuse(name string, scope bound.Scope) *bound.Refusal {
	if !p.choices || name == SUM || name == FUA {
		return nil
	}
	return &bound.Refusal{Method: name, Scope: scope, Assumption: bound.PathCovers, Reason: method.SeveralPaths}
}

func (h *hardware) refuseMethod(name string, s situation) *bound.Refusal {
	if name == SUM {
		return nil
	}
	if s.resident {
		return &bound.Refusal{Assumption: bound.AloneFromReset, Reason: "several blocks can be resident on an SM, for which only SUM charges are proved (theorems 4 and 5)"}
	}
	if name == CHAIN {
		return h.refuseChain()
	}
	if s.barriers && !h.additive() {
		return &bound.Refusal{Assumption: bound.BarrierKind, Reason: "barriers do not drain and units serve warps in any order, so an instruction behind a barrier can overtake one before it; sections do not add up"}
	}
	if name == FUA {
		if h.Queue == method.Pooled {
			return &bound.Refusal{Assumption: bound.QueueKind, Reason: "units share waiting places, so a warp can be delayed on units it does not use"}
		}
		return nil
	}
	if h.shared() != 0 {
		return &bound.Refusal{Assumption: bound.PrivateUnits, Reason: "sub-cores share a unit, for which only SUM and FUA charges are proved (theorem 8)"}
	}
	if h.Queue != method.Unbounded {
		return &bound.Refusal{Assumption: bound.QueueKind, Reason: fmt.Sprintf("issue can wait for the unit (queue: %s), which interrupts a burst; counterexamples exist", h.Queue)}
	}
	if name == REF && !h.keepsOrder() {
		return &bound.Refusal{Assumption: bound.WarpOrderPerUnit, Reason: "a unit may serve one warp's instructions out of order, and refunds rest on that order"}
	}
	return nil
}

func (h *hardware) refuseChain() *bound.Refusal {
	switch {
	case h.DrainingBarriers:
		return &bound.Refusal{Assumption: bound.BarrierKind, Reason: "barriers drain, so that nothing is pending across them: SUM is the same"}
	case !h.keepsOrder():
		return &bound.Refusal{Assumption: bound.WarpOrderPerUnit, Reason: "a unit may serve one warp's instructions out of order, and what is pending across a barrier rests on that order"}
	}
	return nil
}

// theorem names the proof of an offered safe method.
func (h *hardware) theorem(name string, s situation) string {
	t := "theorem 2"
	if name == CHAIN {
		return "docs/soundness.md, theorem 13"
	}
	switch {
	case h.Queue == method.Pooled:
		t = "theorem 6, pooled"
	case h.Queue != method.Unbounded:
		t = "theorem 6"
	}
	if s.barriers {
		if h.additive() {
			t += ", theorem 3"
		} else {
			t += ", theorem 4"
		}
	}
	if !h.keepsOrder() {
		t += ", theorem 7"
	}
	if h.shared() != 0 {
		t += ", theorem 8"
	}
	return "docs/soundness.md, " + t
}

// ledger lists the assumptions of a bound by a method, in the order of the ids.
func (a *Analyzer) ledger(name string, s situation) []bound.Assumption {
	h := &a.hw
	out := []bound.Assumption{
		bound.Assume(bound.SingleIssue, bound.Enforced, fmt.Sprintf("issue width %d, %d sub-core(s)", h.IssueWidth, h.SubCores)),
		bound.Assume(bound.InterferenceFree, bound.Assumed, ""),
		bound.Assume(bound.NoDataCache, bound.Assumed, ""),
		bound.Assume(bound.BuffersNeverEmpty, bound.Assumed, ""),
		bound.Assume(bound.WorkConserving, bound.Assumed, ""),
		bound.Assume(bound.QueueKind, bound.Enforced, h.queueNote()),
	}
	order := "kept"
	if !h.keepsOrder() {
		order = "not kept: the bound includes the warp's own initiations once more"
	}
	out = append(out, bound.Assume(bound.WarpOrderPerUnit, bound.Enforced, order))
	dispatch := "any order"
	if h.FIFO {
		dispatch = "FIFO"
	}
	out = append(out, bound.Assume(bound.DispatchOrder, bound.Enforced, dispatch))
	if s.barriers || s.resident {
		kind := "not draining"
		if h.DrainingBarriers {
			kind = "draining"
		}
		out = append(out, bound.Assume(bound.BarrierKind, bound.Enforced, kind))
	}
	out = append(out,
		bound.Assume(bound.Registers, bound.Assumed, ""),
		bound.Assume(bound.PathCovers, bound.Assumed, ""),
		bound.Assume(bound.PrivateDispatchPorts, bound.Enforced, ""))
	if h.SubCores > 1 {
		note := "all"
		if h.shared() != 0 {
			note = "not all: what other sub-cores start on shared units is charged"
		}
		out = append(out, bound.Assume(bound.PrivateUnits, bound.Enforced, note))
	}
	if s.scope == bound.SM || s.scope == bound.Kernel {
		out = append(out,
			bound.Assume(bound.GreedyBlocks, bound.Assumed, ""),
			bound.Assume(bound.SlotRule, bound.Enforced, fmt.Sprintf("%d slot(s) on each of %d SM(s)", h.SlotsPerSM, h.SMs)))
	}
	out = append(out, bound.Assume(bound.WorstTimings, bound.Assumed, ""))
	if name == REF {
		out = append(out, bound.Assume(bound.UnitFacts, bound.Enforced, "units whose every initiation takes one cycle never queue"))
	}
	out = append(out,
		bound.Assume(bound.AloneFromReset, bound.Assumed, ""),
		bound.Assume(bound.Delays, bound.Enforced, fmt.Sprintf("barrier %d, block start %d cycles", h.BarrierDelayCycles, h.BlockStartDelayCycles)),
		bound.Assume(bound.EqualClocks, bound.Assumed, ""))
	return bound.Overlay(out, a.opt.Ledger)
}

func (h *hardware) queueNote() string {
	if h.Queue == method.Slots {
		return fmt.Sprintf("%d slot(s) per unit", h.QueueSlots)
	}
	return h.Queue.String()
}
