package ilp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/milp"
)

// Options say how to solve an instance.
type Options struct {
	Form Form
	// Horizon is the last cycle of the programme; 0 means Instance.Safe. A
	// Result within a shorter one is never Exact.
	Horizon int64
	Solver  milp.Solver
	// TimeLimit bounds the wall-clock time of the solver; 0 means no limit.
	TimeLimit time.Duration
	// MemoryBytes limits the solver's memory; 0 is what the solver allows. CBC and
	// GLPK do not honour it.
	MemoryBytes int64
	// Progress, where set, receives the solver's log line by line.
	Progress func(line string)
}

// Result is the answer of one programme. All cycles are counts of cycles.
type Result struct {
	// Cycles is the worst-case makespan where Exact, and an upper bound of it
	// otherwise.
	Cycles int64
	Exact  bool
	// DualBound is what the solver proved of the schedules within Horizon: none
	// is longer. It is at most Horizon.
	DualBound int64
	// Found is the makespan of Schedule, a schedule that exists; 0 and nil where
	// the solver had none when it was stopped.
	Found    int64
	Schedule *makespan.Schedule
	// Horizon is the one used, Safe the closed bound.
	Horizon, Safe int64
	// Columns, Rows and Terms are the size of the programme.
	Columns, Rows, Terms int
	// Nodes of the search, -1 where the solver does not tell.
	Nodes   int64
	Elapsed time.Duration
	// Solver is the solver's name and version.
	Solver string
}

// HorizonError is a horizon within which no schedule ends.
type HorizonError struct {
	Horizon, Safe int64
}

func (e *HorizonError) Error() string {
	return fmt.Sprintf("no schedule ends within the horizon of %d cycles; %d are always enough", e.Horizon, e.Safe)
}

// SolverError is a solver that gave no answer, or one that fails its checks:
// nothing new is then known of the instance.
type SolverError struct {
	Solver string // its name
	Err    error
}

func (e *SolverError) Error() string { return e.Solver + ": " + e.Err.Error() }

// Unwrap gives the solver's own error.
func (e *SolverError) Unwrap() error { return e.Err }

// Solve computes the worst-case makespan of an instance. Where the time limit ends
// the search, the Result is not Exact and its Cycles are the dual bound, rounded to
// the weak side, or Instance.Safe where that is less.
//
// Errors are *makespan.LimitError with the bound reached when ctx ends, the
// programme would be too large or the solver's memory does not suffice,
// *HorizonError, and *SolverError; among the latter are a point that breaks a
// constraint or is no schedule, a dual bound below that point or below any schedule,
// and a claim of infeasibility where there are schedules.
func Solve(ctx context.Context, in *makespan.Instance, opts Options) (*Result, error) {
	if opts.Solver == nil {
		return nil, errors.New("no solver given")
	}
	safe, err := in.Safe()
	if err != nil {
		return nil, err
	}
	horizon := opts.Horizon
	switch {
	case horizon < 0:
		return nil, fmt.Errorf("a horizon of %d cycles, expected at least 1, or 0 for the safe one", horizon)
	case horizon == 0:
		horizon = safe
	case horizon < in.Length:
		return nil, &HorizonError{Horizon: horizon, Safe: safe}
	}
	m, err := build(in, opts.Form, horizon)
	if err != nil {
		return nil, withBound(err, safe)
	}
	start := time.Now()
	sol, err := opts.Solver.Solve(ctx, &m.problem, milp.Options{
		TimeLimit: opts.TimeLimit, MemoryBytes: opts.MemoryBytes, Progress: opts.Progress,
	})
	if err != nil {
		return nil, m.failed(ctx, sol, safe, time.Since(start), &SolverError{opts.Solver.Name(), err})
	}
	r, err := m.result(sol, safe, opts.TimeLimit)
	if horizon := (*HorizonError)(nil); err != nil && !errors.As(err, &horizon) {
		err = &SolverError{opts.Solver.Name(), err}
	}
	return r, err
}

// Write writes the programme of an instance in CPLEX LP format, with the horizon
// Instance.Safe. It returns *makespan.LimitError where it would be too large.
func Write(w io.Writer, in *makespan.Instance, form Form) error {
	safe, err := in.Safe()
	if err != nil {
		return err
	}
	m, err := build(in, form, safe)
	if err != nil {
		return withBound(err, safe)
	}
	return milp.WriteLP(w, &m.problem)
}

// withBound adds the closed bound to a LimitError.
func withBound(err error, safe int64) error {
	var limit *makespan.LimitError
	if errors.As(err, &limit) {
		limit.Cycles = safe
	}
	return err
}

// result turns a solver's answer into a Result, trusting only its dual bound.
func (m *model) result(sol *milp.Solution, safe int64, limit time.Duration) (*Result, error) {
	r := &Result{
		DualBound: int64(m.horizon), Horizon: int64(m.horizon), Safe: safe,
		Columns: len(m.problem.Columns), Rows: len(m.problem.Rows), Terms: m.problem.Nonzeros(),
		Nodes: sol.Nodes, Elapsed: sol.Elapsed, Solver: sol.Solver,
	}
	switch sol.Status {
	case milp.Infeasible:
		if r.Horizon < safe {
			return nil, &HorizonError{Horizon: r.Horizon, Safe: safe}
		}
		return nil, fmt.Errorf("it calls the programme infeasible, which it is not within %d cycles: %s", safe, sol.Message)
	case milp.Unbounded:
		return nil, fmt.Errorf("it calls the programme unbounded, but no schedule is longer than its horizon: %s", sol.Message)
	case milp.Failed:
		if limit == 0 || sol.Elapsed < limit/10*9 {
			return nil, fmt.Errorf("it failed: %s", sol.Message)
		}
	}
	certificate, err := milp.Certify(&m.problem, sol)
	if err != nil {
		return nil, err
	}
	if certificate.HasBound {
		r.DualBound = min(r.DualBound, certificate.Bound)
	}
	if certificate.Point != nil {
		if err := m.witness(r, certificate.Point); err != nil {
			return nil, err
		}
	}
	r.Cycles = safe
	if r.Horizon >= safe {
		if least := m.least(); r.DualBound < least {
			return nil, fmt.Errorf("a proof that no schedule is longer than %d cycles, where none is shorter than %d", r.DualBound, least)
		}
		r.Cycles = min(safe, r.DualBound)
		r.Exact = r.Found == r.Cycles
	}
	return r, nil
}

// least is a lower bound on every makespan: a warp takes a cycle for each
// instruction, and a kind executes no more than its capacity in a cycle.
func (m *model) least() int64 {
	least := m.in.Length
	for k, kind := range m.in.Kinds {
		least = max(least, (m.in.Warps*kind.Count-1)/m.capacity(k)+1)
	}
	return least
}

// witness fills in the schedule that a checked point stands for.
func (m *model) witness(r *Result, point *milp.IntegerPoint) error {
	s, err := m.schedule(point.Values)
	if err != nil {
		return fmt.Errorf("reading the solution: %w", err)
	}
	if err := s.Check(m.in); err != nil {
		return fmt.Errorf("the solution is no schedule: %w", err)
	}
	r.Schedule, r.Found = s, s.MakespanCycles()
	if r.Found != point.Objective {
		return fmt.Errorf("the solution has a makespan of %d cycles and an objective of %d", r.Found, point.Objective)
	}
	if r.Found > r.Safe {
		return fmt.Errorf("the solution has a makespan of %d cycles, above the closed bound %d", r.Found, r.Safe)
	}
	return nil
}

// failed makes a LimitError of a solver's error where ctx has ended, with the
// bound that the solver had proved, or where memory did not suffice.
func (m *model) failed(ctx context.Context, sol *milp.Solution, safe int64, elapsed time.Duration, err error) error {
	switch {
	case ctx.Err() == nil && errors.Is(err, milp.ErrMemory):
		return &makespan.LimitError{What: "memory", Detail: err.Error(), Cycles: safe, Cause: err}
	case ctx.Err() == nil:
		return err
	}
	bound := safe
	if sol != nil && int64(m.horizon) >= safe {
		if r, err := m.result(sol, safe, 0); err == nil {
			bound = r.Cycles
		}
	}
	return &makespan.LimitError{What: "time", Detail: fmt.Sprintf(
		"stopped after %v", elapsed.Round(time.Millisecond)), Cycles: bound, Cause: context.Cause(ctx)}
}
