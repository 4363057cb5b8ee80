package makespan

import (
	"fmt"
	"math"
	"slices"
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
// (docs/soundness/makespan.md, section 15): every warp executes the whole string in
// order, one instruction per cycle at most; no kind executes more than its capacity in a
// cycle, nor less while a warp's next instruction is of the kind. The error names the
// warp, instruction and cycle, counted from 1.
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

// checkCapacity goes through the cycles in order. Only how many warps wait for a
// kind matters, so that all takes time in proportion to warps times instructions.
func (s *Schedule) checkCapacity(in *Instance) error {
	// With one instruction executed in each, that many cycles are enough: a schedule
	// that ends later pauses in one of them.
	cycles := min(s.MakespanCycles(), in.Warps*int64(len(in.Code)))
	executed := s.byCycle(cycles)
	waiting, done := make([]int64, len(in.Kinds)), make([]int64, len(in.Kinds))
	waiting[in.Code[0]] = in.Warps
	for t := int64(1); t <= cycles; t++ {
		clear(done)
		now := executed.of(t)
		for _, i := range now {
			done[in.Code[i]]++
		}
		for k, n := range done {
			if n > in.Kinds[k].Capacity {
				return fmt.Errorf("cycle %d: %d instructions %c, capacity %d", t, n, in.Kinds[k].Letter, in.Kinds[k].Capacity)
			}
			if n < waiting[k] && n < in.Kinds[k].Capacity {
				return fmt.Errorf("cycle %d: warp %d waits for %c, which executes %d of %d",
					t, s.waits(in, k, t)+1, in.Kinds[k].Letter, n, in.Kinds[k].Capacity)
			}
		}
		for _, i := range now {
			waiting[in.Code[i]]--
			if next := int(i) + 1; next < len(in.Code) {
				waiting[in.Code[next]]++
			}
		}
	}
	return nil
}

// waits is the first warp that waits for a kind in a cycle and executes nothing.
func (s *Schedule) waits(in *Instance, kind int, t int64) int {
	return slices.IndexFunc(s.Cycle, func(row []int32) bool {
		i, executes := slices.BinarySearch(row, int32(t))
		return !executes && i < len(row) && int(in.Code[i]) == kind
	})
}

// executions are the instructions that the cycles execute, a number for each warp
// that does, those of cycle t between first[t] and first[t+1].
type executions struct {
	first        []int
	instructions []int32
}

func (e *executions) of(t int64) []int32 { return e.instructions[e.first[t]:e.first[t+1]] }

// byCycle sorts what is executed up to a cycle, by counting.
func (s *Schedule) byCycle(cycles int64) *executions {
	// While a cycle is filled, its end is where the next goes; the count of a cycle
	// is kept two further on for that.
	e := &executions{first: make([]int, cycles+3)}
	for _, row := range s.Cycle {
		for _, t := range row {
			if int64(t) <= cycles {
				e.first[t+2]++
			}
		}
	}
	for t := 1; t < len(e.first); t++ {
		e.first[t] += e.first[t-1]
	}
	e.instructions = make([]int32, e.first[len(e.first)-1])
	for _, row := range s.Cycle {
		for i, t := range row {
			if int64(t) <= cycles {
				e.instructions[e.first[t+1]] = int32(i)
				e.first[t+1]++
			}
		}
	}
	return e
}

// maxScheduled is the most instructions of a schedule, all warps together: 8 GB.
const maxScheduled = math.MaxInt32

// FromMoves makes a schedule of warps out of a schedule of counts: moves[t][i] is
// how many warps execute instruction i in cycle t+1. Of the warps that stand
// before an instruction, those that came first go first, and of those that came
// together the lowest numbered: so every instruction is executed in the order of
// the warps.
func FromMoves(in *Instance, moves [][]int32) (*Schedule, error) {
	if in.Code == nil || in.Warps > math.MaxInt32 || int64(len(moves)) > math.MaxInt32 || in.Length > maxScheduled/in.Warps {
		return nil, fmt.Errorf("%d warps of %d instructions are too many to be scheduled one by one", in.Warps, in.Length)
	}
	length, warps := len(in.Code), int(in.Warps)
	s := &Schedule{Cycle: make([][]int32, warps)}
	all := make([]int32, warps*length)
	for w := range s.Cycle {
		s.Cycle[w] = all[w*length : (w+1)*length : (w+1)*length]
	}
	done := make([]int, length) // warps past an instruction
	for t, move := range moves {
		if len(move) != length {
			return nil, fmt.Errorf("cycle %d: %d counts, expected %d", t+1, len(move), length)
		}
		// From the end, so that nobody moves twice in one cycle.
		for i := length - 1; i >= 0; i-- {
			if move[i] == 0 {
				continue
			}
			came := warps
			if i > 0 {
				came = done[i-1]
			}
			n := int(move[i])
			if n < 0 || n > came-done[i] {
				return nil, fmt.Errorf("cycle %d: %d of %d warps execute instruction %d", t+1, n, came-done[i], i+1)
			}
			for w := done[i]; w < done[i]+n; w++ {
				s.Cycle[w][i] = int32(t + 1)
			}
			done[i] += n
		}
	}
	if done[length-1] != warps {
		return nil, fmt.Errorf("%d of %d warps have ended after %d cycles", done[length-1], warps, len(moves))
	}
	return s, nil
}
