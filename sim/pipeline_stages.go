package sim

import (
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/simt"
)

// start implements core.
func (s *pipelineSM) start(t int64, slot int, b simt.Block) error {
	for j, w := range b.Warps() {
		s.front[slot*s.warps+j] = frontEnd{fetchPC: w.PC()}
	}
	return s.smBase.start(t, slot, b)
}

// step implements core.
func (s *pipelineSM) step(t int64) (int64, error) {
	if s.toUnits > 0 {
		for u := range s.units {
			if s.units[u].freeAt <= t {
				s.execute1(&s.units[u], t)
			}
		}
		if err := s.goOn(t); err != nil {
			return 0, err
		}
	}
	if s.moving > s.toUnits {
		for step := range s.pp.CollectorSteps {
			s.collect(t, step == 0)
		}
	}
	for k := range s.sched {
		if err := s.issueStage((s.firstIssue+k)%len(s.sched), t); err != nil {
			return 0, err
		}
	}
	s.fetchStage(t)
	return s.nextEvent(t), nil
}

// settle implements core. Which scheduler begins depends on the cycle alone, so
// that skipped cycles count too.
func (s *pipelineSM) settle(t int64) []endedBlock {
	s.firstIssue = int(t % int64(len(s.sched)))
	return s.smBase.settle(t)
}

// nextEvent is the next cycle at which something can happen.
func (s *pipelineSM) nextEvent(t int64) int64 {
	if s.moving > 0 || s.decoding >= 0 || anyBit(s.hungry) {
		return t + 1
	}
	for i := range s.sched {
		c := &s.sched[i]
		if c.flushN > 0 || c.readyN > 0 && !c.withheld {
			return t + 1
		}
	}
	return max(t+1, min(s.wheel.nextEvent(), s.endMin))
}

// execute1 lets a unit that can start an instruction in cycle t take one.
func (s *pipelineSM) execute1(u *unitPipe, t int64) {
	at := u.kind*s.ports + u.port
	if u.port < 0 {
		at = s.oldest(s.operand[u.kind*s.ports : (u.kind+1)*s.ports])
		if at < 0 {
			return
		}
		at += u.kind * s.ports
	}
	e := int32(s.operand[at])
	if e < 0 {
		return
	}
	x := &s.insts[e]
	var complete int64
	if u.kind == s.lsu {
		complete = s.access(x, t)
	} else {
		arrive := t + x.latency
		k := int(arrive) & (len(s.buses) - 1)
		bus := &s.buses[k]
		if bus.cycle != arrive {
			*bus = busSlot{cycle: arrive}
		}
		if bus.n == s.pp.ResultBuses || u.done[k] == arrive {
			return
		}
		bus.n++
		u.done[k] = arrive
		complete = arrive + 2
	}
	u.freeAt = t + x.initiation
	s.operand[at] = -1
	s.toUnits--
	s.moving--
	s.write(x, e, t, complete)
	// A block can give its slot away in the cycle after its last result.
	s.started(x.warp, t, complete+1, u.kind, x.initiation, x.pc, x.index)
	x.next = s.free
	s.free = e
}

// oldest is the port that holds the instruction issued first, -1 if none does.
func (s *pipelineSM) oldest(ports []portSlot) int {
	best := -1
	for i, e := range ports {
		if e >= 0 && (best < 0 || s.insts[e].uid < s.insts[ports[best]].uid) {
			best = i
		}
	}
	return best
}

// write sets the registers of instruction e, readable from cycle complete on,
// when the banks are busy being written.
func (s *pipelineSM) write(x *inFlight, e int32, t, complete int64) {
	w := &s.warp[x.warp]
	code := &s.code[x.pc]
	if code.writes == code.writesEnd {
		return
	}
	s.front[x.warp].lastWrite = max(s.front[x.warp].lastWrite, complete)
	for _, r := range s.regs[code.writes:code.writesEnd] {
		if v := &w.regs[r]; v.ready == never && v.writer == e {
			v.ready = complete
		}
	}
	if complete-t >= int64(len(s.writes)) {
		return
	}
	o := &s.operands[x.pc]
	b := &s.writes[int(complete)&(len(s.writes)-1)]
	if b.cycle != complete {
		*b = bankWrites{cycle: complete}
	}
	for _, n := range s.bankOf[o.writes:o.end] {
		b.banks |= 1 << s.bankNumber(n, x.warp)
	}
}

// access sends an instruction through the load/store unit from cycle t on and
// returns when its result, if any, can be read or a store is acknowledged.
func (s *pipelineSM) access(x *inFlight, t int64) int64 {
	latency := x.latency
	if s.cfg.Memory != nil && len(x.segments) > 0 {
		p := s.place(x.warp)
		s.request = Request{
			Cycle: t, SM: s.sm, Block: p.Block, Warp: p.Warp, PC: x.pc, Kind: s.code[x.pc].kind, Space: x.space,
			Transactions: int(x.transactions), Segments: x.segments, InitiationCycles: x.initiation, LatencyCycles: latency,
		}
		init, lat := s.cfg.Memory.Access(&s.request)
		x.initiation, latency = max(init, 1), max(lat, 0)
		x.segments = x.segments[:0]
	}
	sent := t + x.initiation
	switch {
	case x.path == orderPath, x.path == sharedPath && x.store, x.transactions == 0:
		return sent
	case x.path == sharedPath:
		return sent + latency + 1
	case x.path == constantPath:
		return t + latency
	}
	back, each := sent+latency, s.pp.ReturnCycles
	if x.store {
		back, each = sent+s.pp.StoreDrainCycles, min(each, 1)
	}
	if each > 0 {
		back = max(back, s.returnFree) + each*int64(x.transactions-1)
		s.returnFree = back + each
	}
	return back
}

// collect is one step of the operand collectors.
func (s *pipelineSM) collect(t int64, first bool) {
	for p := range s.pools {
		q := &s.pools[p]
		for d := 0; d < len(q.last) && q.ready != 0; d++ {
			if !s.dispatchOne(q, d) {
				break
			}
		}
	}
	open := s.queued
	if first {
		if w := &s.writes[int(t)&(len(s.writes)-1)]; w.cycle == t {
			open &^= w.banks
		}
	}
	for ; open != 0; open &= open - 1 {
		b := bits.TrailingZeros64(open)
		k := &s.banks[b]
		ref := k.queue[k.head]
		if k.head++; k.head == len(k.queue) {
			k.queue, k.head = k.queue[:0], 0
			s.queued &^= 1 << b
		}
		q := &s.pools[ref.pool]
		c := &q.collectors[ref.collector]
		if c.missing--; c.missing == 0 {
			q.ready |= 1 << ref.collector
		}
	}
	if s.inPorts > 0 {
		for _, kind := range s.order {
			s.allocate(kind)
		}
	}
}

// dispatchOne lets dispatcher d of a pool send the first instruction with all
// operands to a free operand port. It begins at the collector after the one it
// served last, with sub-cores at the first one of the next sub-core.
func (s *pipelineSM) dispatchOne(q *pool, d int) bool {
	n := len(q.collectors)
	begin := q.last[d] + 1
	if s.pp.SubCores {
		begin = q.last[d] - q.last[d]%q.per + q.per
	}
	begin %= n
	low := uint64(1)<<begin - 1
	for _, m := range [2]uint64{q.ready &^ low, q.ready & low} {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			c := &q.collectors[i]
			at := s.freePort(s.operand, s.operandWidth, int(c.kind), int(c.port))
			if at < 0 {
				continue
			}
			s.operand[at] = portSlot(c.inst)
			s.toUnits++
			c.inst = -1
			q.ready &^= 1 << i
			q.last[d] = i
			return true
		}
	}
	return false
}

// freePort is a free port of a kind for a scheduler, -1 if there is none.
func (s *pipelineSM) freePort(ports []portSlot, width []int, kind, sched int) int {
	base := kind * s.ports
	if s.pp.SubCores {
		if ports[base+sched] >= 0 {
			return -1
		}
		return base + sched
	}
	for i := range width[kind] {
		if ports[base+i] < 0 {
			return base + i
		}
	}
	return -1
}

// allocate moves instructions of a kind from issue ports to free collectors,
// the oldest first; if that one finds none, the others of its kind wait too.
func (s *pipelineSM) allocate(kind int) {
	ports := s.issued[kind*s.ports : (kind+1)*s.ports]
	for {
		at := s.oldest(ports)
		if at < 0 {
			return
		}
		e := int32(ports[at])
		p, i := s.freeCollector(kind, int(s.warp[s.insts[e].warp].sched))
		if i < 0 {
			return
		}
		ports[at] = -1
		s.inPorts--
		s.collectFor(p, i, e, kind)
	}
}

func (s *pipelineSM) freeCollector(kind, sched int) (p, i int) {
	for _, p := range s.poolOf[kind] {
		q := &s.pools[p]
		from, to := 0, len(q.collectors)
		if s.pp.SubCores {
			from = sched * q.per
			to = from + q.per
		}
		for i := from; i < to; i++ {
			if q.collectors[i].inst < 0 {
				return p, i
			}
		}
	}
	return -1, -1
}

// collectFor gives instruction e to collector i of pool p and queues its reads.
func (s *pipelineSM) collectFor(p, i int, e int32, kind int) {
	x := &s.insts[e]
	o := &s.operands[x.pc]
	q := &s.pools[p]
	reads := s.bankOf[o.reads:o.writes]
	q.collectors[i] = collector{inst: e, missing: int32(len(reads)), kind: int32(kind), port: s.warp[x.warp].sched}
	if len(reads) == 0 {
		q.ready |= 1 << i
		return
	}
	for _, r := range reads {
		b := s.bankNumber(r, x.warp)
		k := &s.banks[b]
		k.queue = append(k.queue, collectorRef{int32(p), int32(i)})
		s.queued |= 1 << b
	}
}

// issueStage lets scheduler i issue in cycle t. Warps are visited in the order
// of the policy; one whose buffer holds something else than it executes next
// loses the buffer when it is visited, and the visit goes on.
func (s *pipelineSM) issueStage(i int, t int64) error {
	c := &s.sched[i]
	c.withheld = false
	issued := 0
	for issued < s.perCycle && c.readyN+c.flushN > 0 {
		copy(c.union, c.flush)
		for kind, set := range c.sets {
			if anyBit(set) && s.freePort(s.issued, s.issueWidth, kind, i) >= 0 {
				for w := range set {
					c.union[w] |= set[w]
				}
			}
		}
		c.ready = c.union
		local := -1
		for anyBit(c.union) {
			var err error
			if local, err = c.pick(&c.candidates); err != nil {
				return err
			}
			if local < 0 {
				c.withheld = c.readyN > 0
				break
			}
			if !hasBit(c.flush, local) {
				break
			}
			c.union[local>>6] &^= 1 << (local & 63)
			s.flushBuffer(int32(local*s.schedulers+i), t)
			local = -1
		}
		if local < 0 {
			break
		}
		c.issuedFrom(local, &c.candidates)
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
	if s.cfg.Shorten != nil {
		x := &s.insts[e]
		p := s.place(i)
		init, lat := s.cfg.Shorten(Shortening{Block: p.Block, Warp: p.Warp, Index: x.index, PC: pc, InitiationCycles: x.initiation, LatencyCycles: x.latency})
		x.initiation, x.latency = min(max(init, 1), x.initiation), min(max(lat, 1), x.latency)
	}
	s.issued[s.freePort(s.issued, s.issueWidth, kind, int(w.sched))] = portSlot(e)
	s.inPorts++
	s.moving++
	w.undispatched++
	s.block[w.slot].undispatched++
	code := &s.code[pc]
	for _, r := range s.regs[code.writes:code.writesEnd] {
		w.regs[r] = regState{ready: never, writer: e, memory: code.memory}
	}
	s.n.issued++
	s.sched[w.sched].issued[w.local]++
	w.earliest = t + 1
	f.fetchPC, f.bufferPC = pc+1, pc+1
	f.buffered--
	f.waits = code.kind == isa.Fence || code.kind == isa.Atomic
	s.issuing = i
	s.afterStep(i, t)
	err := s.goOn(t)
	s.issuing = -1
	switch {
	case w.state == over:
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
	x.path = s.operands[pc].path
	x.initiation, x.latency, x.transactions = tm.InitiationCycles, max(tm.UnitLatencyCycles, 1), 1
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
	if s.cfg.Memory != nil {
		x.space = step.Space
		x.segments = appendSegments(x.segments[:0], step, s.segmentBytes)
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
		i := firstFrom(s.hungry, s.lastFetched+1)
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
		if !hasBit(c.flush, int(w.local)) {
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
