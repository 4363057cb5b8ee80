package tile

import "github.com/warpbound/warpbound/internal/prem/loop"

// Plan says how a kernel is cut into intervals that fit the scratchpad: what
// CMPT, DAE and SDMA have in common.
type Plan struct {
	Kernel         *loop.Nest
	Teams, Threads int64 // num_teams, num_threads
	SPMBytes       int64 // the capacity
	Bytes          int64 // of the scratchpad that the plan needs: the largest interval, reduction space included
	// Reduce is the scratchpad offset of the space in which a team combines its
	// reductions, 8 bytes a thread, one variable after the other; no box lies in it.
	// -1 where the kernel has no reduction.
	Reduce int64
	// Dims are the loops of the SIMT iteration space, outermost first.
	Dims []Dim
	// Body is what a tile of the SIMT space executes, in order.
	Body []Node
	// Compatible says why no plan for separate phases exists, so that DAE and SDMA
	// have to run the kernel as compatible intervals (no boxes are then given); nil
	// where one does.
	Compatible *loop.Error
	// Decisions are the steps of Algorithm 2, for explanation.
	Decisions []Decision
	NumVars   int // Var.ID is below it, new variables included

	loops []loopFact // of the kernel in program order, those of Dims first
}

// Dim is one loop of the SIMT space. A tile covers Threads*Per iterations: thread
// coordinate c executes iterations c, c+Threads, ..., Per of them, counted from
// the tile's first, at which the induction variable is Origin.
type Dim struct {
	Loop         *loop.For
	Origin       *loop.Var
	Threads, Per int64
}

// Node is *Walk, *Interval or *Plain.
type Node interface{ node() }

// Walk is a sequential loop around intervals: every thread of the team executes
// its iterations together, one value of the induction variable after the other.
// Each form of Lo and of Hi bounds what all threads of the tile execute, so that
// the walk is over the values that satisfy all of them: of an upward loop, from
// the greatest form of Lo to below the least form of Hi (Cmp Lt) or up to it (Le);
// of a downward one, from the least of Lo to above the greatest of Hi, or down to
// it. There is at least one of each; one is the usual case. They are affine in
// parameters, Origins and the Vars of Walks around it. A thread takes part in the
// iterations that lie in its own Loop.Lo, Loop.Hi.
type Walk struct {
	Loop   *loop.For
	Lo, Hi []loop.Linear
	Body   []Node
}

// Interval is a unit that is loaded, executed and stored. With a Tile, Stmts is
// the single loop Tile.Loop, of which each interval executes Tile.Count
// iterations; without, all of Stmts.
type Interval struct {
	Stmts []loop.Stmt
	Tile  *TileLoop
	Boxes []*Box // none where the plan is compatible
	Bytes int64  // of its boxes, with alignment
}

// TileLoop is the tiled loop: Origin is the induction variable's value at the
// interval's first iteration, Lo and Hi as in Walk.
type TileLoop struct {
	Loop   *loop.For
	Origin *loop.Var
	Count  int64
	Lo, Hi []loop.Linear
}

// Plain is a run of statements that access no memory.
type Plain struct{ Stmts []loop.Stmt }

func (*Walk) node()     {}
func (*Interval) node() {}
func (*Plain) node()    {}

// Box is a strided box of one array that an interval holds in the scratchpad.
// Element (q_0, q_1, ...), 0 <= q_d < Dims[d].Count, is the array's element with
// subscripts Lo_d + Step_d*q_d. Every reference of Refs lies in the box whenever
// it is executed.
type Box struct {
	Array         *loop.Array
	Dims          []BoxDim
	Read, Written bool
	// Exact says that the interval writes every element of the box between Begin
	// and End. Where it is false and Written is true, the elements written have to be
	// marked while executing.
	Exact bool
	Refs  []*loop.Index
	// After are read-only boxes of the same array, before this one in the interval,
	// which may hold some of its elements: those are taken from there.
	After []*Box
	// Mask is the scratchpad offset of the marks, an Int per element, or -1.
	Offset, Mask int64
	Bytes        int64 // without the marks
}

// BoxDim is one dimension of a box. Subscripts below any Begin or above any End
// (both inclusive) are never accessed, and may lie outside the array.
type BoxDim struct {
	Lo          loop.Linear
	Step, Count int64
	Begin, End  []loop.Linear
}

// Decision is one step of Algorithm 2.
type Decision struct {
	At    loop.Pos
	Loop  string // the loop's variable, "block iteration" for the SIMT loop
	Tried int64  // blockDim, tileDim or the number of statements
	Bytes int64  // -1 where an access has no static range
	Fits  bool
	Text  string // in a sentence
}
