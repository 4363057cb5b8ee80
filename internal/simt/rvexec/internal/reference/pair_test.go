package reference_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/isa"
)

const textBase uint32 = 0x80000000

// setup is a machine and a program for it.
type setup struct {
	cores, warps, threads int
	variant               rvexec.Variant
	base                  uint32 // of the program, 0 for textBase
	words                 []uint32
	writable              bool // the instructions
	data                  map[uint32][]byte
}

// pair is the same program on both machines, executed in step.
type pair struct {
	setup
	kernel  *rvexec.Kernel
	img     *rv.Image
	blocks  []*rvexec.Core
	machine *reference.Emulator
	steps   int
	lanes   int // instructions of threads
	step    simt.Step
	event   reference.Event
	// lowered says that the lowered program is compared too: one that is as
	// compilers make them.
	lowered bool
}

// encode is the words of instructions.
func encode(t *testing.T, program ...rv.Inst) []uint32 {
	t.Helper()
	words := make([]uint32, len(program))
	for i, in := range program {
		w, err := rv.Encode(in)
		if err != nil {
			t.Fatalf("instruction %d, %v: %v", i, in, err)
		}
		words[i] = w
	}
	return words
}

func newPair(t *testing.T, s setup) *pair {
	t.Helper()
	s.cores = max(1, s.cores)
	if s.base == 0 {
		s.base = textBase
	}
	text := make([]byte, 0, 4*len(s.words))
	insts := make([]rv.Inst, len(s.words))
	for i, w := range s.words {
		text = binary.LittleEndian.AppendUint32(text, w)
		insts[i], _ = rv.Decode(w) // a word that is none may be in a program
	}
	img := &rv.Image{
		Name: "test", Entry: s.base, TextBase: s.base, Text: s.words, Insts: insts,
		Segments: []rv.Segment{{Addr: s.base, Data: text, MemBytes: uint32(len(text)), Exec: true, Write: s.writable}},
	}
	launch := rvexec.LaunchConfig{Cores: s.cores, Warps: s.warps, Threads: s.threads, Variant: s.variant}
	memory := map[uint32]byte{}
	for _, addr := range slices.Sorted(maps.Keys(s.data)) {
		launch.Memory = append(launch.Memory, rvexec.Region{Addr: addr, Data: s.data[addr]})
		put(memory, addr, s.data[addr])
	}
	k, err := rvexec.NewKernel(img, launch)
	if err != nil {
		t.Fatal(err)
	}
	return pairOf(t, s, k, img, s.base, memory)
}

func put(memory map[uint32]byte, addr uint32, data []byte) {
	for i, b := range data {
		memory[addr+uint32(i)] = b
	}
}

// pairOf is a kernel beside a reference with the same memory besides that of
// the program.
func pairOf(t *testing.T, s setup, k *rvexec.Kernel, img *rv.Image, start uint32, memory map[uint32]byte) *pair {
	t.Helper()
	code := map[uint32]uint32{}
	for i, w := range img.Text {
		code[img.TextBase+uint32(4*i)] = w
	}
	for i := range img.Segments {
		put(memory, img.Segments[i].Addr, img.Segments[i].Data)
	}
	p := &pair{setup: s, kernel: k, img: img}
	p.newBlocks(t)
	p.machine = reference.New(reference.Config{
		Cores: s.cores, Warps: s.warps, Threads: s.threads, Feb2024: s.variant == rvexec.Feb2024,
		Start: start, Argument: rvexec.ArgumentAddr, Code: code, CodeWritable: s.writable, Memory: memory,
	})
	return p
}

// newBlocks makes the cores of the kernel.
func (p *pair) newBlocks(t *testing.T) {
	t.Helper()
	p.blocks = nil
	for i := range p.cores {
		b, err := p.kernel.NewBlock(int64(i))
		if err != nil {
			t.Fatal(err)
		}
		p.blocks = append(p.blocks, b.(*rvexec.Core))
	}
}

// restart brings both machines to the start of the program again.
func (p *pair) restart(t *testing.T) {
	t.Helper()
	for _, b := range p.blocks {
		b.Release()
	}
	p.newBlocks(t)
	p.machine.Restart()
}

// set gives a register, f0 being number 32, to a thread on both machines.
func (p *pair) set(core, warp, thread, register int, value uint32) {
	p.blocks[core].Warp(warp).SetRegister(register, thread, value)
	regs := &p.machine.Core(core).Warps[warp].Threads[thread]
	switch {
	case register >= 32:
		regs.F[register-32] = value
	case register > 0:
		regs.X[register] = value
	}
}

// kinds is what package simt calls what a program did wrong.
var kinds = map[reference.Kind]error{
	reference.Illegal:      simt.ErrUnsupported,
	reference.BadRounding:  simt.ErrInvalid,
	reference.NotWritable:  simt.ErrInvalid,
	reference.Divergent:    simt.ErrInvalid,
	reference.BadSplit:     simt.ErrInvalid,
	reference.BadJoin:      simt.ErrInvalid,
	reference.BadSpawn:     simt.ErrInvalid,
	reference.BadBarrier:   simt.ErrInvalid,
	reference.CoreBarrier:  simt.ErrUnsupported,
	reference.Misaligned:   simt.ErrMisaligned,
	reference.Outside:      simt.ErrOutOfBounds,
	reference.Protected:    simt.ErrInvalid,
	reference.Breakpoint:   simt.ErrTrap,
	reference.Deadlock:     simt.ErrDeadlock,
	reference.Inexecutable: simt.ErrUnsupported,
}

// execute steps one warp on both machines and compares what the instruction did
// and the state it left. It says whether the program goes on: not after a fault,
// on which both must agree.
func (p *pair) execute(core, warp int) (fault *reference.Fault, err error) {
	w := p.blocks[core].Warp(warp)
	was := p.machine.Core(core).Warps[warp].PC
	check := func(reference.Event) error { return nil }
	if p.lowered {
		check = p.watch(core, warp)
	}
	event, fault := p.machine.Step(core, warp)
	p.event = event
	failure := w.Step(&p.step)
	p.steps++
	for mask := event.Active; mask != 0; mask &= mask - 1 {
		p.lanes++
	}
	where := fmt.Sprintf("step %d, core %d, warp %d: %s", p.steps, core, warp, rv.Disassemble(p.word(was), was))
	if fault != nil || failure != nil {
		if err := p.sameFault(core, warp, fault, failure); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		return fault, nil
	}
	if err := p.sameEvent(core, event); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if err := p.sameState(core, warp); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	if err := check(event); err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return nil, nil
}

// word is an instruction word, 0 where there is none.
func (p *pair) word(addr uint32) uint32 {
	if i, ok := p.img.Index(addr); ok {
		return p.img.Text[i]
	}
	return 0
}

func (p *pair) sameFault(core, warp int, want *reference.Fault, got error) error {
	if want == nil {
		return fmt.Errorf("rvexec fails with %w, the reference does not", got)
	}
	var e *simt.RuntimeError
	if !errors.As(got, &e) {
		return fmt.Errorf("want %w, have %v", want, got)
	}
	if !errors.Is(e, kinds[want.Kind]) {
		return fmt.Errorf("want %w, have %w", want, got)
	}
	if want.Kind == reference.Deadlock {
		return nil // a matter of the core
	}
	if p.img.Addr(e.PC) != want.PC || e.Block != int64(core) {
		return fmt.Errorf("want %w, have pc %d of core %d: %w", want, e.PC, e.Block, got)
	}
	if want.Thread >= 0 && e.Thread != warp*p.threads+want.Thread {
		return fmt.Errorf("want %w, have thread %d: %w", want, e.Thread, got)
	}
	return nil
}

func (p *pair) sameEvent(core int, want reference.Event) error {
	got := &p.step
	next := isa.NoPC
	if !want.Ended {
		next, _ = p.img.Index(want.Next)
	}
	barrier := int32(-1)
	if want.Arrived {
		barrier = int32(want.Barrier)
	}
	if p.img.Addr(got.PC) != want.PC || got.NextPC != next ||
		uint32(got.Active) != want.Active || uint32(got.Exec) != want.Active {
		return fmt.Errorf("pc %d, next %d, active %08b, executing %08b; want pc %#x, next %#x, active %08b",
			got.PC, got.NextPC, got.Active, got.Exec, want.PC, want.Next, want.Active)
	}
	if got.Barrier != barrier || got.BarrierOpened != want.Opened || got.BarrierFull != want.Full {
		return fmt.Errorf("barrier %d, full %v, opened %v; want %d, %v, %v",
			got.Barrier, got.BarrierFull, got.BarrierOpened, barrier, want.Full, want.Opened)
	}
	if want.Width == 0 {
		return nil
	}
	local := p.variant.UserEnd()
	isLocal := func(addr uint32) bool { return addr >= local && addr-local < rvexec.LocalBytes }
	space := isa.Global
	near := 0
	for _, addr := range want.Addresses {
		if isLocal(addr) {
			near++
		}
	}
	switch near {
	case 0:
	case len(want.Addresses):
		space = isa.Shared
	default:
		space = isa.Generic
	}
	if got.Space != space || int(got.WidthBytes) != want.Width {
		return fmt.Errorf("%d bytes of space %v; want %d of %v", got.WidthBytes, got.Space, want.Width, space)
	}
	i := 0
	for lane := range p.threads {
		if want.Active>>lane&1 == 0 {
			continue
		}
		addr := want.Addresses[i]
		i++
		if space == isa.Shared {
			addr -= local
		}
		if got.Addresses[lane] != uint64(addr) {
			return fmt.Errorf("lane %d accesses %#x, want %#x", lane, got.Addresses[lane], addr)
		}
	}
	return nil
}

// sameState compares the warp's registers and the status of all warps of the
// core.
func (p *pair) sameState(core, warp int) error {
	c := p.machine.Core(core)
	for i, want := range c.Warps {
		got := p.blocks[core].Warp(i)
		status := simt.Ready
		switch {
		case p.machine.Ended(core):
			status = simt.Done
		case want.Mask == 0 || want.Waiting:
			status = simt.Waiting
		}
		if got.Status() != status || uint32(got.Mask()) != want.Mask {
			return fmt.Errorf("warp %d is %v with threads %b; want %v, %b", i, got.Status(), got.Mask(), status, want.Mask)
		}
	}
	got, want := p.blocks[core].Warp(warp), c.Warps[warp]
	if fcsr := want.FRM<<5 | want.FFlags; got.FCSR() != fcsr || got.Splits() != want.Splits() {
		return fmt.Errorf("fcsr %08b, %d splits; want %08b, %d", got.FCSR(), got.Splits(), fcsr, want.Splits())
	}
	for lane := range want.Threads {
		for r := range 64 {
			have, value := got.Register(r, lane), want.Threads[lane].X[r%32]
			if r >= 32 {
				value = want.Threads[lane].F[r-32]
			}
			if have != value {
				return fmt.Errorf("thread %d: register %s is %08x, want %08x", lane, registerName(r), have, value)
			}
		}
	}
	return nil
}

func registerName(r int) string {
	if r < 32 {
		return fmt.Sprintf("x%d", r)
	}
	return fmt.Sprintf("f%d", r-32)
}

// sameEnd compares what is left when a program has ended: user memory, console
// and exit code.
func (p *pair) sameEnd() error {
	if string(p.kernel.Console()) != string(p.machine.Console()) {
		return fmt.Errorf("console %q, want %q", p.kernel.Console(), p.machine.Console())
	}
	if p.kernel.ExitCode() != p.machine.ExitCode() {
		return fmt.Errorf("exit code %d, want %d", p.kernel.ExitCode(), p.machine.ExitCode())
	}
	// What was not touched must be zero: the surroundings of all bytes are read.
	const chunk = 256
	blocks := map[uint32]bool{}
	for addr := range p.machine.Memory {
		for _, near := range []uint32{addr - chunk, addr, addr + chunk} {
			if near >= rvexec.UserBase && near < p.variant.UserEnd() {
				blocks[near/chunk] = true
			}
		}
	}
	var bytes [chunk]byte
	for _, block := range slices.Sorted(maps.Keys(blocks)) {
		if err := p.kernel.ReadMemory(block*chunk, bytes[:]); err != nil {
			return err
		}
		for i, have := range bytes {
			addr := block*chunk + uint32(i)
			if have != p.machine.Memory[addr] {
				return fmt.Errorf("memory at %#x is %02x, want %02x", addr, have, p.machine.Memory[addr])
			}
		}
	}
	return nil
}

// run executes warps in random order until all have ended, something is wrong
// with the program, or limit instructions are over.
func (p *pair) run(r *rand.Rand, limit int) (*reference.Fault, error) {
	type place struct{ core, warp int }
	for range limit {
		var ready []place
		for core := range p.cores {
			for warp := range p.warps {
				if p.machine.Ready(core, warp) {
					ready = append(ready, place{core, warp})
				}
			}
		}
		if len(ready) == 0 {
			break
		}
		next := ready[r.IntN(len(ready))]
		if fault, err := p.execute(next.core, next.warp); fault != nil || err != nil {
			return fault, err
		}
	}
	return nil, p.sameEnd()
}
