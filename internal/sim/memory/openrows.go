package memory

import (
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/fifo"
)

// openRows is what a channel needs that prefers rows that are open (FR-FCFS: first
// ready, first come first served). It chooses among the requests of its queue,
// those that came first; the others wait outside.
//
//	bus   takes, when it is free, the oldest request whose row is open
//	bank  opens the row of its oldest request when none waits for the row that is
//	      open, or when so many transfers from it as the cap says went before an
//	      older request for another row
//
// Nothing waits for ever. The oldest request in a queue of Q waits for at most
// cap transfers of its own bank before its row is opened; between two of them at
// most Q other transfers go, since what comes later is younger than the request
// that is transferred. When the row is open nothing is before it.
type openRows struct {
	waiting []rowRequest // in the queue, in order of arrival
	outside fifo.Queue[int32]
	wakeAt  int64   // when it will be woken; never if it will not
	first   []int32 // scratch, by bank: the oldest request of the bank, -1 none
	kept    []bool  // scratch, by bank: some request waits for the row that is open
	listed  bool    // to be scheduled in this cycle
	cap     int64   // of gpu.DRAM
	entries int     // of the queue
}

type rowRequest struct {
	r      int32
	bank   int32
	row    int64
	opened bool // a row was opened for it
}

func newOpenRows(d *gpu.DRAM) openRows {
	if !d.FRFCFS() {
		return openRows{}
	}
	return openRows{wakeAt: clock.Never, first: make([]int32, d.Banks), kept: make([]bool, d.Banks), cap: d.RowHitCap, entries: d.QueueEntries}
}

// enqueue brings request r to its channel. A queue that is full takes it later.
func (m *System) enqueue(r int32) {
	at, _, _ := m.place(m.requests[r].addr)
	o := &m.channels[at].open
	o.outside.Push(r)
	if len(o.waiting) < o.entries {
		m.list(at)
	}
}

// list has a channel scheduled when the events of the cycle are over.
func (m *System) list(at int) {
	if o := &m.channels[at].open; !o.listed {
		o.listed = true
		m.changed = append(m.changed, at)
	}
}

// wakes is the event that a channel has asked for.
func (m *System) wakes(at int, t int64) {
	o := &m.channels[at].open
	if o.wakeAt == t {
		o.wakeAt = clock.Never
	}
	m.list(at)
}

// schedule lets a channel do what it can in cycle t, all requests of which have
// arrived.
func (m *System) schedule(at int, t int64) {
	c := &m.channels[at]
	o := &c.open
	o.listed = false
	n := m.refresh.begun(t)
	wake := m.refresh.after(t)
	if wake == t {
		for m.fill(o); m.openAndMove(c, at, t, n); {
			m.fill(o)
		}
		wake = clock.Never
		if len(o.waiting) > 0 {
			wake = c.nextChange(t)
			if next := m.refresh.next(n); wake > next {
				wake = m.refresh.after(next)
			}
		}
	} else if len(o.waiting) == 0 && o.outside.Empty() {
		return
	}
	if wake < o.wakeAt {
		o.wakeAt = wake
		m.add(request{stage: channelWakes, sm: int32(at), waiting: -1, leader: -1}, wake)
	}
}

// fill lets requests into the queue while it has room.
func (m *System) fill(o *openRows) {
	for len(o.waiting) < o.entries && !o.outside.Empty() {
		r := *o.outside.First()
		o.outside.Pop()
		_, bank, row := m.place(m.requests[r].addr)
		o.waiting = append(o.waiting, rowRequest{r: r, bank: int32(bank), row: row})
	}
}

// nextChange is the next cycle after t in which the bus is free, or a row open.
func (c *channel) nextChange(t int64) int64 {
	next := clock.Never
	if free := c.busFree / 1000; free > t {
		next = free
	}
	for i := range c.open.waiting {
		if at := c.banks[c.open.waiting[i].bank].freeAt; at > t {
			next = min(next, at)
		}
	}
	return next
}

// openAndMove opens rows, and begins one transfer if the bus is free in cycle t,
// by which n refreshes have begun. It tells whether it did the latter.
func (m *System) openAndMove(c *channel, at int, t, n int64) bool {
	o := &c.open
	for i := range o.first {
		o.first[i], o.kept[i] = -1, false
	}
	for i := range o.waiting {
		w := &o.waiting[i]
		if o.first[w.bank] < 0 {
			o.first[w.bank] = int32(i)
		}
		if b := &c.banks[w.bank]; b.row == w.row && b.epoch == n && (b.hits < o.cap || o.first[w.bank] == int32(i)) {
			o.kept[w.bank] = true
		}
	}
	for bank, first := range o.first {
		b := &c.banks[bank]
		if first < 0 || o.kept[bank] || b.freeAt > t || t+m.dram.RowMissCycles >= m.refresh.next(n) {
			continue
		}
		w := &o.waiting[first]
		w.opened = true
		*b = dramBank{row: w.row, epoch: n, freeAt: t + m.dram.RowMissCycles}
	}
	if c.busFree >= 1000*(t+1) {
		return false
	}
	for i := range o.waiting {
		w := &o.waiting[i]
		b := &c.banks[w.bank]
		if b.row != w.row || b.epoch != n || b.freeAt > t {
			continue
		}
		if first := o.first[w.bank]; first != int32(i) {
			if b.hits == o.cap {
				continue
			}
			b.hits++
		}
		r, opened := w.r, w.opened
		o.waiting = slices.Delete(o.waiting, i, i+1)
		m.moved(r, c, at, max(1000*t, c.busFree), opened)
		return true
	}
	return false
}
