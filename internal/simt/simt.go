package simt

import "github.com/warpbound/warpbound/isa"

// MaxLanes is the largest warp size supported.
const MaxLanes = 32

// Mask has bit i set for lane i.
type Mask uint32

// Status says what a warp can do.
type Status uint8

// The states of a warp.
const (
	Ready   Status = iota // Step may be called
	Waiting               // at a barrier that has not opened
	Done                  // every lane has exited
)

func (s Status) String() string { return [...]string{"ready", "waiting", "done"}[s] }

// Step is what one executed warp instruction did. The caller owns it and passes
// the same one each time; the warp overwrites the fields named here.
type Step struct {
	PC     int32 // the instruction executed
	NextPC int32 // the one the warp executes next; isa.NoPC when it has ended
	Active Mask  // lanes that were active
	Exec   Mask  // of those, the lanes whose guard held
	// For instructions that access memory: the space after resolving generic
	// addresses, bytes a lane accesses, and the byte address of each lane in Exec
	// within that space. Where lanes access different spaces, Space is isa.Generic
	// and the addresses are generic ones: those of different spaces differ.
	Space      isa.Space
	WidthBytes int32
	Addresses  [MaxLanes]uint64
	// Local are the lanes of Exec that access the local memory of their thread,
	// each at its address there; hardware interleaves these memories by lane.
	Local Mask
	// Where MoreCount is not 0, lanes access that many places more each, in rows
	// of More: the texels of a filtered texture, the elements of a matrix.
	MoreCount int
	More      *[MaxMore][MaxLanes]uint64
	// Barrier is the number of the barrier arrived at, -1 where none.
	// BarrierFull says that all the block's live warps take part and wait: a
	// section boundary. BarrierOpened says that this arrival opened it; on an
	// exit (Barrier -1) that the end of the warp opened what others waited for.
	Barrier       int32
	BarrierFull   bool
	BarrierOpened bool
	// Yield says that how the warp continues depends on how far others are: it
	// looked at which of them are active, or is in a loop that only others can
	// end. A caller that runs one warp at a time runs the others before it
	// steps this one again; what it records is one of many paths, among which
	// timing decides.
	Yield bool
	// Of covering executions (Coverer) only: Back says that all lanes go back to the
	// head of a loop, of which a fact counts how often warps do, and Alike that a fact
	// says of this branch, behind which the warp forks, that all lanes take one side.
	Back, Alike bool
}

// Kernel is a launch that can be executed. Blocks share global memory, so the
// order in which the caller runs them is part of the result.
type Kernel interface {
	// Program is the static program all warps execute.
	Program() *isa.Program
	// Grid and BlockDim are extents in x, y, z; WarpSize is lanes per warp.
	Grid() [3]int
	BlockDim() [3]int
	WarpSize() int
	// SharedBytes is the shared memory a block needs, dynamic part included.
	SharedBytes() int64
	// NewBlock makes block number i (x fastest) ready to execute from the start.
	NewBlock(i int64) (Block, error)
}

// Block is one thread block in execution.
type Block interface {
	Index() int64
	// Warps are ordered by warp id. The slice is the block's own.
	Warps() []Warp
	// Release gives the block's memory back for reuse by a later block. The
	// block must not be used afterwards.
	Release()
}

// Warp executes one instruction at a time.
type Warp interface {
	// PC is the instruction the next Step executes; isa.NoPC when Done.
	PC() int32
	Status() Status
	// Step executes one instruction. Stepping a warp that is not Ready is an
	// error, as is anything the kernel does wrong (*RuntimeError).
	Step(*Step) error
}

// NumBlocks is the number of blocks of a grid.
func NumBlocks(grid [3]int) int64 {
	return int64(grid[0]) * int64(grid[1]) * int64(grid[2])
}

// NumWarps is the number of warps of a block.
func NumWarps(block [3]int, warpSize int) int {
	threads := block[0] * block[1] * block[2]
	return (threads + warpSize - 1) / warpSize
}

// NumLanes is the most threads of a warp of a block.
func NumLanes(block [3]int, warpSize int) int {
	return min(block[0]*block[1]*block[2], warpSize)
}
