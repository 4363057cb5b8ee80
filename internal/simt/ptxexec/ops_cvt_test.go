package ptxexec

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

func TestIntegerConversions(t *testing.T) {
	types := []string{"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"}
	for _, from := range types {
		for _, to := range types {
			read, n := reader(from)
			readTo, m := reader(to)
			// Registers are at least 16 bits wide; wider ones are allowed on both sides.
			src := fmt.Sprintf("b%d", max(n, 16))
			for _, dst := range []int{max(m, 16), 64} {
				extend := func(x uint64) uint64 { return wrap(readTo(x), dst) }
				o := opTest{inst: fmt.Sprintf("cvt.%s.%s D, A", to, from), dst: fmt.Sprintf("b%d", dst), srcs: src,
					want: func(x []uint64) uint64 { return extend(wrap(read(x[0]), m)) }}
				t.Run(fmt.Sprintf("%s to b%d", o.inst, dst), o.check)
				o.inst = fmt.Sprintf("cvt.sat.%s.%s D, A", to, from)
				o.want = func(x []uint64) uint64 {
					low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(m))
					if to[0] == 's' {
						high.Rsh(high, 1)
						low.Neg(high)
					}
					high.Sub(high, big.NewInt(1))
					v := read(x[0])
					if v.Cmp(low) < 0 {
						v = low
					} else if v.Cmp(high) > 0 {
						v = high
					}
					return extend(wrap(v, m))
				}
				t.Run(fmt.Sprintf("%s to b%d", o.inst, dst), o.check)
			}
		}
	}
}

var roundings = map[string]fp.Mode{"n": fp.RN, "z": fp.RZ, "m": fp.RM, "p": fp.RP}

func TestFloatConversions(t *testing.T) {
	floats := []floatFormat{half, brain, single, double}
	for _, f := range floats {
		for r, mode := range roundings {
			for _, to := range []string{"u8", "s16", "u32", "s32", "u64", "s64"} {
				_, m := reader(to)
				o := opTest{inst: fmt.Sprintf("cvt.r%si.%s.%s D, A", r, to, f.name), dst: fmt.Sprintf("b%d", max(m, 16)), srcs: f.reg, inputs: floatInputs(f, 1),
					want: func(x []uint64) uint64 {
						// PTX ISA, "cvt": zero, unless one of the types has 64 bits.
						if f.f.IsNaN(x[0]) && (f.name == "f64" || m == 64) {
							return 1 << (m - 1)
						}
						return f.f.ToInt(mode, x[0], to[0] == 's', uint(m))
					}}
				t.Run(o.inst, o.check)
				read, n := reader(to)
				o = opTest{inst: fmt.Sprintf("cvt.r%s.%s.%s D, A", r, f.name, to), dst: f.reg, srcs: fmt.Sprintf("b%d", max(n, 16)),
					want: func(x []uint64) uint64 {
						v := read(x[0])
						return f.f.FromInt(mode, v.Sign() < 0, new(big.Int).Abs(v).Uint64())
					}}
				t.Run(o.inst, o.check)
			}
			o := opTest{inst: fmt.Sprintf("cvt.r%si.%s.%s D, A", r, f.name, f.name), dst: f.reg, srcs: f.reg, inputs: floatInputs(f, 1),
				want: func(x []uint64) uint64 { return f.f.RoundInt(mode, x[0]) }}
			t.Run(o.inst, o.check)
			for _, to := range floats {
				if to.mant >= f.mant {
					continue
				}
				o := opTest{inst: fmt.Sprintf("cvt.r%s.%s.%s D, A", r, to.name, f.name), dst: to.reg, srcs: f.reg, inputs: floatInputs(f, 1),
					want: func(x []uint64) uint64 { return to.f.Convert(mode, f.f, x[0]) }}
				t.Run(o.inst, o.check)
			}
		}
		for _, to := range floats {
			if to.mant > f.mant {
				o := opTest{inst: fmt.Sprintf("cvt.%s.%s D, A", to.name, f.name), dst: to.reg, srcs: f.reg, inputs: floatInputs(f, 1),
					want: func(x []uint64) uint64 { return to.f.Convert(fp.RN, f.f, x[0]) }}
				t.Run(o.inst, o.check)
			}
		}
	}
	for _, o := range []opTest{
		{inst: "cvt.rzi.ftz.s32.f32 D, A", want: func(x []uint64) uint64 { return fp.F32.ToInt(fp.RZ, fp.F32.Flush(x[0]), true, 32) }},
		{inst: "cvt.rpi.ftz.s32.f32 D, A", want: func(x []uint64) uint64 { return fp.F32.ToInt(fp.RP, fp.F32.Flush(x[0]), true, 32) }},
		{inst: "cvt.rpi.ftz.f32.f32 D, A", want: func(x []uint64) uint64 { return fp.F32.RoundInt(fp.RP, fp.F32.Flush(x[0])) }},
	} {
		o.dst, o.srcs, o.inputs = "b32", "b32", floatInputs(single, 1)
		t.Run(o.inst, o.check)
	}
	for inst, want := range map[string]uint64{
		"cvt.rzi.s32.f32": 0, "cvt.rzi.u32.f32": 0, "cvt.rmi.s16.f32": 0, "cvt.rni.u8.f32": 0, "cvt.rpi.ftz.s32.f32": 0,
		"cvt.rzi.s64.f32": 1 << 63, "cvt.rzi.u64.f32": 1 << 63, "cvt.rni.ftz.s64.f32": 1 << 63,
		"cvt.rzi.s32.f64": 1 << 31, "cvt.rzi.u32.f64": 1 << 31, "cvt.rmi.s32.f64": 1 << 31, "cvt.rzi.s16.f64": 1 << 15, "cvt.rzi.u8.f64": 1 << 7,
		"cvt.rzi.s64.f64": 1 << 63, "cvt.rpi.u64.f64": 1 << 63,
	} {
		nan, width := uint64(0x7ff8000000000000), 64
		if strings.HasSuffix(inst, "f32") {
			nan, width = 0x7fc00000, 32
		}
		bits := max(16, ptx.TypeByName(strings.Split(inst, ".")[strings.Count(inst, ".")-1]).Bits())
		o := opTest{inst: inst + " D, A", dst: fmt.Sprintf("b%d", bits), srcs: fmt.Sprintf("b%d", width), inputs: func(r *rand.Rand) []uint64 { return []uint64{nan | r.Uint64N(2)<<(width-1) | r.Uint64N(1<<20)} },
			want: func([]uint64) uint64 { return want }}
		t.Run("NaN "+o.inst, o.check)
	}
	o := opTest{inst: "cvt.rn.ftz.f32.f64 D, A", dst: "b32", srcs: "b64", inputs: floatInputs(double, 1),
		want: func(x []uint64) uint64 { return fp.F32.Flush(fp.F32.Convert(fp.RN, fp.F64, x[0])) }}
	t.Run(o.inst, o.check)
}
