package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
)

var frontAlgorithms = map[gpu.FrontAlgorithm]Algorithm{
	gpu.RoundRobin: RoundRobin, gpu.OldestFirst: Oldest, gpu.ICount: ICount,
}

var frontCategories = map[gpu.FrontCategory]Category{
	gpu.Loose: Loose, gpu.Strict: Strict, gpu.Greedy: Greedy, gpu.GreedyStrict: GreedyStrict, gpu.Adaptive: Adaptive,
}

func frontPolicy(name string) (Policy, error) {
	p, err := gpu.ParseFrontPolicy(name)
	if err != nil {
		return Policy{}, err
	}
	return Policy{Algorithm: frontAlgorithms[p.Algorithm], Category: frontCategories[p.Category], Lead: p.Lead}, nil
}

// replayMachine states a machine with its front end in the terms of theorem 32 (declared
// policies). A machine outside the theorem is a *bound.Refusal.
func replayMachine(m *gpu.Machine, slots int64, use method.FrontEnd) (*Core, error) {
	d := m.Desc
	f := d.FrontEnd
	refuse := func(a bound.ID, format string, args ...any) error {
		return &bound.Refusal{Reason: fmt.Sprintf(format, args...), Assumption: a}
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
	out := &Core{
		Queue: method.QueueKinds[m.Queue], QueueSlots: m.Slots,
		DrainingBarriers: d.Barrier.Draining, BarrierDelayCycles: d.Barrier.DelayCycles, StartDelayCycles: d.Dispatch.StartDelayCycles,
		BlockSlots: int(slots),
		Front: FrontEnd{
			SWaS: variant == gpu.SWaS, Stall: f.Kind == gpu.Stall, RefetchCycles: f.RefetchCycles,
			QueueEntries: f.QueueEntries, FetchCycles: f.FetchCycles, ResolveCycles: f.BranchResolveCycles, StartGapCycles: f.StartGapCycles,
			ICache: ICache{Perfect: f.ICache.Perfect, Sets: f.ICache.Sets, Ways: f.ICache.Ways, MissCycles: f.ICache.MissCycles},
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

// Table is the methods of this package.
var Table = []*method.Method{
	{
		Name: Method, Doc: "the schedule of the declared policies, replayed", Theorems: []int{32},
		Machine: method.WithFrontEnd, Need: method.Sequences, Scopes: scopes, Unsafe: true,
		Run: func(ctx context.Context, f *method.Facts, part method.Part) (*bound.Bound, error) {
			l, err := of(f)
			if err != nil {
				return nil, err
			}
			var b bound.Bound
			if part.Whole() {
				b, err = l.all(ctx, part.Scope)
			} else {
				b, err = l.slowestBlock(ctx)
			}
			if errors.Is(err, ErrStuck) {
				err = &bound.Refusal{Reason: err.Error(), Assumption: bound.DeclaredPolicies}
			}
			return &b, err
		},
		Costs: replayed,
	},
	{
		Name: AnyPolicy, Doc: "every work-conserving policy of one scheduler for fetch and issue: sum, with NOPs and the front end charged", Theorems: []int{33},
		Machine: method.WithFrontEnd, Need: method.Sequences, Scopes: scopes,
		Run: func(ctx context.Context, f *method.Facts, part method.Part) (*bound.Bound, error) {
			l, err := of(f)
			if err != nil {
				return nil, err
			}
			b, err := l.anyPolicy(ctx, part.Scope)
			return &b, err
		},
		Costs: ofAnyPolicy,
	},
}

var scopes = []bound.Scope{bound.Block, bound.SM, bound.Kernel}

// launch is what both methods share.
type launch struct {
	*method.Facts
	machine *Core
	in      *Input
	ledger  []bound.Assumption
}

type launchKey struct{}

// of states a launch in the terms of the replay; a launch outside the theorem
// is a *bound.Refusal.
func of(f *method.Facts) (*launch, error) {
	return method.Once(f, launchKey{}, func() (*launch, error) {
		m, err := replayMachine(f.Machine, f.Occupancy.Blocks, *f.Question.FrontEnd)
		if err != nil {
			return nil, err
		}
		l := &launch{Facts: f, machine: m, ledger: f.Ledger()}
		w, err := method.Once(f, watchKey{}, func() (*spawnWatch, error) {
			return nil, errors.New("the recording was not watched")
		})
		if err != nil {
			return nil, err
		}
		in, no := l.replayInput(w.blocks)
		if no != nil {
			return nil, no
		}
		l.in = in
		return l, nil
	})
}

type watchKey struct{}

// Watch is the kernel to record, which notes how its warps wait for one another.
func Watch(f *method.Facts, k simt.Kernel) simt.Kernel {
	w, _ := method.Once(f, watchKey{}, func() (*spawnWatch, error) { return newSpawnWatch(k), nil })
	return w
}

// slowestBlock replays each distinct block alone and returns the slowest.
func (r *launch) slowestBlock(ctx context.Context) (bound.Bound, error) {
	alone, in := *r.machine, r.in
	alone.BlockSlots = 1
	var worst bound.Bound
	for i := range in.Blocks {
		one := *in
		one.Order = []Stretch{{Class: i, Count: 1}}
		res, err := Run(ctx, &alone, &one, Options{})
		if err != nil {
			return worst, fmt.Errorf("block %d: %w", r.Path.Classes[i].First, err)
		}
		if res.Cycles > worst.Cycles {
			worst = res.Bound(bound.Block, &alone, r.ledger)
		}
	}
	return worst, nil
}

// all replays the whole launch, on several SMs where all blocks start at
// once: which SM takes a later one depends on all of them.
func (r *launch) all(ctx context.Context, scope bound.Scope) (bound.Bound, error) {
	worst, _, err := r.slowestSM(ctx, scope)
	return worst, err
}

// slowestSM is the bound, and the blocks of the SM that it is of.
func (r *launch) slowestSM(ctx context.Context, scope bound.Scope) (worst bound.Bound, order []Stretch, err error) {
	m, in, ledger := r.machine, r.in, r.ledger
	sms := r.Machine.Desc.SM.Count
	if sms > 1 && r.Blocks > sms*int64(m.BlockSlots) {
		return bound.Bound{}, nil, &bound.Refusal{
			Assumption: bound.GreedyBlocks,
			Reason:     fmt.Sprintf("%d blocks for %d slots of %d SMs: which SM takes a block depends on when blocks of others end", r.Blocks, sms*int64(m.BlockSlots), sms),
		}
	}
	if sms > 1 && r.Blocks > 1 && m.BlockSlots > 1 {
		if r.Machine.Desc.Dispatch.Placement != "breadth-first" {
			return bound.Bound{}, nil, &bound.Refusal{
				Assumption: bound.GreedyBlocks,
				Reason:     fmt.Sprintf("%d slots on each of %d SMs, and the description does not say which SM takes a block (block_dispatch.placement)", m.BlockSlots, sms),
			}
		}
		ledger = append(slices.Clone(ledger), bound.Assume(bound.GreedyBlocks, bound.Assumed, fmt.Sprintf("all at once, block i on SM i mod %d, into the lowest free slot", sms)))
	}
	done := map[string]bool{}
	for sm := range min(sms, r.Blocks) {
		one := *in
		one.Order = nil
		for i := sm; i < r.Blocks; i += sms {
			one.Order = addBlock(one.Order, int(r.Path.Class(i)))
		}
		key := fmt.Sprint(one.Order)
		if done[key] {
			continue
		}
		done[key] = true
		res, err := Run(ctx, m, &one, Options{})
		if err != nil {
			return worst, nil, err
		}
		if res.Cycles > worst.Cycles {
			worst, order = res.Bound(scope, m, ledger), one.Order
		}
	}
	return worst, order, nil
}

func addBlock(order []Stretch, class int) []Stretch {
	if n := len(order); n > 0 && order[n-1].Class == class {
		order[n-1].Count++
		return order
	}
	return append(order, Stretch{Class: class, Count: 1})
}

// replayInput is what the blocks execute, without the order in which they start.
func (r *launch) replayInput(watched []*watchedBlock) (*Input, *bound.Refusal) {
	spawns := len(watched) > 0
	if no := r.Irregular(); no != nil && (!spawns || r.Path.Timed) {
		return nil, no
	}
	in := &Input{}
	f := r.Machine.Desc.FrontEnd
	for pc := range r.Program.Instructions {
		if r.Timing[pc].NotIssued {
			i := &r.Program.Instructions[pc]
			return nil, &bound.Refusal{Reason: fmt.Sprintf("%s: %s takes no issue slot, which says nothing of its fetch", i.Pos, i.Opcode), Assumption: bound.FrontEndAsDescribed}
		}
		in.Code = append(in.Code, Instruction{Line: f.Line(r.Program, int32(pc)), Control: f.Control(&r.Program.Instructions[pc])})
	}
	for i, s := range r.Path.Symbols {
		in.Ops = append(in.Ops, Op{PC: s.PC, Symbol: int32(i), Op: r.Op(s.PC, s.Transactions)})
	}
	if spawns {
		if err := r.spawning(in, watched); err != nil {
			return nil, &bound.Refusal{Reason: err.Error(), Assumption: bound.PathCovers}
		}
		return in, nil
	}
	streams, err := newArrivals(r.Path, in)
	if err != nil {
		return nil, &bound.Refusal{Reason: err.Error(), Assumption: bound.PathCovers}
	}
	for _, c := range r.Path.Classes {
		b := Block{}
		for _, class := range c.Schedule {
			s, err := streams.of(c.Warps[class].Warp)
			if err != nil {
				return nil, &bound.Refusal{Reason: err.Error(), Assumption: bound.PathCovers}
			}
			b.Warps = append(b.Warps, s)
		}
		in.Blocks = append(in.Blocks, b)
	}
	return in, nil
}
