package cache

import "math/bits"

// table finds the slot of a line where a set has too many ways to search them: an
// open-addressed hash table of all lines of the cache, without tombstones. It is at
// most a quarter full: one place more to probe is a branch that nobody can predict.
type table struct {
	shift uint // 64 - log2 of the size
	mask  int  // the size, less 1
	entry []entry
}

type entry struct {
	line uint64 // noLine: free
	slot int
}

func newTable(lines int) table {
	size := 1 << bits.Len(uint(4*lines-1))
	return table{
		shift: uint(64 - bits.TrailingZeros(uint(size))), mask: size - 1,
		entry: make([]entry, size),
	}
}

func (t *table) reset() {
	for i := range t.entry {
		t.entry[i].line = noLine
	}
}

// home is where a line belongs: the high bits of a multiplication by 2^64 over the
// golden ratio, which spreads consecutive and strided lines evenly.
func (t *table) home(line uint64) int { return int(line * 0x9e3779b97f4a7c15 >> (t.shift & 63)) }

// find is the slot of a line, -1 if it is not in the table.
func (t *table) find(line uint64) int {
	for i := t.home(line); ; i = (i + 1) & t.mask {
		switch e := &t.entry[i]; e.line {
		case line:
			return e.slot
		case noLine:
			return -1
		}
	}
}

// add puts a line in that is not there.
func (t *table) add(line uint64, slot int) {
	i := t.home(line)
	for t.entry[i].line != noLine {
		i = (i + 1) & t.mask
	}
	t.entry[i] = entry{line, slot}
}

// remove takes a line out that is there, and moves up what probing would no longer
// find.
func (t *table) remove(line uint64) {
	i := t.home(line)
	for t.entry[i].line != line {
		i = (i + 1) & t.mask
	}
	for j := (i + 1) & t.mask; t.entry[j].line != noLine; j = (j + 1) & t.mask {
		// The line at j may move to the gap at i unless its home lies behind i.
		if (j-t.home(t.entry[j].line))&t.mask >= (j-i)&t.mask {
			t.entry[i] = t.entry[j]
			i = j
		}
	}
	t.entry[i].line = noLine
}
