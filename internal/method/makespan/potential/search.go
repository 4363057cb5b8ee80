package potential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// Limits bound the work of Exact. The zero value means the defaults.
type Limits struct {
	// MemoryBytes bounds the states kept and the schedule; the default is 1 GB.
	MemoryBytes int64
	// UpperCycles is a bound on T(W) proved by other means, such as courses; 0 means
	// none. It is relied on where a schedule attains it.
	UpperCycles int64
}

// Result is what Exact found out about T(W).
type Result struct {
	// Cycles is the makespan of the longest schedule found, at most T(W).
	Cycles int64
	// UpperCycles is proved: T(W) is at most that. Exact: it equals Cycles.
	UpperCycles int64
	Exact       bool
	// Moves is a schedule of Cycles cycles: how many warps execute each instruction
	// in each cycle (see makespan.FromMoves). Equal cycles may share a slice. It is
	// nil where the schedule alone exceeds the memory.
	Moves [][]int32
	// States is how many states the search kept, 0 where the bound was reached
	// without.
	States int64
}

// BoundError is a schedule that is longer than what was taken for a bound: the
// certificate has not passed Check, or Limits.UpperCycles is wrong.
type BoundError struct {
	FoundCycles, UpperCycles int64
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("a schedule of %d cycles, where at most %d were said to be possible", e.FoundCycles, e.UpperCycles)
}

const (
	defaultMemoryBytes = 1 << 30
	bucketBytes        = 24
)

// Exact finds the exact worst-case makespan with a certificate that has passed
// Check (docs/soundness/makespan.md, theorem 16 (search)). It first builds schedules
// that keep the potential as high as possible; one that reaches the certificate's bound
// is proved to be longest. Otherwise it searches the states from which the potential
// still allows more, those that allow most first.
//
// When memory or ctx ends it first, the error is a *makespan.LimitError and the
// result is still valid: both bounds are safe. A *BoundError leaves nothing valid
// but the schedule.
func Exact(ctx context.Context, in *makespan.Instance, c *Certificate, l Limits) (Result, error) {
	if l.MemoryBytes <= 0 {
		l.MemoryBytes = defaultMemoryBytes
	}
	upper, _, err := c.Cycles(in)
	if err != nil {
		return Result{}, err
	}
	if l.UpperCycles > 0 {
		upper = min(upper, l.UpperCycles)
	}
	if in.Warps < c.Caps[0] {
		// The certificate starts with more warps than these and says nothing of the
		// states from here on.
		return Result{UpperCycles: upper}, &makespan.LimitError{
			What: "states", Cycles: upper,
			Detail: fmt.Sprintf("the certificate is for at least %d warps", c.Caps[0]),
		}
	}
	if in.Warps > math.MaxInt32 || upper > math.MaxInt32 {
		return Result{UpperCycles: upper}, &makespan.LimitError{
			What: "states", Cycles: upper, Detail: fmt.Sprintf("%d warps are too many to be scheduled", in.Warps),
		}
	}
	if !c.fits(in.Warps, upper) {
		return Result{UpperCycles: upper}, limitError(c.tooLarge(in.Warps), upper)
	}
	r := Result{UpperCycles: upper}
	for _, rule := range tieRules {
		moves, cycles, err := dive(ctx, c, in, rule, l.MemoryBytes)
		if err != nil {
			return r, limitError(err, r.UpperCycles)
		}
		if cycles > r.Cycles {
			r.Cycles, r.Moves = cycles, moves
		}
		if r.Cycles > upper {
			return r, &BoundError{r.Cycles, upper}
		}
		if r.Cycles == upper {
			r.Exact = true
			return r, nil
		}
	}
	if gap := upper - r.Cycles; gap > l.MemoryBytes/bucketBytes {
		return r, &makespan.LimitError{
			What: "memory", Cycles: upper, Detail: fmt.Sprintf("%d cycles between the schedule found and the bound", gap),
		}
	}
	s := newSearch(c, &r, l.MemoryBytes)
	err = s.run(ctx, in.Warps)
	r.States = int64(len(s.cycle))
	r.Exact = r.Cycles == r.UpperCycles
	if err != nil {
		return r, limitError(err, r.UpperCycles)
	}
	return r, nil
}

// limitError adds the bound that is proved to the error of a limit.
func limitError(err error, upper int64) error {
	var limit *makespan.LimitError
	if errors.As(err, &limit) {
		limit.Cycles = upper
	}
	return err
}

// search keeps the states seen with the latest cycle in which each can be entered.
// A state that is entered later than before is expanded again.
type search struct {
	*cycles
	result *Result
	memory int64
	length int
	counts []int32 // by state
	cycle  []int32
	parent []int32
	table  []int32 // open addressing: state + 1
	// open are the states to be expanded by the bound on schedules through them, less
	// the length of the schedule known; the last of a bucket goes first, which makes
	// the search go for the end.
	open    [][]entry
	floor   int64
	used    int64 // bytes of open
	current int32 // state being expanded
	batch   []child
}

type entry struct{ state, cycle int32 }

// child is a state entered from the current one.
type child struct {
	state     int32
	potential int64
}

func newSearch(c *Certificate, r *Result, memory int64) *search {
	s := &search{
		cycles: newCycles(c), result: r, memory: memory, length: len(c.Kinds),
		table: make([]int32, 1<<12), floor: r.Cycles, open: make([][]entry, r.UpperCycles-r.Cycles+1),
	}
	s.visit = s.enter
	return s
}

// run ends with the result's two bounds equal, or with the error of a limit.
func (s *search) run(ctx context.Context, warps int64) error {
	start := make([]int32, s.length)
	start[0] = int32(warps)
	here := make([]int32, s.length)
	s.current = -1
	s.enter(start, s.potential(start))
	if _, err := s.push(s.result.UpperCycles); err != nil {
		return err
	}
	expanded := 0
	for top := s.result.UpperCycles; top > s.result.Cycles; top-- {
		s.result.UpperCycles = top
		bucket := top - s.floor
		for len(s.open[bucket]) > 0 {
			if expanded++; expanded&1023 == 0 {
				if ctx.Err() != nil {
					return ended(ctx)
				}
				if s.bytes() > s.memory {
					return &makespan.LimitError{What: "memory", Detail: fmt.Sprintf("%d states in %d bytes", len(s.cycle), s.bytes())}
				}
			}
			last := len(s.open[bucket]) - 1
			e := s.open[bucket][last]
			s.open[bucket] = s.open[bucket][:last]
			s.used -= 8
			if e.cycle < s.cycle[e.state] {
				continue // entered later since
			}
			s.current = e.state
			copy(here, s.at(e.state)) // entering states moves them
			s.from(here)
			if ended, err := s.push(top); ended || err != nil {
				return err
			}
		}
	}
	s.result.UpperCycles = s.result.Cycles
	return nil
}

func (s *search) bytes() int64 {
	return int64(cap(s.counts)+cap(s.cycle)+cap(s.parent)+cap(s.table))*4 + s.used
}

func (s *search) at(state int32) []int32 {
	return s.counts[int(state)*s.length:][:s.length]
}

// enter notes that the cycle after the current state can lead to next.
func (s *search) enter(next []int32, potential int64) {
	cycle := int32(0)
	if s.current >= 0 {
		cycle = s.cycle[s.current] + 1
	}
	if s.reach(cycle, potential) <= s.floor {
		return
	}
	slot := s.slot(next)
	if s.table[slot] == 0 {
		if len(s.cycle) >= len(s.table)/2 {
			s.grow()
			slot = s.slot(next)
		}
		s.counts = append(s.counts, next...)
		s.cycle = append(s.cycle, -1)
		s.parent = append(s.parent, -1)
		s.table[slot] = int32(len(s.cycle))
	}
	state := s.table[slot] - 1
	if cycle <= s.cycle[state] {
		return
	}
	s.cycle[state], s.parent[state] = cycle, s.current
	s.batch = append(s.batch, child{state, potential})
}

// reach bounds the schedules through a state that is entered after a number of
// cycles.
func (s *search) reach(cycle int32, potential int64) int64 {
	total := int64(cycle)*s.Scale + potential
	if total < 0 {
		return 0
	}
	return total / s.Scale
}

// push puts the batch into its buckets, the lowest potentials first, and says
// whether a schedule of top cycles is complete. A longer one is a *BoundError.
func (s *search) push(top int64) (bool, error) {
	slices.SortStableFunc(s.batch, func(a, b child) int { return cmp.Compare(a.potential, b.potential) })
	defer func() { s.batch = s.batch[:0] }()
	for _, b := range s.batch {
		cycle := s.cycle[b.state]
		if first(s.at(b.state)) == s.length {
			if int64(cycle) > s.result.Cycles {
				s.result.Cycles, s.result.Moves = int64(cycle), s.trace(b.state)
			}
			if int64(cycle) > top {
				return false, &BoundError{int64(cycle), top}
			}
			if int64(cycle) == top {
				s.result.UpperCycles = top
				return true, nil
			}
			continue
		}
		bucket := min(s.reach(cycle, b.potential), top) - s.floor
		s.open[bucket] = append(s.open[bucket], entry{b.state, cycle})
		s.used += 8
	}
	return false, nil
}

// trace is the schedule that ends in a state: the moves between it and its parents.
func (s *search) trace(state int32) [][]int32 {
	var moves [][]int32
	seen := moveSet{scratch: make([]int32, s.length)}
	for s.parent[state] >= 0 {
		moves = append(moves, seen.between(s.at(s.parent[state]), s.at(state)))
		state = s.parent[state]
	}
	slices.Reverse(moves)
	return moves
}

// moveBetween is how many warps executed each instruction between two states.
func moveBetween(move, from, to []int32) {
	came := int32(0)
	for i := range from {
		came += from[i] - to[i]
		move[i] = came
	}
}

// slot is where a state is in the table, or belongs.
func (s *search) slot(counts []int32) int {
	hash := uint64(14695981039346656037)
	for _, c := range counts {
		hash = (hash ^ uint64(uint32(c))) * 1099511628211
	}
	hash ^= hash >> 29
	mask := len(s.table) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		if s.table[i] == 0 || slices.Equal(s.at(s.table[i]-1), counts) {
			return i
		}
	}
}

func (s *search) grow() {
	old := s.table
	s.table = make([]int32, 2*len(old))
	for _, state := range old {
		if state != 0 {
			s.table[s.slot(s.at(state-1))] = state
		}
	}
}
