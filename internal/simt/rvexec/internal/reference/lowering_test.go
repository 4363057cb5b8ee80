package reference_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec/internal/reference"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/isa"
)

// watch compares what an instruction of a warp does with what the lowered
// program says that it may do. The function returned is to be called after it.
func (p *pair) watch(core, warp int) func(reference.Event) error {
	w := p.machine.Core(core).Warps[warp]
	was := slices.Clone(w.Threads)
	program := p.kernel.Program()
	pc, _ := p.img.Index(w.PC)
	return func(e reference.Event) error {
		in := &program.Instructions[pc]
		next, _ := p.img.Index(e.Next)
		turns := e.Ended || e.Arrived || e.Opened || w.Waiting || next != pc+1 || w.Mask != e.Active
		if turns && !in.Kind.Control() {
			return fmt.Errorf("is lowered as %v, but goes to %#x, from threads %b to %b", in.Kind, e.Next, e.Active, w.Mask)
		}
		if !e.Ended && (in.Kind == isa.Branch || in.Kind == isa.Call) && !slices.Contains(in.Targets, next) {
			return fmt.Errorf("goes to instruction %d, lowered with targets %d", next, in.Targets)
		}
		if accesses := in.Kind == isa.Load || in.Kind == isa.Store; accesses != (e.Width > 0) || int(in.WidthBytes) != e.Width {
			return fmt.Errorf("accesses %d bytes, lowered as %v of %d", e.Width, in.Kind, in.WidthBytes)
		}
		for lane := range was {
			for r := range 64 {
				if registerOf(&was[lane], r) != registerOf(&w.Threads[lane], r) && !slices.Contains(in.Writes, loweredRegister(program, r)) {
					return fmt.Errorf("writes %s, lowered with %d", registerName(r), in.Writes)
				}
			}
		}
		return nil
	}
}

func registerOf(t *reference.Thread, r int) uint32 {
	if r < 32 {
		return t.X[r]
	}
	return t.F[r-32]
}

// loweredRegister is register r, f0 being number 32, in a program.
func loweredRegister(p *isa.Program, r int) isa.Reg {
	return isa.Reg(slices.Index(p.Registers, registerName(r)))
}

// TestDependences executes instructions twice, the second time with other
// values in all registers that the lowered program does not say are read:
// results must be the same.
func TestDependences(t *testing.T) {
	r := random(t)
	for _, op := range append(computing(), memoryOps...) {
		for range settings.Times(t) * 12 {
			w := randomWord(r, op)
			p := newPair(t, setup{warps: 1, threads: 1, words: append([]uint32{w}, encode(t, rv.Inst{Op: rv.Ecall})...)})
			program := p.kernel.Program()
			in := &program.Instructions[0]
			all := make([]int, 64)
			for reg := range all {
				all[reg] = reg
			}
			base := int(w >> 15 & 31)
			memory := slices.Contains(memoryOps, op)
			if memory && base == 0 {
				continue
			}
			// The values before the first execution, and after each.
			var before reference.Thread
			var after [2]reference.Thread
			var stored [2][4]byte
			thread := func() *reference.Thread { return &p.machine.Core(0).Warps[0].Threads[0] }
			for run := range 2 {
				if run == 1 {
					p.restart(t)
				}
				p.fill(r, all...)
				if run == 0 {
					if memory {
						decoded, _ := reference.Decode(w)
						p.set(0, 0, 0, base, 0x20000-uint32(decoded.Immediate))
					}
					before = *thread()
				}
				for reg := range 64 {
					if run == 1 && slices.Contains(in.Reads, loweredRegister(program, reg)) {
						p.set(0, 0, 0, reg, registerOf(&before, reg))
					}
				}
				check := p.watch(0, 0)
				if _, err := p.execute(0, 0); err != nil {
					t.Fatal(err)
				}
				if err := check(p.event); err != nil {
					t.Fatalf("%s: %v", rv.Disassemble(w, textBase), err)
				}
				after[run] = *thread()
				if err := p.kernel.ReadMemory(0x20000, stored[run][:]); err != nil {
					t.Fatal(err)
				}
			}
			if stored[0] != stored[1] {
				t.Fatalf("%s: stores %x, or %x with the same in the registers read, %d", rv.Disassemble(w, textBase), stored[0], stored[1], in.Reads)
			}
			for reg := range 64 {
				if slices.Contains(in.Writes, loweredRegister(program, reg)) && registerOf(&after[0], reg) != registerOf(&after[1], reg) {
					t.Fatalf("%s: %s is %08x, or %08x with the same in the registers read, %d",
						rv.Disassemble(w, textBase), registerName(reg), registerOf(&after[0], reg), registerOf(&after[1], reg), in.Reads)
				}
			}
		}
	}
}
