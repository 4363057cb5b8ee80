package replay

import (
	"fmt"

	"github.com/warpbound/warpbound/bound"
)

// none is the place of a warp that has no next instruction, and that of a NOP.
const none int32 = -1

// entry is an element of an instruction queue: an instruction or a NOP, and the
// cycle from which it can be issued.
type entry struct {
	pc    int32
	avail int64
}

// warpState says how far a warp is.
type warpState uint8

const (
	absent  warpState = iota // no warp in the slot
	pending                  // to be activated
	active
	over // ended or asleep, and its last instruction resolved
)

// warp is a warp slot.
type warp struct {
	state    warpState
	slot     int // of its block
	cur      cursor
	next     int32 // symbol to execute next, none at the end
	activeAt int64
	issued   int64

	fetchPC  int32
	queue    []entry // ring
	head, n  int
	resumeAt int64 // no request (and with SWaS no selection) before this cycle
	repeated bool  // the next request repeats one that missed
	// With Stall: no request before this cycle, and whether the last one was for a
	// control instruction that is not resolved.
	requestAt int64
	stalled   bool

	resolveAt int64 // the control instruction before the next one is resolved
	openAt    int64 // the barrier before it is open; never while it is closed
	barrier   int32 // of Await, where openAt is never
	asleep    bool
	wakeAt    int64 // it is started in this cycle though its last instruction is not resolved; 0 none
	operandAt int64 // its operands are there
	regs      []int64

	// readyAt is when the head of the queue can issue, its unit apart; never while
	// that depends on other warps or the queue is empty.
	readyAt int64
	unit    int // of the head, -1 for a NOP
}

// blockSlot is a block in execution.
type blockSlot struct {
	number      int64 // in dispatch order; -1 none
	class       int
	live        int // warps that neither sleep nor have ended
	waiting     int // of them, at a barrier of all
	spawner     int // number of the warp that waits for the end of all others, -1 none
	wakes       []int
	maxComplete int64
	end         int64 // never while warps are live
}

// resolution is a control instruction on its way.
type resolution struct {
	at        int64
	warp      int
	block     int64 // the number of the warp's block
	successor int32
	taken     bool
}

// sm is the state of the machine.
type sm struct {
	m     *Core
	in    *Input
	insts []inst
	warps int // a block
	slots int

	t       int64
	warp    []warp
	block   []blockSlot
	v       view
	fetch   selector
	issue   selector
	fready  set // warps that can be selected for fetch
	units   units
	icache  icache
	control []resolution

	run     int   // in in.Order
	left    int64 // blocks of the run not started
	started int64
	done    int64
	total   int64
	end     int64

	stats Stats
	idle  int64 // cycles stepped since something moved
	moved bool  // in this cycle
	event int   // what may begin a repetition in this cycle: warp, or warps+block slot; -1 none

	observe func(t int64, warp int, pc int32, symbol int32)
	issued  func(t int64, warp int, block int64, op int32, complete int64)
}

// inst is an op with dense registers.
type inst struct {
	unit      int
	init, lat int64
	reads     []int32
	writes    []int32
}

func newSM(m *Core, in *Input) *sm {
	s := &sm{m: m, in: in, warps: len(in.Blocks[0].Warps), fetch: newSelector(m.Front.Fetch), issue: newSelector(m.Front.Issue), units: newUnits(m), icache: newICache(m.Front.ICache), event: -1}
	var regs int
	s.insts, regs = lower(in.Ops)
	s.slots = s.warps * m.BlockSlots
	s.warp = make([]warp, s.slots)
	for i := range s.warp {
		w := &s.warp[i]
		w.slot, w.queue, w.regs, w.readyAt = i/s.warps, make([]entry, m.Front.QueueEntries), make([]int64, regs), never
	}
	s.block = make([]blockSlot, m.BlockSlots)
	for i := range s.block {
		s.block[i].number = -1
	}
	s.v = view{active: newSet(s.slots), selectable: newSet(s.slots), ready: newSet(s.slots), queued: make([]int, s.slots), issued: make([]int64, s.slots)}
	s.fready = newSet(s.slots)
	s.left = in.Order[0].Count
	for _, r := range in.Order {
		s.total += r.Count
	}
	return s
}

// lower makes registers dense.
func lower(ops []Op) (insts []inst, regs int) {
	number := map[int32]int32{}
	dense := func(rs []int32) []int32 {
		out := make([]int32, len(rs))
		for i, r := range rs {
			n, ok := number[r]
			if !ok {
				n = int32(len(number))
				number[r] = n
			}
			out[i] = n
		}
		return out
	}
	insts = make([]inst, len(ops))
	for i := range ops {
		op := &ops[i]
		insts[i] = inst{unit: op.Unit, init: op.InitCycles, lat: op.LatencyCycles, reads: dense(op.Reads), writes: dense(op.Writes)}
	}
	return insts, len(number)
}

// blocks retires the blocks that have ended and starts others in their slots.
func (s *sm) blocks() {
	for i := range s.block {
		if b := &s.block[i]; b.number >= 0 && b.end <= s.t {
			s.retire(i)
		}
	}
	for i := range s.block {
		if s.block[i].number >= 0 {
			continue
		}
		for s.left == 0 && s.run+1 < len(s.in.Order) {
			s.run++
			s.left = s.in.Order[s.run].Count
		}
		if s.left == 0 {
			return
		}
		s.start(i)
	}
}

func (s *sm) retire(slot int) {
	b := &s.block[slot]
	s.end = max(s.end, b.end)
	s.done++
	s.moved = true
	b.number = -1
	for i := slot * s.warps; i < (slot+1)*s.warps; i++ {
		if s.warp[i].state == active {
			s.deactivate(i)
		}
		s.warp[i].state = absent
	}
}

func (s *sm) start(slot int) {
	class := s.in.Order[s.run].Class
	s.left--
	s.block[slot] = blockSlot{number: s.started, class: class, spawner: -1, maxComplete: s.t, end: never}
	s.started++
	s.event = s.slots + slot
	block := &s.in.Blocks[class]
	for j, stream := range block.Warps {
		w := &s.warp[slot*s.warps+j]
		w.next, w.issued = none, 0
		w.resolveAt, w.openAt, w.operandAt, w.wakeAt = 0, 0, 0, 0
		clear(w.regs)
		w.cur.levels, w.cur.pos = w.cur.levels[:0], 0
		if stream != nil {
			w.cur.reset(stream)
			w.next = w.cur.symbol()
		}
		w.asleep = block.Asleep != nil && block.Asleep[j]
		if w.asleep {
			w.state = over
			continue
		}
		s.block[slot].live++
		w.state = pending
		w.activeAt = s.t + s.m.StartDelayCycles + int64(j)*s.m.Front.StartGapCycles
	}
}

// activate begins with the warps whose time has come.
func (s *sm) activate() {
	for i := range s.warp {
		w := &s.warp[i]
		if w.state != pending || w.activeAt > s.t {
			continue
		}
		w.state = active
		s.v.active.add(i)
		s.v.order = append(s.v.order, int32(i))
		s.v.issued[i] = w.issued
		w.fetchPC = s.in.Ops[w.next].PC
		w.openAt = 0
		w.head, w.n = 0, 0
		w.resumeAt, w.repeated, w.requestAt, w.stalled = 0, false, 0, false
		if s.m.Front.SWaS {
			for range w.queue {
				w.push(entry{none, s.t})
			}
		}
		s.v.queued[i] = w.n
		s.refresh(i)
	}
}

func (s *sm) deactivate(i int) {
	w := &s.warp[i]
	w.state = over
	w.fetchPC, w.n, w.resumeAt, w.repeated = none, 0, 0, false
	w.readyAt = never
	s.v.active.drop(i)
	s.v.queued[i] = 0
	for k, x := range s.v.order {
		if int(x) == i {
			s.v.order = append(s.v.order[:k], s.v.order[k+1:]...)
			break
		}
	}
	s.fetch.ended(i)
	s.issue.ended(i)
}

func (w *warp) push(e entry) {
	at := w.head + w.n
	if at >= len(w.queue) {
		at -= len(w.queue)
	}
	w.queue[at] = e
	w.n++
}

func (w *warp) pop() {
	if w.head++; w.head == len(w.queue) {
		w.head = 0
	}
	w.n--
}

// refresh finds out when the head of a warp's queue can issue.
func (s *sm) refresh(i int) {
	w := &s.warp[i]
	if w.n == 0 {
		w.readyAt = never
		return
	}
	head := w.queue[w.head]
	w.readyAt, w.unit = head.avail, -1
	if head.pc == none {
		return
	}
	if w.next == none {
		w.readyAt = never // behind the end, to be discarded
		return
	}
	w.readyAt = max(head.avail, w.resolveAt, w.openAt, w.operandAt)
	w.unit = s.insts[w.next].unit
}

// resolve ends the control instructions issued a resolution time ago.
func (s *sm) resolve() {
	n := 0
	for n < len(s.control) && s.control[n].at <= s.t {
		c := s.control[n]
		n++
		w := &s.warp[c.warp]
		if w.state != active || s.block[w.slot].number != c.block {
			continue // its block has left already
		}
		w.stalled = false
		if !c.taken {
			continue
		}
		if c.successor == none {
			s.deactivate(c.warp)
			if w.wakeAt > 0 {
				w.state, w.activeAt, w.wakeAt = pending, max(w.wakeAt, s.t), 0
			}
			continue
		}
		w.fetchPC, w.resumeAt, w.repeated = c.successor, 0, false
		if s.m.Front.SWaS {
			for k := range w.n {
				w.queue[(w.head+k)%len(w.queue)].pc = none
			}
		} else {
			w.head, w.n = 0, 0
			s.v.queued[c.warp] = 0
		}
		s.refresh(c.warp)
	}
	if n > 0 {
		s.moved = true
		s.control = append(s.control[:0], s.control[n:]...)
	}
}

// step simulates cycle t.
func (s *sm) step() error {
	s.moved, s.event = false, -1
	s.blocks()
	if s.done == s.total {
		return nil
	}
	s.icache.arrive(s.t)
	s.resolve()
	s.activate()
	s.units.settle(s.t)
	s.look()
	i := s.issue.pick(&s.v)
	if i >= 0 {
		s.moved = true
		if err := s.issueFrom(i); err != nil {
			return err
		}
	}
	if s.m.Front.SWaS {
		if i >= 0 {
			s.request(i)
		}
		return nil
	}
	s.fetchable()
	if i := s.fetchPick(); i >= 0 {
		s.moved = true
		s.request(i)
	}
	return nil
}

// look finds the warps that are ready to issue.
func (s *sm) look() {
	swas := s.m.Front.SWaS
	for k, m := range s.v.active {
		s.v.ready[k], s.v.selectable[k] = 0, m
	}
	for _, x := range s.v.order {
		i := int(x)
		w := &s.warp[i]
		if swas && w.resumeAt > s.t {
			s.v.selectable.drop(i)
			continue
		}
		if w.readyAt <= s.t && (w.unit < 0 || s.units.accepts(w.unit, s.t) <= s.t) {
			s.v.ready.add(i)
		}
	}
}

// issueFrom issues the head of a warp's queue.
func (s *sm) issueFrom(i int) error {
	w := &s.warp[i]
	head := w.queue[w.head]
	w.pop()
	s.v.queued[i] = w.n
	if head.pc == none {
		s.stats.NOPs++
		if s.issued != nil {
			s.issued(s.t, i, s.block[w.slot].number, none, s.t)
		}
		s.refresh(i)
		return nil
	}
	symbol := w.next
	op, in := &s.in.Ops[symbol], &s.insts[symbol]
	if head.pc != op.PC {
		return fmt.Errorf("cycle %d: warp %d has instruction %d at the head of its queue and executes %d next", s.t, i, head.pc, op.PC)
	}
	if s.observe != nil {
		s.observe(s.t, i, op.PC, symbol)
	}
	b := &s.block[w.slot]
	complete := s.units.issue(in.unit, s.t, in.init) + in.init + in.lat
	if complete > maxTime {
		return bound.ErrOverflow
	}
	if s.issued != nil {
		s.issued(s.t, i, b.number, symbol, complete)
	}
	for _, r := range in.writes {
		w.regs[r] = complete
	}
	b.maxComplete = max(b.maxComplete, complete)
	s.stats.Instructions++
	w.issued++
	s.v.issued[i] = w.issued
	if w.cur.advance() {
		s.event = i
	}
	successor := none
	w.next = none
	if !w.cur.ended() {
		w.next = w.cur.symbol()
		if !s.sleeps(w, op) {
			successor = s.in.Ops[w.next].PC
		}
		w.operandAt = 0
		for _, r := range s.insts[w.next].reads {
			w.operandAt = max(w.operandAt, w.regs[r])
		}
	}
	if taken := successor != op.PC+1; taken || s.in.Code[op.PC].Control {
		w.resolveAt = s.t + s.m.Front.ResolveCycles
		s.control = append(s.control, resolution{w.resolveAt, i, b.number, successor, taken})
		if taken {
			s.stats.Taken++
		}
	}
	if err := s.synchronise(i, op); err != nil {
		return err
	}
	s.refresh(i)
	return nil
}

// fetchable finds the warps for which an instruction can be requested.
func (s *sm) fetchable() {
	clear(s.fready)
	f := &s.m.Front
	for _, x := range s.v.order {
		w := &s.warp[x]
		if w.n < f.QueueEntries && w.fetchPC >= 0 && int(w.fetchPC) < len(s.in.Code) && w.resumeAt <= s.t && w.requestAt <= s.t && !w.stalled {
			s.fready.add(int(x))
		}
	}
}

// fetchPick selects a warp for fetch, -1 if the stage idles.
func (s *sm) fetchPick() int {
	v := s.v
	v.selectable, v.ready = v.active, s.fready
	return s.fetch.pick(&v)
}

// request requests the next instruction of warp i from the instruction cache.
func (s *sm) request(i int) {
	f := &s.m.Front
	w := &s.warp[i]
	e := entry{none, s.t + f.FetchCycles + 1}
	if pc := w.fetchPC; pc >= 0 && int(pc) < len(s.in.Code) {
		hit, arrives := w.repeated, int64(0)
		if hit {
			s.icache.touch(s.in.Code[pc].Line)
			w.repeated = false
		} else {
			hit, arrives = s.icache.request(s.in.Code[pc].Line, s.t)
		}
		w.requestAt = s.t + f.RefetchCycles
		if hit {
			s.stats.Hits++
			e.pc = pc
			w.fetchPC = pc + 1
			w.stalled = f.Stall && s.in.Code[pc].Control
		} else {
			s.stats.Misses++
			w.resumeAt, w.repeated = arrives, true
		}
	}
	if e.pc != none || f.SWaS {
		w.push(e)
		s.v.queued[i] = w.n
		if w.n == 1 {
			s.refresh(i)
		}
	}
}

// nextEvent is the next cycle in which anything can happen if nothing moved in
// this one; never if nothing will.
func (s *sm) nextEvent() int64 {
	n := s.icache.next()
	if len(s.control) > 0 {
		n = min(n, s.control[0].at)
	}
	for i := range s.block {
		if s.block[i].number >= 0 {
			n = min(n, s.block[i].end)
		}
	}
	for i := range s.warp {
		w := &s.warp[i]
		switch w.state {
		case pending:
			n = min(n, w.activeAt)
		case active:
			if w.resumeAt > s.t {
				n = min(n, w.resumeAt)
			}
			if w.requestAt > s.t {
				n = min(n, w.requestAt)
			}
			if w.readyAt == never {
				continue
			}
			at := w.readyAt
			if w.unit >= 0 && at <= s.t {
				at = s.units.accepts(w.unit, s.t)
			}
			if at > s.t {
				n = min(n, at)
			}
		}
	}
	return n
}

// pass advances to the next cycle, or past cycles in which nothing happens.
func (s *sm) pass() error {
	next := s.t + 1
	if !s.moved {
		at := s.nextEvent()
		busy := !s.v.ready.empty() || !s.m.Front.SWaS && !s.fready.empty()
		if at == never {
			// A strict policy gets round to every warp, if to any.
			if s.idle++; !busy || s.idle > int64(2*s.slots+2) {
				return fmt.Errorf("%w: cycle %d", ErrStuck, s.t)
			}
		} else if !busy {
			next = max(next, at)
			s.issue.idle(&s.v, next-s.t-1)
			if !s.m.Front.SWaS {
				v := s.v
				v.selectable = v.active
				s.fetch.idle(&v, next-s.t-1)
			}
		}
	} else {
		s.idle = 0
	}
	if next > maxTime {
		return bound.ErrOverflow
	}
	s.t = next
	return nil
}
