package sim

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/sim/clock"
)

// never is a cycle that does not come.
const never = clock.Never

const (
	wheelBits  = 10
	wheelSlots = 1 << wheelBits
	wheelMask  = wheelSlots - 1
)

// wheel wakes warps at known cycles. A warp is in it at most once. Warps that
// wake in the current span of wheelSlots cycles lie in near, by cycle, later
// ones in far, by span, and move to near when their span begins. So a sleeping
// warp is touched twice, however long it sleeps (a third time after a million
// cycles).
type wheel struct {
	now   int64
	count int
	near  wheelRing
	far   wheelRing
	next  []int32 // by warp: the next one of its slot
	at    []int64 // by warp: the cycle asked for
}

// wheelRing is lists of warps, -1 where empty, and which lists are not.
type wheelRing struct {
	occupied [wheelSlots / 64]uint64
	head     [wheelSlots]int32
}

func newWheel(warps int) *wheel {
	w := &wheel{now: -1, next: make([]int32, warps), at: make([]int64, warps)}
	for i := range w.near.head {
		w.near.head[i], w.far.head[i] = -1, -1
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
	span := w.now >> wheelBits
	if t>>wheelBits == span {
		w.next[warp] = w.near.push(t, warp)
		return
	}
	w.next[warp] = w.far.push(min(t>>wheelBits, span+wheelSlots-1), warp)
}

// push puts a warp in front of list i and returns the one it was put before.
func (r *wheelRing) push(i int64, warp int32) int32 {
	i &= wheelMask
	before := r.head[i]
	r.head[i] = warp
	r.occupied[i>>6] |= 1 << (i & 63)
	return before
}

// take empties list i and returns its first warp, -1 for none.
func (r *wheelRing) take(i int64) int32 {
	i &= wheelMask
	if r.occupied[i>>6]&(1<<(i&63)) == 0 {
		return -1
	}
	first := r.head[i]
	r.head[i] = -1
	r.occupied[i>>6] &^= 1 << (i & 63)
	return first
}

// from is the first list at or after i that is not empty, searching to the end
// of the ring; -1 if there is none.
func (r *wheelRing) from(i int64) int64 {
	if i >= wheelSlots {
		return -1
	}
	word := i >> 6
	m := r.occupied[word] &^ (1<<(i&63) - 1)
	for m == 0 {
		if word++; word == int64(len(r.occupied)) {
			return -1
		}
		m = r.occupied[word]
	}
	return word<<6 + int64(bits.TrailingZeros64(m))
}

// nextEvent is a cycle, later than now, up to which nothing wakes.
func (w *wheel) nextEvent() int64 {
	if w.count == 0 {
		return never
	}
	span := w.now >> wheelBits
	if i := w.near.from(w.now&wheelMask + 1); i >= 0 {
		return span<<wheelBits + i
	}
	start := (span + 1) & wheelMask
	i := w.far.from(start)
	if i < 0 {
		i = w.far.from(0)
	}
	if i < 0 {
		return never
	}
	return (span + 1 + (i-start)&wheelMask) << wheelBits
}

// advance moves to cycle t, which must not lie beyond nextEvent, and returns
// the first warp to wake, -1 for none; the others follow by next.
func (w *wheel) advance(t int64) int32 {
	if span := t >> wheelBits; span != w.now>>wheelBits {
		w.now = t
		for warp := w.far.take(span); warp >= 0; {
			following := w.next[warp]
			w.insert(warp, w.at[warp])
			warp = following
		}
	}
	w.now = t
	due := w.near.take(t)
	for warp := due; warp >= 0; warp = w.next[warp] {
		w.count--
	}
	return due
}
