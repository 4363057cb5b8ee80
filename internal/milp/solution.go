package milp

import (
	"context"
	"errors"
	"math"
	"time"
)

// Status says what a solver found out.
type Status int

// The outcomes of Solve.
const (
	// Failed: nothing usable is known; Solution.Message says why.
	Failed Status = iota
	// Optimal: Values is optimal, by the solver's claim.
	Optimal
	// Feasible: a limit was hit; Values is feasible by the solver's claim and
	// DualBound limits what is better (infinite where the solver gave none).
	Feasible
	// BoundOnly: a limit was hit before any point was found; DualBound is finite.
	BoundOnly
	// Infeasible: there is no feasible point.
	Infeasible
	// Unbounded: there are feasible points of any objective.
	Unbounded
)

func (s Status) String() string {
	switch s {
	case Optimal:
		return "optimal"
	case Feasible:
		return "feasible"
	case BoundOnly:
		return "bound only"
	case Infeasible:
		return "infeasible"
	case Unbounded:
		return "unbounded"
	default:
		return "failed"
	}
}

// Solution is a solver's answer, before any check.
type Solution struct {
	Status Status
	// Objective is the value of Values (Optimal, Feasible), NaN without Values.
	Objective float64
	// DualBound is what no feasible point exceeds (maximisation) or falls below
	// (minimisation), as far as the solver proved: ±Inf where it proved nothing,
	// NaN for Infeasible and Unbounded.
	DualBound float64
	// BoundError is the most by which printing may have rounded DualBound; 0
	// where the solver hands over the number itself.
	BoundError float64
	// Values has an entry a column; nil without a point.
	Values []float64
	// Nodes is the number of branch-and-bound nodes, -1 where not told.
	Nodes int64
	// Elapsed is the wall-clock time of the solve, start of the program or
	// sandbox included.
	Elapsed time.Duration
	// Solver is the solver's name and version, Message its own words on how it
	// ended.
	Solver, Message string
}

// Options are the limits of one Solve.
type Options struct {
	// TimeLimit is wall-clock time; 0 is none. A solver that overshoots it is
	// stopped by force after Grace, with status Failed.
	TimeLimit time.Duration
	// MemoryBytes limits the solver's memory; 0 is what its build allows.
	// External programs do not honour it.
	MemoryBytes int64
	// Progress, where set, receives the solver's log line by line, without the
	// line's end, from the goroutine that runs the solver.
	Progress func(line string)
}

// ErrMemory: a solver needed more memory than it may have.
var ErrMemory = errors.New("out of memory")

// Grace is the time a solver has beyond its time limit, or beyond a
// cancellation, to end in an orderly way.
const Grace = 5 * time.Second

// Solver solves problems; it is safe for concurrent use.
type Solver interface {
	Name() string
	// Version is what the solver calls itself, with the version where known.
	Version() string
	// Solve returns an error for an invalid problem, a missing program, output
	// that was not understood, or exhausted memory (ErrMemory). When ctx ends, the error
	// wraps context.Cause(ctx), and where the solver could still be asked the
	// Solution reached so far comes with it.
	Solve(ctx context.Context, p *Problem, opts Options) (*Solution, error)
}

// Screen settles the problems that not every solver or file format takes:
// empty domains, empty rows and no columns at all. It returns nil where the
// solver is to decide. The problem must be valid.
func Screen(p *Problem) *Solution {
	for i := range p.Columns {
		c := &p.Columns[i]
		if lower, upper := c.Domain(); lower > upper {
			return settled(Infeasible, "column "+c.Name+" has an empty domain")
		}
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		if r.Lower > r.Upper || len(r.Terms) == 0 && (r.Lower > 0 || r.Upper < 0) {
			return settled(Infeasible, "row "+r.Name+" cannot be satisfied")
		}
	}
	if len(p.Columns) > 0 {
		return nil
	}
	s := settled(Optimal, "no columns")
	s.Objective, s.DualBound = p.Constant, p.Constant
	s.Values = []float64{}
	return s
}

func settled(status Status, why string) *Solution {
	return &Solution{Status: status, Objective: math.NaN(), DualBound: math.NaN(), Solver: "screening", Message: why}
}

// Unproved returns the DualBound of a solver that proved nothing: +Inf for a
// maximisation, -Inf for a minimisation.
func (p *Problem) Unproved() float64 {
	if p.Maximize {
		return math.Inf(1)
	}
	return math.Inf(-1)
}
