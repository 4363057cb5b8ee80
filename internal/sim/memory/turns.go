package memory

import "slices"

// turns is who waits for a place of the memory that serves SMs in turn. Of an SM
// the request goes first that it sent first, whenever it came here. Lines that
// the L2 writes back are of no SM, and have a turn of their own, as the cores of
// CPUs have.
type turns struct {
	waiting [][]int32 // by SM, then write-backs, then cores; each in the order of sending
	sms     int
	last    int  // whose turn was the last one
	busy    bool // until the place is left
}

func newTurns(sms int) turns { return turns{waiting: make([][]int32, sms+1), sms: sms} }

func (p *turns) of(x *request) int {
	switch {
	case x.kind.ofCPU():
		return p.sms + 1 + int(x.sm)
	case x.sm < 0:
		return p.sms
	}
	return int(x.sm)
}

// add puts request r in.
func (p *turns) add(reqs []request, r int32) {
	q := &p.waiting[p.of(&reqs[r])]
	at := len(*q)
	for at > 0 && reqs[(*q)[at-1]].number > reqs[r].number {
		at--
	}
	*q = slices.Insert(*q, at, r)
}

// next takes out the request whose turn it is, -1 if there is none.
func (p *turns) next() int32 {
	n := len(p.waiting)
	for i := 1; i <= n; i++ {
		at := p.last + i
		if at >= n {
			at -= n
		}
		if q := p.waiting[at]; len(q) > 0 {
			r := q[0]
			p.waiting[at] = append(q[:0], q[1:]...)
			p.last = at
			return r
		}
	}
	return -1
}

// remove takes request r out.
func (p *turns) remove(reqs []request, r int32) {
	q := &p.waiting[p.of(&reqs[r])]
	*q = slices.DeleteFunc(*q, func(x int32) bool { return x == r })
}

// leave is the event that a place is left by what it has served.
func (m *System) leave(place stage, index int, t int64) {
	m.add(request{stage: place, sm: int32(index), waiting: -1, leader: -1}, t)
}

// serveSlice lets a slice that is free take the next request.
func (m *System) serveSlice(n int, t int64) {
	s := &m.slices[n]
	r := s.turns.next()
	s.turns.busy = r >= 0
	if r >= 0 {
		m.lookUp(r, t)
		m.leave(sliceLeft, n, m.slices[n].freeAt)
	}
}

// atChannel brings request r to its channel. One that has joined a fetch waits in
// its own SM's turn too, so that the fetch goes by the turn of the first SM that
// comes to it; if the fetch is on its way, it waits for that alone.
func (m *System) atChannel(r int32, t int64) {
	x := &m.requests[r]
	if x.leader >= 0 {
		switch l := &m.requests[x.leader]; {
		case l.number == x.leaderNumber && l.stage == toChannel:
			l.joined++
		case l.number == x.leaderNumber && l.stage == fetched:
			x.next = l.waiting
			l.waiting = r
			return
		default:
			m.respond(r, t)
			return
		}
	}
	n, _ := m.places.Slice(x.addr)
	at := m.places.Channel(n)
	c := &m.channels[at]
	c.turns.add(m.requests, r)
	if !c.turns.busy {
		m.serveChannel(at, t)
	}
}

// serveChannel lets a channel that is free take the next request: one at a time,
// from opening its row to the end of its transfer.
func (m *System) serveChannel(at int, t int64) {
	c := &m.channels[at]
	r := c.turns.next()
	c.turns.busy = r >= 0
	if r < 0 {
		return
	}
	if l := m.requests[r].leader; l >= 0 {
		m.join(r, l)
		c.turns.remove(m.requests, l)
		r = l
	}
	for i := 0; m.requests[r].joined > 0; i++ {
		c.turns.waiting[i] = slices.DeleteFunc(c.turns.waiting[i], func(x int32) bool {
			if m.requests[x].leader != r {
				return false
			}
			m.join(x, r)
			return true
		})
	}
	m.transfer(r, t)
	m.leave(channelLeft, at, (c.busFree+999)/1000)
}

// join lets request r, which is at the channel, wait for what l fetches.
func (m *System) join(r, l int32) {
	m.requests[r].next = m.requests[l].waiting
	m.requests[l].waiting = r
	m.requests[l].joined--
}
