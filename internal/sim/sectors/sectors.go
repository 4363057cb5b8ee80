// Package sectors maps the numbers of memory sectors to small integers, as MSHRs and the
// slices of an L2 need it for sectors that are on their way.
package sectors

import "math/bits"

// Table maps sector numbers to small integers: open addressing with
// linear probing, deletion by shifting back. Sector numbers are less than the
// largest uint64.
type Table struct {
	keys  []uint64
	vals  []int32
	shift uint
	n     int
}

const noSector = ^uint64(0)

// New makes an empty table with room for some sectors.
func New(size int) Table {
	n := 1 << max(4, bits.Len(uint(2*size)))
	t := Table{keys: make([]uint64, n), vals: make([]int32, n), shift: uint(64 - bits.TrailingZeros(uint(n)))}
	for i := range t.keys {
		t.keys[i] = noSector
	}
	return t
}

func (t *Table) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> t.shift) }

// Len is the number of keys.
func (t *Table) Len() int { return t.n }

// Find returns the value of a key, -1 where it has none.
func (t *Table) Find(key uint64) int32 {
	for i := t.home(key); ; i = (i + 1) & (len(t.keys) - 1) {
		switch t.keys[i] {
		case key:
			return t.vals[i]
		case noSector:
			return -1
		}
	}
}

// Set gives a value to a key.
func (t *Table) Set(key uint64, val int32) {
	if 2*(t.n+1) > len(t.keys) {
		old := *t
		*t = New(len(old.keys))
		for i, k := range old.keys {
			if k != noSector {
				t.Set(k, old.vals[i])
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

// Remove takes a key out, if it is in.
func (t *Table) Remove(key uint64) {
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
