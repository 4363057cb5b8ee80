package ptxexec

import (
	"math/bits"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// variation decides at random what PTX leaves open and this package otherwise
// decides in one way: what registers, local and shared memory hold at first, what
// special registers show that another machine or another run would show
// otherwise, results of approximate functions and of divisions by zero, the
// leader of elect, the layout of fragments, which of several lanes that store at
// one address comes last, the order of the lanes of an atomic or of an operation on
// a memory barrier object, what a shuffle reads from a lane that is not there, and
// when an asynchronous copy happens.
//
// It exists to test what taint mode claims: where nothing is recorded, every
// execution takes the same path.
type variation struct {
	rng *rand.Rand
	// agrees says that open results are those that are computed here: what
	// assumption A35 is about.
	agrees bool
	// functions says that open results are functions of their operands: what assumption A36
	// is about.
	functions bool
	results   [simt.MaxLanes]uint64 // of the instruction, by those
	// leaders is where the search for a leader starts, by member mask: the choice
	// is free, but always the same.
	salt uint64
	// eager is how likely, of 32, an asynchronous copy happens before an
	// instruction: never before it must, at times, or soon.
	eager int
}

// laterCopy is an asynchronous copy of one lane that has not happened yet.
type laterCopy struct {
	in    *instr
	lane  int
	group uint32
	from  uint64
	to    uint64
	bytes uint64
}

func newVariation(opt *Options) *variation {
	rng := opt.Vary
	if rng == nil {
		return nil
	}
	return &variation{rng: rng, agrees: opt.SameOpen, functions: opt.EqualOpen, salt: rng.Uint64(), eager: []int{0, 1, 16}[rng.IntN(3)]}
}

// scramble fills the registers of a range that the kernel has to write first, in
// the lanes of m.
func (v *variation) scramble(w *warp, regLo, regHi, predLo, predHi int32, m uint32) {
	p := w.blk.k.prog
	for r := regLo; r < regHi; r++ {
		if p.regInit[r] == initZero {
			v.fill(w, r, m, p.regBits[r])
		}
	}
	for i := predLo; i < predHi; i++ {
		w.setPred(i, m, v.rng.Uint32())
	}
}

// fill gives a register random values of so many bits in the lanes of m.
func (v *variation) fill(w *warp, r int32, m uint32, width uint8) {
	mask := widthMask(max(int(width), 1))
	d := w.part(r)
	for ; m != 0; m &= m - 1 {
		d[bits.TrailingZeros32(m)&31] = small(v.rng.Uint64()) & mask
	}
}

func (v *variation) bytes(b []byte) {
	for i := range b {
		b[i] = byte(v.rng.Uint32())
	}
}

// open scrambles what a block starts with.
func (v *variation) open(b *block) {
	v.bytes(b.shared)
	for i := range b.warps {
		w := &b.warps[i]
		p := b.k.prog
		v.scramble(w, 0, int32(len(p.regInit)), 0, int32(p.numPreds), w.live)
		for _, sr := range p.specials {
			if sr.tainted {
				w.setScalar(sr.reg, w.live, v.rng.Uint64()&widthMask(int(sr.bits)))
			}
		}
		w.later = w.later[:0]
		w.commits = [simt.MaxLanes]uint32{}
	}
}

// before is called before each instruction; it returns the lanes whose results
// after has to replace.
func (v *variation) before(w *warp, in *instr, m uint32) uint32 {
	w.clock += v.rng.Int64N(3)
	for i := range w.blk.warps {
		if other := &w.blk.warps[i]; len(other.later) > 0 && v.rng.IntN(32) < v.eager {
			other.happen(v.rng.IntN(len(other.later)))
		}
	}
	switch in.flow {
	case flowCommit:
		for left := m; left != 0; left &= left - 1 {
			w.commits[bits.TrailingZeros32(left)&31]++
		}
	case flowAwait:
		for i := len(w.later) - 1; i >= 0; i-- {
			c := &w.later[i]
			if m>>c.lane&1 != 0 && (in.x.mode == waitAll || c.group < w.commits[c.lane] && w.commits[c.lane]-c.group > uint32(in.x.imm)) {
				w.happen(i)
			}
		}
	}
	if in.open == nil || v.agrees {
		return 0
	}
	if v.functions && in.group == gPure {
		v.compute(w, in)
	}
	return in.open(w, in, m)
}

// compute draws a function of the instruction's operands.
func (v *variation) compute(w *warp, in *instr) {
	for i := range v.results {
		h := v.salt ^ uint64(w.top.pc)<<32
		mix := func(x uint64) {
			h = (h ^ x) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		for _, r := range in.rv {
			mix(w.src(r)[i])
		}
		for _, p := range in.rp {
			mix(uint64(w.preds[p] >> i & 1))
		}
		mix(0)
		mix(0)
		v.results[i] = small(h)
	}
}

// small makes small values as likely as any: addresses and counts are small.
func small(x uint64) uint64 {
	if x>>62 == 0 {
		x &= 63
	}
	return x
}

// after replaces open results, and lets another lane of a store be the last one.
func (v *variation) after(w *warp, in *instr, m, open uint32) error {
	if open != 0 && !in.elects {
		for _, r := range in.wv {
			if v.functions && in.group == gPure {
				mask, d := widthMask(max(int(w.blk.k.prog.regBits[r]), 1)), w.part(r)
				for left := open; left != 0; left &= left - 1 {
					i := bits.TrailingZeros32(left) & 31
					d[i] = v.results[i] & mask
				}
				continue
			}
			v.fill(w, r, open, w.blk.k.prog.regBits[r])
		}
		for _, p := range in.wp {
			w.setPred(p, open, v.rng.Uint32())
		}
	}
	if in.group != gStore || m == 0 {
		return nil
	}
	saved := *w.step
	for range 2 {
		lane := v.pick(m)
		w.addresses(in, in.mem, 1<<lane)
		if err := w.storeEach(in, 1<<lane); err != nil {
			return err
		}
	}
	*w.step = saved
	return nil
}

// pick draws a lane of m.
func (v *variation) pick(m uint32) int {
	for n := v.rng.IntN(bits.OnesCount32(m)); n > 0; n-- {
		m &= m - 1
	}
	return bits.TrailingZeros32(m) & 31
}

// leader is the lane of a group that elect chooses: the lowest, if nothing
// varies.
func (v *variation) leader(group uint32) int {
	if v == nil || v.agrees {
		return bits.TrailingZeros32(group) & 31
	}
	h := (uint64(group) ^ v.salt) * 0x9e3779b97f4a7c15
	for n := h >> 32 % uint64(bits.OnesCount32(group)); n > 0; n-- {
		group &= group - 1
	}
	return bits.TrailingZeros32(group) & 31
}

// element is the number of the element of a fragment, of n, that the registers hold
// where number e is here.
func (v *variation) element(e, n int) int {
	if v == nil || v.agrees {
		return e
	}
	return (e + int(v.salt%uint64(n))) % n
}

// first is the element of a fragment, of n, that is stored first.
func (v *variation) first(n int) int {
	if v == nil {
		return 0
	}
	return v.rng.IntN(n)
}

// texel replaces what a fetch returns of the channels from the first on, which the
// texture has not, in the lanes of m.
func (v *variation) texel(w *warp, dst []int32, m uint32) {
	if v == nil || v.agrees {
		return
	}
	for _, r := range dst {
		if r >= 0 {
			v.fill(w, r, m, 32)
		}
	}
}

// absent replaces what a shuffle reads from lanes outside m.
func (v *variation) absent(x *lanes, m uint32) {
	if v == nil {
		return
	}
	for i := range x {
		if m>>i&1 == 0 {
			x[i] = uint64(v.rng.Uint32())
		}
	}
}

// inTurns says that lanes execute an instruction one after the other.
func (in *instr) inTurns() bool {
	return in.flow == flowMemory || in.x != nil && in.x.mbar != nil
}

// atomic runs an atomic lane by lane in an order of its own. Lanes of a generic
// one may be in different memories: they keep theirs.
func (v *variation) atomic(w *warp, in *instr, m uint32) error {
	if in.mem.space == isa.Generic {
		return in.run(w, in, m)
	}
	for m != 0 {
		lane := v.pick(m)
		if err := in.run(w, in, 1<<lane); err != nil {
			return err
		}
		m &^= 1 << lane
	}
	return nil
}

// happen makes copy number i under way happen.
func (w *warp) happen(i int) {
	c := w.later[i]
	w.later = append(w.later[:i], w.later[i+1:]...)
	var buf [16]byte
	if c.bytes > 0 {
		if data, _, _, err := w.locate(c.in.mem, c.from, c.bytes, c.lane, false); err == nil {
			copy(buf[:c.bytes], data)
		}
	}
	if data, _, _, err := w.locate(c.in.x.to, c.to, c.in.x.to.width, c.lane, true); err == nil {
		copy(data[:c.in.x.to.width], buf[:])
	}
}
