package f32

import "math/bits"

// Rounding is a rounding mode in the encoding of the rm field and of frm.
type Rounding uint8

// The rounding modes. Values 5 and 6 are reserved, and 7 in an instruction
// stands for the mode in frm: none of them may be passed to an operation.
const (
	RNE Rounding = iota // to nearest, ties to even
	RTZ                 // towards zero
	RDN                 // down, towards -Inf
	RUP                 // up, towards +Inf
	RMM                 // to nearest, ties away from zero
	NumRoundings
)

func (r Rounding) String() string {
	if r < NumRoundings {
		return [...]string{"rne", "rtz", "rdn", "rup", "rmm"}[r]
	}
	return "reserved"
}

// Flags are the accrued exceptions in the encoding of fflags.
type Flags uint8

// The exception flags.
const (
	NX Flags = 1 << iota // inexact
	UF                   // underflow
	OF                   // overflow
	DZ                   // division by zero
	NV                   // invalid operation
)

func (f Flags) String() string {
	s := ""
	for i, name := range [...]string{"NX", "UF", "OF", "DZ", "NV"} {
		if f>>i&1 != 0 {
			if s != "" {
				s += "|"
			}
			s += name
		}
	}
	return s
}

// NaN is the canonical NaN.
const NaN uint32 = 0x7fc00000

const (
	signBit  uint32 = 1 << 31
	infinity uint32 = 0x7f800000
	fraction uint32 = 0x007fffff
	hidden   uint32 = 0x00800000
	quietBit uint32 = 0x00400000
	largest  uint32 = 0x7f7fffff
)

// IsNaN says whether a is a NaN.
func IsNaN(a uint32) bool { return a&^signBit > infinity }

// IsSignaling says whether a is a signalling NaN.
func IsSignaling(a uint32) bool { return IsNaN(a) && a&quietBit == 0 }

func isInf(a uint32) bool  { return a&^signBit == infinity }
func isZero(a uint32) bool { return a&^signBit == 0 }

// invalid is the result of an operation with a NaN among its operands: NV where
// one of them signals.
func invalid(a, b uint32) (uint32, Flags) {
	if IsSignaling(a) || IsSignaling(b) {
		return NaN, NV
	}
	return NaN, 0
}

// unpack splits a finite number other than zero: its magnitude is sig * 2^exp
// with the leading bit of sig at bit 63.
func unpack(a uint32) (sig uint64, exp int) {
	e := int(a >> 23 & 0xff)
	m := a & fraction
	if e == 0 {
		n := bits.LeadingZeros32(m)
		return uint64(m) << (n + 32), -149 - n - 32
	}
	return uint64(m|hidden) << 40, e - 150 - 40
}

// roundUp says whether a magnitude is incremented: odd is the lowest bit kept,
// half and rest are the bit below it and whether anything is left below that.
func roundUp(sign uint32, rm Rounding, odd, half, rest bool) bool {
	switch rm {
	case RNE:
		return half && (rest || odd)
	case RDN:
		return sign != 0 && (half || rest)
	case RUP:
		return sign == 0 && (half || rest)
	case RMM:
		return half
	}
	return false
}

// shiftJam shifts right and keeps in the lowest bit whether a one was lost.
func shiftJam(x uint64, n int) uint64 {
	if n <= 0 {
		return x
	}
	if n > 63 {
		if x != 0 {
			return 1
		}
		return 0
	}
	r := x >> n
	if r<<n != x {
		r |= 1
	}
	return r
}

// round makes the number of magnitude sig * 2^exp, sig not zero. Bit 0 of sig
// may stand for a lost remainder if sig has at least 27 significant bits.
func round(sign uint32, exp int, sig uint64, rm Rounding) (uint32, Flags) {
	n := bits.LeadingZeros64(sig)
	sig <<= n
	e := exp - n + 63 // the magnitude is in [2^e, 2^(e+1))
	drop := 40        // bits below the 24 that are kept
	tiny := false
	if e < -126 {
		// Tiny unless rounding with an unbounded exponent reaches 2^-126.
		tiny = true
		if e == -127 {
			kept, half, rest := split(sig, 40)
			tiny = kept != 1<<24-1 || !roundUp(sign, rm, true, half, rest)
		}
		drop += -126 - e
	}
	if drop > 65 {
		sig, drop = 1, 65 // below half of the smallest number
	}
	kept, half, rest := split(sig, drop)
	var f Flags
	if half || rest {
		f = NX
		if tiny {
			f |= UF
		}
		if roundUp(sign, rm, kept&1 != 0, half, rest) {
			kept++
		}
	}
	// The hidden bit, or a carry into it, adds to the exponent field.
	field := uint64(0)
	if e >= -126 {
		field = uint64(e + 126)
	}
	if field<<23+kept >= uint64(infinity) {
		return overflow(sign, rm), OF | NX
	}
	return sign | uint32(field<<23+kept), f
}

// split is sig without its lowest n bits, n in 1..65, the highest of them, and
// whether any other is set.
func split(sig uint64, n int) (kept uint64, half, rest bool) {
	switch {
	case n == 64:
		return 0, sig>>63 != 0, sig<<1 != 0
	case n > 64:
		return 0, false, sig != 0
	}
	return sig >> n, sig>>(n-1)&1 != 0, sig<<(65-n) != 0
}

// overflow is what a magnitude too large becomes.
func overflow(sign uint32, rm Rounding) uint32 {
	if rm == RTZ || rm == RDN && sign == 0 || rm == RUP && sign != 0 {
		return sign | largest
	}
	return sign | infinity
}

// zeroSum is the exact zero that a sum of opposite numbers is.
func zeroSum(rm Rounding) uint32 {
	if rm == RDN {
		return signBit
	}
	return 0
}
