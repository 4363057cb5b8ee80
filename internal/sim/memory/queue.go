package memory

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/sim/clock"
)

const (
	queueSlots = 1 << 11
	queueMask  = queueSlots - 1
)

// queue holds requests by the cycle in which something happens to them next,
// those of one cycle in the order in which they were added. A request that is
// due beyond the span of the ring passes through its last slot and is put in
// again.
type queue struct {
	now        int64
	count      int
	next       int64 // nothing is due before; never if there is nothing
	occupied   [queueSlots / 64]uint64
	head, tail [queueSlots]int32
}

func newQueue() queue {
	return queue{now: -1, next: clock.Never}
}

// add puts request r in for cycle t, later than the cycle advanced to.
func (q *queue) add(reqs []request, r int32, t int64) {
	reqs[r].at, reqs[r].next = t, -1
	slot := min(t, q.now+queueSlots-1)
	i := slot & queueMask
	if bit := uint64(1) << (i & 63); q.occupied[i>>6]&bit == 0 {
		q.occupied[i>>6] |= bit
		q.head[i] = r
	} else {
		reqs[q.tail[i]].next = r
	}
	q.tail[i] = r
	q.count++
	q.next = min(q.next, slot)
}

// take moves to cycle t, at most next, and returns the first request of its
// list, -1 if it is empty; the others follow by next.
func (q *queue) take(t int64) int32 {
	q.now = t
	if t < q.next {
		return -1
	}
	i := t & queueMask
	first := int32(-1)
	if bit := uint64(1) << (i & 63); q.occupied[i>>6]&bit != 0 {
		q.occupied[i>>6] &^= bit
		first = q.head[i]
	}
	q.next = q.search()
	return first
}

// search finds the next cycle after now with a list that is not empty.
func (q *queue) search() int64 {
	from := (q.now + 1) & queueMask
	word := from >> 6
	m := q.occupied[word] &^ (1<<(from&63) - 1)
	for range len(q.occupied) + 1 {
		if m != 0 {
			i := word<<6 + int64(bits.TrailingZeros64(m))
			return q.now + 1 + (i-from)&queueMask
		}
		word = (word + 1) & int64(len(q.occupied)-1)
		m = q.occupied[word]
	}
	return clock.Never
}
