package examples

import "math"

// fma32 is fma.rn.f32: a*b+c rounded once to float32.
//
// The product of two float32 is exact in float64. Their sum with c is first rounded to odd there (the error of the
// float64 addition is exact), which makes the second rounding, to float32, the only one that counts.
func fma32(a, b, c float32) float32 {
	p, q := float64(a)*float64(b), float64(c)
	sum := p + q
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return float32(sum)
	}
	// Two-sum: sum + err equals p + q exactly.
	bb := sum - p
	err := (p - (sum - bb)) + (q - bb)
	if err != 0 && math.Float64bits(sum)&1 == 0 {
		sum = math.Nextafter(sum, math.Inf(int(math.Copysign(1, err))))
	}
	return float32(sum)
}

// The products below are rounded before they are added: the conversion forbids the compiler to fuse.

func mul32(a, b float32) float32 { return float32(a * b) }
func mul64(a, b float64) float64 { return float64(a * b) }

// sqrt32 is sqrt.rn.f32: rounding the float64 root again cannot change the result.
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }
