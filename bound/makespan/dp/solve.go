package dp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/warpbound/warpbound/bound/makespan"
)

// DefaultMemoryBytes is the memory that Options allow where they do not say.
const DefaultMemoryBytes = 2 << 30

// Options of Solve. The zero value computes the makespan with the default memory
// on all cores.
type Options struct {
	// MemoryBytes bounds the memory for values, tables and the result; 0 is
	// DefaultMemoryBytes.
	MemoryBytes int64
	// Workers is the number of goroutines that share the work; 0 is GOMAXPROCS. The
	// result does not depend on it.
	Workers int
	// Schedule asks for a schedule that attains the makespan.
	Schedule bool
	// Upto asks for the makespans of all smaller numbers of warps, too.
	Upto bool
	// Progress is called from Solve's goroutine every now and then with the states
	// done and those to do in all. The latter grows where a schedule needs more.
	Progress func(done, total int64)
}

// Result of Solve.
type Result struct {
	// Cycles is the worst-case makespan.
	Cycles int64
	// Upto has the makespans of 1, 2, ... warps, if asked for.
	Upto []int64
	// Moves is a longest schedule, if asked for: Moves[t][i] warps execute
	// instruction i in cycle t+1 (makespan.FromMoves).
	Moves [][]int32
	// States is the number of values computed, MemoryBytes the memory for values,
	// tables and the result.
	States      int64
	MemoryBytes int64
	Elapsed     time.Duration
}

// Solve computes the worst-case makespan of the instance. It ends early when the
// context does.
//
// A problem too large for the memory or for int64 state numbers, and an ended
// context, are a *makespan.LimitError with the safe bound in Cycles. Need of memory
// is known, and refused, before any is allocated. If the context ended the sweep
// and Options.Upto is set, the result is not nil but has the makespans in Upto that
// were found, of the smallest numbers of warps; they are exact.
func Solve(ctx context.Context, in *makespan.Instance, o Options) (*Result, error) {
	start := time.Now()
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = DefaultMemoryBytes
	}
	if o.Workers <= 0 {
		o.Workers = defaultWorkers()
	}
	safe, err := in.Safe()
	if err != nil {
		return nil, err
	}
	s := &solver{in: in, Options: o, safe: safe}
	direct := in.Warps == 1 || in.Length == 1
	if err := s.check(direct); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, s.ended(ctx, start)
	}
	switch {
	case direct:
		s.direct()
	case safe <= math.MaxUint16:
		err = solve[uint16](ctx, s, 2)
	default:
		err = solve[uint32](ctx, s, 4)
	}
	s.result.Elapsed = time.Since(start)
	if !o.Upto {
		s.result.Upto = nil
	}
	if err != nil && ctx.Err() != nil {
		err = s.ended(ctx, start)
	}
	if err != nil {
		if len(s.result.Upto) == 0 {
			return nil, err
		}
		s.result.Cycles = 0
		return &s.result, err
	}
	return &s.result, nil
}

// solver is one call of Solve.
type solver struct {
	Options
	in     *makespan.Instance
	safe   int64 // the safe bound, in cycles
	fixed  int64 // bytes for tables and the result
	result Result
	total  int64 // states to do, as far as known
	shown  int64 // states done when progress was last reported
}

// limit is the error for what has run out.
func (s *solver) limit(what, format string, args ...any) error {
	return &makespan.LimitError{What: what, Detail: fmt.Sprintf(format, args...), Cycles: s.safe}
}

// ended is the error of an ended context.
func (s *solver) ended(ctx context.Context, start time.Time) error {
	return &makespan.LimitError{
		What: "time",
		Detail: fmt.Sprintf("%d of at least %d states done in %s", s.result.States, max(s.total, s.result.States),
			time.Since(start).Round(time.Millisecond)),
		Cycles: s.safe,
		Cause:  context.Cause(ctx),
	}
}

// check refuses what cannot be numbered, and tables and results that do not fit.
func (s *solver) check(direct bool) error {
	if !direct {
		if s.in.Code == nil {
			return s.limit("states", "a string of %d instructions, at most %d can be treated one by one", s.in.Length, makespan.MaxCode)
		}
		if s.safe > math.MaxUint32 {
			return s.limit("states", "a makespan of up to %d cycles, at most %d can be kept for a state", s.safe, int64(math.MaxUint32))
		}
	}
	need := s.fixedBytes(s.in, s.safe, direct)
	if need > float64(s.MemoryBytes) {
		return s.limit("memory", "the tables and the result need %.3g bytes, %d are allowed", need, s.MemoryBytes)
	}
	s.fixed = int64(need)
	return nil
}

// fixedBytes is the memory for the tables of a space and for the result. It may be
// beyond int64, and need not be exact: a float will do.
func (s *solver) fixedBytes(in *makespan.Instance, safe int64, direct bool) float64 {
	length, warps := float64(in.Length), float64(in.Warps)
	need := 8 * warps
	if !direct {
		need += 16 * (length + 2) * (warps + 2)
	}
	if direct && !s.Upto {
		need = 0
	}
	if s.Schedule {
		need += float64(safe) * (4*length + 24)
	}
	return need
}

// direct solves one warp, which executes an instruction in every cycle, and one
// instruction, which as many warps execute in every cycle as can.
func (s *solver) direct() {
	capacity := s.in.Kinds[0].Capacity
	if s.in.Length == 1 {
		s.result.Cycles = (s.in.Warps-1)/capacity + 1
	} else {
		s.result.Cycles = s.in.Length
	}
	s.result.MemoryBytes = s.fixed
	if s.Upto {
		for w := int64(1); w <= s.in.Warps; w++ {
			s.result.Upto = append(s.result.Upto, max((w-1)/capacity+1, s.in.Length))
		}
	}
	for t := int64(0); s.Schedule && t < s.result.Cycles; t++ {
		row := make([]int32, s.in.Length)
		if s.in.Length == 1 {
			row[0] = int32(min(capacity, s.in.Warps-t*capacity))
		} else {
			row[t] = 1
		}
		s.result.Moves = append(s.result.Moves, row)
	}
}

// solve sweeps the states that can follow from the start, and then, if a schedule
// is asked for, walks through the slices kept and sweeps again what can follow from
// where they end, until the walk ends. A cell takes width bytes.
func solve[C cell](ctx context.Context, s *solver, width int64) error {
	space := newSpace(s.in, make([]int, s.in.Length))
	if space == nil {
		return s.limit("states", "more than 2^61 states")
	}
	allowed := (s.MemoryBytes - s.fixed) / width
	plan := newLayout(space, allowed, s.Schedule)
	if plan.cells > allowed || plan.cells > math.MaxInt/width {
		return s.tooLarge(plan.cells*width+s.fixed, width)
	}
	s.result.MemoryBytes = plan.cells*width + s.fixed
	cells := make([]C, plan.cells)
	n := make([]int, s.in.Length)
	for first := true; ; first = false {
		s.total += space.total
		before := s.result.States
		sw := newSweep(space, plan, cells[:plan.cells], s.Workers)
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
			s.result.Cycles = s.result.Upto[s.in.Warps-1]
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

// report calls Progress where enough has been done since it was last called.
func (s *solver) report() {
	if s.Progress != nil && (s.result.States == s.total || s.result.States-s.shown > s.total/256) {
		s.shown = s.result.States
		s.Progress(s.result.States, s.total)
	}
}

// tooLarge is the error for values that do not fit. It tells how many warps would.
func (s *solver) tooLarge(need, width int64) error {
	fits := int64(1)
	for low, high := int64(2), s.in.Warps-1; low <= high; {
		mid := low + (high-low)/2
		in := s.in.WithWarps(mid)
		safe, _ := in.Safe() // less than with more warps, which did not overflow
		allowed := (s.MemoryBytes - int64(s.fixedBytes(in, safe, false))) / width
		space := newSpace(in, make([]int, in.Length))
		if space != nil && newLayout(space, allowed, s.Schedule).cells <= allowed {
			fits, low = mid, mid+1
		} else {
			high = mid - 1
		}
	}
	return s.limit("memory", "%d warps need %d bytes, %d are allowed; %d warps would fit", s.in.Warps, need, s.MemoryBytes, fits)
}
