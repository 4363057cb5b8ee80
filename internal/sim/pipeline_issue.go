package sim

import (
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/isa"
)

// issueStage lets scheduler i issue in cycle t. Warps are visited in the order
// of the policy; one whose buffer holds something else than it executes next
// loses the buffer when it is visited, and the visit goes on.
func (s *pipelineSM) issueStage(i int, t int64) error {
	c := &s.sched[i]
	c.withheld, c.Now = false, t
	issued := 0
	for issued < s.perCycle && c.readyN+c.flushN > 0 {
		copy(c.union, c.flush)
		for kind, set := range c.sets {
			if slotset.Any(set) && s.freePort(s.issued, s.issueWidth, kind, i) >= 0 {
				for w := range set {
					c.union[w] |= set[w]
				}
			}
		}
		c.Ready = c.union
		local := -1
		for slotset.Any(c.union) {
			var err error
			if local, err = c.Pick(&c.Candidates); err != nil {
				return err
			}
			if local < 0 {
				c.withheld = c.readyN > 0
				break
			}
			if !slotset.Has(c.flush, local) {
				break
			}
			c.union[local>>6] &^= 1 << (local & 63)
			s.flushBuffer(int32(local*s.schedulers+i), t)
			local = -1
		}
		if local < 0 {
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

// flushBuffer empties the buffer of a warp whose control went elsewhere.
func (s *pipelineSM) flushBuffer(i int32, t int64) {
	w, f := &s.warp[i], &s.front[i]
	c := &s.sched[w.sched]
	c.flush[w.local>>6] &^= 1 << (w.local & 63)
	c.flushN--
	f.buffered, f.fetchPC = 0, w.pc
	f.refetch = true
	s.evaluate(i, t)
}

// issue executes the next instruction of warp i and puts it into an issue port.
func (s *pipelineSM) issue(i int32, t int64) error {
	w, f := &s.warp[i], &s.front[i]
	pc := w.pc
	tm := &s.timing[pc]
	kind := int(tm.Unit)
	s.dropReady(i, kind)
	s.setReason(i, DataRAW, t)
	w.since = t + 1
	w.state = blocked
	if err := s.execute(i, t, false); err != nil {
		return err
	}
	e := s.newInst(i, pc, tm)
	if s.cfg.times.Shorten != nil {
		x := &s.insts[e]
		p := s.place(i)
		init, lat := s.cfg.times.Shorten(Shortening{Block: p.Block, Warp: p.Warp, Index: x.index, PC: pc, InitiationCycles: x.initiation, LatencyCycles: x.latency})
		x.initiation, x.latency = min(max(init, 1), x.initiation), min(max(lat, 1), x.latency)
	}
	s.issued[s.freePort(s.issued, s.issueWidth, kind, int(w.sched))] = portSlot(e)
	s.inPorts++
	s.portN[kind]++
	s.moving++
	w.undispatched++
	s.block[w.slot].undispatched++
	code := &s.code[pc]
	for _, r := range s.regs[code.writes:code.writesEnd] {
		w.regs[r] = regState{ready: never, writer: e, memory: code.memory}
	}
	s.n.issued++
	s.sched[w.sched].Issued[w.local]++
	w.earliest = t + 1
	f.fetchPC, f.bufferPC = pc+1, pc+1
	f.buffered--
	f.waits = code.kind == isa.Fence || code.kind == isa.Atomic
	s.issuing = i
	s.afterStep(i, t)
	err := s.goOn(t)
	s.turnAfter(i, pc)
	s.issuing = -1
	switch {
	case w.state == over || w.state == inactive:
		f.buffered = 0
	case f.buffered == 0:
		s.wantFetch(i)
	}
	return err
}

// newInst makes the record of the instruction that warp i just executed.
func (s *pipelineSM) newInst(i, pc int32, tm *gpu.Timing) int32 {
	if s.free < 0 {
		s.insts = append(s.insts, inFlight{next: -1})
		s.free = int32(len(s.insts) - 1)
	}
	e := s.free
	x := &s.insts[e]
	s.free = x.next
	s.uid++
	x.warp, x.pc, x.uid, x.index = i, pc, s.uid, s.warp[i].index-1
	x.path, x.access = s.operands[pc].path, -1
	x.initiation, x.latency, x.transactions = tm.InitiationCycles, max(tm.UnitLatencyCycles, 1), 1
	if code := &s.code[pc]; code.global {
		if x.access = s.mem.issue(i, pc, code.kind, &s.step1); x.access >= 0 {
			return e
		}
	}
	if x.path == plainPath || x.path == orderPath {
		return e
	}
	step := &s.step1
	code := &s.code[pc]
	x.store = code.kind == isa.Store || code.writes == code.writesEnd
	if x.path == globalPath {
		switch step.Space {
		case isa.Shared:
			x.path = sharedPath
		case isa.Param, isa.Const:
			x.path = constantPath
		}
	}
	switch {
	case step.Exec == 0:
		x.transactions = 0
	case x.path == globalPath:
		x.transactions = int32(step.Segments(s.segmentBytes))
		per := int64(s.pp.SegmentsPerCycle)
		x.initiation = max(tm.InitiationCycles, (int64(x.transactions)+per-1)/per)
		x.latency = s.pp.MemoryLatencyCycles
	default:
		x.transactions = int32(s.transactions(tm, step))
		x.initiation = tm.Initiation(int(x.transactions))
	}
	if s.cfg.times.Stage != nil {
		x.space = step.Space
		x.segments = step.AppendSegments(x.segments[:0], s.segmentBytes)
	}
	return e
}

// fetchStage decodes what was fetched and fetches for warps with empty buffers,
// in slot order from the one last fetched for. What the last fetch of a cycle
// brings is decoded in the next cycle.
func (s *pipelineSM) fetchStage(t int64) {
	for range s.pp.FetchPerCycle {
		if s.decoding >= 0 {
			i := s.decoding
			s.decoding = -1
			s.decode(i, t)
		}
		i := slotset.First(s.hungry, s.lastFetched+1)
		if i < 0 {
			return
		}
		s.hungry[i>>6] &^= 1 << (i & 63)
		s.decoding, s.lastFetched = int32(i), i
	}
}

// decode fills the buffer of a warp.
func (s *pipelineSM) decode(i int32, t int64) {
	w, f := &s.warp[i], &s.front[i]
	f.bufferPC = f.fetchPC
	f.buffered = max(1, min(int32(s.pp.FetchWidth), int32(len(s.code))-f.fetchPC))
	f.refetch = false
	if w.state == blocked {
		s.decoded = true
		s.evaluate(i, t)
		s.decoded = false
	}
}

func (s *pipelineSM) wantFetch(i int32) {
	if s.decoding != i {
		s.hungry[i>>6] |= 1 << (i & 63)
	}
}

// wake implements model.
func (s *pipelineSM) wake(i int32, t int64) { s.addReady(i, int(s.timing[s.warp[i].pc].Unit), t) }

// evaluate implements model.
func (s *pipelineSM) evaluate(i int32, t int64) {
	w, f := &s.warp[i], &s.front[i]
	w.state = blocked
	since := max(t, w.since)
	if f.buffered == 0 {
		r := Fetching
		if f.refetch {
			r = Refetch
		}
		s.setReason(i, r, since)
		s.wantFetch(i)
		return
	}
	if f.bufferPC != w.pc {
		s.setReason(i, Refetch, since)
		c := &s.sched[w.sched]
		if !slotset.Has(c.flush, int(w.local)) {
			c.flush[w.local>>6] |= 1 << (w.local & 63)
			c.flushN++
		}
		return
	}
	if f.waits {
		if w.undispatched > 0 {
			s.setReason(i, AtFence, since)
			return
		}
		w.earliest = max(w.earliest, f.lastWrite)
		f.waits = false
	}
	at, reason := s.readyAt(w)
	switch {
	case at == never:
		s.setReason(i, reason, since)
	case at <= t || at == t+1 && (s.decoded || s.perCycle == 1 && s.issuing == i):
		s.addReady(i, int(s.timing[w.pc].Unit), at)
	default:
		w.state = waking
		s.setReason(i, reason, since)
		s.wheel.add(i, at)
	}
}
