package reference

import "math/big"

// Mode is a rounding mode as frm encodes it.
type Mode uint8

// The rounding modes.
const (
	NearestEven Mode = iota // RNE
	TowardZero              // RTZ
	Down                    // RDN
	Up                      // RUP
	NearestAway             // RMM
)

// The exception flags as fflags encodes them.
const (
	Inexact   uint32 = 1 << iota // NX
	Underflow                    // UF
	Overflow                     // OF
	DivByZero                    // DZ
	Invalid                      // NV
)

const (
	signBit      uint32 = 1 << 31
	infinity     uint32 = 0x7f800000
	largest      uint32 = 0x7f7fffff
	canonicalNaN uint32 = 0x7fc00000
)

func isNaN(a uint32) bool       { return a&^signBit > infinity }
func isInf(a uint32) bool       { return a&^signBit == infinity }
func isZero(a uint32) bool      { return a&^signBit == 0 }
func negative(a uint32) bool    { return a&signBit != 0 }
func isSignaling(a uint32) bool { return isNaN(a) && a>>22&1 == 0 }

// nan is the canonical NaN, invalid if any operand is signalling.
func nan(operands ...uint32) (uint32, uint32) {
	for _, a := range operands {
		if isSignaling(a) {
			return canonicalNaN, Invalid
		}
	}
	return canonicalNaN, 0
}

// unit is the weight of the smallest subnormal number as a power of two: every
// finite number is a multiple of 2^unit.
const unit = -149

// multiple is the signed number of times 2^unit goes into the finite number a.
func multiple(a uint32) *big.Int {
	fraction, exponent := int64(a&0x7fffff), a>>23&0xff
	n := big.NewInt(fraction)
	if exponent > 0 {
		n = n.Lsh(big.NewInt(fraction+1<<23), uint(exponent-1))
	}
	if negative(a) {
		n.Neg(n)
	}
	return n
}

// withSign is the pattern magnitude with the sign given.
func withSign(neg bool, magnitude uint32) uint32 {
	if neg {
		return magnitude | signBit
	}
	return magnitude
}

// round is x, or -x where neg, rounded to binary32, with flags. x is not zero.
func round(neg bool, x real, m Mode) (uint32, uint32) {
	e := x.exponent()
	// The neighbours are multiples of 2^k.
	k := max(e, -126) - 23
	n, inexact := x.over(k).integer(neg, m)
	var flags uint32
	if inexact {
		flags |= Inexact
		// Tiny after rounding: below 2^-126 when the exponent has no limit.
		free, _ := x.over(e-23).integer(neg, m)
		if e < -127 || e == -127 && free.Cmp(pow2(24)) < 0 {
			flags |= Underflow
		}
	}
	value := new(big.Int).Lsh(n, uint(k-unit)) // in units of 2^unit
	if value.Cmp(pow2(128-unit)) >= 0 {
		towardInfinity := m == NearestEven || m == NearestAway || m == Down && neg || m == Up && !neg
		if towardInfinity {
			return withSign(neg, infinity), Overflow | Inexact
		}
		return withSign(neg, largest), Overflow | Inexact
	}
	// Patterns of the same sign are in the order of the numbers, so that the
	// pattern is the number of positive finite numbers up to this one.
	if value.BitLen() <= 23 {
		return withSign(neg, uint32(value.Uint64())), flags
	}
	shift := value.BitLen() - 24
	fraction := uint32(new(big.Int).Rsh(value, uint(shift)).Uint64()) - 1<<23
	return withSign(neg, uint32(shift+1)<<23|fraction), flags
}

// sum rounds (p + q) * 2^scale, where a zero has the sign of negP and negQ if
// they agree.
func sum(p, q *big.Int, negP, negQ bool, scale int, m Mode) (uint32, uint32) {
	s := new(big.Int).Add(p, q)
	if s.Sign() == 0 {
		if negP == negQ {
			return withSign(negP, 0), 0
		}
		return withSign(m == Down, 0), 0
	}
	return round(s.Sign() < 0, real{num: new(big.Int).Abs(s), den: pow2(-scale)}, m)
}

// Add is FADD.S.
func Add(a, b uint32, m Mode) (bits, flags uint32) {
	switch {
	case isNaN(a) || isNaN(b):
		return nan(a, b)
	case isInf(a) && isInf(b) && a != b:
		return canonicalNaN, Invalid
	case isInf(a):
		return a, 0
	case isInf(b):
		return b, 0
	}
	return sum(multiple(a), multiple(b), negative(a), negative(b), unit, m)
}

// Sub is FSUB.S.
func Sub(a, b uint32, m Mode) (bits, flags uint32) {
	if isNaN(b) {
		return Add(a, b, m)
	}
	return Add(a, b^signBit, m)
}

// Mul is FMUL.S.
func Mul(a, b uint32, m Mode) (bits, flags uint32) {
	neg := negative(a) != negative(b)
	switch {
	case isNaN(a) || isNaN(b):
		return nan(a, b)
	case isInf(a) && isZero(b) || isZero(a) && isInf(b):
		return canonicalNaN, Invalid
	case isInf(a) || isInf(b):
		return withSign(neg, infinity), 0
	case isZero(a) || isZero(b):
		return withSign(neg, 0), 0
	}
	p := new(big.Int).Mul(multiple(a), multiple(b))
	return round(neg, real{num: p.Abs(p), den: pow2(-2 * unit)}, m)
}

// FMA is FMADD.S: a*b + c with one rounding.
func FMA(a, b, c uint32, m Mode) (bits, flags uint32) {
	neg := negative(a) != negative(b)
	switch {
	case isInf(a) && isZero(b) || isZero(a) && isInf(b):
		return canonicalNaN, Invalid // even if c is a quiet NaN
	case isNaN(a) || isNaN(b) || isNaN(c):
		return nan(a, b, c)
	case isInf(a) || isInf(b):
		if isInf(c) && negative(c) != neg {
			return canonicalNaN, Invalid
		}
		return withSign(neg, infinity), 0
	case isInf(c):
		return c, 0
	}
	p := new(big.Int).Mul(multiple(a), multiple(b))
	q := new(big.Int).Mul(multiple(c), pow2(-unit))
	return sum(p, q, neg, negative(c), 2*unit, m)
}

// Div is FDIV.S.
func Div(a, b uint32, m Mode) (bits, flags uint32) {
	neg := negative(a) != negative(b)
	switch {
	case isNaN(a) || isNaN(b):
		return nan(a, b)
	case isInf(a) && isInf(b) || isZero(a) && isZero(b):
		return canonicalNaN, Invalid
	case isInf(a):
		return withSign(neg, infinity), 0
	case isZero(b):
		return withSign(neg, infinity), DivByZero
	case isInf(b) || isZero(a):
		return withSign(neg, 0), 0
	}
	p, q := multiple(a), multiple(b)
	return round(neg, real{num: p.Abs(p), den: q.Abs(q)}, m)
}

// Sqrt is FSQRT.S.
func Sqrt(a uint32, m Mode) (bits, flags uint32) {
	switch {
	case isNaN(a):
		return nan(a)
	case isZero(a):
		return a, 0
	case negative(a):
		return canonicalNaN, Invalid
	case isInf(a):
		return a, 0
	}
	return round(false, real{num: multiple(a), den: pow2(-unit), root: true}, m)
}

// less says whether the number a is below b; neither is a NaN.
func less(a, b uint32) bool { return ordered(a).Cmp(ordered(b)) < 0 }

// ordered is the number a in units of 2^unit, an infinity as 2^129.
func ordered(a uint32) *big.Int {
	if !isInf(a) {
		return multiple(a)
	}
	n := pow2(129 - unit)
	if negative(a) {
		n.Neg(n)
	}
	return n
}

// Min is FMIN.S of version 2.2: a NaN counts only if both are, -0 is below +0.
func Min(a, b uint32) (bits, flags uint32) { return choose(a, b, false) }

// Max is FMAX.S of version 2.2.
func Max(a, b uint32) (bits, flags uint32) { return choose(a, b, true) }

func choose(a, b uint32, larger bool) (bits, flags uint32) {
	_, flags = nan(a, b)
	switch {
	case isNaN(a) && isNaN(b):
		return canonicalNaN, flags
	case isNaN(a):
		return b, flags
	case isNaN(b):
		return a, flags
	}
	aFirst := less(a, b) || isZero(a) && isZero(b) && negative(a)
	if aFirst != larger {
		return a, flags
	}
	return b, flags
}

// Equal is FEQ.S: 1 where a == b; only signalling NaNs are invalid.
func Equal(a, b uint32) (result, flags uint32) {
	if isNaN(a) || isNaN(b) {
		_, flags = nan(a, b)
		return 0, flags
	}
	return truth(ordered(a).Cmp(ordered(b)) == 0), 0
}

// Less is FLT.S: 1 where a < b; any NaN is invalid.
func Less(a, b uint32) (result, flags uint32) {
	if isNaN(a) || isNaN(b) {
		return 0, Invalid
	}
	return truth(less(a, b)), 0
}

// LessEqual is FLE.S: 1 where a <= b; any NaN is invalid.
func LessEqual(a, b uint32) (result, flags uint32) {
	if isNaN(a) || isNaN(b) {
		return 0, Invalid
	}
	return truth(!less(b, a)), 0
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Classify is FCLASS.S.
func Classify(a uint32) uint32 {
	subnormal := a>>23&0xff == 0
	bit := 0
	switch {
	case isSignaling(a):
		return 1 << 8
	case isNaN(a):
		return 1 << 9
	case isInf(a):
		bit = 0
	case isZero(a):
		bit = 3
	case subnormal:
		bit = 2
	default:
		bit = 1
	}
	if !negative(a) {
		bit = 7 - bit
	}
	return 1 << bit
}

// ToInt is FCVT.W.S where signed, else FCVT.WU.S.
func ToInt(a uint32, signed bool, m Mode) (result, flags uint32) {
	lowest, highest := big.NewInt(0), big.NewInt(1<<32-1)
	if signed {
		lowest, highest = big.NewInt(-1<<31), big.NewInt(1<<31-1)
	}
	pattern := func(n *big.Int) uint32 { return uint32(n.Int64()) }
	if isNaN(a) {
		return pattern(highest), Invalid
	}
	x := ordered(a)
	n, inexact := real{num: new(big.Int).Abs(x), den: pow2(-unit)}.integer(x.Sign() < 0, m)
	if x.Sign() < 0 {
		n.Neg(n)
	}
	switch {
	case n.Cmp(lowest) < 0:
		return pattern(lowest), Invalid
	case n.Cmp(highest) > 0:
		return pattern(highest), Invalid
	case inexact:
		return pattern(n), Inexact
	}
	return pattern(n), 0
}

// FromInt is FCVT.S.W where signed, else FCVT.S.WU.
func FromInt(x uint32, signed bool, m Mode) (bits, flags uint32) {
	n := big.NewInt(int64(x))
	if signed {
		n = big.NewInt(int64(int32(x)))
	}
	if n.Sign() == 0 {
		return 0, 0
	}
	return round(n.Sign() < 0, real{num: new(big.Int).Abs(n), den: one}, m)
}
