package l1d

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// EstimateOptions choose what Estimate does beside counting.
type EstimateOptions struct {
	// SegmentBytes is what accesses are coalesced by; 0 means the sector size of
	// the caches, which must be the same for all, or 128 without caches.
	SegmentBytes int
	Strict       bool // as in Options
	Limits       simt.Limits
	// Classes keeps the classes of every warp's accesses: Estimate.Classes.
	Classes bool
	// Observe sees every access, SM by SM in the enforced order; results[i][j] is
	// what segment j met in cache i, and empty for an atomic. Arguments are valid
	// during the call. An error ends the estimation.
	Observe func(sm int, a *Access, results [][]cache.Result) error
	// Progress is called with how many blocks have retired, from one goroutine
	// at a time.
	Progress func(done, total int64)
	// Workers is how many SMs are estimated at the same time, each worker on a
	// kernel of its own; 0 means 1. With more, calls of Observe for different SMs
	// may overlap. The result does not depend on it.
	Workers int
}

// Estimate is what hits and misses when global accesses reach the L1 data caches
// in the enforced order (Huangfu2017, Section III-F). Every SM has a cache of its
// own, empty at the start.
//
// It is exact for a launch whose blocks are admitted in the batches of
// Residency, so for any launch that fits in one batch. Where blocks are admitted
// one by one it is an estimate.
type Estimate struct {
	Residency    Residency
	SegmentBytes int
	Caches       []CacheEstimate // in the order of the configurations
	Instructions []InstructionAccesses
	Executed     int64 // warp instructions
	// Irregular counts accesses at a point before one that their block had
	// passed; FirstIrregular is the one of the lowest SM.
	Irregular      int64
	FirstIrregular *Irregular
}

// InstructionAccesses counts what one static instruction accessed.
type InstructionAccesses struct {
	PC       int32
	Kind     Kind
	Accesses int64 // executions by a warp
	Segments int64 // of all executions
	Most     int   // segments of one execution at most
}

// CacheEstimate is the estimate for one configuration. Counts are in segments:
// what reaches the tags. Atomics do not.
type CacheEstimate struct {
	Config cache.Config
	Total  cache.Counts
	// ByInstruction has the counts of Estimate.Instructions, in their order.
	ByInstruction []cache.Counts
	// Classes are the symbols of Blocks; both are empty unless asked for.
	Classes []Class
	Blocks  []BlockClasses // by block
}

// Class is what one access of a warp met in a cache.
type Class struct {
	PC       int32
	Kind     Kind
	Segments int32
	Misses   int32
}

// BlockClasses are the accesses of a block's warps, each in program order, as
// folded sequences of indices into the table of classes. Warps with equal
// sequences share one.
type BlockClasses struct {
	Block int64
	Warps []*seq.Seq
}

// Estimate computes the estimate of the launch analysed for several caches in
// one pass. newKernel makes the kernel as it is at the start of the launch,
// without taint, for every SM that has blocks.
func (a *Analysis) Estimate(ctx context.Context, newKernel func() (simt.Kernel, error), r Residency, caches []cache.Config, opt EstimateOptions) (*Estimate, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	segment, err := segmentBytes(caches, opt.SegmentBytes)
	if err != nil {
		return nil, err
	}
	opt.SegmentBytes = segment
	rec, err := a.recordFor(ctx, newKernel, r, opt)
	if err != nil {
		return nil, err
	}
	n := int(min(int64(r.SMs), r.Blocks))
	workers := min(max(opt.Workers, 1), n)
	partial := make([]*smEstimate, n)
	errs := make([]error, n)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := retired{total: r.Blocks, progress: opt.Progress}
	next := make(chan int, n)
	for sm := range n {
		next <- sm
	}
	close(next)
	var wait sync.WaitGroup
	for range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for sm := range next {
				if rec != nil {
					partial[sm], errs[sm] = rec.replaySM(ctx, r, sm, caches, opt, &done)
				} else {
					partial[sm], errs[sm] = a.estimateSM(ctx, newKernel, r, sm, caches, opt, &done)
				}
				if errs[sm] != nil {
					cancel()
					return
				}
			}
		}()
	}
	wait.Wait()
	if err := firstError(errs); err != nil {
		return nil, err
	}
	return merge(a.Program(), r, segment, caches, partial), nil
}

// retired counts the blocks of all workers.
type retired struct {
	mu          sync.Mutex
	done, total int64
	progress    func(done, total int64)
}

func (r *retired) add(n int64) {
	if r.progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += n
	r.progress(r.done, r.total)
}

// firstError is the error of the lowest SM that failed on its own, not because
// another one had failed.
func firstError(errs []error) error {
	var cancelled error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if cancelled == nil {
			cancelled = err
		}
	}
	return cancelled
}

func segmentBytes(caches []cache.Config, asked int) (int, error) {
	var errs []error
	for i := range caches {
		if err := caches[i].Check(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	for i := range caches {
		if asked == 0 {
			asked = caches[i].SectorBytes
		}
		if caches[i].SectorBytes != asked {
			return 0, fmt.Errorf("l1d: caches of %d-byte sectors and accesses coalesced by %d bytes: expected the same", caches[i].SectorBytes, asked)
		}
	}
	if asked == 0 {
		asked = 128
	}
	return asked, nil
}

// recordFor records the classes of blocks, nil where blocks are to be executed.
func (a *Analysis) recordFor(ctx context.Context, newKernel func() (simt.Kernel, error), r Residency, opt EstimateOptions) (*recording, error) {
	if a.followed == nil {
		return nil, nil
	}
	k, err := newKernel()
	if err != nil {
		return nil, err
	}
	if err := announced(k, r); err != nil {
		return nil, err
	}
	if !a.followed.matches(k) {
		return nil, nil
	}
	rec, err := a.record(k, Options{SegmentBytes: opt.SegmentBytes, Limits: opt.Limits, Interrupt: ctx.Err})
	if rec == nil || err != nil || !rec.within(opt.Limits) {
		return nil, err
	}
	return rec, nil
}

func announced(k simt.Kernel, r Residency) error {
	if n := simt.NumBlocks(k.Grid()); n != r.Blocks {
		return fmt.Errorf("l1d: a grid of %d blocks, %d were announced", n, r.Blocks)
	}
	return nil
}

// smEstimate is the estimate of one SM.
type smEstimate struct {
	executed     int64
	irregular    int64
	first        *Irregular
	instructions []InstructionAccesses // by PC
	caches       []smCache
}

type smCache struct {
	model   *cache.Cache
	counts  []cache.Counts // by PC
	classes *classRecorder // nil unless asked for
}

func newSMEstimate(p *isa.Program, warps int, caches []cache.Config, opt EstimateOptions) (*smEstimate, error) {
	n := len(p.Instructions)
	e := &smEstimate{instructions: make([]InstructionAccesses, n), caches: make([]smCache, len(caches))}
	for i := range caches {
		model, err := cache.New(caches[i])
		if err != nil {
			return nil, err
		}
		e.caches[i] = smCache{model: model, counts: make([]cache.Counts, n)}
		if opt.Classes {
			e.caches[i].classes = newClassRecorder(warps)
		}
	}
	return e, nil
}

// retire closes the classes of a block.
func (e *smEstimate) retire(block int64) {
	for i := range e.caches {
		if c := e.caches[i].classes; c != nil {
			c.retire(block)
		}
	}
}

func (a *Analysis) estimateSM(ctx context.Context, newKernel func() (simt.Kernel, error), r Residency, sm int, caches []cache.Config, opt EstimateOptions, done *retired) (*smEstimate, error) {
	k, err := newKernel()
	if err != nil {
		return nil, err
	}
	if err := announced(k, r); err != nil {
		return nil, err
	}
	o, err := a.NewOrder(k, Options{SegmentBytes: opt.SegmentBytes, Strict: opt.Strict, Limits: opt.Limits, Interrupt: ctx.Err})
	if err != nil {
		return nil, err
	}
	e, err := newSMEstimate(k.Program(), simt.NumWarps(k.BlockDim(), k.WarpSize()), caches, opt)
	if err != nil {
		return nil, err
	}
	results := make([][]cache.Result, len(caches))
	var blocks []int64
	for batch := range r.Rounds() {
		if blocks = r.Batch(blocks[:0], sm, batch); len(blocks) == 0 {
			break
		}
		for _, b := range blocks {
			if err := o.Admit(0, b); err != nil {
				return nil, err
			}
		}
		if err := e.drain(o, sm, results, opt.Observe); err != nil {
			return nil, err
		}
		for _, b := range blocks {
			if err := o.Retire(0, b); err != nil {
				return nil, err
			}
			e.retire(b)
		}
		done.add(int64(len(blocks)))
	}
	e.executed, e.irregular, e.first = o.executed, o.irregular, o.first
	return e, nil
}

// drain sends all accesses of the resident blocks through the caches.
func (e *smEstimate) drain(o *Order, sm int, results [][]cache.Result, observe func(int, *Access, [][]cache.Result) error) error {
	for {
		a, err := o.NextAccess(0)
		if err != nil {
			return err
		}
		if a == nil {
			return nil
		}
		if err := e.serve(sm, a, results, observe); err != nil {
			return err
		}
		if err := o.Sent(0); err != nil {
			return err
		}
	}
}

// serve sends one access through the caches.
func (e *smEstimate) serve(sm int, a *Access, results [][]cache.Result, observe func(int, *Access, [][]cache.Result) error) error {
	in := &e.instructions[a.PC]
	in.Accesses++
	in.Segments += int64(len(a.Lines))
	in.Most = max(in.Most, len(a.Lines))
	kind, touches := a.Kind.cacheKind()
	for i := range e.caches {
		results[i] = results[i][:0]
		if touches {
			results[i] = e.caches[i].access(results[i], a, kind)
		}
		if c := e.caches[i].classes; c != nil {
			c.add(a, results[i])
		}
	}
	if observe == nil {
		return nil
	}
	return observe(sm, a, results)
}

func (c *smCache) access(results []cache.Result, a *Access, kind cache.Kind) []cache.Result {
	counts := &c.counts[a.PC]
	for _, line := range a.Lines {
		r := c.model.Access(line, kind)
		counts.Add(kind, r)
		results = append(results, r)
	}
	return results
}

// merge adds the SMs up, in their order.
func merge(program *isa.Program, r Residency, segment int, caches []cache.Config, sms []*smEstimate) *Estimate {
	e := &Estimate{Residency: r, SegmentBytes: segment, Caches: make([]CacheEstimate, len(caches))}
	classes := make([]classMerger, len(caches))
	for i := range caches {
		e.Caches[i].Config = caches[i]
		classes[i] = newClassMerger()
	}
	for pc := range program.Instructions {
		x := InstructionAccesses{PC: int32(pc)}
		for _, s := range sms {
			in := &s.instructions[pc]
			x.Kind = kindOf(&program.Instructions[pc])
			x.Accesses += in.Accesses
			x.Segments += in.Segments
			x.Most = max(x.Most, in.Most)
		}
		if x.Accesses == 0 {
			continue
		}
		e.Instructions = append(e.Instructions, x)
		for i := range caches {
			var sum cache.Counts
			for _, s := range sms {
				addCounts(&sum, &s.caches[i].counts[pc])
			}
			addCounts(&e.Caches[i].Total, &sum)
			e.Caches[i].ByInstruction = append(e.Caches[i].ByInstruction, sum)
		}
	}
	for _, s := range sms {
		e.Executed += s.executed
		e.Irregular += s.irregular
		if e.FirstIrregular == nil {
			e.FirstIrregular = s.first
		}
		for i := range s.caches {
			if c := s.caches[i].classes; c != nil {
				classes[i].add(c)
			}
		}
	}
	for i := range classes {
		e.Caches[i].Classes, e.Caches[i].Blocks = classes[i].result()
	}
	return e
}

func addCounts(to, x *cache.Counts) {
	to.Loads, to.Stores = to.Loads.Plus(x.Loads), to.Stores.Plus(x.Stores)
}

// Position is where the instruction stands in the kernel's file.
func (x *InstructionAccesses) Position(p *isa.Program) isa.Position { return p.Instructions[x.PC].Pos }
