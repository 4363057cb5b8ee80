package replay

import "math/bits"

// set is a set of warp slots.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }
func (s set) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s set) drop(i int)     { s[i>>6] &^= 1 << (i & 63) }

func (s set) empty() bool {
	for _, m := range s {
		if m != 0 {
			return false
		}
	}
	return true
}

func (s set) count() int {
	n := 0
	for _, m := range s {
		n += bits.OnesCount64(m)
	}
	return n
}

// after is the first member behind slot i, going round; -1 if there is none.
func (s set) after(i int) int {
	i++
	if w := i >> 6; w < len(s) {
		if m := s[w] >> (i & 63); m != 0 {
			return i + bits.TrailingZeros64(m)
		}
		for w++; w < len(s); w++ {
			if s[w] != 0 {
				return w<<6 + bits.TrailingZeros64(s[w])
			}
		}
	}
	for w := range s {
		if s[w] != 0 {
			return w<<6 + bits.TrailingZeros64(s[w])
		}
	}
	return -1
}

// view is what a policy looks at.
type view struct {
	active     set     // warps that take part in the program
	selectable set     // of those, the ones a strict policy may select
	ready      set     // may be selected with effect; all of them are selectable
	order      []int32 // active warps by activation
	queued     []int   // by slot: entries fetched and not issued
	issued     []int64 // by slot: instructions issued
}

// selector is a policy with its state.
type selector struct {
	Policy
	last int // selected last, -1 none
	// stays says that the warp selected last has not ended since.
	stays bool
}

func newSelector(p Policy) selector { return selector{Policy: p, last: -1} }

// ended records that the warp in a slot has ended: the next warp in the slot is
// not the one that was selected.
func (s *selector) ended(slot int) {
	if s.last == slot {
		s.stays = false
	}
}

// pick selects a warp for one cycle. It returns the warp if it is ready, and -1
// if the stage idles.
func (s *selector) pick(v *view) int {
	choice := -1
	switch {
	case s.keeps(v):
		choice = s.last
	case s.strict():
		choice = s.choose(v, v.selectable)
	default:
		choice = s.choose(v, v.ready)
	}
	if choice < 0 {
		return -1
	}
	s.last, s.stays = choice, true
	if !v.ready.has(choice) {
		return -1
	}
	return choice
}

// keeps tells whether the warp selected last stays selected.
func (s *selector) keeps(v *view) bool {
	if !s.stays || !v.ready.has(s.last) {
		return false
	}
	switch s.Category {
	case Greedy, GreedyStrict:
		return true
	case Adaptive:
		return v.issued[s.last]-fewest(v) <= s.Lead
	}
	return false
}

// fewest is the smallest number of instructions that an active warp has issued.
func fewest(v *view) int64 {
	least := never
	for _, w := range v.order {
		least = min(least, v.issued[w])
	}
	return least
}

// choose takes a warp of a set by the algorithm, -1 if the set is empty.
func (s *selector) choose(v *view, from set) int {
	switch s.Algorithm {
	case Oldest:
		for _, w := range v.order {
			if from.has(int(w)) {
				return int(w)
			}
		}
		return -1
	case ICount:
		best := -1
		for w := from.after(-1); w >= 0; {
			if best < 0 || v.queued[w] < v.queued[best] {
				best = w
			}
			next := from.after(w)
			if next <= w {
				break
			}
			w = next
		}
		return best
	}
	return from.after(s.last)
}

// idle is pick in each of some cycles in which no warp is ready.
func (s *selector) idle(v *view, cycles int64) {
	if cycles <= 0 || !s.strict() {
		return
	}
	n := v.selectable.count()
	if n == 0 {
		return
	}
	if s.Algorithm == RoundRobin {
		// Each cycle moves on by one; n of them lead back to where they began.
		cycles = (cycles-1)%int64(n) + 1
	} else {
		cycles = 1
	}
	for range cycles {
		s.last, s.stays = s.choose(v, v.selectable), true
	}
}
