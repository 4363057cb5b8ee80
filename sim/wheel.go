package sim

import "math/bits"

// never is a cycle that does not come.
const never = int64(1)<<62 - 1

const (
	wheelSlots = 1024 // a power of two and a multiple of 64
	wheelMask  = wheelSlots - 1
)

// wheel wakes warps at known cycles. A warp is in it at most once. A warp whose
// time lies beyond the horizon sits in the farthest slot and moves on from
// there, so that taking is constant time per warp and slot.
type wheel struct {
	now      int64 // every entry lies in [now, now+wheelSlots)
	count    int
	occupied [wheelSlots / 64]uint64
	head     [wheelSlots]int32 // first warp of a slot, -1 none
	next     []int32           // by warp
	at       []int64           // by warp: the cycle asked for
}

func newWheel(warps int) *wheel {
	w := &wheel{next: make([]int32, warps), at: make([]int64, warps)}
	for i := range w.head {
		w.head[i] = -1
	}
	return w
}

// add wakes the warp at cycle t, later than the cycle advanced to.
func (w *wheel) add(warp int32, t int64) {
	w.at[warp] = t
	w.insert(warp, t)
	w.count++
}

func (w *wheel) insert(warp int32, t int64) {
	slot := min(t, w.now+wheelSlots-1) & wheelMask
	w.next[warp] = w.head[slot]
	w.head[slot] = warp
	w.occupied[slot>>6] |= 1 << (slot & 63)
}

// nextEvent is a cycle, later than now, up to which nothing wakes.
func (w *wheel) nextEvent() int64 {
	if w.count == 0 {
		return never
	}
	start := (w.now + 1) & wheelMask
	word := start >> 6
	m := w.occupied[word] &^ (1<<(start&63) - 1)
	for i := int64(0); ; i++ {
		if m != 0 {
			slot := word<<6 + int64(bits.TrailingZeros64(m))
			return w.now + 1 + (slot-start)&wheelMask
		}
		word = (word + 1) % int64(len(w.occupied))
		m = w.occupied[word]
		if i == int64(len(w.occupied)) {
			return never
		}
	}
}

// advance moves to cycle t, which must not lie beyond nextEvent, and returns
// the first warp to wake, -1 for none; the others follow by next.
func (w *wheel) advance(t int64) int32 {
	w.now = t
	slot := t & wheelMask
	if w.occupied[slot>>6]&(1<<(slot&63)) == 0 {
		return -1
	}
	first := w.head[slot]
	w.head[slot] = -1
	w.occupied[slot>>6] &^= 1 << (slot & 63)
	due := int32(-1)
	for warp := first; warp >= 0; {
		following := w.next[warp]
		if w.at[warp] > t {
			w.insert(warp, w.at[warp])
		} else {
			w.next[warp] = due
			due = warp
			w.count--
		}
		warp = following
	}
	return due
}
