package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

// Arithmetic on pairs of 16-bit values: each half of a register is computed by
// the instruction of the single type.

// halfType is the type of the halves of a packed type; none of any other.
func halfType(t ptx.Type) ptx.Type {
	switch t {
	case ptx.F16x2:
		return ptx.F16
	case ptx.BF16x2:
		return ptx.BF16
	case ptx.U16x2:
		return ptx.U16
	case ptx.S16x2:
		return ptx.S16
	}
	return ptx.TypeNone
}

func isPacked(t ptx.Type) bool { return halfType(t) != ptx.TypeNone }

// packed is an operation on the halves of its operands. ok is false where there
// is none.
func packed(op string, f *ptx.Form) (p pureOp, ok bool) {
	half := *f
	half.Type = halfType(f.Type)
	single, ok := pure(op, &half)
	if !ok {
		return p, false
	}
	g := single.f
	return pureOp{f: func(a, b, c uint64) uint64 {
		return g(a&0xffff, b&0xffff, c&0xffff) | g(a>>16&0xffff, b>>16&0xffff, c>>16&0xffff)<<16
	}}, true
}

// packedCompare gives bit 0 the comparison of the low halves and bit 1 that of
// the high ones.
func packedCompare(f *ptx.Form, t ptx.Type) laneFn {
	g := compareFloat(f.Cmp, halfType(t), f.Ftz)
	return func(a, b, _ uint64) uint64 {
		return g(a&0xffff, b&0xffff, 0) | g(a>>16&0xffff, b>>16&0xffff, 0)<<1
	}
}

// compareHalves returns the lanes of m in which the low, and in which the high
// halves compare as in.f says, each combined with the predicate pc.
func (w *warp) compareHalves(in *instr, m uint32) (low, high uint32) {
	a, b := w.src(in.a), w.src(in.b)
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		r := uint32(in.f(a[i], b[i], 0))
		low |= r & 1 << i
		high |= r >> 1 & 1 << i
	}
	if in.boolOp != boolNone {
		c := w.getPred(in.pc, in.cNeg)
		low, high = combine(in.boolOp, low, c), combine(in.boolOp, high, c)
	}
	return low, high
}

// packedSources lowers the operands of a comparison of halves of type t.
func (l *lowerer) packedSources(s *ptx.Inst, f *ptx.Form, t ptx.Type) {
	l.in.group = gExec
	l.in.a, l.in.b = l.src(&s.Operands[1], t), l.src(&s.Operands[2], t)
	if len(s.Operands) > 3 {
		l.in.pc, l.in.cNeg = l.srcPred(&s.Operands[3])
		l.in.boolOp = boolOf(f.Bool)
	}
	l.in.f = packedCompare(f, t)
}

// packedSetp lowers setp of pairs: of "p|q" p is about the low halves, q about
// the high ones.
func (l *lowerer) packedSetp(s *ptx.Inst, f *ptx.Form) {
	l.packedSources(s, f, f.Type)
	d := &s.Operands[0]
	if d.Kind == ptx.KindPair {
		l.in.pd, l.in.pq = l.dstPred(&d.Sub[0]), l.dstPred(&d.Sub[1])
	} else {
		l.in.pd = l.dstPred(d)
	}
	l.in.run = func(w *warp, in *instr, m uint32) error {
		low, high := w.compareHalves(in, m)
		w.setPred(in.pd, m, low)
		w.setPred(in.pq, m, high)
		return nil
	}
}

// packedSet lowers set of pairs: each half of the destination is 1.0, or all
// ones where its type is an integer.
func (l *lowerer) packedSet(s *ptx.Inst, f *ptx.Form) {
	l.packedSources(s, f, f.Type2)
	yes := uint64(0xffff)
	if isPacked(f.Type) {
		yes = format(halfType(f.Type)).FromInt(fp.RN, false, 1)
	}
	l.in.d = l.dst(&s.Operands[0])
	l.in.run = func(w *warp, in *instr, m uint32) error {
		if m == 0 {
			return nil
		}
		low, high := w.compareHalves(in, m)
		d := w.dst(in.d, m)
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = -uint64(low>>i&1)&yes | -uint64(high>>i&1)&yes<<16
		}
		return nil
	}
}

// convertPair is cvt of two f32 to a pair; the first operand becomes the high
// half.
func convertPair(f *ptx.Form) laneFn {
	half := *f
	half.Type = halfType(f.Type)
	g := floatToFloat(&half)
	return func(a, b, _ uint64) uint64 { return g(a, 0, 0)<<16 | g(b, 0, 0) }
}

// convertTF32 is cvt of f32 to tf32, the layout of which PTX leaves open: here
// it is f32 with the bits zero that tf32 has not.
func convertTF32(f *ptx.Form) laneFn {
	mode := roundMode(f.Round)
	if f.Round == ptx.RNA {
		mode = fp.RNA
	}
	g := bounded(f, fp.TF32, func(a, _, _ uint64) uint64 { return fp.TF32.Convert(mode, fp.F32, a) })
	return func(a, _, _ uint64) uint64 { return g(a, 0, 0) << 13 }
}

// convertPack is cvt.pack: both operands are clamped to a narrow type, the
// second becomes the lowest bits, the first those above, and what is left is
// filled from the third.
func convertPack(f *ptx.Form) laneFn {
	n := f.Type.Bits()
	low, high := int64(0), int64(1)<<n-1
	if f.Type.Signed() || f.Type == ptx.S4 || f.Type == ptx.S2 {
		low, high = -1<<(n-1), 1<<(n-1)-1
	}
	clamp := func(x uint64) uint64 { return uint64(max(low, min(high, int64(int32(x))))) & widthMask(n) }
	return func(a, b, c uint64) uint64 { return (clamp(a)<<n | clamp(b) | c<<(2*n)) & 0xffffffff }
}
