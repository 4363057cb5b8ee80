package sim

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// smBase is what SMs of all models share: warp slots and their states, blocks,
// barriers, stall accounting.
//
// A warp that cannot issue is not looked at: it sits in the wheel until a known
// cycle, or waits for one of its own instructions to be dispatched, which makes
// the cycle known, or for a barrier.
type smBase struct {
	*plan
	model model
	sm    int
	now   int64 // the cycle the SM has been brought to
	tail  int64 // from an instruction's completion to the end of its warp

	warp  []warpSlot
	block []blockSlot
	sched []scheduler
	wheel *wheel

	work    []int32 // warps that may go on
	issuing int32   // the warp that issues in this cycle, -1 outside its issue

	groups     []drainGroup
	freeGroups []int32
	leave      []int32 // warps that leave a barrier

	endMin      int64 // earliest known end of a resident block
	ended       []endedBlock
	n           counters
	step1       simt.Step // what the last functional step did
	completions completionQueue

	serving int32 // the unit that starts an instruction, as the model knows it (unitFree)

	mem      *ldst // nil without caches
	watchers []AccessObserver
	paths    []PathObserver
}

// model is what smBase asks of the SM it is part of.
type model interface {
	// evaluate finds out when the next instruction of a warp becomes ready,
	// called in cycle t.
	evaluate(warp int32, t int64)
	// wake is called when a warp leaves the wheel.
	wake(warp int32, t int64)
	// accessDone is called in cycle t when it is known that the results of an
	// instruction that went through the caches can be used from cycle complete on.
	accessDone(entry int32, t, complete int64)
	// unitFree says when a unit is free that was busy for an unknown time.
	unitFree(unit int32, at int64)
	// server is the number of such a unit among those of its kind on the SM.
	server(unit int32) int
	// activated is told in cycle t that an inactive warp has become ready.
	activated(warp int32, t int64)
	// stalled says why a scheduler issues nothing.
	stalled(scheduler int) Reason
}

// regState is one register of a warp.
type regState struct {
	ready  int64 // cycle from which it can be read; never while its writer is not dispatched
	writer int32 // entry of that writer
	memory bool  // the writer reads memory
}

type warpState uint8

const (
	absent    warpState = iota // no warp in the slot
	waking                     // in the wheel
	ready                      // in a ready set
	blocked                    // waits for an instruction of its own to be dispatched
	atBarrier                  // waits for a barrier
	inactive                   // waits for another warp to start it, or the block to end
	leaving                    // the barrier is open, earlier instructions drain
	over                       // ended
)

type warpSlot struct {
	w            simt.Warp
	regs         []regState
	earliest     int64 // no issue before this cycle: order, barrier, start
	resolved     int64 // nor before this one, of control instructions (frontend)
	since        int64 // start of the current wait, for observers
	index        int64 // of the next dynamic instruction
	accesses     int64 // global accesses issued, with caches
	first        int64 // cycle of the first one
	maxComplete  int64
	pc           int32
	undispatched int32
	group        int32 // drain group, -1 none
	sched        int32
	local        int32 // slot within its scheduler
	slot         int32 // of its block
	state        warpState
	reason       Reason
}

type blockSlot struct {
	b            simt.Block
	start        int64
	end          int64 // never while unknown
	maxComplete  int64
	live         int // warps not over
	waiting      int // warps at a barrier
	undispatched int
	accesses     int // global accesses that are not answered, with caches
}

type scheduler struct {
	policy.Picker
	turns policy.TurnPicker // the picker, if it is one
	policy.Candidates
	sets     [][]uint64 // ready warps, by unit kind where queues can refuse
	readyN   int
	union    []uint64          // the sets whose unit accepts
	count    [NumReasons]int32 // warps by what they wait for
	offered  uint64            // unit kinds whose ready warps the policy could choose from
	withheld bool
	flush    []uint64 // warps whose buffer holds what is not executed next (pipeline)
	flushN   int
}

// drainGroup is the warps that leave one draining barrier.
type drainGroup struct {
	pending int32 // instructions of theirs not yet dispatched
	open    int64
	warps   []int32
}

func newBase(p *plan, m model, sm, sets int) smBase {
	s := smBase{plan: p, model: m, sm: sm, now: -1, wheel: newWheel(p.slots), issuing: -1, endMin: never}
	s.warp = make([]warpSlot, p.slots)
	regs := make([]regState, p.slots*p.registers)
	s.block = make([]blockSlot, p.cfg.BlocksPerSM)
	s.sched = make([]scheduler, p.schedulers)
	locals := (p.slots + p.schedulers - 1) / p.schedulers
	words := (locals + 63) / 64
	for i := range s.sched {
		c := &s.sched[i]
		c.Picker = p.cfg.policy.Picker(sm, i)
		c.turns, _ = c.Picker.(policy.TurnPicker)
		c.Age, c.Issued = make([]int64, locals), make([]int64, locals)
		c.Turn, c.union, c.flush = make([]uint64, words), make([]uint64, words), make([]uint64, words)
		c.First, c.Stride = i, p.schedulers
		for range sets {
			c.sets = append(c.sets, make([]uint64, words))
		}
	}
	for i := range s.warp {
		w := &s.warp[i]
		w.regs = regs[i*p.registers : (i+1)*p.registers]
		w.sched, w.local, w.slot = int32(i%p.schedulers), int32(i/p.schedulers), int32(i/p.warps)
		w.group = -1
		w.reason = Idle
		s.sched[w.sched].count[Idle]++
	}
	n := len(p.cfg.Machine.Units)
	s.n.unitInstructions, s.n.unitInitiation = make([]int64, n), make([]int64, n)
	for _, o := range p.cfg.Observers {
		if w, ok := o.(AccessObserver); ok {
			s.watchers = append(s.watchers, w)
		}
		if w, ok := o.(PathObserver); ok {
			s.paths = append(s.paths, w)
		}
	}
	return s
}

func (s *smBase) stats() *counters { return &s.n }

func (s *smBase) path() *ldst { return s.mem }

func (s *smBase) attach(mem *memory.System) (err error) {
	s.mem, err = newLDST(s, mem)
	return err
}

func (s *smBase) resident() []simt.Block {
	var bs []simt.Block
	for i := range s.block {
		if s.block[i].b != nil {
			bs = append(bs, s.block[i].b)
		}
	}
	return bs
}

// settle implements core.
func (s *smBase) settle(t int64) []endedBlock {
	s.ended = s.ended[:0]
	if t > s.now {
		if idle := t - s.now - 1; idle > 0 {
			s.stall(s.now+1, t)
		}
		if len(s.observers) > 0 {
			s.completions.flush(s.observers, t)
		}
		s.now = t
		for w := s.wheel.advance(t); w >= 0; {
			following := s.wheel.next[w]
			s.model.wake(w, t)
			w = following
		}
	}
	if t < s.endMin {
		return nil
	}
	s.endMin = never
	for slot := range s.block {
		b := &s.block[slot]
		switch {
		case b.b == nil:
		case b.end <= t:
			s.retire(slot)
		default:
			s.endMin = min(s.endMin, b.end)
		}
	}
	return s.ended
}

// stall accounts for cycles [from, to) in which nothing happened.
func (s *smBase) stall(from, to int64) {
	for i := range s.sched {
		s.stallOne(i, from, to)
	}
}

func (s *smBase) stallOne(i int, from, to int64) {
	r := s.model.stalled(i)
	s.n.stalls[r] += to - from
	if len(s.observers) > 0 {
		for _, o := range s.observers {
			o.Stall(StallEvent{SM: s.sm, Scheduler: i, FromCycle: from, ToCycle: to, Reason: r})
		}
	}
}

// stallOrder is which reason names a stalled scheduler when its warps wait for
// different things: the one nearest to issue.
var stallOrder = [...]Reason{Refetch, Fetching, ICacheMiss, ChannelFull, MemoryRAW, AwaitsTurn, DataRAW, BranchUnresolved, AtFence, AtBarrier, Starting, Draining, Inactive}

// stalled implements model.
func (s *smBase) stalled(i int) Reason {
	c := &s.sched[i]
	if c.readyN > 0 {
		if c.withheld {
			return Withheld
		}
		return UnitBusy
	}
	return c.waitReason()
}

// waitReason is what the warps that are not ready wait for.
func (c *scheduler) waitReason() Reason {
	for _, r := range stallOrder {
		if c.count[r] > 0 {
			return r
		}
	}
	return Idle
}

// readyAt is the cycle from which the operands and the order let the next
// instruction of a warp issue, never while that is not known, and what it waits
// for until then.
func (s *smBase) readyAt(w *warpSlot) (int64, Reason) {
	at, reason := w.earliest, w.reason
	if w.resolved > at {
		at, reason = w.resolved, BranchUnresolved
	}
	code := &s.code[w.pc]
	for _, r := range s.regs[code.waits:code.waitsEnd] {
		if x := &w.regs[r]; x.ready > at {
			at = x.ready
			reason = DataRAW
			if x.memory {
				reason = MemoryRAW
			}
			if at == never {
				break
			}
		}
	}
	if s.fences {
		switch {
		case code.kind == isa.Fence && s.block[w.slot].accesses > 0:
			return never, AtFence
		case w.reason == AtFence:
			at = max(at, s.now) // the last access was answered now
		}
	}
	if s.mem != nil && s.mem.order != nil {
		return s.readyInOrder(w, at, reason)
	}
	return at, reason
}

// answered evaluates in cycle t the warps of a block that wait at fences, its last
// access being answered.
func (s *smBase) answered(slot int32, t int64) {
	for i := slot * int32(s.warps); i < (slot+1)*int32(s.warps); i++ {
		if w := &s.warp[i]; w.state == blocked && s.code[w.pc].kind == isa.Fence {
			s.model.evaluate(i, t)
		}
	}
}

// readyInOrder is what a reordering unit makes of what readyAt found.
func (s *smBase) readyInOrder(w *warpSlot, at int64, reason Reason) (int64, Reason) {
	i := int32(w.local)*int32(s.schedulers) + w.sched
	switch {
	case s.code[w.pc].global && s.mem.order.full(i):
		return never, ChannelFull
	case at == never && reason == MemoryRAW && s.mem.order.awaitsTurn(i):
		return never, AwaitsTurn
	case w.reason == ChannelFull:
		return max(at, s.now), reason // the entry came free now
	}
	return at, reason
}

// addReady puts a warp into ready set number set, from cycle t on.
func (s *smBase) addReady(i int32, set int, t int64) {
	w := &s.warp[i]
	s.setReason(i, Selected, t)
	w.state = ready
	c := &s.sched[w.sched]
	c.sets[set][w.local>>6] |= 1 << (w.local & 63)
	c.readyN++
	c.withheld = false
}

// dropReady takes a warp out of ready set number set.
func (s *smBase) dropReady(i int32, set int) {
	w := &s.warp[i]
	c := &s.sched[w.sched]
	c.sets[set][w.local>>6] &^= 1 << (w.local & 63)
	c.readyN--
}

// start implements core.
func (s *smBase) start(t int64, slot int, b simt.Block) error {
	ws := b.Warps()
	if len(ws) != s.warps {
		return fmt.Errorf("%w: block %d has %d warps, expected %d", ErrConfig, b.Index(), len(ws), s.warps)
	}
	s.block[slot] = blockSlot{b: b, start: t, end: never, maxComplete: t, live: len(ws)}
	s.n.blocks++
	s.n.resident(t, int64(len(ws)))
	if s.mem != nil && s.mem.order != nil {
		s.mem.order.admit(b.Index())
	}
	for _, o := range s.observers {
		o.BlockStart(BlockEvent{SM: s.sm, Slot: slot, Block: b.Index(), Cycle: t})
	}
	for j := range ws {
		i := int32(slot*s.warps + j)
		w := &s.warp[i]
		clear(w.regs)
		w.w, w.earliest, w.since, w.index, w.accesses, w.maxComplete = ws[j], t+s.startDelay+int64(j)*s.startGap, t, 0, 0, t
		w.resolved, w.first = 0, t
		c := &s.sched[w.sched]
		c.Age[w.local] = s.n.blocks*int64(s.warps) + int64(j)
		c.Issued[w.local] = 0
		if ws[j].Status() != simt.Ready {
			w.state = inactive
			s.setReason(i, Inactive, t)
			s.setTurn(w, false)
			continue
		}
		w.state = blocked
		s.setReason(i, Starting, t)
		s.setTurn(w, true)
		s.work = append(s.work, i)
	}
	return s.goOn(t)
}

func (s *smBase) retire(slot int) {
	b := &s.block[slot]
	e := endedBlock{slot: slot, block: b.b.Index(), start: b.start, end: b.end}
	for j := range s.warps {
		i := int32(slot*s.warps + j)
		w := &s.warp[i]
		if s.cfg.KeepWarps {
			e.warps = append(e.warps, WarpTime{StartCycle: w.first, EndCycle: w.maxComplete, Instructions: w.index})
		}
		s.setReason(i, Idle, b.end)
		w.state, w.w = absent, nil
	}
	for _, o := range s.observers {
		o.BlockEnd(BlockEvent{SM: s.sm, Slot: slot, Block: e.block, Cycle: b.end})
	}
	b.b.Release()
	b.b = nil
	if s.mem != nil && s.mem.order != nil {
		s.mem.order.retire(e.block)
	}
	s.ended = append(s.ended, e)
}

// finish implements core.
func (s *smBase) finish(t int64) {
	if t > s.now+1 {
		s.stall(s.now+1, t)
	}
	s.now = t
	s.n.resident(t, 0)
	if len(s.observers) > 0 {
		s.completions.flush(s.observers, t)
	}
}

// setReason changes what a warp waits for from cycle t on.
func (s *smBase) setReason(i int32, r Reason, t int64) {
	w := &s.warp[i]
	if len(s.observers) > 0 && t > w.since {
		if w.state != absent && w.reason != Idle {
			for _, o := range s.observers {
				o.Wait(WaitEvent{Place: s.place(i), FromCycle: w.since, ToCycle: t, Reason: w.reason})
			}
		}
		w.since = t
	}
	c := &s.sched[w.sched].count
	c[w.reason]--
	c[r]++
	w.reason = r
}

func (s *smBase) place(i int32) Place {
	w := &s.warp[i]
	p := Place{SM: s.sm, Scheduler: int(w.sched), Warp: int(i) - int(w.slot)*s.warps, Slot: int(i)}
	if b := s.block[w.slot].b; b != nil {
		p.Block = b.Index()
	}
	return p
}
