package sim

import (
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/internal/simt"
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
	if s.mem != nil {
		s.mem.receive(t)
		if err := s.goOn(t); err != nil {
			return 0, err
		}
	}
	if s.toUnits > 0 {
		for u := range s.units {
			if x := &s.units[u]; s.unitN[x.kind] > 0 && x.freeAt <= t {
				s.execute1(u, t)
			}
		}
		if err := s.goOn(t); err != nil {
			return 0, err
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
	if s.mem == nil {
		return s.nextEvent(t), nil
	}
	if s.mem.order != nil && s.stands(t) {
		if err := s.mem.order.deadlock(t); err != nil {
			return 0, err
		}
	}
	return min(s.nextEvent(t), s.mem.nextEvent(t)), nil
}

// settle implements core. Which scheduler begins depends on the cycle alone, so
// that skipped cycles count too.
func (s *pipelineSM) settle(t int64) []endedBlock {
	s.firstIssue = int(t % int64(len(s.sched)))
	return s.smBase.settle(t)
}

// nextEvent is the next cycle at which something can happen.
func (s *pipelineSM) nextEvent(t int64) int64 {
	if s.moving > 0 || s.decoding >= 0 || slotset.Any(s.hungry) {
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

// quietTime is since when nothing was issued or started.
type quietTime struct{ events, since int64 }

// standstill is for how many cycles, beyond the longest latency, instructions in
// front of the units may not move before they never will.
const standstill = 1 << 16

// stands tells whether nothing moves any more. Instructions in ports and
// collectors are simulated cycle by cycle, also where the unit they need waits
// for a channel that nothing empties.
func (s *pipelineSM) stands(t int64) bool {
	if events := s.n.issued + s.n.dispatched; events != s.quiet.events || s.wheel.count > 0 || s.mem.outstanding > 0 {
		s.quiet = quietTime{events, t}
	}
	return t-s.quiet.since > standstill+int64(len(s.writes))
}

// execute1 lets unit number n, which can start an instruction in cycle t, take
// one.
func (s *pipelineSM) execute1(n int, t int64) {
	u := &s.units[n]
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
	s.serving = int32(n)
	x := &s.insts[e]
	if x.access >= 0 {
		s.takeFrom(at, u.kind)
		u.freeAt = s.mem.start(x.access, t, e, int32(n))
		s.left(x.warp, t, Unknown, u.kind, s.mem.least(x.access), x.pc, x.index)
		if s.mem.order != nil && s.warp[x.warp].state == blocked {
			s.evaluate(x.warp, t) // it may wait for its turn from now on
		}
		return
	}
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
	s.takeFrom(at, u.kind)
	s.write(x, e, t, complete)
	s.started(x.warp, t, complete, u.kind, x.initiation, x.pc, x.index)
	x.next = s.free
	s.free = e
}

// takeFrom empties operand port number at.
func (s *pipelineSM) takeFrom(at, kind int) {
	s.operand[at] = -1
	s.toUnits--
	s.unitN[kind]--
	s.moving--
}

// activated implements model.
func (s *pipelineSM) activated(i int32, _ int64) {
	s.front[i] = frontEnd{fetchPC: s.warp[i].w.PC()}
}

// server implements model.
func (s *pipelineSM) server(unit int32) int {
	first := unit
	for first > 0 && s.units[first-1].kind == s.units[unit].kind {
		first--
	}
	return int(unit - first)
}

// unitFree implements model.
func (s *pipelineSM) unitFree(unit int32, at int64) { s.units[unit].freeAt = at }

// accessDone implements model.
func (s *pipelineSM) accessDone(e int32, t, complete int64) {
	x := &s.insts[e]
	s.write(x, e, t, complete)
	x.next = s.free
	s.free = e
	s.completes(x.warp, t, complete, x.pc, x.index)
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
	if s.cfg.times.Stage != nil && len(x.segments) > 0 {
		p := s.place(x.warp)
		s.request = Request{
			Cycle: t, SM: s.sm, Block: p.Block, Warp: p.Warp, PC: x.pc, Kind: s.code[x.pc].kind, Space: x.space,
			Transactions: int(x.transactions), Segments: x.segments, InitiationCycles: x.initiation, LatencyCycles: latency,
		}
		init, lat := s.cfg.times.Stage.Access(&s.request)
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
