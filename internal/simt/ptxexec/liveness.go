package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// How RegisterUnits is counted. Kernels whose liveness would take too much
// memory count every register they name, which is never less.
const (
	usedRule     = "32-bit registers named in the kernel and the functions it calls (64-bit values count two, narrower ones one, predicates none)"
	registerRule = "most 32-bit registers live at one instruction (64-bit values count two, narrower ones one, predicates none), a call adding what its callee needs"
	maxLiveWords = 4 << 20
)

// units is the number of 32-bit registers that each register takes.
func (l *lowerer) units() []int {
	u := make([]int, len(l.regTypes))
	for i, t := range l.regTypes {
		switch {
		case t == ptx.Pred:
		case t.Bits() > 32:
			u[i] = t.Bits() / 32
		default:
			u[i] = 1
		}
	}
	return u
}

// registerUnits counts the registers a thread needs, by liveness. At a call the
// callee's need comes on top; functions that call themselves count once. rule
// says how they were counted.
func registerUnits(p *isa.Program, units []int) (n int, rule string) {
	tooLarge := false
	need := make([]int, len(p.Functions))
	state := make([]uint8, len(p.Functions)) // 1 while counted, 2 when done
	of := make(map[int32]int, len(p.Functions))
	for i, f := range p.Functions {
		of[f.Entry] = i
	}
	var count func(fn int) int
	count = func(fn int) int {
		if state[fn] != 0 {
			return need[fn]
		}
		state[fn] = 1
		var ok bool
		need[fn], ok = functionUnits(p, fn, units, func(entry int32) int { return count(of[entry]) })
		tooLarge = tooLarge || !ok
		return need[fn]
	}
	n = count(0)
	if !tooLarge {
		return n, registerRule
	}
	n = 0
	for _, u := range units {
		n += u
	}
	return n, usedRule
}

// functionUnits is the most units live at an instruction of a function: those
// live before it, and those live after it together with those it writes. ok is
// false where that takes too much memory.
func functionUnits(p *isa.Program, fn int, units []int, callee func(entry int32) int) (n int, ok bool) {
	c, err := isa.BuildCFG(p, fn)
	if err != nil {
		return 0, false
	}
	f, ok := newLiveness(c, len(p.Registers))
	if !ok {
		return 0, false
	}
	f.solve()
	worst := 0
	live := make([]bool, len(p.Registers))
	for b := range c.Blocks {
		now := 0
		set := func(r isa.Reg, on bool) {
			if live[r] != on {
				live[r] = on
				if on {
					now += units[r]
				} else {
					now -= units[r]
				}
			}
		}
		f.after(b, func(r isa.Reg) { set(r, true) })
		for pc := c.Blocks[b].End - 1; pc >= c.Blocks[b].First; pc-- {
			in := &p.Instructions[pc]
			n := now
			for _, r := range in.Writes {
				if !live[r] {
					n += units[r]
				}
			}
			if in.Kind == isa.Call {
				most := 0
				for _, t := range in.Targets {
					most = max(most, callee(t))
				}
				n += most
			}
			worst = max(worst, n)
			if in.Guard == isa.NoReg {
				for _, r := range in.Writes {
					set(r, false)
				}
			}
			for _, r := range in.Reads {
				set(r, true)
			}
			worst = max(worst, now)
		}
		// What is live at the start of a block is read in it or later.
		f.before(b, func(r isa.Reg) { set(r, false) })
	}
	return worst, true
}

// liveness holds the sets of registers live at the starts of blocks. Most
// registers of a large kernel are read only in the block that writes them:
// the sets hold the others.
type liveness struct {
	c      *isa.CFG
	dense  []int32   // index in the sets, -1 for registers local to blocks
	regs   []isa.Reg // the inverse
	in     [][]uint64
	kill   [][]uint64
	union  []uint64
	walked []int32 // for each register the block that wrote it last, plus one
}

func newLiveness(c *isa.CFG, registers int) (f *liveness, ok bool) {
	f = &liveness{c: c, dense: make([]int32, registers), walked: make([]int32, registers)}
	for r := range f.dense {
		f.dense[r] = -1
	}
	f.exposed(func(_ int, r isa.Reg) {
		if f.dense[r] < 0 {
			f.dense[r] = int32(len(f.regs))
			f.regs = append(f.regs, r)
		}
	}, func(int, isa.Reg) {})
	words := (len(f.regs) + 63) / 64
	if words*len(c.Blocks) > maxLiveWords {
		return nil, false
	}
	f.in, f.kill = make([][]uint64, len(c.Blocks)), make([][]uint64, len(c.Blocks))
	f.union = make([]uint64, words)
	for b := range f.in {
		f.in[b], f.kill[b] = make([]uint64, words), make([]uint64, words)
	}
	f.exposed(func(b int, r isa.Reg) {
		f.in[b][f.dense[r]/64] |= 1 << (f.dense[r] % 64)
	}, func(b int, r isa.Reg) {
		if k := f.dense[r]; k >= 0 {
			f.kill[b][k/64] |= 1 << (k % 64)
		}
	})
	return f, true
}

// exposed visits the registers that blocks read before they write them, and
// those that they certainly write.
func (f *liveness) exposed(read, written func(b int, r isa.Reg)) {
	clear(f.walked)
	for b := range f.c.Blocks {
		block := &f.c.Blocks[b]
		for pc := block.First; pc < block.End; pc++ {
			in := &f.c.Program.Instructions[pc]
			for _, r := range in.Reads {
				if f.walked[r] != int32(b+1) {
					read(b, r)
				}
			}
			if in.Guard != isa.NoReg {
				continue
			}
			for _, r := range in.Writes {
				f.walked[r] = int32(b + 1)
				written(b, r)
			}
		}
	}
}

// solve propagates liveness backwards until nothing changes.
func (f *liveness) solve() {
	for changed := true; changed; {
		changed = false
		for b := len(f.in) - 1; b >= 0; b-- {
			f.unite(b)
			for i, x := range f.union {
				if x = f.in[b][i] | x&^f.kill[b][i]; x != f.in[b][i] {
					f.in[b][i] = x
					changed = true
				}
			}
		}
	}
}

// unite computes what is live after block b.
func (f *liveness) unite(b int) {
	clear(f.union)
	for _, s := range f.c.Blocks[b].Succs {
		for i, x := range f.in[s] {
			f.union[i] |= x
		}
	}
}

func (f *liveness) after(b int, visit func(isa.Reg)) {
	f.unite(b)
	f.visit(f.union, visit)
}

func (f *liveness) before(b int, visit func(isa.Reg)) { f.visit(f.in[b], visit) }

func (f *liveness) visit(set []uint64, visit func(isa.Reg)) {
	for i, x := range set {
		for ; x != 0; x &= x - 1 {
			visit(f.regs[i*64+bits.TrailingZeros64(x)])
		}
	}
}
