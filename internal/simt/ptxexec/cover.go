package ptxexec

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// A covering execution executes a block for all inputs at once. It is the execution
// that follows taint, with three differences:
//
//   - A branch on a tainted guard forks: the lanes whose guard is tainted take both
//     sides, one after the other, from the same registers. Where the sides meet, a
//     register of theirs that is not the same from both is tainted.
//   - Lanes that may not be there at all, since they came by such a fork, are loose.
//     What they store taints memory, whatever it is.
//   - An access at a tainted address is not made. What it loads is tainted, what it
//     stores taints all that it may hit, and its transactions are counted as if every
//     lane hit a place of its own.
//
// docs/soundness/covering.md has the proof. The account of taint is the one that takes
// results that PTX leaves open for unknown, too.
type coverer struct {
	k     *Kernel
	loops []boundedLoop
	most  int64  // maxForked
	used  []bool // facts that made a difference
	// Of a closed covering execution.
	closed    bool
	closables map[int32]*closable
	memory    *sharing
	crossed   map[int32]bool // of branches asked for: barriers lie before the sides meet
	execute   bool           // loops that only facts end
	byFacts   bool           // such a loop was closed
	// functions are the instructions with open results that were taken to be functions of
	// their operands; nil where none may be.
	functions map[int32]bool
}

// maxForks is how deep forks nest: iterations of a loop whose exit is not known.
const maxForks = 1 << 12

// maxClosedForks is maxForks where loops are closed: those that are not and go on for long
// make a closed covering execution no faster.
const maxClosedForks = 1 << 8

// maxClosedForked is maxForked where loops are closed.
const maxClosedForked = 1 << 20

// maxForked is how many instructions a warp executes inside forks. Sides that go through
// the rest of a loop, since one of them may leave it, double what comes behind.
const maxForked = 1 << 22

// Coverer returns the covering execution of a launch in taint mode. What is not to be
// known are names of buffers, and sharedMemory.
func (k *Kernel) Coverer(opt simt.CoverOptions) (simt.Coverer, error) {
	loops, err := k.bounded()
	if err != nil {
		return nil, err
	}
	if err := k.orders(loops); err != nil {
		return nil, err
	}
	if k.views == 0 || k.vary != nil {
		return nil, errors.New("a covering execution needs a kernel that follows taint")
	}
	if len(k.ranges) > 0 && !opt.Closed {
		return nil, &simt.NotCovered{Pos: k.prog.isa.Instructions[0].Pos, What: "an argument may be any number of a range"}
	}
	if k.leastGrid != k.grid && !opt.Closed {
		return nil, &simt.NotCovered{Pos: k.prog.isa.Instructions[0].Pos, What: "the grid may be any of a range"}
	}
	if opt.Closed {
		k.leaveEmpty()
	}
	if err := k.fill(); err != nil {
		return nil, err
	}
	for _, g := range k.memory {
		if slices.Contains(opt.Unknown, g.name) {
			for v := range g.taint {
				g.taint[v] = nil
			}
		}
	}
	k.sharedUnknown = slices.Contains(opt.Unknown, sharedMemory)
	c := &coverer{k: k, loops: loops, most: maxForked, used: make([]bool, len(k.facts)), closed: opt.Closed, execute: opt.Execute}
	if c.closed {
		c.most = maxClosedForked
		if opt.Functions {
			c.functions = map[int32]bool{}
		}
		c.memory, c.crossed = newSharing(opt.Unknown), map[int32]bool{}
		if c.closables, err = closables(k.prog); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Blocks implements simt.Coverer.
func (c *coverer) Blocks() int64 {
	if c.closed {
		return 1
	}
	return simt.NumBlocks(c.k.grid)
}

// sharedMemory is what the shared memory of blocks is called.
const sharedMemory = "shared memory"

// Distrusted implements simt.Coverer.
func (c *coverer) Distrusted() []string {
	var out []string
	for v := range c.k.taints {
		for _, t := range c.k.taints[v].List() {
			if t.Kind == simt.TaintOrder && !slices.Contains(out, t.Register) {
				out = append(out, t.Register)
			}
		}
	}
	if c.memory != nil {
		out = c.memory.distrusted(out)
	}
	slices.Sort(out)
	return out
}

// Cover implements simt.Coverer.
func (c *coverer) Cover(ctx context.Context, i int64, limits simt.Limits, executed *int64, sink simt.CoverSink) error {
	inner, err := c.k.NewBlock(i)
	if err != nil {
		return err
	}
	defer inner.Release()
	b := inner.(*block)
	run := &coverRun{ctx: ctx, limits: limits, executed: executed, sink: sink, loops: c.loops, facts: c.k.facts, used: c.used, report: c.k.reportLoops, most: c.most, warps: make([]coverWarp, len(b.warps)), closables: c.closables, failed: map[int32]int{}, causes: map[int32]*simt.NotCovered{}, functions: c.functions, memory: c.memory, execute: c.execute, byFacts: &c.byFacts}
	b.several = c.closed
	together := c.closed && c.k.prog.hasBarriers()
	if together {
		run.common, run.crossed = map[string]int32{}, c.crossed
	}
	for j := range run.warps {
		w := &b.warps[j]
		run.warps[j] = coverWarp{warp: w, run: run, trips: newTrips(len(c.loops)), spans: make([]span, len(c.k.prog.regInit)), levels: []level{{lanes: w.live}}}
		run.warps[j].forgetSpans()
		w.passage = &run.warps[j]
		if c.closed {
			run.warps[j].startClosed()
		}
	}
	if together {
		return run.executeTogether(b)
	}
	for {
		progress, live := false, false
		for j := range run.warps {
			w := &run.warps[j]
			for w.status == simt.Ready {
				if err := w.execute(true); err != nil {
					return err
				}
				progress = true
			}
			if w.status == simt.Done {
				w.closeRests(1)
			}
			live = live || w.status != simt.Done
		}
		if !live {
			return nil
		}
		if !progress {
			return simt.Deadlock(b)
		}
	}
}

// coverRun is the covering execution of one block.
type coverRun struct {
	ctx      context.Context
	limits   simt.Limits
	executed *int64
	sink     simt.CoverSink
	loops    []boundedLoop
	facts    []facts.Fact
	used     []bool
	report   bool
	most     int64 // instructions of a warp inside forks
	warps    []coverWarp
	step     simt.Step
	// Of a closed covering execution: the loops by head, how often each could not be
	// closed and why, and who shares memory.
	closables map[int32]*closable
	failed    map[int32]int
	causes    map[int32]*simt.NotCovered
	functions map[int32]bool
	memory    *sharing
	// execute has loops that only facts end executed, and byFacts says that one was not.
	execute bool
	byFacts *bool
	// Where warps go together: what is the same in the whole block, by what it is, and
	// how often they have agreed.
	common     map[string]int32
	crossed    map[int32]bool
	agreements int
}

// coverWarp is a warp of a covering execution.
type coverWarp struct {
	*warp
	run  *coverRun
	gone uint32 // loose lanes that may have exited
	lost uint32 // of these, those that may have done so although the block has not gone there together
	// strayed are loose lanes that may not be there although the block is, as far as it
	// gets: it has not gone elsewhere together.
	strayed    uint32
	forks      int     // around the instruction
	open       []int32 // the branches of those that are no loop
	commons    int     // of these, those that the block goes through together
	forked     int64   // instructions executed inside forks
	frameDepth int     // of the innermost fork
	// spread is where the step accesses memory, if its addresses are not all known.
	spread *simt.Spread
	// blind says that what is executed comes later than it is executed here: nothing
	// loaded is relied on, and nothing is stored but in memory of the thread's own.
	blind bool
	// never are the lanes that a loop's bound has taken away since the innermost fork
	// began.
	never uint32
	trips trips
	// closed is what a closed covering execution keeps; nil in others.
	closed *closed
	// spans say where the unknown values of registers lie.
	spans []span
	calls []calledTrips
	// passing are arguments or results on their way between functions.
	passing []passed
	// levels are what may or may not be executed as a whole, the innermost last, and
	// ends how often lanes may have ended.
	levels []level
	ends   int
	// together is the warp among others, in a closed covering execution with barriers;
	// nil in others. barriers is how many it has passed.
	together *together
	barriers int
}

// taint is the account that decides.
func (w *coverWarp) taint() *warpTaint { return w.taints[len(w.taints)-1] }

// refuse is the error of an instruction that is not covered.
func (w *coverWarp) refuse(format string, args ...any) error {
	in := &w.blk.k.prog.isa.Instructions[w.top.pc]
	return &simt.NotCovered{PC: w.top.pc, Loop: isa.NoPC, Pos: in.Pos, Source: in.Source, What: in.Opcode + ": " + fmt.Sprintf(format, args...)}
}

// wrong is the error of an instruction that goes wrong. Where lanes are loose, it may do
// so because they are not, or are, taken to be there.
func (w *coverWarp) wrong(err error) error {
	if e := (*simt.RuntimeError)(nil); w.live&w.loose != 0 && errors.As(err, &e) {
		return w.refuse("goes wrong, if lanes are there of which that depends on data: %v: %s", e.Kind, e.Detail)
	}
	return err
}

// next executes an instruction, and where it forks all that the forks hold.
func (w *coverWarp) next() error {
	r := w.run
	if r.limits.MaxInstructions > 0 && *r.executed >= r.limits.MaxInstructions {
		return &simt.RuntimeError{Kind: simt.ErrInstructionLimit, Detail: fmt.Sprintf("%d warp instructions executed", *r.executed), Block: w.blk.index, Thread: -1, PC: w.PC()}
	}
	*r.executed++
	if *r.executed&0xffff == 0 {
		at := simt.At{Instructions: *r.executed, Cycle: simt.NoTime, Block: w.blk.index, Warp: w.id, PC: w.PC()}
		if err := r.ctx.Err(); err != nil {
			return &simt.Interrupted{At: at, Err: err}
		}
		if r.limits.Watch != nil {
			r.limits.Watch(at)
		}
	}
	if w.forks > 0 {
		if w.forked++; w.forked > r.most {
			if w.closed != nil && w.unclosed() {
				return w.unbounded()
			}
			return w.refuse("more than %d instructions of a warp where control depends on data: ways that part in a loop and meet behind it only are taken one after the other", r.most)
		}
	}
	if len(r.loops) > 0 || w.closed != nil {
		if none, err := w.turn(); none || err != nil {
			return err
		}
	}
	if err := w.rest(); err != nil {
		return err
	}
	pc := w.top.pc
	in := &w.code[pc]
	active := w.top.mask
	s := &r.step
	m, unsure := active, w.taint().guard(w.warp, in)
	if in.guard >= 0 {
		p := w.preds[in.guard]
		if in.guardNeg {
			p = ^p
		}
		m &= p
	}
	m &^= unsure // the lanes that execute it for certain, if they are there
	w.clock++
	w.step = s
	s.PC = pc
	s.Active, s.Exec = simt.Mask(active), simt.Mask(m|unsure)
	s.Space, s.WidthBytes, s.MoreCount, s.Local, s.Yield = isa.NoSpace, 0, 0, 0, false
	s.Barrier, s.BarrierFull, s.BarrierOpened = -1, false, false
	w.spread = nil
	switch in.group {
	case gBranch, gBrx, gCall, gRet, gExit, gBarrier:
		return w.control(in, m, unsure)
	case gLoad, gStore:
		if err := w.access(in, m, unsure); err != nil {
			return err
		}
	case gMem:
		if err := w.rareAccess(in, m, unsure); err != nil {
			return err
		}
		w.noteSpan(in, active, 0, anywhere)
		w.noteAffine(in, active, 0, nil)
	case gExec:
		if err := w.rare(in, m, unsure); err != nil {
			return err
		}
		w.noteSpan(in, active, 0, anywhere)
		w.noteAffine(in, active, 0, nil)
	default:
		now, asked := w.resultSpan(in, m, unsure), w.operands(in)
		affine, preds := w.affineBefore(in, m, unsure, now)
		for _, t := range w.taints {
			t.before(w.warp, in, m)
		}
		w.noteSpan(in, m, unsure, now)
		switch in.group {
		case gPure:
			if m != 0 {
				w.pure(in, m)
			}
		case gSetp:
			w.setp(in, m)
			w.decide(in, m)
		case gSelp:
			w.selp(in, m)
		case gPred:
			w.predicate(in, m)
		}
		w.settled(in, m, asked)
		w.noteAffine(in, m, unsure, affine)
		w.compared(in, m, unsure, preds)
	}
	if s.Yield {
		return w.refuse("how the warp goes on depends on how far other warps are")
	}
	w.top.pc = pc + 1
	if w.top.pc == w.top.rpc {
		w.settle()
	}
	s.NextPC = w.top.pc
	if err := w.executed(in, active); err != nil {
		return err
	}
	r.sink.Step(w.id, s, w.spread)
	return nil
}

// tell passes the step on.
func (w *coverWarp) tell() {
	w.run.step.NextPC = w.top.pc
	w.run.sink.Step(w.id, &w.run.step, nil)
}

// control executes an instruction that may change the program counter. m are the lanes
// that take it, unsure those that may.
func (w *coverWarp) control(in *instr, m, unsure uint32) error {
	s := &w.run.step
	active := w.top.mask
	switch in.group {
	case gBranch:
		if err := w.alike(&m, &active, &unsure); err != nil {
			return err
		}
		taken, others := m, active&^m&^unsure
		exclusive := unsure == active && (s.Alike || w.agrees(in, active))
		s.Alike = s.Alike || exclusive
		w.leaves(in, exclusive || unsure == 0 && (m == 0 || m == active))
		w.test(in, active)
		if unsure == 0 {
			for _, t := range w.taints {
				t.before(w.warp, in, m)
			}
			w.branch(in, m)
			w.tell()
			return w.yields()
		}
		s.NextPC = w.top.pc + 1
		w.run.sink.Step(w.id, s, nil)
		if err := w.executed(in, active); err != nil {
			return err
		}
		return w.fork(in, taken|unsure, others|unsure, unsure, exclusive)
	case gBarrier:
		switch {
		case unsure != 0:
			return w.refuse("whether lanes arrive depends on data")
		case w.forks > w.commons:
			return w.refuse("a barrier where control depends on data")
		case m != 0 && m&^w.strayed == 0:
			return w.refuse("whether the warp arrives depends on data")
		case in.x.mode == barRed && m&w.strayed != 0:
			return w.refuse("which lanes take part depends on data")
		}
		w.blk.held = w.commons > 0
		w.passes(in, m)
		if t := w.taint(); t.vals[in.a]&m != 0 || in.x.imm != 0 && t.vals[in.b]&m != 0 {
			return w.refuse("its number or count depends on data")
		}
	case gBrx:
		if unsure != 0 || w.taint().vals[in.a]&m != 0 {
			return w.refuse("the target depends on data")
		}
		if m&w.loose != 0 {
			return w.refuse("a branch by index where control depends on data")
		}
		w.leaves(in, false)
	case gCall:
		if unsure != 0 || in.x.call == nil && w.taint().vals[in.a]&m != 0 {
			return w.refuse("the function depends on data")
		}
		if in.x.call == nil && m&w.loose != 0 {
			return w.refuse("an indirect call where control depends on data")
		}
	case gRet:
		if len(w.frames) > 1 {
			if unsure != 0 || w.forks > 0 && len(w.frames) <= w.frameDepth {
				return w.refuse("a return from a function depends on data")
			}
			break
		}
		return w.leave(m, unsure)
	case gExit:
		return w.leave(m, unsure)
	}
	for _, t := range w.taints {
		t.before(w.warp, in, m)
	}
	w.called(in)
	if err := w.warp.control(in, m); err != nil {
		return w.wrong(err)
	}
	s.NextPC = w.top.pc
	w.tell()
	return w.yields()
}

func (w *coverWarp) yields() error {
	if w.run.step.Yield {
		return w.refuse("how the warp goes on depends on how far other warps are")
	}
	return nil
}

// leave ends the lanes of m; those of unsure may have ended.
func (w *coverWarp) leave(m, unsure uint32) error {
	w.gone |= unsure
	w.loose |= unsure
	w.lost |= unsure
	w.strayed |= unsure
	if m|unsure != 0 {
		w.ends++
	}
	w.exit(m)
	w.tell()
	return nil
}
