package schedule

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// ErrOverflow is wrapped by errors about results that need more than 64 bits.
var ErrOverflow = errors.New("beyond 64 bits")

// InputError says which part of the input cannot be used, and why.
type InputError struct {
	Field string // for example "intervals[2].mem"
	What  string // what it is, and what was expected
}

func (e *InputError) Error() string { return "schedule: " + e.Field + ": " + e.What }

func overflow(what string) error {
	return fmt.Errorf("schedule: %s: %w", what, ErrOverflow)
}

// add adds numbers that are not negative.
func add(what string, a, b Time) (Time, error) {
	if a > math.MaxInt64-b {
		return 0, overflow(what)
	}
	return a + b, nil
}

// mul multiplies numbers that are not negative.
func mul(what string, a, b Time) (Time, error) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, overflow(what)
	}
	return Time(lo), nil
}

// mulDiv returns the floor of a*b/c and whether there was a remainder, exactly,
// for a and b not negative and c positive.
func mulDiv(what string, a, b, c int64) (int64, bool, error) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return 0, false, overflow(what)
	}
	q, r := bits.Div64(hi, lo, uint64(c))
	if q > math.MaxInt64 {
		return 0, false, overflow(what)
	}
	return int64(q), r != 0, nil
}

// mulDivUp returns the ceiling of a*b/c.
func mulDivUp(what string, a, b, c int64) (int64, error) {
	q, rest, err := mulDiv(what, a, b, c)
	if err != nil || !rest {
		return q, err
	}
	if q == math.MaxInt64 {
		return 0, overflow(what)
	}
	return q + 1, nil
}

// compareProducts compares a*b with c*d, none of them negative.
func compareProducts(a, b, c, d int64) int {
	h1, l1 := bits.Mul64(uint64(a), uint64(b))
	h2, l2 := bits.Mul64(uint64(c), uint64(d))
	switch {
	case h1 < h2 || h1 == h2 && l1 < l2:
		return -1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return 1
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
