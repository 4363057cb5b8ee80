package sim

import "math/bits"

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
			s.unitN[c.kind]++
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
	for s.portN[kind] > 0 {
		at := s.oldest(ports)
		e := int32(ports[at])
		p, i := s.freeCollector(kind, int(s.warp[s.insts[e].warp].sched))
		if i < 0 {
			return
		}
		ports[at] = -1
		s.inPorts--
		s.portN[kind]--
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
