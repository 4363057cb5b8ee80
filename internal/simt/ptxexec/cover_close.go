package ptxexec

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// A loop is closed if one iteration is executed that stands for all: from registers of
// which is known what they are at the head in every iteration. What that is, is supposed
// at first, and tried: nothing changes; it moves by the same distance each time; it
// changes by the same unknown in all lanes; it lies in a range. What an iteration does not
// confirm is weakened, and another one is executed (docs/soundness/closed.md, theorem 45
// (closed loops)).

// maxPasses is how many iterations are executed to close a loop.
const maxPasses = 40

// maxWidened is how often a range grows to what an iteration needs, before it grows further.
const maxWidened = 2

// manyIterations is taken for the number of an iteration while no bound is known.
const manyIterations = 1 << 40

// fewerIterations is, where a loop inside has no bound for so many: one that goes on as often
// as the number of the iteration says. It is tried where arguments are in ranges; elsewhere
// iterations that are decided are known better one by one.
const fewerIterations = 1 << 24

// closable is a loop that may be closed.
type closable struct {
	head int32
	in   []bool // by PC
	// barriers says that there may be some inside: warps go through it together.
	barriers bool
	reduces  bool  // it has a barrier that reduces, as a call with a barrier may
	end      int32 // where lanes that leave it meet
	values   []int32
	preds    []int32 // that it may write
	// tests are branches that every iteration passes that goes on, and of which one
	// side leaves: whether lanes that take them stay.
	tests map[int32]bool
}

// closables are the loops of a program by head.
func closables(p *Code) (map[int32]*closable, error) {
	out := map[int32]*closable{}
	for fn := range p.isa.Functions {
		c, err := isa.BuildCFG(p.isa, fn)
		if err != nil {
			return nil, err
		}
		loops := isa.Loops(c)
		for i := range loops {
			if !loops[i].Irreducible {
				l := p.closable(c, loops, i)
				out[l.head] = l
			}
		}
	}
	return out, nil
}

func (p *Code) closable(c *isa.CFG, loops []isa.Loop, n int) *closable {
	of := &loops[n]
	l := &closable{head: c.Blocks[of.Header].First, in: make([]bool, len(p.code)), end: pcLeave, tests: map[int32]bool{}}
	values, preds := make([]bool, len(p.regInit)), make([]bool, p.numPreds)
	for _, b := range of.Blocks {
		for pc := c.Blocks[b].First; pc < c.Blocks[b].End; pc++ {
			l.in[pc] = true
			in := &p.code[pc]
			for _, r := range in.wv {
				values[r] = true
			}
			for _, q := range in.wp {
				preds[q] = true
			}
			l.barriers = l.barriers || in.group == gBarrier || in.group == gCall && p.callsBarrier(pc)
			l.reduces = l.reduces || in.group == gBarrier && in.x.mode == barRed || in.group == gCall && p.callsBarrier(pc)
		}
	}
	for r, set := range values {
		if set {
			l.values = append(l.values, int32(r))
		}
	}
	for q, set := range preds {
		if set {
			l.preds = append(l.preds, int32(q))
		}
	}
	for b := of.Header; b != isa.NoBlock; b = c.Ipdom[b] {
		if !of.Contains(b) {
			l.end = c.Blocks[b].First
			break
		}
	}
	for _, b := range of.Blocks {
		last := c.Blocks[b].End - 1
		in := &p.code[last]
		if in.group != gBranch || in.guard < 0 || l.in[in.target] == (int(last)+1 < len(l.in) && l.in[last+1]) || innermost(loops, b) != n {
			continue
		}
		every := true
		for _, latch := range of.Latches {
			every = every && c.Dominates(b, latch)
		}
		if every {
			l.tests[last] = l.in[in.target]
		}
	}
	return l
}

// innermost is the innermost loop that holds a block.
func innermost(loops []isa.Loop, b int32) int {
	out, depth := -1, 0
	for i := range loops {
		if loops[i].Depth > depth && loops[i].Contains(b) {
			out, depth = i, loops[i].Depth
		}
	}
	return out
}

// headKind is what a register is at the head of a loop, in every iteration.
type headKind uint8

const (
	staysSame     headKind = iota // as it was when the lanes came from outside
	moves                         // that, and a distance for each iteration
	movesTogether                 // that, and an unknown that is the same in all lanes
	isOwn                         // an unknown of each lane
)

// headValue is what is supposed of a register.
type headValue struct {
	r        int32
	is       headKind
	distance int64
	lo, hi   int64 // of the unknown
	zeros    uint8
	widened  int
	base     *affine // from outside
	step     *affine // for each iteration, made of unknowns from before the loop; nil for none
	now      *affine // in the iteration executed
	// by is how it changes from head to head, where that is known; irregular says that it
	// does not change so.
	by        *progression
	irregular bool
}

// pass is an iteration that stands for others.
type pass struct {
	loop     *closable
	before   *state // as the lanes come from outside
	frames   int
	forks    int // around its instructions
	commons  int // of these, those that warps go through together
	floor    int // of the stack
	lanes    uint32
	values   []headValue
	changes  []bool // by number of the loop's predicates
	slots    []bool // of local memory at the head: they hold what they held there before
	iter     int32  // the unknown that counts iterations
	made     int    // unknowns made before the pass
	most     map[int32]*[32]int64
	counts   map[int32]*[32][]simt.Quotient // likewise, by arguments in ranges
	strides  map[int32]*stride
	passed   map[int32]*passing
	limits   []int64 // how far numbers that are compared come while lanes stay
	arrivals int
	parted   bool   // lanes may leave in different iterations
	left     uint32 // lanes that have left the loop
	arrived  arrival
}

// arrival is how lanes come back to the head.
type arrival struct {
	lanes    uint32
	values   []*affine
	unknowns unknowns // as they are there
	outside  unknowns // as they are where the lanes come from outside
	preds    []bool   // a predicate is as it was
	passed   []condition
	slots    []bool // so is a slot
}

// closing says whether the loop whose head comes next is to be closed.
func (w *coverWarp) closing() *closable {
	c := w.closed
	if c == nil {
		return nil
	}
	l := w.run.closables[w.top.pc]
	if l == nil || w.run.failed[w.top.pc] >= maxFailed {
		return nil
	}
	if meet := w.top.rpc; meet >= 0 && l.in[meet] {
		return nil // lanes that have left it come back to meet others inside
	}
	if l.barriers && w.together != nil {
		return w.unrolled(l)
	}
	for left := w.top.mask; left != 0; left &= left - 1 {
		if last := w.trips.last[bits.TrailingZeros32(left)&31]; last >= 0 && l.in[last] {
			return nil
		}
	}
	return l
}

// maxUnrolled is how many iterations of a loop with barriers are executed one by one as
// long as control is decided, before the rest is closed: what they have in memory is known
// better.
const maxUnrolled = 64

// unrolled is the loop if its iterations are no longer to be executed one by one.
func (w *coverWarp) unrolled(l *closable) *closable {
	if w.forks > w.commons {
		return nil
	}
	if !w.fromInside(l) {
		w.closed.unrolled[l.head] = unrolling{commons: w.commons}
		return nil
	}
	u := w.closed.unrolled[l.head]
	u.times++
	w.closed.unrolled[l.head] = u
	if u.times < maxUnrolled && u.commons == w.commons {
		return nil
	}
	return l
}

// unrolling is how often an iteration of a loop was executed, and in how many forks and loops
// that warps go through together it was entered.
type unrolling struct{ times, commons int }

// maxFailed is how often a loop may turn out not to be closable before it is no longer
// tried.
const maxFailed = 3

// back notes lanes that have come back to the head of a loop being closed.
func (w *coverWarp) back() (done bool, err error) {
	n := len(w.closed.passes)
	for i := n - 1; i >= 0; i-- {
		p := w.closed.passes[i]
		if p.loop.head != w.top.pc || len(w.frames) != p.frames || !w.fromInside(p.loop) {
			continue
		}
		if i < n-1 {
			return true, w.refuse("lanes leave a loop for the next iteration of one around it")
		}
		if w.top.mask&p.left != 0 {
			return true, w.refuse("lanes come back to a loop that they have left")
		}
		if p.arrivals++; p.arrivals > 1 {
			return true, w.refuse("lanes come back to the head of a loop in groups that part for good")
		}
		if w.awaited(p) {
			return true, w.refuse("lanes come back to the head of a loop while others wait for them inside")
		}
		if w.together != nil && p.loop.barriers && w.top.mask&^w.strayed == 0 {
			return true, w.refuse("whether the warp comes back with the block depends on data")
		}
		// None of these lanes may be there.
		if err := w.rest(); err != nil {
			return true, err
		}
		w.arrive(p)
		w.run.sink.Arrive(w.id)
		w.drop(w.top.mask)
		return true, nil
	}
	return false, nil
}

// awaited says that the group on top is to meet others inside the loop.
func (w *coverWarp) awaited(p *pass) bool {
	inside := func(e *entry) bool { return e.rpc >= 0 && p.loop.in[e.rpc] }
	for i := p.floor; i < len(w.stack); i++ {
		if inside(&w.stack[i]) {
			return true
		}
	}
	return inside(&w.top)
}

// outside notes lanes that have left loops being closed: to come back to a head is then no
// further iteration.
func (w *coverWarp) outside() {
	for _, p := range w.closed.passes {
		if len(w.frames) == p.frames && !p.loop.in[w.top.pc] {
			p.left |= w.top.mask
		}
	}
}

func (w *coverWarp) fromInside(l *closable) bool {
	last := w.trips.last[bits.TrailingZeros32(w.top.mask)&31]
	return last >= 0 && l.in[last]
}

func (w *coverWarp) arrive(p *pass) {
	m := w.top.mask
	a := arrival{lanes: m}
	for i := range p.values {
		a.values = append(a.values, w.affine(p.values[i].r, m))
	}
	a.unknowns, a.outside = slices.Clone(w.closed.unknowns), p.before.closed.unknowns
	a.passed = p.conditions(m)
	for _, q := range p.loop.preds {
		a.preds = append(a.preds, w.samePredicate(p.before, q, m))
	}
	a.slots = w.closed.sameSlots(p.before.closed.slots, p.slots, m)
	p.arrived = a
}

// widthOf is the width in bits of a register.
func (w *coverWarp) widthOf(r int32) uint8 { return max(w.blk.k.prog.regBits[r], 1) }

// samePredicate says that nothing is known of a predicate in the lanes of m that does not
// hold of it now.
func (w *coverWarp) samePredicate(before *state, q int32, m uint32) bool {
	if x := before.closed.preds[q]; x != nil && x != w.closed.preds[q] {
		return false
	}
	for v, t := range w.taints {
		known := m &^ before.taints[v].preds[q]
		if t.preds[q]&known != 0 || (w.preds[q]^before.preds[q])&known != 0 {
			return false
		}
	}
	return true
}

// close closes a loop, and leaves the warp where its lanes meet behind it. It returns
// false, and the warp as it was, where the loop cannot be closed.
func (w *coverWarp) close(l *closable) (bool, error) {
	c := w.closed
	together := l.barriers && w.together != nil
	if together {
		if found, err := w.meet(agreement{kind: onLoop, pc: l.head}); err != nil || !found.agreed {
			return false, err
		}
	}
	forks, commons, depth, never, blind, ends, frames, calls := w.forks, w.commons, w.frameDepth, w.never, w.blind, w.ends, len(w.frames), len(w.calls)
	m := w.top.mask
	values := make([]headValue, len(l.values))
	for i, r := range l.values {
		values[i] = headValue{r: r, base: w.affine(r, m)}
	}
	before := w.keep() // with the unknowns just made
	changes, slots := make([]bool, len(l.preds)), slices.Repeat([]bool{true}, len(before.closed.slots))
	farthest, previous := int64(manyIterations), []uint64(nil)
	fact := int64(math.MaxInt64)
	for i := range w.run.loops {
		if w.run.loops[i].head == l.head {
			fact = w.run.loops[i].most
		}
	}
	first := min(farthest, fact)
	farthest = first
	sink, failures := w.run.sink, maps.Clone(w.run.failed)
	outer, outerPasses := c.did, len(c.passes)
	w.forks, w.frameDepth = forks+1, frames
	if together {
		w.commons++
	}
	barriers := w.barriers
	back := func() {
		w.barriers = barriers
		w.unwind(frames)
		w.calls = w.calls[:calls]
		w.restore(before)
		c.passes = c.passes[:outerPasses]
		c.truncate(len(before.closed.unknowns))
		w.levels = w.levels[:before.levels]
		w.never, w.blind, w.ends = never, blind, ends
	}
	// failed gives up: what of it is that of all warps.
	failed := func() (bool, error) {
		sink.EndLoop(w.id, nil)
		first := true
		if together {
			w.status, w.waitRed = simt.Ready, nil
			found, err := w.meet(agreement{kind: onFailure, pc: l.head})
			if err != nil {
				return false, err
			}
			first = found.first
		}
		back()
		w.forks, w.commons, w.frameDepth, c.did = forks, commons, depth, outer
		if first {
			w.run.failed[l.head]++
		}
		return false, nil
	}
	for range maxPasses {
		back()
		c.did = nil
		p := &pass{loop: l, before: before, frames: frames, forks: w.forks, commons: w.commons, lanes: m, values: values, changes: changes, slots: slots, made: len(c.unknowns), most: map[int32]*[32]int64{}, counts: map[int32]*[32][]simt.Quotient{}}
		c.passes = append(c.passes, p)
		sink.Loop(w.id)
		w.begin(p, farthest)
		err := w.iteration(before, l, together)
		if not := (*simt.NotCovered)(nil); errors.As(err, &not) {
			w.run.causes[l.head] = not
			if ranged := len(w.blk.k.ranges)+len(w.blk.k.grids()) > 0; ranged && !together && not.Loop != isa.NoPC && first > fewerIterations {
				sink.EndLoop(w.id, nil)
				first, farthest, previous = fewerIterations, fewerIterations, nil
				w.forks, w.commons, w.frameDepth, w.run.failed = forks+1, commons, frames, maps.Clone(failures)
				continue
			}
			return failed()
		} else if err != nil {
			return false, err
		}
		if together && l.reduces && m&(w.gone&^before.gone|^w.live) != 0 {
			return failed() // who takes part in one iteration may have ended in the next
		}
		most, confirmed := w.ways(p), w.confirm(p)
		if most >= manyIterations && fact < most && !together {
			if w.run.execute {
				return failed()
			}
			*w.run.byFacts = true
		}
		most = min(most, fact)
		if p.arrivals == 0 {
			most = 0
		}
		same := slices.Equal(c.did, previous)
		if together {
			found, err := w.meet(agreement{kind: onIteration, pc: l.head, confirmed: confirmed, same: same, arrivals: p.arrivals, most: most})
			if err != nil || !found.agreed || p.parted {
				return failed()
			}
			most, confirmed, same = found.most, found.confirmed, found.same
		}
		switch {
		case !confirmed:
			farthest, previous = first, nil
		case most >= manyIterations || most > first:
			return failed()
		case most < farthest && p.arrivals > 0:
			farthest, previous = most, nil
		case !same:
			previous = c.did
		default:
			sink.EndLoop(w.id, &simt.LoopEnd{Most: most, Head: l.head, Counts: p.formulas(most)})
			w.found(l.head, most, fact, int64(c.unrolled[l.head].times))
			w.forks, w.commons, w.frameDepth, w.never, w.blind = forks, commons, depth, never, blind
			if c.did = append(outer[:len(outer):len(outer)], c.did...); outerPasses == 0 {
				c.did = nil
			}
			return true, w.behind(before, p)
		}
		sink.EndLoop(w.id, nil)
	}
	sink.Loop(w.id)
	return failed()
}

// found notes how often lanes go back to the head of a loop, at most, besides those times
// when they did one by one.
func (w *coverWarp) found(head int32, most, fact, before int64) {
	for i := range w.run.loops {
		if loop := &w.run.loops[i]; loop.head == head {
			loop.seen.Entered = true
			loop.seen.Most = max(loop.seen.Most, most+before)
			loop.seen.Bounded = loop.seen.Bounded || most == fact
		}
	}
}

// unwind leaves functions that were entered since.
func (w *coverWarp) unwind(frames int) {
	if len(w.frames) > frames {
		w.frames = w.frames[:frames]
		f := &w.frames[frames-1]
		w.local.end = f.base + f.size
	}
	w.status = simt.Ready
}

// begin makes the registers what they are supposed to be at the head.
func (w *coverWarp) begin(p *pass, farthest int64) {
	c, m := w.closed, p.lanes
	p.iter = c.unknowns.any(0, farthest, true)
	if p.commons == p.forks {
		w.name(p.iter, fmt.Sprintf("z%d:", w.run.agreements))
	}
	c.slots = c.slots[:0]
	for i, s := range p.before.closed.slots {
		if p.slots[i] {
			c.slots = append(c.slots, s)
		}
	}
	for i := range p.values {
		v := &p.values[i]
		switch v.is {
		case staysSame:
			v.now = v.base
			continue
		case moves:
			v.now = v.base.combine(1, onlyUnknown(p.iter, v.distance, 0, m), 1)
		case movesTogether:
			of := c.unknowns.any(v.lo, v.hi, true)
			c.unknowns[of].zeros = v.zeros
			v.now = v.base.shape().combine(1, onlyUnknown(of, 1, 0, m), 1)
			p.stride(v, of, w.widthOf(v.r))
		case isOwn:
			of := c.unknowns.any(v.lo, v.hi, false)
			c.unknowns[of].zeros = v.zeros
			v.now = onlyUnknown(of, 1, 0, m)
		}
		for _, t := range w.taints {
			t.vals[v.r] |= m
		}
		w.spans[v.r] = anywhere
		c.values[v.r] = v.now
	}
	for i, changes := range p.changes {
		if q := p.loop.preds[i]; changes {
			for _, t := range w.taints {
				t.preds[q] |= m
			}
			c.preds[q] = nil
		}
	}
}

// shape is how far the offsets are from that of the first lane.
func (a *affine) shape() *affine {
	out := &affine{lanes: a.lanes, off: a.off}
	return out.plus(-a.off[bits.TrailingZeros32(a.lanes)&31])
}

// iteration executes the lanes of a loop from its head until none is inside.
func (w *coverWarp) iteration(before *state, l *closable, together bool) error {
	m := before.top.mask
	w.loose |= m
	if !together {
		w.strayed |= m
	}
	w.stack = append(w.stack, entry{pc: l.end, rpc: l.end, mask: m})
	w.floor = len(w.stack)
	w.closed.passes[len(w.closed.passes)-1].floor = w.floor
	w.top = entry{pc: l.head, rpc: l.end, mask: m}
	w.levels = append(w.levels, level{lanes: m, ends: w.ends})
	w.never = 0
	for first := true; !w.ended(); first = false {
		if err := w.wait(); err != nil {
			return err
		}
		if err := w.execute(!first); err != nil {
			return err
		}
	}
	if err := w.wait(); err != nil {
		return err
	}
	w.returned()
	w.closeRests(before.levels)
	w.levels = w.levels[:before.levels]
	return nil
}

// behind is the state behind the loop: the lanes that left it, in any iteration.
func (w *coverWarp) behind(before *state, p *pass) error {
	alive := before.top.mask & w.live
	dead := before.top.mask &^ alive
	c := w.closed
	c.passes = c.passes[:len(c.passes)-1]
	if p.parted {
		// Lanes have left in different iterations.
		for i := p.made; i < len(c.unknowns); i++ {
			c.unknowns[i].uniform, c.unknowns[i].common = false, 0
		}
		clear(c.preds)
	}
	c.elements = c.elements[:len(before.closed.elements)]
	copy(c.unknowns, before.closed.unknowns)
	w.loose = before.loose | w.gone
	w.strayed = before.strayed | w.lost | w.gone&^before.gone
	w.floor = before.floor
	w.stack = append(w.stack[:0], before.stack...)
	for i := range w.stack {
		w.stack[i].mask &^= dead
	}
	w.live = before.live &^ dead
	w.top = entry{pc: p.loop.end, rpc: before.top.rpc, mask: alive, frame: before.top.frame}
	w.settle()
	if w.status == simt.Done {
		w.blk.ended(w.warp)
	}
	return nil
}

// leaves notes a branch from the inside of loops being closed to their outside: whether
// all lanes that are inside take it alike.
func (w *coverWarp) leaves(in *instr, alike bool) {
	if w.closed == nil {
		return
	}
	pc := w.top.pc
	for _, p := range w.closed.passes {
		if len(w.frames) != p.frames || !p.loop.in[pc] {
			continue
		}
		if in.group == gBranch && p.loop.in[in.target] && (in.guard < 0 || p.loop.in[pc+1]) {
			continue
		}
		if together := w.commons - p.commons; !alike || w.forks != p.forks+together || len(w.stack) != p.floor+together {
			p.parted = true
		}
	}
}

// confirm says whether the registers are at the head again what they are supposed to be,
// and weakens what is supposed where they are not.
func (w *coverWarp) confirm(p *pass) bool {
	if p.arrivals == 0 {
		return true
	}
	ok := true
	a := &p.arrived
	for i := range p.values {
		v, width := &p.values[i], w.widthOf(p.values[i].r)
		if !a.holds(v, a.values[i], width) {
			ok = false
			a.weaken(v, a.values[i], width, p.limits)
		}
	}
	for i, same := range a.preds {
		if !same && !p.changes[i] {
			p.changes[i], ok = true, false
		}
	}
	if !slices.Equal(a.slots, p.slots) {
		copy(p.slots, a.slots)
		ok = false
	}
	return ok && w.progressions(p)
}

// holds says that a register which is x at the end is what is supposed of it.
func (a *arrival) holds(v *headValue, x *affine, width uint8) bool {
	u := a.unknowns
	switch v.is {
	case staysSame:
		return x.same(v.base, a.lanes, width)
	case moves:
		by, ok := v.now.moved(x, a.lanes, width)
		return ok && by == v.distance
	case movesTogether:
		d, ok := a.above(x, v.base, width)
		ok = ok && a.strides(v, x, width)
		return ok && (v.lo <= d.lo && d.hi <= v.hi || v.full(width)) && d.zeros >= v.zeros
	}
	_, lo, hi, ok := u.read(x, width, v.lo < 0)
	return v.full(width) || ok && v.lo <= lo && hi <= v.hi
}

// weaken supposes less of a register that is x at the end of an iteration.
func (a *arrival) weaken(v *headValue, x *affine, width uint8, limits []int64) {
	u, above := a.unknowns, a.above
	a.step(v, x, width)
	if v.is == moves {
		// It does not move so: x is of no use.
		x, u = v.base, a.outside
		above = func(x, base *affine, width uint8) (unknown, bool) { return u.above(x, base, a.lanes, width) }
	}
	if v.is == staysSame {
		if by, ok := v.base.moved(x, a.lanes, width); ok && by != 0 {
			v.is, v.distance = moves, by
			return
		}
	}
	if v.is != isOwn && a.outside.together(v.base) {
		from, _ := a.outside.above(v.base, v.base, v.base.lanes, width)
		if d, ok := above(x, v.base, width); ok {
			if v.is != movesTogether {
				v.is, v.lo, v.hi, v.zeros = movesTogether, from.lo, from.hi, from.zeros
			}
			v.zeros = min(v.zeros, d.zeros)
			lo, hi := a.reach(v, x, min(v.lo, d.lo), max(v.hi, d.hi), width)
			v.widen(lo, hi, width, limits)
			return
		}
	}
	if v.is == isOwn {
		if _, lo, hi, ok := u.read(x, width, v.lo < 0); ok {
			v.widen(min(v.lo, lo), max(v.hi, hi), width, limits)
		} else {
			v.lo, v.hi = limitsOf(width, true)
		}
		return
	}
	v.is, v.zeros, v.widened = isOwn, 0, 0
	for _, signed := range []bool{false, true} {
		_, lo, hi, ok := a.outside.read(v.base, width, signed)
		_, lo2, hi2, also := u.read(x, width, signed)
		if ok && also {
			v.lo, v.hi = min(lo, lo2), max(hi, hi2)
			return
		}
	}
	v.lo, v.hi = limitsOf(width, true)
}

// above says by which number x lies above the shape of base, the same in all lanes of m.
func (u unknowns) above(x, base *affine, m uint32, width uint8) (out unknown, ok bool) {
	if !u.together(x) {
		return out, false
	}
	d := x.combine(1, base.shape(), -1)
	off := d.off[bits.TrailingZeros32(m)&31]
	d.terms = nil
	if !d.plus(-off).allZero(m, width) {
		return out, false
	}
	off = signExtend(uint64(off)&widthMask(int(width)), int(width))
	lo, hi, fits := u.part(x)
	if fits {
		lo, fits = addInt(lo, off)
	}
	if fits {
		hi, fits = addInt(hi, off)
	}
	if !fits {
		lo, hi = limitsOf(64, true)
	}
	return unknown{lo: lo, hi: hi, zeros: min(u.zeros(x), uint8(bits.TrailingZeros64(uint64(off))), 63)}, true
}

// widen makes a range one that holds more: after some times, one that ends at a limit or at
// 0, or where numbers do, and in the end that of all numbers.
func (v *headValue) widen(lo, hi int64, width uint8, limits []int64) {
	below, above := lo < v.lo, hi > v.hi
	v.lo, v.hi = lo, hi
	v.widened++
	switch {
	case v.widened <= maxWidened || v.widened == maxWidened+2:
		return
	case v.widened > maxWidened+3:
		v.lo, v.hi = limitsOf(width, true)
		return
	}
	from, to := limitsOf(width, true)
	if lo >= 0 && hi > to {
		_, to = limitsOf(width, false)
	}
	for _, at := range append([]int64{0}, limits...) {
		if at <= lo {
			from = max(from, at)
		}
		if at >= hi {
			to = min(to, at)
		}
	}
	if below {
		v.lo = min(from, lo)
	}
	if above {
		v.hi = max(to, hi)
	}
}

// full says that the range of a value is that of all numbers of so many bits.
func (v *headValue) full(width uint8) bool {
	lo, hi := limitsOf(width, true)
	return v.lo == lo && v.hi == hi
}
