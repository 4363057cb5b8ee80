package depend

// Limits of the search: values tried in all, and, for an unknown without a bound on
// one side, how far from the first.
const (
	maxTries     = 4000
	maxUnbounded = 8
)

// searcher undoes a tableau's trail from its end, choosing integers between the
// bounds that elimination left.
type searcher struct {
	t      *tableau
	values []int64
	tries  int
	whole  bool // no value was left out
}

// search looks for integers for all unknowns. It gives empty where it tried all
// values that the bounds allow.
func (t *tableau) search() (verdict, []int64) {
	t.release()
	s := &searcher{t: t, values: make([]int64, len(t.vars)), tries: maxTries, whole: true}
	switch {
	case s.undo(len(t.trail) - 1):
		return found, s.values
	case s.whole:
		return empty, nil
	}
	return unknown, nil
}

// release adds a step without bounds for every unknown that disappeared from the
// rows by itself: earlier steps may depend on it, for instance on whether it is even.
func (t *tableau) release() {
	for k := range t.vars {
		gone, used := false, false
		for _, st := range t.trail {
			gone = gone || st.k == k && (st.value == nil || st.value[k] == 0)
			used = used || st.value != nil && st.value[k] != 0
			for _, rows := range [2][][]int64{st.lower, st.upper} {
				for _, r := range rows {
					used = used || r[k] != 0
				}
			}
		}
		if used && !gone {
			t.trail = append(t.trail, step{k: k})
		}
	}
}

// undo gives the unknowns of steps i, i-1, ..., 0 their values.
func (s *searcher) undo(i int) bool {
	if i < 0 {
		return true
	}
	st := s.t.trail[i]
	if st.value != nil {
		old := s.values[st.k]
		v, ok := s.eval(st.value, -1)
		if !ok {
			s.whole = false
			return false
		}
		s.values[st.k] = v
		if s.undo(i - 1) {
			return true
		}
		s.values[st.k] = old
		return false
	}
	lo, hi, bounded, ok := s.interval(st)
	if !ok || lo > hi {
		s.whole = s.whole && ok && bounded
		return false
	}
	// From the value next to 0 outwards, so that samples are small numbers.
	start := min(max(0, lo), hi)
	for d := int64(0); start+d <= hi || start-d >= lo; d++ {
		if s.tries <= 0 || !bounded && d > maxUnbounded {
			s.whole = false
			return false
		}
		if start+d <= hi && s.try(i, start+d) || d > 0 && start-d >= lo && s.try(i, start-d) {
			return true
		}
	}
	return false
}

// try continues with x as the value of the unknown of step i.
func (s *searcher) try(i int, x int64) bool {
	s.tries--
	s.values[s.t.trail[i].k] = x
	return s.undo(i - 1)
}

// farAway stands for a missing bound; values stay well inside the range of int64.
const farAway = int64(1) << 60

// interval gives the values of x_k between its bounds, given the other unknowns.
// Where a side has no bound, bounded is false; ok is false at overflow.
func (s *searcher) interval(st step) (lo, hi int64, bounded, ok bool) {
	lo, hi = -farAway, farAway
	for _, r := range st.lower {
		v, ok := s.eval(r, st.k)
		if !ok {
			return 0, 0, false, false
		}
		lo = max(lo, -floorDiv(v, r[st.k])) // c*x + v >= 0
	}
	for _, r := range st.upper {
		v, ok := s.eval(r, st.k)
		if !ok {
			return 0, 0, false, false
		}
		hi = min(hi, floorDiv(v, -r[st.k]))
	}
	return lo, hi, lo > -farAway && hi < farAway, true
}

// eval is the value of a row without column skip.
func (s *searcher) eval(r []int64, skip int) (int64, bool) {
	n := len(r) - 1
	sum := r[n]
	for j, c := range r[:n] {
		if c == 0 || j == skip {
			continue
		}
		p, ok := mul(c, s.values[j])
		if !ok {
			return 0, false
		}
		if sum, ok = add(sum, p); !ok {
			return 0, false
		}
	}
	return sum, true
}
