package ptxexec

import (
	"errors"
	"fmt"
	"sort"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/simt"
)

// Launch is everything a kernel needs to run.
type Launch struct {
	Grid, Block        [3]int
	DynamicSharedBytes int64
	Args               []Arg // one for each parameter, in order
	WarpSize           int   // 1 to 32; 0 means 32
	Options            Options
}

// Options choose how a kernel is executed.
type Options struct {
	// Taint makes the warps follow which values depend on buffers that are not
	// known; see Kernel.Taints. It costs time and memory.
	Taint bool
	// MaxCallDepth is the most nested calls; 0 means 64.
	MaxCallDepth int
	// MaxBufferBytes bounds the memory of all buffers together; 0 means 4 GiB.
	MaxBufferBytes int64
}

// Arg is the argument of one parameter: either its bytes or a buffer, whose
// device address is passed.
type Arg struct {
	Name string // for messages, and to read a buffer back
	// Bytes is the value of a scalar or by-value structure parameter, little
	// endian. Its length is the parameter's size.
	Bytes []byte
	// Buffer, where not nil, is allocated and its address passed.
	Buffer *Buffer
}

// Buffer is a region of global memory. Buffers start at multiples of 256 bytes
// and are kept apart, so that an access outside is always noticed.
type Buffer struct {
	Contents     []byte // copied
	ElementBytes int    // for messages; 0 where unknown
	// Known says that an analysis may rely on the contents.
	Known bool
}

// Kernel is a launch ready to run. Blocks of one kernel share its global
// memory: they must not be executed concurrently.
type Kernel struct {
	prog         *Program
	grid, block  [3]int
	warpSize     int
	sharedBytes  int64
	dynamicBytes int64
	maxCallDepth int
	taint        bool
	params       []byte
	memory       space // global and constant buffers by address
	args         map[string]*segment
	free         []*block
	taints       map[taintKey]simt.Taint
	epochs       uint32 // handed out to blocks (taint mode)
}

// NewKernel binds a program to a launch. It reports everything that is wrong
// with the launch, joined.
func NewKernel(p *Program, l Launch) (*Kernel, error) {
	k := &Kernel{
		prog: p, grid: l.Grid, block: l.Block, warpSize: l.WarpSize,
		dynamicBytes: l.DynamicSharedBytes, maxCallDepth: l.Options.MaxCallDepth, taint: l.Options.Taint,
		args: map[string]*segment{}, taints: map[taintKey]simt.Taint{},
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
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if err := k.allocate(l.Args, limit); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", p.isa.Name, err)
	}
	return k, nil
}

// allocate places the module's variables and the buffers of args, and writes
// the parameters.
func (k *Kernel) allocate(args []Arg, limit int64) error {
	p := k.prog
	var total uint64
	for i := range p.variables {
		total += p.variables[i].size
	}
	for i := range args {
		if args[i].Buffer != nil {
			total += uint64(len(args[i].Buffer.Contents))
		}
	}
	if total > uint64(limit) {
		return fmt.Errorf("the buffers take %d bytes, more than %d", total, limit)
	}
	for i := range p.variables {
		v := &p.variables[i]
		g := newSegment(v.name, v.base, v.size)
		g.constant, g.given = v.constant, v.init != nil
		copy(g.data, v.init)
		k.own(g, v.init != nil)
		k.memory = append(k.memory, g)
	}
	k.params = make([]byte, p.paramBytes+pad)
	next := p.nextGlobal
	for i := range args {
		a, par := &args[i], p.params[i]
		if a.Buffer == nil {
			if uint64(len(a.Bytes)) != par.bytes {
				return fmt.Errorf("argument %d (%s) has %d bytes, parameter %s has %d (%s)", i, a.Name, len(a.Bytes), par.name, par.bytes, par.typ)
			}
			copy(k.params[par.offset:], a.Bytes)
			continue
		}
		if par.bytes != 8 && par.bytes != 4 || par.bytes*8 < uint64(p.addressBits) {
			return fmt.Errorf("argument %d (%s) is a buffer, parameter %s has %d bytes, not an address", i, a.Name, par.name, par.bytes)
		}
		name := a.Name
		if name == "" {
			name = par.name
		}
		if k.args[name] != nil {
			return fmt.Errorf("two buffers are named %s", name)
		}
		g := newSegment(name, next, uint64(len(a.Buffer.Contents)))
		copy(g.data, a.Buffer.Contents)
		k.own(g, a.Buffer.Known)
		k.args[name] = g
		k.memory = append(k.memory, g)
		writeBytes(k.params[par.offset:], par.bytes, g.base)
		next = nextBuffer(next, g.size)
		if p.addressBits == 32 && next > 1<<32 {
			return fmt.Errorf("the buffers do not fit a 32-bit address space")
		}
	}
	sort.Slice(k.memory, func(i, j int) bool { return k.memory[i].base < k.memory[j].base })
	return nil
}

// nextBuffer is the address of the buffer after one of size bytes at base.
func nextBuffer(base, size uint64) uint64 {
	return (base + size + bufferGuard + bufferAlign - 1) &^ (bufferAlign - 1)
}

// own prepares the taint state of a segment.
func (k *Kernel) own(g *segment, known bool) {
	if k.taint && known {
		g.owner = make([]uint32, (g.size+granule-1)/granule)
		if !g.constant {
			g.accesses = make([]access, len(g.owner))
		}
	}
}

// Program implements simt.Kernel.
func (k *Kernel) Program() *isa.Program { return k.prog.isa }

// Grid implements simt.Kernel.
func (k *Kernel) Grid() [3]int { return k.grid }

// BlockDim implements simt.Kernel.
func (k *Kernel) BlockDim() [3]int { return k.block }

// WarpSize implements simt.Kernel.
func (k *Kernel) WarpSize() int { return k.warpSize }

// SharedBytes implements simt.Kernel.
func (k *Kernel) SharedBytes() int64 { return k.sharedBytes }

// NewBlock implements simt.Kernel.
func (k *Kernel) NewBlock(i int64) (simt.Block, error) {
	if i < 0 || i >= simt.NumBlocks(k.grid) {
		return nil, fmt.Errorf("kernel %s: no block %d among %d", k.prog.isa.Name, i, simt.NumBlocks(k.grid))
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

// Buffer returns the contents of the buffer of the argument or module variable
// of that name as they are now, nil where there is none. The bytes are the
// kernel's own.
func (k *Kernel) Buffer(name string) []byte {
	if g := k.args[name]; g != nil {
		return g.data[:g.size:g.size]
	}
	for _, g := range k.memory {
		if g.name == name {
			return g.data[:g.size:g.size]
		}
	}
	return nil
}

// BufferAddress returns the device address of the buffer of that name.
func (k *Kernel) BufferAddress(name string) (address uint64, ok bool) {
	for _, g := range k.memory {
		if g.name == name {
			return g.base, true
		}
	}
	return 0, false
}

var _ simt.Kernel = (*Kernel)(nil)
