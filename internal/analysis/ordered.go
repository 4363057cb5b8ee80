package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// OrderedMethods lists the methods of RunOrdered.
func OrderedMethods() []string { return []string{ordered.Method, ordered.SerialMethod} }

// OrderedOptions of RunOrdered.
type OrderedOptions struct {
	BlocksPerSM int // resident blocks of an SM, 0 as many as fit
	Limits      simt.Limits
	Progress    func(done, total int64) // blocks bounded

	stagesOnly bool // the bound of the machine with stages where there are any, also if it is the larger one
}

// RunOrdered bounds a launch on the machine with caches whose reordering unit
// enforces the order of global accesses (Huangfu2017; docs/soundness.md, theorems
// 20 and 21): each block alone, the slowest one being reported, and the whole
// launch, its blocks admitted in batches. The latencies of the timing table then
// do not hold for global accesses, and no bound of Run does.
//
// Where there is no bound the report has the reason, and Best is nil.
func RunOrdered(ctx context.Context, launch CacheLaunch, m *gpu.Machine, opt OrderedOptions) (*Report, error) {
	switch d := m.Desc; {
	case !d.HasCaches():
		return nil, fmt.Errorf("GPU %s has no tables [l1d], [l2] and [dram]: expected a description with caches, such as gtx480 or rtx3070", d.Name)
	case d.LDSTPath == nil:
		return nil, fmt.Errorf("GPU %s has no table [ldst_path]: expected the channels of a reordering unit", d.Name)
	}
	follow, err := launch.Tainted()
	if err != nil {
		return nil, err
	}
	r, err := prepare(follow, m)
	if err != nil {
		return nil, err
	}
	r.Path, r.L1Order = &path.Launch{}, sim.L1Reorder
	switch {
	case int64(opt.BlocksPerSM) > r.Occupancy.Blocks:
		return nil, fmt.Errorf("%d blocks an SM: expected at most the %d that fit (limit: %s)", opt.BlocksPerSM, r.Occupancy.Blocks, r.Occupancy.Limiter)
	case opt.BlocksPerSM > 0:
		r.Occupancy.Blocks = int64(opt.BlocksPerSM)
	}
	if err = r.orderable(); err == nil {
		err = r.addOrdered(ctx, follow, launch, opt)
	}
	if err == nil {
		last := r.Scopes[len(r.Scopes)-1]
		r.Best = last.BestBound()
		return r, nil
	}
	no := refusal(err)
	if no == nil {
		return nil, err
	}
	r.Scopes = nil
	for _, scope := range []bound.Scope{bound.Block, r.wholeScope()} {
		res := bound.NewResult(scope)
		for _, method := range OrderedMethods() {
			res.Refused = append(res.Refused, bound.Refusal{Method: method, Scope: scope, Reason: no.Reason, Assumption: no.Assumption})
		}
		r.Scopes = append(r.Scopes, res)
	}
	return r, nil
}

func (r *Report) wholeScope() bound.Scope {
	if r.Machine.Desc.SM.Count == 1 {
		return bound.SM
	}
	return bound.Kernel
}

// orderable refuses what the theorems, or the constants taken from the simulated
// memory, do not cover.
func (r *Report) orderable() error {
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
	for i := range r.program.Instructions {
		if in := &r.program.Instructions[i]; in.Kind == isa.AsyncCopy {
			return &bound.Refusal{Assumption: bound.Registers, Reason: fmt.Sprintf("%s: nothing waits for the asynchronous copy by its registers", in.Pos)}
		}
	}
	return nil
}

// orderedRun is the work of addOrdered.
type orderedRun struct {
	r       *Report
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
	machines   []*ordered.Machine
	bounds     [][2]bound.Bound
	stagesOnly bool
}

func (s *orderedSum) reset() {
	s.sent, s.bounds = traffic{}, make([][2]bound.Bound, len(s.machines))
}

func (r *Report) addOrdered(ctx context.Context, follow l1d.TaintedKernel, launch CacheLaunch, opt OrderedOptions) error {
	a, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{Limits: opt.Limits})
	r.observe(follow)
	if err != nil {
		return err
	}
	k, err := launch.Fresh()
	if err != nil {
		return err
	}
	run := &orderedRun{
		r: r, costs: newMemoryCosts(r.Machine.Desc),
		streams: newStreams(r, k, opt.Limits), at: residency(r.Machine, r.Blocks, int(r.Occupancy.Blocks)),
	}
	run.sms = make([]orderedSum, run.at.SMs)
	for i := range run.sms {
		if run.sms[i], err = run.newSum(ctx, a, launch, opt, int64(run.at.SMs)); err != nil {
			return err
		}
	}
	if run.alone, err = run.newSum(ctx, a, launch, opt, 1); err != nil {
		return err
	}
	run.ledger = append(r.ledger(), r.orderedLedger(run.at)...)
	// Round k has the k-th batches of all SMs, whose blocks follow one another.
	for round := range run.at.Rounds() {
		if err := run.round(ctx, round, opt.Progress); err != nil {
			return err
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
func (run *orderedRun) newSM(ctx context.Context, a *l1d.Analysis, launch CacheLaunch, opt OrderedOptions) (*orderedSM, error) {
	d := run.r.Machine.Desc
	k, err := launch.Fresh()
	if err != nil {
		return nil, err
	}
	order, err := a.NewOrder(k, l1d.Options{SegmentBytes: d.L1D.SectorBytes, Limits: opt.Limits, Interrupt: ctx.Err})
	if err != nil {
		return nil, err
	}
	return newOrderedSM(d, order, run.costs.unitBytes)
}

// newSum is one of a number of SMs. Its machines are the one without stages of the
// memory and, if places serve SMs in turn, those with: without lines that the L2
// writes back, and with them.
func (run *orderedRun) newSum(ctx context.Context, a *l1d.Analysis, launch CacheLaunch, opt OrderedOptions, sms int64) (s orderedSum, err error) {
	if s.orderedSM, err = run.newSM(ctx, a, launch, opt); err != nil {
		return s, err
	}
	d, program := run.r.Machine.Desc, run.r.program
	m := orderedMachine(run.r.Machine, hasAtomics(program))
	s.machines, s.stagesOnly = []*ordered.Machine{m}, opt.stagesOnly
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
		run.ops = append(run.ops, run.r.orderedOp(s))
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
	b.Breakdown = append(slices.Clone(b.Breakdown), bound.Component{Name: "memory serves the SM", Cycles: own}, bound.Component{Name: "memory serves other SMs", Cycles: foreign})
	return &b, errors.Join(addCycles(&b, own), addCycles(&b, foreign))
}

// finish takes the slowest SM.
func (run *orderedRun) finish() error {
	whole := run.r.wholeScope()
	block := bound.NewResult(bound.Block)
	launch := bound.NewResult(whole)
	all := traffic{}
	for sm := range run.sms {
		all.merge(run.sms[sm].sent)
	}
	memory, err := newSharedMemory(run.r.Machine.Desc, run.costs, all)
	if err != nil {
		return err
	}
	for i := range run.slowest {
		block.Add(*run.slowest[i])
		var worst *bound.Bound
		for sm := range run.sms {
			b, err := run.sms[sm].compose(memory, i, whole)
			if err != nil {
				return err
			}
			if worst == nil || b.Cycles > worst.Cycles {
				worst = b
			}
		}
		launch.Add(*worst)
	}
	run.r.Scopes = []*bound.Result{block, launch}
	return nil
}

// orderedLedger says what the description enforces of the assumptions that only
// these bounds have.
func (r *Report) orderedLedger(at l1d.Residency) []bound.Assumption {
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
