package enforced

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/method/segment"
)

// newTurns makes the segment WCET of a launch (Huangfu2017, Section IV-A) and the
// bounds for strict round robin beside it (docs/soundness/order.md, theorems 19 (turns)
// and 26 (several schedulers)): of each block alone, the largest figures being reported,
// and of the whole launch, its blocks admitted in batches.
func newTurns(ctx context.Context, r *method.Facts) (*results, error) {
	return turnsOf(ctx, r, false)
}

// turnsOf is newTurns, with costs where they are asked for.
func turnsOf(ctx context.Context, r *method.Facts, costs bool) (*results, error) {
	run := &segmentRun{costs: costs, r: r, at: Residency(r.Machine, r.Blocks, int(r.Occupancy.Blocks)), policy: r.Question.Policy, progress: r.Question.Progress}
	prepare := run.recorded
	if r.Question.Reordered {
		prepare = run.inOrder
	}
	if err := prepare(ctx); err != nil {
		return nil, err
	}
	return run.all(ctx)
}

// segmentRun is the work of newTurns.
type segmentRun struct {
	r        *method.Facts
	at       l1d.Residency
	policy   string
	progress func(done, total int64)
	machine  *ordered.CachedSM
	memory   segment.Memory
	ledger   []bound.Assumption

	ops    []method.Op
	access []bool
	order  *segmentOrder // nil without a reordering unit
	// known are the figures of batches without caches, by their block classes and
	// the warp that has the first turn.
	known map[string]*segment.Result
	// costs says that those of the bounds are asked for.
	costs bool
}

// scheduler is the machine that the policy makes of the SM.
func (run *segmentRun) scheduler() segment.Scheduler {
	s := segment.Loose
	switch run.policy {
	case "segments":
		s = segment.SegmentTurns
	case "gsrr":
		s = segment.GreedyTurns
	case "srr":
		s = segment.InstructionTurns
	}
	if s != segment.Loose && run.r.Machine.Desc.SM.Schedulers > 1 {
		s = segment.SeveralStrict
	}
	return s
}

// recorded prepares a run with memory by the timing table.
func (run *segmentRun) recorded(context.Context) error {
	r, d := run.r, run.r.Machine.Desc
	run.progress = nil
	run.ops, run.known = r.Ops(), map[string]*segment.Result{}
	run.machine = &ordered.CachedSM{
		Queue: method.QueueKinds[r.Machine.Queue], KeepsWarpOrder: d.Queue.KeepsWarpOrder, FIFO: r.Machine.FIFO, DrainingBarriers: d.Barrier.Draining,
		BarrierDelayCycles: d.Barrier.DelayCycles, StartDelayCycles: d.Dispatch.StartDelayCycles,
		Channels: int(r.Occupancy.Blocks) * r.Warps, ChannelEntries: 1, MSHRs: 1,
	}
	if r.Path.Irregular != "" {
		return &irregularError{r.Path.Irregular}
	}
	return nil
}

// all computes the figures of all batches and of all blocks alone.
func (run *segmentRun) all(ctx context.Context) (*results, error) {
	r := run.r
	if n := r.Machine.Desc.Issue.PerCycle; n != 1 {
		return nil, &bound.Refusal{Assumption: bound.SingleIssue, Reason: fmt.Sprintf("%d instructions issue per cycle and sub-core; the theorems are for one", n)}
	}
	run.ledger = append(run.ledger, r.Ledger()...)
	turns := "policy " + run.policy
	if n := run.at.Rounds(); n > 1 {
		turns += fmt.Sprintf("; blocks are admitted in %d batches, up to %d blocks an SM, each when the one before has left", n, run.at.BlocksPerSM)
	}
	run.ledger = append(run.ledger,
		bound.Assume(bound.StrictTurns, bound.Assumed, turns),
		bound.Assume(bound.SingleIssue, bound.Enforced, fmt.Sprintf("schedulers: %d", r.Machine.Desc.SM.Schedulers)))
	sms := make([]segmentSum, run.at.SMs)
	slowest := newSegmentSum(bound.Block)
	for i := range sms {
		sms[i] = newSegmentSum(r.WholeScope())
	}
	per := int64(run.at.SMs) * int64(run.at.BlocksPerSM)
	for round := range run.at.Rounds() {
		first, last := round*per, min((round+1)*per, run.at.Blocks)
		if run.order != nil {
			if err := run.order.record(ctx, run, first, last); err != nil {
				return nil, err
			}
		}
		var blocks []int64
		for sm := range sms {
			if blocks = run.at.Batch(blocks[:0], sm, round); len(blocks) == 0 {
				break
			}
			if err := run.batch(ctx, &sms[sm], sm, blocks); err != nil {
				return nil, err
			}
		}
		for b := first; b < last; b++ {
			if run.order == nil && r.Path.Classes[r.Path.Class(b)].First != b {
				continue // a block of its class has been computed
			}
			alone := newSegmentSum(bound.Block)
			if err := run.batch(ctx, &alone, aloneSM, []int64{b}); err != nil {
				return nil, err
			}
			if err := run.occupy([]segmentSum{alone}, aloneSM); err != nil {
				return nil, err
			}
			slowest.most(&alone)
			if run.progress != nil {
				run.progress(b+1, run.at.Blocks)
			}
		}
	}
	whole := newSegmentSum(r.WholeScope())
	if err := run.occupy(sms, 0); err != nil {
		return nil, err
	}
	for sm := range sms {
		whole.most(&sms[sm])
	}
	return &results{block: slowest.result(), whole: whole.result(), costs: whole.costs}, nil
}

// aloneSM stands for the machine of a block alone.
const aloneSM = -1

// batch adds the figures of blocks that are resident together on an SM.
func (run *segmentRun) batch(ctx context.Context, sum *segmentSum, sm int, blocks []int64) error {
	warps := len(blocks) * run.r.Warps
	if sum.next >= warps {
		sum.next = 0
	}
	in := &ordered.Input{Ops: run.ops, Accesses: run.access}
	if run.costs {
		in.Costs = map[method.Cost]int64{}
	}
	key := fmt.Sprint(sum.next)
	for _, b := range blocks {
		if run.order != nil {
			run.order.warps(in, b)
			continue
		}
		class := run.r.Path.Class(b)
		key += fmt.Sprint(" ", class)
		at := len(in.Warps)
		in.Warps = append(in.Warps, make([]ordered.Warp, run.r.Warps)...)
		for _, c := range run.r.Path.Classes[class].Warps {
			for _, id := range c.IDs {
				in.Warps[at+id] = ordered.Warp{Sections: c.Warp.Sections, Block: int(b)}
			}
		}
	}
	if run.order != nil {
		if err := run.order.classify(in, sm, blocks, run.r.Warps, sum.next); err != nil {
			return err
		}
	}
	in.Warps = append(in.Warps[sum.next:len(in.Warps):len(in.Warps)], in.Warps[:sum.next]...)
	got := run.known[key]
	if got == nil {
		var err error
		if got, err = segment.Compute(ctx, run.machine, in, &run.memory, run.scheduler(), run.ledger); err != nil {
			return err
		}
		if run.known != nil {
			run.known[key] = got
		}
	}
	if run.order != nil {
		run.order.withdraw(got)
	}
	if got.Last >= 0 {
		sum.next = (sum.next+got.Last)%warps + 1
	}
	return sum.add(got)
}

// occupy charges the fixed sequence with what requests occupy in the memory.
// The sums are of SMs from a number on.
func (run *segmentRun) occupy(sums []segmentSum, first int) error {
	var m *sharedMemory
	for i := range sums {
		b := sums[i].bounds[ordered.TurnsMethod]
		if run.order == nil || b == nil {
			continue
		}
		if m == nil {
			var err error
			if m, err = run.order.memory(first); err != nil {
				return err
			}
		}
		if err := run.order.occupy(b, first+i, m); err != nil {
			return err
		}
	}
	return nil
}

// segmentSum is figures of batches that follow one another, or the largest ones
// of several such.
type segmentSum struct {
	scope   bound.Scope
	next    int // slot from which the next batch looks for a warp to begin with
	bounds  map[string]*bound.Bound
	refused map[string]*bound.Refusal
	costs   map[string]map[method.Cost]int64 // of bounds, where they are known
}

func newSegmentSum(scope bound.Scope) segmentSum {
	return segmentSum{scope: scope, bounds: map[string]*bound.Bound{}, refused: map[string]*bound.Refusal{}, costs: map[string]map[method.Cost]int64{}}
}

// add adds the figures of a batch.
func (s *segmentSum) add(got *segment.Result) error {
	for _, no := range got.Refusals {
		s.refused[no.Method] = no
	}
	for i := range got.Bounds {
		b := &got.Bounds[i]
		sum := s.bounds[b.Method]
		if sum == nil {
			sum = &bound.Bound{Safe: true}
			s.bounds[b.Method] = sum
		}
		if of := got.Costs[b.Method]; of != nil {
			to := s.costs[b.Method]
			if to == nil {
				to = map[method.Cost]int64{}
				s.costs[b.Method] = to
			}
			for c, n := range of {
				to[c] += n
			}
		}
		unsafe := sum.UnsafeReason
		if unsafe == "" {
			unsafe = b.UnsafeReason
		}
		if err := addBatch(sum, b); err != nil {
			return err
		}
		sum.Breakdown = append([]bound.Component(nil), sum.Breakdown...)
		sum.Scope, sum.Safe, sum.UnsafeReason = s.scope, unsafe == "", unsafe
	}
	return nil
}

// most keeps the larger figures; where one of two is refused or not safe, so is
// the larger.
func (s *segmentSum) most(x *segmentSum) {
	for _, m := range segment.Methods() {
		if no := x.refused[m]; no != nil {
			s.refused[m] = no
		}
		large, small, costs := x.bounds[m], s.bounds[m], x.costs[m]
		switch {
		case large == nil:
			continue
		case small == nil:
			small = large
		case small.Cycles >= large.Cycles:
			large, small, costs = small, large, s.costs[m]
		}
		s.costs[m] = costs
		b := *large
		if b.Scope = s.scope; b.Safe && !small.Safe {
			b.Safe, b.UnsafeReason = false, small.UnsafeReason
		}
		s.bounds[m] = &b
	}
}

func (s *segmentSum) result() *bound.Result {
	res := bound.NewResult(s.scope)
	for _, m := range segment.Methods() {
		switch no, b := s.refused[m], s.bounds[m]; {
		case no != nil:
			res.Refused = append(res.Refused, bound.Refusal{Method: m, Scope: s.scope, Reason: no.Reason, Assumption: no.Assumption})
		case b != nil:
			res.Add(*b)
		}
	}
	return res
}
