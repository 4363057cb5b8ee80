package ptxexec

import (
	"fmt"
	"math/bits"
)

// Compilers unroll loops by a power of two: they count to x - (x & 3), or to x & -4, and
// execute the x & 3 iterations that are left in a loop of their own. Such numbers are kept as
// multiples of an unknown: x & -4 is 4 times the quotient of x by 4, rounded down.

// lowBits is what an unknown is that a mask of low bits gives: what is left of an integer
// divided by a power of two.
type lowBits struct {
	of    *affine // the integer, as patterns of so many bits
	width uint8
	by    int64
	whole int32 // the unknown that is the quotient
}

// lowMask is the number of which a mask takes what is left in the division, or all but that,
// of patterns in which no bits beyond those of limit are set; 0 for other masks.
func lowMask(mask, limit uint64) (by int64, low bool) {
	if mask&(mask+1) == 0 && mask < limit && mask < 1<<61 {
		return int64(mask + 1), true
	}
	if rest := ^mask & limit; rest&(rest+1) == 0 && rest < 1<<61 && rest < limit {
		return int64(rest + 1), false
	}
	return 0, false
}

// limitOf is the bits that may be set in the patterns of a.
func (u unknowns) limitOf(a *affine, width uint8) uint64 {
	if _, lo, hi, ok := u.read(a, width, false); ok && lo >= 0 {
		return 1<<bits.Len64(uint64(hi)) - 1
	}
	return widthMask(int(width))
}

// lowOf is what the result of an instruction is in the lanes of m that takes low bits of a
// register; nil for others.
func (w *coverWarp) lowOf(in *instr, m uint32) *lowBits {
	l := &in.lin
	if in.group != gPure || l.op != linAnd || w.blk.k.prog.regBits[in.d] != l.bits {
		return nil
	}
	a, b := w.affine(in.a, m), w.affine(in.b, m)
	if a.known() {
		a, b = b, a
	}
	n, ok := b.constant()
	if !ok {
		return nil
	}
	by, low := lowMask(uint64(n)&widthMask(int(l.bits)), w.closed.unknowns.limitOf(a, l.bits))
	if by < 2 || !low {
		return nil
	}
	return w.divide(a, l.bits, by)
}

// withoutLow is a without the low bits that a mask takes away; nil for other masks.
func (w *coverWarp) withoutLow(a *affine, mask uint64, width uint8) *affine {
	by, low := lowMask(mask, w.closed.unknowns.limitOf(a, width))
	if by < 2 || low {
		return nil
	}
	return w.divide(a, width, by).multiple()
}

// divide makes an unknown of the quotient of the integer that the patterns of a stand for by a
// power of two.
func (w *coverWarp) divide(a *affine, width uint8, by int64) *lowBits {
	u := &w.closed.unknowns
	lo, hi := limitsOf(width, true)
	signed := true
	for _, s := range []bool{true, false} {
		if _, least, most, ok := u.read(a, width, s); ok {
			lo, hi, signed = least, most, s
			break
		}
	}
	of := u.any(floorDiv(lo, by), floorDiv(hi, by), u.uniform(a))
	(*u)[of].quotient = &quotient{of: a, width: width, signed: signed, by: by, floor: true}
	if name := w.named(a, a.lanes); name != "" {
		w.name(of, fmt.Sprintf("q%d.%d.%t:%s", by, width, signed, name))
	}
	return &lowBits{of: a, width: width, by: by, whole: of}
}

// multiple is the integer without what is left in the division.
func (l *lowBits) multiple() *affine { return onlyUnknown(l.whole, l.by, 0, l.of.lanes) }

// difference is a - b, where one may be what is left of the other, or of a number a known
// distance from it, in a division.
func (w *coverWarp) difference(a, b *affine, width uint8) *affine {
	if out := w.lessLow(a, b, width); out != nil {
		return out
	}
	if out := w.lessLow(b, a, width); out != nil {
		return out.times(-1)
	}
	return a.combine(1, b, -1)
}

// lessLow is a - b, where b is what is left of a, or of a number a known distance from it, in
// a division; nil for others.
func (w *coverWarp) lessLow(a, b *affine, width uint8) *affine {
	if len(b.terms) != 1 || b.terms[0].factor != 1 || a.known() {
		return nil
	}
	m := a.lanes & b.lanes
	l := w.closed.unknowns[b.terms[0].of].low
	if l == nil || l.width != width || m == 0 || m&^l.of.lanes != 0 {
		return nil
	}
	inLanes := *b
	inLanes.lanes = m
	off, ok := inLanes.level()
	if !ok {
		return nil
	}
	by, ok := l.of.moved(a, m, width)
	if !ok {
		return nil
	}
	out := l.multiple().plus(by - off)
	out.lanes = m
	return out
}
