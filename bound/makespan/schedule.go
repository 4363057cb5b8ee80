package makespan

import (
	"fmt"
	"math"
)

// Schedule says in which cycle each warp executes each instruction: Cycle[w][i],
// counted from 1 as in Berezovskyi2012, Section 5.
type Schedule struct {
	Cycle [][]int32
}

// MakespanCycles is the last cycle in which something executes.
func (s *Schedule) MakespanCycles() int64 {
	var last int32
	for _, row := range s.Cycle {
		if n := len(row); n > 0 {
			last = max(last, row[n-1])
		}
	}
	return int64(last)
}

// Check tells whether s is a work-conserving schedule of the instance
// (docs/soundness.md, section 15): every warp executes the whole string in order,
// one instruction per cycle at most; no kind executes more than its capacity in a
// cycle, nor less while a warp's next instruction is of the kind. The error names
// the warp, instruction and cycle, counted from 1.
func (s *Schedule) Check(in *Instance) error {
	if in.Code == nil {
		return fmt.Errorf("a string of %d instructions is too long to be scheduled one by one", in.Length)
	}
	if int64(len(s.Cycle)) != in.Warps {
		return fmt.Errorf("%d warps scheduled, expected %d", len(s.Cycle), in.Warps)
	}
	for w, row := range s.Cycle {
		if len(row) != len(in.Code) {
			return fmt.Errorf("warp %d: %d instructions scheduled, expected %d", w+1, len(row), len(in.Code))
		}
		before := int32(0)
		for i, t := range row {
			if t <= before {
				return fmt.Errorf("warp %d: instruction %d in cycle %d, not after cycle %d", w+1, i+1, t, before)
			}
			before = t
		}
	}
	return s.checkCapacity(in)
}

func (s *Schedule) checkCapacity(in *Instance) error {
	cycles := s.MakespanCycles()
	next := make([]int, len(s.Cycle))
	done := make([]int64, len(in.Kinds))
	waiting := make([]int, len(in.Kinds)) // some warp that waits for the kind, -1 for none
	for t := int64(1); t <= cycles; t++ {
		for k := range done {
			done[k], waiting[k] = 0, -1
		}
		for w, row := range s.Cycle {
			if next[w] == len(row) {
				continue
			}
			k := in.Code[next[w]]
			if int64(row[next[w]]) == t {
				done[k]++
				next[w]++
			} else {
				waiting[k] = w
			}
		}
		for k, n := range done {
			if n > in.Kinds[k].Capacity {
				return fmt.Errorf("cycle %d: %d instructions %c, capacity %d", t, n, in.Kinds[k].Letter, in.Kinds[k].Capacity)
			}
			if waiting[k] >= 0 && n < in.Kinds[k].Capacity {
				return fmt.Errorf("cycle %d: warp %d waits for %c, which executes %d of %d",
					t, waiting[k]+1, in.Kinds[k].Letter, n, in.Kinds[k].Capacity)
			}
		}
	}
	return nil
}

// FromMoves makes a schedule of warps out of a schedule of counts: moves[t][i] is
// how many warps execute instruction i in cycle t+1. Of the warps that stand
// before an instruction, those that came first go first, and of those that came
// together the lowest numbered.
func FromMoves(in *Instance, moves [][]int32) (*Schedule, error) {
	if in.Code == nil || in.Warps > math.MaxInt32 || int64(len(moves)) > math.MaxInt32 {
		return nil, fmt.Errorf("%d warps of %d instructions are too many to be scheduled one by one", in.Warps, in.Length)
	}
	length := len(in.Code)
	s := &Schedule{Cycle: make([][]int32, in.Warps)}
	queue := make([][]int32, length+1)
	for w := range s.Cycle {
		s.Cycle[w] = make([]int32, 0, length)
		queue[0] = append(queue[0], int32(w))
	}
	for t, move := range moves {
		if len(move) != length {
			return nil, fmt.Errorf("cycle %d: %d counts, expected %d", t+1, len(move), length)
		}
		// From the end, so that nobody moves twice in one cycle.
		for i := length - 1; i >= 0; i-- {
			n := int(move[i])
			if n < 0 || n > len(queue[i]) {
				return nil, fmt.Errorf("cycle %d: %d of %d warps execute instruction %d", t+1, n, len(queue[i]), i+1)
			}
			for _, w := range queue[i][:n] {
				s.Cycle[w] = append(s.Cycle[w], int32(t+1))
			}
			queue[i+1] = append(queue[i+1], queue[i][:n]...)
			queue[i] = queue[i][n:]
		}
	}
	if len(queue[length]) != len(s.Cycle) {
		return nil, fmt.Errorf("%d of %d warps have ended after %d cycles", len(queue[length]), len(s.Cycle), len(moves))
	}
	return s, nil
}
