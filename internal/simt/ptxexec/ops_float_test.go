package ptxexec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

// floatFormat describes a type: its format is tested against math/big on its
// own, so it may serve as the oracle of what the instructions make of it.
type floatFormat struct {
	name, reg string
	f         *fp.Format
	mant      uint
}

var (
	half   = floatFormat{"f16", "b16", fp.F16, 10}
	brain  = floatFormat{"bf16", "b16", fp.BF16, 7}
	single = floatFormat{"f32", "b32", fp.F32, 23}
	double = floatFormat{"f64", "b64", fp.F64, 52}
)

// floatInputs draws n operands: specials, subnormals, near one, few bits set.
func floatInputs(f floatFormat, n int) func(*rand.Rand) []uint64 {
	width := typeBits[f.reg]
	exp := uint(width) - 1 - f.mant
	one := uint64(1)<<(width-2) - 1<<f.mant
	inf := (uint64(1)<<exp - 1) << f.mant
	return func(r *rand.Rand) []uint64 {
		row := make([]uint64, n)
		for i := range row {
			x := r.Uint64() & mask(width)
			switch r.IntN(8) {
			case 0:
				x = []uint64{0, 1 << (width - 1), inf, inf | 1<<(width-1), inf + 1, f.f.NaN, one, one | 1<<(width-1)}[r.IntN(8)]
			case 1:
				x &= 1<<(width-1) | 1<<f.mant - 1
			case 2, 3:
				x = x&(1<<(width-1)|1<<f.mant-1) | one + uint64(r.IntN(5))<<f.mant - 2<<f.mant
			case 4:
				x &= r.Uint64()&r.Uint64()&r.Uint64() | inf | 1<<(width-1)
			}
			row[i] = x
		}
		return row
	}
}

func TestRoundedArithmetic(t *testing.T) {
	for _, f := range []floatFormat{half, brain, single, double} {
		for name, mode := range map[string]fp.Mode{"rn": fp.RN, "rz": fp.RZ, "rm": fp.RM, "rp": fp.RP} {
			if f.reg == "b16" && mode != fp.RN {
				continue
			}
			for op, want := range map[string]func(x []uint64) uint64{
				"add %s D, A, B":    func(x []uint64) uint64 { return f.f.Add(mode, x[0], x[1]) },
				"sub %s D, A, B":    func(x []uint64) uint64 { return f.f.Add(mode, x[0], f.f.Neg(x[1])) },
				"mul %s D, A, B":    func(x []uint64) uint64 { return f.f.Mul(mode, x[0], x[1]) },
				"fma %s D, A, B, C": func(x []uint64) uint64 { return f.f.FMA(mode, x[0], x[1], x[2]) },
				"mad %s D, A, B, C": func(x []uint64) uint64 { return f.f.FMA(mode, x[0], x[1], x[2]) },
				"div %s D, A, B":    func(x []uint64) uint64 { return f.f.Div(mode, x[0], x[1]) },
				"rcp %s D, A":       func(x []uint64) uint64 { return f.f.Div(mode, f.f.FromInt(fp.RN, false, 1), x[0]) },
				"sqrt %s D, A":      func(x []uint64) uint64 { return f.f.Sqrt(mode, x[0]) },
			} {
				if f.reg == "b16" && op[0] != 'a' && op[0] != 'f' && op[:2] != "su" && op[:2] != "mu" {
					continue
				}
				o := opTest{inst: fmt.Sprintf(replaceSpace(op), "."+name+"."+f.name), dst: f.reg, srcs: f.reg + " " + f.reg + " " + f.reg, want: want, inputs: floatInputs(f, 3)}
				t.Run(o.inst, o.check)
				if f == single {
					o.inst = fmt.Sprintf(replaceSpace(op), "."+name+".ftz."+f.name)
					o.want = func(x []uint64) uint64 {
						y := make([]uint64, len(x))
						for i := range x {
							y[i] = f.f.Flush(x[i])
						}
						return f.f.Flush(want(y))
					}
					t.Run(o.inst, o.check)
				}
			}
		}
	}
}

// replaceSpace joins an opcode to its modifiers.
func replaceSpace(op string) string {
	for i := range op {
		if op[i] == ' ' {
			return op[:i] + op[i+1:]
		}
	}
	return op
}

// The fast path of fma.rn.f32 where double rounding would go wrong: products
// and sums built to lie next to halfway cases.
func TestFusedMultiplyAddHalfway(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	differ := 0
	for range 2_000_000 {
		a := uint64(0x3f800000 | r.Uint32()&0x7fffff)
		b := uint64(0x3f800000 | r.Uint32()&0x7ff000)
		c := uint64(math.Float32bits(float32(math.Ldexp(float64(r.IntN(3)-1), -r.IntN(60)-24))))
		want := fp.F32.FMA(fp.RN, a, b, c)
		if got := fma32(a, b, c); got != want {
			t.Fatalf("fma %#x %#x %#x = %#x, want %#x", a, b, c, got, want)
		}
		if naive := bits32(float32(float64(f32(a))*float64(f32(b)) + float64(f32(c)))); naive != want {
			differ++
		}
	}
	if differ == 0 {
		t.Error("no case that double rounding gets wrong: the test tests nothing")
	}
	for range 500_000 {
		x := floatInputs(single, 3)(r)
		if got, want := fma32(x[0], x[1], x[2]), fp.F32.FMA(fp.RN, x[0], x[1], x[2]); got != want {
			t.Fatalf("fma %#x = %#x, want %#x", x, got, want)
		}
	}
}

func TestSaturation(t *testing.T) {
	clamp01 := func(x float32) uint64 {
		switch {
		case !(x > 0):
			return 0
		case x > 1:
			x = 1
		}
		return uint64(math.Float32bits(x))
	}
	for _, o := range []opTest{
		{inst: "add.sat.f32 D, A, B", want: func(x []uint64) uint64 { return clamp01(f32(x[0]) + f32(x[1])) }},
		{inst: "mul.rn.sat.f32 D, A, B", want: func(x []uint64) uint64 { return clamp01(f32(x[0]) * f32(x[1])) }},
		{inst: "cvt.sat.f32.f32 D, A", want: func(x []uint64) uint64 { return clamp01(f32(x[0])) }},
	} {
		o.dst, o.srcs, o.inputs = "b32", "b32 b32", floatInputs(single, 2)
		t.Run(o.inst, o.check)
	}
}

func TestExtremesAndSigns(t *testing.T) {
	number := func(f floatFormat, x uint64) float64 { return math.Float64frombits(fp.F64.Convert(fp.RN, f.f, x)) }
	for _, f := range []floatFormat{half, brain, single, double} {
		sign := uint64(1) << (typeBits[f.reg] - 1)
		// largest is the rule in words: numbers beat NaN, +0 beats -0.
		largest := func(x []uint64) uint64 {
			a, b := number(f, x[0]), number(f, x[1])
			switch {
			case a != a && b != b:
				return f.f.NaN
			case a != a:
				return x[1]
			case b != b || a > b || a == b && x[0] < x[1]:
				return x[0]
			}
			return x[1]
		}
		smallest := func(x []uint64) uint64 {
			a, b := number(f, x[0]), number(f, x[1])
			switch {
			case a != a && b != b:
				return f.f.NaN
			case a != a:
				return x[1]
			case b != b || a < b || a == b && x[0] > x[1]:
				return x[0]
			}
			return x[1]
		}
		isNaN := func(x uint64) bool { v := number(f, x); return v != v }
		rows := []opTest{
			{inst: "max.%s D, A, B", want: largest},
			{inst: "min.%s D, A, B", want: smallest},
			{inst: "neg.%s D, A", want: func(x []uint64) uint64 {
				if isNaN(x[0]) {
					return f.f.NaN
				}
				return x[0] ^ sign
			}},
			{inst: "abs.%s D, A", want: func(x []uint64) uint64 {
				if isNaN(x[0]) {
					return f.f.NaN
				}
				return x[0] &^ sign
			}},
		}
		if f != double {
			rows = append(rows, opTest{inst: "max.NaN.%s D, A, B", want: func(x []uint64) uint64 {
				if isNaN(x[0]) || isNaN(x[1]) {
					return f.f.NaN
				}
				return largest(x)
			}}, opTest{inst: "min.xorsign.abs.%s D, A, B", want: func(x []uint64) uint64 {
				if isNaN(x[0]) && isNaN(x[1]) {
					return f.f.NaN
				}
				return smallest([]uint64{x[0] &^ sign, x[1] &^ sign}) | (x[0]^x[1])&sign
			}})
		}
		if f.reg != "b16" {
			rows = append(rows, opTest{inst: "copysign.%s D, A, B", want: func(x []uint64) uint64 { return x[1]&^sign | x[0]&sign }})
		}
		for _, o := range rows {
			o.inst = fmt.Sprintf(o.inst, f.name)
			o.dst, o.srcs, o.inputs = f.reg, f.reg+" "+f.reg, floatInputs(f, 2)
			t.Run(o.inst, o.check)
		}
	}
}

func TestFloatComparison(t *testing.T) {
	flag := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	relations := map[string]func(a, b float64) bool{
		"eq": func(a, b float64) bool { return a == b }, "lt": func(a, b float64) bool { return a < b },
		"le": func(a, b float64) bool { return a <= b }, "gt": func(a, b float64) bool { return a > b },
		"ge": func(a, b float64) bool { return a >= b }, "ne": func(a, b float64) bool { return a != b && a == a && b == b },
		"num": func(a, b float64) bool { return a == a && b == b }, "nan": func(a, b float64) bool { return a != a || b != b },
	}
	for _, name := range []string{"eq", "ne", "lt", "le", "gt", "ge"} {
		holds := relations[name]
		relations[name+"u"] = func(a, b float64) bool { return a != a || b != b || holds(a, b) }
	}
	for _, f := range []floatFormat{half, brain, single, double} {
		number := func(x uint64) float64 { return math.Float64frombits(fp.F64.Convert(fp.RN, f.f, x)) }
		for name, holds := range relations {
			pair := floatInputs(f, 2)
			o := opTest{inst: fmt.Sprintf("setp.%s.%s D, A, B", name, f.name), dst: "pred", srcs: f.reg + " " + f.reg,
				inputs: func(r *rand.Rand) []uint64 {
					x := pair(r)
					if r.IntN(3) == 0 {
						x[1] = x[0]
					}
					return x
				},
				want: func(x []uint64) uint64 { return flag(holds(number(x[0]), number(x[1]))) }}
			t.Run(o.inst, o.check)
			if f == single {
				o.inst = fmt.Sprintf("setp.%s.ftz.f32 D, A, B", name)
				o.want = func(x []uint64) uint64 { return flag(holds(number(f.f.Flush(x[0])), number(f.f.Flush(x[1])))) }
				t.Run(o.inst, o.check)
			}
		}
	}
	for _, f := range []floatFormat{single, double} {
		for property, holds := range map[string]func(v float64, x uint64) bool{
			"finite":     func(v float64, _ uint64) bool { return v-v == 0 },
			"infinite":   func(v float64, _ uint64) bool { return math.IsInf(v, 0) },
			"number":     func(v float64, _ uint64) bool { return v == v },
			"notanumber": func(v float64, _ uint64) bool { return v != v },
			"normal":     func(v float64, x uint64) bool { return v == 0 || v-v == 0 && !f.f.IsZero(f.f.Flush(x)) },
			"subnormal":  func(v float64, x uint64) bool { return v != 0 && f.f.Flush(x) != x },
		} {
			o := opTest{inst: fmt.Sprintf("testp.%s.%s D, A", property, f.name), dst: "pred", srcs: f.reg, inputs: floatInputs(f, 1),
				want: func(x []uint64) uint64 {
					return flag(holds(math.Float64frombits(fp.F64.Convert(fp.RN, f.f, x[0])), x[0]))
				}}
			t.Run(o.inst, o.check)
		}
	}
}

// The fast reciprocals of doubles read and write the upper half only, with 20 bits of
// a mantissa, and flush.
func TestHighWords(t *testing.T) {
	for inst, exact := range map[string]func(float64) float64{
		"rcp.approx.ftz.f64":   func(x float64) float64 { return 1 / x },
		"rsqrt.approx.ftz.f64": func(x float64) float64 { return 1 / math.Sqrt(x) },
	} {
		random, some := floatInputs(double, 1), []float64{1, 3, -3, 0x1.fffffp1000, 0x1.00000ffffffffp0, 5e-324, -5e-324, 0x1p-1022, math.MaxFloat64}
		o := opTest{inst: inst + " D, A", dst: "b64", srcs: "b64", inputs: func(r *rand.Rand) []uint64 {
			if r.IntN(4) == 0 {
				return []uint64{math.Float64bits(some[r.IntN(len(some))])}
			}
			return random(r)
		}}
		o.want = func(x []uint64) uint64 {
			a := math.Float64frombits(x[0] >> 32 << 32)
			if math.Abs(a) < 0x1p-1022 {
				a = math.Copysign(0, a)
			}
			r := exact(a)
			switch {
			case a == 0:
				r = math.Copysign(math.Inf(1), a)
			case r != r:
				return 0x7ff8 << 48
			case math.Abs(r) < 0x1p-1022:
				r = math.Copysign(0, r)
			}
			return math.Float64bits(r) >> 32 << 32
		}
		t.Run(o.inst, o.check)
	}
}

// Approximate functions against the host's mathematics, within the error they
// promise: 0.501 units in the last place, and an absolute error of 2^-24 for
// sines near their zeros.
func TestApproximateFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for name, want := range map[string]func(float64) float64{
		"rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
		"sin":   math.Sin, "cos": math.Cos, "lg2": math.Log2, "ex2": math.Exp2, "tanh": math.Tanh,
	} {
		f := approximate(name, ptx.F32)
		for range 100_000 {
			x := float32((r.Float64() - 0.5) * math.Exp2(float64(r.IntN(30)-8)))
			if r.IntN(50) == 0 {
				x = math.Float32frombits(r.Uint32())
			}
			got, exact := f32(f(uint64(math.Float32bits(x)), 0, 0)), want(float64(x))
			if rounded := float32(exact); math.Float32bits(got) == math.Float32bits(rounded) || got != got && rounded != rounded {
				continue
			}
			ulp := math.Abs(float64(math.Nextafter32(got, 1e38)) - float64(got))
			if math.Abs(float64(got)-exact) > 0.501*ulp {
				t.Fatalf("%s(%v) = %v, want %v", name, x, got, exact)
			}
		}
	}
	for _, inst := range []string{"ex2.approx.ftz.bf16 D, A", "tanh.approx.bf16 D, A"} {
		want := math.Tanh
		if inst[0] == 'e' {
			want = math.Exp2
		}
		o := opTest{inst: inst, dst: "b16", srcs: "b16", inputs: floatInputs(brain, 1), want: func(x []uint64) uint64 {
			if inst[0] == 'e' {
				x = []uint64{fp.BF16.Flush(x[0])}
			}
			r := fp.BF16.Convert(fp.RN, fp.F64, math.Float64bits(want(math.Float64frombits(fp.F64.Convert(fp.RN, fp.BF16, x[0])))))
			if inst[0] == 'e' {
				r = fp.BF16.Flush(r)
			}
			return r
		}}
		t.Run(o.inst, o.check)
	}
	for name, want := range map[string]func(float64) float64{"ex2": math.Exp2, "tanh": math.Tanh} {
		o := opTest{inst: name + ".approx.f16 D, A", dst: "b16", srcs: "b16", inputs: floatInputs(half, 1), want: func(x []uint64) uint64 {
			return fp.F16.Convert(fp.RN, fp.F64, math.Float64bits(want(math.Float64frombits(fp.F64.Convert(fp.RN, fp.F16, x[0])))))
		}}
		t.Run(o.inst, o.check)
	}
	for _, o := range []opTest{
		{inst: "ex2.approx.f32 D, A", want: func(x []uint64) uint64 { return bits32(float32(math.Exp2(float64(f32(x[0]))))) }},
		{inst: "lg2.approx.ftz.f32 D, A", want: func(x []uint64) uint64 { return bits32(float32(math.Log2(float64(f32(flush32(x[0])))))) }},
		{inst: "rcp.approx.f32 D, A", want: func(x []uint64) uint64 { return bits32(1 / f32(x[0])) }},
		{inst: "div.full.f32 D, A, B", want: func(x []uint64) uint64 { return bits32(f32(x[0]) / f32(x[1])) }},
		{inst: "div.approx.f32 D, A, B", want: func(x []uint64) uint64 { return bits32(f32(x[0]) / f32(x[1])) }},
		{inst: "sqrt.approx.f32 D, A", want: func(x []uint64) uint64 { return bits32(float32(math.Sqrt(float64(f32(x[0]))))) }},
	} {
		o.dst, o.srcs = "b32", "b32 b32"
		o.inputs = func(r *rand.Rand) []uint64 {
			if r.IntN(4) == 0 {
				return floatInputs(single, 2)(r)
			}
			return []uint64{uint64(math.Float32bits(float32(r.Float64()*60 - 20))), uint64(math.Float32bits(float32(r.Float64())))}
		}
		t.Run(o.inst, o.check)
	}
}

// Large arguments of sine and cosine are reduced exactly.
func TestSineOfLargeArguments(t *testing.T) {
	// pi to 1200 bits by the arithmetic-geometric mean, another way than the
	// package's.
	const prec = 1400
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	a, b, s, p := num(1), new(big.Float).SetPrec(prec).Sqrt(num(0.5)), num(0.25), num(1)
	for range 12 {
		next := new(big.Float).SetPrec(prec).Add(a, b)
		next.Quo(next, num(2))
		d := new(big.Float).SetPrec(prec).Sub(a, next)
		d.Mul(d, d)
		s.Sub(s, d.Mul(d, p))
		b = new(big.Float).SetPrec(prec).Sqrt(new(big.Float).SetPrec(prec).Mul(a, b))
		a = next
		p.Mul(p, num(2))
	}
	pi := new(big.Float).SetPrec(prec).Mul(a, a)
	pi.Quo(pi, s)
	r := rand.New(rand.NewPCG(10, 11))
	for range 2000 {
		x := math.Ldexp(r.Float64()-0.5, 1+r.IntN(126))
		// x modulo 2*pi, then the host's sine of a small argument.
		q := new(big.Float).SetPrec(prec).Quo(num(x), pi)
		q.Quo(q, num(2))
		n, _ := q.Int(nil)
		rest := q.Sub(q, new(big.Float).SetPrec(prec).SetInt(n))
		rest.Mul(rest, pi)
		small, _ := rest.Mul(rest, num(2)).Float64()
		if d := math.Abs(sine(x) - math.Sin(small)); d > 1e-14 {
			t.Fatalf("sin(%v) = %v, want %v", x, sine(x), math.Sin(small))
		}
		if d := math.Abs(cosine(x) - math.Cos(small)); d > 1e-14 {
			t.Fatalf("cos(%v) = %v, want %v", x, cosine(x), math.Cos(small))
		}
	}
}
