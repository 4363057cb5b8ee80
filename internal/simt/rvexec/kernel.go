package rvexec

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/simt/taint"
	"github.com/warpbound/warpbound/isa"
)

// Kernel is a program ready to run, a block a core. Cores share its user memory:
// they must not be executed concurrently. Running it again goes on with the
// memory as it is.
type Kernel struct {
	img     *rv.Image
	prog    *isa.Program
	launch  LaunchConfig
	code    []instr
	consts  []lanes // immediate operands, in every lane
	mem     *memory
	console []byte
	lines   [][]byte // console lines not ended, by core and place
	free    []*Core

	follows *memoryTaint // nil outside taint mode
	taints  taint.Log
	epochs  uint32 // handed out to cores
	// Of covering executions: the control flow of functions, as threads take it, its loops,
	// and what the launch states.
	graphs      map[int]*isa.CFG
	loops       []facts.Loop
	facts       []facts.Fact
	reportLoops bool
	// distrusted names memory that is never relied on (covering executions).
	distrusted []string
	vary       *variation // nil where nothing varies

	firstLook uint64 // jumps back before a warp is looked at; see round.go
}

// NewKernel binds a program to a launch. It reports everything that is wrong
// with the launch, joined. The image must not change afterwards.
func NewKernel(img *rv.Image, l LaunchConfig) (*Kernel, error) {
	if err := l.check(img); err != nil {
		return nil, err
	}
	prog, err := rv.Lower(img)
	if err != nil {
		return nil, err
	}
	k := &Kernel{img: img, prog: prog, launch: l, mem: newMemory(&l, img.TextBase, len(img.Text)), firstLook: firstLook, facts: l.Facts, reportLoops: l.ReportLoops}
	if l.Vary != nil {
		k.vary = newVariation(l.Vary)
		k.mem.fresh = k.vary.bytes
	}
	k.lines = make([][]byte, l.Cores*int(consoleBytes))
	k.predecode()
	for i := range img.Segments {
		s := &img.Segments[i]
		data := s.Data
		if n := int(s.MemBytes) - len(data); k.vary != nil && n > 0 {
			data = append(slices.Clone(data), make([]byte, n)...) // zeros are part of the program
		}
		if err := k.mem.put(s.Addr, data); err != nil {
			return nil, fmt.Errorf("%s: %w", img.Name, err)
		}
	}
	for _, r := range append([]Region{{Addr: l.ArgumentAddr, Data: l.Argument}}, l.Memory...) {
		if err := k.mem.put(r.Addr, r.Data); err != nil {
			return nil, fmt.Errorf("%s: %w", img.Name, err)
		}
	}
	if l.Taint {
		k.follows = newMemoryTaint(k)
	}
	return k, nil
}

// MaskControlled implements simt.MaskControlled.
func (k *Kernel) MaskControlled() {}

// Program implements simt.Kernel. Instruction i is at address TextBase+4i.
func (k *Kernel) Program() *isa.Program { return k.prog }

// Grid implements simt.Kernel: a block a core.
func (k *Kernel) Grid() [3]int { return [3]int{k.launch.Cores, 1, 1} }

// BlockDim implements simt.Kernel: all threads of a core.
func (k *Kernel) BlockDim() [3]int { return [3]int{k.launch.Warps * k.launch.Threads, 1, 1} }

// WarpSize implements simt.Kernel.
func (k *Kernel) WarpSize() int { return k.launch.Threads }

// SharedBytes implements simt.Kernel: the local memory of a core.
func (k *Kernel) SharedBytes() int64 { return int64(LocalBytes) }

// Image is the program executed.
func (k *Kernel) Image() *rv.Image { return k.img }

// NewBlock implements simt.Kernel: core number i, a *Core, at its start.
func (k *Kernel) NewBlock(i int64) (simt.Block, error) {
	if i < 0 || i >= int64(k.launch.Cores) {
		return nil, fmt.Errorf("%s: no core %d among %d", k.img.Name, i, k.launch.Cores)
	}
	var c *Core
	if n := len(k.free); n > 0 {
		c = k.free[n-1]
		k.free = k.free[:n-1]
	} else {
		c = newCore(k)
	}
	c.open(int(i))
	return c, nil
}

// Joins says that the instruction at pc waits until its warp is the only active
// one of its core: a WSPAWN of variant V22, also where it has not had to wait. The
// ".end" behind a text that may be run off, which the program has and the machine
// does not execute, is none.
func (k *Kernel) Joins(pc int32) bool {
	return k.launch.Variant == V22 && int(pc) < len(k.code) && k.code[pc].group == gWspawn
}

// Open is empty: the instruction set leaves no result open.
func (k *Kernel) Open() (depend, results []simt.Taint) { return nil, nil }

// Taints lists the branches, SIMT instructions, addresses and barriers seen so far that
// depend on data an analysis must not rely on, by instruction. It is empty outside taint
// mode.
func (k *Kernel) Taints() []simt.Taint { return k.taints.List() }

// Console is what has been written to the console: ended lines in the order in
// which they ended, then those not ended by core and place.
func (k *Kernel) Console() []byte {
	out := append([]byte(nil), k.console...)
	for _, l := range k.lines {
		out = append(out, l...)
	}
	return out
}

// print writes a byte to the console line of a core's place.
func (k *Kernel) print(core int, place uint32, b byte) {
	l := &k.lines[core*int(consoleBytes)+int(place)]
	*l = append(*l, b)
	if b == '\n' {
		k.console = append(k.console, *l...)
		*l = (*l)[:0]
	}
}

// ExitCode is the exit code word, 0 where the program has not written one.
func (k *Kernel) ExitCode() uint32 {
	return binary.LittleEndian.Uint32(k.mem.dumps[exitCodeOffset:])
}

// Exit returns what says ExitCode, also later, and keeps nothing else of the kernel.
func (k *Kernel) Exit() func() uint32 {
	word := k.mem.dumps[exitCodeOffset:]
	return func() uint32 { return binary.LittleEndian.Uint32(word) }
}

// ReadMemory copies user memory from addr on into p as it is now.
func (k *Kernel) ReadMemory(addr uint32, p []byte) error {
	if err := k.inUser(addr, len(p)); err != nil {
		return err
	}
	for len(p) > 0 {
		n := copy(p, k.mem.readPage(addr >> pageBits)[addr&(1<<pageBits-1):])
		p = p[n:]
		addr += uint32(n)
	}
	return nil
}

// WriteMemory changes user memory from addr on, but not instructions.
func (k *Kernel) WriteMemory(addr uint32, p []byte) error {
	if err := k.inUser(addr, len(p)); err != nil {
		return err
	}
	if text := uint64(4 * len(k.img.Text)); uint64(addr)+uint64(len(p)) > uint64(k.img.TextBase) && uint64(addr) < uint64(k.img.TextBase)+text {
		return fmt.Errorf("%s: %d bytes at %#x overlap instructions", k.img.Name, len(p), addr)
	}
	return k.mem.put(addr, p)
}

func (k *Kernel) inUser(addr uint32, bytes int) error {
	if addr < UserBase || uint64(addr)+uint64(bytes) > uint64(k.mem.userEnd) {
		return fmt.Errorf("%s: %d bytes at %#x are not in user memory", k.img.Name, bytes, addr)
	}
	return nil
}

// overwrite notes a store to instruction memory. Gaps between executable
// segments hold no instructions.
func (k *Kernel) overwrite(addr uint32) problem {
	for i := range k.img.Segments {
		s := &k.img.Segments[i]
		if !s.Exec || addr-s.Addr >= max(s.MemBytes, uint32(len(s.Data))) {
			continue
		}
		if !s.Write {
			return problem{simt.ErrInvalid, fmt.Sprintf("store to %#08x, which holds instructions and is not writable", addr)}
		}
		k.code[(addr-k.img.TextBase)/4].group = gOverwritten
	}
	return problem{}
}

var _ interface {
	simt.Tainted
	simt.MaskControlled
} = (*Kernel)(nil)
