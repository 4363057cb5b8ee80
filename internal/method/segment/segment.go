package segment

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
)

// Names of the figures in reports.
const (
	// Method is eq. 1 and 2 with the latencies of eq. 3 and every initiation
	// counted in full.
	Method = "segment"
	// CountMethod counts each instruction as one issue slot.
	CountMethod = "segment-count"
	// EstimateMethod has the latencies of eq. 4.
	EstimateMethod = "segment-estimate"
	// ClassMethod has the latency of each access by its hits and misses.
	ClassMethod = "segment-classes"
	// StrictMethod adds initiations and each warp's longest chain of latencies.
	StrictMethod = "strict"
)

// Methods lists the names in the order of Result.Bounds.
func Methods() []string {
	return []string{Method, CountMethod, EstimateMethod, ClassMethod, StrictMethod, ordered.TurnsMethod}
}

// Scheduler says who issues next.
type Scheduler int

const (
	// SegmentTurns is strict round robin over the segments as they are defined:
	// a warp keeps its turn to the end of its segment, also while it waits.
	SegmentTurns Scheduler = iota
	// GreedyTurns knows no segments: a warp keeps its turn while it is ready, and
	// for at least one instruction.
	GreedyTurns
	// InstructionTurns is strict round robin over instructions.
	InstructionTurns
	// Loose stands for everything that passes over a warp that is not ready.
	Loose
	// SeveralStrict stands for several schedulers in an SM, each with strict turns
	// of its own.
	SeveralStrict
)

// Result is what Compute finds.
type Result struct {
	// Bounds are the published figures, marked where they are not safe, and the
	// proven ones, in a fixed order.
	Bounds []bound.Bound
	// Refusals say which proven figures there are not, and why.
	Refusals []*bound.Refusal
	// Costs are those of the bounds by turns and any strict round robin, by method, where
	// the input asks for costs and has no order.
	Costs map[string]map[method.Cost]int64
	// Last is the warp, by its place in the input, that takes the last turn of
	// the segments; -1 if nothing is executed.
	Last int
}

// Compute computes all figures for the blocks that start together on an SM. The
// warps take their turns in the order of in.Warps. in.Order is nil without a
// reordering unit; otherwise it is walked twice. The latency of accesses is that
// of mem. Entries of ledger replace those of the same id.
//
// It fails on invalid input, on ErrOverflow, and on an order that does not belong
// to the programs (*ordered.OrderError).
func Compute(ctx context.Context, m *ordered.CachedSM, in *ordered.Input, mem *Memory, sched Scheduler, ledger []bound.Assumption) (*Result, error) {
	if sched < SegmentTurns || sched > SeveralStrict {
		return nil, fmt.Errorf("scheduler %d is not known", int(sched))
	}
	for _, err := range []error{m.Check(), mem.Check(), check(in)} {
		if err != nil {
			return nil, err
		}
	}
	p := newPass(ctx, m, in, mem)
	if err := p.run(in); err != nil {
		return nil, err
	}
	r := &Result{Last: p.last, Costs: map[string]map[method.Cost]int64{}}
	why := unsafe(m, in, sched)
	p.add(r, Method, published, why, ledger)
	if why == "" && p.longInit {
		p.add(r, CountMethod, counted, "an instruction occupies its unit for more than a cycle, and counts as one issue slot", ledger)
	} else {
		p.add(r, CountMethod, counted, why, ledger)
	}
	if mem.Accesses > 0 {
		p.add(r, EstimateMethod, estimated, "an estimate: latencies are weighted by a miss rate, and an access that misses takes longer", ledger)
	}
	if in.Order != nil {
		p.add(r, ClassMethod, classed, why, ledger)
	}
	if err := p.strict(r, in, sched, ledger); err != nil {
		return nil, err
	}
	return r, p.turns(ctx, r, in, sched, ledger)
}

// unsafe returns why eq. 1 and 2 are no bound here; "" where they are.
func unsafe(m *ordered.CachedSM, in *ordered.Input, sched Scheduler) string {
	switch {
	case sched == GreedyTurns:
		return "a warp that waits inside a segment for an earlier one loses its turn, and with latencies shorter than declared segments run into one another; counterexamples exist"
	case sched == InstructionTurns:
		return "warps pass the turn on after each instruction, so that other warps' waits come between the instructions of a segment; counterexamples exist"
	case sched == Loose:
		return "the figure is for strict round robin between warps"
	case sched == SeveralStrict:
		return "the figure is for one scheduler, and the turns of several are not in step"
	case !m.FIFO && m.Queue != method.NoQueue:
		return "units do not serve in issue order, so what is issued later can delay what is issued"
	case in.Order != nil:
		return "accesses wait for accesses of other warps, which no latency of the figure contains"
	case blocksMeet(in):
		return "when a barrier of one block opens decides where its warps join the turns of the others"
	}
	return ""
}

// blocksMeet tells whether there are several blocks and barriers.
func blocksMeet(in *ordered.Input) bool {
	several, barriers := false, false
	for i := range in.Warps {
		several = several || in.Warps[i].Block != in.Warps[0].Block
		barriers = barriers || len(in.Warps[i].Sections) > 1
	}
	return several && barriers
}

func (p *pass) add(r *Result, method string, figure int, why string, ledger []bound.Assumption) {
	b := bound.Bound{
		Scope: bound.SM, Method: method, Safe: why == "", UnsafeReason: why,
		Theorem: "docs/soundness.md, theorem 19", Assumptions: p.assumptions(ledger),
	}
	for _, w := range p.warps {
		b.Cycles = max(b.Cycles, w.complete[figure])
	}
	b.Cycles = max(b.Cycles, p.clock[figure])
	b.Breakdown = []bound.Component{bound.Part(bound.SegmentIssue, p.clock[figure]), bound.Part(bound.AfterLastIssue, b.Cycles-p.clock[figure])}
	r.Bounds = append(r.Bounds, b)
}

// strict adds the bound for any strict round robin: while nothing is issued,
// the holder of the turn waits for a latency of its own.
func (p *pass) strict(r *Result, in *ordered.Input, sched Scheduler, ledger []bound.Assumption) error {
	refusal := &bound.Refusal{Method: StrictMethod, Scope: bound.SM, Assumption: bound.StrictTurns}
	switch {
	case sched == Loose:
		refusal.Reason = "it is for strict round robin between warps"
	case in.Order != nil:
		refusal.Assumption, refusal.Reason = bound.EnforcedAccessOrder, "accesses wait for accesses of other warps"
	default:
		b := bound.Bound{
			Scope: bound.SM, Method: StrictMethod, Safe: true,
			Theorem: "docs/soundness.md, theorem 19", Assumptions: p.assumptions(ledger),
		}
		if sched == SeveralStrict {
			b.Theorem = "docs/soundness.md, theorem 26"
		}
		var chains int64
		for _, w := range p.warps {
			if chains += w.end; chains > maxTime {
				return bound.ErrOverflow
			}
		}
		blocks := map[int]int64{}
		for i := range in.Warps {
			k := in.Warps[i].Block
			blocks[k] = max(blocks[k], int64(len(in.Warps[i].Sections))-1)
		}
		var openings int64
		for _, n := range blocks {
			openings += n
		}
		if p.m.BarrierDelayCycles > 0 && openings > maxTime/p.m.BarrierDelayCycles {
			return bound.ErrOverflow
		}
		b.Breakdown = []bound.Component{
			bound.Part(bound.AllInitiations, p.initiations),
			bound.Part(bound.LatencyChains, chains),
			bound.Part(bound.BarrierDelays, openings*p.m.BarrierDelayCycles),
			bound.Part(bound.BlockStartDelay, p.m.StartDelayCycles),
		}
		for _, c := range b.Breakdown {
			b.Cycles += c.Cycles
		}
		if b.Cycles > maxTime {
			return bound.ErrOverflow
		}
		r.Bounds = append(r.Bounds, b)
		if in.Costs != nil {
			r.Costs[StrictMethod] = p.strictCosts(&b)
		}
		return nil
	}
	r.Refusals = append(r.Refusals, refusal)
	return nil
}

// strictCosts are the costs of the bound for any strict round robin.
func (p *pass) strictCosts(b *bound.Bound) map[method.Cost]int64 {
	out := map[method.Cost]int64{}
	for sym, n := range p.initiated {
		if n > 0 {
			out[method.Cost{Part: bound.AllInitiations, Kind: method.Charged, Symbol: int32(sym)}] = n
		}
	}
	for _, w := range p.warps {
		w.endOf.AddTo(out, bound.LatencyChains)
	}
	for _, c := range b.Breakdown[2:] {
		if c.Cycles > 0 {
			out[method.Cost{Part: c.ID, Kind: method.Delay, Symbol: -1}] = c.Cycles
		}
	}
	return out
}

// turns adds the fixed sequence of package ordered.
func (p *pass) turns(ctx context.Context, r *Result, in *ordered.Input, sched Scheduler, ledger []bound.Assumption) error {
	turn := ordered.OneSegment
	switch sched {
	case GreedyTurns, Loose, SeveralStrict:
		r.Refusals = append(r.Refusals, &bound.Refusal{
			Method: ordered.TurnsMethod, Scope: bound.SM, Assumption: bound.StrictTurns,
			Reason: "when a warp passes its turn on depends on the times of the run",
		})
		return nil
	case InstructionTurns:
		turn = ordered.OneInstruction
	}
	fixed := *in
	if in.Costs != nil {
		fixed.Costs = map[method.Cost]int64{}
	}
	if in.Order == nil {
		fixed.Ops = append(fixed.Ops[:0:0], in.Ops...)
		for i := range fixed.Ops {
			if p.insts[i].access {
				fixed.Ops[i].LatencyCycles = p.mem.UnknownCycles()
			}
		}
	}
	b, err := ordered.Turns(ctx, p.m, &fixed, turn, ledger)
	var (
		refusal *bound.Refusal
		stop    *ordered.OrderError
	)
	switch {
	case errors.As(err, &refusal):
		r.Refusals = append(r.Refusals, refusal)
	case errors.As(err, &stop):
		r.Refusals = append(r.Refusals, &bound.Refusal{Method: ordered.TurnsMethod, Scope: bound.SM, Assumption: bound.EnforcedAccessOrder, Reason: "the machine stops for ever: " + stop.Error()})
	case err != nil:
		return err
	default:
		r.Bounds = append(r.Bounds, *b)
		if in.Costs != nil && in.Order == nil {
			r.Costs[ordered.TurnsMethod] = fixed.Costs
		}
	}
	return nil
}

func (p *pass) dispatch() string {
	if p.m.FIFO || p.m.Queue == method.NoQueue {
		return "units serve in issue order"
	}
	return "units serve in any order"
}

func (p *pass) assumptions(ledger []bound.Assumption) []bound.Assumption {
	out := []bound.Assumption{
		bound.Assume(bound.SingleIssue, bound.Assumed, ""),
		bound.Assume(bound.InterferenceFree, bound.Assumed, "the latency of an access covers all that delays it"),
		bound.Assume(bound.BuffersNeverEmpty, bound.Assumed, ""),
		bound.Assume(bound.QueueKind, bound.Enforced, "queue: "+p.m.Queue.String()),
		bound.Assume(bound.DispatchOrder, bound.Enforced, p.dispatch()),
		bound.Assume(bound.BarrierKind, bound.Enforced, ""),
		bound.Assume(bound.Registers, bound.Assumed, ""),
		bound.Assume(bound.PathCovers, bound.Assumed, ""),
		bound.Assume(bound.WorstTimings, bound.Assumed, ""),
		bound.Assume(bound.AloneFromReset, bound.Assumed, ""),
		bound.Assume(bound.Delays, bound.Assumed, ""),
		bound.Assume(bound.EqualClocks, bound.Assumed, ""),
		bound.Assume(bound.StrictTurns, bound.Assumed, ""),
	}
	return bound.Overlay(out, ledger)
}
