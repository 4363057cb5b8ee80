package ordered

import "sort"

// fills remembers the last fills of lines, up to the number that can be
// pending. The times of older ones are no later than those by which the
// accesses of the remembered ones got their MSHRs, hence no later than the last
// of these passed the tags.
type fills struct {
	ring []fill // fill number i, from 0, is at i modulo its length
	n    int64  // fills so far
}

// fill is a fill of an access at a place of the order. Times do not decrease:
// accesses pass the tags in order, and the memory serves them in order.
type fill struct{ place, time int64 }

func newFills(mshrs int) fills { return fills{ring: make([]fill, mshrs)} }

func (f *fills) at(number int64) *fill { return &f.ring[number%int64(len(f.ring))] }

// add books count fills of the access at a place, at most as many as there are
// MSHRs, all filled by a time.
func (f *fills) add(place int64, count int, time int64) {
	for range count {
		*f.at(f.n) = fill{place, time}
		f.n++
	}
}

// room is the time by which an access that needs count MSHRs has got them all.
func (f *fills) room(count int) int64 {
	if last := f.n + int64(count) - int64(len(f.ring)); count > 0 && last > 0 {
		return f.at(last - 1).time
	}
	return none
}

// upTo is the time by which the lines are filled that an Access refers to by
// FilledBy or WaitsFor.
func (f *fills) upTo(ref int64) int64 {
	if ref == NoEarlier || f.n == 0 {
		return none
	}
	if ref == AnyEarlier {
		return f.at(f.n - 1).time
	}
	first := max(0, f.n-int64(len(f.ring)))
	after := sort.Search(int(f.n-first), func(i int) bool { return f.at(first+int64(i)).place >= ref })
	if after == 0 {
		return none
	}
	return f.at(first + int64(after) - 1).time
}
