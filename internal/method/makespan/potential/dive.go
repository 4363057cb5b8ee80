package potential

import (
	"context"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// tieRule chooses among cycles that lower the potential equally.
type tieRule int

const (
	// tieFirst takes the choice that executes latest in the string, tieLast the one
	// that executes earliest: cycles are enumerated from the former to the latter.
	tieFirst tieRule = iota
	tieLast
)

var tieRules = []tieRule{tieFirst, tieLast}

// dive is one schedule: in each cycle what lowers the potential least. It gives
// the number of cycles and, where they fit memory in bytes, the moves.
func dive(ctx context.Context, c *Certificate, in *makespan.Instance, rule tieRule, memory int64) ([][]int32, int64, error) {
	if !c.fits(in.Warps, 0) {
		return nil, 0, c.tooLarge(in.Warps)
	}
	length := len(c.Kinds)
	here, best := make([]int32, length), make([]int32, length)
	here[0] = int32(in.Warps)
	highest, found := int64(0), false
	x := newCycles(c)
	x.visit = func(next []int32, potential int64) {
		if !found || potential > highest || rule == tieLast && potential == highest {
			copy(best, next)
			highest, found = potential, true
		}
	}
	var moves [][]int32
	seen := moveSet{scratch: make([]int32, length)}
	keep := memory > 0
	cycles := int64(0)
	for first(here) < length {
		if cycles&1023 == 0 && ctx.Err() != nil {
			return nil, 0, ended(ctx)
		}
		found = false
		x.from(here)
		cycles++
		if keep {
			moves = append(moves, seen.between(here, best))
			if keep = int64(cap(moves))*24 < memory; !keep {
				moves = nil
			}
		}
		copy(here, best)
	}
	return slices.Clip(moves), cycles, nil
}

// moveSet keeps equal moves once. A schedule has few different ones and mostly
// repeats the latest, so it looks through them from the front and moves what it
// finds there.
type moveSet struct {
	moves   [][]int32
	scratch []int32
}

func (s *moveSet) between(from, to []int32) []int32 {
	moveBetween(s.scratch, from, to)
	for n, m := range s.moves {
		if slices.Equal(m, s.scratch) {
			copy(s.moves[1:n+1], s.moves[:n])
			s.moves[0] = m
			return m
		}
	}
	s.moves = slices.Insert(s.moves, 0, slices.Clone(s.scratch))
	return s.moves[0]
}
