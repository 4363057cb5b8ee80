package dp

import "fmt"

// choices are the ways in which a cycle can go from a state.
type choices struct {
	s       *space
	waiting []int // by instruction
	behind  []int // by instruction: the warps that wait for a later one of its kind
	left    []int // by kind: instructions to execute
	moves   []int // by instruction: warps that execute it
}

func newChoices(s *space) *choices {
	length := len(s.code)
	return &choices{s, make([]int, length), make([]int, length), make([]int, len(s.capacity)), make([]int, length)}
}

// each calls f with every choice, those that execute fewer of the first
// instructions before the others, until f returns true. It returns whether f did;
// f is not called where every warp has ended.
func (c *choices) each(n []int, f func(moves []int) bool) bool {
	ready := make([]int, len(c.left))
	for i := len(n) - 1; i >= 0; i-- {
		before := c.s.warps
		if i > 0 {
			before = n[i-1]
		}
		k := c.s.code[i]
		c.waiting[i] = before - n[i]
		c.behind[i] = ready[k]
		ready[k] += c.waiting[i]
	}
	busy := false
	for k, r := range ready {
		c.left[k] = min(r, c.s.capacity[k])
		busy = busy || r > 0
	}
	return busy && c.from(0, f)
}

func (c *choices) from(i int, f func(moves []int) bool) bool {
	if i == len(c.moves) {
		return f(c.moves)
	}
	k := c.s.code[i]
	left := c.left[k]
	for x := max(0, left-c.behind[i]); x <= min(left, c.waiting[i]); x++ {
		c.moves[i] = x
		c.left[k] = left - x
		if c.from(i+1, f) {
			return true
		}
	}
	c.left[k] = left
	return false
}

// walk appends the cycles of a longest path from n, in counts by instruction, and
// moves n along until every warp has ended or n[0] is beyond what the sweep has
// kept. Of equally long paths it takes the first of choices.
func (s *sweep[C]) walk(n []int, cycles [][]int32) ([][]int32, error) {
	c := newChoices(s.space)
	// The ring still has slice keep+1 and those that it looks at.
	for n[0] <= s.keep+1 {
		value := s.cells[s.at(n)]
		if value == 0 {
			return cycles, nil
		}
		found := c.each(n, func(moves []int) bool {
			for i, x := range moves {
				n[i] += x
			}
			if s.cells[s.at(n)] == value-1 {
				return true
			}
			for i, x := range moves {
				n[i] -= x
			}
			return false
		})
		if !found {
			return nil, fmt.Errorf("no successor of state %v has %d cycles left", n, value-1)
		}
		row := make([]int32, len(n))
		for i, x := range c.moves {
			row[i] = int32(x)
		}
		cycles = append(cycles, row)
	}
	return cycles, nil
}
