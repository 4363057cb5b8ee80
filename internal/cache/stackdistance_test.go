package cache

// stack plays, in one pass, the LRU caches of one number of sets with 1, 2, ..., N
// ways and lines without sectors (R. L. Mattson et al., "Evaluation techniques for
// storage hierarchies", IBM Systems Journal 9(2), 1970).
//
// Each set is a stack of N places, each of which holds a line or is a hole. The
// claim: the cache of w ways holds the lines of the first w places, and its empty
// ways are the holes among them. Every line has the time of its last use, and a
// hole is older than any line. The claim holds of N holes. Say it holds before an
// access to line y that is in place q, or in none (q = infinity).
//
// y is used and stays or comes in (a load; a store that allocates; q = infinity is
// allowed). The caches with w >= q hit and keep their lines. Those with w < q bring
// y in and drop the oldest of their places, a hole if there is one. So y goes to
// place 1, and the former content of place 1 is carried down: at each place
// i = 2, 3, ..., q-1 the newer of the place's content and the carried one stays, the
// older is carried on. By induction what is carried past place w < q is the oldest
// of the first w places, which is what the cache of w ways drops. Place q gets what
// arrives there, so that the first w >= q places hold what they held.
//
// y is removed by a store (write-evict). The caches with w >= q get an empty way,
// the others have not got the line: place q becomes a hole.
//
// A store that neither allocates nor evicts: the caches with w >= q use y and keep
// their lines, the others do nothing. No place changes, y's time does. That y's
// time is the same in all caches that hold y is needed above and remains true: a
// cache of w ways that does not hold y now can hold it again only by a use of the
// first kind, which sets the time in all caches.
//
// Without stores of the last kind the lines are in the order of their times, and
// carrying is shifting.
type stack struct {
	cfg       Config
	lineShift uint
	lines     []uint64 // by set, by place: noLine for a hole
	times     []uint64 // beside lines, 0 for a hole; nil if the order says it all
	clock     uint64
}

// newStack is the stack of all caches like c with 1 to c.Ways ways. They replace the
// least recently used line, and lines have no sectors.
func newStack(c Config) *stack {
	s := &stack{cfg: c, lineShift: log2(c.LineBytes), lines: make([]uint64, c.Sets*c.Ways)}
	for i := range s.lines {
		s.lines[i] = noLine
	}
	if !c.WriteAllocate && !c.WriteEvict {
		s.times = make([]uint64, len(s.lines))
	}
	return s
}

func stackable(c Config) bool { return c.Replacement == LRU && c.SectorBytes == c.LineBytes }

// access is one access. It returns the smallest number of ways with which it hits,
// 0 if it misses with all of them.
func (s *stack) access(addr uint64, k Kind) int {
	line := addr >> (s.lineShift & 63)
	n := s.cfg.Ways
	base := s.cfg.Set(line) * n
	set := s.lines[base : base+n]
	q, hole := n, -1
	for i, l := range set {
		if l == line {
			q = i
			break
		}
		if l == noLine && hole < 0 {
			hole = i
		}
	}
	s.clock++
	switch {
	case k == Store && s.cfg.WriteEvict:
		if q < n {
			set[q] = noLine
		}
	case k == Store && !s.cfg.WriteAllocate:
		if q < n {
			s.times[base+q] = s.clock
		}
	case s.times != nil:
		s.carry(line, set, s.times[base:base+n], q)
	case hole >= 0:
		copy(set[1:hole+1], set[:hole])
		set[0] = line
		if q < n {
			set[q] = noLine
		}
	default:
		end := min(q, n-1)
		copy(set[1:end+1], set[:end])
		set[0] = line
	}
	if q == n {
		return 0
	}
	return q + 1
}

// carry puts a line on top of its set and carries the older contents down to its
// former place q.
func (s *stack) carry(line uint64, set, times []uint64, q int) {
	l, t := set[0], times[0]
	set[0], times[0] = line, s.clock
	if q == 0 {
		return
	}
	for i := 1; i < len(set); i++ {
		if i == q {
			set[i], times[i] = l, t
			return
		}
		if times[i] < t {
			set[i], l = l, set[i]
			times[i], t = t, times[i]
		}
	}
}
