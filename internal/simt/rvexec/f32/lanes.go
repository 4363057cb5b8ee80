package f32

import (
	"math"
	"math/bits"
)

// Lanes holds a number for every lane of a warp.
type Lanes [32]uint32

// The functions below compute d in the lanes of m, and return the flags of all
// of them. To nearest even they use the host's binary64 where the result r has
// a biased exponent in 2..253: then every operand is finite, nothing has
// overflowed, and the result before rounding is at least 2^-126, so that NX is
// the only flag possible.
//
// A product of two binary32 numbers is exact in binary64: 48 bits, exponents of
// at least -298. Sums, quotients and roots that are rounded to 53 bits and then
// to 24 are rounded as if once, since 53 >= 2*24+2 (S. Figueroa, "When is double
// rounding innocuous?", 1995). A product plus an addend is not covered by that:
// it is rounded to odd first, from the error of the sum, which twoSum gives
// exactly; rounding to odd with at least two bits more than the target is
// innocuous (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded
// sums", 2008).
//
// The explicit conversions keep compilers from fusing operations.

// AddLanes is Add of a and b with the bits of sign reversed: 1<<31 subtracts.
func AddLanes(d, a, b *Lanes, sign, m uint32, rm Rounding) (flags Flags) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x, y := a[i], b[i]^sign
		s, e := twoSum(value(x), value(y))
		f := float32(s)
		r := math.Float32bits(f)
		if rm == RNE && inside(r) {
			flags |= inexact(e != 0 || float64(f) != s)
		} else {
			var g Flags
			r, g = Add(x, y, rm)
			flags |= g
		}
		d[i] = r
	}
	return flags
}

// MulLanes is Mul.
func MulLanes(d, a, b *Lanes, m uint32, rm Rounding) (flags Flags) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		p := float64(value(a[i]) * value(b[i]))
		f := float32(p)
		r := math.Float32bits(f)
		if rm == RNE && inside(r) {
			flags |= inexact(float64(f) != p)
		} else {
			var g Flags
			r, g = Mul(a[i], b[i], rm)
			flags |= g
		}
		d[i] = r
	}
	return flags
}

// DivLanes is Div.
func DivLanes(d, a, b *Lanes, m uint32, rm Rounding) (flags Flags) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x, y := value(a[i]), value(b[i])
		f := float32(x / y)
		r := math.Float32bits(f)
		if rm == RNE && inside(r) {
			flags |= inexact(float64(float64(f)*y) != x)
		} else {
			var g Flags
			r, g = Div(a[i], b[i], rm)
			flags |= g
		}
		d[i] = r
	}
	return flags
}

// SqrtLanes is Sqrt.
func SqrtLanes(d, a *Lanes, m uint32, rm Rounding) (flags Flags) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x := value(a[i])
		f := float32(math.Sqrt(x))
		r := math.Float32bits(f)
		if rm == RNE && inside(r) {
			flags |= inexact(float64(float64(f)*float64(f)) != x)
		} else {
			var g Flags
			r, g = Sqrt(a[i], rm)
			flags |= g
		}
		d[i] = r
	}
	return flags
}

// FMALanes is FMA with the bits of sign reversed in the product and those of
// addend in c: 1<<31 negates.
func FMALanes(d, a, b, c *Lanes, sign, addend, m uint32, rm Rounding) (flags Flags) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x, y, z := a[i]^sign, b[i], c[i]^addend
		s, e := twoSum(float64(value(x)*value(y)), value(z))
		f := float32(roundToOdd(s, e))
		r := math.Float32bits(f)
		if rm == RNE && inside(r) {
			flags |= inexact(e != 0 || float64(f) != s)
		} else {
			var g Flags
			r, g = FMA(x, y, z, rm)
			flags |= g
		}
		d[i] = r
	}
	return flags
}

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

// twoSum is x + y rounded, and the error of it (D. Knuth). Neither overflows
// nor underflows for sums of products of binary32 numbers.
func twoSum(x, y float64) (s, e float64) {
	s = float64(x + y)
	t := float64(s - x)
	return s, float64(float64(x-float64(s-t)) + float64(y-t))
}

// roundToOdd is the sum s + e, of which s is the rounding to nearest, rounded to
// odd: towards zero, with the lowest bit set where that loses anything.
func roundToOdd(s, e float64) float64 {
	u, v := math.Float64bits(s), math.Float64bits(e)
	lost := v<<1 | -(v << 1)
	lost >>= 63
	return math.Float64frombits(u - (u^v)>>63&lost | lost)
}
