package loop

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/conf"
)

// Pos is a position in a source file; Line and Col count from 1.
type Pos = conf.Pos

// Error is a refusal or a fault at a position of the source.
type Error = conf.Error

func errorf(p Pos, format string, args ...any) *Error {
	return &Error{Pos: p, Msg: fmt.Sprintf(format, args...)}
}

// Type is a scalar type. The order of the constants is that of C's usual
// arithmetic conversions: of two operand types the greater is the common one.
type Type uint8

const (
	NoType Type = iota
	Int         // 32 bits, two's complement
	Uint        // 32 bits
	Long        // 64 bits, two's complement
	Ulong       // 64 bits
	Float       // IEEE 754 binary32
	Double      // IEEE 754 binary64
)

var typeNames = [...]string{"none", "int", "uint", "long", "ulong", "float", "double"}

func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Size is the size in bytes.
func (t Type) Size() int64 {
	switch t {
	case Int, Uint, Float:
		return 4
	case Long, Ulong, Double:
		return 8
	}
	return 0
}

// IsInteger reports whether t is one of the four integer types.
func (t Type) IsInteger() bool { return t >= Int && t <= Ulong }

// IsFloat reports whether t is Float or Double.
func (t Type) IsFloat() bool { return t == Float || t == Double }

// IsSigned reports whether t is Int or Long.
func (t Type) IsSigned() bool { return t == Int || t == Long }

// Common is the type of an arithmetic operator's result (C99 6.3.1.8).
func Common(a, b Type) Type { return max(a, b) }
