package sim

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// execute steps warp i functionally and counts the instruction.
func (s *smBase) execute(i int32, t int64, notIssued bool) error {
	w := &s.warp[i]
	step := &s.step1
	if err := w.w.Step(step); err != nil {
		return fmt.Errorf("cycle %d: %w", t, err)
	}
	if step.PC != w.pc {
		return fmt.Errorf("%w: warp stepped pc %d, expected %d", ErrConservation, step.PC, w.pc)
	}
	if s.code[w.pc].global && step.Space == isa.Generic && step.Exec != 0 {
		in := &s.kernel.Program().Instructions[w.pc]
		return fmt.Errorf("%w: %s: lanes of a warp access different memories at once, which is simulated without data caches only", ErrConfig, in.Pos)
	}
	s.n.warpInstructions++
	s.n.threadInstructions += int64(bits.OnesCount32(uint32(step.Exec)))
	if len(s.observers) > 0 {
		ev := IssueEvent{Place: s.place(i), Cycle: t, PC: step.PC, Index: w.index, Exec: step.Exec, NotIssued: notIssued}
		for _, o := range s.observers {
			o.Issue(ev)
		}
	}
	if w.index == 0 {
		w.first = t
	}
	w.index++
	return nil
}

// afterStep follows what the step of warp i did to barriers and to the warp.
func (s *smBase) afterStep(i int32, t int64) {
	w := &s.warp[i]
	b := &s.block[w.slot]
	arrived := s.step1.Barrier >= 0
	opened := s.step1.BarrierOpened
	if c := &s.sched[w.sched]; c.turns != nil && (arrived || w.w.Status() != simt.Ready) {
		c.turns.Leaves(int(w.local))
	}
	switch w.w.Status() {
	case simt.Done:
		s.end(i, t)
		s.endInactive(w.slot, t)
		opened = opened || b.waiting > 0
	case simt.Waiting:
		if !arrived {
			w.state = inactive
			s.setTurn(w, false)
			s.setReason(i, Inactive, t)
			break
		}
		w.state = atBarrier
		s.setTurn(w, false)
		b.waiting++
		s.setReason(i, AtBarrier, t)
	default:
		if !(arrived && opened) {
			s.work = append(s.work, i)
		}
	}
	if opened {
		opener := int32(-1)
		if arrived && w.state == blocked {
			opener = i
		}
		s.openBarrier(w.slot, opener, t)
	}
}

// turnAfter tells a policy that follows what warps execute that warp i issued the
// instruction at pc.
func (s *smBase) turnAfter(i, pc int32) {
	w := &s.warp[i]
	c := &s.sched[w.sched]
	if c.turns == nil || w.state == over {
		return
	}
	code, next := &s.code[pc], &s.code[w.pc]
	c.turns.Executed(int(w.local), s.regs[code.writes:code.writesEnd], s.regs[next.waits:next.waitsEnd])
}

// setTurn says whether a strict policy may wait for a warp.
func (s *smBase) setTurn(w *warpSlot, may bool) {
	turn := &s.sched[w.sched].Turn[w.local>>6]
	*turn &^= 1 << (w.local & 63)
	if may {
		*turn |= 1 << (w.local & 63)
	}
}

// end closes warp i.
func (s *smBase) end(i int32, t int64) {
	w := &s.warp[i]
	b := &s.block[w.slot]
	w.state = over
	s.setReason(i, Draining, t)
	s.setTurn(w, false)
	b.live--
	s.n.resident(max(min(w.earliest, t+1), s.n.residentSince), -1)
	s.endBlock(b)
}

// endBlock notes the end of a block whose instructions are all dispatched.
func (s *smBase) endBlock(b *blockSlot) {
	if b.live == 0 && b.undispatched == 0 {
		b.end = b.maxComplete
		s.endMin = min(s.endMin, b.end)
	}
}

// endInactive closes the inactive warps of a block that have ended because no
// other is active.
func (s *smBase) endInactive(slot int32, t int64) {
	for i := slot * int32(s.warps); i < (slot+1)*int32(s.warps); i++ {
		if w := &s.warp[i]; w.state == inactive && w.w.Status() == simt.Done {
			s.end(i, t)
		}
	}
}

// activate sends on the inactive warps of a block that the step in cycle t has
// started.
func (s *smBase) activate(slot int32, t int64) {
	for i := slot * int32(s.warps); i < (slot+1)*int32(s.warps); i++ {
		w := &s.warp[i]
		if w.state != inactive || w.w.Status() != simt.Ready {
			continue
		}
		w.state = blocked
		w.earliest = t + 1
		s.setReason(i, Starting, t)
		s.setTurn(w, true)
		s.model.activated(i, t)
		s.work = append(s.work, i)
	}
}

// openBarrier lets go the warps that a barrier no longer holds, and the warp
// that opened it, if any, and starts inactive warps.
func (s *smBase) openBarrier(slot, opener int32, t int64) {
	s.activate(slot, t)
	s.leave = s.leave[:0]
	open := t + 1 // the last arrival or exit was issued in t
	pending := int32(0)
	let := func(i int32) {
		w := &s.warp[i]
		s.leave = append(s.leave, i)
		open = max(open, w.earliest)
		if s.draining {
			open = max(open, w.maxComplete)
			pending += w.undispatched
		}
	}
	b := &s.block[slot]
	for i := slot * int32(s.warps); i < (slot+1)*int32(s.warps); i++ {
		if w := &s.warp[i]; w.state == atBarrier && w.w.Status() == simt.Ready {
			let(i)
			b.waiting--
		}
	}
	if opener >= 0 {
		let(opener)
	}
	if len(s.leave) == 0 {
		return
	}
	s.n.barriers++
	if s.draining {
		// What ended warps have left behind is waited for as well.
		for i := slot * int32(s.warps); i < (slot+1)*int32(s.warps); i++ {
			if w := &s.warp[i]; w.state == over && w.group < 0 {
				open = max(open, w.maxComplete)
				pending += w.undispatched
			}
		}
	}
	if pending == 0 {
		s.letGo(s.leave, open)
		return
	}
	g := s.newGroup()
	for i := slot * int32(s.warps); i < (slot+1)*int32(s.warps); i++ {
		if w := &s.warp[i]; w.state == over && w.group < 0 && w.undispatched > 0 {
			w.group = g
		}
	}
	d := &s.groups[g]
	d.pending, d.open = pending, open
	d.warps = append(d.warps[:0], s.leave...)
	for _, i := range d.warps {
		w := &s.warp[i]
		w.state, w.group = leaving, g
		s.setTurn(w, false)
		if w.reason != AtBarrier {
			s.setReason(i, AtBarrier, t)
		}
	}
}

// letGo sends warps on from an open barrier.
func (s *smBase) letGo(warps []int32, open int64) {
	at := open + s.barrierDelay
	for _, i := range warps {
		w := &s.warp[i]
		w.earliest = at
		w.state, w.group = blocked, -1
		s.setTurn(w, true)
		s.work = append(s.work, i)
		for _, o := range s.observers {
			o.Barrier(BarrierEvent{Place: s.place(i), Cycle: at})
		}
	}
}

// goOn takes every warp of the work list to its next wait.
func (s *smBase) goOn(t int64) error {
	for len(s.work) > 0 {
		i := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		w := &s.warp[i]
		w.pc = w.w.PC()
		if !s.code[w.pc].notIssued {
			s.model.evaluate(i, t)
			continue
		}
		if err := s.execute(i, t, true); err != nil {
			return err
		}
		code := &s.code[s.step1.PC]
		for _, r := range s.regs[code.writes:code.writesEnd] {
			w.regs[r] = regState{}
		}
		s.afterStep(i, t)
	}
	return nil
}

func (s *smBase) newGroup() int32 {
	if n := len(s.freeGroups); n > 0 {
		g := s.freeGroups[n-1]
		s.freeGroups = s.freeGroups[:n-1]
		return g
	}
	s.groups = append(s.groups, drainGroup{})
	return int32(len(s.groups) - 1)
}

// started notes that an instruction of warp i started on a unit of a kind in
// cycle t and completes in cycle complete.
func (s *smBase) started(i int32, t, complete int64, kind int, initiation int64, pc int32, index int64) {
	s.left(i, t, complete, kind, initiation, pc, index)
	s.completes(i, t, complete, pc, index)
}

// left notes that an instruction of warp i started; complete may be Unknown.
func (s *smBase) left(i int32, t, complete int64, kind int, initiation int64, pc int32, index int64) {
	s.n.dispatched++
	s.n.unitInstructions[kind]++
	s.n.unitInitiation[kind] += initiation
	if len(s.observers) > 0 {
		p := s.place(i)
		for _, o := range s.observers {
			o.Dispatch(DispatchEvent{Place: p, Cycle: t, PC: pc, Index: index, Unit: kind, Server: s.model.server(s.serving), InitiationCycles: initiation, CompleteCycle: complete})
		}
	}
}

// completes notes in cycle t that an instruction of warp i that has started
// completes in cycle complete.
func (s *smBase) completes(i int32, t, complete int64, pc int32, index int64) {
	w := &s.warp[i]
	b := &s.block[w.slot]
	w.maxComplete = max(w.maxComplete, complete+s.tail)
	b.maxComplete = max(b.maxComplete, complete+s.tail)
	w.undispatched--
	b.undispatched--
	if len(s.observers) > 0 {
		s.completions.add(CompleteEvent{Place: s.place(i), Cycle: complete, PC: pc, Index: index})
	}
	switch w.state {
	case blocked:
		s.model.evaluate(i, t)
	case leaving:
		s.drained(w.group, complete)
	case over:
		if w.group >= 0 {
			s.drained(w.group, complete)
			if w.undispatched == 0 {
				w.group = -1
			}
		}
		s.endBlock(b)
	}
}

// drained notes that one of the instructions that a draining barrier waits for
// has started and completes in cycle complete. The last one opens the barrier.
func (s *smBase) drained(group int32, complete int64) {
	g := &s.groups[group]
	g.open = max(g.open, complete)
	if g.pending--; g.pending == 0 {
		s.letGo(g.warps, g.open)
		s.freeGroups = append(s.freeGroups, group)
	}
}
