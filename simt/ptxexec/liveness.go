package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// registerRule says how RegisterUnits is counted.
const registerRule = "most 32-bit registers live at one instruction (64-bit values count two, narrower ones one, predicates none), a call adding what its callee needs"

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
// callee's need comes on top; functions that call themselves count once.
func registerUnits(p *isa.Program, units []int) int {
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
		need[fn] = functionUnits(p, fn, units, func(entry int32) int { return count(of[entry]) })
		return need[fn]
	}
	return count(0)
}

// functionUnits is the most units live at an instruction of a function: those
// live before it together with those it writes, and those live after it.
func functionUnits(p *isa.Program, fn int, units []int, callee func(entry int32) int) int {
	c, err := isa.BuildCFG(p, fn)
	if err != nil {
		return 0
	}
	words := (len(p.Registers) + 63) / 64
	liveIn := make([][]uint64, len(c.Blocks))
	for i := range liveIn {
		liveIn[i] = make([]uint64, words)
	}
	live := make([]uint64, words)
	after := func(b int) {
		clear(live)
		for _, s := range c.Blocks[b].Succs {
			for i, x := range liveIn[s] {
				live[i] |= x
			}
		}
	}
	step := func(in *isa.Instruction) {
		if in.Guard == isa.NoReg {
			for _, r := range in.Writes {
				live[r/64] &^= 1 << (r % 64)
			}
		}
		for _, r := range in.Reads {
			live[r/64] |= 1 << (r % 64)
		}
	}
	for changed := true; changed; {
		changed = false
		for b := len(c.Blocks) - 1; b >= 0; b-- {
			after(b)
			for pc := c.Blocks[b].End - 1; pc >= c.Blocks[b].First; pc-- {
				step(&p.Instructions[pc])
			}
			for i, x := range live {
				if x != liveIn[b][i] {
					liveIn[b][i] = x
					changed = true
				}
			}
		}
	}
	sum := func() int {
		n := 0
		for i, x := range live {
			for ; x != 0; x &= x - 1 {
				n += units[i*64+bits.TrailingZeros64(x)]
			}
		}
		return n
	}
	worst := 0
	for b := range c.Blocks {
		after(b)
		for pc := c.Blocks[b].End - 1; pc >= c.Blocks[b].First; pc-- {
			in := &p.Instructions[pc]
			n := sum()
			for _, r := range in.Writes {
				if live[r/64]>>(r%64)&1 == 0 {
					n += units[r]
				}
			}
			if in.Kind == isa.Call {
				n += callee(in.Targets[0])
			}
			worst = max(worst, n)
			step(in)
			worst = max(worst, sum())
		}
	}
	return worst
}
