package sim

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/internal/simt"
)

// issueStage lets scheduler i issue in cycle t.
func (s *abstractSM) issueStage(i int, t int64) error {
	c := &s.sched[i]
	c.withheld, c.Now = false, t
	issued := 0
	for issued < s.perCycle && c.readyN > 0 {
		c.Ready = s.eligible(i, t)
		if c.Ready == nil {
			break
		}
		local, err := c.Pick(&c.Candidates)
		if err != nil {
			return err
		}
		if local < 0 {
			c.withheld = true
			break
		}
		c.IssuedFrom(local, &c.Candidates)
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
	c.offered = 0
	for kind, set := range c.sets {
		if slotset.Any(set) && s.accepts(s.instance(int32(kind), i), i, t) {
			c.offered |= 1 << kind
			for w := range set {
				c.union[w] |= set[w]
			}
		}
	}
	if c.offered == 0 {
		return nil
	}
	return c.union
}

// issue executes the next instruction of warp i and puts it before its unit.
func (s *abstractSM) issue(i int32, t int64) error {
	w := &s.warp[i]
	pc := w.pc
	s.dropReady(i, s.setOf(pc))
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
	x.access = -1
	if code := &s.code[pc]; code.global {
		x.access = s.mem.issue(i, pc, code.kind, step)
	}
	if x.access < 0 && tm.Transactions != gpu.OneTransaction {
		x.transactions = int32(s.transactions(tm, step))
		x.initiation = tm.Initiation(int(x.transactions))
	} else {
		x.transactions = 1
	}
	if s.cfg.times.Stage != nil && step.WidthBytes > 0 {
		x.space = step.Space
		x.segments = step.AppendSegments(x.segments[:0], s.segmentBytes)
	}
	if s.cfg.times.Shorten != nil {
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
	u.waitingOf[w.sched]++
	w.undispatched++
	s.block[w.slot].undispatched++
	code := &s.code[pc]
	for _, r := range s.regs[code.writes:code.writesEnd] {
		w.regs[r] = regState{ready: never, writer: e, memory: code.memory}
	}
	s.n.issued++
	s.sched[w.sched].Issued[w.local]++
	w.earliest = t + 1
	if s.resolveCycles > 0 && (code.control || step.NextPC != pc+1 || w.w.Status() != simt.Ready) {
		w.resolved = t + s.resolveCycles
	}
	s.issuing = i
	s.afterStep(i, t)
	err := s.goOn(t)
	s.turnAfter(i, pc)
	s.issuing = -1
	return err
}

func (s *abstractSM) shorten(x *entry, w *warpSlot) {
	p := s.place(x.warp)
	init, lat := s.cfg.times.Shorten(Shortening{Block: p.Block, Warp: p.Warp, Index: x.index, PC: x.pc, InitiationCycles: x.initiation, LatencyCycles: x.latency})
	x.initiation = min(max(init, 1), x.initiation)
	x.latency = min(max(lat, 0), x.latency)
}

// evaluate implements model.
func (s *abstractSM) evaluate(i int32, t int64) {
	w := &s.warp[i]
	at, reason := s.readyAt(w)
	switch {
	case at == never:
		w.state = blocked
		s.setReason(i, reason, max(t, w.since))
	case at <= t || at == t+1 && s.perCycle == 1 && s.issuing == i:
		s.addReady(i, s.setOf(w.pc), at)
	default:
		w.state = waking
		s.setReason(i, reason, max(t, w.since))
		s.wheel.add(i, at)
	}
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
		s.serving = int32(u<<unitBits | server)
		if s.entries[e].access >= 0 {
			x.freeAt[server] = s.startAccess(e, t, u, server)
			continue
		}
		x.freeAt[server] = t + s.dispatch(e, t)
	}
	return s.goOn(t)
}

// take removes the entry that the unit starts next from its queue.
func (s *abstractSM) take(x *absUnit) (int32, error) {
	e, before := x.head, int32(-1)
	if !s.cfg.Machine.FIFO && x.waiting > 1 && s.cfg.dispatchOrder.Name != "" {
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
	x.waitingOf[s.warp[s.entries[e].warp].sched]--
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
		if k, err = s.choose.Choose(s.candSlots); err != nil {
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
	code := &s.code[x.pc]
	kind := s.unit[x.unit].kind
	if s.cfg.times.Stage != nil && len(x.segments) > 0 {
		s.access(x, t)
	}
	complete := t + x.initiation + x.latency
	for _, r := range s.regs[code.writes:code.writesEnd] {
		if v := &w.regs[r]; v.ready == never && v.writer == e {
			v.ready = complete
		}
	}
	s.started(x.warp, t, complete, int(kind), x.initiation, x.pc, x.index)
	x.next = s.free
	s.free = e
	return x.initiation
}

// startAccess hands an access from its unit, number u, to the caches and returns
// when the server is free.
func (s *abstractSM) startAccess(e int32, t int64, u, server int) int64 {
	x := &s.entries[e]
	kind := int(s.unit[u].kind)
	free := s.mem.start(x.access, t, e, int32(u<<unitBits|server))
	s.left(x.warp, t, Unknown, kind, s.mem.least(x.access), x.pc, x.index)
	if s.mem.order != nil && s.warp[x.warp].state == blocked {
		s.evaluate(x.warp, t) // it may wait for its turn from now on
	}
	return free
}

// unitBits is how many bits of a unit reference are the server.
const unitBits = 8

// server implements model.
func (s *abstractSM) server(unit int32) int {
	u := unit >> unitBits
	return int(u-s.unitOf[s.unit[u].kind])*len(s.unit[u].freeAt) + int(unit&(1<<unitBits-1))
}

// unitFree implements model.
func (s *abstractSM) unitFree(unit int32, at int64) {
	u := &s.unit[unit>>unitBits]
	u.freeAt[unit&(1<<unitBits-1)] = at
}

// accessDone implements model.
func (s *abstractSM) accessDone(e int32, t, complete int64) {
	x := &s.entries[e]
	w := &s.warp[x.warp]
	code := &s.code[x.pc]
	for _, r := range s.regs[code.writes:code.writesEnd] {
		if v := &w.regs[r]; v.ready == never && v.writer == e {
			v.ready = complete
		}
	}
	x.next = s.free
	s.free = e
	s.completes(x.warp, t, complete, x.pc, x.index)
}

// access asks the memory stage for the time of entry x.
func (s *abstractSM) access(x *entry, t int64) {
	p := s.place(x.warp)
	s.request = Request{
		Cycle: t, SM: s.sm, Block: p.Block, Warp: p.Warp, PC: x.pc, Kind: s.code[x.pc].kind, Space: x.space,
		Transactions: int(x.transactions), Segments: x.segments, InitiationCycles: x.initiation, LatencyCycles: x.latency,
	}
	init, lat := s.cfg.times.Stage.Access(&s.request)
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
