package simt

import (
	"context"
	"fmt"
	"math"

	"github.com/warpbound/warpbound/isa"
)

// Coverer executes a launch once for all inputs: what is known is computed, and where
// control depends on what is not, every way is taken (docs/soundness/covering.md, theorem 42 (covering)).
type Coverer interface {
	// Cover executes block i and tells the sink what each of its warps may execute.
	// Blocks have to be covered in order, each once. The error is a *NotCovered where
	// something cannot be covered, or what the kernel does wrong for every input, with
	// its blocks and warps in the order in which they are covered.
	Cover(ctx context.Context, i int64, limits Limits, executed *int64, sink CoverSink) error
	// Distrusted names the memory that somebody relied on before something else
	// turned out to change it in an order that is not known. Where it is not empty,
	// what the sink was told is worth nothing, and a new launch has to be covered
	// with this memory unknown from the start.
	Distrusted() []string
	// Blocks is how many blocks have to be covered: all, or one that stands for all.
	Blocks() int64
}

// CoverOptions say how a launch is covered.
type CoverOptions struct {
	Unknown []string // memory whose contents are unknown, whatever the launch says
	// Closed covers one block that stands for all, and of a loop one iteration that
	// does, where it can: it takes a time that does not grow with them.
	Closed bool
	// Execute has loops that only a stated bound ends executed iteration by iteration also
	// where Closed is set.
	Execute bool
	// Functions takes instructions whose results the instruction set leaves open to give
	// equal results for equal operands (assumption A36); of closed executions.
	Functions bool
}

// CoverSink is told what a warp may execute, in order. Between Fork and Join the warp
// executes the instructions before Next, those after it, or both, one after the other
// in any order.
type CoverSink interface {
	// Step is an instruction. Exec are the lanes that may take part; where the
	// addresses of some are not known, all are as far apart as they can be, so that
	// no execution makes more transactions. Then spread, if it is not nil, says
	// between which addresses the lanes access memory.
	Step(warp int, s *Step, spread *Spread)
	Fork(warp int)
	Next(warp int)
	Join(warp int, how Joined)
	// Between Loop and EndLoop the warp executes one iteration that stands for all of a
	// loop. Arrive says that it comes back to the head, where the iteration ends for
	// these lanes. How is nil where all since Loop is to be forgotten.
	Loop(warp int)
	Arrive(warp int)
	EndLoop(warp int, how *LoopEnd)
}

// Joined says how the parts of a fork are executed.
type Joined struct {
	First, Second bool // it is executed for certain, if the whole is
	Late          bool // the first comes after all that follows the Join, or before it
	// FirstEnded and SecondEnded say that no lane of the warp is left behind the part.
	FirstEnded, SecondEnded bool
}

// LoopEnd says how often a warp executes an iteration.
type LoopEnd struct {
	Most int64 // times that it comes back to the head, at most
	Head int32 // of the loop
	// Counts say more where Most is that of the largest scalar arguments in ranges: it is
	// also at most the largest of each list; nil where they say nothing more.
	Counts [][]Quotient
}

// Quotient is the least integer that is no less than (Constant + sum of Factors[i] * the
// i-th argument) / (Divisor + sum of Per[i] * the i-th argument), or 0 if that is negative.
// Arguments are those with a range, and behind them the extents of the grid with one.
type Quotient struct {
	Constant int64
	Factors  []int64
	Divisor  int64 // at least 1 with what is added to it
	Per      []int64
	// Around, if it is not NoLoop, is the head of a closed loop around, in whose z-th
	// iteration, counted from 0, First + Step * z is in the place of Constant.
	Around      int32
	First, Step int64
}

// Plus is a quotient with n times the dividend of another one added to its own; ok is false
// where that may not fit 64 bits.
func (q *Quotient) Plus(n int64, other *Quotient) (out Quotient, ok bool) {
	const limit = 1 << 30
	small := func(x int64) bool { return -limit < x && x < limit }
	ok = small(n) && small(q.Constant) && small(other.Constant)
	out = *q
	out.Constant += n * other.Constant
	out.Factors = make([]int64, len(q.Factors))
	for i, f := range q.Factors {
		ok = ok && small(f) && small(other.Factors[i])
		out.Factors[i] = f + n*other.Factors[i]
	}
	return out, ok
}

// NoLoop is the head of no loop.
const NoLoop = -1

// Spread says where lanes may access memory.
type Spread struct {
	// Low and High are the first and the last byte.
	Low, High uint64
	// Step, if it is not 0, says that the addresses of the step are right but for a
	// multiple of it, the same for all lanes.
	Step uint64
}

// NotCovered says what of a kernel is not executed for all inputs at once.
type NotCovered struct {
	PC          int32
	Pos, Source isa.Position
	What        string
	// Loop is the head of the loop whose bound is not known; isa.NoPC where that is not
	// the reason.
	Loop int32
	// Of such a loop: through what data decide whether it goes on, and the line of a file of
	// facts, under [loops], that is missing, with a number to be replaced.
	Decides, Fact string
}

func (e *NotCovered) Error() string { return fmt.Sprintf("%s: %s", e.Pos, e.What) }

// Range is what a scalar argument, or each element of a buffer, may be in the launches
// that something is claimed of.
type Range struct {
	Name     string // of the argument, or grid.x to grid.z
	Min, Max int64
	// Of a buffer: its elements ascend, by at most MaxStep each.
	Buffer, Ascending bool
	MaxStep           int64
	// Axis is 1 to 3 where the range is that of the grid in x to z, 0 for an argument.
	Axis int
}

// String names the argument and its range.
func (r Range) String() string {
	switch {
	case r.Min == -1<<31 && r.Max == 1<<31-1, r.Min == math.MinInt64 && r.Max == math.MaxInt64:
		return "any " + r.Name
	case r.Ascending:
		return fmt.Sprintf("elements of %s from %d to %d, ascending by at most %d", r.Name, r.Min, r.Max, r.MaxStep)
	case r.Buffer:
		return fmt.Sprintf("elements of %s from %d to %d", r.Name, r.Min, r.Max)
	}
	return fmt.Sprintf("%s from %d to %d", r.Name, r.Min, r.Max)
}
