package enforced

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/isa"
)

// orderable refuses what the theorems, or the constants taken from the simulated
// memory, do not cover.
func orderable(r *method.Facts) error {
	d := r.Machine.Desc
	switch {
	case d.Issue.PerCycle != 1:
		return &bound.Refusal{Assumption: bound.SingleIssue, Reason: fmt.Sprintf("%d instructions issue per cycle and sub-core; the theorems are for one", d.Issue.PerCycle)}
	case d.L1D.Write == "back":
		return &bound.Refusal{Assumption: bound.MemoryResponse, Reason: "an L1D that writes back: what its lines take on their way out is not bounded"}
	case d.DRAM.FRFCFS():
		return &bound.Refusal{Assumption: bound.MemoryResponse, Reason: "a DRAM that serves open rows first: a request may wait for younger ones, and the theorems are for memory that serves in the order of arrival or requesters in turn"}
	case d.DRAM.RefreshCycles > 0:
		return &bound.Refusal{Assumption: bound.MemoryResponse, Reason: fmt.Sprintf("a DRAM that refreshes for %d of every %d cycles: it stands still while requests wait, and rows are opened again", d.DRAM.RefreshCycles, d.DRAM.RefreshIntervalCycles)}
	case len(d.CPUs) > 0:
		return &bound.Refusal{Assumption: bound.MemoryResponse, Reason: fmt.Sprintf("CPU cores (%s) that share the DRAM: what they send is not known", d.CPUs[0].Name)}
	case r.Occupancy.Blocks*int64(r.Warps) > int64(d.LDSTPath.Channels):
		return &bound.Refusal{Assumption: bound.ChannelsDoNotBlock, Reason: fmt.Sprintf("%d warps can be resident on an SM, with %d channels (fewer resident blocks would do)", r.Occupancy.Blocks*int64(r.Warps), d.LDSTPath.Channels)}
	}
	for i := range r.Program.Instructions {
		if in := &r.Program.Instructions[i]; in.Kind == isa.AsyncCopy {
			return &bound.Refusal{Assumption: bound.Registers, Reason: fmt.Sprintf("%s: nothing waits for the asynchronous copy by its registers", in.Pos)}
		}
	}
	return nil
}

// orderedRun is the work of addOrdered.
type orderedRun struct {
	r       *method.Facts
	costs   *memoryCosts
	ledger  []bound.Assumption
	streams *streams
	ops     []method.Op
	access  []bool
	at      l1d.Residency
	sms     []orderedSum
	alone   orderedSum // whose blocks run one by one, each on an empty machine
	slowest [2]*bound.Bound
}

// orderedSum is an SM and the sums over its batches of both bounds, as each
// machine has them, without what requests occupy in the memory.
type orderedSum struct {
	*orderedSM
	machines   []*ordered.CachedSM
	bounds     [][2]bound.Bound
	stagesOnly bool
}

func (s *orderedSum) reset() {
	s.sent, s.bounds = traffic{}, make([][2]bound.Bound, len(s.machines))
}

// newOrdered makes both bounds of a launch, of the slowest block and of all blocks.
func newOrdered(ctx context.Context, r *method.Facts) (*results, error) {
	if err := caches(r.Machine.Desc); err != nil {
		return nil, err
	}
	if err := orderable(r); err != nil {
		return nil, err
	}
	a, err := analyse(ctx, r)
	if err != nil {
		return nil, err
	}
	k, err := r.Source.Fresh()
	if err != nil {
		return nil, err
	}
	run := &orderedRun{
		r: r, costs: newMemoryCosts(r.Machine.Desc),
		streams: newStreams(r, k, r.Question.Limits), at: Residency(r.Machine, r.Blocks, int(r.Occupancy.Blocks)),
	}
	run.sms = make([]orderedSum, run.at.SMs)
	for i := range run.sms {
		if run.sms[i], err = run.newSum(ctx, a, int64(run.at.SMs)); err != nil {
			return nil, err
		}
	}
	if run.alone, err = run.newSum(ctx, a, 1); err != nil {
		return nil, err
	}
	run.ledger = append(r.Ledger(), orderedLedger(r, run.at)...)
	// Round k has the k-th batches of all SMs, whose blocks follow one another.
	for round := range run.at.Rounds() {
		if err := run.round(ctx, round, r.Question.Progress); err != nil {
			return nil, err
		}
	}
	r.Path.Instructions = run.streams.executed
	return run.finish()
}

func hasAtomics(p *isa.Program) bool { return has(p, isa.Atomic) }

func has(p *isa.Program, kinds ...isa.Kind) bool {
	return slices.ContainsFunc(p.Instructions, func(in isa.Instruction) bool { return slices.Contains(kinds, in.Kind) })
}

// newSM is an SM that has executed nothing.
func (run *orderedRun) newSM(ctx context.Context, a *l1d.Analysis) (*orderedSM, error) {
	d := run.r.Machine.Desc
	order, err := NewAccessOrder(ctx, a, run.r.Source, d.L1D.SectorBytes, run.r.Question.Limits)
	if err != nil {
		return nil, err
	}
	return newOrderedSM(d, order, run.costs.unitBytes)
}

// newSum is one of a number of SMs. Its machines are the one without stages of the
// memory and, if places serve SMs in turn, those with: without lines that the L2
// writes back, and with them.
func (run *orderedRun) newSum(ctx context.Context, a *l1d.Analysis, sms int64) (s orderedSum, err error) {
	if s.orderedSM, err = run.newSM(ctx, a); err != nil {
		return s, err
	}
	d, program := run.r.Machine.Desc, run.r.Program
	m := orderedMachine(run.r.Machine, hasAtomics(program))
	s.machines, s.stagesOnly = []*ordered.CachedSM{m}, run.r.Question.StagesOnly
	if d.L2.RoundRobin() {
		overtakes := d.L1D.WriteLatencyCycles > 0 && has(program, isa.Store, isa.Atomic)
		for _, writesBack := range []bool{false, true} {
			s.machines = append(s.machines, inTurn(m, d, run.costs, sms, writesBack, overtakes))
		}
	}
	s.reset()
	return s, nil
}

// round bounds the batches of a round, and each of their blocks alone.
func (run *orderedRun) round(ctx context.Context, round int64, progress func(done, total int64)) error {
	per := int64(run.at.SMs) * int64(run.at.BlocksPerSM)
	first := round * per
	last := min(first+per, run.at.Blocks)
	if err := run.streams.record(ctx, first, last); err != nil {
		return err
	}
	for i := len(run.ops); i < len(run.streams.symbols); i++ {
		s := run.streams.symbols[i]
		run.ops = append(run.ops, orderedOp(run.r, s))
		run.access = append(run.access, s.kind == accessStep)
	}
	var blocks []int64
	for sm := range run.sms {
		if blocks = run.at.Batch(blocks[:0], sm, round); len(blocks) == 0 {
			break
		}
		if err := run.batch(ctx, &run.sms[sm], blocks, first); err != nil {
			return err
		}
	}
	for b := first; b < last; b++ {
		s := &run.alone
		s.tags.Reset()
		s.reset()
		if err := run.batch(ctx, s, []int64{b}, first); err != nil {
			return err
		}
		memory, err := newSharedMemory(run.r.Machine.Desc, run.costs, s.sent)
		if err != nil {
			return err
		}
		for i := range run.slowest {
			x, err := s.compose(memory, i, bound.Block)
			if err != nil {
				return err
			}
			if y := run.slowest[i]; y == nil || x.Cycles > y.Cycles {
				run.slowest[i] = x
			}
		}
		if progress != nil {
			progress(b+1, run.at.Blocks)
		}
	}
	return nil
}

// batch adds the bounds of blocks that are resident together. first is the first
// block of the streams.
func (run *orderedRun) batch(ctx context.Context, s *orderedSum, blocks []int64, first int64) error {
	warps := run.r.Warps
	in := &ordered.Input{Ops: run.ops, Accesses: run.access, Order: s.batch(blocks, warps)}
	var recorded []*warpStream
	for _, b := range blocks {
		at := int(b-first) * warps
		for i := range warps {
			w := &run.streams.warps[at+i]
			recorded = append(recorded, w)
			in.Warps = append(in.Warps, ordered.Warp{Sections: w.sections, Block: int(b - first)})
		}
	}
	got, err := ordered.ComputeAll(ctx, s.machines, in, run.ledger)
	if err != nil {
		return err
	}
	if err := s.retire(blocks, recorded); err != nil {
		return err
	}
	for m := range got {
		for i, b := range []*bound.Bound{&got[m].Ordered, &got[m].Serial} {
			if err := addBatch(&s.bounds[m][i], b); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBatch adds the bound of a batch that starts when the one before has ended.
func addBatch(sum, b *bound.Bound) error {
	if sum.Breakdown == nil {
		*sum = *b
		return nil
	}
	for i := range sum.Breakdown {
		sum.Breakdown[i].Cycles += b.Breakdown[i].Cycles
	}
	return addCycles(sum, b.Cycles)
}

func addCycles(b *bound.Bound, cycles int64) error {
	const most = 1 << 60
	if b.Cycles += cycles; b.Cycles > most || cycles > most {
		return bound.ErrOverflow
	}
	return nil
}

// compose adds to bound i of an SM what its requests occupy, and those of others:
// everywhere, or in the ways of the SM where the rest is in the times of stages.
func (s *orderedSum) compose(m *sharedMemory, i int, scope bound.Scope) (*bound.Bound, error) {
	own, foreign, err := m.charge(s.sent)
	if err != nil {
		return nil, err
	}
	b, err := s.with(0, i, scope, own, foreign)
	if err != nil || len(s.machines) == 1 {
		return b, err
	}
	machine := 1
	if len(m.crowded) > 0 {
		machine = 2
	}
	if own, err = m.costs.ways(s.sent); err != nil {
		return nil, err
	}
	inTurn, err := s.with(machine, i, scope, (own+999)/1000, 0)
	if err == nil && (inTurn.Cycles < b.Cycles || s.stagesOnly) {
		b = inTurn
	}
	return b, err
}

func (s *orderedSum) with(machine, i int, scope bound.Scope, own, foreign int64) (*bound.Bound, error) {
	b := s.bounds[machine][i]
	b.Scope = scope
	b.Breakdown = append(slices.Clone(b.Breakdown), bound.Part(bound.MemoryOwnSM, own), bound.Part(bound.MemoryOtherSMs, foreign))
	return &b, errors.Join(addCycles(&b, own), addCycles(&b, foreign))
}

// finish takes the slowest SM.
func (run *orderedRun) finish() (*results, error) {
	whole := run.r.WholeScope()
	block := bound.NewResult(bound.Block)
	launch := bound.NewResult(whole)
	all := traffic{}
	for sm := range run.sms {
		all.merge(run.sms[sm].sent)
	}
	memory, err := newSharedMemory(run.r.Machine.Desc, run.costs, all)
	if err != nil {
		return nil, err
	}
	for i := range run.slowest {
		block.Add(*run.slowest[i])
		var worst *bound.Bound
		for sm := range run.sms {
			b, err := run.sms[sm].compose(memory, i, whole)
			if err != nil {
				return nil, err
			}
			if worst == nil || b.Cycles > worst.Cycles {
				worst = b
			}
		}
		launch.Add(*worst)
	}
	return &results{block: block, whole: launch}, nil
}

// orderedLedger says what the description enforces of the assumptions that only
// these bounds have.
func orderedLedger(r *method.Facts, at l1d.Residency) []bound.Assumption {
	classes := "no access depends on unknown data; all blocks are resident at once"
	if at.Rounds() > 1 {
		classes = fmt.Sprintf("no access depends on unknown data; blocks are admitted in %d batches, up to %d blocks an SM, each when the one before has left", at.Rounds(), at.BlocksPerSM)
	}
	memory := "tables [l1d], [l2] and [dram]: every place serves in the order of arrival; what requests of the launch can occupy of the places on the way is charged"
	if r.Machine.Desc.L2.RoundRobin() {
		memory = "tables [l1d], [l2] and [dram]: slices and channels serve the SMs in turn; a request waits for one of each other SM at every place, or for what the launch can occupy of the places on the way"
	}
	return []bound.Assumption{
		bound.Assume(bound.EnforcedAccessOrder, bound.Enforced, "reordering unit: table [ldst_path]"),
		bound.Assume(bound.AccessClassesExact, bound.Proved, classes),
		bound.Assume(bound.MemoryResponse, bound.Enforced, memory),
	}
}
