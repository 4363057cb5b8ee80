package sim

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/gpu"
)

// reorder is the reordering unit of an SM (Huangfu2017, Section IV-A): a channel
// for each warp slot, filled as the load/store units start accesses, and emptied
// in the order that is given. Within a channel the expected access is searched,
// since units may start the accesses of a warp out of order.
//
// An order that extends the program order of every warp and the barriers cannot
// stop the unit as long as the policy lets some ready warp issue and a warp holds
// no unit while its channel is full (hold-warp): what comes before the expected
// access has been sent, so its warp gets its data, passes its barriers, finds an
// entry, since the accesses in its channel come before, and issues. Everything
// else is found out and reported (deadlock).
type reorder struct {
	m       *ldst
	order   AccessOrder
	entries int32
	hold    bool // a warp that finds its channel full does not issue

	channel [][]int32 // by warp slot: accesses in it
	used    []int32   // by warp slot: entries taken, with hold from the issue on
	parked  []parked  // accesses in units that find their channel full
	waiting int       // accesses in channels and units
	current int32     // access that is being sent, -1 none

	asked bool // what follows is what the order says
	some  bool
	block int64
	warp  int
	index int64
	slot  int32 // of that warp
	err   error // of the order, reported at the next step
}

type parked struct {
	access int32
	since  int64
}

func newReorder(m *ldst, p *gpu.LDSTPath) *reorder {
	n := m.sm.slots
	return &reorder{
		m: m, order: m.sm.cfg.caches.Order, entries: int32(p.ChannelEntries), hold: p.FullChannel != "stall-unit", current: -1,
		channel: make([][]int32, n), used: make([]int32, n),
	}
}

// admit and retire tell the order what is resident.
func (r *reorder) admit(block int64) { r.told(r.order.Admit(int(r.m.index), block)) }

func (r *reorder) retire(block int64) { r.told(r.order.Retire(int(r.m.index), block)) }

func (r *reorder) told(err error) {
	r.asked = false
	if r.err == nil {
		r.err = err
	}
}

// full tells whether warp i has to wait before it issues a global access.
func (r *reorder) full(i int32) bool { return r.hold && r.used[i] >= r.entries }

// enter puts access a into the channel of its warp in cycle t and returns when
// its unit is free: never, for now, where the channel is full.
func (r *reorder) enter(a int32, t int64) int64 {
	r.waiting++
	x := &r.m.access[a]
	if !r.hold {
		if r.used[x.warp] >= r.entries {
			r.parked = append(r.parked, parked{a, t})
			return never
		}
		r.used[x.warp]++
	}
	r.channel[x.warp] = append(r.channel[x.warp], a)
	r.m.use.channel(int64(len(r.channel[x.warp])))
	return t + r.m.least(a)
}

// ask finds out what the order expects.
func (r *reorder) ask() error {
	if r.err != nil {
		return r.err
	}
	if r.asked {
		return nil
	}
	r.asked = true
	var err error
	if r.block, r.warp, r.index, r.some, err = r.order.Next(int(r.m.index)); err != nil || !r.some {
		return err
	}
	s := r.m.sm
	r.slot = -1
	for i := range s.block {
		if b := s.block[i].b; b != nil && b.Index() == r.block && r.warp >= 0 && r.warp < s.warps {
			r.slot = int32(i*s.warps + r.warp)
		}
	}
	if r.slot < 0 {
		return fmt.Errorf("the reordering unit expects access %d of block %d, warp %d, which is not resident", r.index, r.block, r.warp)
	}
	return nil
}

// expected is the access whose turn it is, -1 if it has not come. Its turn
// lasts until all its requests have passed, whatever becomes resident meanwhile,
// so the order hears that it is sent when it begins to be.
func (r *reorder) expected() (int32, error) {
	if r.current >= 0 && r.err == nil {
		return r.current, nil
	}
	if r.waiting == 0 && r.err == nil {
		return -1, nil
	}
	if err := r.ask(); err != nil {
		return -1, err
	}
	if !r.some {
		for slot := range r.channel {
			for _, a := range r.channel[slot] {
				p := r.m.sm.place(int32(slot))
				return -1, fmt.Errorf("channel %d holds access %d of block %d, warp %d, and the order expects none", slot, r.m.access[a].index, p.Block, p.Warp)
			}
		}
		return -1, nil
	}
	a := r.find()
	if a >= 0 {
		r.current, r.asked = a, false
		if err := r.order.Sent(int(r.m.index)); err != nil {
			return -1, err
		}
	}
	return a, nil
}

func (r *reorder) find() int32 {
	for _, a := range r.channel[r.slot] {
		if r.m.access[a].index == r.index {
			return a
		}
	}
	return -1
}

// ready tells whether a request may reach the tags in the next cycle: the
// expected access has come, or the order has to be asked.
func (r *reorder) ready() bool {
	return r.current >= 0 || r.waiting > 0 && (!r.asked || r.some && r.find() >= 0) || r.err != nil
}

// sent takes access a, which has reached the tags, out of its channel.
func (r *reorder) sent(a int32, t int64) {
	warp := r.m.access[a].warp
	c := r.channel[warp]
	for i := range c {
		if c[i] == a {
			r.channel[warp] = append(c[:i], c[i+1:]...)
			break
		}
	}
	r.used[warp]--
	r.waiting--
	r.current = -1
	for i, p := range r.parked {
		x := &r.m.access[p.access]
		if x.warp != warp {
			continue
		}
		r.parked = append(r.parked[:i], r.parked[i+1:]...)
		r.used[warp]++
		r.channel[warp] = append(r.channel[warp], p.access)
		r.m.use.ChannelFullCycles += t - p.since
		r.m.release(p.access, t+r.m.least(p.access))
		break
	}
}

// awaitsTurn tells whether an access of warp i is in its channel.
func (r *reorder) awaitsTurn(i int32) bool { return len(r.channel[i]) > 0 }

// deadlock says what the unit waits for and who waits for it, nil if nobody
// does.
func (r *reorder) deadlock(t int64) error {
	if r.waiting == 0 || r.current >= 0 || !r.asked || !r.some || r.find() >= 0 {
		return nil
	}
	s := r.m.sm
	var b strings.Builder
	fmt.Fprintf(&b, "deadlock: channel %d has to bring access %d of block %d, warp %d", r.slot, r.index, r.block, r.warp)
	switch w := &s.warp[r.slot]; {
	case w.accesses > r.index && int(w.undispatched) > len(r.channel[r.slot]):
		b.WriteString(", which waits for a load/store unit")
	case w.accesses > r.index:
		b.WriteString(", which was sent before")
	case w.state == over:
		fmt.Fprintf(&b, ", which has ended after %d", w.accesses)
	case w.state == atBarrier || w.state == leaving:
		b.WriteString(", which waits at a barrier")
	case w.state == ready && !s.cfg.policy.WorkConserving():
		fmt.Fprintf(&b, ", which is ready at pc %d, but policy %s holds the turn for another warp", w.pc, s.cfg.policyName())
	default:
		fmt.Fprintf(&b, ", which waits at pc %d (%s)", w.pc, w.reason)
	}
	for slot := range r.channel {
		list := r.channel[slot]
		if len(list) == 0 {
			continue
		}
		p := s.place(int32(slot))
		fmt.Fprintf(&b, "; channel %d, block %d, warp %d: %d waiting, the first is access %d", slot, p.Block, p.Warp, len(list), r.m.access[list[0]].index)
	}
	for _, p := range r.parked {
		x := &r.m.access[p.access]
		fmt.Fprintf(&b, "; access %d of channel %d keeps a load/store unit, its channel is full", x.index, x.warp)
	}
	return fmt.Errorf("%w: cycle %d: SM %d: %s", ErrAccessOrder, t, r.m.index, b.String())
}

func (r *reorder) check() error {
	for slot, n := range r.used {
		if n != 0 || len(r.channel[slot]) != 0 {
			return fmt.Errorf("channel %d: %d accesses, %d entries taken", slot, len(r.channel[slot]), n)
		}
	}
	if r.waiting != 0 || len(r.parked) != 0 {
		return fmt.Errorf("%d accesses wait for their turn, %d for a channel", r.waiting, len(r.parked))
	}
	return nil
}
