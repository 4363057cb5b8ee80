package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// core is one SM of any model. Within a cycle the grid calls settle for
// every SM, starts blocks, then calls step for every SM, each in SM order.
type core interface {
	// settle brings the SM to cycle t and returns its blocks that ended by then.
	settle(t int64) []endedBlock
	// start puts a block into a free slot at cycle t, after settle(t).
	start(t int64, slot int, b simt.Block) error
	// step simulates cycle t and returns the next cycle, later than t, at which
	// anything can happen; never if nothing will unless a block starts.
	step(t int64) (int64, error)
	// finish closes the statistics at cycle t, the end of the run.
	finish(t int64)
	// check verifies that nothing is left over after a complete run.
	check() error
	stats() *counters
	// resident is the blocks in slots, for reports of a deadlock.
	resident() []simt.Block
	// path is the way to the L1D, nil without caches.
	path() *ldst
	// attach gives the SM the caches.
	attach(mem *memory.System) error
}

type endedBlock struct {
	slot  int
	block int64
	start int64
	end   int64
	warps []WarpTime
}

// grid drives the SMs and hands out blocks.
type grid struct {
	cfg       *settings
	kernel    simt.Kernel
	cores     []core
	next      []int64 // by SM: when it wants to be stepped
	free      [][]int // by SM: free slots
	lastStart []int64 // by SM: when it took its last block
	slots     int     // free slots of all SMs
	taken     []int64 // by SM: blocks it got
	mem       *memory.System
	soc       *soc.SoC // nil for none

	total      int64
	handedOut  int64
	blocksDone int64
	end        int64

	blockMin, blockMax, blockSum int64
	blockTimes                   []BlockTime
}

func newGrid(cfg Config, kernel simt.Kernel, timing []gpu.Timing) (*grid, error) {
	c, err := settle(cfg, kernel, timing)
	if err != nil {
		return nil, err
	}
	g := &grid{cfg: c, kernel: kernel, total: simt.NumBlocks(kernel.Grid())}
	if c.Blocks != nil {
		g.total = int64(len(c.Blocks))
	}
	shared := newPlan(c, kernel, timing)
	n := int(min(c.Machine.Desc.SM.Count, max(g.total, 1)))
	for sm := range n {
		switch c.model {
		case Abstract:
			g.cores = append(g.cores, newAbstractSM(shared, sm))
		case Pipeline:
			g.cores = append(g.cores, newPipelineSM(shared, sm))
		case Frontend:
			g.cores = append(g.cores, newFrontSM(shared, sm))
		}
		slots := make([]int, c.BlocksPerSM)
		for i := range slots {
			slots[i] = c.BlocksPerSM - 1 - i
		}
		g.free = append(g.free, slots)
		g.slots += len(slots)
	}
	g.next = make([]int64, n)
	g.lastStart, g.taken = make([]int64, n), make([]int64, n)
	if c.caches != nil {
		if err := g.attachCaches(); err != nil {
			return nil, err
		}
	}
	for i := range g.lastStart {
		g.lastStart[i] = -1
	}
	return g, nil
}

// progressEvery is how many visited cycles lie between looks at the context.
const progressEvery = 1 << 13

func (g *grid) run(ctx context.Context) (*Result, error) {
	t := int64(0)
	for visited := 0; ; visited++ {
		if visited%progressEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, &simt.Interrupted{At: g.at(t), Err: err}
			}
			g.progress(t)
		}
		next, err := g.cycle(t)
		if err != nil {
			return nil, err
		}
		if g.blocksDone == g.total {
			break
		}
		if next == never {
			return nil, g.deadlock(t)
		}
		if g.cfg.stepIdle {
			next = t + 1
		}
		t = next
		if limit := g.cfg.MaxCycles; limit > 0 && t > limit {
			return nil, fmt.Errorf("%w: %d cycles, %d of %d blocks done%s", ErrMaxCycles, limit, g.blocksDone, g.total, g.where(t))
		}
	}
	for _, c := range g.cores {
		c.finish(g.end)
	}
	g.progress(g.end)
	if err := g.orderError(); err != nil {
		return nil, err
	}
	r := g.result()
	if g.cfg.Checks {
		if err := g.conserve(r); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConservation, err)
		}
	}
	return r, nil
}

func (g *grid) progress(t int64) {
	if g.cfg.Progress == nil {
		return
	}
	at := g.at(t)
	g.cfg.Progress(Progress{Cycles: t, BlocksDone: g.blocksDone, Blocks: g.total, WarpInstructions: at.Instructions, At: at})
}

// where is what at says, in words; "" where no warp can go on.
func (g *grid) where(t int64) string {
	at := g.at(t)
	if at.PC == isa.NoPC {
		return ""
	}
	s := fmt.Sprintf(", block %d, warp %d at pc %d", at.Block, at.Warp, at.PC)
	if pos := g.kernel.Program().Instructions[at.PC].Pos; pos.Line != 0 {
		s += " (" + pos.String() + ")"
	}
	return s
}

// at is where the first warp is that can go on.
func (g *grid) at(t int64) simt.At {
	at := simt.At{Cycle: t, PC: isa.NoPC}
	for _, c := range g.cores {
		at.Instructions += c.stats().warpInstructions
		for _, b := range c.resident() {
			for i, w := range b.Warps() {
				if at.PC == isa.NoPC && w.Status() == simt.Ready {
					at.Block, at.Warp, at.PC = b.Index(), i, w.PC()
				}
			}
		}
	}
	return at
}

// cycle simulates cycle t and returns the next cycle to visit.
func (g *grid) cycle(t int64) (int64, error) {
	if g.mem != nil {
		g.mem.Advance(t)
	}
	if g.soc != nil {
		if err := g.soc.Act(t); err != nil {
			return 0, err
		}
	}
	for {
		for sm, c := range g.cores {
			if g.due(sm, t) {
				for _, e := range c.settle(t) {
					g.retire(sm, e)
				}
			}
		}
		again, err := g.handOut(t)
		if err != nil {
			return 0, err
		}
		if !again {
			break
		}
	}
	if g.blocksDone == g.total {
		return never, nil
	}
	next := never
	for sm, c := range g.cores {
		if g.due(sm, t) {
			n, err := c.step(t)
			if err != nil {
				return 0, err
			}
			g.next[sm] = n
		}
		next = min(next, g.next[sm])
	}
	if g.slots > 0 && g.handedOut < g.total && g.canTake() {
		next = t + 1 // an SM takes its next block then
	}
	if g.soc != nil {
		g.soc.Watch(t)
		next = min(next, g.soc.NextAct(t))
	}
	if g.mem != nil {
		next = min(next, max(t+1, g.mem.NextEvent()))
	}
	return next, nil
}

// due tells whether an SM is to be looked at in cycle t.
func (g *grid) due(sm int, t int64) bool { return g.next[sm] <= t || g.cfg.stepAll }

func (g *grid) retire(sm int, e endedBlock) {
	g.free[sm] = append(g.free[sm], e.slot)
	g.slots++
	d := e.end - e.start
	if g.blocksDone == 0 || d < g.blockMin {
		g.blockMin = d
	}
	g.blockMax = max(g.blockMax, d)
	g.blockSum += d
	g.blocksDone++
	g.end = max(g.end, e.end)
	if g.cfg.KeepBlocks || g.cfg.KeepWarps {
		g.blockTimes = append(g.blockTimes, BlockTime{Block: e.block, SM: sm, Slot: e.slot, StartCycle: e.start, EndCycle: e.end, Warps: e.warps})
	}
}

// handOut starts blocks in order on the SM that the placement says, in its lowest
// free slot; in the pipeline model an SM takes one block a
// cycle. It reports whether a block was started: it may be over at once, so that
// its slot can be used again in this cycle.
func (g *grid) handOut(t int64) (bool, error) {
	started := false
	for g.slots > 0 && g.handedOut < g.total {
		sm := -1
		for i := range g.free {
			if len(g.free[i]) > 0 && g.takes(i, t) && (sm < 0 || g.cfg.Placement != FillFirst && len(g.free[i]) > len(g.free[sm])) {
				sm = i
			}
		}
		if sm < 0 {
			break
		}
		slot := takeLowest(&g.free[sm])
		g.slots--
		index := g.handedOut
		if g.cfg.Placement == InBatches {
			index = batchBlock(len(g.cores), g.cfg.BlocksPerSM, sm, g.taken[sm])
		}
		if g.cfg.Blocks != nil {
			index = g.cfg.Blocks[index]
		}
		b, err := g.kernel.NewBlock(index)
		if err != nil {
			return false, err
		}
		g.handedOut++
		g.taken[sm]++
		if g.next[sm] > t {
			// Not settled in this cycle: nothing of it ends, but its clock moves.
			if ended := g.cores[sm].settle(t); len(ended) > 0 {
				return false, fmt.Errorf("%w: SM %d ended a block before its next event", ErrConservation, sm)
			}
		}
		if err := g.cores[sm].start(t, slot, b); err != nil {
			return false, err
		}
		g.next[sm] = t
		g.lastStart[sm] = t
		started = true
	}
	return started, nil
}

// takes tells whether an SM can take a block in cycle t.
func (g *grid) takes(sm int, t int64) bool {
	return (g.cfg.model != Pipeline || g.lastStart[sm] < t) && (g.cfg.Placement != InBatches || g.batched(sm))
}

// batched tells whether an SM with a free slot has a block to come in its batch,
// or begins the next one.
func (g *grid) batched(sm int) bool {
	per := g.cfg.BlocksPerSM
	return batchBlock(len(g.cores), per, sm, g.taken[sm]) < g.total && (g.taken[sm]%int64(per) != 0 || len(g.free[sm]) == per)
}

// canTake tells whether some SM takes a block without one ending before.
func (g *grid) canTake() bool {
	if g.cfg.Placement != InBatches {
		return true
	}
	for sm := range g.free {
		if len(g.free[sm]) > 0 && g.batched(sm) {
			return true
		}
	}
	return false
}

// attachCaches puts the caches behind the SMs.
func (g *grid) attachCaches() error {
	mem, err := memory.New(g.cfg.Machine.Desc, len(g.cores))
	if err != nil {
		return err
	}
	g.mem = mem
	for _, o := range g.cfg.Observers {
		if w, ok := o.(DRAMObserver); ok {
			mem.Watch(w)
		}
		if w, ok := o.(L2Observer); ok {
			mem.WatchL2(w)
		}
	}
	if c := g.cfg.caches.SoC; c != nil {
		var watch []soc.Observer
		for _, o := range g.cfg.Observers {
			if w, ok := o.(CoreObserver); ok {
				watch = append(watch, w)
			}
		}
		if g.soc, err = soc.New(mem, g.cfg.Machine.Desc, c, watch...); err != nil {
			return err
		}
	}
	paths := make([]*ldst, len(g.cores))
	for sm, c := range g.cores {
		if err := c.attach(mem); err != nil {
			return err
		}
		paths[sm] = c.path()
	}
	mem.Deliver = func(sm int32, t int64, token int32, kind memory.Kind) {
		paths[sm].deliver(t, token, kind)
		g.next[sm] = min(g.next[sm], t)
	}
	return nil
}

// orderError is an error of an access order when the last blocks retired.
func (g *grid) orderError() error {
	if g.mem == nil {
		return nil
	}
	for sm, c := range g.cores {
		if o := c.path().order; o != nil && o.err != nil {
			return fmt.Errorf("%w: SM %d: %w", ErrAccessOrder, sm, o.err)
		}
	}
	return nil
}

// memoryUse adds up what the caches counted.
func (g *grid) memoryUse() *MemoryUse {
	u := &MemoryUse{Use: g.mem.Use(g.end)}
	for _, c := range g.cores {
		u.L1D.add(&c.path().use)
	}
	if g.soc != nil {
		u.CPU = g.soc.Use(g.end)
	}
	return u
}

func takeLowest(slots *[]int) int {
	s := *slots
	at := 0
	for i := range s {
		if s[i] < s[at] {
			at = i
		}
	}
	slot := s[at]
	s[at] = s[len(s)-1]
	*slots = s[:len(s)-1]
	return slot
}

// deadlock explains why nothing can happen any more.
func (g *grid) deadlock(t int64) error {
	if g.mem != nil {
		for _, c := range g.cores {
			if o := c.path().order; o != nil {
				if err := o.deadlock(t); err != nil {
					return err
				}
			}
		}
	}
	if g.cfg.model == Frontend && g.someReady() {
		return fmt.Errorf("%w: cycle %d: policy %s: a stage waits for a warp that cannot go on", ErrStuck, t, g.cfg.policyName())
	}
	for _, c := range g.cores {
		for _, b := range c.resident() {
			for _, w := range b.Warps() {
				if w.Status() == simt.Waiting {
					return fmt.Errorf("cycle %d: %w", t, simt.Deadlock(b))
				}
			}
		}
	}
	if !g.cfg.policy.WorkConserving() {
		return fmt.Errorf("%w: cycle %d: policy %s holds the turn for a warp that cannot issue", ErrStuck, t, g.cfg.policy)
	}
	return fmt.Errorf("%w: cycle %d: nothing can happen and %d of %d blocks are done", ErrConservation, t, g.blocksDone, g.total)
}

// someReady tells whether the kernel itself could go on.
func (g *grid) someReady() bool {
	for _, c := range g.cores {
		for _, b := range c.resident() {
			for _, w := range b.Warps() {
				if w.Status() == simt.Ready {
					return true
				}
			}
		}
	}
	return false
}

// conserve verifies the laws that hold after a complete run.
func (g *grid) conserve(r *Result) error {
	var errs []error
	slots := r.Cycles * int64(r.SMs) * int64(r.Schedulers)
	stalled := int64(0)
	for i := range NumReasons {
		stalled += r.Stalls[i.String()]
	}
	if r.IssueCycles+stalled != slots {
		errs = append(errs, fmt.Errorf("%d issue cycles and %d stalled ones in %d scheduler cycles", r.IssueCycles, stalled, slots))
	}
	if g.handedOut != g.total || g.blocksDone != g.total {
		errs = append(errs, fmt.Errorf("%d blocks, %d started, %d ended", g.total, g.handedOut, g.blocksDone))
	}
	for u := range r.Units {
		if m := r.Cycles * int64(r.SMs) * int64(unitServers(g.cfg, u)); r.Units[u].InitiationCycles > m {
			errs = append(errs, fmt.Errorf("unit %s initiates in %d of %d cycles", r.Units[u].Name, r.Units[u].InitiationCycles, m))
		}
	}
	if g.mem != nil {
		errs = append(errs, g.mem.Check())
	}
	if g.soc != nil {
		errs = append(errs, g.soc.Check())
	}
	for sm, c := range g.cores {
		n := c.stats()
		if n.issued != n.dispatched {
			errs = append(errs, fmt.Errorf("SM %d: %d instructions issued, %d dispatched", sm, n.issued, n.dispatched))
		}
		if n.residentWarps != 0 {
			errs = append(errs, fmt.Errorf("SM %d: %d warps resident at the end", sm, n.residentWarps))
		}
		if err := c.check(); err != nil {
			errs = append(errs, fmt.Errorf("SM %d: %w", sm, err))
		}
	}
	return errors.Join(errs...)
}
