package analysis

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/method/segment"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
)

// SegmentMethods lists the methods of RunSegments.
func SegmentMethods() []string { return segment.Methods() }

// SegmentOptions of RunSegments.
type SegmentOptions struct {
	// Policy gives the turns. The figures claim to hold under srr, gsrr and
	// segments only, and under each of them only some.
	Policy sim.Policy
	// Order is sim.L1None for memory by the timing table, sim.L1Reorder for
	// caches behind a reordering unit.
	Order       string
	BlocksPerSM int // resident blocks of an SM, 0 as many as fit
	Limits      simt.Limits
	Progress    func(done, total int64) // blocks read
}

// RunSegments computes the segment WCET of a launch (Huangfu2017, Section IV-A)
// and the bounds for strict round robin beside it (docs/soundness.md, theorems 19
// and 26): of each block alone, the largest figures being reported, and of the
// whole launch, its blocks admitted in batches. Best is the smallest that holds
// under the policy, nil where none does.
func RunSegments(ctx context.Context, launch CacheLaunch, m *gpu.Machine, opt SegmentOptions) (*Report, error) {
	follow, err := launch.Tainted()
	if err != nil {
		return nil, err
	}
	r, err := prepare(follow, m)
	if err != nil {
		return nil, err
	}
	r.Path, r.L1Order, r.Policy = &path.Launch{}, opt.Order, opt.Policy.String()
	switch {
	case int64(opt.BlocksPerSM) > r.Occupancy.Blocks:
		return nil, fmt.Errorf("%d blocks an SM: expected at most the %d that fit (limit: %s)", opt.BlocksPerSM, r.Occupancy.Blocks, r.Occupancy.Limiter)
	case opt.BlocksPerSM > 0:
		r.Occupancy.Blocks = int64(opt.BlocksPerSM)
	}
	run := &segmentRun{r: r, at: residency(m, r.Blocks, int(r.Occupancy.Blocks)), policy: opt.Policy, progress: opt.Progress}
	switch opt.Order {
	case sim.L1None:
		err = run.recorded(ctx, follow, opt)
	case sim.L1Reorder:
		err = run.inOrder(ctx, follow, launch, opt)
	default:
		return nil, fmt.Errorf("order of accesses %q: expected %s or %s", opt.Order, sim.L1None, sim.L1Reorder)
	}
	if err == nil {
		err = run.all(ctx)
	}
	if err == nil {
		r.Best = r.Scopes[len(r.Scopes)-1].BestBound()
		return r, nil
	}
	no := refusal(err)
	if no == nil {
		return nil, err
	}
	r.refuse(no, SegmentMethods())
	return r, nil
}

// refuse leaves a report without bounds, of a block or the launch.
func (r *Report) refuse(no *bound.Refusal, methods []string) {
	r.Scopes = nil
	for _, scope := range []bound.Scope{bound.Block, r.wholeScope()} {
		res := bound.NewResult(scope)
		for _, method := range methods {
			res.Refused = append(res.Refused, bound.Refusal{Method: method, Scope: scope, Reason: no.Reason, Assumption: no.Assumption})
		}
		r.Scopes = append(r.Scopes, res)
	}
}

// segmentRun is the work of RunSegments.
type segmentRun struct {
	r        *Report
	at       l1d.Residency
	policy   sim.Policy
	progress func(done, total int64)
	machine  *ordered.Machine
	memory   segment.Memory
	ledger   []bound.Assumption

	ops    []method.Op
	access []bool
	order  *segmentOrder // nil without a reordering unit
	// known are the figures of batches without caches, by their block classes and
	// the warp that has the first turn.
	known map[string]*segment.Result
}

// scheduler is the machine that the policy makes of the SM.
func (run *segmentRun) scheduler() segment.Scheduler {
	s := segment.Loose
	switch run.policy.Name {
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
func (run *segmentRun) recorded(ctx context.Context, k TaintedKernel, opt SegmentOptions) (err error) {
	r, d := run.r, run.r.Machine.Desc
	if r.Path, err = path.Record(ctx, k, r.Machine, r.Timing, path.Options{Limits: opt.Limits, Progress: opt.Progress}); err != nil {
		return err
	}
	r.observe(k)
	run.progress = nil
	run.ops, run.known = r.ops(), map[string]*segment.Result{}
	run.machine = &ordered.Machine{
		Queue: queueKinds[r.Machine.Queue], KeepsWarpOrder: d.Queue.KeepsWarpOrder, FIFO: r.Machine.FIFO, DrainingBarriers: d.Barrier.Draining,
		BarrierDelayCycles: d.Barrier.DelayCycles, StartDelayCycles: d.Dispatch.StartDelayCycles,
		Channels: int(r.Occupancy.Blocks) * r.Warps, ChannelEntries: 1, MSHRs: 1,
	}
	if r.Path.Irregular != "" {
		return &irregularError{r.Path.Irregular}
	}
	return nil
}

// all computes the figures of all batches and of all blocks alone.
func (run *segmentRun) all(ctx context.Context) error {
	r := run.r
	if n := r.Machine.Desc.Issue.PerCycle; n != 1 {
		return &bound.Refusal{Assumption: bound.SingleIssue, Reason: fmt.Sprintf("%d instructions issue per cycle and sub-core; the theorems are for one", n)}
	}
	run.ledger = append(run.ledger, r.ledger()...)
	turns := "policy " + run.policy.String()
	if n := run.at.Rounds(); n > 1 {
		turns += fmt.Sprintf("; blocks are admitted in %d batches, up to %d blocks an SM, each when the one before has left", n, run.at.BlocksPerSM)
	}
	run.ledger = append(run.ledger,
		bound.Assume(bound.StrictTurns, bound.Assumed, turns),
		bound.Assume(bound.SingleIssue, bound.Enforced, fmt.Sprintf("schedulers: %d", r.Machine.Desc.SM.Schedulers)))
	sms := make([]segmentSum, run.at.SMs)
	slowest := newSegmentSum(bound.Block)
	for i := range sms {
		sms[i] = newSegmentSum(r.wholeScope())
	}
	per := int64(run.at.SMs) * int64(run.at.BlocksPerSM)
	for round := range run.at.Rounds() {
		first, last := round*per, min((round+1)*per, run.at.Blocks)
		if run.order != nil {
			if err := run.order.record(ctx, run, first, last); err != nil {
				return err
			}
		}
		var blocks []int64
		for sm := range sms {
			if blocks = run.at.Batch(blocks[:0], sm, round); len(blocks) == 0 {
				break
			}
			if err := run.batch(ctx, &sms[sm], sm, blocks); err != nil {
				return err
			}
		}
		for b := first; b < last; b++ {
			if run.order == nil && r.Path.Classes[r.Path.ClassOf[b]].First != b {
				continue // a block of its class has been computed
			}
			alone := newSegmentSum(bound.Block)
			if err := run.batch(ctx, &alone, aloneSM, []int64{b}); err != nil {
				return err
			}
			if err := run.occupy([]segmentSum{alone}, aloneSM); err != nil {
				return err
			}
			slowest.most(&alone)
			if run.progress != nil {
				run.progress(b+1, run.at.Blocks)
			}
		}
	}
	whole := newSegmentSum(r.wholeScope())
	if err := run.occupy(sms, 0); err != nil {
		return err
	}
	for sm := range sms {
		whole.most(&sms[sm])
	}
	r.Scopes = []*bound.Result{slowest.result(), whole.result()}
	return nil
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
	key := fmt.Sprint(sum.next)
	for _, b := range blocks {
		if run.order != nil {
			run.order.warps(in, b)
			continue
		}
		class := run.r.Path.ClassOf[b]
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
}

func newSegmentSum(scope bound.Scope) segmentSum {
	return segmentSum{scope: scope, bounds: map[string]*bound.Bound{}, refused: map[string]*bound.Refusal{}}
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
	for _, m := range SegmentMethods() {
		if no := x.refused[m]; no != nil {
			s.refused[m] = no
		}
		large, small := x.bounds[m], s.bounds[m]
		switch {
		case large == nil:
			continue
		case small == nil:
			small = large
		case small.Cycles >= large.Cycles:
			large, small = small, large
		}
		b := *large
		if b.Scope = s.scope; b.Safe && !small.Safe {
			b.Safe, b.UnsafeReason = false, small.UnsafeReason
		}
		s.bounds[m] = &b
	}
}

func (s *segmentSum) result() *bound.Result {
	res := bound.NewResult(s.scope)
	for _, m := range SegmentMethods() {
		switch no, b := s.refused[m], s.bounds[m]; {
		case no != nil:
			res.Refused = append(res.Refused, bound.Refusal{Method: m, Scope: s.scope, Reason: no.Reason, Assumption: no.Assumption})
		case b != nil:
			res.Add(*b)
		}
	}
	return res
}
