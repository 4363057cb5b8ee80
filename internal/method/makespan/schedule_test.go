package makespan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
		{"a pause of ages", "cycle 9: warp 4 waits for C, which executes 0 of 1", func(s *Schedule) { s.Cycle[3][2] = 2_000_000_000 }},
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

// What no machine holds is refused, and not allocated.
func TestFromMovesRefusesTheImpossible(t *testing.T) {
	for _, in := range []*Instance{at(t, "LL", 1, 1, 1<<31-1), at(t, "L1000C1000", 1, 1, 2_000_000), at(t, "L", 1, 1, 1<<40)} {
		if _, err := FromMoves(in, nil); err == nil || !strings.Contains(err.Error(), "too many to be scheduled") {
			t.Errorf("%d warps of %d: %v", in.Warps, in.Length, err)
		}
	}
}

// inTurns is the schedule of LL, capacities 1, in which each warp executes all
// after the one before.
func inTurns(warps int64) [][]int32 {
	first, second := []int32{1, 0}, []int32{0, 1}
	var moves [][]int32
	for range warps {
		moves = append(moves, first, second)
	}
	return moves
}

// A schedule of a million warps is made and checked: looking at every warp in every
// cycle, it would not end before the tests are stopped.
func TestSchedulesOfManyWarps(t *testing.T) {
	const warps = 1_000_000
	in := at(t, "LL", 1, 1, warps)
	s, err := FromMoves(in, inTurns(warps))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(in); err != nil || s.MakespanCycles() != 2*warps {
		t.Errorf("makespan %d, %v", s.MakespanCycles(), err)
	}
	s.Cycle[warps-1][1]++
	if err := s.Check(in); err == nil || !strings.Contains(err.Error(), "cycle 2000000: warp 1000000 waits for L, which executes 0 of 1") {
		t.Errorf("%v", err)
	}
}

// byDefinition looks at every warp in every cycle.
func byDefinition(in *Instance, s *Schedule) bool {
	next := make([]int, len(s.Cycle))
	for t := int64(1); t <= s.MakespanCycles(); t++ {
		done, left := make([]int64, len(in.Kinds)), make([]bool, len(in.Kinds))
		for w, row := range s.Cycle {
			switch {
			case next[w] == len(row):
			case int64(row[next[w]]) == t:
				done[in.Code[next[w]]]++
				next[w]++
			default:
				left[in.Code[next[w]]] = true
			}
		}
		for k, n := range done {
			if n > in.Kinds[k].Capacity || left[k] && n < in.Kinds[k].Capacity {
				return false
			}
		}
	}
	return true
}

// The check by counts agrees with the definition, on schedules and on what becomes
// of them when instructions are moved.
func TestCheckAgreesWithDefinition(t *testing.T) {
	sound, broken := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("LC")), 1, 5, -1).Draw(r, "string")
		warps := rapid.Int64Range(1, 5).Draw(r, "warps")
		in := at(t, text, rapid.Int64Range(1, 3).Draw(r, "L"), rapid.Int64Range(1, 3).Draw(r, "C"), warps)
		s := &Schedule{Cycle: make([][]int32, warps)}
		for cycle := int32(1); slices.ContainsFunc(s.Cycle, func(row []int32) bool { return len(row) < len(in.Code) }); cycle++ {
			free := in.Capacities()
			for _, w := range rapid.Permutation([]int{0, 1, 2, 3, 4}[:warps]).Draw(r, "order") {
				if n := len(s.Cycle[w]); n < len(in.Code) && free[in.Code[n]] > 0 {
					free[in.Code[n]]--
					s.Cycle[w] = append(s.Cycle[w], cycle)
				}
			}
		}
		for range rapid.IntRange(0, 2).Draw(r, "moves") {
			row := s.Cycle[rapid.IntRange(0, int(warps)-1).Draw(r, "warp")]
			i := rapid.IntRange(0, len(row)-1).Draw(r, "instruction")
			for later := rapid.Int32Range(1, 2).Draw(r, "later"); i < len(row); i++ {
				row[i] += later
			}
		}
		want := byDefinition(in, s)
		if err := s.Check(in); (err == nil) != want {
			r.Fatalf("%s: %v: %v, by the definition %t", fmt.Sprint(in.Capacities()), s.Cycle, err, want)
		}
		if want {
			sound++
		} else {
			broken++
		}
	})
	if sound < 10 || broken < 10 {
		t.Errorf("%d schedules and %d others: too few of a sort", sound, broken)
	}
}

// BenchmarkCheck makes and checks a schedule of LL, warps one after the other.
func BenchmarkCheck(b *testing.B) {
	for _, warps := range []int64{1_000, 40_000, 1_000_000} {
		b.Run(fmt.Sprint(warps), func(b *testing.B) {
			in, err := New("LL", []Unit{{Letter: 'L', Count: 32}}, 32, warps)
			if err != nil {
				b.Fatal(err)
			}
			moves := inTurns(warps)
			for b.Loop() {
				s, err := FromMoves(in, moves)
				if err == nil {
					err = s.Check(in)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
