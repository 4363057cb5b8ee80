package enforced

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/method/segment"
)

// segmentOrder is what a segmentRun has besides where a reordering unit enforces
// the order of accesses.
type segmentOrder struct {
	run     *orderedRun
	sms     []*orderedSM
	alone   *orderedSM
	first   int64          // block that the streams begin with
	noTurns *bound.Refusal // why the fixed sequence is no bound, nil if it is
}

// inOrder prepares a run with caches behind a reordering unit.
func (run *segmentRun) inOrder(ctx context.Context) error {
	r, d := run.r, run.r.Machine.Desc
	a, err := analyse(ctx, r)
	if err != nil {
		return err
	}
	k, err := r.Source.Fresh()
	if err != nil {
		return err
	}
	o := &segmentOrder{run: &orderedRun{r: r, costs: newMemoryCosts(d), streams: newStreams(r, k, r.Question.Limits), at: run.at}}
	run.machine = orderedMachine(r.Machine, hasAtomics(r.Program))
	if err := orderable(r); err != nil {
		if o.noTurns = refusal(err); o.noTurns == nil {
			return err
		}
		run.machine.Channels = max(run.machine.Channels, int(r.Occupancy.Blocks)*r.Warps)
	}
	for range run.at.SMs {
		sm, err := o.run.newSM(ctx, a)
		if err != nil {
			return err
		}
		o.sms = append(o.sms, sm)
	}
	if o.alone, err = o.run.newSM(ctx, a); err != nil {
		return err
	}
	run.order, run.ledger = o, orderedLedger(r, run.at)
	return run.estimate(ctx, a)
}

// estimate finds the terms of Huangfu2017, eq. 3 and 4.
func (run *segmentRun) estimate(ctx context.Context, a *l1d.Analysis) error {
	mem, costs := &run.memory, run.order.run.costs
	e, err := a.Estimate(ctx, run.r.Source.Fresh, run.at, []cache.Config{cache.OfL1D(run.r.Machine.Desc.L1D)}, l1d.EstimateOptions{
		Limits: run.r.Question.Limits,
		Observe: func(_ int, a *l1d.Access, _ [][]cache.Result) error {
			mem.CoalMax = max(mem.CoalMax, int64(len(a.Lines)))
			return nil
		},
	})
	if err != nil {
		return err
	}
	all := e.Caches[0].Total.Both()
	mem.Misses, mem.Accesses = all.Misses(), all.Accesses
	mem.HitCycles = run.machine.HitCycles + 1
	// A load that misses everywhere and waits for nothing: the ways of fixed length
	// and what it occupies itself.
	mem.BaseCycles = run.machine.MissCycles + 1
	mem.BaseCycles += (costs.readWays + costs.slice + costs.opening + costs.unitBus + 999) / 1000
	// N_conflictSM: the SMs that can send at the same time, a cycle each.
	mem.ConflictCycles = int64(run.at.SMs)
	return nil
}

// record reads the blocks of a round.
func (o *segmentOrder) record(ctx context.Context, run *segmentRun, first, last int64) error {
	o.first = first
	s := o.run.streams
	if err := s.record(ctx, first, last); err != nil {
		return err
	}
	for i := len(run.ops); i < len(s.symbols); i++ {
		x := s.symbols[i]
		run.ops = append(run.ops, orderedOp(run.r, x))
		run.access = append(run.access, x.kind == accessStep)
		if x.kind == heldStep && o.noTurns == nil {
			o.noTurns = &bound.Refusal{Assumption: bound.ChannelsDoNotBlock, Reason: fmt.Sprintf("%s waits for room in its warp's channel, though it accesses nothing global", run.r.Program.Instructions[x.pc].Pos)}
		}
	}
	run.r.Path.Instructions = s.executed
	return nil
}

// recorded are the warps of a block of the round.
func (o *segmentOrder) recorded(block int64) []*warpStream {
	n := o.run.r.Warps
	at := int(block-o.first) * n
	out := make([]*warpStream, n)
	for i := range out {
		out[i] = &o.run.streams.warps[at+i]
	}
	return out
}

func (o *segmentOrder) warps(in *ordered.Input, block int64) {
	for _, w := range o.recorded(block) {
		in.Warps = append(in.Warps, ordered.Warp{Sections: w.sections, Block: int(block)})
	}
}

func (o *segmentOrder) on(sm int) *orderedSM {
	if sm == aloneSM {
		return o.alone
	}
	return o.sms[sm]
}

// classify makes the order of a batch, whose turns begin with a warp.
func (o *segmentOrder) classify(in *ordered.Input, sm int, blocks []int64, warps, begin int) error {
	s := o.on(sm)
	if sm == aloneSM {
		s.tags.Reset()
		s.sent = traffic{}
	}
	n := len(in.Warps)
	var list []ordered.Access
	for a, err := range s.batch(blocks, warps) {
		if err != nil {
			return err
		}
		a.Warp = (a.Warp + n - begin) % n
		list = append(list, a)
	}
	var recorded []*warpStream
	for _, b := range blocks {
		recorded = append(recorded, o.recorded(b)...)
	}
	in.Order = func(yield func(ordered.Access, error) bool) {
		for _, a := range list {
			if !yield(a, nil) {
				return
			}
		}
	}
	return s.retire(blocks, recorded)
}

// withdraw takes the fixed sequence back where it is no bound.
func (o *segmentOrder) withdraw(got *segment.Result) {
	if o.noTurns == nil {
		return
	}
	kept := got.Bounds[:0]
	for _, b := range got.Bounds {
		if b.Method == ordered.TurnsMethod {
			got.Refusals = append(got.Refusals, &bound.Refusal{Method: b.Method, Reason: o.noTurns.Reason, Assumption: o.noTurns.Assumption})
			continue
		}
		kept = append(kept, b)
	}
	got.Bounds = kept
}

// memory is what the launch, or the block alone, sends to the memory.
func (o *segmentOrder) memory(sm int) (*sharedMemory, error) {
	all := traffic{}
	if sm == aloneSM {
		all = o.alone.sent
	} else {
		for _, s := range o.sms {
			all.merge(s.sent)
		}
	}
	return newSharedMemory(o.run.r.Machine.Desc, o.run.costs, all)
}

// occupy charges the fixed sequence of an SM with what requests occupy in the
// memory.
func (o *segmentOrder) occupy(b *bound.Bound, sm int, m *sharedMemory) error {
	own, foreign, err := m.charge(o.on(sm).sent)
	if err != nil {
		return err
	}
	b.Theorem = "docs/soundness.md, theorems 19 and 26"
	b.Breakdown = append(b.Breakdown, bound.Part(bound.MemoryOwnSM, own), bound.Part(bound.MemoryOtherSMs, foreign))
	return errors.Join(addCycles(b, own), addCycles(b, foreign))
}
