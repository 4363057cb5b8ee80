package dp

import "math/bits"

// table maps the numbers of states plus 1 to times, by open addressing.
type table struct {
	keys  []uint64 // 0 where free; a power of 2 of them
	times []uint32
	count int
}

// entryBytes is the memory for an entry of a table, free or not.
const entryBytes = 12

// full says that the table must grow before anything is put into it.
func (t *table) full() bool { return 4*t.count >= 3*len(t.keys) }

// place is where a key is or would be.
func (t *table) place(key uint64) int {
	mask := len(t.keys) - 1
	// Fibonacci hashing: the numbers of a level lie in arithmetic patterns.
	at := int(key * 0x9e3779b97f4a7c15 >> (64 - bits.Len(uint(mask))))
	for t.keys[at] != 0 && t.keys[at] != key {
		at = (at + 1) & mask
	}
	return at
}

// put keeps the larger of the times of a key.
func (t *table) put(key uint64, time uint32) {
	at := t.place(key)
	if t.keys[at] == 0 {
		t.keys[at] = key
		t.count++
	}
	t.times[at] = max(t.times[at], time)
}

// get is the time of a key, or false.
func (t *table) get(key uint64) (uint32, bool) {
	if t == nil || len(t.keys) == 0 {
		return 0, false
	}
	at := t.place(key)
	return t.times[at], t.keys[at] == key
}

func (t *table) grow(size int) {
	old := *t
	t.keys, t.times, t.count = make([]uint64, size), make([]uint32, size), 0
	for i, k := range old.keys {
		if k != 0 {
			t.put(k, old.times[i])
		}
	}
}

func (t *table) clear() {
	clear(t.keys)
	clear(t.times)
	t.count = 0
}
