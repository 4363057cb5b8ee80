package ptxexec

import (
	"math"
	"math/big"

	"github.com/warpbound/warpbound/internal/simt/ptxexec/internal/fp"
	"github.com/warpbound/warpbound/ptx"
)

// The functions that PTX calls approximate are computed in double precision
// with a relative error below 2^-45 (sine and cosine: an absolute error below
// 2^-45), and rounded to nearest, so that an f32 result is within 0.501 units
// in the last place. PTX allows more: 2^-20.5 absolute for sin and cos, 2^-22
// relative for ex2, 2^-22.6 for lg2, 2^-22.4 for rsqrt, 2^-11 for tanh. Every
// step is an operation that IEEE 754 defines, written so that a compiler cannot
// fuse it: results are the same on all machines.

// approximate returns the lane function of an approximate operation.
func approximate(op string, t ptx.Type) laneFn {
	var g func(float64) float64
	switch op {
	case "rsqrt":
		g = reciprocalRoot
	case "sin":
		g = sine
	case "cos":
		g = cosine
	case "lg2":
		g = log2
	case "ex2":
		g = exp2
	case "tanh":
		g = tanh
	default:
		return nil
	}
	switch t {
	case ptx.F16, ptx.BF16:
		w := format(t)
		return func(a, _, _ uint64) uint64 {
			return w.Convert(fp.RN, fp.F64, bits64(g(f64(fp.F64.Convert(fp.RN, w, a)))))
		}
	case ptx.F32:
		return func(a, _, _ uint64) uint64 { return bits32(float32(g(float64(f32(a))))) }
	}
	return func(a, _, _ uint64) uint64 { return bits64(g(f64(a))) }
}

func reciprocalRoot(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), x)
	}
	return 1 / math.Sqrt(x)
}

// polynomial evaluates c[0] + c[1]x + ... by Horner's rule.
func polynomial(x float64, c []float64) float64 {
	r := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		r = float64(r*x) + c[i]
	}
	return r
}

// taylor returns c, c*x, ... for the series with terms scale^k/k!, for the k
// from first on by step, with alternating signs where alternate.
func taylor(first, step, n int, scale float64, alternate bool) []float64 {
	out := make([]float64, n)
	term, k, sign := 1.0, 0, 1.0
	for i := range out {
		for k < first+i*step {
			k++
			term = float64(term*scale) / float64(k)
		}
		out[i] = sign * term
		if alternate {
			sign = -sign
		}
	}
	return out
}

var (
	exp2Terms = taylor(0, 1, 14, math.Ln2, false)
	sinTerms  = taylor(1, 2, 9, 1, true)
	cosTerms  = taylor(0, 2, 10, 1, true)
)

// exp2 is two to the power x: the integer part scales, and the series computes
// the rest, which is at most a half.
func exp2(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 1100:
		return math.Inf(1)
	case x < -1200:
		return 0
	}
	n := math.Floor(x + 0.5)
	return math.Ldexp(polynomial(x-n, exp2Terms), int(n))
}

// log2 splits x into 2^e * m with m about 1 and takes the series of the
// inverse hyperbolic tangent of (m-1)/(m+1), which is below 0.172.
func log2(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1)
	q := float64(s * s)
	sum := 0.0
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*q) + 1/float64(k)
	}
	return float64(e) + float64(float64(2*s)*sum)/math.Ln2
}

func tanh(x float64) float64 {
	switch {
	case x != x || x == 0:
		return x
	case math.Abs(x) < 0x1p-12:
		return x - float64(float64(float64(x*x)*x)/3)
	case math.Abs(x) > 40:
		return math.Copysign(1, x)
	}
	e := exp2(float64(x * (2 / math.Ln2)))
	return (e - 1) / (e + 1)
}

func sine(x float64) float64 {
	q, r, ok := quarters(x)
	if !ok {
		return math.NaN()
	}
	return quadrant(q, r, x)
}

func cosine(x float64) float64 {
	q, r, ok := quarters(x)
	if !ok {
		return math.NaN()
	}
	return quadrant(q+1, r, 1)
}

// quadrant is the sine of q quarter turns and r; zero takes the sign of x.
func quadrant(q int64, r, x float64) float64 {
	s := float64(r * r)
	var v float64
	switch q & 3 {
	case 0:
		v = float64(r * polynomial(s, sinTerms))
	case 1:
		v = polynomial(s, cosTerms)
	case 2:
		v = -float64(r * polynomial(s, sinTerms))
	default:
		v = -polynomial(s, cosTerms)
	}
	if v == 0 {
		return math.Copysign(0, x)
	}
	return v
}

// The parts of pi/2: each of the first two has 33 bits, so that their products
// with whole numbers below 2^20 are exact.
const (
	halfPi1 = 1.57079632673412561417e+00
	halfPi2 = 6.07710050630396597660e-11
	halfPi3 = 2.02226624879595063154e-21
)

// quarters splits x into q quarter turns and a rest of at most an eighth turn.
// It is exact to about 2^-60 for all floats; ok is false for those that are not
// finite.
func quarters(x float64) (q int64, r float64, ok bool) {
	if x != x || math.IsInf(x, 0) {
		return 0, 0, false
	}
	if math.Abs(x) < 1<<19 {
		n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
		r = x - float64(n*halfPi1)
		r -= float64(n * halfPi2)
		r -= float64(n * halfPi3)
		return int64(n), r, true
	}
	// Large arguments are rare: the division is done with 1200 bits, enough for
	// the largest double.
	big1 := new(big.Float).SetPrec(bigPrec).SetFloat64(x)
	big1.Quo(big1, halfPiBig)
	whole, _ := new(big.Float).SetPrec(bigPrec).Add(big1, big.NewFloat(math.Copysign(0.5, x))).Int(nil)
	rest := new(big.Float).SetPrec(bigPrec).Sub(big1, new(big.Float).SetPrec(bigPrec).SetInt(whole))
	r, _ = rest.Mul(rest, halfPiBig).Float64()
	return new(big.Int).And(whole, big.NewInt(3)).Int64(), r, true
}

const bigPrec = 1200

// halfPiBig is pi/2, by Machin's formula.
var halfPiBig = func() *big.Float {
	arctan := func(inverse int64) *big.Float {
		num := func(x int64) *big.Float { return new(big.Float).SetPrec(bigPrec + 64).SetInt64(x) }
		x := num(1)
		x.Quo(x, num(inverse))
		square := new(big.Float).SetPrec(bigPrec+64).Mul(x, x)
		sum := num(0)
		for k := int64(1); x.MantExp(nil) > -bigPrec-64; k += 2 {
			term := num(0).Quo(x, num(k))
			if k&2 != 0 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			x.Mul(x, square)
		}
		return sum
	}
	a := arctan(5)
	a.Mul(a, new(big.Float).SetInt64(8))
	b := arctan(239)
	b.Mul(b, new(big.Float).SetInt64(2))
	return a.Sub(a, b)
}()
