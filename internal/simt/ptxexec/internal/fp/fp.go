// Package fp computes IEEE 754 arithmetic on bit patterns, in the formats and
// with the rounding modes of PTX: addition, multiplication, fused multiply-add,
// division, square root, and conversions, each correctly rounded.
//
// It is the plain way, by integers: unpack, compute with 128 bits and a sticky
// bit, round. Callers use the host's arithmetic where that is exact.
//
// NaN results are the canonical NaN of the format; there are no flags.
package fp

import "math/bits"

// Format is a binary floating-point format.
type Format struct {
	Mant uint   // fraction bits
	Exp  uint   // exponent bits
	NaN  uint64 // the canonical NaN
}

// The formats.
var (
	F16  = &Format{10, 5, 0x7fff}
	BF16 = &Format{7, 8, 0x7fff}
	F32  = &Format{23, 8, 0x7fffffff}
	F64  = &Format{52, 11, 0x7ff8000000000000}
	// TF32 has the range of F32 and the precision of F16, in 19 bits.
	TF32 = &Format{10, 8, 0x3ffff}
)

// Mode is a rounding mode.
type Mode uint8

// The rounding modes.
const (
	RN  Mode = iota // to nearest, ties to even
	RZ              // towards zero
	RM              // towards minus infinity
	RP              // towards plus infinity
	RNA             // to nearest, ties away from zero
)

func (f *Format) signBit() uint64  { return 1 << (f.Mant + f.Exp) }
func (f *Format) inf() uint64      { return (1<<f.Exp - 1) << f.Mant }
func (f *Format) minExponent() int { return 2 - 1<<(f.Exp-1) } // of the least normal number

// IsNaN says whether x is a NaN of the format.
func (f *Format) IsNaN(x uint64) bool { return x&^f.signBit() > f.inf() }

// IsInf says whether x is an infinity.
func (f *Format) IsInf(x uint64) bool { return x&^f.signBit() == f.inf() }

// IsZero says whether x is a zero.
func (f *Format) IsZero(x uint64) bool { return x&^f.signBit() == 0 }

// Flush replaces a subnormal by the zero of its sign.
func (f *Format) Flush(x uint64) uint64 {
	if x&f.inf() == 0 {
		return x & f.signBit()
	}
	return x
}

// number is a finite non-zero value: the 128-bit integer hi:lo, whose highest
// one is bit 126, times 2 to the power exp-126.
type number struct {
	neg    bool
	exp    int
	hi, lo uint64
}

// unpack splits a finite non-zero x.
func (f *Format) unpack(x uint64) number {
	n := number{neg: x&f.signBit() != 0}
	m := x & (1<<f.Mant - 1)
	e := int(x & f.inf() >> f.Mant)
	if e == 0 {
		n.exp = f.minExponent()
	} else {
		m |= 1 << f.Mant
		n.exp = e + f.minExponent() - 1
	}
	shift := bits.LeadingZeros64(m) - 1
	n.hi = m << shift
	n.exp += int(62-f.Mant) - shift
	return n
}

// shiftRight shifts hi:lo right by n, and says whether ones were lost.
func shiftRight(hi, lo uint64, n int) (uint64, uint64, bool) {
	switch {
	case n <= 0:
		return hi, lo, false
	case n < 64:
		return hi >> n, lo>>n | hi<<(64-n), lo<<(64-n) != 0
	case n < 128:
		lost := lo != 0 || n > 64 && hi<<(128-n) != 0
		return 0, hi >> (n - 64), lost
	}
	return 0, 0, hi|lo != 0
}

// roundShift returns hi:lo >> drop rounded, where sticky says that the value is
// a little larger, and whether that was inexact. drop is at least 1 and the
// result fits 64 bits.
func roundShift(mode Mode, neg bool, hi, lo uint64, drop int, sticky bool) (uint64, bool) {
	_, m, lost := shiftRight(hi, lo, drop-1)
	lost = lost || sticky
	half := m&1 != 0
	m >>= 1
	if drop-1 < 64 {
		// The bit above the 64 kept by the shift.
		h, _, _ := shiftRight(hi, lo, drop-1)
		m |= h << 63
	}
	up := false
	switch mode {
	case RN:
		up = half && (lost || m&1 != 0)
	case RNA:
		up = half
	case RM:
		up = neg && (half || lost)
	case RP:
		up = !neg && (half || lost)
	}
	if up {
		m++
	}
	return m, half || lost
}

// pack rounds a number, where sticky says that its magnitude is a little larger.
func (f *Format) pack(mode Mode, n number, sticky bool) uint64 {
	drop := 126 - int(f.Mant)
	sub := n.exp < f.minExponent()
	if sub {
		drop += f.minExponent() - n.exp
	}
	m, _ := roundShift(mode, n.neg, n.hi, n.lo, drop, sticky)
	var x uint64
	if sub {
		x = m
	} else {
		e := n.exp - f.minExponent() + 1
		if e >= 1<<f.Exp {
			e = 1<<f.Exp - 1
		}
		x = uint64(e)<<f.Mant + m - 1<<f.Mant
	}
	if x >= f.inf() {
		x = f.inf()
		if mode == RZ || mode == RM && !n.neg || mode == RP && n.neg {
			x--
		}
	}
	if n.neg {
		x |= f.signBit()
	}
	return x
}

// normalize moves the highest one of n to bit 126. n is not zero.
func (n *number) normalize(sticky *bool) {
	if n.hi>>63 != 0 {
		*sticky = *sticky || n.lo&1 != 0
		n.lo = n.lo>>1 | n.hi<<63
		n.hi >>= 1
		n.exp++
		return
	}
	if n.hi == 0 {
		n.hi, n.lo = n.lo, 0
		n.exp -= 64
		if n.hi>>63 != 0 {
			n.normalize(sticky)
			return
		}
	}
	if s := bits.LeadingZeros64(n.hi) - 1; s > 0 {
		n.hi = n.hi<<s | n.lo>>(64-s)
		n.lo <<= s
		n.exp -= s
	}
}

// sum adds two numbers and packs.
func (f *Format) sum(mode Mode, x, y number) uint64 {
	if x.exp < y.exp || x.exp == y.exp && (x.hi < y.hi || x.hi == y.hi && x.lo < y.lo) {
		x, y = y, x
	}
	yh, yl, sticky := shiftRight(y.hi, y.lo, x.exp-y.exp)
	if x.neg == y.neg {
		var c uint64
		x.lo, c = bits.Add64(x.lo, yl, 0)
		x.hi, _ = bits.Add64(x.hi, yh, c)
	} else {
		var b uint64
		if sticky {
			b = 1
		}
		x.lo, b = bits.Sub64(x.lo, yl, b)
		x.hi, _ = bits.Sub64(x.hi, yh, b)
		if x.hi|x.lo == 0 {
			return f.zero(mode == RM)
		}
	}
	x.normalize(&sticky)
	return f.pack(mode, x, sticky)
}

func (f *Format) zero(neg bool) uint64 {
	if neg {
		return f.signBit()
	}
	return 0
}

// Neg is x with the other sign, NaNs included.
func (f *Format) Neg(x uint64) uint64 { return x ^ f.signBit() }

// Add is a + b.
func (f *Format) Add(mode Mode, a, b uint64) uint64 {
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.IsInf(a) && f.IsInf(b) && a != b:
		return f.NaN
	case f.IsInf(a):
		return a
	case f.IsInf(b):
		return b
	case f.IsZero(a) && f.IsZero(b):
		if a == b {
			return a
		}
		return f.zero(mode == RM)
	case f.IsZero(a):
		return b
	case f.IsZero(b):
		return a
	}
	return f.sum(mode, f.unpack(a), f.unpack(b))
}

// product multiplies finite non-zero values exactly.
func (f *Format) product(a, b uint64) number {
	x, y := f.unpack(a), f.unpack(b)
	p := number{neg: x.neg != y.neg, exp: x.exp + y.exp + 2}
	p.hi, p.lo = bits.Mul64(x.hi, y.hi)
	var exact bool
	p.normalize(&exact)
	return p
}

// Mul is a * b.
func (f *Format) Mul(mode Mode, a, b uint64) uint64 {
	sign := (a ^ b) & f.signBit()
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.IsInf(a) && f.IsZero(b) || f.IsZero(a) && f.IsInf(b):
		return f.NaN
	case f.IsInf(a) || f.IsInf(b):
		return f.inf() | sign
	case f.IsZero(a) || f.IsZero(b):
		return sign
	}
	return f.pack(mode, f.product(a, b), false)
}

// FMA is a * b + c, rounded once.
func (f *Format) FMA(mode Mode, a, b, c uint64) uint64 {
	sign := (a ^ b) & f.signBit()
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.IsNaN(c) || f.IsInf(a) && f.IsZero(b) || f.IsZero(a) && f.IsInf(b):
		return f.NaN
	case f.IsInf(a) || f.IsInf(b):
		return f.Add(mode, f.inf()|sign, c)
	case f.IsInf(c):
		return c
	case f.IsZero(a) || f.IsZero(b):
		return f.Add(mode, sign, c)
	case f.IsZero(c):
		return f.pack(mode, f.product(a, b), false)
	}
	return f.sum(mode, f.product(a, b), f.unpack(c))
}

// Div is a / b.
func (f *Format) Div(mode Mode, a, b uint64) uint64 {
	sign := (a ^ b) & f.signBit()
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.IsInf(a) && f.IsInf(b) || f.IsZero(a) && f.IsZero(b):
		return f.NaN
	case f.IsInf(a) || f.IsZero(b):
		return f.inf() | sign
	case f.IsZero(a) || f.IsInf(b):
		return sign
	}
	x, y := f.unpack(a), f.unpack(b)
	q, r := bits.Div64(x.hi>>1, x.hi<<63, y.hi)
	n := number{neg: sign != 0, exp: x.exp - y.exp - 1, hi: q}
	sticky := r != 0
	n.normalize(&sticky)
	return f.pack(mode, n, sticky)
}

// Sqrt is the square root of a.
func (f *Format) Sqrt(mode Mode, a uint64) uint64 {
	switch {
	case f.IsZero(a):
		return a
	case f.IsNaN(a) || a&f.signBit() != 0:
		return f.NaN
	case f.IsInf(a):
		return a
	}
	x := f.unpack(a)
	m := x.hi
	if x.exp&1 != 0 {
		m <<= 1
		x.exp--
	}
	// The root of m * 2^64, bit by bit.
	var root uint64
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		try := root | bit
		hi, lo := bits.Mul64(try, try)
		if hi < m || hi == m && lo == 0 {
			root = try
		}
	}
	hi, lo := bits.Mul64(root, root)
	return f.pack(mode, number{exp: x.exp / 2, hi: root >> 1, lo: root << 63}, hi != m || lo != 0)
}

// Convert rounds a value of format from to format f.
func (f *Format) Convert(mode Mode, from *Format, a uint64) uint64 {
	var sign uint64
	if a&from.signBit() != 0 {
		sign = f.signBit()
	}
	switch {
	case from.IsNaN(a):
		return f.NaN
	case from.IsInf(a):
		return f.inf() | sign
	case from.IsZero(a):
		return sign
	}
	return f.pack(mode, from.unpack(a), false)
}

// FromInt rounds an integer, given as sign and magnitude.
func (f *Format) FromInt(mode Mode, neg bool, magnitude uint64) uint64 {
	if magnitude == 0 {
		return 0
	}
	n := number{neg: neg, exp: 62, hi: magnitude}
	var sticky bool
	n.normalize(&sticky)
	return f.pack(mode, n, sticky)
}

// RoundInt rounds a to an integer of the same format. Zeros keep a's sign.
func (f *Format) RoundInt(mode Mode, a uint64) uint64 {
	if f.IsNaN(a) {
		return f.NaN
	}
	if f.IsInf(a) || f.IsZero(a) {
		return a
	}
	n := f.unpack(a)
	if n.exp >= int(f.Mant) {
		return a
	}
	m, _ := roundShift(mode, n.neg, n.hi, n.lo, 126-n.exp, false)
	if m == 0 {
		return a & f.signBit()
	}
	return f.FromInt(RN, n.neg, m)
}

// ToInt rounds a to an integer of width bits, saturated to its range. NaN gives
// 0. The result is the two's complement pattern in width bits.
func (f *Format) ToInt(mode Mode, a uint64, signed bool, width uint) uint64 {
	neg := a&f.signBit() != 0
	limit := ^uint64(0) >> (64 - width) // largest magnitude on this side
	switch {
	case signed && neg:
		limit = 1 << (width - 1)
	case signed:
		limit >>= 1
	case neg:
		limit = 0
	}
	var m uint64
	switch {
	case f.IsNaN(a) || f.IsZero(a):
		return 0
	case f.IsInf(a):
		m = limit
	default:
		n := f.unpack(a)
		if n.exp >= 64 {
			m = limit
		} else {
			m, _ = roundShift(mode, neg, n.hi, n.lo, 126-n.exp, false)
			m = min(m, limit)
		}
	}
	if neg {
		m = -m
	}
	return m & (^uint64(0) >> (64 - width))
}

// Finite is x, or the largest number of x's sign where x is an infinity.
func (f *Format) Finite(x uint64) uint64 {
	if f.IsInf(x) {
		return x - 1
	}
	return x
}

// Canonical is x, or the canonical NaN where x is any NaN.
func (f *Format) Canonical(x uint64) uint64 {
	if f.IsNaN(x) {
		return f.NaN
	}
	return x
}
