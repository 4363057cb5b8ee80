package ptxexec

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// reader reads patterns as integers of a type such as "s32".
func reader(typ string) (read func(uint64) *big.Int, width int) {
	fmt.Sscanf(typ[1:], "%d", &width)
	if typ[0] == 's' {
		return func(x uint64) *big.Int { return signedBig(x, width) }, width
	}
	return func(x uint64) *big.Int { return unsignedBig(x, width) }, width
}

var integerTypes = []string{"u16", "u32", "u64", "s16", "s32", "s64"}

func add3(a, b, c *big.Int) *big.Int { return bigOp((*big.Int).Add, bigOp((*big.Int).Add, a, b), c) }

func TestIntegerArithmetic(t *testing.T) {
	for _, typ := range integerTypes {
		read, w := reader(typ)
		reg := fmt.Sprintf("b%d", w)
		mul := func(x []uint64) *big.Int { return bigOp((*big.Int).Mul, read(x[0]), read(x[1])) }
		high := func(v *big.Int) *big.Int { return new(big.Int).Rsh(v, uint(w)) } // floor, as two's complement has it
		rows := []opTest{
			{inst: "add.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 { return wrap(bigOp((*big.Int).Add, read(x[0]), read(x[1])), w) }},
			{inst: "sub.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 { return wrap(bigOp((*big.Int).Sub, read(x[0]), read(x[1])), w) }},
			{inst: "mul.lo.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 { return wrap(mul(x), w) }},
			{inst: "mul.hi.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 { return wrap(high(mul(x)), w) }},
			{inst: "mad.lo.%s D, A, B, C", srcs: "r r r", want: func(x []uint64) uint64 { return wrap(bigOp((*big.Int).Add, mul(x), read(x[2])), w) }},
			{inst: "mad.hi.%s D, A, B, C", srcs: "r r r", want: func(x []uint64) uint64 { return wrap(bigOp((*big.Int).Add, high(mul(x)), read(x[2])), w) }},
			{inst: "div.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 {
				if read(x[1]).Sign() == 0 {
					return mask(w)
				}
				return wrap(bigOp((*big.Int).Quo, read(x[0]), read(x[1])), w)
			}},
			{inst: "rem.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 {
				if read(x[1]).Sign() == 0 {
					return x[0]
				}
				return wrap(bigOp((*big.Int).Rem, read(x[0]), read(x[1])), w)
			}},
			{inst: "min.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 {
				if read(x[0]).Cmp(read(x[1])) < 0 {
					return x[0]
				}
				return x[1]
			}},
			{inst: "max.%s D, A, B", srcs: "r r", want: func(x []uint64) uint64 {
				if read(x[0]).Cmp(read(x[1])) > 0 {
					return x[0]
				}
				return x[1]
			}},
			{inst: "sad.%s D, A, B, C", srcs: "r r r", want: func(x []uint64) uint64 {
				d := bigOp((*big.Int).Sub, read(x[0]), read(x[1]))
				return wrap(bigOp((*big.Int).Add, d.Abs(d), read(x[2])), w)
			}},
		}
		if typ[0] == 's' {
			rows = append(rows,
				opTest{inst: "abs.%s D, A", srcs: "r", want: func(x []uint64) uint64 { v := read(x[0]); return wrap(v.Abs(v), w) }},
				opTest{inst: "neg.%s D, A", srcs: "r", want: func(x []uint64) uint64 { v := read(x[0]); return wrap(v.Neg(v), w) }})
		}
		if w < 64 {
			wide := fmt.Sprintf("b%d", 2*w)
			rows = append(rows,
				opTest{inst: "mul.wide.%s D, A, B", dst: wide, srcs: "r r", want: func(x []uint64) uint64 { return wrap(mul(x), 2*w) }},
				opTest{inst: "mad.wide.%s D, A, B, C", dst: wide, srcs: "r r " + wide, want: func(x []uint64) uint64 {
					return wrap(bigOp((*big.Int).Add, mul(x), unsignedBig(x[2], 2*w)), 2*w)
				}})
		}
		for _, o := range rows {
			o.inst = fmt.Sprintf(o.inst, typ)
			if o.dst == "" {
				o.dst = reg
			}
			o.srcs = replaceWords(o.srcs, "r", reg)
			t.Run(o.inst, o.check)
		}
	}
}

func replaceWords(s, from, to string) string {
	out := ""
	for i := range len(s) {
		if s[i:i+1] == from && (i == 0 || s[i-1] == ' ') && (i+1 == len(s) || s[i+1] == ' ') {
			out += to
		} else {
			out += s[i : i+1]
		}
	}
	return out
}

// clamp limits v to the range of a signed 32-bit integer.
func clamp(v *big.Int) uint64 {
	low, high := big.NewInt(-1<<31), big.NewInt(1<<31-1)
	if v.Cmp(low) < 0 {
		v = low
	} else if v.Cmp(high) > 0 {
		v = high
	}
	return wrap(v, 32)
}

func TestSaturatingAndNarrowArithmetic(t *testing.T) {
	s32 := func(x uint64) *big.Int { return signedBig(x, 32) }
	s24 := func(x uint64) *big.Int { return signedBig(x, 24) }
	u24 := func(x uint64) *big.Int { return unsignedBig(x, 24) }
	mulOf := func(read func(uint64) *big.Int, x []uint64) *big.Int {
		return bigOp((*big.Int).Mul, read(x[0]), read(x[1]))
	}
	for _, o := range []opTest{
		{inst: "add.sat.s32 D, A, B", srcs: "b32 b32", want: func(x []uint64) uint64 { return clamp(bigOp((*big.Int).Add, s32(x[0]), s32(x[1]))) }},
		{inst: "sub.sat.s32 D, A, B", srcs: "b32 b32", want: func(x []uint64) uint64 { return clamp(bigOp((*big.Int).Sub, s32(x[0]), s32(x[1]))) }},
		{inst: "mad.hi.sat.s32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			return clamp(bigOp((*big.Int).Add, new(big.Int).Rsh(mulOf(s32, x), 32), s32(x[2])))
		}},
		{inst: "mul24.lo.s32 D, A, B", srcs: "b32 b32", want: func(x []uint64) uint64 { return wrap(mulOf(s24, x), 32) }},
		{inst: "mul24.lo.u32 D, A, B", srcs: "b32 b32", want: func(x []uint64) uint64 { return wrap(mulOf(u24, x), 32) }},
		{inst: "mul24.hi.s32 D, A, B", srcs: "b32 b32", want: func(x []uint64) uint64 { return wrap(new(big.Int).Rsh(mulOf(s24, x), 16), 32) }},
		{inst: "mul24.hi.u32 D, A, B", srcs: "b32 b32", want: func(x []uint64) uint64 { return wrap(new(big.Int).Rsh(mulOf(u24, x), 16), 32) }},
		{inst: "mad24.lo.s32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 { return wrap(bigOp((*big.Int).Add, mulOf(s24, x), s32(x[2])), 32) }},
		{inst: "mad24.hi.u32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			return wrap(bigOp((*big.Int).Add, new(big.Int).Rsh(mulOf(u24, x), 16), s32(x[2])), 32)
		}},
		{inst: "mad24.hi.sat.s32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			return clamp(bigOp((*big.Int).Add, new(big.Int).Rsh(mulOf(s24, x), 16), s32(x[2])))
		}},
		{inst: "max.relu.s32 D, A, B", srcs: "b32 b32", want: func(x []uint64) uint64 {
			return uint64(uint32(max(int32(x[0]), int32(x[1]), 0)))
		}},
		{inst: "dp4a.s32.u32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			sum := s32(x[2])
			for i := range uint(4) {
				sum = bigOp((*big.Int).Add, sum, bigOp((*big.Int).Mul, signedBig(x[0]>>(8*i), 8), unsignedBig(x[1]>>(8*i), 8)))
			}
			return wrap(sum, 32)
		}},
		{inst: "dp4a.u32.u32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			sum := s32(x[2])
			for i := range uint(4) {
				sum = bigOp((*big.Int).Add, sum, bigOp((*big.Int).Mul, unsignedBig(x[0]>>(8*i), 8), unsignedBig(x[1]>>(8*i), 8)))
			}
			return wrap(sum, 32)
		}},
		{inst: "dp2a.hi.s32.s32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			return wrap(add3(s32(x[2]), bigOp((*big.Int).Mul, signedBig(x[0], 16), signedBig(x[1]>>16, 8)), bigOp((*big.Int).Mul, signedBig(x[0]>>16, 16), signedBig(x[1]>>24, 8))), 32)
		}},
		{inst: "dp2a.lo.u32.s32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			return wrap(add3(s32(x[2]), bigOp((*big.Int).Mul, unsignedBig(x[0], 16), signedBig(x[1], 8)), bigOp((*big.Int).Mul, unsignedBig(x[0]>>16, 16), signedBig(x[1]>>8, 8))), 32)
		}},
	} {
		o.dst = "b32"
		t.Run(o.inst, o.check)
	}
}

// Sums and products of 128 bits made of 32-bit and 64-bit parts.
func TestCarryChains(t *testing.T) {
	parts := func(x []uint64, w uint, at ...int) *big.Int {
		v := new(big.Int)
		for i := len(at) - 1; i >= 0; i-- {
			v.Lsh(v, w)
			v.Or(v, unsignedBig(x[at[i]], int(w)))
		}
		return v
	}
	top := func(v *big.Int, w uint) uint64 { return wrap(new(big.Int).Rsh(v, w), int(w)) }
	for _, w := range []uint{32, 64} {
		reg := fmt.Sprintf("b%d", w)
		typ := fmt.Sprintf("u%d", w)
		for _, o := range []opTest{
			{inst: "add.cc.%[1]s D, A, B; addc.%[1]s D, C, E", want: func(x []uint64) uint64 {
				return top(bigOp((*big.Int).Add, parts(x, w, 0, 2), parts(x, w, 1, 3)), w)
			}},
			{inst: "sub.cc.%[1]s D, A, B; subc.%[1]s D, C, E", want: func(x []uint64) uint64 {
				return top(bigOp((*big.Int).Sub, parts(x, w, 0, 2), parts(x, w, 1, 3)), w)
			}},
			{inst: "add.cc.%[1]s D, A, B; addc.cc.%[1]s D, C, E; addc.%[1]s D, 0, 0", want: func(x []uint64) uint64 {
				return wrap(new(big.Int).Rsh(bigOp((*big.Int).Add, parts(x, w, 0, 2), parts(x, w, 1, 3)), 2*w), int(w))
			}},
			{inst: "mad.lo.cc.%[1]s D, A, B, C; madc.hi.%[1]s D, A, B, E", want: func(x []uint64) uint64 {
				p := bigOp((*big.Int).Mul, unsignedBig(x[0], int(w)), unsignedBig(x[1], int(w)))
				return top(bigOp((*big.Int).Add, p, parts(x, w, 2, 3)), w)
			}},
		} {
			o.inst = fmt.Sprintf(o.inst, typ)
			o.dst = reg
			o.srcs = reg + " " + reg + " " + reg + " " + reg
			t.Run(o.inst, o.check)
		}
	}
}

func TestIntegerComparison(t *testing.T) {
	relations := map[string]func(c int) bool{
		"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
		"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
		"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
		"lo": func(c int) bool { return c < 0 }, "ls": func(c int) bool { return c <= 0 },
		"hi": func(c int) bool { return c > 0 }, "hs": func(c int) bool { return c >= 0 },
	}
	flag := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	close := func(width int) func(r *rand.Rand) []uint64 {
		return func(r *rand.Rand) []uint64 {
			a := interestingValue(r, width)
			b := interestingValue(r, width)
			if r.IntN(3) == 0 {
				b = a + uint64(r.IntN(3)) - 1
			}
			return []uint64{a, b & mask(width), uint64(r.IntN(2))}
		}
	}
	for _, typ := range append([]string{"b16", "b32", "b64"}, integerTypes...) {
		read, w := reader(typ)
		for name, holds := range relations {
			if typ[0] != 'u' && len(name) == 2 && (name[0] == 'h' || name == "lo" || name == "ls") || typ[0] == 'b' && name != "eq" && name != "ne" {
				continue
			}
			reg := fmt.Sprintf("b%d", w)
			cmp := func(x []uint64) bool { return holds(read(x[0]).Cmp(read(x[1]))) }
			for _, o := range []opTest{
				{inst: fmt.Sprintf("setp.%s.%s D, A, B", name, typ), dst: "pred", want: func(x []uint64) uint64 { return flag(cmp(x)) }},
				{inst: fmt.Sprintf("setp.%s.xor.%s D|Q, A, B, !C", name, typ), dst: "pred", q: true, want: func(x []uint64) uint64 {
					c := x[2] == 0
					return flag(cmp(x) != c) | flag(!cmp(x) != c)<<63
				}},
				{inst: fmt.Sprintf("set.%s.and.u32.%s D, A, B, C", name, typ), dst: "b32", want: func(x []uint64) uint64 {
					return flag(cmp(x) && x[2] != 0) * 0xffffffff
				}},
				{inst: fmt.Sprintf("set.%s.f32.%s D, A, B", name, typ), dst: "b32", want: func(x []uint64) uint64 { return flag(cmp(x)) * 0x3f800000 }},
			} {
				o.srcs = reg + " " + reg + " pred"
				o.inputs = close(w)
				t.Run(o.inst, o.check)
			}
		}
	}
}
