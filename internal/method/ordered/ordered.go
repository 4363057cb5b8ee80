package ordered

import (
	"context"

	"github.com/warpbound/warpbound/bound"
)

// Names of the bounds in reports.
const (
	Method       = "ordered"
	SerialMethod = "ordered-serial"
)

// Result is what is known about a batch.
type Result struct {
	// Ordered is theorem 21 (ORDER), Serial theorem 20 (everything one after the other).
	// Both are safe; either can be the smaller one.
	Ordered, Serial bound.Bound
	// Instructions were executed, Accesses of them in the order.
	Instructions, Accesses int64
}

// ComputeAll bounds the time from the start of a batch of blocks to the completion
// of everything they execute, for several descriptions of one machine in one walk of
// the order. The bounds of each result hold. Entries of ledger replace those of the
// same id in the bounds' assumptions.
//
// It fails with an *OrderError where the machine would stop for ever, with a
// *bound.Refusal where a channel may be full that must not be, with ErrOverflow,
// with what the order yields, or with a description of invalid input.
func ComputeAll(ctx context.Context, machines []*CachedSM, in *Input, ledger []bound.Assumption) ([]*Result, error) {
	passes := make([]*pass, len(machines))
	for i, m := range machines {
		if err := m.Check(); err != nil {
			return nil, err
		}
		if err := in.check(m); err != nil {
			return nil, err
		}
		passes[i] = newPass(ctx, m, in)
	}
	for a, err := range in.Order {
		if err != nil {
			return nil, err
		}
		for _, p := range passes {
			if err := p.next(&a); err != nil {
				return nil, err
			}
		}
	}
	var all []*Result
	for _, p := range passes {
		if err := p.end(); err != nil {
			return nil, err
		}
		r := &Result{Instructions: p.instructions, Accesses: p.places}
		if err := p.ordered(&r.Ordered); err != nil {
			return nil, err
		}
		if err := p.serialBound(&r.Serial); err != nil {
			return nil, err
		}
		r.Ordered.Assumptions = assumptions(p.m, true, ledger)
		r.Serial.Assumptions = assumptions(p.m, false, ledger)
		all = append(all, r)
	}
	return all, nil
}

// ordered composes theorem 21: the latest end of any warp, and what is charged.
func (p *pass) ordered(b *bound.Bound) error {
	latest, own := none, int64(0)
	for _, w := range p.warps {
		if t := w.end.own - w.passed; t > latest {
			latest, own = t, w.passed
		}
		if t := w.end.shared; t > latest {
			latest, own = t, 0
		}
	}
	fills, err := product(p.filled, p.m.FillCycles)
	if err != nil {
		return err
	}
	// A clock that has come from another warp may lag behind what its own warp
	// initiates; then it is set against that.
	own = max(own, -latest)
	*b = bound.Bound{
		Scope: bound.SM, Method: Method, Safe: true, Theorem: "docs/soundness.md, theorem 21",
		Breakdown: []bound.Component{
			bound.Part(bound.LongestWait, latest+own),
			bound.Part(bound.InitiationsCharged, p.initiations-own),
			bound.Part(bound.Fills, fills),
		},
	}
	return total(b)
}

// serialBound composes theorem 20.
func (p *pass) serialBound(b *bound.Bound) error {
	fills, err := product(p.filled, p.m.FillCycles)
	if err != nil {
		return err
	}
	barriers, err := product(p.barriers, p.m.BarrierDelayCycles)
	if err != nil {
		return err
	}
	*b = bound.Bound{
		Scope: bound.SM, Method: SerialMethod, Safe: true, Theorem: "docs/soundness.md, theorem 20",
		Breakdown: []bound.Component{
			bound.Part(bound.AllAccesses, p.serial),
			bound.Part(bound.Fills, fills),
			bound.Part(bound.BarrierDelays, barriers),
			bound.Part(bound.BlockStartDelay, p.m.StartDelayCycles),
		},
	}
	return total(b)
}

func product(n, cycles int64) (int64, error) {
	if cycles > 0 && n > maxTime/cycles {
		return 0, bound.ErrOverflow
	}
	return n * cycles, nil
}

func total(b *bound.Bound) error {
	for _, c := range b.Breakdown {
		if c.Cycles > maxTime {
			return bound.ErrOverflow
		}
		b.Cycles += c.Cycles
	}
	return nil
}

func assumptions(m *CachedSM, workConserving bool, ledger []bound.Assumption) []bound.Assumption {
	queue := bound.Assume(bound.QueueKind, bound.Enforced, "queue: "+m.Queue.String())
	order := bound.Assume(bound.WarpOrderPerUnit, bound.Enforced, "")
	if !m.KeepsWarpOrder {
		order.Note = "not needed: all of a warp's own initiations are charged"
	}
	barrier := bound.Assume(bound.BarrierKind, bound.Enforced, "open on issue")
	if m.DrainingBarriers {
		barrier.Note = "draining"
	}
	channel := bound.Assume(bound.ChannelsDoNotBlock, bound.Proved, "a warp waits for its accesses before a channel is full")
	if m.Channel == Credits {
		channel.Status, channel.Note = bound.Enforced, "an access issues only when its channel has room"
	}
	out := []bound.Assumption{
		bound.Assume(bound.SingleIssue, bound.Assumed, ""),
		bound.Assume(bound.BuffersNeverEmpty, bound.Assumed, ""),
		bound.Assume(bound.WorkConserving, bound.Assumed, ""),
		queue,
	}
	if workConserving {
		out = append(out, order)
	}
	out = append(out,
		barrier,
		bound.Assume(bound.Registers, bound.Assumed, ""),
		bound.Assume(bound.PathCovers, bound.Assumed, ""),
	)
	if workConserving {
		out = append(out, bound.Assume(bound.PrivateDispatchPorts, bound.Assumed, ""))
	}
	out = append(out,
		bound.Assume(bound.WorstTimings, bound.Assumed, ""),
		bound.Assume(bound.AloneFromReset, bound.Assumed, ""),
		bound.Assume(bound.Delays, bound.Assumed, ""),
		bound.Assume(bound.EqualClocks, bound.Assumed, ""),
		bound.Assume(bound.EnforcedAccessOrder, bound.Assumed, ""),
		bound.Assume(bound.AccessClassesExact, bound.Assumed, ""),
		bound.Assume(bound.MemoryResponse, bound.Assumed, ""),
		channel,
	)
	return bound.Overlay(out, ledger)
}
