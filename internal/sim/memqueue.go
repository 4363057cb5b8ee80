package sim

import "math/bits"

const (
	queueSlots = 1 << 11
	queueMask  = queueSlots - 1
)

// memQueue holds requests by the cycle in which something happens to them next,
// those of one cycle in the order in which they were added. A request that is
// due beyond the span of the ring passes through its last slot and is put in
// again.
type memQueue struct {
	now        int64
	count      int
	next       int64 // nothing is due before; never if there is nothing
	occupied   [queueSlots / 64]uint64
	head, tail [queueSlots]int32
}

func newMemQueue() memQueue {
	return memQueue{now: -1, next: never}
}

// add puts request r in for cycle t, later than the cycle advanced to.
func (q *memQueue) add(reqs []request, r int32, t int64) {
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
func (q *memQueue) take(t int64) int32 {
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
func (q *memQueue) search() int64 {
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
	return never
}

// sectorTable maps sector numbers to small integers: open addressing with
// linear probing, deletion by shifting back. Sector numbers are less than the
// largest uint64.
type sectorTable struct {
	keys  []uint64
	vals  []int32
	shift uint
	n     int
}

const noSector = ^uint64(0)

func newSectorTable(size int) sectorTable {
	n := 1 << max(4, bits.Len(uint(2*size)))
	t := sectorTable{keys: make([]uint64, n), vals: make([]int32, n), shift: uint(64 - bits.TrailingZeros(uint(n)))}
	for i := range t.keys {
		t.keys[i] = noSector
	}
	return t
}

func (t *sectorTable) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> t.shift) }

// find returns the value of a key, -1 where it has none.
func (t *sectorTable) find(key uint64) int32 {
	for i := t.home(key); ; i = (i + 1) & (len(t.keys) - 1) {
		switch t.keys[i] {
		case key:
			return t.vals[i]
		case noSector:
			return -1
		}
	}
}

// set gives a value to a key.
func (t *sectorTable) set(key uint64, val int32) {
	if 2*(t.n+1) > len(t.keys) {
		old := *t
		*t = newSectorTable(len(old.keys))
		for i, k := range old.keys {
			if k != noSector {
				t.set(k, old.vals[i])
			}
		}
	}
	i := t.home(key)
	for t.keys[i] != noSector && t.keys[i] != key {
		i = (i + 1) & (len(t.keys) - 1)
	}
	if t.keys[i] == noSector {
		t.n++
	}
	t.keys[i], t.vals[i] = key, val
}

// remove takes a key out, if it is in.
func (t *sectorTable) remove(key uint64) {
	last := len(t.keys) - 1
	i := t.home(key)
	for t.keys[i] != key {
		if t.keys[i] == noSector {
			return
		}
		i = (i + 1) & last
	}
	t.n--
	for j := i; ; {
		j = (j + 1) & last
		if t.keys[j] == noSector {
			break
		}
		// The entry at j may fill the gap at i unless its home lies between.
		if (j-t.home(t.keys[j]))&last >= (j-i)&last {
			t.keys[i], t.vals[i] = t.keys[j], t.vals[j]
			i = j
		}
	}
	t.keys[i] = noSector
}
