package dp

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
)

// DefaultMemoryBytes is the memory that Options allow by default.
const DefaultMemoryBytes = 2 << 30

// maxWorkers is about the number of workers that a diagonal of a slice can keep
// busy.
const maxWorkers = 16

// Options of Solve. The zero value computes the makespan with the default memory
// on all cores.
type Options struct {
	// MemoryBytes bounds the memory for values, tables and the result; 0 is
	// DefaultMemoryBytes.
	MemoryBytes int64
	// Workers is the number of goroutines that share the work, at most maxWorkers; 0
	// is GOMAXPROCS. The result does not depend on it.
	Workers int
	// Engine is how to compute; Auto where it does not say.
	Engine Engine
	// Schedule asks for a schedule that attains the makespan.
	Schedule bool
	// Upto asks for the makespans of all smaller numbers of warps, too.
	Upto bool
	// Progress is called from Solve's goroutine from time to time with the states
	// done and the total. The latter grows where a schedule needs more, and is an
	// upper bound with Levels.
	Progress func(done, total int64)

	share int64 // see newSweep; 0 is shareStates
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
	// Engine is what computed it: Flat, Levels or Direct.
	Engine  Engine
	Elapsed time.Duration
}

// Engine is a way to compute a makespan. All give the same makespan, but possibly
// different ones of several longest schedules.
type Engine string

const (
	// Auto is Flat where that fits the memory and does not seem slower than Levels,
	// and Levels where it seems to have a chance.
	Auto Engine = ""
	// Flat sweeps all states of a space, two or four bytes each.
	Flat Engine = "flat"
	// Levels goes through the states that can be reached, a hash table a level. It
	// takes more time and memory per state, for fewer of them.
	Levels Engine = "levels"
	// Direct is a closed form for one warp or one instruction. It is used for
	// these whatever engine is set, and cannot be set itself.
	Direct Engine = "direct"
)

// Solve computes the worst-case makespan of the instance. It ends early when the
// context does.
//
// A problem too large for the memory or for int64 state numbers, and an ended
// context, are a *makespan.LimitError with a safe bound in Cycles. Need of memory
// in flat memory is known, and refused, before any is allocated. The result is not
// nil with such an error if something was found: Cycles, if not 0, is the exact
// makespan and only the schedule is missing; Upto, if asked for, has the exact
// makespans of the smallest numbers of warps.
func Solve(ctx context.Context, in *makespan.Instance, o Options) (*Result, error) {
	start := time.Now()
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = DefaultMemoryBytes
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = min(o.Workers, maxWorkers)
	if o.share == 0 {
		o.share = shareStates
	}
	safe, err := in.Safe()
	if err != nil {
		return nil, err
	}
	switch o.Engine {
	case Auto, Flat, Levels:
	default:
		return nil, fmt.Errorf("unknown engine %q", o.Engine)
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
	default:
		err = s.solve(ctx)
	}
	s.result.Elapsed = time.Since(start)
	if !o.Upto {
		s.result.Upto = nil
	}
	if err != nil && ctx.Err() != nil {
		err = s.ended(ctx, start)
	}
	if err != nil {
		s.result.Moves = nil
	}
	if err != nil && s.result.Cycles == 0 && len(s.result.Upto) == 0 {
		return nil, err
	}
	return &s.result, err
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
		need += 24 * (length + 2) * (warps + 2)
	}
	if direct && !s.Upto {
		need = 0
	}
	if s.Schedule {
		need += float64(safe) * (4*length + 24)
	}
	return need
}

// listBytes is the memory for the workers' lists of choices, however many there are:
// the engine must not depend on that.
func (s *solver) listBytes(space *space) float64 {
	return 3 * 8 * space.ways() * maxWorkers
}

// direct solves the case of one warp, which executes an instruction in every
// cycle, and that of one instruction, which the largest possible number of
// warps executes in every cycle.
func (s *solver) direct() {
	capacity := s.in.Kinds[0].Capacity
	if s.in.Length == 1 {
		s.result.Cycles = (s.in.Warps-1)/capacity + 1
	} else {
		s.result.Cycles = s.in.Length
	}
	s.result.Engine = Direct
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

// solve chooses between the engines.
func (s *solver) solve(ctx context.Context) error {
	space := newSpace(s.in, make([]int, s.in.Length))
	if space == nil {
		return s.limit("states", "more than %d states", int64(maxStates))
	}
	lists := s.listBytes(space)
	if lists > float64(s.MemoryBytes-s.fixed) {
		return s.limit("memory", "the choices of a cycle need %.3g bytes, %d are allowed", lists, s.MemoryBytes)
	}
	s.fixed += int64(lists)
	width := int64(2)
	if s.safe > math.MaxUint16 {
		width = 4
	}
	allowed := (s.MemoryBytes - s.fixed) / width
	plan := newLayout(space, allowed, s.Schedule)
	fits := plan.cells <= allowed && plan.cells <= math.MaxInt/width
	switch {
	case s.Engine == Levels,
		s.Engine == Auto && !fits && s.hopeful(ctx, space),
		s.Engine == Auto && fits && s.sparse(ctx, space):
		return s.levels(ctx)
	case !fits:
		return s.tooLarge(plan.cells*width+s.fixed, width)
	case width == 2:
		return flat[uint16](ctx, s, space, plan, width)
	default:
		return flat[uint32](ctx, s, space, plan, width)
	}
}

// report calls Progress where enough has been done since it was last called.
func (s *solver) report() {
	if s.Progress != nil && (s.result.States == s.total || s.result.States-s.shown > s.total/256) {
		s.shown = s.result.States
		s.Progress(s.result.States, s.total)
	}
}
