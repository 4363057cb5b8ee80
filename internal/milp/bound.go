package milp

import (
	"fmt"
	"math"
)

// dualTolerance is the error granted to a dual bound, per unit of the sum of 1,
// the bound's magnitude and the columns' ranges. Solvers accept a reduced cost
// that is wrong by 1e-7 by default; a column of range r then moves a linear
// programme's bound by up to 1e-7*r. Ten times that leaves room for scaling.
const dualTolerance = 1e-6

// maxRange keeps a column without useful bounds from drowning the estimate.
const maxRange = 1000

// IntegerBound returns the integer that no feasible objective exceeds (for a
// maximisation; for a minimisation, that none falls below), from the solver's
// DualBound. The objective must be integral (ErrNotInteger) and the bound
// finite (ErrNoBound).
//
// The float D is rounded to the weak side: floor(D+e) for a maximisation,
// ceil(D-e) for a minimisation. That is safe if the bound proved in exact
// arithmetic differs from D by at most e: a larger e only weakens the result,
// while plain floor(D) loses a unit whenever D is below an integer by noise.
// e is BoundError plus 1e-6 of (1 + |D| + the sum of the columns' ranges, each
// counted up to 1000). For Optimal, e is at most 1/2, so that a proved optimum
// is not blurred by the size of the problem.
func IntegerBound(p *Problem, s *Solution) (int64, error) {
	if !p.IntegralObjective() {
		return 0, fmt.Errorf("milp: rounding a bound: %w: objective is not integral", ErrNotInteger)
	}
	d := s.DualBound
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return 0, fmt.Errorf("milp: %w: status %v", ErrNoBound, s.Status)
	}
	size := 1 + math.Abs(d)
	for i := range p.Columns {
		size += math.Min(maxRange, math.Abs(p.Columns[i].Upper-p.Columns[i].Lower))
	}
	e := s.BoundError + dualTolerance*size
	if s.Status == Optimal {
		e = math.Min(e, 0.5)
	}
	var bound float64
	if p.Maximize {
		bound = math.Floor(d + e)
	} else {
		bound = math.Ceil(d - e)
	}
	if math.Abs(bound) > maxExact {
		return 0, fmt.Errorf("milp: dual bound %v: %w", d, ErrOverflow)
	}
	return int64(bound), nil
}

// Certificate is what holds of an integer problem after Certify.
type Certificate struct {
	// Status is the solver's, but Optimal only if Point attains Bound, and
	// Failed if neither a point nor a bound is left.
	Status Status
	// Point is the checked point, nil without one.
	Point *IntegerPoint
	// Bound is the rounded dual bound (IntegerBound); valid if HasBound.
	Bound    int64
	HasBound bool
}

// Certify checks a solution of a problem whose columns are all integer: the
// point exactly (CheckInteger), the bound by rounding it to the weak side
// (IntegerBound). A point that fails its check is an error wrapping
// ErrViolated, returned together with a certificate that holds the bound only.
// A checked point beyond the bound is ErrContradiction, without certificate:
// nothing that solver says of this problem is then to be used.
func Certify(p *Problem, s *Solution) (*Certificate, error) {
	c := &Certificate{Status: s.Status}
	if s.Status == Failed || s.Status == Infeasible || s.Status == Unbounded {
		return c, nil
	}
	if !math.IsInf(s.DualBound, 0) {
		b, err := IntegerBound(p, s)
		if err != nil {
			return nil, err
		}
		c.Bound, c.HasBound = b, true
	}
	var pointErr error
	if s.Values != nil {
		c.Point, pointErr = CheckInteger(p, s.Values)
	}
	switch {
	case c.Point == nil && c.HasBound:
		c.Status = BoundOnly
	case c.Point == nil:
		c.Status = Failed
	case !c.HasBound:
		c.Status = Feasible
	case p.Maximize && c.Point.Objective > c.Bound, !p.Maximize && c.Point.Objective < c.Bound:
		return nil, fmt.Errorf("milp: %w: objective %d, dual bound %d", ErrContradiction, c.Point.Objective, c.Bound)
	case c.Point.Objective == c.Bound:
		c.Status = Optimal
	default:
		c.Status = Feasible
	}
	return c, pointErr
}
