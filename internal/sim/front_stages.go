package sim

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/isa"
)

// begin makes warp i active. A warp that has ended is still active if the step that
// ended it started it again.
func (s *frontSM) begin(i int32, t int64) {
	f := &s.front[i]
	if slotset.Has(s.view.active, int(i)) {
		s.discard(i, t, s.warp[i].w.PC())
		s.deactivate(i)
	}
	*f = frontWarp{fetchPC: s.warp[i].w.PC(), generation: f.generation, requested: longAgo, missed: longAgo, redirected: longAgo}
	s.view.age[i] = s.begun
	s.begun++
	setBit(s.view.active, i)
	s.setFetchPC(i, f.fetchPC)
	s.view.entries[i] = 0
	if s.swas {
		for range s.size {
			s.push(i, nop, t)
		}
	}
	s.setHead(i, t)
	s.explain(i, t)
}

// push puts an entry at the end of warp i's queue.
func (s *frontSM) push(i, pc int32, available int64) {
	n := s.view.entries[i]
	at := s.front[i].first + n
	if at >= s.size {
		at -= s.size
	}
	s.entries[i*s.size+at] = queueEntry{available, pc}
	s.view.entries[i] = n + 1
	putBit(s.full, i, n+1 >= s.size)
}

// pop takes the head of warp i's queue in cycle t.
func (s *frontSM) pop(i int32, t int64) {
	f := &s.front[i]
	if f.first++; f.first == s.size {
		f.first = 0
	}
	s.view.entries[i]--
	clearBit(s.full, i)
	s.setHead(i, t+1)
}

// setHead notes what the head of warp i's queue is in cycle t.
func (s *frontSM) setHead(i int32, t int64) {
	if s.view.entries[i] == 0 {
		clearBit(s.head, i)
		clearBit(s.nopHead, i)
		return
	}
	e := &s.entries[i*s.size+s.front[i].first]
	putBit(s.head, i, e.available <= t)
	putBit(s.nopHead, i, e.pc == nop)
}

func (s *frontSM) setFetchPC(i, pc int32) {
	s.front[i].fetchPC = pc
	putBit(s.nowhere, i, pc < 0 || int(pc) >= len(s.code))
}

// arrive puts a line into the instruction cache.
func (s *frontSM) arrive(line, t int64) {
	s.icache.insert(line)
	for i := slotset.First(s.suspended, 0); i >= 0; {
		if f := &s.front[i]; f.line == line {
			clearBit(s.suspended, int32(i))
			f.repeated = true
			s.explain(int32(i), t)
		}
		next := slotset.First(s.suspended, i+1)
		if next <= i {
			break
		}
		i = next
	}
}

// resolve ends a control instruction.
func (s *frontSM) resolve(r *resolution, t int64) {
	i := r.warp
	f := &s.front[i]
	if f.control {
		f.control = false
		putBit(s.held, i, t < f.requested+s.end.RefetchCycles)
	}
	if r.next == r.pc+1 {
		return
	}
	s.discard(i, t, r.next)
	if r.next < 0 {
		s.deactivate(i)
		return
	}
	if !s.nops {
		s.view.entries[i] = 0
		clearBit(s.full, i)
	}
	f.redirected = t
	f.repeated = false
	clearBit(s.suspended, i)
	s.setFetchPC(i, r.next)
	s.setHead(i, t)
	s.explain(i, t)
}

// discard makes NOPs of the instructions in warp i's queue, which goes on at next.
func (s *frontSM) discard(i int32, t int64, next int32) {
	f := &s.front[i]
	discarded := 0
	for k := range s.view.entries[i] {
		at := f.first + k
		if at >= s.size {
			at -= s.size
		}
		if e := &s.entries[i*s.size+at]; e.pc != nop {
			e.pc = nop
			discarded++
		}
	}
	s.use.discarded += int64(discarded)
	for _, o := range s.frontWatch {
		o.Redirect(RedirectEvent{Place: s.place(i), Cycle: t, NextPC: next, Discarded: discarded})
	}
}

// issueFront lets a warp of a scheduler issue in cycle t and returns its slot, -1
// where none does.
func (s *frontSM) issueFront(sched int, t int64) (int, error) {
	c, d := &s.sched[sched], s.of(sched)
	c.withheld, c.Now = false, t
	able := s.bySlot(sched, s.eligible(sched, t))
	candidates := uint64(0)
	for k, active := range d.view.active {
		m := s.nopHead[k]
		if able != nil {
			m |= able[k] & active
		}
		s.intend[k] = m
		if m &= s.head[k]; s.swas {
			m &^= s.suspended[k]
		}
		s.real[k] = m
		candidates |= m
	}
	slot := d.policy.pick(&d.view, s.real, s.selectable(d))
	s.judge(d, t, slot)
	if slot < 0 {
		c.withheld = candidates != 0
		s.stallOne(sched, t, t+1)
		return -1, nil
	}
	s.n.issueCycles++
	i := int32(slot)
	if slotset.Has(s.nopHead, slot) {
		s.use.nops++
		for _, o := range s.frontWatch {
			o.NOP(NOPEvent{Place: s.place(i), Cycle: t})
		}
		s.pop(i, t)
		s.explain(i, t+1)
		return slot, nil
	}
	w := &s.warp[i]
	pc := w.pc
	if head := s.entries[i*s.size+s.front[i].first].pc; head != pc {
		return -1, fmt.Errorf("%w: cycle %d: warp slot %d has instruction %d at the head of its queue and executes %d", ErrConservation, t, i, head, pc)
	}
	s.pop(i, t)
	s.view.issued[i]++
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
		s.schedule(i, w.resolved)
		return
	}
	s.resolutions.Push(resolution{cycle: w.resolved, warp: i, generation: s.front[i].generation, pc: pc, next: next})
}

// fetchable tells whether an instruction of some warp can be requested by a fetch
// stage of its own.
func (s *frontSM) fetchable() bool {
	if !s.separate && s.nops {
		return false
	}
	for k, active := range s.view.active {
		if active&^(s.full[k]|s.nowhere[k]|s.suspended[k]|s.held[k]) != 0 {
			return true
		}
	}
	return false
}

// fetchPick is the warp that the fetch stage selects, -1 if it idles.
func (s *frontSM) fetchPick() int {
	for k, active := range s.view.active {
		s.real[k] = active &^ (s.full[k] | s.nowhere[k] | s.suspended[k] | s.held[k])
	}
	return s.fetchPolicy.pick(&s.view, s.real, s.view.active)
}

// request requests the next instruction of warp i in cycle t.
func (s *frontSM) request(i int32, t int64) {
	f := &s.front[i]
	available := t + s.delay
	if slotset.Has(s.nowhere, int(i)) {
		s.enqueue(i, nop, available)
		return
	}
	pc := f.fetchPC
	line := s.icache.line[pc]
	hit := s.icache.touch(line) || f.repeated
	if !hit {
		s.use.misses++
		s.icache.request(line, t)
		f.line, f.missed = line, t
		setBit(s.suspended, i)
		s.explain(i, t+1)
	} else {
		s.use.hits++
		f.repeated = false
	}
	if s.stall {
		f.requested = t
		f.control = hit && s.code[pc].control
		setBit(s.held, i)
		s.refetches.Push(refetch{t + s.end.RefetchCycles, i})
	}
	switch {
	case hit:
		s.enqueue(i, pc, available)
		s.setFetchPC(i, pc+1)
	case s.nops:
		s.enqueue(i, nop, available)
	default:
		available = Unknown
	}
	for _, o := range s.frontWatch {
		o.Fetch(FetchEvent{Place: s.place(i), Cycle: t, PC: pc, Miss: !hit, AvailableCycle: available})
	}
}

// enqueue puts an entry that is on its way at the end of warp i's queue.
func (s *frontSM) enqueue(i, pc int32, available int64) {
	s.push(i, pc, available)
	s.due[available%(s.delay+1)] = i
	if s.view.entries[i] == 1 {
		s.setHead(i, available-s.delay+1)
	}
}
