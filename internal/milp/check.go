package milp

import (
	"errors"
	"fmt"
	"math"
)

// Errors of the exact checks.
var (
	// ErrNotInteger: the problem has a continuous column or a number that is
	// not an integer of magnitude up to 2^53; it cannot be checked exactly.
	ErrNotInteger = errors.New("not an integer problem")
	// ErrViolated: the point breaks a row, a bound or integrality.
	ErrViolated = errors.New("violated")
	// ErrOverflow: a sum of the exact check leaves int64.
	ErrOverflow = errors.New("integer overflow")
	// ErrContradiction: a checked point is better than the solver's dual bound.
	ErrContradiction = errors.New("contradiction between point and bound")
	// ErrNoBound: there is no finite dual bound to round.
	ErrNoBound = errors.New("no dual bound")
)

// roundingTolerance is how far from an integer a solver may leave an integer
// column. It does not weaken the check: the rounded point is what is checked.
const roundingTolerance = 1e-3

// IntegerPoint is a point that CheckInteger accepted.
type IntegerPoint struct {
	Values    []int64 // an entry a column
	Objective int64
}

// CheckInteger rounds values to integers and checks every bound and row of the
// rounded point exactly. All columns must be integer and all numbers integers
// of magnitude up to 2^53 (ErrNotInteger). The error wraps ErrViolated and
// names the column or row that fails, or ErrOverflow.
func CheckInteger(p *Problem, values []float64) (*IntegerPoint, error) {
	if len(values) != len(p.Columns) {
		return nil, fmt.Errorf("milp: %w: %d values for %d columns", ErrViolated, len(values), len(p.Columns))
	}
	pt := &IntegerPoint{Values: make([]int64, len(values))}
	for i := range p.Columns {
		c := &p.Columns[i]
		if !c.Integer {
			return nil, fmt.Errorf("milp: %w: column %q is continuous", ErrNotInteger, c.Name)
		}
		v := math.Round(values[i])
		if !(math.Abs(values[i]-v) <= roundingTolerance) || math.Abs(v) > maxExact {
			return nil, fmt.Errorf("milp: %w: column %q = %v is not an integer", ErrViolated, c.Name, values[i])
		}
		// Comparing the integer v with a fractional bound is exact too.
		if v < c.Lower || v > c.Upper {
			return nil, fmt.Errorf("milp: %w: column %q = %.0f, bounds %v to %v", ErrViolated, c.Name, v, c.Lower, c.Upper)
		}
		pt.Values[i] = int64(v)
	}
	for i := range p.Rows {
		if err := checkRow(p, &p.Rows[i], pt.Values); err != nil {
			return nil, err
		}
	}
	if !isInt53(p.Constant) {
		return nil, fmt.Errorf("milp: %w: objective constant is %v", ErrNotInteger, p.Constant)
	}
	sum := int64(p.Constant)
	for i := range p.Columns {
		if err := addProduct(&sum, p.Columns[i].Cost, pt.Values[i]); err != nil {
			return nil, fmt.Errorf("milp: objective, column %q: %w", p.Columns[i].Name, err)
		}
	}
	pt.Objective = sum
	return pt, nil
}

func checkRow(p *Problem, r *Row, values []int64) error {
	var sum int64
	for _, t := range r.Terms {
		if err := addProduct(&sum, t.Coef, values[t.Col]); err != nil {
			return fmt.Errorf("milp: row %q, column %q: %w", r.Name, p.Columns[t.Col].Name, err)
		}
	}
	for _, side := range []float64{r.Lower, r.Upper} {
		if !isInt53(side) && !math.IsInf(side, 0) {
			return fmt.Errorf("milp: %w: row %q has the side %v", ErrNotInteger, r.Name, side)
		}
	}
	if !math.IsInf(r.Lower, -1) && sum < int64(r.Lower) {
		return fmt.Errorf("milp: %w: row %q: sum is %d, at least %.0f is required", ErrViolated, r.Name, sum, r.Lower)
	}
	if !math.IsInf(r.Upper, 1) && sum > int64(r.Upper) {
		return fmt.Errorf("milp: %w: row %q: sum is %d, at most %.0f is allowed", ErrViolated, r.Name, sum, r.Upper)
	}
	return nil
}

// addProduct adds coef*value to *sum, or says why that is not exact.
func addProduct(sum *int64, coef float64, value int64) error {
	if !isInt53(coef) {
		return fmt.Errorf("%w: coefficient %v", ErrNotInteger, coef)
	}
	c := int64(coef)
	if c == 0 || value == 0 {
		return nil
	}
	prod := c * value
	if prod/value != c {
		return ErrOverflow
	}
	s := *sum + prod
	if (prod > 0) != (s > *sum) {
		return ErrOverflow
	}
	*sum = s
	return nil
}
