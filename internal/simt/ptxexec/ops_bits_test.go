package ptxexec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// bit is bit i of x, i below 64.
func bit(x uint64, i int) uint64 { return x >> i & 1 }

func TestBitInstructions(t *testing.T) {
	shiftInputs := func(width int) func(*rand.Rand) []uint64 {
		return func(r *rand.Rand) []uint64 {
			return []uint64{interestingValue(r, width), interestingValue(r, 32), interestingValue(r, 32), interestingValue(r, 32)}
		}
	}
	fieldInputs := func(width int) func(*rand.Rand) []uint64 {
		return func(r *rand.Rand) []uint64 {
			return []uint64{interestingValue(r, width), uint64(r.IntN(70)), uint64(r.IntN(70)) + uint64(r.IntN(2))*256, r.Uint64() & mask(width)}
		}
	}
	for _, w := range []int{16, 32, 64} {
		reg := fmt.Sprintf("b%d", w)
		in := fmt.Sprintf("%s b32", reg)
		for _, o := range []opTest{
			{inst: fmt.Sprintf("and.b%d D, A, B", w), srcs: reg + " " + reg, want: func(x []uint64) uint64 { return x[0] & x[1] }},
			{inst: fmt.Sprintf("or.b%d D, A, B", w), srcs: reg + " " + reg, want: func(x []uint64) uint64 { return x[0] | x[1] }},
			{inst: fmt.Sprintf("xor.b%d D, A, B", w), srcs: reg + " " + reg, want: func(x []uint64) uint64 { return x[0] ^ x[1] }},
			{inst: fmt.Sprintf("not.b%d D, A", w), srcs: reg, want: func(x []uint64) uint64 { return x[0] ^ mask(w) }},
			{inst: fmt.Sprintf("cnot.b%d D, A", w), srcs: reg, want: func(x []uint64) uint64 {
				if x[0] == 0 {
					return 1
				}
				return 0
			}},
			{inst: fmt.Sprintf("shl.b%d D, A, B", w), srcs: in, inputs: shiftInputs(w), want: func(x []uint64) (r uint64) {
				for i := range w {
					if from := i - int(min(x[1], 100)); from >= 0 {
						r |= bit(x[0], from) << i
					}
				}
				return r
			}},
			{inst: fmt.Sprintf("shr.u%d D, A, B", w), srcs: in, inputs: shiftInputs(w), want: func(x []uint64) (r uint64) {
				for i := range w {
					if from := i + int(min(x[1], 100)); from < w {
						r |= bit(x[0], from) << i
					}
				}
				return r
			}},
			{inst: fmt.Sprintf("shr.s%d D, A, B", w), srcs: in, inputs: shiftInputs(w), want: func(x []uint64) (r uint64) {
				for i := range w {
					r |= bit(x[0], min(i+int(min(x[1], 100)), w-1)) << i
				}
				return r
			}},
		} {
			o.dst = reg
			t.Run(o.inst, o.check)
		}
	}
	for _, w := range []int{32, 64} {
		reg := fmt.Sprintf("b%d", w)
		highest := func(x uint64, sign uint64) int {
			for i := w - 1; i >= 0; i-- {
				if bit(x, i) != sign {
					return i
				}
			}
			return -1
		}
		extract := func(signed bool) func(x []uint64) uint64 {
			return func(x []uint64) (r uint64) {
				pos, n := int(x[1]&255), int(x[2]&255)
				var sign uint64
				if signed && n > 0 {
					sign = bit(x[0], min(pos+n-1, w-1))
				}
				for i := range w {
					b := sign
					if i < n && pos+i < w {
						b = bit(x[0], pos+i)
					}
					r |= b << i
				}
				return r
			}
		}
		for _, o := range []opTest{
			{inst: fmt.Sprintf("popc.b%d D, A", w), dst: "b32", srcs: reg, want: func(x []uint64) (n uint64) {
				for i := range w {
					n += bit(x[0], i)
				}
				return n
			}},
			{inst: fmt.Sprintf("clz.b%d D, A", w), dst: "b32", srcs: reg, want: func(x []uint64) uint64 { return uint64(w - 1 - highest(x[0], 0)) }},
			{inst: fmt.Sprintf("brev.b%d D, A", w), dst: reg, srcs: reg, want: func(x []uint64) (r uint64) {
				for i := range w {
					r |= bit(x[0], w-1-i) << i
				}
				return r
			}},
			{inst: fmt.Sprintf("bfind.u%d D, A", w), dst: "b32", srcs: reg, want: func(x []uint64) uint64 { return uint64(uint32(highest(x[0], 0))) }},
			{inst: fmt.Sprintf("bfind.s%d D, A", w), dst: "b32", srcs: reg, want: func(x []uint64) uint64 {
				return uint64(uint32(highest(x[0], bit(x[0], w-1))))
			}},
			{inst: fmt.Sprintf("bfind.shiftamt.u%d D, A", w), dst: "b32", srcs: reg, want: func(x []uint64) uint64 {
				if h := highest(x[0], 0); h >= 0 {
					return uint64(w - 1 - h)
				}
				return 0xffffffff
			}},
			{inst: fmt.Sprintf("bfe.u%d D, A, B, C", w), dst: reg, srcs: reg + " b32 b32", inputs: fieldInputs(w), want: extract(false)},
			{inst: fmt.Sprintf("bfe.s%d D, A, B, C", w), dst: reg, srcs: reg + " b32 b32", inputs: fieldInputs(w), want: extract(true)},
			{inst: fmt.Sprintf("bfi.b%d D, A, E, B, C", w), dst: reg, srcs: reg + " b32 b32 " + reg, inputs: fieldInputs(w), want: func(x []uint64) uint64 {
				pos, n := int(x[1]&255), int(x[2]&255)
				r := x[3]
				for i := 0; i < n && pos+i < w; i++ {
					r = r&^(1<<(pos+i)) | bit(x[0], i)<<(pos+i)
				}
				return r
			}},
		} {
			t.Run(o.inst, o.check)
		}
	}
}

func TestFunnelShifts(t *testing.T) {
	for _, dir := range []string{"l", "r"} {
		for _, mode := range []string{"clamp", "wrap"} {
			o := opTest{inst: fmt.Sprintf("shf.%s.%s.b32 D, A, B, C", dir, mode), dst: "b32", srcs: "b32 b32 b32", want: func(x []uint64) (r uint64) {
				n := int(min(x[2], 32))
				if mode == "wrap" {
					n = int(x[2] & 31)
				}
				both := x[1]<<32 | x[0]
				for i := range 32 {
					from := i + n
					if dir == "l" {
						from = 32 + i - n
					}
					if from < 64 {
						r |= bit(both, from) << i
					}
				}
				return r
			}}
			t.Run(o.inst, o.check)
		}
	}
}

func TestPermute(t *testing.T) {
	// The selected bytes of each mode, for the low two bits of the control, as
	// tables in the PTX ISA give them, lowest byte first.
	modes := map[string][4][4]int{
		"f4e":  {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}},
		"b4e":  {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}},
		"rc8":  {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
		"ecl":  {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}},
		"ecr":  {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}},
		"rc16": {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}},
	}
	for name, table := range modes {
		o := opTest{inst: "prmt.b32." + name + " D, A, B, C", dst: "b32", srcs: "b32 b32 b32", want: func(x []uint64) (r uint64) {
			both := x[1]<<32 | x[0]
			for i, from := range table[x[2]&3] {
				r |= both >> (8 * from) & 255 << (8 * i)
			}
			return r
		}}
		t.Run(o.inst, o.check)
	}
	o := opTest{inst: "prmt.b32 D, A, B, C", dst: "b32", srcs: "b32 b32 b32", want: func(x []uint64) (r uint64) {
		both := x[1]<<32 | x[0]
		for i := range 4 {
			sel := x[2] >> (4 * i) & 15
			b := both >> (8 * (sel % 8)) & 255
			if sel >= 8 {
				b = bit(b, 7) * 255
			}
			r |= b << (8 * i)
		}
		return r
	}}
	t.Run(o.inst, o.check)
}

func TestLogicTables(t *testing.T) {
	for _, table := range []int{0, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b, 255} {
		want := func(x []uint64) (r uint64) {
			for i := range 32 {
				k := bit(x[0], i)<<2 | bit(x[1], i)<<1 | bit(x[2], i)
				r |= bit(uint64(table), int(k)) << i
			}
			return r
		}
		o := opTest{inst: fmt.Sprintf("lop3.b32 D, A, B, C, %#x", table), dst: "b32", srcs: "b32 b32 b32", want: want}
		t.Run(o.inst, o.check)
		o = opTest{inst: fmt.Sprintf("lop3.and.b32 D|Q, A, B, C, %#x, E", table), dst: "b32", srcs: "b32 b32 b32 pred", q: true, want: func(x []uint64) uint64 {
			r := want(x)
			if r != 0 && x[3] != 0 {
				return r | qBit
			}
			return r
		}}
		t.Run(o.inst, o.check)
	}
}

func TestRareBitInstructions(t *testing.T) {
	for _, o := range []opTest{
		{inst: "szext.wrap.s32 D, A, B", srcs: "b32 b32", want: func(x []uint64) (r uint64) {
			n := int(x[1] & 31)
			for i := range 32 {
				if n > 0 {
					r |= bit(x[0], min(i, n-1)) << i
				}
			}
			return r
		}},
		{inst: "szext.clamp.u32 D, A, B", srcs: "b32 b32", want: func(x []uint64) (r uint64) {
			for i := range min(int(min(x[1], 32)), 32) {
				r |= bit(x[0], i) << i
			}
			return r
		}},
		{inst: "bmsk.clamp.b32 D, A, B", srcs: "b32 b32", want: func(x []uint64) (r uint64) {
			for i := range 32 {
				if uint64(i) >= x[0] && uint64(i) < x[0]+x[1] {
					r |= 1 << i
				}
			}
			return r
		}},
		{inst: "bmsk.wrap.b32 D, A, B", srcs: "b32 b32", want: func(x []uint64) (r uint64) {
			for i := range 32 {
				if uint64(i) >= x[0]&31 && uint64(i) < x[0]&31+x[1]&31 {
					r |= 1 << i
				}
			}
			return r
		}},
		{inst: "fns.b32 D, A, B, C", srcs: "b32 b32 b32", inputs: func(r *rand.Rand) []uint64 {
			return []uint64{interestingValue(r, 32), uint64(r.IntN(34)), uint64(uint32(r.IntN(9) - 4))}
		}, want: func(x []uint64) uint64 {
			n, step := int32(x[2]), 1
			if n == 0 {
				if x[1] < 32 && bit(x[0], int(x[1])) == 1 {
					return x[1]
				}
				return 0xffffffff
			}
			if n < 0 {
				n, step = -n, -1
			}
			if x[1] > 31 {
				return 0xffffffff
			}
			for i := int(x[1]); i >= 0 && i < 32; i += step {
				if bit(x[0], i) == 1 {
					if n--; n == 0 {
						return uint64(i)
					}
				}
			}
			return 0xffffffff
		}},
		{inst: "selp.b32 D, A, B, !C", srcs: "b32 b32 pred", want: func(x []uint64) uint64 {
			if x[2] != 0 {
				return x[1]
			}
			return x[0]
		}},
		{inst: "slct.u32.s32 D, A, B, C", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
			if bit(x[2], 31) == 1 {
				return x[1]
			}
			return x[0]
		}},
		{inst: "mov.b32 D, 0x12345678; @C mov.u32 D, A; @!C mov.u32 D, B", srcs: "b32 b32 pred", want: func(x []uint64) uint64 {
			if x[2] != 0 {
				return x[0]
			}
			return x[1]
		}},
	} {
		o.dst = "b32"
		if o.inst[0] == 'm' {
			// Already predicated: the divergent form would be, twice.
			src := opKernel(&o, false)
			r := rand.New(rand.NewPCG(3, 4))
			var inputs [][]uint64
			for range 200 {
				inputs = append(inputs, o.interesting(r))
			}
			for i, got := range o.execute(t, lower(t, src, "op"), inputs, 2, 128) {
				if got != o.want(inputs[i]) {
					t.Errorf("%s of %#x is %#x", o.inst, inputs[i], got)
				}
			}
			continue
		}
		t.Run(o.inst, o.check)
	}
}

func TestPackingMoves(t *testing.T) {
	for _, o := range []opTest{
		{inst: "mov.b64 D, {A, B}", dst: "b64", srcs: "b32 b32", want: func(x []uint64) uint64 { return x[1]<<32 | x[0] }},
		{inst: "mov.b32 D, {A, B}", dst: "b32", srcs: "b16 b16", want: func(x []uint64) uint64 { return x[1]<<16 | x[0] }},
		{inst: "mov.b64 D, {A, B, C, E}", dst: "b64", srcs: "b16 b16 b16 b16", want: func(x []uint64) uint64 {
			return x[3]<<48 | x[2]<<32 | x[1]<<16 | x[0]
		}},
		{inst: "mov.b64 {_, D}, A", dst: "b32", srcs: "b64", want: func(x []uint64) uint64 { return x[0] >> 32 }},
		{inst: "mov.b64 {D, n0}, A", dst: "b32", srcs: "b64", want: func(x []uint64) uint64 { return x[0] & mask(32) }},
		{inst: "mov.b32 {D, A}, B", dst: "b16", srcs: "b16 b32", want: func(x []uint64) uint64 { return x[1] & 0xffff }},
	} {
		t.Run(o.inst, o.check)
	}
}
