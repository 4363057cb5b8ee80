package trace

import (
	"github.com/warpbound/warpbound/internal/timeline"
)

// series adds something up in windows of equal length, a power of two of cycles, which
// get longer as the run does: memory is bounded.
type series struct {
	sum   []int64
	shift uint // a window is of 1<<shift cycles
	most  int  // windows, a power of two
	level int64
	since int64
}

// at is the window of cycle t.
func (s *series) at(t int64) int {
	for t>>s.shift >= int64(s.most) {
		s.coarsen()
	}
	i := int(t >> s.shift)
	for len(s.sum) <= i {
		s.sum = append(s.sum, 0)
	}
	return i
}

func (s *series) coarsen() {
	n := (len(s.sum) + 1) / 2
	for i := range n {
		v := s.sum[2*i]
		if 2*i+1 < len(s.sum) {
			v += s.sum[2*i+1]
		}
		s.sum[i] = v
	}
	s.sum = s.sum[:n]
	s.shift++
}

// count adds n in cycle t.
func (s *series) count(t, n int64) { s.sum[s.at(t)] += n }

// span adds n in every cycle of [from, to).
func (s *series) span(from, to, n int64) {
	if from >= to {
		return
	}
	s.at(to - 1) // the length of windows is settled
	for from < to {
		i := s.at(from)
		end := min(to, int64(i+1)<<s.shift)
		s.sum[i] += n * (end - from)
		from = end
	}
}

// set says that a level is v from cycle t on.
func (s *series) set(t, v int64) {
	if t > s.since {
		if s.level != 0 {
			s.span(s.since, t, s.level)
		}
		s.since = t
	}
	s.level = v
}

// add changes a level by n from cycle t on.
func (s *series) add(t, n int64) { s.set(t, s.level+n) }

// write writes the mean of each window of a run of some cycles.
func (s *series) write(t *timeline.Track, cycles int64) {
	s.set(cycles, 0)
	length := int64(1) << s.shift
	for i := int64(0); i*length < cycles; i++ {
		v := int64(0)
		if i < int64(len(s.sum)) {
			v = s.sum[i]
		}
		t.Set(scale*i*length, float64(v)/float64(min(length, cycles-i*length)))
	}
	t.Set(scale*cycles, 0)
}

// used tells whether the series has anything.
func (s *series) used() bool {
	for _, v := range s.sum {
		if v != 0 {
			return true
		}
	}
	return s.level != 0
}
