package milptest

import (
	"fmt"
	"math"

	"github.com/warpbound/warpbound/internal/milp"
)

// CheckFeasible checks the bounds, rows and integrality of a point of any
// problem in floating point: each may be missed by tolerance, times the larger
// of 1 and the sum of the magnitudes of the row's terms. The error wraps
// milp.ErrViolated and names the column or row.
func CheckFeasible(p *milp.Problem, values []float64, tolerance float64) error {
	if len(values) != len(p.Columns) {
		return fmt.Errorf("%w: %d values for %d columns", milp.ErrViolated, len(values), len(p.Columns))
	}
	for i := range p.Columns {
		c, v := &p.Columns[i], values[i]
		slack := tolerance * math.Max(1, math.Abs(v))
		if !(v >= c.Lower-slack && v <= c.Upper+slack) {
			return fmt.Errorf("%w: column %q = %v, bounds %v to %v", milp.ErrViolated, c.Name, v, c.Lower, c.Upper)
		}
		if c.Integer && !(math.Abs(v-math.Round(v)) <= slack) {
			return fmt.Errorf("%w: column %q = %v is not an integer", milp.ErrViolated, c.Name, v)
		}
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		sum, size := 0.0, 1.0
		for _, t := range r.Terms {
			v := t.Coef * values[t.Col]
			sum += v
			size += math.Abs(v)
		}
		if slack := tolerance * size; !(sum >= r.Lower-slack && sum <= r.Upper+slack) {
			return fmt.Errorf("%w: row %q: sum is %v, sides %v to %v", milp.ErrViolated, r.Name, sum, r.Lower, r.Upper)
		}
	}
	return nil
}
