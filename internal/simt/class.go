package simt

import (
	"errors"
	"math/bits"
)

// BlockClass is a set of blocks of one grid that take the path of one of them,
// the representative: warp by warp they execute the same instructions in the same
// lanes, and meet at the same barriers. An address that instruction pc accesses
// in the global memory is that of the representative plus
//
//	Shifts[pc] · (block - Representative), modulo 2^64,
//
// and in every other memory that of the representative.
type BlockClass struct {
	Representative [3]int64
	// Conditions all hold for the blocks of the class.
	Conditions []Condition
	// Every, where above 1, is what the distance to the representative is a
	// multiple of, in x, y and z.
	Every [3]int64
	// Shifts are in bytes for a step of one block in x, y and z, by PC; zero where
	// the instruction made no global access.
	Shifts [][3]int64
}

// Condition is Low <= Of · (block - representative) <= High.
type Condition struct {
	Of        [3]int64
	Low, High int64
}

// Holds says whether a block of the grid is in the class.
func (c *BlockClass) Holds(block [3]int64) bool {
	d := [3]int64{block[0] - c.Representative[0], block[1] - c.Representative[1], block[2] - c.Representative[2]}
	for i, every := range c.Every {
		if every > 1 && d[i]%every != 0 {
			return false
		}
	}
	for i := range c.Conditions {
		if x := Dot(c.Conditions[i].Of, d); x < c.Conditions[i].Low || x > c.Conditions[i].High {
			return false
		}
	}
	return true
}

// Dot is the scalar product, modulo 2^64.
func Dot(a, b [3]int64) int64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// BlockAt are the coordinates of block i of a grid.
func BlockAt(grid [3]int, i int64) [3]int64 {
	x, y := int64(grid[0]), int64(grid[1])
	return [3]int64{i % x, i / x % y, i / x / y}
}

// MaxReach bounds what a form of a BlockClass takes on over its grid: sums of two
// of them, and of one and a number of that size, do not wrap around.
const MaxReach = 1 << 61

// Reach is the least and the largest value of form · (block - from) over a grid;
// ok is false where they may be beyond MaxReach.
func Reach(grid [3]int, from, form [3]int64) (low, high int64, ok bool) {
	for i, f := range form {
		below, above := from[i], int64(grid[i])-1-from[i]
		if f < 0 {
			below, above = above, below
		}
		size := uint64(max(f, -f))
		lowHigh, lowLow := bits.Mul64(size, uint64(below))
		highHigh, highLow := bits.Mul64(size, uint64(above))
		if lowHigh|highHigh != 0 || lowLow > MaxReach || highLow > MaxReach {
			return 0, 0, false
		}
		low, high = low-int64(lowLow), high+int64(highLow)
		if low < -MaxReach || high > MaxReach {
			return 0, 0, false
		}
	}
	return low, high, true
}

// ErrNotFollowed is wrapped by the errors about a block whose path or accesses
// are not known to be those of a class: they depend on what is in memory, or on
// the block in a way that is not affine.
var ErrNotFollowed = errors.New("block not followed")

// Followable is a kernel whose blocks can be followed.
type Followable interface {
	Kernel
	// Follower returns an executor that finds classes of blocks, or an error that
	// wraps ErrNotFollowed.
	Follower() (Follower, error)
}

// Follower executes blocks to find out which others take their path. It changes
// no memory that blocks share, and the blocks need not be in order.
type Follower interface {
	// Follow starts block i. A step that cannot be followed, or that would be an
	// error, returns an error; the block must then not be used.
	Follow(i int64) (Block, error)
	// Class is that of the block started last, which has ended.
	Class() BlockClass
}

// Loop is an iteration of a loop that a warp of a followed block has executed, and
// that it provably repeats: the same instructions in the same lanes.
type Loop struct {
	Warp  int
	Head  int32 // where an iteration begins
	Steps []LoopStep
	Times int64 // iterations that follow
}

// LoopStep is an instruction of an iteration.
type LoopStep struct {
	PC, NextPC   int32
	Active, Exec Mask // as of a Step
	// Access is the step where it accesses memory, else nil. In the n-th iteration
	// after this one every address is n·Stride bytes further on.
	Access *Step
	Stride int64
}

// LoopSkipper is a Follower that need not execute every iteration of a loop.
type LoopSkipper interface {
	// SkipLoops calls skip for iterations that need not be executed, when their
	// warp is about to execute the first instruction of the first of them. They are
	// executed unless skip returns true. The loop is valid during the call only.
	SkipLoops(skip func(*Loop) (done bool, err error))
}

// Row is the first and the last x that the conditions leave to blocks of the
// class in the row of a block; none where low > high. They may lie outside the
// grid, and where Every[0] is above 1 not all between them are of the class.
func (c *BlockClass) Row(block [3]int64) (low, high int64) {
	low, high = -far, far
	for i := 1; i < len(block); i++ {
		if every := c.Every[i]; every > 1 && (block[i]-c.Representative[i])%every != 0 {
			return 0, -1
		}
	}
	for i := range c.Conditions {
		q := &c.Conditions[i]
		rest := q.Of[1]*(block[1]-c.Representative[1]) + q.Of[2]*(block[2]-c.Representative[2])
		from, to, f := beyond(q.Low, rest), beyond(q.High, rest), q.Of[0]
		switch {
		case f == 0 && (from > 0 || to < 0):
			return 0, -1
		case f > 0:
			low, high = max(low, -floorDiv(-from, f)), min(high, floorDiv(to, f))
		case f < 0:
			low, high = max(low, -floorDiv(to, -f)), min(high, floorDiv(-from, -f))
		}
	}
	return low + c.Representative[0], high + c.Representative[0]
}

// far is beyond all that a form of a class takes on.
const far = 1<<62 - 1

// beyond is bound - rest, kept within what can be negated.
func beyond(bound, rest int64) int64 {
	return max(-far, min(far, bound)) - rest
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}
