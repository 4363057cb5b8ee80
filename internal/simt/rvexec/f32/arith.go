package f32

import "math/bits"

// Add is a + b.
func Add(a, b uint32, rm Rounding) (uint32, Flags) {
	switch {
	case IsNaN(a) || IsNaN(b):
		return invalid(a, b)
	case isInf(a):
		if isInf(b) && a != b {
			return NaN, NV
		}
		return a, 0
	case isInf(b):
		return b, 0
	case isZero(a) && isZero(b):
		if a == b {
			return a, 0
		}
		return zeroSum(rm), 0
	case isZero(a):
		return b, 0
	case isZero(b):
		return a, 0
	}
	as, ae := unpack(a)
	bs, be := unpack(b)
	return sum(a&signBit, as, ae, b&signBit, bs, be, rm)
}

// sum adds two numbers whose magnitudes have their leading bits at bit 63 and
// at most 48 significant bits: 16 zero bits below make the lost remainder of
// the smaller one harmless. Where their exponents differ by at most one nothing
// is lost; where they differ by more, the difference loses at most one leading
// bit.
func sum(aSign uint32, as uint64, ae int, bSign uint32, bs uint64, be int, rm Rounding) (uint32, Flags) {
	if ae < be || ae == be && as < bs {
		aSign, as, ae, bSign, bs, be = bSign, bs, be, aSign, as, ae
	}
	// One bit of head room for the carry.
	as >>= 1
	bs = shiftJam(bs>>1, ae-be)
	ae++
	if aSign == bSign {
		return round(aSign, ae, as+bs, rm)
	}
	if as == bs {
		return zeroSum(rm), 0
	}
	return round(aSign, ae, as-bs, rm)
}

// Mul is a * b.
func Mul(a, b uint32, rm Rounding) (uint32, Flags) {
	sign := (a ^ b) & signBit
	switch {
	case IsNaN(a) || IsNaN(b):
		return invalid(a, b)
	case isInf(a) || isInf(b):
		if isZero(a) || isZero(b) {
			return NaN, NV
		}
		return sign | infinity, 0
	case isZero(a) || isZero(b):
		return sign, 0
	}
	as, ae := unpack(a)
	bs, be := unpack(b)
	return round(sign, ae+be+80, (as>>40)*(bs>>40), rm)
}

// Div is a / b.
func Div(a, b uint32, rm Rounding) (uint32, Flags) {
	sign := (a ^ b) & signBit
	switch {
	case IsNaN(a) || IsNaN(b):
		return invalid(a, b)
	case isInf(a):
		if isInf(b) {
			return NaN, NV
		}
		return sign | infinity, 0
	case isInf(b):
		return sign, 0
	case isZero(b):
		if isZero(a) {
			return NaN, NV
		}
		return sign | infinity, DZ
	case isZero(a):
		return sign, 0
	}
	as, ae := unpack(a)
	bs, be := unpack(b)
	bs >>= 40 // 24 bits; the quotient has 39 or 40
	q := (as >> 1) / bs
	if q*bs != as>>1 {
		q |= 1
	}
	return round(sign, ae+1-be-40, q, rm)
}

// Sqrt is the square root of a.
func Sqrt(a uint32, rm Rounding) (uint32, Flags) {
	switch {
	case IsNaN(a):
		return invalid(a, a)
	case isZero(a):
		return a, 0
	case a&signBit != 0:
		return NaN, NV
	case isInf(a):
		return a, 0
	}
	s, e := unpack(a)
	if e&1 != 0 {
		s >>= 1 // no bit is lost: the lowest 40 are zero
		e++
	}
	r := isqrt(s) // 32 bits
	rest := uint64(0)
	if r*r != s {
		rest = 1
	}
	return round(0, e/2-1, r<<1|rest, rm)
}

// isqrt is the largest r with r*r <= x.
func isqrt(x uint64) uint64 {
	var r uint64
	for bit := uint64(1) << 31; bit != 0; bit >>= 1 {
		if t := r | bit; t*t <= x {
			r = t
		}
	}
	return r
}

// FMA is a*b + c, rounded once (FMADD). The product of an infinity and a zero is
// invalid even where c is a quiet NaN.
func FMA(a, b, c uint32, rm Rounding) (uint32, Flags) {
	sign := (a ^ b) & signBit
	if isInf(a) && isZero(b) || isZero(a) && isInf(b) {
		return NaN, NV
	}
	switch {
	case IsNaN(a) || IsNaN(b) || IsNaN(c):
		if IsSignaling(c) {
			return NaN, NV
		}
		return invalid(a, b)
	case isInf(a) || isInf(b):
		if isInf(c) && c&signBit != sign {
			return NaN, NV
		}
		return sign | infinity, 0
	case isInf(c):
		return c, 0
	case isZero(a) || isZero(b):
		if isZero(c) && c&signBit != sign {
			return zeroSum(rm), 0
		}
		return c, 0
	}
	as, ae := unpack(a)
	bs, be := unpack(b)
	p := (as >> 40) * (bs >> 40) // 47 or 48 bits
	n := bits.LeadingZeros64(p)
	p, pe := p<<n, ae+be+80-n
	if isZero(c) {
		return round(sign, pe, p, rm)
	}
	cs, ce := unpack(c)
	return sum(sign, p, pe, c&signBit, cs, ce, rm)
}
