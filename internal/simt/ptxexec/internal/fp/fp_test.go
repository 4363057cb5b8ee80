package fp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The oracle rounds exact values of math/big, with no step in common with the
// package.

var formats = map[string]*Format{"f16": F16, "bf16": BF16, "tf32": TF32, "f32": F32, "f64": F64}

var bigModes = map[Mode]string{RN: "rn", RZ: "rz", RM: "rm", RP: "rp", RNA: "rna"}

// value is the exact value of a finite pattern.
func value(f *Format, x uint64) *big.Float {
	m := int64(x & (1<<f.Mant - 1))
	e := int(x >> f.Mant & (1<<f.Exp - 1))
	if e == 0 {
		e = 1
	} else {
		m |= 1 << f.Mant
	}
	bias := 1<<(f.Exp-1) - 1
	v := new(big.Float).SetPrec(5000).SetInt64(m)
	v.SetMantExp(v, e-bias-int(f.Mant))
	if x>>(f.Mant+f.Exp)&1 != 0 {
		v.Neg(v)
	}
	return v
}

// round is the pattern of v rounded; zero says the sign of a zero result.
func round(f *Format, mode Mode, v *big.Float, zeroNeg bool) uint64 {
	sign := uint64(0)
	neg := v.Sign() < 0
	if neg || v.Sign() == 0 && zeroNeg {
		sign = 1 << (f.Mant + f.Exp)
	}
	if v.Sign() == 0 {
		return sign
	}
	bias := 1<<(f.Exp-1) - 1
	abs := new(big.Float).SetPrec(5000).Abs(v)
	e := abs.MantExp(nil) - 1
	ulp := max(e, 1-bias) - int(f.Mant)
	scaled := new(big.Float).SetPrec(5000).SetMantExp(abs, -ulp)
	n, _ := scaled.Int(nil)
	rest := new(big.Float).SetPrec(5000).Sub(scaled, new(big.Float).SetPrec(5000).SetInt(n))
	half := rest.Cmp(big.NewFloat(0.5))
	up := false
	switch mode {
	case RN:
		up = half > 0 || half == 0 && n.Bit(0) == 1
	case RNA:
		up = half >= 0
	case RM:
		up = neg && rest.Sign() != 0
	case RP:
		up = !neg && rest.Sign() != 0
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	if n.Sign() == 0 {
		return sign
	}
	e = n.BitLen() - 1 + ulp
	if e > bias {
		toMax := mode == RZ || mode == RM && !neg || mode == RP && neg
		inf := uint64(1<<f.Exp-1) << f.Mant
		if toMax {
			inf--
		}
		return sign | inf
	}
	m := n.Uint64() // the mantissa, perhaps one bit too long after a carry
	if n.BitLen() > int(f.Mant)+1 {
		m >>= 1
	}
	if n.BitLen() <= int(f.Mant) {
		return sign | m
	}
	return sign | uint64(e+bias)<<f.Mant | m&(1<<f.Mant-1)
}

// patterns gives interesting and random values of a format.
func patterns(f *Format, r *rand.Rand, n int) []uint64 {
	one := uint64(1<<(f.Exp-1)-1) << f.Mant
	inf := uint64(1<<f.Exp-1) << f.Mant
	sign := uint64(1) << (f.Mant + f.Exp)
	base := []uint64{0, 1, 2, 1<<f.Mant - 1, 1 << f.Mant, 1<<f.Mant + 1, one, one + 1, one - 1, one + 1<<f.Mant, inf - 1, inf, inf + 1, f.NaN}
	var out []uint64
	for _, x := range base {
		out = append(out, x, x|sign)
	}
	for range n {
		x := r.Uint64() & (sign<<1 - 1)
		switch r.IntN(4) {
		case 0: // near one, so that sums cancel
			x = x&(sign|1<<f.Mant-1) | one + uint64(r.IntN(5))<<f.Mant - 2<<f.Mant
		case 1: // few bits set, so that ties happen
			x &= r.Uint64()&r.Uint64()&r.Uint64() | inf | sign
		case 2: // subnormal
			x &= sign | 1<<f.Mant - 1
		}
		out = append(out, x)
	}
	return out
}

func special(f *Format, xs ...uint64) bool {
	for _, x := range xs {
		if f.IsNaN(x) || f.IsInf(x) {
			return true
		}
	}
	return false
}

func eachMode(t *testing.T, test func(t *testing.T, f *Format, mode Mode, r *rand.Rand)) {
	for name, f := range formats {
		for mode, m := range bigModes {
			t.Run(name+"/"+m, func(t *testing.T) {
				test(t, f, mode, rand.New(rand.NewPCG(1, uint64(mode))))
			})
		}
	}
}

func TestArithmeticAgainstBig(t *testing.T) {
	eachMode(t, func(t *testing.T, f *Format, mode Mode, r *rand.Rand) {
		xs := patterns(f, r, 60)
		for _, a := range xs {
			for _, b := range xs {
				if special(f, a, b) {
					continue
				}
				va, vb := value(f, a), value(f, b)
				negA, negB := va.Signbit(), vb.Signbit()
				sum := new(big.Float).SetPrec(5000).Add(va, vb)
				zero := negA && negB || negA != negB && mode == RM
				if got, want := f.Add(mode, a, b), round(f, mode, sum, zero); got != want {
					t.Fatalf("%#x + %#x = %#x, want %#x", a, b, got, want)
				}
				p := new(big.Float).SetPrec(5000).Mul(va, vb)
				if got, want := f.Mul(mode, a, b), round(f, mode, p, negA != negB); got != want {
					t.Fatalf("%#x * %#x = %#x, want %#x", a, b, got, want)
				}
				if vb.Sign() != 0 && va.Sign() != 0 {
					if got, want := f.Div(mode, a, b), round(f, mode, quotient(va, vb), negA != negB); got != want {
						t.Fatalf("%#x / %#x = %#x, want %#x", a, b, got, want)
					}
				}
				c := xs[r.IntN(len(xs))]
				if special(f, c) {
					continue
				}
				vc := value(f, c)
				s := new(big.Float).SetPrec(5000).Add(p, vc)
				pNeg := negA != negB
				zero = pNeg && vc.Signbit() || pNeg != vc.Signbit() && mode == RM
				if got, want := f.FMA(mode, a, b, c), round(f, mode, s, zero); got != want {
					t.Fatalf("%#x * %#x + %#x = %#x, want %#x", a, b, c, got, want)
				}
			}
		}
	})
}

// quotient is a/b truncated to many bits, with one more bit set where it is not
// exact.
func quotient(a, b *big.Float) *big.Float {
	q := new(big.Float).SetPrec(300).SetMode(big.ToZero).Quo(a, b)
	if new(big.Float).SetPrec(5000).Mul(q, b).Cmp(a) == 0 {
		return q
	}
	return nudge(q, q.Sign())
}

// nudge moves q a little up or down.
func nudge(q *big.Float, direction int) *big.Float {
	tiny := new(big.Float).SetMantExp(big.NewFloat(0.5), q.MantExp(nil)-310)
	if direction < 0 {
		tiny.Neg(tiny)
	}
	return new(big.Float).SetPrec(5000).Add(tiny, q)
}

func TestSqrtAgainstBig(t *testing.T) {
	eachMode(t, func(t *testing.T, f *Format, mode Mode, r *rand.Rand) {
		for _, a := range patterns(f, r, 2000) {
			if special(f, a) || a>>(f.Mant+f.Exp) != 0 || f.IsZero(a) {
				continue
			}
			v := value(f, a)
			q := new(big.Float).SetPrec(300).SetMode(big.ToZero).Sqrt(v)
			// Where the root is not exact its last bits say nothing, but on which
			// side of it q lies does.
			switch square := new(big.Float).SetPrec(5000).Mul(q, q); square.Cmp(v) {
			case -1:
				q = nudge(q, 1)
			case 1:
				q = nudge(q, -1)
			}
			if got, want := f.Sqrt(mode, a), round(f, mode, q, false); got != want {
				t.Fatalf("sqrt %#x = %#x, want %#x", a, got, want)
			}
		}
	})
}

func TestSpecialValues(t *testing.T) {
	for name, f := range formats {
		inf, one := f.inf(), f.FromInt(RN, false, 1)
		negInf := inf | f.signBit()
		for what, pair := range map[string][2]uint64{
			"inf-inf":   {f.Add(RN, inf, negInf), f.NaN},
			"inf+1":     {f.Add(RN, inf, one), inf},
			"1+nan":     {f.Add(RN, one, inf+1), f.NaN},
			"0*inf":     {f.Mul(RN, 0, inf), f.NaN},
			"inf*-1":    {f.Mul(RN, inf, f.Neg(one)), negInf},
			"0*inf+1":   {f.FMA(RN, 0, inf, one), f.NaN},
			"inf*1-inf": {f.FMA(RN, inf, one, negInf), f.NaN},
			"1*1+inf":   {f.FMA(RN, one, one, inf), inf},
			"0/0":       {f.Div(RN, 0, 0), f.NaN},
			"1/0":       {f.Div(RN, one, f.signBit()), negInf},
			"1/inf":     {f.Div(RN, one, negInf), f.signBit()},
			"inf/inf":   {f.Div(RN, inf, inf), f.NaN},
			"sqrt -1":   {f.Sqrt(RN, f.Neg(one)), f.NaN},
			"sqrt -0":   {f.Sqrt(RN, f.signBit()), f.signBit()},
			"sqrt inf":  {f.Sqrt(RN, inf), inf},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s = %#x, want %#x", name, what, pair[0], pair[1])
			}
		}
	}
}

func TestHostArithmeticAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for range 200000 {
		a, b, c := r.Uint64(), r.Uint64(), r.Uint64()
		x, y, z := math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)
		if got, want := F64.FMA(RN, a, b, c), math.FMA(x, y, z); got != math.Float64bits(want) && want == want {
			t.Fatalf("fma %#x %#x %#x = %#x", a, b, c, got)
		}
		p, q := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		if got, want := F32.Div(RN, a&0xffffffff, b&0xffffffff), p/q; got != uint64(math.Float32bits(want)) && want == want {
			t.Fatalf("%v / %v = %#x", p, q, got)
		}
	}
}

func TestConversionsAgainstBig(t *testing.T) {
	eachMode(t, func(t *testing.T, f *Format, mode Mode, r *rand.Rand) {
		for _, to := range formats {
			for _, a := range patterns(f, r, 300) {
				if special(f, a) {
					continue
				}
				v := value(f, a)
				if got, want := to.Convert(mode, f, a), round(to, mode, v, v.Signbit()); got != want {
					t.Fatalf("convert %#x = %#x, want %#x", a, got, want)
				}
			}
		}
		for range 2000 {
			m := r.Uint64() >> r.IntN(64)
			v := new(big.Float).SetPrec(5000).SetUint64(m)
			neg := r.IntN(2) == 0
			if neg {
				v.Neg(v)
			}
			if got, want := f.FromInt(mode, neg, m), round(f, mode, v, false); got != want {
				t.Fatalf("from %v = %#x, want %#x", v, got, want)
			}
		}
	})
}

// integer rounds v to a whole number.
func integer(mode Mode, v *big.Float) *big.Int {
	n, _ := v.Int(nil)
	rest := new(big.Float).SetPrec(5000).Sub(v, new(big.Float).SetPrec(5000).SetInt(n))
	half := new(big.Float).Abs(rest).Cmp(big.NewFloat(0.5))
	away := false
	switch mode {
	case RN:
		away = half > 0 || half == 0 && n.Bit(0) == 1
	case RNA:
		away = half >= 0
	case RM:
		away = rest.Sign() < 0
	case RP:
		away = rest.Sign() > 0
	}
	if away {
		n.Add(n, big.NewInt(int64(v.Sign())))
	}
	return n
}

func TestIntegersAgainstBig(t *testing.T) {
	eachMode(t, func(t *testing.T, f *Format, mode Mode, r *rand.Rand) {
		xs := patterns(f, r, 500)
		for k := range 300 {
			// Values around the ends of the integer ranges, and halves.
			v := int64(1) << (k % 63)
			x := f.Convert(RN, F64, math.Float64bits(float64(v)+float64(k%5-2)/2))
			xs = append(xs, x, f.Neg(x))
		}
		for _, a := range xs {
			if special(f, a) {
				continue
			}
			v := value(f, a)
			n := integer(mode, v)
			if got, want := f.RoundInt(mode, a), round(f, RN, new(big.Float).SetPrec(5000).SetInt(n), v.Signbit()); got != want {
				t.Fatalf("round %#x = %#x, want %#x", a, got, want)
			}
			for _, width := range []uint{8, 16, 32, 64} {
				for _, signed := range []bool{false, true} {
					low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), width)
					if signed {
						high.Rsh(high, 1)
						low.Neg(high)
					}
					high.Sub(high, big.NewInt(1))
					want := new(big.Int).Set(n)
					if want.Cmp(low) < 0 {
						want = low
					} else if want.Cmp(high) > 0 {
						want = high
					}
					pattern := new(big.Int).And(want, new(big.Int).SetUint64(^uint64(0)>>(64-width))).Uint64()
					if got := f.ToInt(mode, a, signed, width); got != pattern {
						t.Fatalf("int%d(%v) of %#x = %#x, want %#x", width, signed, a, got, pattern)
					}
				}
			}
		}
		if f.ToInt(mode, f.NaN, true, 32) != 0 || f.ToInt(mode, f.inf(), true, 32) != 0x7fffffff || f.ToInt(mode, f.inf()|f.signBit(), false, 16) != 0 {
			t.Error("conversion of NaN or infinity")
		}
	})
}
