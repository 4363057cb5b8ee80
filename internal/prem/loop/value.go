package loop

import (
	"fmt"
	"math"
)

// Value is a scalar. Bits holds a signed integer sign-extended, an unsigned one
// zero-extended, a float or double as its IEEE 754 encoding.
type Value struct {
	Type Type
	Bits uint64
}

// OfInt is an int.
func OfInt(v int32) Value { return Value{Int, uint64(int64(v))} }

// OfLong is a long.
func OfLong(v int64) Value { return Value{Long, uint64(v)} }

// OfFloat is a float.
func OfFloat(v float32) Value { return Value{Float, uint64(math.Float32bits(v))} }

// OfDouble is a double.
func OfDouble(v float64) Value { return Value{Double, math.Float64bits(v)} }

// Buffer is the memory of an array: elements in row-major order, encoded as
// Value.Bits.
type Buffer struct {
	Elem  Type
	Shape []int64
	Bits  []uint64
}

// NewBuffer gives a zeroed buffer of the shape, or an error where an extent is
// not positive or the elements exceed 2^31.
func NewBuffer(elem Type, shape ...int64) (*Buffer, error) {
	n := int64(1)
	for _, s := range shape {
		if s <= 0 || s > 1<<31 || n*s > 1<<31 {
			return nil, fmt.Errorf("buffer of shape %v", shape)
		}
		n *= s
	}
	if elem.Size() == 0 || len(shape) == 0 {
		return nil, fmt.Errorf("buffer of %s with %d dimensions", elem, len(shape))
	}
	return &Buffer{elem, shape, make([]uint64, n)}, nil
}

func f32(b uint64) float32 { return math.Float32frombits(uint32(b)) }
func f64(b uint64) float64 { return math.Float64frombits(b) }

func bool64(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// truth is C's comparison with zero; a NaN is true.
func truth(t Type, x uint64) bool {
	switch t {
	case Float:
		return f32(x) != 0
	case Double:
		return f64(x) != 0
	}
	return x != 0
}

// convert is the conversion of x from one type to another. The second result is
// not empty where C leaves it undefined: a floating value whose integer part the
// target does not hold. An integer that a signed target does not hold wraps
// (implementation-defined; every compiler for the target does so).
func convert(to, from Type, x uint64) (uint64, string) {
	switch {
	case to == from:
		return x, ""
	case from.IsInteger() && to.IsInteger():
		return truncate(to, x), ""
	case from.IsInteger():
		return intToFloat(to, from, x), ""
	case to == Float:
		return uint64(math.Float32bits(float32(f64(x)))), ""
	case to == Double:
		return math.Float64bits(float64(f32(x))), ""
	}
	v := f64(x)
	if from == Float {
		v = float64(f32(x))
	}
	v = math.Trunc(v)
	lo, hi := -0x1p31, 0x1p31
	switch to {
	case Uint:
		lo, hi = 0, 0x1p32
	case Long:
		lo, hi = -0x1p63, 0x1p63
	case Ulong:
		lo, hi = 0, 0x1p64
	}
	if !(v >= lo && v < hi) {
		return 0, fmt.Sprintf("conversion of %v to %s", v, to)
	}
	if to == Ulong {
		return uint64(v), ""
	}
	return uint64(int64(v)), ""
}

func truncate(t Type, x uint64) uint64 {
	switch t {
	case Int:
		return uint64(int64(int32(x)))
	case Uint:
		return uint64(uint32(x))
	}
	return x
}

// intToFloat rounds once, from the integer to the target.
func intToFloat(to, from Type, x uint64) uint64 {
	switch {
	case to == Float && from == Ulong:
		return uint64(math.Float32bits(float32(x)))
	case to == Float:
		return uint64(math.Float32bits(float32(int64(x))))
	case from == Ulong:
		return math.Float64bits(float64(x))
	}
	return math.Float64bits(float64(int64(x)))
}

// binary is an operator on two values of type t (the right one of a shift
// excepted: yt). The second result is not empty where C leaves it undefined.
func binary(op Op, t, yt Type, x, y uint64) (uint64, string) {
	switch {
	case op >= Lt && op <= Ne:
		return bool64(compare(op, t, x, y)), ""
	case t == Float:
		a, b := f32(x), f32(y)
		switch op {
		case Add:
			a += b
		case Sub:
			a -= b
		case Mul:
			a *= b
		case Div:
			a /= b
		}
		return uint64(math.Float32bits(a)), ""
	case t == Double:
		a, b := f64(x), f64(y)
		switch op {
		case Add:
			a += b
		case Sub:
			a -= b
		case Mul:
			a *= b
		case Div:
			a /= b
		}
		return math.Float64bits(a), ""
	case op == Shl || op == Shr:
		return shift(op, t, yt, x, y)
	case t.IsSigned():
		return signed(op, t, int64(x), int64(y))
	}
	switch op {
	case Add:
		x += y
	case Sub:
		x -= y
	case Mul:
		x *= y
	case Div, Rem:
		if y == 0 {
			return 0, "division by zero"
		}
		if op == Div {
			x /= y
		} else {
			x %= y
		}
	case And:
		x &= y
	case Or:
		x |= y
	case Xor:
		x ^= y
	}
	return truncate(t, x), ""
}

func compare(op Op, t Type, x, y uint64) bool {
	switch {
	case t == Float:
		return order(op, f32(x), f32(y))
	case t == Double:
		return order(op, f64(x), f64(y))
	case t.IsSigned():
		return order(op, int64(x), int64(y))
	}
	return order(op, x, y)
}

func order[T float32 | float64 | int64 | uint64](op Op, x, y T) bool {
	switch op {
	case Lt:
		return x < y
	case Le:
		return x <= y
	case Gt:
		return x > y
	case Ge:
		return x >= y
	case Eq:
		return x == y
	}
	return x != y
}

func signed(op Op, t Type, x, y int64) (uint64, string) {
	var r int64
	ok := true
	switch op {
	case Add:
		r, ok = addInt64(x, y)
		ok = ok || y == 0
	case Sub:
		r = x - y
		ok = (r < x) == (y > 0) || y == 0
	case Mul:
		r, ok = mulInt64(x, y)
	case Div, Rem:
		if y == 0 {
			return 0, "division by zero"
		}
		if y == -1 {
			// The remainder is undefined where the quotient is.
			q, s := signed(Sub, t, 0, x)
			if op == Rem {
				q = 0
			}
			return q, s
		}
		if op == Div {
			r = x / y
		} else {
			r = x % y
		}
	case And:
		r = x & y
	case Or:
		r = x | y
	case Xor:
		r = x ^ y
	}
	if t == Int && r != int64(int32(r)) {
		ok = false
	}
	if !ok {
		return 0, fmt.Sprintf("signed overflow in %d %s %d", x, op, y)
	}
	return uint64(r), ""
}

// shift refuses a count outside the width and, of a signed value, a left shift
// of a negative number or out of its range (C99 6.5.7).
func shift(op Op, t, yt Type, x, y uint64) (uint64, string) {
	width := uint64(t.Size() * 8)
	if yt.IsSigned() && int64(y) < 0 || y >= width {
		return 0, fmt.Sprintf("shift by %d of a %d-bit value", int64(y), width)
	}
	switch {
	case op == Shr && t.IsSigned():
		return uint64(int64(x) >> y), ""
	case op == Shr:
		return x >> y, ""
	case t.IsSigned():
		limit := uint64(1)<<(width-1) - 1
		if int64(x) < 0 || x > limit>>y {
			return 0, fmt.Sprintf("signed overflow in %d << %d", int64(x), y)
		}
		return x << y, ""
	}
	return truncate(t, x<<y), ""
}
