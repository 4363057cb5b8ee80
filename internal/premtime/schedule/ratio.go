package schedule

import "strconv"

// Ratio is the exact quotient Num/Den, Num not negative and Den positive, in
// lowest terms. The zero Ratio stands for "not known".
type Ratio struct {
	Num, Den int64
}

// newRatio gives the zero Ratio where den is zero, as in a Schedule that is none.
func newRatio(num, den Time) Ratio {
	if den <= 0 {
		return Ratio{}
	}
	g := gcd(int64(num), int64(den))
	return Ratio{int64(num) / g, int64(den) / g}
}

// ScaledUp returns the ratio in units of 1/scale, rounded up: 100 gives percent,
// 1000 permille.
func (r Ratio) ScaledUp(scale int64) (int64, error) {
	if r.Den <= 0 || r.Num < 0 {
		return 0, &InputError{"ratio", r.String() + " is not a ratio"}
	}
	if scale <= 0 {
		return 0, &InputError{"scale", "is " + strconv.FormatInt(scale, 10) + ", expected a positive number"}
	}
	return mulDivUp("scaled ratio", r.Num, scale, r.Den)
}

// Cmp compares two known ratios: -1, 0 or 1.
func (r Ratio) Cmp(o Ratio) int { return compareProducts(r.Num, o.Den, o.Num, r.Den) }

// Float64 is for display; no bound goes through it. The zero Ratio gives NaN.
func (r Ratio) Float64() float64 { return float64(r.Num) / float64(r.Den) }

// String gives Num/Den.
func (r Ratio) String() string {
	return strconv.FormatInt(r.Num, 10) + "/" + strconv.FormatInt(r.Den, 10)
}
