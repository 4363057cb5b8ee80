package memory

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/sectors"
)

// System is what lies behind the L1Ds of all SMs: the network, the slices
// of the L2 and the DRAM. Requests meet four kinds of places, each of which
// serves in the order of arrival; those that arrive in one cycle come in the
// order of the cycles in which they left the place before, then of SMs. Slices
// and channels can serve the SMs in turn instead (turns.go), and channels prefer
// rows that are open (openrows.go). The cores of CPUs send to the channels
// (requesters.go).
//
//	way out    of an SM: a request a cycle
//	slice      tags, and its port for some cycles a sector
//	channel    of the DRAM: its bus, and banks with one open row each
//	way in     of an SM: some cycles a response
//
// Tags change when a request is served, so a request whose sectors are on their
// way joins the one that fetches them.
type System struct {
	l2   *gpu.L2
	dram *gpu.DRAM

	queue    queue
	requests []request
	free     int32
	wayOut   []int64 // by SM: when it is free
	wayIn    []int64
	inTurn   bool
	openRows bool  // channels prefer rows that are open
	numbers  int64 // of requests so far

	// Deliver is called when the answer to a request is known to arrive at its SM, with
	// the cycle, not before that of the SM's last answer, and the token of the request.
	Deliver func(sm int32, t int64, token int32, kind Kind)

	slices         []slice
	channels       []channel
	sectorShift    uint
	places         gpu.MemoryMap
	writeLatency   int64
	sent, answered int64 // requests of SMs that are answered
	use            Use

	refresh  refresh
	changed  []int // channels to schedule when the cycle's events are over
	cores    Cores // nil for none
	of       []coreState
	watchers []Observer
	lookups  []L2Observer
}

// Kind is what a request of an SM wants.
type Kind uint8

// The kinds.
const (
	Read      Kind = iota // a sector of the L1D
	Write                 // answered by an acknowledgement
	Atomic                // a read that makes its sector dirty
	WriteBack             // not answered
	Uncached              // a read that passes the L1D
	cpuRead               // of a core, which sm is the number of
	cpuWrite
)

// stage is where a request goes next.
type stage uint8

const (
	toSlice stage = iota
	toChannel
	fetched // from DRAM, in the slice
	toSM
	sliceLeft // no request, but a place that is free again
	channelLeft
	channelWakes // no request, but a channel that may have something to do
	coreWakes    // and a core
	toCore
)

type request struct {
	at      int64
	next    int32 // of its cycle
	waiting int32 // first of those that wait for what it fetches, linked by next
	token   int32 // what the SM knows it by
	sm      int32
	addr    uint64
	bytes   int64
	missing int64 // bytes to fetch
	kind    Kind
	stage   stage

	number  int64 // in the order of sending
	arrived int64 // at the channel
	// The fetch that it has joined, -1 none, and how many requests that have joined
	// it are at the channel.
	leader       int32
	leaderNumber int64
	joined       int32
}

type slice struct {
	tags    *cache.Cache
	freeAt  int64
	pending sectors.Table // sectors on their way from DRAM to their request
	turns   turns
}

type channel struct {
	busFree int64 // in thousandths of a cycle
	banks   []dramBank
	turns   turns
	open    openRows
}

// New makes the memory behind some SMs.
func New(d *gpu.Description, sms int) (*System, error) {
	m := &System{l2: d.L2, dram: d.DRAM, places: d.MemoryMap(), inTurn: d.L2.RoundRobin(), writeLatency: d.L1D.WriteLatencyCycles, queue: newQueue(), free: -1, wayOut: make([]int64, sms), wayIn: make([]int64, sms)}
	m.sectorShift = uint(bits.TrailingZeros64(uint64(d.L2.SectorBytes)))
	m.openRows, m.refresh = d.DRAM.FRFCFS(), newRefresh(d.DRAM)
	for range d.L2.Slices {
		tags, err := cache.New(cache.OfL2(d.L2))
		if err != nil {
			return nil, fmt.Errorf("l2: %w", err)
		}
		m.slices = append(m.slices, slice{tags: tags, pending: sectors.New(4), turns: newTurns(sms)})
	}
	for range d.DRAM.Channels {
		c := channel{banks: make([]dramBank, d.DRAM.Banks), turns: newTurns(sms), open: newOpenRows(d.DRAM)}
		for i := range c.banks {
			c.banks[i].row = -1
		}
		m.channels = append(m.channels, c)
	}
	return m, nil
}

// NextEvent is a cycle before which nothing happens here that an SM or an agent
// could notice. What only cores and the DRAM do is left for later.
func (m *System) NextEvent() int64 {
	if m.cores != nil && m.sent == m.answered && !m.cores.Draining() {
		return clock.Never
	}
	return m.queue.next
}

// Send takes a request of an SM in cycle t. The token says which one is answered.
func (m *System) Send(sm int32, t int64, kind Kind, addr uint64, bytes int64, token int32) {
	start := max(t, m.wayOut[sm])
	m.wayOut[sm] = start + 1
	if kind == Write || kind == Atomic {
		start += m.writeLatency
	}
	if kind != WriteBack {
		m.sent++
	}
	m.add(request{token: token, sm: sm, addr: addr, bytes: bytes, kind: kind, waiting: -1, leader: -1}, start+m.l2.RequestLatencyCycles)
}

func (m *System) add(x request, t int64) {
	r := m.free
	if r < 0 {
		m.requests = append(m.requests, request{})
		r = int32(len(m.requests) - 1)
	} else {
		m.free = m.requests[r].next
	}
	x.number = m.numbers
	m.numbers++
	m.requests[r] = x
	m.queue.add(m.requests, r, t)
}

func (m *System) drop(r int32) {
	m.requests[r].next = m.free
	m.free = r
}

// Advance lets happen what happens up to cycle t.
func (m *System) Advance(t int64) {
	for m.queue.next <= t {
		now := m.queue.next
		for r := m.queue.take(now); r >= 0; {
			m.queue.count--
			following := m.requests[r].next
			if m.requests[r].at > now {
				m.queue.add(m.requests, r, m.requests[r].at)
			} else {
				m.step(r, now)
			}
			r = following
		}
		for _, at := range m.changed {
			m.schedule(at, now)
		}
		m.changed = m.changed[:0]
	}
	m.queue.take(t)
}

// step takes request r on from the place where it arrives in cycle t.
func (m *System) step(r int32, t int64) {
	x := &m.requests[r]
	switch x.stage {
	case toSlice:
		if !m.inTurn {
			m.lookUp(r, t)
			return
		}
		n, _ := m.places.Slice(x.addr)
		p := &m.slices[n].turns
		p.add(m.requests, r)
		if !p.busy {
			m.serveSlice(n, t)
		}
	case toChannel:
		x.arrived = t
		switch {
		case m.openRows:
			m.enqueue(r)
		case m.inTurn:
			m.atChannel(r, t)
		default:
			m.transfer(r, t)
		}
	case sliceLeft:
		at := int(x.sm)
		m.drop(r)
		m.serveSlice(at, t)
	case channelLeft:
		at := int(x.sm)
		m.drop(r)
		m.serveChannel(at, t)
	case channelWakes:
		at := int(x.sm)
		m.drop(r)
		m.wakes(at, t)
	case coreWakes:
		at := int(x.sm)
		m.drop(r)
		m.cores.Woken(at, t)
	case toCore:
		at, arrived := int(x.sm), x.arrived
		m.drop(r)
		m.cores.Answered(at, arrived, t)
	case fetched:
		m.arrive(r, t)
	case toSM:
		m.answer(r, t)
	}
}

// lookUp serves a request at its slice.
func (m *System) lookUp(r int32, t int64) {
	x := &m.requests[r]
	n, local := m.places.Slice(x.addr)
	s := &m.slices[n]
	sectors := max(1, x.bytes>>m.sectorShift)
	done := max(t, s.freeAt) + (sectors-1)*m.l2.AccessCycles + m.l2.LatencyCycles
	s.freeAt = max(t, s.freeAt) + sectors*m.l2.AccessCycles
	leader := int32(-1)
	x.missing = 0
	for i := range uint64(sectors) {
		if l := m.access(x, s, n, local+i<<m.sectorShift, t, done); l >= 0 {
			leader = l
		}
		x = &m.requests[r] // a victim may have moved them
	}
	switch {
	case x.kind == WriteBack:
		m.drop(r)
	case x.kind == Write || x.missing == 0 && leader < 0:
		m.respond(r, done)
	case x.missing == 0 && m.inTurn:
		x.leader, x.leaderNumber, x.stage = leader, m.requests[leader].number, toChannel
		m.queue.add(m.requests, r, done)
	case x.missing == 0:
		x.next = m.requests[leader].waiting
		m.requests[leader].waiting = r
	default:
		for i := range uint64(sectors) {
			if key := (local + i<<m.sectorShift) >> m.sectorShift; s.pending.Find(key) == fetching {
				s.pending.Set(key, r)
			}
		}
		x.stage = toChannel
		m.queue.add(m.requests, r, done)
	}
}

// fetching marks a sector of a request that is being looked up.
const fetching = -2

// access looks one sector up in cycle t. It returns the request that the sector is on its
// way to, -1 if it is here or missing.
func (m *System) access(x *request, s *slice, n int, local uint64, t, done int64) int32 {
	kind := cache.Load
	if x.kind == Write || x.kind == WriteBack {
		kind = cache.Store
	}
	res := s.tags.Access(local, kind)
	for _, o := range m.lookups {
		o.L2(Lookup{Cycle: t, Slice: n, SM: int(x.sm), Address: m.places.Global(n, local), Write: kind == cache.Store, Hit: res.Hit})
	}
	use := &m.use.L2
	switch {
	case kind == cache.Store:
		use.Writes++
	case res.Hit:
		use.Reads++
		use.Hits++
	default:
		use.Reads++
		use.Misses++
	}
	if x.kind == Atomic {
		s.tags.Access(local, cache.Store)
	}
	leader := int32(-1)
	if kind == cache.Load {
		key := local >> m.sectorShift
		switch p := s.pending.Find(key); {
		case p >= 0:
			leader = p
		case !res.Hit && p == -1:
			x.missing += int64(1) << m.sectorShift
			s.pending.Set(key, fetching)
		}
	}
	if res.WroteBack {
		use.WriteBacks++
		m.add(request{addr: m.places.Global(n, res.Victim), missing: int64(m.l2.LineBytes), kind: WriteBack, stage: toChannel, sm: -1, waiting: -1, leader: -1}, done)
	}
	return leader
}

// arrive answers a request with what came from DRAM, and those that waited for
// it.
func (m *System) arrive(r int32, t int64) {
	x := &m.requests[r]
	n, local := m.places.Slice(x.addr)
	s := &m.slices[n]
	for i := range uint64(max(1, x.bytes>>m.sectorShift)) {
		if key := local>>m.sectorShift + i; s.pending.Find(key) == r {
			s.pending.Remove(key)
		}
	}
	waiting := x.waiting
	m.respond(r, t)
	for w := waiting; w >= 0; {
		following := m.requests[w].next
		m.respond(w, t)
		w = following
	}
}

// respond sends the answer to request r from its slice in cycle t.
func (m *System) respond(r int32, t int64) {
	x := &m.requests[r]
	x.stage, x.waiting = toSM, -1
	m.queue.add(m.requests, r, t+m.l2.ResponseLatencyCycles)
}

// answer takes the way into the SM.
func (m *System) answer(r int32, t int64) {
	x := &m.requests[r]
	took := int64(1)
	if x.kind == Read || x.kind == Uncached {
		took = m.l2.ResponseCycles
	}
	end := max(t, m.wayIn[x.sm]) + took
	m.wayIn[x.sm] = end
	m.answered++
	sm, token, kind := x.sm, x.token, x.kind
	m.drop(r)
	m.Deliver(sm, end, token, kind)
}

// Check verifies that every request was answered, and that what the DRAM moved
// was moved for somebody.
func (m *System) Check() error {
	var errs []error
	if m.sent != m.answered {
		errs = append(errs, fmt.Errorf("%d memory requests, %d answered", m.sent, m.answered))
	}
	return errors.Join(append(errs, m.checkDRAM())...)
}
