package static

import "math/bits"

// table numbers lines in the order of their first appearance: an open-addressed
// hash table, at most half full.
type table struct {
	shift uint // 64 - log2 of the size
	used  int
	entry []entry
}

type entry struct {
	number uint64
	id     int32 // -1: free
}

const absent int32 = -1

func newTable() table { return emptyTable(64) }

func emptyTable(size int) table {
	t := table{shift: uint(64 - bits.TrailingZeros(uint(size))), entry: make([]entry, size)}
	for i := range t.entry {
		t.entry[i].id = absent
	}
	return t
}

// place is the entry of a line, or the free one where it belongs.
func (t *table) place(number uint64) *entry {
	mask := len(t.entry) - 1
	for i := int(number * 0x9e3779b97f4a7c15 >> (t.shift & 63)); ; i = (i + 1) & mask {
		if e := &t.entry[i&mask]; e.id == absent || e.number == number {
			return e
		}
	}
}

// find is the number given to a line, absent if it has none.
func (t *table) find(number uint64) int32 { return t.place(number).id }

// add is the number of a line, the next free one for a new line.
func (t *table) add(number uint64) int32 {
	e := t.place(number)
	if e.id != absent {
		return e.id
	}
	id := int32(t.used)
	*e = entry{number, id}
	if t.used++; 2*t.used > len(t.entry) {
		larger := emptyTable(2 * len(t.entry))
		larger.used = t.used
		for _, e := range t.entry {
			if e.id != absent {
				*larger.place(e.number) = e
			}
		}
		*t = larger
	}
	return id
}
