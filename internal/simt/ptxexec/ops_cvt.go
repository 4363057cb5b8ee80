package ptxexec

import (
	"math"

	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

// convert is cvt from Type2 to Type. The result is that of the destination
// type, zero-extended; widen extends it where the register is wider.
func convert(f *ptx.Form) pureOp {
	from, to := f.Type2, f.Type
	switch {
	case f.Action == "pack":
		return pureOp{f: convertPack(f)}
	case isPacked(to):
		return pureOp{f: convertPair(f)}
	case to == ptx.TF32:
		return pureOp{f: convertTF32(f)}
	case from.Float() && to.Float():
		return pureOp{f: floatToFloat(f)}
	case from.Float():
		return pureOp{f: floatToInt(f)}
	case to.Float():
		return pureOp{f: intToFloat(f)}
	}
	return intToInt(f)
}

// intToInt truncates or extends, or saturates to the destination's range.
func intToInt(f *ptx.Form) pureOp {
	from, to := f.Type2, f.Type
	n, m := from.Bits(), to.Bits()
	mask := widthMask(m)
	switch {
	case f.Sat:
		return pureOp{f: func(a, _, _ uint64) uint64 { return clampInt(a, from, to) }}
	case from.Signed() && m > n:
		if n == 32 {
			return pureOp{
				func(a, _, _ uint64) uint64 { return uint64(int64(int32(a))) },
				func(d, a, _, _ *lanes) {
					for i := 0; i < len(d); i += 2 {
						d[i] = uint64(int64(int32(a[i])))
						d[i+1] = uint64(int64(int32(a[i+1])))
					}
				},
			}
		}
		return pureOp{f: func(a, _, _ uint64) uint64 { return uint64(signExtend(a, n)) & mask }}
	}
	keep := mask & widthMask(n)
	return pureOp{
		func(a, _, _ uint64) uint64 { return a & keep },
		func(d, a, _, _ *lanes) {
			for i := 0; i < len(d); i += 2 {
				d[i] = a[i] & keep
				d[i+1] = a[i+1] & keep
			}
		},
	}
}

func clampInt(a uint64, from, to ptx.Type) uint64 {
	n, m := from.Bits(), to.Bits()
	if from.Signed() {
		x := signExtend(a, n)
		if to.Signed() {
			low := int64(-1) << (m - 1)
			return uint64(max(low, min(x, ^low))) & widthMask(m)
		}
		return min(uint64(max(x, 0)), widthMask(m))
	}
	a &= widthMask(n)
	if to.Signed() {
		return min(a, widthMask(m)>>1)
	}
	return min(a, widthMask(m))
}

// nanToInt is what NaN is as an integer: 0, but where the source has 64 bits or the
// destination has, the pattern whose highest bit alone is set (PTX ISA, "cvt").
func nanToInt(f *ptx.Form) uint64 {
	if f.Type2 == ptx.F64 || f.Type.Bits() == 64 {
		return 1 << (f.Type.Bits() - 1)
	}
	return 0
}

// floatToInt rounds towards zero where no modifier says otherwise.
func floatToInt(f *ptx.Form) laneFn {
	mode := fp.RZ
	if f.Round != ptx.RoundNone {
		mode = roundMode(f.Round)
	}
	if mode == fp.RZ && !f.Ftz && f.Type.Bits() == 32 && f.Type2.Bits() > 16 {
		return truncate32(f)
	}
	w, sign, width, ftz, nan := format(f.Type2), f.Type.Signed(), uint(f.Type.Bits()), f.Ftz, nanToInt(f)
	return func(a, _, _ uint64) uint64 {
		if w.IsNaN(a) {
			return nan
		}
		if ftz {
			a = w.Flush(a)
		}
		return w.ToInt(mode, a, sign, width)
	}
}

// truncate32 rounds f32 or f64 towards zero to 32 bits, by the host's
// conversion where that is defined.
func truncate32(f *ptx.Form) laneFn {
	wide := f.Type2 == ptx.F64
	low, high := -1.0, float64(1<<32) // the values between are converted
	if f.Type.Signed() {
		low, high = -1<<31-1, 1<<31
	}
	least, most, nan := uint64(0), uint64(1<<32-1), nanToInt(f)
	if f.Type.Signed() {
		least, most = 1<<31, 1<<31-1
	}
	return func(a, _, _ uint64) uint64 {
		x := f64(a)
		if !wide {
			x = float64(f32(a))
		}
		switch {
		case x > low && x < high:
			return uint64(uint32(int64(x)))
		case x != x:
			return nan
		case x <= low:
			return least
		}
		return most
	}
}

// hostIntToFloat is the host's conversion of 32-bit and signed 64-bit integers,
// which rounds to nearest.
func hostIntToFloat(f *ptx.Form) laneFn {
	switch single := f.Type == ptx.F32; {
	case f.Type2 == ptx.S32 && single:
		return func(a, _, _ uint64) uint64 { return uint64(math.Float32bits(float32(int32(a)))) }
	case f.Type2 == ptx.U32 && single:
		return func(a, _, _ uint64) uint64 { return uint64(math.Float32bits(float32(uint32(a)))) }
	case f.Type2 == ptx.S64 && single:
		return func(a, _, _ uint64) uint64 { return uint64(math.Float32bits(float32(int64(a)))) }
	case f.Type2 == ptx.S32:
		return func(a, _, _ uint64) uint64 { return math.Float64bits(float64(int32(a))) }
	case f.Type2 == ptx.U32:
		return func(a, _, _ uint64) uint64 { return math.Float64bits(float64(uint32(a))) }
	case f.Type2 == ptx.S64:
		return func(a, _, _ uint64) uint64 { return math.Float64bits(float64(int64(a))) }
	}
	return nil
}

func intToFloat(f *ptx.Form) laneFn {
	mode := roundMode(f.Round)
	if mode == fp.RN && !f.Sat && f.Type.Bits() > 16 {
		if g := hostIntToFloat(f); g != nil {
			return g
		}
	}
	w, sign, width := format(f.Type), f.Type2.Signed(), f.Type2.Bits()
	g := laneFn(func(a, _, _ uint64) uint64 {
		if sign {
			if x := signExtend(a, width); x < 0 {
				return w.FromInt(mode, true, -uint64(x))
			}
		}
		return w.FromInt(mode, false, a&widthMask(width))
	})
	if f.Sat {
		return saturate(f.Type, g)
	}
	return g
}

func floatToFloat(f *ptx.Form) laneFn {
	from, to := format(f.Type2), format(f.Type)
	mode := roundMode(f.Round)
	ftz, fromFlush, toFlush := f.Ftz, f.Type2 == ptx.F32, f.Type == ptx.F32
	integral := f.Round >= ptx.RNI && f.Round <= ptx.RPI
	g := laneFn(func(a, _, _ uint64) uint64 {
		if ftz && fromFlush {
			a = from.Flush(a)
		}
		if integral {
			a = from.RoundInt(mode, a)
		}
		if from == to {
			a = to.Canonical(a)
		} else {
			a = to.Convert(mode, from, a)
		}
		if ftz && toFlush {
			a = to.Flush(a)
		}
		return a
	})
	if f.Type2 == ptx.F32 && f.Type == ptx.F64 && !ftz {
		g = func(a, _, _ uint64) uint64 { return bits64(float64(f32(a))) }
	}
	if f.Type2 == ptx.F64 && f.Type == ptx.F32 && !ftz && mode == fp.RN && !integral {
		g = func(a, _, _ uint64) uint64 { return bits32(float32(f64(a))) }
	}
	if f.Sat {
		return saturate(f.Type, g)
	}
	return bounded(f, to, g)
}

// bounded applies .satfinite and .relu to results of format to.
func bounded(f *ptx.Form, to *fp.Format, g laneFn) laneFn {
	if !f.SatFinite && !f.Relu {
		return g
	}
	finite, relu, width := f.SatFinite, f.Relu, int(to.Mant+to.Exp+1)
	return func(a, b, c uint64) uint64 {
		x := g(a, b, c)
		if finite {
			x = to.Finite(x)
		}
		if relu {
			x = rectify(to, width, x)
		}
		return x
	}
}

// widen extends the result of a conversion to type to into a register of width
// bits.
func widen(g pureOp, to ptx.Type, width int) pureOp {
	if width <= to.Bits() || !to.Signed() {
		return g
	}
	n := to.Bits()
	return pureOp{f: func(a, b, c uint64) uint64 { return uint64(signExtend(g.f(a, b, c), n)) & widthMask(width) }}
}
