package ptxexec

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
)

// pairInputs draws pairs of values of a 16-bit format.
func pairInputs(f floatFormat, n int) func(*rand.Rand) []uint64 {
	single := floatInputs(f, 2*n)
	return func(r *rand.Rand) []uint64 {
		halves := single(r)
		row := make([]uint64, n)
		for i := range row {
			row[i] = halves[2*i] | halves[2*i+1]<<16
		}
		return row
	}
}

// perHalf is an operation done to both halves of its operands.
func perHalf(f func(x []uint64) uint64) func(x []uint64) uint64 {
	return func(x []uint64) uint64 {
		low, high := make([]uint64, len(x)), make([]uint64, len(x))
		for i := range x {
			low[i], high[i] = x[i]&0xffff, x[i]>>16
		}
		return f(low) | f(high)<<16
	}
}

func TestPackedFloats(t *testing.T) {
	for _, f := range []floatFormat{half, brain} {
		w := f.f
		one := w.FromInt(fp.RN, false, 1)
		positive := func(x uint64) uint64 {
			if !w.IsNaN(x) && x>>15 != 0 {
				return 0
			}
			return x
		}
		unit := func(x uint64) uint64 {
			if w.IsNaN(x) || x>>15 != 0 {
				return 0
			}
			return min(x, one)
		}
		flushed := func(g func(x []uint64) uint64) func(x []uint64) uint64 {
			return func(x []uint64) uint64 {
				y := make([]uint64, len(x))
				for i := range x {
					y[i] = w.Flush(x[i])
				}
				return w.Flush(g(y))
			}
		}
		add := func(x []uint64) uint64 { return w.Add(fp.RN, x[0], x[1]) }
		fma := func(x []uint64) uint64 { return w.FMA(fp.RN, x[0], x[1], x[2]) }
		rows := map[string]func(x []uint64) uint64{
			"add.TT D, A, B":             add,
			"sub.rn.TT D, A, B":          func(x []uint64) uint64 { return w.Add(fp.RN, x[0], w.Neg(x[1])) },
			"mul.rn.TT D, A, B":          func(x []uint64) uint64 { return w.Mul(fp.RN, x[0], x[1]) },
			"fma.rn.TT D, A, B, C":       fma,
			"fma.rn.relu.TT D, A, B, C":  func(x []uint64) uint64 { return positive(fma(x)) },
			"neg.TT D, A":                func(x []uint64) uint64 { return w.Canonical(x[0] ^ 0x8000) },
			"abs.TT D, A":                func(x []uint64) uint64 { return w.Canonical(x[0] & 0x7fff) },
			"max.NaN.TT D, A, B":         nil, // against the single instruction below
			"min.TT D, A, B":             nil,
			"min.xorsign.abs.TT D, A, B": nil,
		}
		if f == half {
			rows["add.ftz.TT D, A, B"] = flushed(add)
			rows["add.sat.TT D, A, B"] = func(x []uint64) uint64 { return unit(add(x)) }
			rows["fma.rn.ftz.relu.TT D, A, B, C"] = func(x []uint64) uint64 { return w.Flush(positive(flushed(fma)(x))) }
			rows["ex2.approx.TT D, A"] = nil
		}
		for inst, want := range rows {
			o := opTest{inst: strings.ReplaceAll(inst, "TT", f.name+"x2"), dst: "b32", srcs: "b32 b32 b32", inputs: pairInputs(f, 3), want: perHalf(want)}
			if want == nil {
				single := opTest{inst: strings.ReplaceAll(inst, "TT", f.name), dst: "b16", srcs: "b16 b16 b16"}
				p := lower(t, opKernel(&single, false), "op")
				o.want = perHalf(func(x []uint64) uint64 { return single.execute(t, p, [][]uint64{x}, 1, 1)[0] })
			}
			t.Run(o.inst, o.check)
		}
	}
}

func TestPackedIntegers(t *testing.T) {
	s16 := func(x uint64) int16 { return int16(x) }
	for inst, want := range map[string]func(x []uint64) uint64{
		"add.u16x2 D, A, B":      func(x []uint64) uint64 { return (x[0] + x[1]) & 0xffff },
		"add.s16x2 D, A, B":      func(x []uint64) uint64 { return (x[0] + x[1]) & 0xffff },
		"min.u16x2 D, A, B":      func(x []uint64) uint64 { return min(x[0], x[1]) },
		"max.s16x2 D, A, B":      func(x []uint64) uint64 { return uint64(uint16(max(s16(x[0]), s16(x[1])))) },
		"min.relu.s16x2 D, A, B": func(x []uint64) uint64 { return uint64(uint16(max(0, min(s16(x[0]), s16(x[1]))))) },
	} {
		o := opTest{inst: inst, dst: "b32", srcs: "b32 b32", want: perHalf(want)}
		t.Run(inst, o.check)
	}
}

func TestPackedComparison(t *testing.T) {
	for _, f := range []floatFormat{half, brain} {
		number := func(x uint64) float64 { return f64(fp.F64.Convert(fp.RN, f.f, x&0xffff)) }
		pair := pairInputs(f, 3)
		inputs := func(r *rand.Rand) []uint64 {
			x := pair(r)
			if r.IntN(3) == 0 {
				x[1] = x[0]
			}
			x[2] = uint64(r.IntN(2))
			return x
		}
		one := f.f.FromInt(fp.RN, false, 1)
		for rel, holds := range map[string]func(a, b float64) bool{
			"lt": func(a, b float64) bool { return a < b }, "equ": func(a, b float64) bool { return !(a < b || a > b) },
			"nan": func(a, b float64) bool { return a != a || b != b }, "ne": func(a, b float64) bool { return a < b || a > b },
		} {
			flag := func(x []uint64, high, with bool) uint64 {
				shift := 0
				if high {
					shift = 16
				}
				r := holds(number(x[0]>>shift), number(x[1]>>shift))
				if with {
					r = r && x[2] != 0
				}
				if r {
					return 1
				}
				return 0
			}
			for _, o := range []opTest{
				{inst: "setp.%s.%sx2 D|Q, A, B", dst: "pred", q: true, want: func(x []uint64) uint64 { return flag(x, false, false) | flag(x, true, false)<<63 }},
				{inst: "setp.%s.and.%sx2 D|Q, A, B, C", dst: "pred", q: true, want: func(x []uint64) uint64 { return flag(x, false, true) | flag(x, true, true)<<63 }},
				{inst: "set.%s.u32.%sx2 D, A, B", dst: "b32", want: func(x []uint64) uint64 { return 0xffff*flag(x, false, false) | 0xffff0000*flag(x, true, false) }},
				{inst: "set.%[1]s.and.%[2]sx2.%[2]sx2 D, A, B, C", dst: "b32", want: func(x []uint64) uint64 { return one*flag(x, false, true) | one<<16*flag(x, true, true) }},
			} {
				o.inst = fmt.Sprintf(o.inst, rel, f.name)
				o.srcs, o.inputs = "b32 b32 pred", inputs
				t.Run(o.inst, o.check)
			}
		}
	}
}

func TestConversionsToPairs(t *testing.T) {
	for _, f := range []floatFormat{half, brain} {
		largest := uint64(1)<<15 - 1<<f.mant - 1 // the largest finite number
		for mods, bound := range map[string]func(x uint64) uint64{
			"": func(x uint64) uint64 { return x },
			".relu": func(x uint64) uint64 {
				if f.f.IsNaN(x) || x>>15 == 0 {
					return x
				}
				return 0
			},
			".satfinite": func(x uint64) uint64 {
				if f.f.IsNaN(x) {
					return x
				}
				return min(x&0x7fff, largest) | x&0x8000
			},
		} {
			for r, mode := range map[string]fp.Mode{"rn": fp.RN, "rz": fp.RZ} {
				to := func(x uint64) uint64 { return bound(f.f.Convert(mode, fp.F32, x)) }
				o := opTest{inst: fmt.Sprintf("cvt.%s%s.%sx2.f32 D, A, B", r, mods, f.name), dst: "b32", srcs: "b32 b32", inputs: floatInputs(single, 2),
					want: func(x []uint64) uint64 { return to(x[0])<<16 | to(x[1]) }}
				t.Run(o.inst, o.check)
				o = opTest{inst: fmt.Sprintf("cvt.%s%s.%s.f32 D, A", r, mods, f.name), dst: "b16", srcs: "b32", inputs: floatInputs(single, 1),
					want: func(x []uint64) uint64 { return to(x[0]) }}
				t.Run(o.inst, o.check)
			}
		}
	}
	// The tf32 nearest to an f32, ties away from zero: half a unit is added to the
	// magnitude, and the bits below it are dropped.
	o := opTest{inst: "cvt.rna.tf32.f32 D, A", dst: "b32", srcs: "b32", inputs: floatInputs(single, 1), want: func(x []uint64) uint64 {
		if v := f32(x[0]); v != v {
			return 0x7fffe000
		}
		return (x[0] + 0x1000) &^ 0x1fff
	}}
	t.Run(o.inst, o.check)
}

func TestConvertAndPack(t *testing.T) {
	for typ, limits := range map[string][3]int64{
		"u16": {0, 65535, 16}, "s16": {-32768, 32767, 16}, "u8": {0, 255, 8}, "s8": {-128, 127, 8},
		"u4": {0, 15, 4}, "s4": {-8, 7, 4}, "u2": {0, 3, 2}, "s2": {-2, 1, 2},
	} {
		n := int(limits[2])
		part := func(x uint64) uint64 { return uint64(max(limits[0], min(limits[1], int64(int32(x))))) & (1<<n - 1) }
		o := opTest{inst: fmt.Sprintf("cvt.pack.sat.%s.s32 D, A, B", typ), dst: "b32", srcs: "b32 b32 b32",
			want: func(x []uint64) uint64 { return part(x[0])<<16 | part(x[1]) }}
		if n < 16 {
			o.inst = fmt.Sprintf("cvt.pack.sat.%s.s32.b32 D, A, B, C", typ)
			o.want = func(x []uint64) uint64 { return x[2]<<(2*n)&0xffffffff | part(x[0])<<n | part(x[1]) }
		}
		t.Run(o.inst, o.check)
	}
}

// The SIMD video instructions against the pseudo-code of PTX, written with
// arrays of elements.
func TestVideoInstructions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ops := []string{"add", "sub", "avrg", "absdiff", "min", "max"}
	for n := 2; n <= 4; n += 2 {
		width, letter := 32/n, "h"
		if n == 4 {
			letter = "b"
		}
		for range 60 {
			op := ops[r.IntN(len(ops))]
			types := [3]string{[]string{"u32", "s32"}[r.IntN(2)], []string{"u32", "s32"}[r.IntN(2)], []string{"u32", "s32"}[r.IntN(2)]}
			mode := []string{"", ".sat", ".add"}[r.IntN(3)]
			sel := [2][]int{}
			for k := range sel {
				for range n {
					sel[k] = append(sel[k], r.IntN(2*n))
				}
			}
			mask := 1 + r.IntN(1<<n-1)
			text := func(list []int) string {
				s := "." + letter
				for i := n - 1; i >= 0; i-- {
					s += fmt.Sprint(list[i])
				}
				return s
			}
			var used string
			for i := n - 1; i >= 0; i-- {
				if mask>>i&1 != 0 {
					used += fmt.Sprint(i)
				}
			}
			dest, first, second := "D."+letter+used, "A"+text(sel[0]), "B"+text(sel[1])
			if r.IntN(4) == 0 { // the defaults
				dest, first, second, mask = "D", "A", "B", 1<<n-1
				for i := range n {
					sel[0][i], sel[1][i] = i, i+n
				}
			}
			relation := ""
			inst := fmt.Sprintf("v%s%d.%s.%s.%s%s %s, %s, %s, C", op, n, types[0], types[1], types[2], mode, dest, first, second)
			if r.IntN(5) == 0 {
				op, relation = "set", []string{"eq", "ne", "lt", "le", "gt", "ge"}[r.IntN(6)]
				if mode == ".sat" {
					mode = ""
				}
				inst = fmt.Sprintf("vset%d.%s.%s.%s%s %s, %s, %s, C", n, types[1], types[2], relation, mode, dest, first, second)
			}
			o := opTest{inst: inst, dst: "b32", srcs: "b32 b32 b32", want: func(x []uint64) uint64 {
				var all []uint64
				for _, reg := range x[:2] {
					for i := range n {
						all = append(all, reg>>(i*width)&(1<<width-1))
					}
				}
				read := func(e uint64, typ string) int64 {
					if typ == "s32" && e>>(width-1) != 0 {
						return int64(e) - 1<<width
					}
					return int64(e)
				}
				d := x[2]
				for i := range n {
					a, b := read(all[sel[0][i]], types[1]), read(all[sel[1][i]], types[2])
					var v int64
					switch op {
					case "add":
						v = a + b
					case "sub":
						v = a - b
					case "avrg":
						v = a + b
						if v >= 0 {
							v = (v + 1) / 2
						} else {
							v = (v - (v & 1)) / 2
						}
					case "absdiff":
						v = a - b
						if v < 0 {
							v = -v
						}
					case "min":
						v = min(a, b)
					case "max":
						v = max(a, b)
					case "set":
						if map[string]bool{"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[relation] {
							v = 1
						}
					}
					if mode == ".sat" {
						low, high := int64(0), int64(1)<<width-1
						if types[0] == "s32" {
							low, high = -(1 << (width - 1)), 1<<(width-1)-1
						}
						v = max(low, min(high, v))
					}
					if mask>>i&1 == 0 {
						continue
					}
					if mode == ".add" {
						d = uint64(uint32(int64(d) + v))
					} else {
						d = d&^((1<<width-1)<<(i*width)) | uint64(v)&(1<<width-1)<<(i*width)
					}
				}
				return d
			}}
			t.Run(o.inst, o.check)
		}
	}
}

func TestWrongVideoSelectors(t *testing.T) {
	for _, inst := range []string{
		"vadd2.s32.s32.s32 %r2.h2, %r3, %r4, %r5", "vadd2.s32.s32.s32 %r2.h01, %r3, %r4, %r5", "vadd2.s32.s32.s32 %r2, %r3.h1, %r4, %r5",
		"vadd2.s32.s32.s32 %r2, %r3.h14, %r4, %r5", "vadd4.s32.s32.s32 %r2, %r3.h10, %r4, %r5", "vadd4.s32.s32.s32 %r2.b3333, %r3, %r4, %r5",
	} {
		if _, err := Lower(parse(t, tableKernel(inst)), "k"); err == nil || !strings.Contains(err.Error(), "selector") {
			t.Errorf("%s: %v", inst, err)
		}
	}
}
