package rvexec

import (
	"math/bits"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/simt"
)

// variation decides at random what this package otherwise decides in one way, and what
// another machine or another run shows otherwise: what registers, local memory and memory
// that nobody has written hold at first, what counters and registers that tell machines
// apart show, and which of several lanes that store at one address comes last.
//
// It exists to test what taint mode claims: where nothing is recorded, every execution
// takes the same path.
type variation struct{ rng *rand.Rand }

func newVariation(rng *rand.Rand) *variation { return &variation{rng} }

// value is any number, small ones as likely as others: addresses and counts are small.
func (v *variation) value() uint32 {
	x := v.rng.Uint32()
	if v.rng.IntN(2) == 0 {
		x &= 63
	}
	return x
}

// bytes fills memory that nobody has written.
func (v *variation) bytes(b []byte) {
	for i := range b {
		b[i] = byte(v.rng.Uint32())
	}
}

// open scrambles what a core starts with.
func (v *variation) open(c *Core) {
	v.bytes(c.local)
	for i := range c.warps {
		w := &c.warps[i]
		for r := 1; r < discard; r++ {
			for lane := range w.regs[r] {
				w.regs[r][lane] = v.value()
			}
		}
	}
}

// differs says that a register of control and status shows what another machine or
// another run may show otherwise.
func (v *variation) differs(csr uint16) bool { return v != nil && !sameEverywhere(csr) }

// stored lets other lanes of a store be the last ones.
func (v *variation) stored(w *Warp, in *instr, m uint32, s *simt.Step) problem {
	saved := *s
	for range 2 {
		left := m
		for n := v.rng.IntN(bits.OnesCount32(m)); n > 0; n-- {
			left &= left - 1
		}
		if _, p := w.store(in, left&-left, s); p.kind != nil {
			return p
		}
	}
	*s = saved
	return problem{}
}
