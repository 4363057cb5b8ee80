package ptxexec

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/isa"
)

// LaunchConfig is everything a kernel needs to run.
type LaunchConfig struct {
	Grid, Block        [3]int
	LeastGrid          [3]int // of a range of grids up to Grid, which covering executions are for; 0 means as Grid
	DynamicSharedBytes int64
	Args               []Arg // one for each parameter, in order
	Buffers            []Arg // that are no arguments: pointers lead to them
	Variables          []Arg // contents of variables of the module
	Textures           []Texture
	Samplers           []Sampler
	// AnyTextures says that of textures and samplers that are not declared nothing is known:
	// such a launch can be covered, not executed.
	AnyTextures bool
	WarpSize    int // 1 to 32; 0 means 32
	Options     Options
}

// Options choose how a kernel is executed.
type Options struct {
	// Taint makes the warps follow which values depend on buffers that are not
	// known; see Kernel.Taints. It costs time and memory.
	Taint bool
	// Vary, if not nil, decides anew at every execution what PTX leaves open and
	// this package otherwise decides in one way. It serves to test the claims of
	// taint mode.
	Vary *rand.Rand
	// SameOpen computes results that PTX leaves open as without Vary; Vary then
	// decides the rest only.
	SameOpen bool
	// EqualOpen draws results of instructions on registers that PTX leaves open as one
	// function of the operands for each instruction.
	EqualOpen bool
	// MaxCallDepth is the most nested calls; 0 means 64.
	MaxCallDepth int
	// LoopBounds are the most times a thread goes back to the head of a loop, each
	// time it comes from outside, by the PC of the head. Covering executions rely on
	// them.
	LoopBounds map[int32]int64
	// Facts are what the launch states of all its executions. Covering executions rely
	// on those about loops and branches.
	Facts []facts.Fact
	// ReportLoops asks covering executions what they find of every loop.
	ReportLoops bool
	// MaxBufferBytes bounds the memory of all buffers together; 0 means 4 GiB.
	MaxBufferBytes int64
	// Scratch, if not nil, is the memory of buffers that are not known: they hold anything.
	// Kernels that share it must be executed one after the other.
	Scratch *Scratch
}

// Kernel is a launch ready to run. Blocks of one kernel share its global
// memory: they must not be executed concurrently.
type Kernel struct {
	prog         *Code
	grid, block  [3]int // the grid is the largest of its range
	leastGrid    [3]int
	warpSize     int
	sharedBytes  int64
	dynamicBytes int64
	maxCallDepth int
	loopBounds   map[int32]int64
	facts        []facts.Fact
	reportLoops  bool
	scratch      *Scratch
	names        []string   // of the arguments
	buffers      []bool     // which of them are addresses
	vary         *variation // nil where nothing varies
	views        int        // accounts of taint that are kept: 0 outside taint mode
	params       []byte
	ranges       []rangedParam
	declared     []simt.Range
	memory       space               // global and constant buffers by address
	args         map[string]*segment // buffers, and variables that the launch fills
	free         []*block
	textures     []Texture
	samplers     []Sampler
	anyTextures  bool
	tiles        *tiles // of the matrix instruction in execution
	taints       [numViews]taint.Log
	open         taint.Log // instructions whose result PTX left open (taint mode)
	// sharedUnknown says that shared memory is never relied on (covering executions).
	sharedUnknown bool
	epochs        uint32 // handed out to blocks (taint mode)
	pending       []pendingBuffer
}

// NewKernel binds a program to a launch. It reports everything that is wrong
// with the launch, joined.
func NewKernel(p *Code, l LaunchConfig) (*Kernel, error) {
	k := &Kernel{
		prog: p, grid: l.Grid, block: l.Block, warpSize: l.WarpSize,
		dynamicBytes: l.DynamicSharedBytes, maxCallDepth: l.Options.MaxCallDepth, anyTextures: l.AnyTextures, loopBounds: l.Options.LoopBounds, facts: l.Options.Facts, reportLoops: l.Options.ReportLoops, scratch: l.Options.Scratch, views: p.views(l.Options.Taint), vary: newVariation(&l.Options),
		args: map[string]*segment{},
	}
	if k.warpSize == 0 {
		k.warpSize = simt.MaxLanes
	}
	if k.maxCallDepth == 0 {
		k.maxCallDepth = 64
	}
	limit := l.Options.MaxBufferBytes
	if limit == 0 {
		limit = 4 << 30
	}
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("kernel %s: "+format, append([]any{p.isa.Name}, args...)...))
	}
	if k.warpSize < 1 || k.warpSize > simt.MaxLanes {
		bad("warp size %d is not 1 to %d", k.warpSize, simt.MaxLanes)
	}
	threads := int64(1)
	for i, axis := range "xyz" {
		if l.Grid[i] < 1 || int64(l.Grid[i]) > 1<<31-1 {
			bad("grid %c is %d, want 1 to %d", axis, l.Grid[i], 1<<31-1)
		}
		if l.Block[i] < 1 || l.Block[i] > 1024 {
			bad("block %c is %d, want 1 to 1024", axis, l.Block[i])
			continue
		}
		threads *= int64(l.Block[i])
	}
	if z := l.Block[2]; z > 64 {
		bad("block z is %d, want 1 to 64", z)
	}
	if threads > 1024 {
		bad("a block has %d threads, more than 1024", threads)
	}
	if l.DynamicSharedBytes < 0 {
		bad("%d bytes of dynamic shared memory", l.DynamicSharedBytes)
	}
	for _, check := range p.launchChecks {
		if err := check(l.Block); err != nil {
			bad("%v", err)
		}
	}
	k.sharedBytes = p.dynamicBase + l.DynamicSharedBytes
	if l.DynamicSharedBytes == 0 && !p.usesDynamic {
		k.sharedBytes = p.isa.SharedBytes
	}
	if k.sharedBytes > windowBytes {
		bad("%d bytes of shared memory, more than %d", k.sharedBytes, windowBytes)
	}
	if len(l.Args) != len(p.params) {
		bad("%d arguments for %d parameters", len(l.Args), len(p.params))
	}
	if err := k.rangeGrid(l.LeastGrid); err != nil {
		bad("%v", err)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	for i := range l.Args {
		k.names, k.buffers = append(k.names, l.Args[i].Name), append(k.buffers, l.Args[i].Buffer != nil)
	}
	if err := k.allocate(&l, limit); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", p.isa.Name, err)
	}
	if err := k.bindTextures(l.Textures, l.Samplers); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", p.isa.Name, err)
	}
	return k, nil
}

// Program implements simt.Kernel.
func (k *Kernel) Program() *isa.Program { return k.prog.isa }

// Grid implements simt.Kernel.
func (k *Kernel) Grid() [3]int { return k.grid }

// BlockDim implements simt.Kernel.
func (k *Kernel) BlockDim() [3]int { return k.block }

// WarpSize implements simt.Kernel.
func (k *Kernel) WarpSize() int { return k.warpSize }

// Ranges are those that the launch declares of arguments and elements of buffers, and of
// the grid behind them.
func (k *Kernel) Ranges() []simt.Range {
	return append(slices.Clone(k.declared), k.grids()...)
}

// SharedBytes implements simt.Kernel.
func (k *Kernel) SharedBytes() int64 { return k.sharedBytes }

// NewBlock implements simt.Kernel.
func (k *Kernel) NewBlock(i int64) (simt.Block, error) {
	if i < 0 || i >= simt.NumBlocks(k.grid) {
		return nil, fmt.Errorf("kernel %s: no block %d among %d", k.prog.isa.Name, i, simt.NumBlocks(k.grid))
	}
	if err := k.fill(); err != nil {
		return nil, err
	}
	var b *block
	if n := len(k.free); n > 0 {
		b = k.free[n-1]
		k.free = k.free[:n-1]
	} else {
		b = newBlock(k)
	}
	b.open(i)
	return b, nil
}

var _ simt.Kernel = (*Kernel)(nil)
