package ptxexec

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
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
	most  int64 // maxForked
}

// maxForks is how deep forks nest: iterations of a loop whose exit is not known.
const maxForks = 1 << 12

// maxForked is how many instructions a warp executes inside forks. Sides that go through
// the rest of a loop, since one of them may leave it, double what comes behind.
const maxForked = 1 << 22

// Coverer returns the covering execution of a launch in taint mode. distrust names
// buffers whose contents are unknown, whatever the launch says, and sharedMemory.
func (k *Kernel) Coverer(distrust []string) (simt.Coverer, error) {
	loops, err := k.bounded()
	if err != nil {
		return nil, err
	}
	if k.views == 0 || k.vary != nil {
		return nil, errors.New("a covering execution needs a kernel that follows taint")
	}
	if err := k.fill(); err != nil {
		return nil, err
	}
	for _, g := range k.memory {
		if slices.Contains(distrust, g.name) {
			for v := range g.taint {
				g.taint[v] = nil
			}
		}
	}
	k.sharedUnknown = slices.Contains(distrust, sharedMemory)
	return &coverer{k: k, loops: loops, most: maxForked}, nil
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
	run := &coverRun{ctx: ctx, limits: limits, executed: executed, sink: sink, loops: c.loops, most: c.most, warps: make([]coverWarp, len(b.warps))}
	for j := range run.warps {
		w := &b.warps[j]
		run.warps[j] = coverWarp{warp: w, run: run, trips: newTrips(len(c.loops)), spans: make([]span, len(c.k.prog.regInit)), levels: []level{{lanes: w.live}}}
		run.warps[j].forgetSpans()
	}
	for {
		progress, live := false, false
		for j := range run.warps {
			w := &run.warps[j]
			for w.status == simt.Ready {
				if err := w.next(); err != nil {
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
	most     int64 // instructions of a warp inside forks
	warps    []coverWarp
	step     simt.Step
}

// coverWarp is a warp of a covering execution.
type coverWarp struct {
	*warp
	run        *coverRun
	gone       uint32 // loose lanes that may have exited
	forks      int    // around the instruction
	forked     int64  // instructions executed inside forks
	frameDepth int    // of the innermost fork
	// spread is where the step accesses memory, if its addresses are not all known.
	spread *simt.Spread
	// blind says that what is executed comes later than it is executed here: nothing
	// loaded is relied on, and nothing is stored but in memory of the thread's own.
	blind bool
	// never are the lanes that a loop's bound has taken away since the innermost fork
	// began.
	never uint32
	trips trips
	// spans say where the unknown values of registers lie.
	spans []span
	calls []calledTrips
	// levels are what may or may not be executed as a whole, the innermost last, and
	// ends how often lanes may have ended.
	levels []level
	ends   int
}

// taint is the account that decides.
func (w *coverWarp) taint() *warpTaint { return w.taints[len(w.taints)-1] }

// refuse is the error of an instruction that is not covered.
func (w *coverWarp) refuse(format string, args ...any) error {
	in := &w.blk.k.prog.isa.Instructions[w.top.pc]
	return &simt.NotCovered{PC: w.top.pc, Pos: in.Pos, Source: in.Source, What: in.Opcode + ": " + fmt.Sprintf(format, args...)}
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
			return w.refuse("more than %d instructions of a warp where control depends on data: ways that part in a loop and meet behind it only are taken one after the other", r.most)
		}
	}
	if len(r.loops) > 0 {
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
	frames := len(w.frames)
	defer func() {
		if len(w.frames) != frames {
			w.forgetSpans()
		}
	}()
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
	case gExec:
		if err := w.rare(in, m, unsure); err != nil {
			return err
		}
		w.noteSpan(in, active, 0, anywhere)
	default:
		now, asked := w.resultSpan(in, m, unsure), w.operands(in)
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
	}
	if s.Yield {
		return w.refuse("how the warp goes on depends on how far other warps are")
	}
	w.top.pc = pc + 1
	if w.top.pc == w.top.rpc {
		w.settle()
	}
	s.NextPC = w.top.pc
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
		taken, others := m, active&^m&^unsure
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
		return w.fork(in, taken|unsure, others|unsure, unsure)
	case gBarrier:
		switch {
		case unsure != 0:
			return w.refuse("whether lanes arrive depends on data")
		case w.forks > 0:
			return w.refuse("a barrier where control depends on data")
		case m != 0 && m&^w.loose == 0:
			return w.refuse("whether the warp arrives depends on data")
		case in.x.mode == barRed && m&w.loose != 0:
			return w.refuse("which lanes take part depends on data")
		}
		for _, r := range in.wv {
			w.spans[r] = anywhere // what bar.red gives comes later
		}
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
	if m|unsure != 0 {
		w.ends++
	}
	w.exit(m)
	w.tell()
	return nil
}

// state is what a fork keeps of a warp.
type state struct {
	top         entry
	stack       []entry
	live        uint32
	loose, gone uint32
	vals        []lanes
	st          []uint8
	preds       []uint32
	taints      [numViews]warpTaint
	trips       trips
	spans       []span
	floor       int
	levels      int
}

// keep copies the state of the warp.
func (w *coverWarp) keep() *state {
	s := &state{
		top: w.top, stack: slices.Clone(w.stack), live: w.live, loose: w.loose, gone: w.gone,
		vals: slices.Clone(w.vals), st: slices.Clone(w.st), preds: slices.Clone(w.preds), trips: w.trips.clone(), spans: slices.Clone(w.spans), floor: w.floor, levels: len(w.levels),
	}
	for v, t := range w.taints {
		s.taints[v] = warpTaint{vals: slices.Clone(t.vals), preds: slices.Clone(t.preds)}
	}
	return s
}

// restore brings a state back.
func (w *coverWarp) restore(s *state) {
	w.top, w.live, w.loose, w.gone, w.floor = s.top, s.live, s.loose, s.gone, s.floor
	w.stack = append(w.stack[:0], s.stack...)
	copy(w.vals, s.vals)
	copy(w.st, s.st)
	copy(w.preds, s.preds)
	w.trips = s.trips.clone()
	copy(w.spans, s.spans)
	for v, t := range w.taints {
		copy(t.vals, s.taints[v].vals)
		copy(t.preds, s.taints[v].preds)
	}
}

// fork executes both sides of a branch: the target with the lanes of first, what comes
// behind it with those of second. The lanes of both are those of unsure.
func (w *coverWarp) fork(in *instr, first, second, unsure uint32) error {
	if w.forks >= maxForks {
		return w.unbounded()
	}
	sink := w.run.sink
	next, rpc := w.top.pc+1, w.blk.k.prog.reconv[w.top.pc]
	before := w.keep()
	sure := [2]bool{first&^unsure&^before.loose != 0, second&^unsure&^before.loose != 0}
	depth := w.frameDepth
	w.forks++
	w.frameDepth = len(w.frames)
	defer func() { w.forks, w.frameDepth = w.forks-1, depth }()

	if rpc == pcLeave && len(w.frames) == 1 {
		// The sides do not meet again: one goes on as the warp.
		return w.part(before, in.target, next, first, second, unsure, sure)
	}
	never := w.never
	sink.Fork(w.id)
	w.never = 0
	if err := w.side(before, in.target, rpc, first, unsure); err != nil {
		return err
	}
	one := w.keep()
	first &^= w.never
	sink.Next(w.id)
	w.restore(before)
	w.never = 0
	if err := w.side(before, next, rpc, second, unsure); err != nil {
		return err
	}
	second &^= w.never
	sink.Join(w.id, sure[0], sure[1], false)
	// Lanes that no input brings to either side are not there.
	w.never = never | (before.top.mask &^ (first | second))
	w.join(before, one, rpc, first, second)
	return nil
}

// side executes the lanes of m from pc until all are at rpc or have ended.
func (w *coverWarp) side(before *state, pc, rpc int32, m, unsure uint32) error {
	w.loose |= unsure
	w.stack = append(w.stack, entry{pc: rpc, rpc: rpc, mask: before.top.mask})
	w.floor = len(w.stack)
	w.top = entry{pc: pc, rpc: rpc, mask: m}
	w.levels = append(w.levels, level{lanes: m, ends: w.ends})
	w.settle()
	for !w.ended() {
		if w.status != simt.Ready {
			return w.refuse("a wait where control depends on data")
		}
		if err := w.next(); err != nil {
			return err
		}
	}
	w.returned()
	w.closeRests(before.levels)
	w.levels = w.levels[:before.levels]
	return nil
}

// ended says that the lanes of the innermost side are where the sides meet.
func (w *coverWarp) ended() bool {
	return len(w.stack) == w.floor && (w.top.mask == 0 || w.top.pc == w.top.rpc)
}

// join makes the state of the warp, which is that behind the second side, the one
// behind both.
func (w *coverWarp) join(before, one *state, rpc int32, first, second uint32) {
	alive := first&one.live | second&w.live
	dead := before.top.mask &^ alive
	both := first & second
	// Lanes that one side ends and the other does not may have ended.
	w.gone |= one.gone | both&alive&^(one.live&w.live)
	w.loose = before.loose | w.gone
	frames := len(w.frames)
	for r := range w.vals {
		w.joinSpan(one, r, first&one.live, second&w.live)
		if w.st[r]&one.st[r]&uniform != 0 && w.vals[r][0] == one.vals[r][0] {
			for v, t := range w.taints {
				t.vals[r] = t.vals[r]&^(first&one.live) | one.taints[v].vals[r]&first&one.live | t.vals[r]&second&w.live
			}
			continue
		}
		w.joinValue(one, r, first&one.live, second&w.live)
	}
	w.trips.join(w.run.loops, &one.trips, first&one.live, second&w.live)
	for p := range w.preds {
		w.joinPredicate(one, p, first&one.live, second&w.live)
	}
	w.floor = before.floor
	w.stack = append(w.stack[:0], before.stack...)
	for i := range w.stack {
		w.stack[i].mask &^= dead
	}
	w.live = before.live &^ dead
	w.top = entry{pc: rpc, rpc: before.top.rpc, mask: alive, frame: before.top.frame}
	w.settle()
	if len(w.frames) != frames {
		w.forgetSpans()
	}
	if w.status == simt.Done {
		w.blk.ended(w.warp)
	}
}

// joinValue joins a register: the lanes of first come from the first side, those of
// second from the second.
func (w *coverWarp) joinValue(one *state, r int, first, second uint32) {
	b := one.vals[r]
	if one.st[r]&filled == 0 {
		for i := range b {
			b[i] = b[0]
		}
	}
	a := w.src(int32(r))
	w.st[r] = filled
	var differ uint32
	for i := range a {
		switch {
		case first>>i&1 == 0:
		case second>>i&1 == 0:
			a[i] = b[i]
		case a[i] != b[i]:
			differ |= 1 << i
		}
	}
	for v, t := range w.taints {
		mine := t.vals[r]
		t.vals[r] = mine&^first | one.taints[v].vals[r]&first | mine&second | differ
	}
}

// joinPredicate is joinValue for a predicate.
func (w *coverWarp) joinPredicate(one *state, p int, first, second uint32) {
	a, b := w.preds[p], one.preds[p]
	differ := (a ^ b) & first & second
	only := first &^ second
	w.preds[p] = a&^only | b&only
	for v, t := range w.taints {
		mine := t.preds[p]
		t.preds[p] = mine&^first | one.taints[v].preds[p]&first | mine&second | differ
	}
}

// part executes a fork whose sides end with the kernel: one side to its end, and then
// the warp goes on as the other. A side with a barrier has to go on. Where it is the
// one that comes first, the side that is executed here comes after it, behind barriers:
// what it loads is not known then, and it must not store where others load.
func (w *coverWarp) part(before *state, target, next int32, first, second, unsure uint32, sure [2]bool) error {
	sink := w.run.sink
	late := w.blk.k.prog.barrierAhead[target] && !w.blk.k.prog.barrierAhead[next]
	blind := w.blind
	if late {
		if w.waiting(before) {
			return w.refuse("a barrier behind one side of a branch that depends on data, while other lanes wait")
		}
		target, next, first, second, sure[0] = next, target, second, first, sure[1]
		w.blind = true
	}
	never := w.never
	w.ends++
	sink.Fork(w.id)
	w.never = 0
	if err := w.side(before, target, pcLeave, first, unsure); err != nil {
		return err
	}
	dropped := w.never
	w.blind, w.never = blind, never
	sink.Next(w.id)
	sink.Join(w.id, sure[0], false, late)
	gone := w.gone
	w.restore(before)
	// The lanes of both sides may have ended on the first.
	w.gone |= gone&^first | unsure&^dropped
	w.loose |= w.gone
	dead := first &^ unsure
	for i := range w.stack {
		w.stack[i].mask &^= dead
	}
	w.live &^= dead
	w.top.pc, w.top.mask = next, second
	w.settle()
	return nil
}

// waiting says that lanes besides those of the group on top go on later.
func (w *coverWarp) waiting(s *state) bool {
	for i := range s.stack {
		if s.stack[i].mask&s.live&^s.top.mask != 0 {
			return true
		}
	}
	return false
}

// laterStore is why a side that comes behind barriers of the other is not covered.
const laterStore = "it comes after the end of lanes that leave by data, behind barriers of theirs"

// access executes a load or a store of the lanes of m; those of unsure may take part.
func (w *coverWarp) access(in *instr, m, unsure uint32) error {
	if w.blind && in.group == gStore && in.mem.space != isa.Local && in.mem.space != isa.Param {
		return w.refuse(laterStore)
	}
	t := w.taint()
	may := m | unsure
	unknown := t.vals[in.a] & may
	told := w.places(in, may, unknown)
	for _, t := range w.taints {
		t.access(w.warp, in, m, unsure, w.loose&may)
	}
	if w.blind && in.group == gLoad {
		for _, t := range w.taints {
			t.results(in, m, m)
		}
	}
	if in.group == gLoad {
		w.noteSpan(in, m, unsure, loaded(in.mem))
	}
	made, err := w.possible(in, m&^unknown)
	if err != nil {
		return err
	}
	// What a load that is not made gives is not known.
	if lost := m &^ made; lost != 0 && in.group == gLoad {
		for _, t := range w.taints {
			t.results(in, lost, lost)
		}
	}
	if made != 0 {
		if in.group == gLoad {
			err = w.load(in, made)
		} else {
			err = w.store(in, made)
		}
		if err != nil {
			return err
		}
	}
	w.run.step = told
	return nil
}

// possible is the lanes of m, whose addresses are known, that can access what they
// address. A lane that is there for certain and cannot is the kernel's error; another
// one is not there.
func (w *coverWarp) possible(in *instr, m uint32) (uint32, error) {
	loose := m & w.loose
	if loose == 0 {
		return m, nil
	}
	mi := in.mem
	w.addresses(in, mi, m)
	at := w.step.Addresses
	for left := loose; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		if _, _, _, err := w.locate(mi, at[i], mi.total(), i, in.group != gLoad); err != nil {
			m &^= 1 << i
		}
	}
	return m, nil
}

// farApart is how far addresses that are not known are taken to be from one another: in
// segments of their own, and in one bank.
const farApart = 1 << 32

// places is the step as it is told: where the lanes of may access memory, for counting
// transactions. It is made before the instruction is executed, which may change the
// register of the address.
func (w *coverWarp) places(in *instr, may, unknown uint32) simt.Step {
	s := &w.run.step
	mi := in.mem
	s.Exec, s.Local = simt.Mask(may), 0
	switch {
	case may == 0:
	case unknown == 0:
		w.addresses(in, mi, may)
		if mi.space == isa.Generic || mi.space == isa.Local || mi.space == isa.Param {
			w.warp.places(mi, may)
		}
	default:
		w.spread = w.addressSpan(in, may)
		for i := range s.Addresses {
			s.Addresses[i] = uint64(i) * farApart
		}
		if mi.space != isa.Global && mi.space != isa.Shared && mi.space != isa.Const {
			s.Local = simt.Mask(may)
		}
	}
	told := *s
	told.Space, told.WidthBytes = mi.space, int32(mi.total())
	return told
}

// access is the rule of a load or store of a covering execution: m are the lanes whose
// guard holds, g those where it is not known, loose those that may not be there.
func (t *warpTaint) access(w *warp, in *instr, m, g, loose uint32) {
	if in.group == gLoad {
		s := t.transfer(w, in, m, g)
		t.results(in, m, s)
		t.results(in, g, g)
		return
	}
	t.transfer(w, in, m, g|loose)
}

// rareAccess executes atomics; other rare accesses only where all is known.
func (w *coverWarp) rareAccess(in *instr, m, unsure uint32) error {
	if w.blind {
		return w.refuse(laterStore)
	}
	t := w.taint()
	may := m | unsure
	if in.flow != flowMemory {
		if unsure != 0 || may&w.loose != 0 {
			return w.refuse("not executed where control depends on data")
		}
		if t.reads(in, m) {
			return w.refuse("an operand depends on data")
		}
		for _, t := range w.taints {
			t.before(w.warp, in, m)
		}
		return w.wrong(in.run(w.warp, in, m))
	}
	unknown := t.vals[in.a] & may
	told := w.places(in, may, unknown)
	for _, t := range w.taints {
		s := t.transfer(w.warp, in, m, unsure|w.loose&may)
		t.results(in, may, s)
	}
	made, err := w.possible(in, m&^unknown)
	if err != nil {
		return err
	}
	if made != 0 {
		if err := in.run(w.warp, in, made); err != nil {
			return err
		}
	}
	w.run.step = told
	return nil
}

// rare executes the rarer instructions that access no memory.
func (w *coverWarp) rare(in *instr, m, unsure uint32) error {
	active := w.top.mask
	open := unsure != 0 || active&w.loose != 0
	switch {
	case in.flow == flowAddress:
		may := m | unsure
		unknown := w.taint().vals[in.a] & may
		w.run.step = w.places(in, may, unknown)
		return nil
	case in.flow == flowLanes && aborts(in):
		// trap, or a barrier of the warp: lanes that may not be there do neither.
		if open {
			return nil
		}
	case in.flow != flowLanes && open:
		// Who takes part is not known.
		if in.flow == flowCopy || in.flow == flowCommit || in.flow == flowAwait || in.flow == flowOwn && len(in.wv)+len(in.wp) == 0 {
			return w.refuse("not executed where control depends on data")
		}
		for _, t := range w.taints {
			t.results(in, active, active)
		}
		return nil
	case in.flow == flowCopy && w.taint().reads(in, m):
		return w.refuse("an operand depends on data")
	}
	for _, t := range w.taints {
		t.before(w.warp, in, m)
	}
	return w.wrong(in.run(w.warp, in, m))
}
