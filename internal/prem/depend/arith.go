package depend

import "math"

// Numbers of the solver lie in -MaxInt64..MaxInt64, so that negation is safe.

// add gives a + b, or false where it leaves the range.
func add(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0) && s != math.MinInt64
}

// mul gives a * b, or false where it leaves the range.
func mul(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	if a == math.MinInt64 || b == math.MinInt64 {
		return 0, false
	}
	p := a * b
	return p, p/b == a && p != math.MinInt64
}

func abs(a int64) int64 {
	if a < 0 {
		return -a
	}
	return a
}

// gcd is the greatest common divisor, 0 of two zeros.
func gcd(a, b int64) int64 {
	a, b = abs(a), abs(b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// floorDiv is a/b rounded down, b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
