package dp

import (
	"context"
	"errors"
	"sort"
)

// flat sweeps the states that can follow from the start, and then, if a schedule is
// asked for, walks through the slices kept and sweeps again what can follow from
// where they end, until the walk ends. A cell takes width bytes.
func flat[C cell](ctx context.Context, s *solver, space *space, plan *layout, width int64) error {
	s.result.Engine = Flat
	s.result.MemoryBytes = plan.cells*width + s.fixed
	cells := make([]C, plan.cells)
	n := make([]int, s.in.Length)
	for first := true; ; first = false {
		s.total += space.total
		before := s.result.States
		sw := newSweep(space, plan, cells[:plan.cells], s.Workers, s.share)
		err := sw.run(ctx, func(done int64) {
			s.result.States = before + done
			s.report()
		})
		if first {
			s.result.Upto = sw.upto[min(1, len(sw.upto)):]
		}
		if err != nil {
			return err
		}
		if first {
			s.found(s.result.Upto[s.in.Warps-1])
		}
		if !s.Schedule {
			return nil
		}
		if s.result.Moves, err = sw.walk(n, s.result.Moves); err != nil {
			return err
		}
		if int64(len(s.result.Moves)) == s.result.Cycles {
			return nil
		}
		space = newSpace(s.in, append([]int(nil), n...))
		plan = newLayout(space, int64(len(cells)), true)
	}
}

// levels sweeps the levels of every number of warps that was asked for.
func (s *solver) levels(ctx context.Context) error {
	s.result.Engine = Levels
	from := s.in.Warps
	if s.Upto {
		from = 1
	}
	start := make([]int, s.in.Length)
	s.total = newSpace(s.in, start).total
	for w := from; w <= s.in.Warps; w++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := w == s.in.Warps
		space := newSpace(s.in.WithWarps(w), start)
		if !last {
			// The remaining work is determined on the way: numbering the spaces of
			// very many warps would outlast a deadline.
			s.total += space.total
		}
		cycles, err := s.level(ctx, space, last && s.Schedule)
		if errors.Is(err, errMemory) && last && s.Schedule {
			// The value needs a few levels only, the schedule all of them.
			if cycles, err = s.level(ctx, space, false); err == nil {
				s.found(cycles)
				s.result.Upto = append(s.result.Upto, cycles)
				return s.limit("memory", "a schedule needs more than %d bytes", s.MemoryBytes)
			}
		}
		if errors.Is(err, errMemory) {
			return s.limit("memory", "%d warps need more than %d bytes", w, s.MemoryBytes)
		}
		if err != nil {
			return err
		}
		s.result.Upto = append(s.result.Upto, cycles)
		if last {
			s.found(cycles)
		}
	}
	s.total = s.result.States
	s.report()
	return nil
}

// level computes the makespan of one space, and a schedule where walk is true.
func (s *solver) level(ctx context.Context, space *space, walk bool) (int64, error) {
	v := newLevels(space, s.MemoryBytes-s.fixed, walk)
	before := s.result.States
	cycles, err := v.run(ctx, func(states int64) {
		s.result.States = before + states
		s.report()
	})
	s.result.MemoryBytes = max(s.result.MemoryBytes, v.peak+s.fixed)
	if err == nil && walk {
		s.result.Moves, err = v.walk(cycles)
	}
	return cycles, err
}

// found notes the exact makespan, which is then the bound even if the rest is cut
// short.
func (s *solver) found(cycles int64) { s.result.Cycles, s.safe = cycles, cycles }

// tooLarge is the error for values that do not fit. It says how many warps would
// fit.
func (s *solver) tooLarge(need, width int64) error {
	fits := int64(1)
	for low, high := int64(2), s.in.Warps-1; low <= high; {
		mid := low + (high-low)/2
		in := s.in.WithWarps(mid)
		safe, _ := in.Safe() // less than with more warps, which did not overflow
		space := newSpace(in, make([]int, in.Length))
		fixed := s.fixedBytes(in, safe, false) + s.listBytes(space)
		allowed := (s.MemoryBytes - int64(min(fixed, float64(s.MemoryBytes)))) / width
		if newLayout(space, allowed, s.Schedule).cells <= allowed {
			fits, low = mid, mid+1
		} else {
			high = mid - 1
		}
	}
	return s.limit("memory", "%d warps need %d bytes, %d are allowed; %d warps would fit", s.in.Warps, need, s.MemoryBytes, fits)
}

const (
	// sparseFrom is the number of states from which it pays to estimate how many of
	// them can be reached; sparseProbe is how many to number for the estimate.
	sparseFrom  = 1 << 24
	sparseProbe = 1 << 17
	// levelCost is how many states Flat sweeps in the time that Levels takes for one
	// (BenchmarkEngines).
	levelCost = 40
	// levelBytes is what Levels keeps of a state for a schedule, tables half full.
	levelBytes = 2 * entryBytes
	// maxLevelStates is the largest number of states on which Auto tries Levels, a
	// quarter of an hour's work.
	maxLevelStates = 1 << 31
)

// sparse guesses whether Levels is faster than Flat on a space.
func (s *solver) sparse(ctx context.Context, all *space) bool {
	if all.total < sparseFrom {
		return false
	}
	states := s.reachable(ctx, all)
	if s.Schedule && states*levelBytes > float64(s.MemoryBytes-s.fixed) {
		return false
	}
	if s.Upto {
		// The spaces of all smaller numbers of warps together.
		states *= float64(s.in.Warps+s.in.Length+1) / float64(s.in.Length+1)
	}
	return states*levelCost < float64(all.total)
}

// hopeful estimates whether Levels can finish: in time, and with the levels in memory
// that a cycle can lead to. About as many states as an average level has must be
// kept; where even twice the memory would not hold these, Levels is refused at once
// rather than when the memory is full.
func (s *solver) hopeful(ctx context.Context, all *space) bool {
	states := s.reachable(ctx, all)
	kept := 1.0
	for _, c := range all.capacity {
		kept = min(kept+float64(c), float64(all.warps)+1)
	}
	need := states / (float64(all.warps) * float64(len(all.code))) * kept * entryBytes
	return states <= maxLevelStates && need <= 2*float64(s.MemoryBytes-s.fixed)
}

// reachable estimates how many states of a space can be reached: it counts them in
// two smaller spaces, and extrapolates the fall of the proportion from one to the
// other.
func (s *solver) reachable(ctx context.Context, all *space) float64 {
	// A space has more states than warps.
	warps := int64(sort.Search(int(min(s.in.Warps, sparseProbe))-1, func(i int) bool {
		return newSpace(s.in.WithWarps(int64(i+2)), all.low).total > sparseProbe
	})) + 1
	less, more := s.proportion(ctx, max(1, warps/2)), s.proportion(ctx, warps)
	fall := min(more/less, 1)
	for ; 2*warps <= s.in.Warps; warps *= 2 {
		more *= fall
	}
	return more * float64(all.total)
}

// proportion is how much of the space of a number of warps can be reached; 1 where
// counting would take too long.
func (s *solver) proportion(ctx context.Context, warps int64) float64 {
	space := newSpace(s.in.WithWarps(warps), make([]int, s.in.Length))
	v := newLevels(space, s.MemoryBytes-s.fixed, false)
	if _, err := v.run(ctx, func(int64) {}); err != nil {
		return 1
	}
	return float64(v.states) / float64(space.total)
}
