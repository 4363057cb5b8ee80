package sim

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/sim/fifo"
	"github.com/warpbound/warpbound/internal/sim/memory"
	"github.com/warpbound/warpbound/internal/sim/sectors"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// ldst is the way of an SM's global accesses from the load/store units to the
// L1D and back. An access is one warp instruction, of one request for every
// sector it touches. Requests reach the tags in order, at most one a bank and
// cycle; the access whose turn it is keeps the way until its last request has
// passed:
//
//	dynamic  accesses take turns as the load/store units start them, and a unit
//	         is busy until its access has passed
//	reorder  accesses wait in the channels of their warps, and the turn is that
//	         of the access the order expects (reorder.go)
//
// Tags change when a request reaches them, in the order of arrival, so that hits
// and misses depend on the order alone. What the request then needs, it waits
// for, and everything behind it: a line to be replaced that is still on its way,
// an MSHR, room to merge.
type ldst struct {
	sm    *smBase
	mem   *memory.System
	l1d   *gpu.L1D
	tags  *cache.Cache
	index int32 // of the SM

	hitCycles   int64 // from the tags to a dependent issue
	fillCycles  int64 // from the arrival of a sector to a dependent issue
	sectorShift uint
	lineSectors uint64 // sectors of a line
	bankMask    uint64

	access     []memAccess
	freeAccess int32
	turn       fifo.Queue[int32] // dynamic: accesses that wait for the tags
	order      *reorder

	mshr        []mshr
	freeMSHR    int32
	mshrsInUse  int
	pending     sectors.Table // sectors that have an MSHR
	waiters     []waiter
	freeWaiter  int32
	inbox       fifo.Queue[answer]
	outstanding int64 // requests not answered

	stuck      bool // the request at the tags waits for an arrival
	stuckCause waitCause
	stuckSince int64

	use L1DUse
}

// memAccess is a global access of a warp instruction.
type memAccess struct {
	warp, pc int32
	entry    int32 // what the model knows it by; the next free access
	unit     int32 // what the model knows the busy unit by
	kind     isa.Kind
	uncached bool  // a load that passes the tags
	index    int64 // among the warp's global accesses
	segs     []uint64
	since    int64 // when its unit started it
	sent     int
	open     int // requests sent whose completion is not known
	complete int64
	// The request at the tags: whether it has been looked up, and what that said.
	looked bool
	class  AccessClass
	res    cache.Result
}

// answer is a response and the cycle in which it is there.
type answer struct {
	cycle int64
	token int32
	kind  memory.Kind
}

// waitCause is what a request at the tags waits for.
type waitCause uint8

const (
	forVictim waitCause = iota
	forMSHR
	forMerge
	numCauses
)

var causeNames = [numCauses]string{"victim", "mshr", "merge"}

func (c waitCause) String() string { return causeNames[c] }

func newLDST(s *smBase, mem *memory.System) (*ldst, error) {
	d := s.cfg.Machine.Desc
	l := d.L1D
	m := &ldst{
		sm: s, mem: mem, l1d: l, index: int32(s.sm), freeAccess: -1, freeMSHR: -1, freeWaiter: -1,
		sectorShift: uint(bits.TrailingZeros64(uint64(l.SectorBytes))), lineSectors: uint64(l.LineBytes / l.SectorBytes), bankMask: uint64(l.Banks - 1),
		pending: sectors.New(min(l.MSHRs, 1024)),
	}
	var err error
	if m.tags, err = cache.New(cache.OfL1D(l)); err != nil {
		return nil, fmt.Errorf("l1d: %w", err)
	}
	m.hitCycles, m.fillCycles = l.HitLatencyCycles+1, 1
	if s.cfg.model != Pipeline {
		depth := d.Issue.DependencyDepthCycles
		m.hitCycles, m.fillCycles = max(1, l.HitLatencyCycles+depth), max(1, depth)
	}
	if s.cfg.caches.Order != nil {
		m.order = newReorder(m, d.LDSTPath)
	}
	return m, nil
}

// issue makes an access of the step that warp i just executed; -1 where the
// step made none. index is the number of the access.
func (m *ldst) issue(i, pc int32, kind isa.Kind, step *simt.Step) int32 {
	if step.Exec == 0 || step.Space != isa.Global {
		return -1
	}
	a := m.freeAccess
	if a < 0 {
		m.access = append(m.access, memAccess{})
		a = int32(len(m.access) - 1)
	} else {
		m.freeAccess = m.access[a].entry
	}
	x := &m.access[a]
	w := &m.sm.warp[i]
	*x = memAccess{warp: i, pc: pc, kind: kind, uncached: m.sm.code[pc].uncached, index: w.accesses, segs: step.AppendSegments(x.segs[:0], int64(m.l1d.SectorBytes))}
	w.accesses++
	m.sm.block[w.slot].accesses++
	if m.order != nil && m.order.hold {
		m.order.used[i]++
	}
	return a
}

// start takes access a from its unit in cycle t and returns when the unit is
// free, never while that is not known: the model hears of it by unitFree.
func (m *ldst) start(a int32, t int64, entry, unit int32) int64 {
	x := &m.access[a]
	x.entry, x.unit, x.since = entry, unit, t
	m.use.Accesses++
	if m.order != nil {
		return m.order.enter(a, t)
	}
	m.turn.Push(a)
	return never
}

// least is for how many cycles access a keeps its unit busy at least, in every
// order.
func (m *ldst) least(a int32) int64 {
	banks := m.bankMask + 1
	return int64((uint64(len(m.access[a].segs)) + banks - 1) / banks)
}

// release frees the unit of access a from a cycle on that was not known when it
// started.
func (m *ldst) release(a int32, at int64) {
	x := &m.access[a]
	m.sm.n.unitInitiation[m.sm.timing[x.pc].Unit] += at - x.since - m.least(a)
	m.sm.model.unitFree(x.unit, at)
	for _, o := range m.sm.paths {
		o.Release(ReleaseEvent{SM: m.sm.sm, Unit: int(m.sm.timing[x.pc].Unit), Server: m.sm.model.server(x.unit), Cycle: at})
	}
}

// step lets requests reach the tags in cycle t.
func (m *ldst) step(t int64) error {
	if m.stuck {
		return nil
	}
	a := int32(-1)
	if m.order != nil {
		var err error
		if a, err = m.order.expected(); err != nil {
			return fmt.Errorf("%w: cycle %d: SM %d: %w", ErrAccessOrder, t, m.index, err)
		}
	} else if !m.turn.Empty() {
		a = *m.turn.First()
	}
	if a < 0 {
		return nil
	}
	x := &m.access[a]
	for busy := uint64(0); ; {
		seg := x.segs[x.sent]
		bank := uint64(1) << (seg >> m.sectorShift & m.bankMask)
		if busy&bank != 0 {
			return nil
		}
		busy |= bank
		if !m.pass(a, seg, t) {
			return nil
		}
		x = &m.access[a]
		x.looked = false
		if x.sent++; x.sent == len(x.segs) {
			m.passed(a, t)
			return nil
		}
	}
}

// passed ends the turn of access a, whose last request reached the tags in
// cycle t.
func (m *ldst) passed(a int32, t int64) {
	x := &m.access[a]
	warp := x.warp
	if m.order == nil {
		m.turn.Pop()
		m.release(a, t+1)
	} else {
		m.order.sent(a, t)
	}
	// A warp that leaves a draining barrier when the access finishes goes on by
	// itself.
	w := &m.sm.warp[warp]
	blockedBefore := w.state == blocked
	if m.access[a].open == 0 {
		m.finish(a, t)
	}
	if m.order != nil && blockedBefore && w.state == blocked {
		m.sm.model.evaluate(warp, t)
	}
}

// pass brings the next request of access a to the tags. It returns false where
// the request has to wait.
func (m *ldst) pass(a int32, seg uint64, t int64) bool {
	x := &m.access[a]
	sector := seg >> m.sectorShift
	if !x.looked {
		x.looked = true
		m.look(x, seg, sector, t)
	}
	if x.res.Evicted && m.onItsWay(x.res.Victim) {
		return m.wait(forVictim, t)
	}
	switch {
	case x.kind == isa.Atomic:
		m.request(a, t, memory.Atomic, seg)
	case x.uncached:
		m.request(a, t, memory.Uncached, seg)
	case x.kind == isa.Store && (!m.writeBack() || x.class != Hit && !m.l1d.WriteAllocate):
		m.request(a, t, memory.Write, seg)
	case x.kind == isa.Store:
		x.complete = max(x.complete, t+1)
	case x.class == Hit || x.class == HitReserved:
		if w := m.pending.Find(sector); w >= 0 {
			return m.merge(a, w, t)
		}
		x.complete = max(x.complete, t+m.hitCycles)
	default:
		if w := m.pending.Find(sector); w >= 0 {
			return m.merge(a, w, t)
		}
		if m.mshrsInUse == m.l1d.MSHRs {
			return m.wait(forMSHR, t)
		}
		w := m.newMSHR(sector)
		m.mshrsChanged(t)
		m.merge(a, w, t)
		m.outstanding++
		m.mem.Send(m.index, t, memory.Read, seg, int64(m.l1d.SectorBytes), w)
		m.use.Reads++
	}
	if x.res.WroteBack {
		for i := range m.lineSectors {
			m.mem.Send(m.index, t, memory.WriteBack, x.res.Victim+i<<m.sectorShift, int64(m.l1d.SectorBytes), -1)
		}
		m.use.WriteBacks++
	}
	return true
}

func (m *ldst) writeBack() bool { return m.l1d.Write == "back" }

// look asks the tags about a request.
func (m *ldst) look(x *memAccess, seg, sector uint64, t int64) {
	x.res = cache.Result{}
	switch {
	case x.kind == isa.Atomic || x.uncached:
		x.class = Passed
	case x.kind == isa.Store:
		x.res = m.tags.Access(seg, cache.Store)
		x.class = classOf(x.res)
	default:
		x.res = m.tags.Access(seg, cache.Load)
		x.class = classOf(x.res)
		if x.class == Hit && m.pending.Find(sector) >= 0 {
			x.class = HitReserved
		}
	}
	m.use.count(x.kind, x.class)
	if len(m.sm.watchers) == 0 {
		return
	}
	e := AccessEvent{Place: m.sm.place(x.warp), Cycle: t, PC: x.pc, Index: x.index, Request: x.sent, Requests: len(x.segs), Address: seg, Kind: x.kind, Class: x.class}
	for _, o := range m.sm.watchers {
		o.Access(e)
	}
}

func classOf(r cache.Result) AccessClass {
	switch {
	case r.Hit:
		return Hit
	case r.SectorMiss:
		return SectorMiss
	}
	return Miss
}

func (m *ldst) wait(c waitCause, t int64) bool {
	m.stuck, m.stuckCause, m.stuckSince = true, c, t
	return false
}

// request sends what is answered to the access itself.
func (m *ldst) request(a int32, t int64, kind memory.Kind, seg uint64) {
	m.access[a].open++
	m.outstanding++
	m.mem.Send(m.index, t, kind, seg, int64(m.l1d.SectorBytes), a)
	switch kind {
	case memory.Write:
		m.use.Writes++
	case memory.Uncached:
		m.use.Reads++
	}
}

// deliver notes an answer that arrives in cycle t, not before the last one.
func (m *ldst) deliver(t int64, token int32, kind memory.Kind) {
	m.inbox.Push(answer{t, token, kind})
}

// receive takes the answers that have arrived by cycle t.
func (m *ldst) receive(t int64) {
	for !m.inbox.Empty() && m.inbox.First().cycle <= t {
		r := *m.inbox.First()
		m.inbox.Pop()
		m.outstanding--
		if r.kind != memory.Read {
			at := t + m.fillCycles
			if r.kind == memory.Write {
				at = t + 1
			}
			m.answered(r.token, t, at)
			continue
		}
		h := m.mshr[r.token]
		m.pending.Remove(h.sector)
		m.mshr[r.token].first = m.freeMSHR
		m.freeMSHR = r.token
		m.mshrsInUse--
		m.mshrsChanged(t)
		if m.stuck {
			m.stuck = false
			m.use.Waits[m.stuckCause] += t - m.stuckSince
			for _, o := range m.sm.paths {
				o.TagWait(TagWaitEvent{SM: m.sm.sm, FromCycle: m.stuckSince, ToCycle: t, Cause: m.stuckCause.String()})
			}
		}
		for n := h.first; n >= 0; {
			w := m.waiters[n]
			m.waiters[n].next = m.freeWaiter
			m.freeWaiter = n
			m.answered(w.access, t, t+m.fillCycles)
			n = w.next
		}
	}
}

// answered notes in cycle t that a request of access a completes in a cycle.
func (m *ldst) answered(a int32, t, complete int64) {
	x := &m.access[a]
	x.complete = max(x.complete, complete)
	if x.open--; x.open == 0 && x.sent == len(x.segs) {
		m.finish(a, t)
	}
}

// finish hands access a, all of whose requests are answered, to the model.
func (m *ldst) finish(a int32, t int64) {
	x := &m.access[a]
	entry, complete := x.entry, x.complete
	slot := m.sm.warp[x.warp].slot
	x.entry = m.freeAccess
	m.freeAccess = a
	b := &m.sm.block[slot]
	b.accesses--
	m.sm.model.accessDone(entry, t, complete)
	if m.sm.fences && b.accesses == 0 {
		m.sm.answered(slot, t)
	}
}

// nextEvent is the next cycle after t in which something happens here.
func (m *ldst) nextEvent(t int64) int64 {
	n := never
	if !m.inbox.Empty() {
		n = max(t+1, m.inbox.First().cycle)
	}
	if m.stuck {
		return n
	}
	if m.order == nil && !m.turn.Empty() || m.order != nil && m.order.ready() {
		return t + 1
	}
	return n
}

// check verifies that nothing is left over after a complete run.
func (m *ldst) check() error {
	var errs []error
	if !m.turn.Empty() || !m.inbox.Empty() || m.mshrsInUse != 0 || m.outstanding != 0 || m.pending.Len() != 0 || m.stuck {
		errs = append(errs, fmt.Errorf("%d accesses before the L1D, %d answers, %d MSHRs and %d requests left", m.turn.Len(), m.inbox.Len(), m.mshrsInUse, m.outstanding))
	}
	free := 0
	for a := m.freeAccess; a >= 0; a = m.access[a].entry {
		free++
	}
	if free != len(m.access) {
		errs = append(errs, fmt.Errorf("%d of %d accesses returned", free, len(m.access)))
	}
	u := &m.use
	if classes := u.Hits + u.HitsReserved + u.Misses + u.Atomics + u.Uncached; u.Loads+u.Stores+u.Atomics != classes {
		errs = append(errs, fmt.Errorf("%d requests and %d classes at the L1D", u.Loads+u.Stores+u.Atomics, classes))
	}
	if m.order != nil {
		errs = append(errs, m.order.check())
	}
	return errors.Join(errs...)
}
