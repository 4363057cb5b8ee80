package sim

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/simt"
)

// issueStage lets scheduler i issue in cycle t.
func (s *abstractSM) issueStage(i int, t int64) error {
	c := &s.sched[i]
	c.withheld = false
	issued := 0
	for issued < s.perCycle && c.readyN > 0 {
		c.ready = s.eligible(i, t)
		if c.ready == nil {
			break
		}
		local, err := c.pick(&c.candidates)
		if err != nil {
			return err
		}
		if local < 0 {
			c.withheld = true
			break
		}
		if err := s.issue(int32(local*s.schedulers+i), t); err != nil {
			return err
		}
		issued++
	}
	if issued > 0 {
		s.n.issueCycles++
	} else {
		s.stallOne(i, t, t+1)
	}
	return nil
}

// eligible is the ready warps of scheduler i whose unit accepts in cycle t; nil
// if there are none.
func (s *abstractSM) eligible(i int, t int64) []uint64 {
	c := &s.sched[i]
	if s.cfg.Machine.Queue == gpu.Unbounded {
		return c.sets[0]
	}
	clear(c.union)
	some := false
	for kind, set := range c.sets {
		if anyBit(set) && s.accepts(s.instance(int32(kind), i), t) {
			some = true
			for w := range set {
				c.union[w] |= set[w]
			}
		}
	}
	if !some {
		return nil
	}
	return c.union
}

// issue executes the next instruction of warp i and puts it before its unit.
func (s *abstractSM) issue(i int32, t int64) error {
	w := &s.warp[i]
	pc := w.pc
	c := &s.sched[w.sched]
	c.sets[s.setOf(pc)][w.local>>6] &^= 1 << (w.local & 63)
	c.readyN--
	s.setReason(i, DataRAW, t)
	w.since = t + 1
	w.state = blocked
	step := &s.step1
	if err := s.execute(i, t, false); err != nil {
		return err
	}
	tm := &s.timing[pc]
	e := s.newEntry()
	x := &s.entries[e]
	x.warp, x.pc, x.index, x.next = i, pc, w.index-1, -1
	x.initiation, x.latency = tm.InitiationCycles, tm.LatencyCycles
	if tm.Transactions != gpu.OneTransaction {
		x.transactions = int32(s.transactions(tm, step))
		x.initiation = tm.Initiation(int(x.transactions))
	} else {
		x.transactions = 1
	}
	if s.cfg.Memory != nil && step.WidthBytes > 0 {
		x.space = step.Space
		x.segments = appendSegments(x.segments[:0], step, s.segmentBytes)
	}
	if s.cfg.Shorten != nil {
		s.shorten(x, w)
	}
	x.unit = s.instance(tm.Unit, int(w.sched))
	u := &s.unit[x.unit]
	if u.tail < 0 {
		u.head = e
	} else {
		s.entries[u.tail].next = e
	}
	u.tail = e
	u.waiting++
	w.undispatched++
	s.block[w.slot].undispatched++
	code := &s.code[pc]
	for _, r := range s.regs[code.writes:code.writesEnd] {
		w.regs[r] = regState{ready: never, writer: e, memory: code.memory}
	}
	s.n.issued++
	c.issued[w.local]++
	w.earliest = t + 1
	s.issuing = i
	s.afterStep(i, t)
	err := s.goOn(t)
	s.issuing = -1
	return err
}

func (s *abstractSM) shorten(x *entry, w *absWarp) {
	p := s.place(x.warp)
	init, lat := s.cfg.Shorten(Shortening{Block: p.Block, Warp: p.Warp, Index: x.index, PC: x.pc, InitiationCycles: x.initiation, LatencyCycles: x.latency})
	x.initiation = min(max(init, 1), x.initiation)
	x.latency = min(max(lat, 0), x.latency)
}

// execute steps warp i functionally and counts the instruction.
func (s *abstractSM) execute(i int32, t int64, notIssued bool) error {
	w := &s.warp[i]
	step := &s.step1
	if err := w.w.Step(step); err != nil {
		return fmt.Errorf("cycle %d: %w", t, err)
	}
	if step.PC != w.pc {
		return fmt.Errorf("%w: warp stepped pc %d, expected %d", ErrConservation, step.PC, w.pc)
	}
	s.n.warpInstructions++
	s.n.threadInstructions += int64(bits.OnesCount32(uint32(step.Exec)))
	if s.observed {
		ev := IssueEvent{Place: s.place(i), Cycle: t, PC: step.PC, Index: w.index, Exec: step.Exec, NotIssued: notIssued}
		for _, o := range s.cfg.Observers {
			o.Issue(ev)
		}
	}
	w.index++
	return nil
}

// afterStep follows what the step of warp i did to barriers and to the warp.
func (s *abstractSM) afterStep(i int32, t int64) {
	w := &s.warp[i]
	b := &s.block[w.slot]
	arrived := s.step1.Barrier >= 0
	opened := s.step1.BarrierOpened
	switch w.w.Status() {
	case simt.Done:
		s.end(i, t)
		opened = opened || b.waiting > 0
	case simt.Waiting:
		w.state = atBarrier
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

// end closes warp i.
func (s *abstractSM) end(i int32, t int64) {
	w := &s.warp[i]
	b := &s.block[w.slot]
	w.state = over
	s.setReason(i, Draining, t)
	s.sched[w.sched].turn[w.local>>6] &^= 1 << (w.local & 63)
	b.live--
	s.n.resident(max(min(w.earliest, t+1), s.n.residentSince), -1)
	s.endBlock(b)
}

// endBlock notes the end of a block whose instructions are all dispatched.
func (s *abstractSM) endBlock(b *absBlock) {
	if b.live == 0 && b.undispatched == 0 {
		b.end = b.maxComplete
		s.endMin = min(s.endMin, b.end)
	}
}

// openBarrier lets go the warps that a barrier no longer holds, and the warp
// that opened it, if any.
func (s *abstractSM) openBarrier(slot, opener int32, t int64) {
	s.leave = s.leave[:0]
	open := int64(0)
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
	if pending == 0 {
		s.letGo(s.leave, open)
		return
	}
	g := s.newGroup()
	d := &s.groups[g]
	d.pending, d.open = pending, open
	d.warps = append(d.warps[:0], s.leave...)
	for _, i := range d.warps {
		w := &s.warp[i]
		w.state, w.group = leaving, g
		if w.reason != AtBarrier {
			s.setReason(i, AtBarrier, t)
		}
	}
}

// letGo sends warps on from an open barrier.
func (s *abstractSM) letGo(warps []int32, open int64) {
	at := open + s.barrierDelay
	for _, i := range warps {
		w := &s.warp[i]
		w.earliest = at
		w.state, w.group = blocked, -1
		s.work = append(s.work, i)
		for _, o := range s.cfg.Observers {
			o.Barrier(BarrierEvent{Place: s.place(i), Cycle: at})
		}
	}
}

// goOn takes every warp of the work list to its next wait.
func (s *abstractSM) goOn(t int64) error {
	for len(s.work) > 0 {
		i := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		w := &s.warp[i]
		w.pc = w.w.PC()
		if !s.timing[w.pc].NotIssued {
			s.evaluate(i, t)
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

// evaluate finds out when the next instruction of warp i becomes ready. It is
// called after the issue of its predecessor in cycle t at the earliest.
func (s *abstractSM) evaluate(i int32, t int64) {
	w := &s.warp[i]
	at := w.earliest
	reason := w.reason
	code := &s.code[w.pc]
	for _, r := range s.regs[code.waits:code.waitsEnd] {
		x := &w.regs[r]
		if x.ready > at {
			at = x.ready
			reason = DataRAW
			if x.memory {
				reason = MemoryRAW
			}
			if at == never {
				w.state = blocked
				s.setReason(i, reason, max(t, w.since))
				return
			}
		}
	}
	if at <= t || at == t+1 && s.perCycle == 1 && s.issuing == i {
		s.makeReady(i, at)
		return
	}
	w.state = waking
	s.setReason(i, reason, max(t, w.since))
	s.wheel.add(i, at)
}

// dispatchStage starts instructions waiting for unit u while one of its servers
// is free.
func (s *abstractSM) dispatchStage(u int, t int64) error {
	x := &s.unit[u]
	for server := range x.freeAt {
		if x.freeAt[server] > t || x.waiting == 0 {
			continue
		}
		e, err := s.take(x)
		if err != nil {
			return err
		}
		x.freeAt[server] = t + s.dispatch(e, t)
	}
	return s.goOn(t)
}

// take removes the entry that the unit starts next from its queue.
func (s *abstractSM) take(x *absUnit) (int32, error) {
	e, before := x.head, int32(-1)
	if !s.cfg.Machine.FIFO && x.waiting > 1 && s.cfg.DispatchOrder.Name != "" {
		var err error
		if e, before, err = s.takeAny(x); err != nil {
			return 0, err
		}
	}
	next := s.entries[e].next
	if before < 0 {
		x.head = next
	} else {
		s.entries[before].next = next
	}
	if next < 0 {
		x.tail = before
	}
	x.waiting--
	return e, nil
}

// takeAny chooses among the waiting entries, or the oldest of each warp where
// the order of a warp is kept. It returns the entry and the one before it.
func (s *abstractSM) takeAny(x *absUnit) (e, before int32, err error) {
	s.cands, s.candSlots = s.cands[:0], s.candSlots[:0]
	keep := s.cfg.Machine.Desc.Queue.KeepsWarpOrder
	for e := x.head; e >= 0; e = s.entries[e].next {
		w := s.entries[e].warp
		if keep {
			if s.seen[w>>6]&(1<<(w&63)) != 0 {
				continue
			}
			s.seen[w>>6] |= 1 << (w & 63)
		}
		s.cands = append(s.cands, e)
		s.candSlots = append(s.candSlots, w)
	}
	clear(s.seen)
	k := 0
	if len(s.cands) > 1 {
		if k, err = s.choose.choose(s.candSlots); err != nil {
			return 0, 0, err
		}
	}
	before = -1
	for e = x.head; e != s.cands[k]; e = s.entries[e].next {
		before = e
	}
	return e, before, nil
}

// dispatch starts entry e in cycle t and returns its initiation.
func (s *abstractSM) dispatch(e int32, t int64) int64 {
	x := &s.entries[e]
	w := &s.warp[x.warp]
	b := &s.block[w.slot]
	code := &s.code[x.pc]
	kind := s.unit[x.unit].kind
	if s.cfg.Memory != nil && len(x.segments) > 0 {
		s.access(x, t)
	}
	complete := t + x.initiation + x.latency
	for _, r := range s.regs[code.writes:code.writesEnd] {
		if v := &w.regs[r]; v.ready == never && v.writer == e {
			v.ready = complete
		}
	}
	w.maxComplete = max(w.maxComplete, complete)
	b.maxComplete = max(b.maxComplete, complete)
	w.undispatched--
	b.undispatched--
	s.n.dispatched++
	s.n.unitInstructions[kind]++
	s.n.unitInitiation[kind] += x.initiation
	if s.observed {
		p := s.place(x.warp)
		for _, o := range s.cfg.Observers {
			o.Dispatch(DispatchEvent{Place: p, Cycle: t, PC: x.pc, Index: x.index, Unit: int(kind), InitiationCycles: x.initiation, CompleteCycle: complete})
		}
		s.completions.add(CompleteEvent{Place: p, Cycle: complete, PC: x.pc, Index: x.index})
	}
	switch w.state {
	case blocked:
		s.evaluate(x.warp, t)
	case leaving:
		g := &s.groups[w.group]
		g.open = max(g.open, complete)
		if g.pending--; g.pending == 0 {
			free := w.group
			s.letGo(g.warps, g.open)
			s.freeGroups = append(s.freeGroups, free)
		}
	case over:
		s.endBlock(b)
	}
	x.next = s.free
	s.free = e
	return x.initiation
}

// access asks the memory stage for the time of entry x.
func (s *abstractSM) access(x *entry, t int64) {
	p := s.place(x.warp)
	s.request = Request{
		Cycle: t, SM: s.sm, Block: p.Block, Warp: p.Warp, PC: x.pc, Kind: s.code[x.pc].kind, Space: x.space,
		Transactions: int(x.transactions), Segments: x.segments, InitiationCycles: x.initiation, LatencyCycles: x.latency,
	}
	init, lat := s.cfg.Memory.Access(&s.request)
	x.initiation, x.latency = max(init, 1), max(lat, 0)
	x.segments = x.segments[:0]
}

func (s *abstractSM) newEntry() int32 {
	if s.free < 0 {
		s.entries = append(s.entries, entry{next: -1})
		return int32(len(s.entries) - 1)
	}
	e := s.free
	s.free = s.entries[e].next
	return e
}

func (s *abstractSM) newGroup() int32 {
	if n := len(s.freeGroups); n > 0 {
		g := s.freeGroups[n-1]
		s.freeGroups = s.freeGroups[:n-1]
		return g
	}
	s.groups = append(s.groups, drainGroup{})
	return int32(len(s.groups) - 1)
}
