package ptxexec

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/ptx"
)

func and(a, b, _ uint64) uint64 { return a & b }
func or(a, b, _ uint64) uint64  { return a | b }
func xor(a, b, _ uint64) uint64 { return a ^ b }

func andV(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = a[i] & b[i]
		d[i+1] = a[i+1] & b[i+1]
		d[i+2] = a[i+2] & b[i+2]
		d[i+3] = a[i+3] & b[i+3]
	}
}

func orV(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = a[i] | b[i]
		d[i+1] = a[i+1] | b[i+1]
		d[i+2] = a[i+2] | b[i+2]
		d[i+3] = a[i+3] | b[i+3]
	}
}

func xorV(d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = a[i] ^ b[i]
		d[i+1] = a[i+1] ^ b[i+1]
		d[i+2] = a[i+2] ^ b[i+2]
		d[i+3] = a[i+3] ^ b[i+3]
	}
}

func not[T unsigned](a, _, _ uint64) uint64 { return uint64(^T(a)) }

func notV[T unsigned](d, a, _, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(^T(a[i]))
		d[i+1] = uint64(^T(a[i+1]))
		d[i+2] = uint64(^T(a[i+2]))
		d[i+3] = uint64(^T(a[i+3]))
	}
}

func cnot[T unsigned](a, _, _ uint64) uint64 {
	if T(a) == 0 {
		return 1
	}
	return 0
}

// Shift amounts are 32 bits, unsigned; those beyond the width shift everything
// out, as Go's shifts do.
func shl[T unsigned](a, b, _ uint64) uint64 { return uint64(T(a) << uint32(b)) }
func shr[T unsigned](a, b, _ uint64) uint64 { return uint64(T(a) >> uint32(b)) }

func sar[S signed, T unsigned](a, b, _ uint64) uint64 { return uint64(T(S(a) >> uint32(b))) }

func shlV[T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(a[i]) << uint32(b[i]))
		d[i+1] = uint64(T(a[i+1]) << uint32(b[i+1]))
		d[i+2] = uint64(T(a[i+2]) << uint32(b[i+2]))
		d[i+3] = uint64(T(a[i+3]) << uint32(b[i+3]))
	}
}

func shrV[T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(a[i]) >> uint32(b[i]))
		d[i+1] = uint64(T(a[i+1]) >> uint32(b[i+1]))
		d[i+2] = uint64(T(a[i+2]) >> uint32(b[i+2]))
		d[i+3] = uint64(T(a[i+3]) >> uint32(b[i+3]))
	}
}

func sarV[S signed, T unsigned](d, a, b, _ *lanes) {
	for i := 0; i < len(d); i += 4 {
		d[i] = uint64(T(S(a[i]) >> uint32(b[i])))
		d[i+1] = uint64(T(S(a[i+1]) >> uint32(b[i+1])))
		d[i+2] = uint64(T(S(a[i+2]) >> uint32(b[i+2])))
		d[i+3] = uint64(T(S(a[i+3]) >> uint32(b[i+3])))
	}
}

func logicOp(op string, f *ptx.Form) pureOp {
	n := f.Type.Bits()
	switch op {
	case "and":
		return pureOp{and, andV}
	case "or":
		return pureOp{or, orV}
	case "xor":
		return pureOp{xor, xorV}
	case "not":
		return ofWidth(n, pureOp{not[uint16], notV[uint16]}, pureOp{not[uint32], notV[uint32]}, pureOp{not[uint64], notV[uint64]})
	case "cnot":
		return ofWidth(n, pureOp{f: cnot[uint16]}, pureOp{f: cnot[uint32]}, pureOp{f: cnot[uint64]})
	case "shl":
		return ofWidth(n, pureOp{shl[uint16], shlV[uint16]}, pureOp{shl[uint32], shlV[uint32]}, pureOp{shl[uint64], shlV[uint64]})
	}
	if f.Type.Signed() {
		return ofWidth(n, pureOp{sar[int16, uint16], sarV[int16, uint16]}, pureOp{sar[int32, uint32], sarV[int32, uint32]}, pureOp{sar[int64, uint64], sarV[int64, uint64]})
	}
	return ofWidth(n, pureOp{shr[uint16], shrV[uint16]}, pureOp{shr[uint32], shrV[uint32]}, pureOp{shr[uint64], shrV[uint64]})
}

// funnelShift shifts the 64 bits b:a and keeps the upper (left) or lower
// (right) half.
func funnelShift(f *ptx.Form) laneFn {
	right, wrap := f.ShiftRight, f.Shift == ptx.ShiftWrap
	return func(a, b, c uint64) uint64 {
		n := uint32(c)
		if wrap {
			n &= 31
		} else {
			n = min(n, 32)
		}
		x := b<<32 | uint64(uint32(a))
		if right {
			return uint64(uint32(x >> n))
		}
		return uint64(uint32(x << n >> 32))
	}
}

// bitOp is the bit counting, finding and moving instructions but bfi.
func bitOp(op string, f *ptx.Form) laneFn {
	n := f.Type.Bits()
	switch op {
	case "popc":
		return func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a & widthMask(n))) }
	case "clz":
		return func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a&widthMask(n)) - (64 - n)) }
	case "brev":
		return func(a, _, _ uint64) uint64 { return bits.Reverse64(a) >> (64 - n) }
	case "bfind":
		return findBit(f.Type, f.ShiftAmt)
	case "bfe":
		return extractField(f.Type)
	case "prmt":
		return permuteBytes(f.Prmt)
	case "fns":
		return findNth
	case "szext":
		return extendFrom(f.Type.Signed(), f.Shift == ptx.ShiftWrap)
	case "bmsk":
		return bitMask(f.Shift == ptx.ShiftWrap)
	}
	return nil
}

// findBit is bfind: the highest bit that differs from the sign, or all ones.
func findBit(t ptx.Type, shiftAmount bool) laneFn {
	n := t.Bits()
	return func(a, _, _ uint64) uint64 {
		a &= widthMask(n)
		if t.Signed() && a>>(n-1) != 0 {
			a ^= widthMask(n)
		}
		if a == 0 {
			return math.MaxUint32
		}
		at := uint64(bits.Len64(a) - 1)
		if shiftAmount {
			return uint64(n-1) - at
		}
		return at
	}
}

// extractField is bfe. Bits beyond the operand are its sign; an empty field is
// zero.
func extractField(t ptx.Type) laneFn {
	n := uint64(t.Bits())
	return func(a, b, c uint64) uint64 {
		pos, length := b&0xff, c&0xff
		if length == 0 {
			return 0
		}
		if !t.Signed() {
			x := a & widthMask(int(n))
			if pos >= 64 {
				return 0
			}
			x >>= pos
			if length < 64 {
				x &= 1<<length - 1
			}
			return x
		}
		x := signExtend(a, int(n))
		sign := x >> min(pos+length-1, n-1) & 1
		x >>= min(pos, 63)
		if length < 64 {
			x &= 1<<length - 1
			if sign != 0 {
				x |= -1 << length
			}
		}
		return uint64(x) & widthMask(int(n))
	}
}

// insertField is bfi: the low e bits of a, put into b from bit c on.
func insertField(t ptx.Type) func(a, b, c, e uint64) uint64 {
	n := t.Bits()
	return func(a, b, c, e uint64) uint64 {
		pos, length := c&0xff, e&0xff
		if pos >= uint64(n) {
			return b
		}
		mask := ^uint64(0)
		if length < 64 {
			mask = 1<<length - 1
		}
		mask <<= pos
		return (b&^mask | a<<pos&mask) & widthMask(n)
	}
}

// permuteBytes is prmt on the eight bytes b:a.
func permuteBytes(mode ptx.PrmtMode) laneFn {
	pick := func(x uint64, selectors [4]uint64) uint64 {
		var r uint64
		for i, s := range selectors {
			r |= x >> (8 * (s & 7)) & 0xff << (8 * i)
		}
		return r
	}
	return func(a, b, c uint64) uint64 {
		x := b<<32 | uint64(uint32(a))
		s := c & 3
		switch mode {
		case ptx.PrmtF4E:
			return pick(x, [4]uint64{s, s + 1, s + 2, s + 3})
		case ptx.PrmtB4E:
			return pick(x, [4]uint64{s, s - 1, s - 2, s - 3})
		case ptx.PrmtRC8:
			return pick(x, [4]uint64{s, s, s, s})
		case ptx.PrmtECL:
			return pick(x, [4]uint64{max(0, s), max(1, s), max(2, s), 3})
		case ptx.PrmtECR:
			return pick(x, [4]uint64{0, min(1, s), min(2, s), min(3, s)})
		case ptx.PrmtRC16:
			h := s & 1 * 2
			return pick(x, [4]uint64{h, h + 1, h, h + 1})
		}
		var r uint64
		for i := range 4 {
			sel := c >> (4 * i)
			v := x >> (8 * (sel & 7)) & 0xff
			if sel&8 != 0 {
				v = -(v >> 7) & 0xff
			}
			r |= v << (8 * i)
		}
		return r
	}
}

// findNth is fns: the position of the c-th set bit of a from bit b on, upwards
// for positive c, downwards for negative; 0 asks for bit b itself.
func findNth(a, b, c uint64) uint64 {
	mask, base, offset := uint32(a), uint32(b), int32(c)
	if base > 31 {
		return math.MaxUint32
	}
	if offset == 0 {
		if mask>>base&1 != 0 {
			return uint64(base)
		}
		return math.MaxUint32
	}
	step, left := 1, int64(offset)
	if offset < 0 {
		step, left = -1, -left
	}
	for at := int(base); at >= 0 && at < 32; at += step {
		if mask>>at&1 != 0 {
			if left--; left == 0 {
				return uint64(at)
			}
		}
	}
	return math.MaxUint32
}

// extendFrom is szext: the low b bits of a, extended to 32.
func extendFrom(sign, wrap bool) laneFn {
	return func(a, b, _ uint64) uint64 {
		n := uint32(b)
		if wrap {
			n &= 31
		}
		switch {
		case n == 0:
			return 0
		case n >= 32:
			return uint64(uint32(a))
		case sign:
			return uint64(uint32(signExtend(a, int(n))))
		}
		return a & (1<<n - 1)
	}
}

// bitMask is bmsk: b ones from bit a on.
func bitMask(wrap bool) laneFn {
	return func(a, b, _ uint64) uint64 {
		pos, n := uint32(a), uint32(b)
		if wrap {
			pos, n = pos&31, n&31
		}
		if pos >= 32 {
			return 0
		}
		return uint64(uint32((uint64(1)<<min(n, 32) - 1) << pos))
	}
}

// lookup3 is lop3: bit by bit, the entry of the table that the bits of a, b and
// c select.
func lookup3(table uint8) laneFn {
	return func(a, b, c uint64) uint64 {
		var r uint64
		for i := range 8 {
			if table>>i&1 == 0 {
				continue
			}
			x, y, z := a, b, c
			if i&4 == 0 {
				x = ^x
			}
			if i&2 == 0 {
				y = ^y
			}
			if i&1 == 0 {
				z = ^z
			}
			r |= x & y & z
		}
		return uint64(uint32(r))
	}
}

// selectSign is slct: a where c is at least zero, else b. A NaN selects b.
func selectSign(f *ptx.Form) laneFn {
	if f.Type2 == ptx.F32 {
		ftz := f.Ftz
		return func(a, b, c uint64) uint64 {
			x := math.Float32frombits(uint32(c))
			if ftz && uint32(c)&0x7f800000 == 0 {
				x = 0
			}
			if x >= 0 {
				return a
			}
			return b
		}
	}
	return func(a, b, c uint64) uint64 {
		if int32(c) >= 0 {
			return a
		}
		return b
	}
}
