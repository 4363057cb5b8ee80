package sim

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/internal/sim/frontend"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// frontSM is one SM of the frontend model (Crouzet2024, Section IV): the units,
// queues, registers and barriers of abstractSM behind a front end. An instruction issues
// only from the head of its warp's queue. The stages of a cycle, in order:
//
//	activate  warps whose time has come get a queue
//	arrive    lines are put into the instruction cache
//	resolve   control instructions redirect their warps
//	issue     a warp issues the head of its queue
//	dispatch  units start instructions
//	fetch     an instruction of some warp is requested
type frontSM struct {
	abstractSM
	front *frontend.FrontEnd
	still int // cycles in which nothing moved and nothing will by itself
	watch []FrontObserver
}

func newFrontSM(p *plan, sm int) *frontSM {
	s := &frontSM{}
	s.init(p, s, sm)
	for _, o := range p.cfg.Observers {
		if w, ok := o.(FrontObserver); ok {
			s.watch = append(s.watch, w)
		}
	}
	var events frontend.Events
	if len(s.watch) > 0 {
		events = (*frontEvents)(s)
	}
	s.resolveCycles = p.cfg.Machine.Desc.FrontEnd.BranchResolveCycles
	s.front = frontend.New(s, events, p.cfg.front, p.kernel.Program(), p.slots, p.schedulers)
	return s
}

// PC implements frontend.SM.
func (s *frontSM) PC(i int32) int32 { return s.warp[i].w.PC() }

// start implements core.
func (s *frontSM) start(t int64, slot int, b simt.Block) error {
	for j, w := range b.Warps() {
		i := int32(slot*s.warps + j)
		s.front.Restart(i)
		if w.Status() == simt.Ready {
			s.front.Activate(i, t+s.startDelay+int64(j)*s.startGap)
		}
	}
	return s.smBase.start(t, slot, b)
}

// activated implements model: the instruction that started the warp acts when it
// is resolved.
func (s *frontSM) activated(i int32, t int64) {
	s.warp[i].resolved = t + s.resolveCycles
	s.front.Activate(i, t+s.resolveCycles)
}

// settle implements core.
func (s *frontSM) settle(t int64) []endedBlock {
	if skipped := t - s.now - 1; skipped > 0 {
		s.front.Skip(skipped)
	}
	ended := s.smBase.settle(t)
	for _, e := range ended {
		for i := e.slot * s.warps; i < (e.slot+1)*s.warps; i++ {
			s.front.End(int32(i))
		}
	}
	return ended
}

// step implements core.
func (s *frontSM) step(t int64) (int64, error) {
	if s.mem != nil {
		s.mem.receive(t)
		if err := s.goOn(t); err != nil {
			return 0, err
		}
	}
	s.front.Advance(t)
	slot := -1
	for i := range s.sched {
		issued, err := s.issueFront(i, t)
		if err != nil {
			return 0, err
		}
		slot = max(slot, issued)
	}
	for u := range s.unit {
		if s.unit[u].waiting > 0 {
			if err := s.dispatchStage(u, t); err != nil {
				return 0, err
			}
		}
	}
	if s.mem != nil {
		if err := s.mem.step(t); err != nil {
			return 0, err
		}
		if err := s.goOn(t); err != nil {
			return 0, err
		}
	}
	n := s.following(t, s.front.Fetch(t, slot))
	if s.mem != nil {
		n = min(n, s.mem.nextEvent(t))
	}
	return n, nil
}

// issueFront lets a warp of a scheduler issue in cycle t and returns its slot, -1
// where none does.
func (s *frontSM) issueFront(sched int, t int64) (int, error) {
	c := &s.sched[sched]
	c.withheld, c.Now = false, t
	slot, choice := s.front.Select(sched, t, s.eligible(sched, t))
	if slot < 0 {
		c.withheld = choice == frontend.Withheld
		s.stallOne(sched, t, t+1)
		return -1, nil
	}
	s.n.issueCycles++
	if choice == frontend.IssuedNOP {
		return slot, nil
	}
	i := int32(slot)
	w := &s.warp[i]
	pc := w.pc
	if head := s.front.Take(i, t); head != pc {
		return -1, fmt.Errorf("%w: cycle %d: warp slot %d has instruction %d at the head of its queue and executes %d", ErrConservation, t, i, head, pc)
	}
	if err := s.issue(i, t); err != nil {
		return -1, err
	}
	if w.resolved == t+s.resolveCycles {
		s.resolveLater(i, pc)
	}
	return slot, nil
}

// resolveLater notes when the control instruction that warp i just executed, at
// pc, is resolved, and what to do then.
func (s *frontSM) resolveLater(i, pc int32) {
	w, step := &s.warp[i], &s.step1
	next := step.NextPC
	switch {
	case w.state == over || w.state == inactive:
		next = isa.NoPC
	case step.BarrierOpened && step.Barrier < 0 && next != pc+1:
		// The end of the warp started warps, itself among them.
		s.front.Activate(i, w.resolved)
		return
	}
	s.front.Resolve(i, w.resolved, pc, next)
}

// following is the next cycle in which something can happen, after what moved or
// did not in cycle t.
func (s *frontSM) following(t int64, moved bool) int64 {
	busy := s.front.Busy()
	for i := range s.sched {
		busy = busy || s.sched[i].readyN > 0
	}
	if moved && busy { // whatever happens by itself
		s.still = 1
		return t + 1
	}
	n := min(s.wheel.nextEvent(), s.endMin, s.front.NextEvent())
	for u := range s.unit {
		if f := s.unit[u].firstFree(); f > t || s.unit[u].waiting > 0 {
			n = min(n, f)
		}
	}
	if moved || n != never || s.mem != nil && (s.mem.outstanding > 0 || s.mem.nextEvent(t) != never) {
		s.still = 0
	}
	if !busy {
		return max(t+1, n)
	}
	// Somebody could issue or be fetched for, if the policies come to it.
	if s.still++; s.still > s.front.Patience() {
		return never
	}
	return t + 1
}

// check implements core.
func (s *frontSM) check() error { return errors.Join(s.abstractSM.check(), s.front.Check()) }

// stalled implements model.
func (s *frontSM) stalled(i int) Reason {
	c := &s.sched[i]
	switch {
	case c.withheld:
		return Withheld
	case s.front.CanIssue(i, c.sets):
		return UnitBusy
	}
	return c.waitReason()
}

// wake implements model.
func (s *frontSM) wake(i int32, t int64) {
	s.abstractSM.wake(i, t)
	s.Changed(i, t)
}

// evaluate implements model.
func (s *frontSM) evaluate(i int32, t int64) {
	s.abstractSM.evaluate(i, t)
	s.Changed(i, t)
}

// lacking is why a warp does not issue whose front end lacks something.
var lacking = [...]Reason{frontend.Nothing: Selected, frontend.Line: ICacheMiss, frontend.Redirect: Refetch, frontend.Entry: Fetching}

// Changed implements frontend.SM: it says what warp i waits for if all it lacks is its
// instruction.
func (s *frontSM) Changed(i int32, t int64) {
	w := &s.warp[i]
	if w.state != ready {
		return
	}
	if r := lacking[s.front.Lacks(i, t)]; w.reason != r {
		s.setReason(i, r, max(t, w.since))
	}
}

// frontEvents is the SM as what sees the events of its front end, for its observers.
type frontEvents frontSM

// Fetched implements frontend.Events.
func (s *frontEvents) Fetched(i int32, t int64, pc int32, miss bool, available int64) {
	if available < 0 {
		available = Unknown
	}
	for _, o := range s.watch {
		o.Fetch(FetchEvent{Place: s.place(i), Cycle: t, PC: pc, Miss: miss, AvailableCycle: available})
	}
}

// NOP implements frontend.Events.
func (s *frontEvents) NOP(i int32, t int64) {
	for _, o := range s.watch {
		o.NOP(NOPEvent{Place: s.place(i), Cycle: t})
	}
}

// Redirected implements frontend.Events.
func (s *frontEvents) Redirected(i int32, t int64, next int32, discarded int) {
	for _, o := range s.watch {
		o.Redirect(RedirectEvent{Place: s.place(i), Cycle: t, NextPC: next, Discarded: discarded})
	}
}

// Discrepancy implements frontend.Events.
func (s *frontEvents) Discrepancy(t int64, selected, intended, expected int) {
	for _, o := range s.watch {
		o.Discrepancy(DiscrepancyEvent{SM: s.sm, Cycle: t, Slot: selected, Intended: intended, Expected: expected})
	}
}
