package static

import "math/bits"

// table finds lines by their numbers: an open-addressed hash table of indices, at
// most half full.
type table struct {
	shift uint    // 64 - log2 of the size
	ids   []int32 // absent: free
}

const absent int32 = -1

func newTable() table { return emptyTable(64) }

func emptyTable(size int) table {
	t := table{shift: uint(64 - bits.TrailingZeros(uint(size))), ids: make([]int32, size)}
	for i := range t.ids {
		t.ids[i] = absent
	}
	return t
}

// place is where the index of a line is, or the free place where it belongs.
func (t *table) place(lines []line, number uint64) *int32 {
	mask := len(t.ids) - 1
	for i := int(number * 0x9e3779b97f4a7c15 >> (t.shift & 63)); ; i = (i + 1) & mask {
		if id := &t.ids[i&mask]; *id == absent || lines[*id].number == number {
			return id
		}
	}
}

// find is the index of a line, absent if it has none.
func (t *table) find(lines []line, number uint64) int32 { return *t.place(lines, number) }

// add enters the last of the lines, which is not there yet.
func (t *table) add(lines []line) {
	last := len(lines) - 1
	if 2*len(lines) > len(t.ids) {
		*t = emptyTable(2 * len(t.ids))
		for i := range lines[:last] {
			*t.place(lines, lines[i].number) = int32(i)
		}
	}
	*t.place(lines, lines[last].number) = int32(last)
}
