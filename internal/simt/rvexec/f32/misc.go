package f32

// Min is the smaller of a and b, -0 being smaller than +0. A NaN is ignored
// where the other operand is a number (IEEE 754-2019 minimumNumber); a
// signalling one sets NV.
func Min(a, b uint32) (uint32, Flags) {
	r, f, ok := number(a, b)
	if !ok {
		return r, f
	}
	if key(a) < key(b) {
		return a, 0
	}
	return b, 0
}

// Max is the larger of a and b, in all else like Min.
func Max(a, b uint32) (uint32, Flags) {
	r, f, ok := number(a, b)
	if !ok {
		return r, f
	}
	if key(a) > key(b) {
		return a, 0
	}
	return b, 0
}

// number is the result of Min and Max where an operand is a NaN; ok where none
// is.
func number(a, b uint32) (r uint32, f Flags, ok bool) {
	switch {
	case !IsNaN(a) && !IsNaN(b):
		return 0, 0, true
	case IsNaN(a) && IsNaN(b):
		r = NaN
	case IsNaN(a):
		r = b
	default:
		r = a
	}
	_, f = invalid(a, b)
	return r, f, false
}

// key orders numbers that are no NaN like integers, -0 before +0.
func key(a uint32) int32 {
	return int32(a) ^ int32(uint32(int32(a)>>31)>>1)
}

// Eq says whether a and b are equal (FEQ). Only signalling NaNs set NV.
func Eq(a, b uint32) (bool, Flags) {
	if IsNaN(a) || IsNaN(b) {
		_, f := invalid(a, b)
		return false, f
	}
	return a == b || isZero(a) && isZero(b), 0
}

// Lt says whether a < b (FLT). Any NaN sets NV.
func Lt(a, b uint32) (bool, Flags) {
	if IsNaN(a) || IsNaN(b) {
		return false, NV
	}
	return key(a) < key(b) && !(isZero(a) && isZero(b)), 0
}

// Le says whether a <= b (FLE). Any NaN sets NV.
func Le(a, b uint32) (bool, Flags) {
	if IsNaN(a) || IsNaN(b) {
		return false, NV
	}
	return key(a) <= key(b) || isZero(a) && isZero(b), 0
}

// CopySign is a with the sign of b (FSGNJ).
func CopySign(a, b uint32) uint32 { return a&^signBit | b&signBit }

// NegSign is a with the sign opposite to that of b (FSGNJN).
func NegSign(a, b uint32) uint32 { return a&^signBit | ^b&signBit }

// XorSign is a with its sign reversed where b is negative (FSGNJX).
func XorSign(a, b uint32) uint32 { return a ^ b&signBit }

// Class is the class of a as FCLASS gives it: one bit set, from bit 0 for -Inf
// over negative normal, negative subnormal, -0, +0, positive subnormal, positive
// normal, +Inf, signalling NaN, to bit 9 for quiet NaN.
func Class(a uint32) uint32 {
	var c int // of the magnitude, counted from zero outwards
	switch m := a &^ signBit; {
	case m > infinity:
		if IsSignaling(a) {
			return 1 << 8
		}
		return 1 << 9
	case m == infinity:
		c = 3
	case m >= hidden:
		c = 2
	case m != 0:
		c = 1
	}
	if a&signBit != 0 {
		return 1 << (3 - c)
	}
	return 1 << (4 + c)
}

// FromInt32 is the number nearest to x in the direction of rm.
func FromInt32(x int32, rm Rounding) (uint32, Flags) {
	if x < 0 {
		return fromMagnitude(signBit, uint32(-x), rm)
	}
	return fromMagnitude(0, uint32(x), rm)
}

// FromUint32 is the number nearest to x in the direction of rm.
func FromUint32(x uint32, rm Rounding) (uint32, Flags) { return fromMagnitude(0, x, rm) }

func fromMagnitude(sign, x uint32, rm Rounding) (uint32, Flags) {
	if x == 0 {
		return 0, 0
	}
	return round(sign, 0, uint64(x), rm)
}

// ToInt32 is a rounded to an integer. What does not fit, infinities and NaNs
// included, becomes the nearest int32, a NaN the largest one, and sets only NV.
func ToInt32(a uint32, rm Rounding) (int32, Flags) {
	if IsNaN(a) {
		return 1<<31 - 1, NV
	}
	m, f := toMagnitude(a, rm)
	if a&signBit != 0 {
		if m > 1<<31 {
			return -1 << 31, NV
		}
		return int32(-int64(m)), f
	}
	if m > 1<<31-1 {
		return 1<<31 - 1, NV
	}
	return int32(m), f
}

// ToUint32 is a rounded to an integer. What does not fit, infinities and NaNs
// included, becomes the nearest uint32, a NaN the largest one, and sets only NV.
func ToUint32(a uint32, rm Rounding) (uint32, Flags) {
	if IsNaN(a) {
		return 1<<32 - 1, NV
	}
	m, f := toMagnitude(a, rm)
	switch {
	case a&signBit != 0 && m != 0:
		return 0, NV
	case m > 1<<32-1:
		return 1<<32 - 1, NV
	}
	return uint32(m), f
}

// toMagnitude rounds the magnitude of a, which is no NaN, to an integer; what is
// 2^33 or more stays above 2^32.
func toMagnitude(a uint32, rm Rounding) (uint64, Flags) {
	if isInf(a) {
		return 1 << 33, 0
	}
	if isZero(a) {
		return 0, 0
	}
	sig, exp := unpack(a)
	if exp > 33-63 {
		return 1 << 33, 0
	}
	if exp < -65 {
		sig, exp = 1, -65 // below a half
	}
	kept, half, rest := split(sig, -exp)
	if roundUp(a&signBit, rm, kept&1 != 0, half, rest) {
		kept++
	}
	return kept, inexact(half || rest)
}
