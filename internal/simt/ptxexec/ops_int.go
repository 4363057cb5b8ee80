package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/ptx"
)

// Division by zero gives all ones and the remainder the dividend, as current
// GPUs do; PTX leaves both open.

func add[T unsigned](a, b, _ uint64) uint64 { return uint64(T(a) + T(b)) }
func sub[T unsigned](a, b, _ uint64) uint64 { return uint64(T(a) - T(b)) }
func mul[T unsigned](a, b, _ uint64) uint64 { return uint64(T(a) * T(b)) }
func mad[T unsigned](a, b, c uint64) uint64 { return uint64(T(a)*T(b) + T(c)) }

// Loops over lanes take four at a time: the compiler does not unroll them, and
// by itself the counting takes as long as the work.
func addV[T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(a[i]) + T(b[i]))
		d[i+1] = uint64(T(a[i+1]) + T(b[i+1]))
		d[i+2] = uint64(T(a[i+2]) + T(b[i+2]))
		d[i+3] = uint64(T(a[i+3]) + T(b[i+3]))
	}
}

func subV[T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(a[i]) - T(b[i]))
		d[i+1] = uint64(T(a[i+1]) - T(b[i+1]))
		d[i+2] = uint64(T(a[i+2]) - T(b[i+2]))
		d[i+3] = uint64(T(a[i+3]) - T(b[i+3]))
	}
}

func mulV[T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(a[i]) * T(b[i]))
		d[i+1] = uint64(T(a[i+1]) * T(b[i+1]))
		d[i+2] = uint64(T(a[i+2]) * T(b[i+2]))
		d[i+3] = uint64(T(a[i+3]) * T(b[i+3]))
	}
}

func madV[T unsigned](d, a, b, c *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(a[i])*T(b[i]) + T(c[i]))
		d[i+1] = uint64(T(a[i+1])*T(b[i+1]) + T(c[i+1]))
		d[i+2] = uint64(T(a[i+2])*T(b[i+2]) + T(c[i+2]))
		d[i+3] = uint64(T(a[i+3])*T(b[i+3]) + T(c[i+3]))
	}
}

// The products twice as wide as their factors, in 32 or 64 bits.
func mulWideU16(a, b, _ uint64) uint64 { return uint64(uint16(a)) * uint64(uint16(b)) }
func mulWideS16(a, b, _ uint64) uint64 { return uint64(uint32(int32(int16(a)) * int32(int16(b)))) }
func mulWideU32(a, b, _ uint64) uint64 { return uint64(uint32(a)) * uint64(uint32(b)) }
func mulWideS32(a, b, _ uint64) uint64 { return uint64(int64(int32(a)) * int64(int32(b))) }
func madWideU16(a, b, c uint64) uint64 { return uint64(uint32(mulWideU16(a, b, 0)) + uint32(c)) }
func madWideS16(a, b, c uint64) uint64 { return uint64(uint32(mulWideS16(a, b, 0)) + uint32(c)) }
func madWideU32(a, b, c uint64) uint64 { return mulWideU32(a, b, 0) + c }
func madWideS32(a, b, c uint64) uint64 { return mulWideS32(a, b, 0) + c }

func mulWideU32V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(uint32(a[i])) * uint64(uint32(b[i]))
		d[i+1] = uint64(uint32(a[i+1])) * uint64(uint32(b[i+1]))
		d[i+2] = uint64(uint32(a[i+2])) * uint64(uint32(b[i+2]))
		d[i+3] = uint64(uint32(a[i+3])) * uint64(uint32(b[i+3]))
	}
}

func mulWideS32V(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(int64(int32(a[i])) * int64(int32(b[i])))
		d[i+1] = uint64(int64(int32(a[i+1])) * int64(int32(b[i+1])))
		d[i+2] = uint64(int64(int32(a[i+2])) * int64(int32(b[i+2])))
		d[i+3] = uint64(int64(int32(a[i+3])) * int64(int32(b[i+3])))
	}
}

func madWideS32V(d, a, b, c *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(int64(int32(a[i]))*int64(int32(b[i]))) + c[i]
		d[i+1] = uint64(int64(int32(a[i+1]))*int64(int32(b[i+1]))) + c[i+1]
		d[i+2] = uint64(int64(int32(a[i+2]))*int64(int32(b[i+2]))) + c[i+2]
		d[i+3] = uint64(int64(int32(a[i+3]))*int64(int32(b[i+3]))) + c[i+3]
	}
}

func madWideU32V(d, a, b, c *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(uint32(a[i]))*uint64(uint32(b[i])) + c[i]
		d[i+1] = uint64(uint32(a[i+1]))*uint64(uint32(b[i+1])) + c[i+1]
		d[i+2] = uint64(uint32(a[i+2]))*uint64(uint32(b[i+2])) + c[i+2]
		d[i+3] = uint64(uint32(a[i+3]))*uint64(uint32(b[i+3])) + c[i+3]
	}
}

// mulHigh is the upper half of the product of two values of type t.
func mulHigh(t ptx.Type) laneFn {
	switch t {
	case ptx.U16:
		return func(a, b, _ uint64) uint64 { return mulWideU16(a, b, 0) >> 16 }
	case ptx.S16:
		return func(a, b, _ uint64) uint64 { return mulWideS16(a, b, 0) >> 16 }
	case ptx.U32:
		return func(a, b, _ uint64) uint64 { return mulWideU32(a, b, 0) >> 32 }
	case ptx.S32:
		return func(a, b, _ uint64) uint64 { return mulWideS32(a, b, 0) >> 32 }
	case ptx.U64:
		return func(a, b, _ uint64) uint64 {
			hi, _ := bits.Mul64(a, b)
			return hi
		}
	}
	return func(a, b, _ uint64) uint64 {
		hi, _ := bits.Mul64(a, b)
		return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
	}
}

// then adds a third operand, modulo the width of type t.
func (f laneFn) then(t ptx.Type) laneFn {
	mask := widthMask(t.Bits())
	return func(a, b, c uint64) uint64 { return (f(a, b, 0) + c) & mask }
}

func widthMask(width int) uint64 { return ^uint64(0) >> (64 - width) }

// signExtend reads x as a signed value of width bits.
func signExtend(x uint64, width int) int64 { return int64(x<<(64-width)) >> (64 - width) }

func saturate32(x int64) uint64 { return uint64(uint32(int32(max(-1<<31, min(x, 1<<31-1))))) }

func divU[T unsigned](a, b, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(^T(0))
	}
	return uint64(T(a) / T(b))
}

func remU[T unsigned](a, b, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(T(a))
	}
	return uint64(T(a) % T(b))
}

func divS[S signed, T unsigned](a, b, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(^T(0))
	}
	return uint64(T(S(a) / S(b)))
}

func remS[S signed, T unsigned](a, b, _ uint64) uint64 {
	if T(b) == 0 {
		return uint64(T(a))
	}
	return uint64(T(S(a) % S(b)))
}

func minU[T unsigned](a, b, _ uint64) uint64           { return uint64(min(T(a), T(b))) }
func maxU[T unsigned](a, b, _ uint64) uint64           { return uint64(max(T(a), T(b))) }
func minS[S signed, T unsigned](a, b, _ uint64) uint64 { return uint64(T(min(S(a), S(b)))) }
func maxS[S signed, T unsigned](a, b, _ uint64) uint64 { return uint64(T(max(S(a), S(b)))) }

func minSV[S signed, T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(min(S(a[i]), S(b[i]))))
		d[i+1] = uint64(T(min(S(a[i+1]), S(b[i+1]))))
		d[i+2] = uint64(T(min(S(a[i+2]), S(b[i+2]))))
		d[i+3] = uint64(T(min(S(a[i+3]), S(b[i+3]))))
	}
}

func maxSV[S signed, T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(max(S(a[i]), S(b[i]))))
		d[i+1] = uint64(T(max(S(a[i+1]), S(b[i+1]))))
		d[i+2] = uint64(T(max(S(a[i+2]), S(b[i+2]))))
		d[i+3] = uint64(T(max(S(a[i+3]), S(b[i+3]))))
	}
}

func absS[S signed, T unsigned](a, _, _ uint64) uint64 { return uint64(T(max(S(a), -S(a)))) }
func negS[T unsigned](a, _, _ uint64) uint64           { return uint64(-T(a)) }

func sadU[T unsigned](a, b, c uint64) uint64 {
	return uint64(T(c) + max(T(a), T(b)) - min(T(a), T(b)))
}

func sadS[S signed, T unsigned](a, b, c uint64) uint64 {
	return uint64(T(c) + T(max(S(a), S(b))) - T(min(S(a), S(b))))
}

// bySign chooses between the signed and the unsigned operation of a width.
func bySign(t ptx.Type, u16, u32, u64, s16, s32, s64 laneFn) laneFn {
	if t.Signed() {
		return ofWidth(t.Bits(), pureOp{f: s16}, pureOp{f: s32}, pureOp{f: s64}).f
	}
	return ofWidth(t.Bits(), pureOp{f: u16}, pureOp{f: u32}, pureOp{f: u64}).f
}

// integerOp is the integer arithmetic of PTX.
func integerOp(op string, f *ptx.Form) pureOp {
	t := f.Type
	switch op {
	case "add":
		if f.Sat {
			return pureOp{f: func(a, b, _ uint64) uint64 { return saturate32(int64(int32(a)) + int64(int32(b))) }}
		}
		return ofWidth(t.Bits(), pureOp{add[uint16], addV[uint16]}, pureOp{add[uint32], addV[uint32]}, pureOp{add[uint64], addV[uint64]})
	case "sub":
		if f.Sat {
			return pureOp{f: func(a, b, _ uint64) uint64 { return saturate32(int64(int32(a)) - int64(int32(b))) }}
		}
		return ofWidth(t.Bits(), pureOp{sub[uint16], subV[uint16]}, pureOp{sub[uint32], subV[uint32]}, pureOp{sub[uint64], subV[uint64]})
	case "mul":
		return multiply(f)
	case "mad":
		return multiplyAdd(f)
	case "mul24", "mad24":
		return pureOp{f: multiply24(op, f)}
	case "sad":
		return pureOp{f: bySign(t, sadU[uint16], sadU[uint32], sadU[uint64], sadS[int16, uint16], sadS[int32, uint32], sadS[int64, uint64])}
	case "div":
		return pureOp{f: bySign(t, divU[uint16], divU[uint32], divU[uint64], divS[int16, uint16], divS[int32, uint32], divS[int64, uint64])}
	case "rem":
		return pureOp{f: bySign(t, remU[uint16], remU[uint32], remU[uint64], remS[int16, uint16], remS[int32, uint32], remS[int64, uint64])}
	case "abs":
		return ofWidth(t.Bits(), pureOp{f: absS[int16, uint16]}, pureOp{f: absS[int32, uint32]}, pureOp{f: absS[int64, uint64]})
	case "neg":
		return ofWidth(t.Bits(), pureOp{f: negS[uint16]}, pureOp{f: negS[uint32]}, pureOp{f: negS[uint64]})
	case "min", "max":
		return extreme(op, f)
	case "dp4a":
		return pureOp{f: dot(f, 4)}
	case "dp2a":
		return pureOp{f: dot(f, 2)}
	}
	return pureOp{}
}

func extreme(op string, f *ptx.Form) pureOp {
	t := f.Type
	var p pureOp
	if op == "min" {
		p.f = bySign(t, minU[uint16], minU[uint32], minU[uint64], minS[int16, uint16], minS[int32, uint32], minS[int64, uint64])
		if t == ptx.S32 {
			p.v = minSV[int32, uint32]
		}
	} else {
		p.f = bySign(t, maxU[uint16], maxU[uint32], maxU[uint64], maxS[int16, uint16], maxS[int32, uint32], maxS[int64, uint64])
		if t == ptx.S32 {
			p.v = maxSV[int32, uint32]
		}
	}
	if f.Relu {
		g := p.f
		width := t.Bits()
		return pureOp{f: func(a, b, _ uint64) uint64 { return uint64(max(0, signExtend(g(a, b, 0), width))) }}
	}
	return p
}

func multiply(f *ptx.Form) pureOp {
	t := f.Type
	switch f.Mul {
	case ptx.MulWide:
		switch t {
		case ptx.U16:
			return pureOp{f: mulWideU16}
		case ptx.S16:
			return pureOp{f: mulWideS16}
		case ptx.U32:
			return pureOp{mulWideU32, mulWideU32V}
		}
		return pureOp{mulWideS32, mulWideS32V}
	case ptx.MulHi:
		return pureOp{f: mulHigh(t)}
	}
	return ofWidth(t.Bits(), pureOp{mul[uint16], mulV[uint16]}, pureOp{mul[uint32], mulV[uint32]}, pureOp{mul[uint64], mulV[uint64]})
}

func multiplyAdd(f *ptx.Form) pureOp {
	t := f.Type
	switch f.Mul {
	case ptx.MulWide:
		switch t {
		case ptx.U16:
			return pureOp{f: madWideU16}
		case ptx.S16:
			return pureOp{f: madWideS16}
		case ptx.U32:
			return pureOp{madWideU32, madWideU32V}
		}
		return pureOp{madWideS32, madWideS32V}
	case ptx.MulHi:
		high := mulHigh(t)
		if f.Sat {
			return pureOp{f: func(a, b, c uint64) uint64 {
				return saturate32(int64(int32(high(a, b, 0))) + int64(int32(c)))
			}}
		}
		return pureOp{f: high.then(t)}
	}
	return ofWidth(t.Bits(), pureOp{mad[uint16], madV[uint16]}, pureOp{mad[uint32], madV[uint32]}, pureOp{mad[uint64], madV[uint64]})
}

// multiply24 multiplies the low 24 bits of its operands; .hi keeps the upper 32
// of the 48 bits of the product.
func multiply24(op string, f *ptx.Form) laneFn {
	sign := f.Type.Signed()
	shift := 0
	if f.Mul == ptx.MulHi {
		shift = 16
	}
	product := laneFn(func(a, b, _ uint64) uint64 {
		if sign {
			return uint64(uint32((signExtend(a, 24) * signExtend(b, 24)) >> shift))
		}
		return uint64(uint32((a & 0xffffff) * (b & 0xffffff) >> shift))
	})
	switch {
	case op == "mul24":
		return product
	case f.Sat:
		return func(a, b, c uint64) uint64 {
			return saturate32(int64(int32(product(a, b, 0))) + int64(int32(c)))
		}
	}
	return product.then(f.Type)
}

// dot is dp4a, with n = 4 products of bytes, or dp2a, with 2 products of
// 16-bit values of a and bytes of the lower or upper half of b.
func dot(f *ptx.Form, n int) laneFn {
	signA, signB := f.Type.Signed(), f.Type2.Signed()
	part := func(x uint64, i, width int, sign bool) int64 {
		x >>= i * width
		if sign {
			return signExtend(x, width)
		}
		return int64(x & widthMask(width))
	}
	first := 0
	if n == 2 && f.Mul == ptx.MulHi {
		first = 2
	}
	return func(a, b, c uint64) uint64 {
		sum := int64(c)
		for i := range n {
			sum += part(a, i, 32/n, signA) * part(b, first+i, 8, signB)
		}
		return uint64(uint32(sum))
	}
}
