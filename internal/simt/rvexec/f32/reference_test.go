package f32

import "math/big"

// The reference works on exact integers: a finite number is a multiple of
// 2^-149, a product a multiple of 2^-298. It shares nothing with the package but
// the encodings of modes and flags.

var one = big.NewInt(1)

// exact is the value of a finite number times 2^149.
func exact(a uint32) *big.Int {
	e, m := uint(a>>23&0xff), int64(a&0x7fffff)
	if e != 0 {
		m += 1 << 23
		e--
	}
	x := new(big.Int).Lsh(big.NewInt(m), e)
	if a>>31 != 0 {
		x.Neg(x)
	}
	return x
}

// increments says whether a magnitude goes up, from the remainder of a division
// compared with half of the divisor.
func increments(negative bool, rm Rounding, odd bool, rest, unit *big.Int) bool {
	if rest.Sign() == 0 {
		return false
	}
	half := new(big.Int).Lsh(rest, 1).Cmp(unit)
	switch rm {
	case RNE:
		return half > 0 || half == 0 && odd
	case RTZ:
		return false
	case RDN:
		return negative
	case RUP:
		return !negative
	default:
		return half >= 0
	}
}

// refRound rounds x * 2^-scale, scale at least 149 and x not zero. The lowest
// bit of x may stand for anything strictly between its neighbours if x is long
// enough.
func refRound(x *big.Int, scale int, rm Rounding) (uint32, Flags) {
	negative := x.Sign() < 0
	m := new(big.Int).Abs(x)
	quantum := func(shift int) (q *big.Int, inexact bool) {
		unit := new(big.Int).Lsh(one, uint(shift))
		q, r := new(big.Int).QuoRem(m, unit, new(big.Int))
		if increments(negative, rm, q.Bit(0) != 0, r, unit) {
			q.Add(q, one)
		}
		return q, r.Sign() != 0
	}
	free := m.BitLen() - 24 // shift that keeps 24 bits
	shift := max(free, scale-149, 0)
	q, inexact := quantum(shift)
	var f Flags
	if inexact {
		f |= NX
		// Tiny: rounded with any exponent, below 2^-126.
		u, s := m, 0
		if free > 0 {
			u, _ = quantum(free)
			s = free
		}
		if new(big.Int).Lsh(u, uint(s)).Cmp(new(big.Int).Lsh(one, uint(scale-126))) < 0 {
			f |= UF
		}
	}
	sign := uint32(0)
	if negative {
		sign = 1 << 31
	}
	// In units of 2^-149, the largest finite number is (2^24-1) * 2^253.
	v := q.Lsh(q, uint(shift-(scale-149)))
	top := new(big.Int).Lsh(big.NewInt(1<<24-1), 253)
	if v.Cmp(top) > 0 {
		f |= OF | NX
		if rm == RTZ || rm == RUP && negative || rm == RDN && !negative {
			return sign | 0x7f7fffff, f
		}
		return sign | 0x7f800000, f
	}
	if v.BitLen() <= 23 {
		return sign | uint32(v.Uint64()), f
	}
	e := v.BitLen() - 24
	frac := new(big.Int).Rsh(v, uint(e)).Uint64() & (1<<23 - 1)
	return sign | uint32(e+1)<<23 | uint32(frac), f
}

func refNaN(xs ...uint32) (r uint32, f Flags, nan bool) {
	for _, x := range xs {
		if x&0x7fffffff > 0x7f800000 {
			nan = true
			if x>>22&1 == 0 {
				f = NV
			}
		}
	}
	return 0x7fc00000, f, nan
}

func inf(a uint32) bool  { return a&0x7fffffff == 0x7f800000 }
func zero(a uint32) bool { return a&0x7fffffff == 0 }

// refSum is the exact sum x of two numbers whose signs, should it be zero, are
// a's and b's.
func refSum(x *big.Int, scale int, a, b uint32, rm Rounding) (uint32, Flags) {
	if x.Sign() != 0 {
		return refRound(x, scale, rm)
	}
	if a>>31 == b>>31 {
		return a & (1 << 31), 0
	}
	if rm == RDN {
		return 1 << 31, 0
	}
	return 0, 0
}

func refAdd(a, b uint32, rm Rounding) (uint32, Flags) {
	if r, f, nan := refNaN(a, b); nan {
		return r, f
	}
	switch {
	case inf(a) && inf(b) && a != b:
		return 0x7fc00000, NV
	case inf(a):
		return a, 0
	case inf(b):
		return b, 0
	}
	return refSum(new(big.Int).Add(exact(a), exact(b)), 149, a, b, rm)
}

func refFMA(a, b, c uint32, rm Rounding) (uint32, Flags) {
	sign := (a ^ b) & (1 << 31)
	r, f, nan := refNaN(a, b, c)
	if inf(a) && zero(b) || zero(a) && inf(b) {
		return r, NV
	}
	if nan {
		return r, f
	}
	switch {
	case (inf(a) || inf(b)) && inf(c) && sign != c&(1<<31):
		return r, NV
	case inf(a) || inf(b):
		return sign | 0x7f800000, 0
	case inf(c):
		return c, 0
	}
	x := new(big.Int).Mul(exact(a), exact(b))
	x.Add(x, new(big.Int).Lsh(exact(c), 149))
	return refSum(x, 298, sign, c, rm)
}

func refMul(a, b uint32, rm Rounding) (uint32, Flags) {
	sign := (a ^ b) & (1 << 31)
	if r, f, nan := refNaN(a, b); nan {
		return r, f
	}
	switch {
	case inf(a) && zero(b) || zero(a) && inf(b):
		return 0x7fc00000, NV
	case inf(a) || inf(b):
		return sign | 0x7f800000, 0
	case zero(a) || zero(b):
		return sign, 0
	}
	return refRound(new(big.Int).Mul(exact(a), exact(b)), 298, rm)
}

func refDiv(a, b uint32, rm Rounding) (uint32, Flags) {
	sign := (a ^ b) & (1 << 31)
	if r, f, nan := refNaN(a, b); nan {
		return r, f
	}
	switch {
	case inf(a) && inf(b) || zero(a) && zero(b):
		return 0x7fc00000, NV
	case inf(a):
		return sign | 0x7f800000, 0
	case inf(b) || zero(a):
		return sign, 0
	case zero(b):
		return sign | 0x7f800000, DZ
	}
	// The smallest quotient is near 2^-277: 400 fraction bits leave enough.
	n := new(big.Int).Lsh(exact(a), 400)
	q, r := new(big.Int).QuoRem(n, exact(b), new(big.Int))
	q.Lsh(q.Abs(q), 1)
	if r.Sign() != 0 {
		q.Add(q, one)
	}
	if sign != 0 {
		q.Neg(q)
	}
	return refRound(q, 401, rm)
}

func refSqrt(a uint32, rm Rounding) (uint32, Flags) {
	if r, f, nan := refNaN(a); nan {
		return r, f
	}
	switch {
	case zero(a):
		return a, 0
	case a>>31 != 0:
		return 0x7fc00000, NV
	case inf(a):
		return a, 0
	}
	// sqrt(x * 2^-149) = sqrt(x * 2^251) * 2^-200.
	n := new(big.Int).Lsh(exact(a), 251)
	q := new(big.Int).Sqrt(n)
	rest := new(big.Int).Mul(q, q).Cmp(n) != 0
	q.Lsh(q, 1)
	if rest {
		q.Add(q, one)
	}
	return refRound(q, 201, rm)
}

// refInt rounds to an integer of lo..hi.
func refInt(a uint32, rm Rounding, lo, hi int64) (int64, Flags) {
	switch {
	case a&0x7fffffff > 0x7f800000:
		return hi, NV
	case inf(a) && a>>31 == 0:
		return hi, NV
	case inf(a):
		return lo, NV
	}
	negative := a>>31 != 0
	unit := new(big.Int).Lsh(one, 149)
	q, r := new(big.Int).QuoRem(new(big.Int).Abs(exact(a)), unit, new(big.Int))
	if increments(negative, rm, q.Bit(0) != 0, r, unit) {
		q.Add(q, one)
	}
	if negative {
		q.Neg(q)
	}
	switch {
	case q.Cmp(big.NewInt(hi)) > 0:
		return hi, NV
	case q.Cmp(big.NewInt(lo)) < 0:
		return lo, NV
	case r.Sign() != 0:
		return q.Int64(), NX
	}
	return q.Int64(), 0
}

func refFromInt(x int64, rm Rounding) (uint32, Flags) {
	if x == 0 {
		return 0, 0
	}
	return refRound(new(big.Int).Lsh(big.NewInt(x), 149), 149, rm)
}
