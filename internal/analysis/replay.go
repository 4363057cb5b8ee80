package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method/replay"
)

// FrontEnd says how the front end of a machine is used; empty fields mean what
// the description says.
type FrontEnd struct {
	Variant     string // gpu.Baseline or gpu.SWaS
	FetchPolicy string // of the baseline, see gpu.ParseFrontPolicy
	IssuePolicy string // of the issue stage, and with gpu.SWaS of both
}

// on is what a front end is on a machine.
func (f *FrontEnd) on(d *gpu.Description) *FrontEnd {
	out := *f
	if of := d.FrontEnd; of != nil {
		out.Variant = cmp.Or(out.Variant, of.Variant)
		out.IssuePolicy = strings.ToLower(cmp.Or(out.IssuePolicy, of.IssuePolicy))
		out.FetchPolicy = strings.ToLower(cmp.Or(out.FetchPolicy, of.FetchPolicy))
	}
	if out.Variant == gpu.SWaS {
		out.FetchPolicy = out.IssuePolicy
	}
	return &out
}

var frontAlgorithms = map[gpu.FrontAlgorithm]replay.Algorithm{
	gpu.RoundRobin: replay.RoundRobin, gpu.OldestFirst: replay.Oldest, gpu.ICount: replay.ICount,
}

var frontCategories = map[gpu.FrontCategory]replay.Category{
	gpu.Loose: replay.Loose, gpu.Strict: replay.Strict, gpu.Greedy: replay.Greedy, gpu.GreedyStrict: replay.GreedyStrict, gpu.Adaptive: replay.Adaptive,
}

func frontPolicy(name string) (replay.Policy, error) {
	p, err := gpu.ParseFrontPolicy(name)
	if err != nil {
		return replay.Policy{}, err
	}
	return replay.Policy{Algorithm: frontAlgorithms[p.Algorithm], Category: frontCategories[p.Category], Lead: p.Lead}, nil
}

// replayMachine states a machine with its front end in the terms of theorem 32.
// A machine outside the theorem is a *bound.Refusal.
func replayMachine(m *gpu.Machine, slots int64, use FrontEnd) (*replay.Machine, error) {
	d := m.Desc
	f := d.FrontEnd
	refuse := func(a bound.ID, format string, args ...any) error {
		return &bound.Refusal{Method: replay.Method, Reason: fmt.Sprintf(format, args...), Assumption: a}
	}
	switch {
	case f == nil:
		return nil, refuse(bound.FrontEndAsDescribed, "GPU %s has no front end ([front_end])", d.Name)
	case d.SM.Schedulers != 1 || d.Issue.PerCycle != 1:
		return nil, refuse(bound.SingleIssue, "%s; theorem 32 follows one scheduler, for which one instruction is fetched a cycle. "+
			"Where one fetch a cycle serves several, queues run empty for reasons that no bound here covers: simulate --model frontend measures the machine, "+
			"and without --variant analyze bounds one that always has the next instruction at hand, which this one may exceed", schedulersText(d))
	case !m.FIFO:
		return nil, refuse(bound.DispatchOrder, "units serve in an order that is not stated")
	}
	variant := cmp.Or(use.Variant, f.Variant)
	out := &replay.Machine{
		Queue: queueKinds[m.Queue], QueueSlots: m.Slots,
		DrainingBarriers: d.Barrier.Draining, BarrierDelayCycles: d.Barrier.DelayCycles, StartDelayCycles: d.Dispatch.StartDelayCycles,
		BlockSlots: int(slots),
		Front: replay.FrontEnd{
			SWaS: variant == gpu.SWaS, Stall: f.Kind == gpu.Stall, RefetchCycles: f.RefetchCycles,
			QueueEntries: f.QueueEntries, FetchCycles: f.FetchCycles, ResolveCycles: f.BranchResolveCycles, StartGapCycles: f.StartGapCycles,
			ICache: replay.ICache{Perfect: f.ICache.Perfect, Sets: f.ICache.Sets, Ways: f.ICache.Ways, MissCycles: f.ICache.MissCycles},
		},
	}
	for _, u := range m.Units {
		out.Servers = append(out.Servers, u.Count)
	}
	if variant != gpu.Baseline && variant != gpu.SWaS {
		return nil, fmt.Errorf("variant %q: expected %s or %s", variant, gpu.Baseline, gpu.SWaS)
	}
	var err error
	if out.Front.Fetch, err = frontPolicy(cmp.Or(use.FetchPolicy, f.FetchPolicy)); err != nil {
		return nil, fmt.Errorf("fetch %w", err)
	}
	if out.Front.Issue, err = frontPolicy(cmp.Or(use.IssuePolicy, f.IssuePolicy)); err != nil {
		return nil, fmt.Errorf("issue %w", err)
	}
	if !out.Front.SWaS {
		return out, nil
	}
	if use.FetchPolicy != "" && out.Front.Fetch != out.Front.Issue {
		return nil, fmt.Errorf("variant %s with fetch policy %s and issue policy %s: expected one scheduler", gpu.SWaS, out.Front.Fetch, out.Front.Issue)
	}
	out.Front.Fetch = out.Front.Issue
	return out, nil
}

// schedulersText is what a machine issues in a cycle.
func schedulersText(d *gpu.Description) string {
	schedulers, each := "1 scheduler", "1 instruction"
	if n := d.SM.Schedulers; n != 1 {
		schedulers = fmt.Sprintf("%d schedulers", n)
	}
	if n := d.Issue.PerCycle; n != 1 {
		each = fmt.Sprintf("%d instructions", n)
	}
	return fmt.Sprintf("%s that issue %s a cycle each", schedulers, each)
}

// addReplay adds what is known with a front end: the other bounds are of a
// machine without one.
//
// watched is how the blocks' warps waited for one another when they were
// recorded.
func (r *Report) addReplay(ctx context.Context, use FrontEnd, watched []*watchedBlock) error {
	ledger := r.ledger()
	r.otherMachine()
	m, err := replayMachine(r.Machine, r.Occupancy.Blocks, use)
	if no := refusal(err); no != nil {
		r.refuseReplay(no)
		return nil
	}
	if err != nil {
		return err
	}
	in, no := r.replayInput(watched)
	if no != nil {
		r.refuseReplay(no)
		return nil
	}
	for _, res := range r.Scopes {
		var b bound.Bound
		switch res.Scope {
		case bound.Warp:
			continue
		case bound.Block:
			b, err = r.replayBlocks(ctx, m, in, ledger)
		default:
			b, err = r.replayAll(ctx, m, in, res.Scope, ledger)
		}
		switch no := refusal(err); {
		case no != nil:
			no.Method, no.Scope = replay.Method, res.Scope
			res.Refused = append(res.Refused, *no)
		case errors.Is(err, replay.ErrStuck):
			res.Refused = append(res.Refused, bound.Refusal{Method: replay.Method, Scope: res.Scope, Reason: err.Error(), Assumption: bound.DeclaredPolicies})
		case err != nil:
			return fmt.Errorf("%s: %w", replay.Method, err)
		default:
			res.Add(b)
		}
	}
	if err := r.addAnyPolicy(ctx, m, in); err != nil {
		return err
	}
	r.Best = r.Scopes[len(r.Scopes)-1].BestBound()
	return nil
}

// otherMachine marks the bounds found so far as bounds of a machine without a
// front end.
func (r *Report) otherMachine() {
	for _, res := range r.Scopes {
		res.Best = -1
		for i := range res.Bounds {
			if b := &res.Bounds[i]; b.Safe {
				b.Safe, b.UnsafeReason = false, fmt.Sprintf("of a machine that always has the next instruction at hand (%s)", bound.BuffersNeverEmpty)
			}
		}
	}
	r.Best = nil
}

func (r *Report) refuseReplay(no *bound.Refusal) {
	for _, res := range r.Scopes {
		if res.Scope == bound.Warp {
			continue
		}
		no.Method, no.Scope = replay.Method, res.Scope
		res.Refused = append(res.Refused, *no)
	}
}

// replayBlocks replays each distinct block alone and returns the slowest.
func (r *Report) replayBlocks(ctx context.Context, m *replay.Machine, in *replay.Input, ledger []bound.Assumption) (bound.Bound, error) {
	alone := *m
	alone.BlockSlots = 1
	var worst bound.Bound
	for i := range in.Blocks {
		one := *in
		one.Order = []replay.Stretch{{Class: i, Count: 1}}
		res, err := replay.Run(ctx, &alone, &one, replay.Options{})
		if err != nil {
			return worst, fmt.Errorf("block %d: %w", r.Path.Classes[i].First, err)
		}
		if res.Cycles > worst.Cycles {
			worst = res.Bound(bound.Block, &alone, ledger)
		}
	}
	return worst, nil
}

// replayAll replays the whole launch, on several SMs where all blocks start at
// once: which SM takes a later one depends on all of them.
func (r *Report) replayAll(ctx context.Context, m *replay.Machine, in *replay.Input, scope bound.Scope, ledger []bound.Assumption) (bound.Bound, error) {
	sms := r.Machine.Desc.SM.Count
	if sms > 1 && r.Blocks > sms*int64(m.BlockSlots) {
		return bound.Bound{}, &bound.Refusal{
			Method: replay.Method, Assumption: bound.GreedyBlocks,
			Reason: fmt.Sprintf("%d blocks for %d slots of %d SMs: which SM takes a block depends on when blocks of others end", r.Blocks, sms*int64(m.BlockSlots), sms),
		}
	}
	if sms > 1 && r.Blocks > 1 && m.BlockSlots > 1 {
		if r.Machine.Desc.Dispatch.Placement != "breadth-first" {
			return bound.Bound{}, &bound.Refusal{
				Method: replay.Method, Assumption: bound.GreedyBlocks,
				Reason: fmt.Sprintf("%d slots on each of %d SMs, and the description does not say which SM takes a block (block_dispatch.placement)", m.BlockSlots, sms),
			}
		}
		ledger = append(slices.Clone(ledger), bound.Assume(bound.GreedyBlocks, bound.Assumed, fmt.Sprintf("all at once, block i on SM i mod %d, into the lowest free slot", sms)))
	}
	var worst bound.Bound
	done := map[string]bool{}
	for sm := range min(sms, r.Blocks) {
		one := *in
		one.Order = nil
		for i := sm; i < r.Blocks; i += sms {
			one.Order = addBlock(one.Order, int(r.Path.ClassOf[i]))
		}
		key := fmt.Sprint(one.Order)
		if done[key] {
			continue
		}
		done[key] = true
		res, err := replay.Run(ctx, m, &one, replay.Options{})
		if err != nil {
			return worst, err
		}
		if res.Cycles > worst.Cycles {
			worst = res.Bound(scope, m, ledger)
		}
	}
	return worst, nil
}

func addBlock(order []replay.Stretch, class int) []replay.Stretch {
	if n := len(order); n > 0 && order[n-1].Class == class {
		order[n-1].Count++
		return order
	}
	return append(order, replay.Stretch{Class: class, Count: 1})
}

// replayInput is what the blocks execute, without the order in which they start.
func (r *Report) replayInput(watched []*watchedBlock) (*replay.Input, *bound.Refusal) {
	spawns := len(watched) > 0
	if r.Path.Irregular != "" && (!spawns || r.Path.Timed) {
		return nil, &bound.Refusal{Method: replay.Method, Reason: r.Path.Irregular, Assumption: r.irregularity()}
	}
	in := &replay.Input{}
	f := r.Machine.Desc.FrontEnd
	for pc := range r.program.Instructions {
		if r.Timing[pc].NotIssued {
			i := &r.program.Instructions[pc]
			return nil, &bound.Refusal{Method: replay.Method, Reason: fmt.Sprintf("%s: %s takes no issue slot, which says nothing of its fetch", i.Pos, i.Opcode), Assumption: bound.FrontEndAsDescribed}
		}
		in.Code = append(in.Code, replay.Instruction{Line: f.Line(r.program, int32(pc)), Control: f.Control(&r.program.Instructions[pc])})
	}
	for _, s := range r.Path.Symbols {
		in.Ops = append(in.Ops, replay.Op{PC: s.PC, Op: r.op(s.PC, s.Transactions)})
	}
	if spawns {
		if err := r.spawning(in, watched); err != nil {
			return nil, &bound.Refusal{Method: replay.Method, Reason: err.Error(), Assumption: bound.PathCovers}
		}
		return in, nil
	}
	streams, err := newArrivals(r.Path, in)
	if err != nil {
		return nil, &bound.Refusal{Method: replay.Method, Reason: err.Error(), Assumption: bound.PathCovers}
	}
	for _, c := range r.Path.Classes {
		b := replay.Block{}
		for _, class := range c.Schedule {
			s, err := streams.of(c.Warps[class].Warp)
			if err != nil {
				return nil, &bound.Refusal{Method: replay.Method, Reason: err.Error(), Assumption: bound.PathCovers}
			}
			b.Warps = append(b.Warps, s)
		}
		in.Blocks = append(in.Blocks, b)
	}
	return in, nil
}

// FrontEndMethods lists the methods that Options.FrontEnd adds.
func FrontEndMethods() []string { return []string{replay.Method, replay.AnyPolicy} }
