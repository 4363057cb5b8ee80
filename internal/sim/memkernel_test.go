package sim

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// memKernel is a kernel of global accesses, for tests. Programs are strings of
// instructions, one string a warp, block b running the warps of program b mod
// the number of programs:
//
//	l64      all lanes load address 64
//	l0/4     lane i loads address 0 + 4 i
//	v64      the same, uncached
//	s.. a..  stores, atomics
//	c..      asynchronous copies, whose result nothing needs
//	n        a load that no lane executes
//	h        a generic load of shared memory
//	u        needs the last load or atomic
//	p        needs nothing
//	|        a barrier
//	f        a fence
//
// Addresses are shifted by shift bytes times the block.
type memKernel struct {
	program isa.Program
	ops     []memOp
	entries [][]int32 // by program, warp
	warps   int
	blocks  int
	shift   uint64
}

type memOp struct {
	address, stride uint64
	space           isa.Space
	exec            simt.Mask
	last            bool
}

func newMemKernel(t failer, blocks int, shift uint64, programs ...string) *memKernel {
	t.Helper()
	k := &memKernel{blocks: blocks, shift: shift, program: isa.Program{Name: "accesses"}}
	registers := 1
	for _, p := range programs {
		var entries []int32
		for _, w := range strings.Split(p, ";") {
			entry := int32(len(k.ops))
			entries = append(entries, entry)
			registers = max(registers, k.warp(t, strings.Fields(w)))
			k.program.Functions = append(k.program.Functions, isa.Function{Name: fmt.Sprintf("warp%d", entry), Entry: entry, End: int32(len(k.ops))})
		}
		k.entries = append(k.entries, entries)
		k.warps = len(entries)
	}
	for r := range registers {
		k.program.Registers = append(k.program.Registers, fmt.Sprintf("r%d", r))
	}
	if err := k.program.Check(); err != nil {
		t.Fatal(err)
	}
	return k
}

// warp adds the instructions of a warp and returns how many registers they use.
func (k *memKernel) warp(t failer, words []string) int {
	t.Helper()
	register := isa.Reg(0)
	for i, word := range words {
		in := isa.Instruction{Opcode: word, Guard: isa.NoReg, Pos: isa.Position{File: "warp", Line: i + 1}, WidthBytes: 4}
		op := memOp{space: isa.Global, exec: ^simt.Mask(0), last: i == len(words)-1}
		in.Class = isa.Class{Space: isa.Global, Type: isa.I32}
		switch word[0] {
		case 'l', 'n', 'h', 'v':
			in.Uncached = word[0] == 'v'
			in.Kind, in.Class.Family = isa.Load, isa.LoadMem
			in.Reads = []isa.Reg{0} // the address
			register++
			in.Writes = []isa.Reg{register}
		case 's':
			in.Kind, in.Class.Family = isa.Store, isa.StoreMem
		case 'a':
			in.Kind, in.Class.Family = isa.Atomic, isa.AtomicMem
			register++
			in.Writes = []isa.Reg{register}
		case 'c':
			in.Kind, in.Class.Family = isa.AsyncCopy, isa.CopyMem
		case 'u', 'p':
			op.space = isa.NoSpace
			in.WidthBytes, in.Class = 0, isa.Class{Family: isa.Logic, Type: isa.I32}
			if word[0] == 'u' {
				in.Reads = []isa.Reg{register}
			}
		case '|':
			op.space = isa.NoSpace
			in.WidthBytes, in.Kind, in.Class = 0, isa.Barrier, isa.Class{Family: isa.BarrierSync}
		case 'f':
			op.space = isa.NoSpace
			in.WidthBytes, in.Kind, in.Class = 0, isa.Fence, isa.Class{Family: isa.FenceMem}
		default:
			t.Fatal("word ", word)
		}
		switch word[0] {
		case 'n':
			op.exec = 0
		case 'h':
			op.space, in.Class.Space = isa.Shared, isa.Generic
		}
		if first, stride, strided := strings.Cut(word[1:], "/"); first != "" {
			op.address, op.stride = number(t, first), 0
			if strided {
				op.stride = number(t, stride)
			}
		}
		k.ops = append(k.ops, op)
		k.program.Instructions = append(k.program.Instructions, in)
	}
	return int(register) + 1
}

func number(t failer, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (k *memKernel) Program() *isa.Program { return &k.program }
func (k *memKernel) Grid() [3]int          { return [3]int{k.blocks, 1, 1} }
func (k *memKernel) BlockDim() [3]int      { return [3]int{32 * k.warps, 1, 1} }
func (k *memKernel) WarpSize() int         { return 32 }
func (k *memKernel) SharedBytes() int64    { return 0 }

func (k *memKernel) NewBlock(i int64) (simt.Block, error) {
	b := &memBlock{kernel: k, index: i, live: k.warps}
	for _, pc := range k.entries[int(i)%len(k.entries)] {
		b.warps = append(b.warps, &memWarp{block: b, pc: pc})
	}
	return b, nil
}

type memBlock struct {
	kernel        *memKernel
	index         int64
	warps         []simt.Warp
	live, waiting int
}

func (b *memBlock) Index() int64       { return b.index }
func (b *memBlock) Warps() []simt.Warp { return b.warps }
func (b *memBlock) Release()           {}

type memWarp struct {
	block   *memBlock
	pc      int32
	waiting bool
}

func (w *memWarp) PC() int32 { return w.pc }

func (w *memWarp) Status() simt.Status {
	switch {
	case w.pc == isa.NoPC:
		return simt.Done
	case w.waiting:
		return simt.Waiting
	}
	return simt.Ready
}

func (w *memWarp) Step(s *simt.Step) error {
	b, k := w.block, w.block.kernel
	op := &k.ops[w.pc]
	*s = simt.Step{PC: w.pc, Active: ^simt.Mask(0), Exec: op.exec, Space: op.space, Barrier: -1}
	if op.space != isa.NoSpace {
		s.WidthBytes = 4
		for i := range s.Addresses {
			s.Addresses[i] = op.address + uint64(i)*op.stride + uint64(b.index)*k.shift
		}
	}
	barrier := k.program.Instructions[w.pc].Kind == isa.Barrier
	w.pc++
	if op.last {
		w.pc = isa.NoPC
		b.live--
	}
	s.NextPC = w.pc
	if barrier {
		w.waiting = true
		b.waiting++
		s.Barrier, s.BarrierFull = 0, true
	}
	if b.waiting > 0 && b.waiting == b.live {
		s.BarrierOpened = barrier
		b.waiting = 0
		for _, other := range b.warps {
			other.(*memWarp).waiting = false
		}
	}
	return nil
}

// pointOrder is the order of Huangfu2017 for a memKernel without loops: lowest
// instruction of the warp first, then lowest block, then lowest warp.
type pointOrder struct {
	kernel   *memKernel
	resident map[int][]*orderBlock
	order    []string // what was sent
}

type orderBlock struct {
	block  int64
	points [][]int // by warp: positions of the accesses left
	sent   []int64
}

func newPointOrder(k *memKernel) *pointOrder {
	return &pointOrder{kernel: k, resident: map[int][]*orderBlock{}}
}

func (o *pointOrder) Admit(sm int, block int64) error {
	b := &orderBlock{block: block}
	for _, entry := range o.kernel.entries[int(block)%len(o.kernel.entries)] {
		var points []int
		for i := int32(0); ; i++ {
			op := &o.kernel.ops[entry+i]
			if op.space == isa.Global && op.exec != 0 {
				points = append(points, int(i))
			}
			if op.last {
				break
			}
		}
		b.points, b.sent = append(b.points, points), append(b.sent, 0)
	}
	o.resident[sm] = append(o.resident[sm], b)
	return nil
}

func (o *pointOrder) Retire(sm int, block int64) error {
	for i, b := range o.resident[sm] {
		if b.block == block {
			for w, p := range b.points {
				if len(p) > 0 {
					return fmt.Errorf("block %d, warp %d retires with %d accesses left", block, w, len(p))
				}
			}
			o.resident[sm] = append(o.resident[sm][:i:i], o.resident[sm][i+1:]...)
			return nil
		}
	}
	return fmt.Errorf("block %d is not resident", block)
}

func (o *pointOrder) next(sm int) (best *orderBlock, warp int) {
	for _, b := range o.resident[sm] {
		for w := range b.points {
			if len(b.points[w]) == 0 {
				continue
			}
			if best == nil || b.points[w][0] < best.points[warp][0] || b.points[w][0] == best.points[warp][0] && b.block < best.block {
				best, warp = b, w
			}
		}
	}
	return best, warp
}

func (o *pointOrder) Next(sm int) (block int64, warp int, index int64, ok bool, err error) {
	b, w := o.next(sm)
	if b == nil {
		return 0, 0, 0, false, nil
	}
	return b.block, w, b.sent[w], true, nil
}

func (o *pointOrder) Sent(sm int) error {
	b, w := o.next(sm)
	if b == nil {
		return fmt.Errorf("SM %d sent what was not expected", sm)
	}
	o.order = append(o.order, fmt.Sprintf("%d: %d.%d.%d", sm, b.block, w, b.sent[w]))
	b.points[w] = b.points[w][1:]
	b.sent[w]++
	return nil
}

// memLog records what reaches the L1Ds, and when instructions issue.
type memLog struct {
	NopObserver
	accesses []AccessEvent
	issues   map[int32]int64 // by pc, the last one
}

func (l *memLog) Access(e AccessEvent) { l.accesses = append(l.accesses, e) }

func (l *memLog) Issue(e IssueEvent) {
	if l.issues == nil {
		l.issues = map[int32]int64{}
	}
	l.issues[e.PC] = e.Cycle
}

// runMem runs a memKernel with its observers and checks.
func runMem(t failer, cfg Config, k *memKernel) (*Result, *memLog, error) {
	t.Helper()
	timing, err := cfg.Machine.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	l := &memLog{}
	cfg.Observers = append(cfg.Observers, l)
	cfg.Checks = true
	cfg.BlocksPerSM = max(cfg.BlocksPerSM, 1)
	cfg.MaxCycles = 10_000_000
	r, err := Run(context.Background(), cfg, k, timing)
	return r, l, err
}

// mustRunMem is runMem of a run that succeeds.
func mustRunMem(t failer, cfg Config, k *memKernel) (*Result, *memLog) {
	t.Helper()
	r, l, err := runMem(t, cfg, k)
	if err != nil {
		t.Fatal(err)
	}
	return r, l
}
