package milptest

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/milp"
)

// tolerance is that of a comparison with a float64 result of a solver.
const tolerance = 1e-6

// Conformance runs every Case and n Random problems on a solver.
func Conformance(t *testing.T, s milp.Solver, n uint64) {
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) { checkCase(t, s, c) })
	}
	t.Run("random against enumeration", func(t *testing.T) {
		feasible := 0
		for seed := range n {
			if againstEnumeration(t, s, seed) {
				feasible++
			}
		}
		if n >= 50 && (feasible < int(n)/4 || feasible > int(n)*19/20) {
			t.Errorf("%d of %d problems feasible: the generator tests one side only", feasible, n)
		}
	})
	t.Run("invalid problem", func(t *testing.T) {
		p := &milp.Problem{}
		p.AddBinary("free")
		if _, err := s.Solve(context.Background(), p, milp.Options{}); !errors.Is(err, milp.ErrInvalid) {
			t.Errorf("error %v, want ErrInvalid", err)
		}
	})
	t.Run("cancelled before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.Solve(ctx, MarketSplit(4, 30, 1), milp.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	})
}

func checkCase(t *testing.T, s milp.Solver, c Case) {
	sol, err := s.Solve(context.Background(), c.Problem, milp.Options{TimeLimit: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if sol.Status != c.Status {
		t.Fatalf("status %v (%s), want %v", sol.Status, sol.Message, c.Status)
	}
	if c.Status != milp.Optimal {
		return
	}
	if math.Abs(sol.Objective-c.Objective) > tolerance || math.Abs(sol.DualBound-c.Objective) > tolerance+sol.BoundError {
		t.Errorf("objective %v, dual bound %v, want %v", sol.Objective, sol.DualBound, c.Objective)
	}
	if err := CheckFeasible(c.Problem, sol.Values, tolerance); err != nil {
		t.Error(err)
	}
}

// againstEnumeration reports whether the problem is feasible.
func againstEnumeration(t *testing.T, s milp.Solver, seed uint64) bool {
	p := Random(seed)
	want, feasible := Enumerate(p)
	sol, err := s.Solve(context.Background(), p, milp.Options{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !feasible {
		if sol.Status != milp.Infeasible {
			t.Errorf("seed %d: status %v (%s), want infeasible", seed, sol.Status, sol.Message)
		}
		return false
	}
	cert, err := milp.Certify(p, sol)
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
		return true
	}
	if cert.Status != milp.Optimal || cert.Point.Objective != want || cert.Bound != want {
		t.Errorf("seed %d: %+v (%s), want optimum %d", seed, cert, sol.Message, want)
	}
	return true
}

// Limited solves a problem that takes minutes within one second, and checks
// that what comes back is a limit's outcome on the right side of the optimum,
// which is between 0 and 1000.
func Limited(t *testing.T, s milp.Solver, maximize bool) {
	p := MarketSplit(4, 30, 1)
	if p.Maximize = maximize; maximize {
		for i := range p.Columns {
			p.Columns[i].Cost = -p.Columns[i].Cost
		}
	}
	const limit = 500 * time.Millisecond
	began := time.Now()
	sol, err := s.Solve(context.Background(), p, milp.Options{TimeLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d > limit+milp.Grace+time.Second {
		t.Errorf("took %v for a limit of %v", d, limit)
	}
	if sol.Status != milp.Feasible && sol.Status != milp.BoundOnly {
		t.Fatalf("status %v (%s), want feasible or bound only", sol.Status, sol.Message)
	}
	cert, err := milp.Certify(p, sol)
	if err != nil {
		t.Fatal(err)
	}
	bound := cert.Bound
	if maximize {
		bound = -bound
	}
	// The optimum is at least 0; a bound above an incumbent would be wrong.
	if !cert.HasBound || bound < -1 || cert.Point != nil && bound > abs(cert.Point.Objective) {
		t.Errorf("certificate %+v of %v: the bound is not the dual one", cert, sol.DualBound)
	}
	if cert.Status == milp.Optimal {
		t.Errorf("certificate %+v: proved within %v", cert, limit)
	}
}

// Cancelled cancels a solve that takes minutes.
func Cancelled(t *testing.T, s milp.Solver) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := s.Solve(ctx, MarketSplit(4, 30, 1), milp.Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want context.DeadlineExceeded", err)
	}
	if d := time.Since(began); d > milp.Grace {
		t.Errorf("stopped after %v", d)
	}
}

func abs(v int64) int64 {
	if v < 0 {
		return -v
	}
	return v
}
