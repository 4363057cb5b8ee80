package dp

// layout says where the slices of a space are kept while it is swept, in cells.
//
// A cycle adds at most σ of the first instruction's kind to n[0], so slice n is
// computed from itself and the σ behind it: a ring of σ+1 slices is enough for the
// values. Slices up to keep have a place of their own, for the walk afterwards.
type layout struct {
	base  []int64 // first cell of a slice
	cells int64
	keep  int // low[0]−1 where every slice is in the ring
	reach int // σ of the first kind: how far a cycle can get
}

// newLayout keeps as many of the first slices as fit the cells beside the ring, or
// none where walk is false. Its cells exceed the allowed ones where not even the
// ring fits.
func newLayout(s *space, allowed int64, walk bool) *layout {
	low := s.low[0]
	l := &layout{base: make([]int64, s.warps+1), keep: low - 1, reach: s.capacity[s.code[0]]}
	slots := min(l.reach, s.warps-low) + 1
	// A slice is no smaller than the one before it: adding 1 to every n[i] of a
	// state of slice v gives one of slice v+1. So the first slice in a slot is
	// its largest.
	slot := make([]int64, slots)
	for j := range slot {
		slot[j] = l.cells
		l.cells += s.size[s.warps-j]
	}
	for n := s.warps; n >= low; n-- {
		l.base[n] = slot[(s.warps-n)%slots]
	}
	if !walk {
		return l
	}
	if s.total <= allowed {
		l.cells = 0
	}
	for n := low; n <= s.warps && s.size[n] <= allowed-l.cells; n++ {
		l.base[n] = l.cells
		l.cells += s.size[n]
		l.keep = n
	}
	return l
}
