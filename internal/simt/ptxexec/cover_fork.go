package ptxexec

import (
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
)

// state is what a fork keeps of a warp.
type state struct {
	top         entry
	stack       []entry
	live        uint32
	loose, gone uint32
	strayed     uint32
	lost        uint32
	vals        []lanes
	st          []uint8
	preds       []uint32
	taints      [numViews]warpTaint
	trips       trips
	spans       []span
	floor       int
	levels      int
	closed      *closed
}

// keep copies the state of the warp.
func (w *coverWarp) keep() *state {
	s := &state{
		top: w.top, stack: slices.Clone(w.stack), live: w.live, loose: w.loose, gone: w.gone, strayed: w.strayed, lost: w.lost,
		vals: slices.Clone(w.vals), st: slices.Clone(w.st), preds: slices.Clone(w.preds), trips: w.trips.clone(), spans: slices.Clone(w.spans), floor: w.floor, levels: len(w.levels),
		closed: w.closed.clone(),
	}
	for v, t := range w.taints {
		s.taints[v] = warpTaint{vals: slices.Clone(t.vals), preds: slices.Clone(t.preds)}
	}
	return s
}

// restore brings a state back.
func (w *coverWarp) restore(s *state) {
	w.top, w.live, w.loose, w.gone, w.strayed, w.lost, w.floor = s.top, s.live, s.loose, s.gone, s.strayed, s.lost, s.floor
	w.stack = append(w.stack[:0], s.stack...)
	copy(w.vals, s.vals)
	copy(w.st, s.st)
	copy(w.preds, s.preds)
	w.trips = s.trips.clone()
	copy(w.spans, s.spans)
	w.closed.reset(s.closed)
	for v, t := range w.taints {
		copy(t.vals, s.taints[v].vals)
		copy(t.preds, s.taints[v].preds)
	}
}

// fork executes both sides of a branch: the target with the lanes of first, what comes
// behind it with those of second. The lanes of both are those of unsure.
func (w *coverWarp) fork(in *instr, first, second, unsure uint32, exclusive bool) error {
	if w.forks >= maxForks || w.closed != nil && w.forks >= maxClosedForks || w.commons >= maxUnrolled {
		return w.unbounded()
	}
	sink := w.run.sink
	next, rpc := w.top.pc+1, w.blk.k.prog.reconv[w.top.pc]
	common, err := w.common(in, rpc, exclusive)
	if err != nil {
		return err
	}
	before := w.keep()
	sure := [2]bool{first&^unsure&^before.loose != 0, second&^unsure&^before.loose != 0}
	depth, commons := w.frameDepth, w.commons
	w.forks++
	w.open = append(w.open, w.top.pc)
	if common {
		w.commons++
	}
	w.frameDepth = len(w.frames)
	defer func() {
		w.forks, w.commons, w.frameDepth, w.open = w.forks-1, commons, depth, w.open[:len(w.open)-1]
	}()

	if rpc == pcLeave && len(w.frames) == 1 {
		// The sides do not meet again: one goes on as the warp.
		return w.part(before, in, first, second, unsure, sure, common)
	}
	never := w.never
	sink.Fork(w.id)
	w.never = 0
	w.supposed(in, true, first)
	if err := w.side(before, in.target, rpc, first, unsure, common); err != nil {
		return err
	}
	one := w.keep()
	first &^= w.never
	sink.Next(w.id)
	w.restore(before)
	w.never = 0
	w.supposed(in, false, second)
	if err := w.side(before, next, rpc, second, unsure, common); err != nil {
		return err
	}
	second &^= w.never
	sink.Join(w.id, simt.Joined{First: sure[0], Second: sure[1], FirstEnded: one.live == 0, SecondEnded: w.live == 0})
	// Lanes that no input brings to either side are not there.
	w.never = never | (before.top.mask &^ (first | second))
	w.join(before, one, rpc, first, second, exclusive, common)
	return nil
}

// supposed narrows the ranges of unknowns to those of the lanes of m, which take a
// branch, or do not.
func (w *coverWarp) supposed(in *instr, taken bool, m uint32) {
	if w.closed != nil {
		w.closed.suppose(w.closed.preds[in.guard], taken != in.guardNeg, m)
	}
}

// side executes the lanes of m from pc until all are at rpc or have ended. Common says
// that the block takes it together.
func (w *coverWarp) side(before *state, pc, rpc int32, m, unsure uint32, common bool) error {
	w.loose |= unsure
	if !common {
		w.strayed |= unsure
	}
	w.stack = append(w.stack, entry{pc: rpc, rpc: rpc, mask: before.top.mask})
	w.floor = len(w.stack)
	w.top = entry{pc: pc, rpc: rpc, mask: m}
	w.levels = append(w.levels, level{lanes: m, ends: w.ends})
	w.settle()
	for !w.ended() {
		if err := w.wait(); err != nil {
			return err
		}
		if err := w.execute(true); err != nil {
			return err
		}
	}
	if common {
		if err := w.wait(); err != nil { // a barrier at its end
			return err
		}
		if _, err := w.meet(agreement{kind: onSide, pc: pc}); err != nil {
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
func (w *coverWarp) join(before, one *state, rpc int32, first, second uint32, exclusive, common bool) {
	alive := first&one.live | second&w.live
	dead := before.top.mask &^ alive
	both := first & second
	// Lanes that one side ends and the other does not may have ended.
	ended := both & alive &^ (one.live & w.live)
	w.gone |= one.gone | ended
	w.lost |= one.lost | ended
	w.loose = before.loose | w.gone
	if common {
		w.strayed |= one.strayed | ended
	} else {
		w.strayed = before.strayed | w.lost
	}
	w.joinClosed(before, one, first, second, exclusive)
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
func (w *coverWarp) part(before *state, in *instr, first, second, unsure uint32, sure [2]bool, common bool) error {
	sink := w.run.sink
	target, next, taken := in.target, before.top.pc+1, true
	late := w.blk.k.prog.barrierAhead[target] && !w.blk.k.prog.barrierAhead[next]
	blind := w.blind
	if common && (late || w.comesBack(target) && !w.comesBack(next)) {
		// The block takes one of them: the one that goes on is that with barriers, and that
		// which may come back to the head of a loop.
		target, next, first, second, sure[0], taken, late = next, target, second, first, sure[1], false, false
	}
	if late {
		if w.waiting(before) {
			return w.refuse("a barrier behind one side of a branch that depends on data, while other lanes wait")
		}
		if w.closed != nil && len(w.closed.passes) > 0 {
			return w.refuse("a barrier behind one side of a branch that depends on data, in a loop")
		}
		target, next, first, second, sure[0], taken = next, target, second, first, sure[1], false
		w.blind = true
	}
	never, arrived, barriers := w.never, w.arrived(), w.barriers
	w.ends++
	sink.Fork(w.id)
	w.never = 0
	w.supposed(in, taken, first)
	if err := w.side(before, target, pcLeave, first, unsure, common); err != nil {
		return err
	}
	// With barriers the stages of the block have no place for the other side behind an arrival.
	behind := common && w.arrived() > arrived && w.barriers != barriers
	dropped := w.never
	w.blind, w.never = blind, never
	sink.Next(w.id)
	sink.Join(w.id, simt.Joined{First: sure[0], Late: late, FirstEnded: w.live == 0})
	gone := w.gone
	w.restore(before)
	if behind {
		return w.refuse("barriers behind one side of a branch that goes back to the head of a loop, while the other side ends with the kernel")
	}
	if !w.waiting(before) {
		// Lanes that wait may go on where no lane of this group does.
		w.supposed(in, !taken, second)
	}
	// The lanes of both sides may have ended on the first.
	w.gone |= gone&^first | unsure&^dropped
	w.loose |= w.gone
	if common {
		w.levels[len(w.levels)-1].parted = true
	} else {
		w.lost |= unsure &^ dropped
		w.strayed |= w.lost
	}
	dead := first &^ unsure
	for i := range w.stack {
		w.stack[i].mask &^= dead
	}
	w.live &^= dead
	w.top.pc, w.top.mask = next, second
	w.settle()
	return nil
}

// comesBack says that what begins at pc may come back to the head of the innermost loop that is
// being closed.
func (w *coverWarp) comesBack(pc int32) bool {
	if w.closed == nil || len(w.closed.passes) == 0 {
		return false
	}
	p := w.closed.passes[len(w.closed.passes)-1]
	return len(w.frames) == p.frames && p.loop.in[pc]
}

// arrived is how many groups of lanes have come back to the head of the innermost loop that
// is being closed.
func (w *coverWarp) arrived() int {
	if w.closed == nil || len(w.closed.passes) == 0 {
		return 0
	}
	return w.closed.passes[len(w.closed.passes)-1].arrivals
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
