package f32

import "math"

// The fast paths compute in float64 what rounds to nearest even. They answer
// only where the result r has a biased exponent in 2..253: then every operand is
// finite, nothing has overflowed, and the result before rounding is at least
// 2^-126, so that NX is the only flag possible.
//
// A product of two binary32 numbers is exact in binary64: 48 bits, exponents of
// at least -298. Sums, quotients and roots that are rounded to 53 bits and then
// to 24 are rounded as if once, since 53 >= 2*24+2 (S. Figueroa, "When is double
// rounding innocuous?", 1995). A product plus an addend is not covered by that:
// it is rounded to odd first, from the exact error of the sum, which is
// representable (D. Knuth's two-sum); rounding to odd with at least two bits
// more than the target is innocuous (S. Boldo, G. Melquiond, 2008).
//
// The explicit conversions keep compilers from fusing operations.

// inside says that the biased exponent is in 2..253.
func inside(r uint32) bool { return (r>>23&0xff)-2 < 252 }

func value(a uint32) float64 { return float64(math.Float32frombits(a)) }

// inexact is NX where the condition holds.
func inexact(cond bool) Flags {
	if cond {
		return NX
	}
	return 0
}

// twoSum is x + y rounded, and the error of it. Neither overflows nor
// underflows for sums of products of binary32 numbers.
func twoSum(x, y float64) (s, e float64) {
	s = float64(x + y)
	t := float64(s - x)
	return s, float64(float64(x-float64(s-t)) + float64(y-t))
}

func fastAdd(a, b uint32) (uint32, Flags, bool) {
	s, e := twoSum(value(a), value(b))
	f := float32(s)
	r := math.Float32bits(f)
	if !inside(r) {
		return 0, 0, false
	}
	return r, inexact(e != 0 || float64(f) != s), true
}

func fastMul(a, b uint32) (uint32, Flags, bool) {
	p := value(a) * value(b)
	f := float32(p)
	r := math.Float32bits(f)
	if !inside(r) {
		return 0, 0, false
	}
	return r, inexact(float64(f) != p), true
}

func fastDiv(a, b uint32) (uint32, Flags, bool) {
	x, y := value(a), value(b)
	f := float32(x / y)
	r := math.Float32bits(f)
	if !inside(r) {
		return 0, 0, false
	}
	return r, inexact(float64(float64(f)*y) != x), true
}

func fastSqrt(a uint32) (uint32, Flags, bool) {
	x := value(a)
	f := float32(math.Sqrt(x))
	r := math.Float32bits(f)
	if !inside(r) {
		return 0, 0, false
	}
	return r, inexact(float64(float64(f)*float64(f)) != x), true
}

func fastFMA(a, b, c uint32) (uint32, Flags, bool) {
	s, e := twoSum(float64(value(a)*value(b)), value(c))
	u := math.Float64bits(s)
	if e != 0 && u&1 == 0 {
		// The neighbour of s on the side of the exact sum is odd. Away from
		// zero where the error has the sign of s, else towards it.
		if math.Signbit(e) == math.Signbit(s) {
			u++
		} else {
			u--
		}
	}
	s = math.Float64frombits(u)
	f := float32(s)
	r := math.Float32bits(f)
	if !inside(r) {
		return 0, 0, false
	}
	return r, inexact(e != 0 || float64(f) != s), true
}
