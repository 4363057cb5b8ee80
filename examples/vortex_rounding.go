package examples

import (
	"math"
	"math/big"
)

// The exceptions of IEEE 754 as RISC-V numbers them in fflags, and the rounding modes as in frm.
const (
	inexact = 1 << iota
	underflow
	overflow
	divideByZero
	invalid
)

const (
	nearestEven = iota
	towardsZero
	down
	up
	nearestAway
	roundingModes
)

const roundedOperations = 6

// rounding computes every result exactly, as a rational number, and rounds it then, by the definitions of "The RISC-V
// Instruction Set Manual", Volume I, chapter "F".
func rounding(s *state) {
	n := s.count("n")
	size := n * roundingModes * roundedOperations
	x, y, results, flags := s.f32s("x", n), s.f32s("y", n), s.u32s("results", size), s.u32s("flags", size)
	for i := range size {
		pair, mode, operation := i/roundedOperations/roundingModes, i/roundedOperations%roundingModes, i%roundedOperations
		results[i], flags[i] = rounded(operation, mode, x[pair], y[pair])
	}
}

// rounded is the result of an operation (x+y, x*y, x/y, the root of x, x*y+x, the integer of x) and what it raises.
func rounded(operation, mode int, x, y float32) (bits, flags uint32) {
	a, b := float64(x), float64(y)
	// In double precision none of these is out of range, and a sum is zero only if it is so exactly.
	var f float64
	exact, other := new(big.Rat), new(big.Rat)
	switch operation {
	case 0:
		f = a + b
	case 1:
		f = a * b
	case 2:
		f = a / b
	case 3:
		f = math.Sqrt(a)
	case 4:
		f = math.FMA(a, b, a)
	default:
		return toInteger(mode, a)
	}
	switch {
	case math.IsNaN(f):
		if !math.IsNaN(a) && (operation == 3 || !math.IsNaN(b)) {
			flags = invalid
		}
		return 0x7fc00000, flags
	case math.IsInf(f, 0):
		if operation == 2 && b == 0 && !math.IsInf(a, 0) {
			flags = divideByZero
		}
		return math.Float32bits(float32(f)), flags
	case f == 0:
		cancelled := operation == 0 && a != 0 || operation == 4 && a*b != 0
		mixed := operation == 0 && math.Signbit(a) != math.Signbit(b) || operation == 4 && math.Signbit(a*b) != math.Signbit(a)
		if mode == down && (cancelled || mixed) {
			f = math.Copysign(0, -1)
		}
		return math.Float32bits(float32(f)), 0
	}
	exact.SetFloat64(a)
	switch operation {
	case 0:
		exact.Add(exact, other.SetFloat64(b))
	case 1:
		exact.Mul(exact, other.SetFloat64(b))
	case 2:
		exact.Quo(exact, other.SetFloat64(b))
	case 3:
		exact = root(exact)
	case 4:
		exact.Mul(exact, other.SetFloat64(b))
		exact.Add(exact, other.SetFloat64(a))
	}
	return toFloat(mode, exact)
}

// root is the square root of a binary float32, or, where that is irrational, a number between the same two of more bits than
// a result or a tie between results can have.
func root(x *big.Rat) *big.Rat {
	const bits = 200
	scaled := new(big.Int).Lsh(x.Num(), 2*bits)
	scaled.Quo(scaled, x.Denom())
	r := new(big.Int).Sqrt(scaled)
	exact := new(big.Int).Mul(r, r).Cmp(scaled) == 0
	r.Lsh(r, 1)
	if !exact {
		r.SetBit(r, 0, 1)
	}
	return new(big.Rat).SetFrac(r, new(big.Int).Lsh(big.NewInt(1), bits+1))
}

// toInteger is fcvt.w.s.
func toInteger(mode int, a float64) (bits, flags uint32) {
	switch {
	case math.IsNaN(a) || a >= 1<<31:
		return math.MaxInt32, invalid
	case a < -1<<32:
		return 1 << 31, invalid
	}
	exact := new(big.Rat).SetFloat64(math.Abs(a))
	n, rest := quanta(mode, math.Signbit(a), exact, 0)
	i := n.Int64()
	if math.Signbit(a) {
		i = -i
	}
	switch {
	case i > math.MaxInt32:
		return math.MaxInt32, invalid
	case i < math.MinInt32:
		return 1 << 31, invalid
	case rest:
		flags = inexact
	}
	return uint32(int32(i)), flags
}

// toFloat rounds a number that is not zero to float32.
func toFloat(mode int, exact *big.Rat) (bits, flags uint32) {
	negative := exact.Sign() < 0
	size := new(big.Rat).Abs(exact)
	const lowest, least = -126, -149 // exponents of the smallest normal number and of the smallest of all
	e := size.Num().BitLen() - size.Denom().BitLen()
	if size.Cmp(power(e)) < 0 {
		e--
	}
	quantum := max(e-23, least)
	n, rest := quanta(mode, negative, size, quantum)
	f := math.Ldexp(float64(n.Int64()), quantum)
	if rest {
		flags = inexact
		// Underflow is detected on the number rounded as if its exponent had no limit.
		unlimited, _ := quanta(mode, negative, size, e-23)
		if e < lowest && !(e == lowest-1 && unlimited.BitLen() > 24) {
			flags |= underflow
		}
	}
	if f > math.MaxFloat32 {
		flags = inexact | overflow
		f = math.Inf(1)
		if mode == towardsZero || mode == down && !negative || mode == up && negative {
			f = math.MaxFloat32
		}
	}
	if negative {
		f = -f
	}
	return math.Float32bits(float32(f)), flags
}

func power(e int) *big.Rat {
	one, p := big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return new(big.Rat).SetFrac(one, p)
	}
	return new(big.Rat).SetInt(p)
}

// quanta is size in units of 2^quantum, rounded, and whether anything was cut off or added.
func quanta(mode int, negative bool, size *big.Rat, quantum int) (n *big.Int, rest bool) {
	units := new(big.Rat).Quo(size, power(quantum))
	n, remainder := new(big.Int).QuoRem(units.Num(), units.Denom(), new(big.Int))
	half := remainder.Lsh(remainder, 1).Cmp(units.Denom())
	rest = remainder.Sign() != 0
	var more bool
	switch mode {
	case nearestEven:
		more = half > 0 || half == 0 && n.Bit(0) == 1
	case nearestAway:
		more = half >= 0
	case down:
		more = rest && negative
	case up:
		more = rest && !negative
	}
	if more {
		n.Add(n, big.NewInt(1))
	}
	return n, rest
}
