package makespan

import (
	"strings"
	"testing"
)

// fig2 is the schedule of Berezovskyi2012, Fig. 2: four warps of LLC, the oldest
// first.
func fig2() *Schedule {
	return &Schedule{Cycle: [][]int32{{1, 2, 3}, {3, 4, 5}, {5, 6, 7}, {7, 8, 9}}}
}

func TestSchedule(t *testing.T) {
	in := at(t, "LLC", 1, 1, 4)
	s := fig2()
	if err := s.Check(in); err != nil || s.MakespanCycles() != 9 {
		t.Errorf("makespan %d, %v", s.MakespanCycles(), err)
	}
	// The counterexample to the published figure, 4: the last warp is left alone.
	two := at(t, "LL", 2, 1, 4)
	s = &Schedule{Cycle: [][]int32{{1, 2}, {1, 3}, {2, 3}, {4, 5}}}
	if err := s.Check(two); err != nil || s.MakespanCycles() != 5 {
		t.Errorf("LL: makespan %d, %v", s.MakespanCycles(), err)
	}
	if (&Schedule{}).MakespanCycles() != 0 {
		t.Error("an empty schedule takes time")
	}
}

func TestBadSchedules(t *testing.T) {
	in := at(t, "LLC", 1, 1, 4)
	for _, c := range []struct {
		name, want string
		change     func(s *Schedule)
	}{
		{"a warp too few", "3 warps scheduled, expected 4", func(s *Schedule) { s.Cycle = s.Cycle[:3] }},
		{"an instruction missing", "warp 2: 2 instructions scheduled, expected 3", func(s *Schedule) { s.Cycle[1] = s.Cycle[1][:2] }},
		{"two at once", "warp 1: instruction 3 in cycle 2, not after cycle 2", func(s *Schedule) { s.Cycle[0][2] = 2 }},
		{"cycle 0", "warp 1: instruction 1 in cycle 0", func(s *Schedule) { s.Cycle[0][0] = 0 }},
		{"backwards", "warp 4: instruction 2 in cycle 6, not after cycle 7", func(s *Schedule) { s.Cycle[3][1] = 6 }},
		{"over capacity", "cycle 2: 2 instructions L, capacity 1", func(s *Schedule) { s.Cycle[1][0] = 2 }},
		{"a pause", "cycle 9: warp 4 waits for C, which executes 0 of 1", func(s *Schedule) { s.Cycle[3][2] = 10 }},
	} {
		s := fig2()
		c.change(s)
		if err := s.Check(in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestFromMoves(t *testing.T) {
	in := at(t, "LLC", 1, 1, 2)
	moves := [][]int32{{1, 0, 0}, {0, 1, 0}, {1, 0, 1}, {0, 1, 0}, {0, 0, 1}}
	s, err := FromMoves(in, moves)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(in); err != nil || s.MakespanCycles() != 5 {
		t.Errorf("makespan %d, %v", s.MakespanCycles(), err)
	}
	for name, bad := range map[string][][]int32{
		"more than there are":     {{3, 0, 0}},
		"nobody there":            {{0, 1, 0}},
		"twice in a cycle":        {{1, 1, 0}},
		"negative":                {{-1, 0, 0}},
		"too few counts":          {{1, 0}},
		"ends before its warps":   moves[:4],
		"no move although W >= 1": nil,
	} {
		if s, err := FromMoves(in, bad); err == nil {
			t.Errorf("%s: %v", name, s)
		}
	}
}
