package sim

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/simt"
)

// abstractSM is one SM of the model the bounds are proved for
// (docs/soundness.md, section 1). A cycle has two stages, issue by each
// scheduler in order, then dispatch by each unit in order.
//
// A warp that cannot issue is not looked at: it sits in the wheel until a known
// cycle, or waits for one of its own instructions to be dispatched, which makes
// the cycle known, or for a barrier.
type abstractSM struct {
	*plan
	sm  int
	now int64 // the cycle the SM has been brought to

	warp   []absWarp
	block  []absBlock
	sched  []absScheduler
	unit   []absUnit
	unitOf []int32 // first instance of a unit kind; private units have one per scheduler
	wheel  *wheel

	entries []entry // instructions issued and not dispatched, and free entries
	free    int32   // first free entry, linked by next
	work    []int32 // warps that may go on
	issuing int32   // the warp that issues in this cycle, -1 outside its issue

	groups     []drainGroup
	freeGroups []int32
	leave      []int32 // warps that leave a barrier

	choose      chooser
	cands       []int32 // candidates of a dispatch choice
	candSlots   []int32
	seen        []uint64 // warps already among the candidates
	endMin      int64    // earliest known end of a resident block
	ended       []endedBlock
	n           counters
	step1       simt.Step
	request     Request
	completions completionQueue
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
	leaving                    // the barrier is open, earlier instructions drain
	over                       // ended
)

type absWarp struct {
	w            simt.Warp
	regs         []regState
	earliest     int64 // no issue before this cycle: order, barrier, start
	since        int64 // start of the current wait, for observers
	index        int64 // of the next dynamic instruction
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

type absBlock struct {
	b            simt.Block
	start        int64
	end          int64 // never while unknown
	maxComplete  int64
	live         int // warps not over
	waiting      int // warps at a barrier
	undispatched int
}

type absScheduler struct {
	picker
	candidates
	sets     [][]uint64 // ready warps, by unit kind where queues can refuse
	readyN   int
	union    []uint64          // the sets whose unit accepts
	count    [NumReasons]int32 // warps by what they wait for
	withheld bool
}

type absUnit struct {
	freeAt     []int64 // by server
	head, tail int32   // waiting entries in issue order, -1 none
	waiting    int
	kind       int32
}

type entry struct {
	warp, pc, unit, next int32
	index                int64
	initiation, latency  int64
	transactions         int32
	space                isa.Space
	segments             []uint64
}

// drainGroup is the warps that leave one draining barrier.
type drainGroup struct {
	pending int32 // instructions of theirs not yet dispatched
	open    int64
	warps   []int32
}

func newAbstractSM(p *plan, sm int) *abstractSM {
	s := &abstractSM{plan: p, sm: sm, now: -1, wheel: newWheel(p.slots), free: -1, issuing: -1, endMin: never, choose: newChooser(p.cfg.DispatchOrder, sm)}
	s.warp = make([]absWarp, p.slots)
	regs := make([]regState, p.slots*p.registers)
	s.block = make([]absBlock, p.cfg.BlocksPerSM)
	s.seen = make([]uint64, (p.slots+63)/64)
	s.sched = make([]absScheduler, p.schedulers)
	locals := (p.slots + p.schedulers - 1) / p.schedulers
	words := (locals + 63) / 64
	units := p.cfg.Machine.Units
	nsets := 1
	if p.cfg.Machine.Queue != gpu.Unbounded {
		nsets = len(units)
	}
	for i := range s.sched {
		c := &s.sched[i]
		c.picker = p.cfg.Policy.picker(sm, i)
		c.age, c.issued = make([]int64, locals), make([]int64, locals)
		c.turn, c.union = make([]uint64, words), make([]uint64, words)
		c.first, c.stride = i, p.schedulers
		for range nsets {
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
	for kind := range units {
		s.unitOf = append(s.unitOf, int32(len(s.unit)))
		n := p.schedulers
		if units[kind].Shared {
			n = 1
		}
		for range n {
			s.unit = append(s.unit, absUnit{freeAt: make([]int64, units[kind].Count), head: -1, tail: -1, kind: int32(kind)})
		}
	}
	s.n.unitInstructions, s.n.unitInitiation = make([]int64, len(units)), make([]int64, len(units))
	return s
}

func (s *abstractSM) stats() *counters { return &s.n }

func (s *abstractSM) resident() []simt.Block {
	var bs []simt.Block
	for i := range s.block {
		if s.block[i].b != nil {
			bs = append(bs, s.block[i].b)
		}
	}
	return bs
}

// settle implements core.
func (s *abstractSM) settle(t int64) []endedBlock {
	s.ended = s.ended[:0]
	if t > s.now {
		if idle := t - s.now - 1; idle > 0 {
			s.stall(s.now+1, t)
		}
		if s.observed {
			s.completions.flush(s.cfg.Observers, t)
		}
		s.now = t
		for w := s.wheel.advance(t); w >= 0; {
			following := s.wheel.next[w]
			s.makeReady(w, t)
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
func (s *abstractSM) stall(from, to int64) {
	for i := range s.sched {
		s.stallOne(i, from, to)
	}
}

func (s *abstractSM) stallOne(i int, from, to int64) {
	r := s.sched[i].stallReason()
	s.n.stalls[r] += to - from
	if s.observed {
		for _, o := range s.cfg.Observers {
			o.Stall(StallEvent{SM: s.sm, Scheduler: i, FromCycle: from, ToCycle: to, Reason: r})
		}
	}
}

// stallOrder is which reason names a stalled scheduler when its warps wait for
// different things: the one nearest to issue.
var stallOrder = [...]Reason{MemoryRAW, DataRAW, AtBarrier, Starting, Draining}

func (c *absScheduler) stallReason() Reason {
	if c.readyN > 0 {
		if c.withheld {
			return Withheld
		}
		return UnitBusy
	}
	for _, r := range stallOrder {
		if c.count[r] > 0 {
			return r
		}
	}
	return Idle
}

// setReason changes what a warp waits for from cycle t on.
func (s *abstractSM) setReason(i int32, r Reason, t int64) {
	w := &s.warp[i]
	if s.observed && t > w.since {
		if w.state != absent && w.reason != Idle {
			for _, o := range s.cfg.Observers {
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

func (s *abstractSM) place(i int32) Place {
	w := &s.warp[i]
	p := Place{SM: s.sm, Scheduler: int(w.sched), Warp: int(i) - int(w.slot)*s.warps, Slot: int(i)}
	if b := s.block[w.slot].b; b != nil {
		p.Block = b.Index()
	}
	return p
}

func (s *abstractSM) makeReady(i int32, t int64) {
	w := &s.warp[i]
	s.setReason(i, Selected, t)
	w.state = ready
	c := &s.sched[w.sched]
	c.sets[s.setOf(w.pc)][w.local>>6] |= 1 << (w.local & 63)
	c.readyN++
}

func (s *abstractSM) setOf(pc int32) int32 {
	if s.cfg.Machine.Queue == gpu.Unbounded {
		return 0
	}
	return s.timing[pc].Unit
}

// start implements core.
func (s *abstractSM) start(t int64, slot int, b simt.Block) error {
	ws := b.Warps()
	if len(ws) != s.warps {
		return fmt.Errorf("%w: block %d has %d warps, expected %d", ErrConfig, b.Index(), len(ws), s.warps)
	}
	s.block[slot] = absBlock{b: b, start: t, end: never, maxComplete: t, live: len(ws)}
	s.n.blocks++
	s.n.resident(t, int64(len(ws)))
	for _, o := range s.cfg.Observers {
		o.BlockStart(BlockEvent{SM: s.sm, Slot: slot, Block: b.Index(), Cycle: t})
	}
	for j := range ws {
		i := int32(slot*s.warps + j)
		w := &s.warp[i]
		clear(w.regs)
		w.w, w.earliest, w.since, w.index, w.maxComplete = ws[j], t+s.startDelay, t, 0, t
		w.state = blocked
		s.setReason(i, Starting, t)
		c := &s.sched[w.sched]
		c.age[w.local] = s.n.blocks*int64(s.warps) + int64(j)
		c.issued[w.local] = 0
		c.turn[w.local>>6] |= 1 << (w.local & 63)
		s.work = append(s.work, i)
	}
	return s.goOn(t)
}

func (s *abstractSM) retire(slot int) {
	b := &s.block[slot]
	e := endedBlock{slot: slot, block: b.b.Index(), start: b.start, end: b.end}
	for j := range s.warps {
		i := int32(slot*s.warps + j)
		w := &s.warp[i]
		if s.cfg.KeepWarps {
			e.warps = append(e.warps, WarpTime{EndCycle: w.maxComplete, Instructions: w.index})
		}
		s.setReason(i, Idle, b.end)
		w.state, w.w = absent, nil
	}
	for _, o := range s.cfg.Observers {
		o.BlockEnd(BlockEvent{SM: s.sm, Slot: slot, Block: e.block, Cycle: b.end})
	}
	b.b.Release()
	b.b = nil
	s.ended = append(s.ended, e)
}

// step implements core.
func (s *abstractSM) step(t int64) (int64, error) {
	for i := range s.sched {
		if err := s.issueStage(i, t); err != nil {
			return 0, err
		}
	}
	for u := range s.unit {
		if s.unit[u].waiting > 0 {
			if err := s.dispatchStage(u, t); err != nil {
				return 0, err
			}
		}
	}
	return s.nextEvent(t), nil
}

// nextEvent is the next cycle at which something can happen.
func (s *abstractSM) nextEvent(t int64) int64 {
	limited := s.cfg.Machine.Queue != gpu.Unbounded
	n := never
	for i := range s.sched {
		c := &s.sched[i]
		if c.readyN == 0 {
			continue
		}
		if !limited {
			if !c.withheld {
				return t + 1
			}
			continue
		}
		for kind, set := range c.sets {
			if !anyBit(set) {
				continue
			}
			u := s.instance(int32(kind), i)
			if !s.accepts(u, t+1) {
				n = min(n, s.nextFree(u, t))
			} else if !c.withheld {
				return t + 1
			}
		}
	}
	for u := range s.unit {
		if s.unit[u].waiting > 0 {
			n = min(n, s.unit[u].firstFree())
		}
	}
	return max(t+1, min(n, s.wheel.nextEvent(), s.endMin))
}

// nextFree is when unit u may accept again after refusing in cycle t+1.
func (s *abstractSM) nextFree(u int32, t int64) int64 {
	if s.cfg.Machine.Queue != gpu.Pooled {
		return s.unit[u].firstFree()
	}
	n := never
	for i := range s.unit {
		for _, f := range s.unit[i].freeAt {
			if f > t {
				n = min(n, f)
			}
		}
	}
	return n
}

func (s *abstractSM) instance(kind int32, sched int) int32 {
	u := s.unitOf[kind]
	if s.cfg.Machine.Units[kind].Shared {
		return u
	}
	return u + int32(sched)
}

func (u *absUnit) firstFree() int64 {
	f := u.freeAt[0]
	for _, x := range u.freeAt[1:] {
		f = min(f, x)
	}
	return f
}

func (u *absUnit) freeServers(t int64) int {
	n := 0
	for _, f := range u.freeAt {
		if f <= t {
			n++
		}
	}
	return n
}

// accepts tells whether an instruction can be issued to unit u in cycle t.
// Instructions the unit starts in that same cycle do not count as waiting.
func (s *abstractSM) accepts(u int32, t int64) bool {
	x := &s.unit[u]
	free := x.freeServers(t)
	switch s.cfg.Machine.Queue {
	case gpu.NoQueue:
		return x.waiting < free
	case gpu.Slots:
		return x.waiting < free+s.cfg.Machine.Slots
	case gpu.Pooled:
		if x.waiting < free {
			return true
		}
		left := s.cfg.Machine.Slots
		for i := range s.unit {
			if s.unit[i].waiting > 0 {
				left -= max(0, s.unit[i].waiting-s.unit[i].freeServers(t))
			}
		}
		return left > 0
	}
	return true
}

func anyBit(set []uint64) bool {
	for _, m := range set {
		if m != 0 {
			return true
		}
	}
	return false
}

func bitCount(set []uint64) int {
	n := 0
	for _, m := range set {
		n += bits.OnesCount64(m)
	}
	return n
}

// finish implements core.
func (s *abstractSM) finish(t int64) {
	if t > s.now+1 {
		s.stall(s.now+1, t)
	}
	s.now = t
	s.n.resident(t, 0)
	if s.observed {
		s.completions.flush(s.cfg.Observers, t)
	}
}

// check implements core.
func (s *abstractSM) check() error {
	var errs []error
	for i := range s.unit {
		if s.unit[i].waiting != 0 {
			errs = append(errs, fmt.Errorf("%d instructions wait for unit %s", s.unit[i].waiting, s.cfg.Machine.Units[s.unit[i].kind].Name))
		}
	}
	for i := range s.sched {
		c := &s.sched[i]
		ready := 0
		for _, set := range c.sets {
			ready += bitCount(set)
		}
		if ready != 0 || c.readyN != 0 || int(c.count[Idle]) != (s.slots-i+s.schedulers-1)/s.schedulers {
			errs = append(errs, fmt.Errorf("scheduler %d: %d ready warps, %d counted, %d idle slots", i, ready, c.readyN, c.count[Idle]))
		}
	}
	if s.wheel.count != 0 {
		errs = append(errs, fmt.Errorf("%d warps still to wake", s.wheel.count))
	}
	freeEntries := 0
	for e := s.free; e >= 0; e = s.entries[e].next {
		freeEntries++
	}
	if freeEntries != len(s.entries) {
		errs = append(errs, fmt.Errorf("%d of %d queue entries returned", freeEntries, len(s.entries)))
	}
	return errors.Join(errs...)
}
