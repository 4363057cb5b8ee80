package ilp

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/milp"
	"github.com/warpbound/warpbound/internal/milp/highs"
)

// exactly solves without limits and demands the exact value.
func exactly(t testing.TB, in *makespan.Instance, form Form, solver milp.Solver, want int64) {
	t.Helper()
	r, err := Solve(context.Background(), in, Options{Form: form, Solver: solver})
	if err != nil {
		t.Fatalf("%s %v, %d warps, %v: %v", in.Text(), in.Capacities(), in.Warps, form, err)
	}
	if !r.Exact || r.Cycles != want || r.Found != want || r.DualBound != want {
		t.Errorf("%s %v, %d warps, %v: exact %v, %d cycles, found %d, dual bound %d, want %d",
			in.Text(), in.Capacities(), in.Warps, form, r.Exact, r.Cycles, r.Found, r.DualBound, want)
	}
	if err := r.Schedule.Check(in); err != nil || r.Schedule.MakespanCycles() != want {
		t.Errorf("%s, %d warps, %v: schedule of %d cycles, %v", in.Text(), in.Warps, form, r.Schedule.MakespanCycles(), err)
	}
}

// TestTable: all forms give the table's values, as far as HiGHS solves them in
// fractions of a second.
func TestTable(t *testing.T) {
	for _, row := range reference.Table() {
		for w := int64(1); w <= 3; w++ {
			in := reference.Instance(t, row.Text, w, row.L, row.C)
			safe, err := in.Safe()
			if err != nil {
				t.Fatal(err)
			}
			want := row.Cycles[w-1]
			if safe <= 19 {
				exactly(t, in, Counts, highs.Solver{}, want)
			}
			if w == 1 || safe <= 12 && w == 2 || safe <= 8 {
				exactly(t, in, Short, highs.Solver{}, want)
				exactly(t, in, Long, highs.Solver{}, want)
			}
		}
	}
}

// TestAllShortStrings: all strings of up to 3 letters in all forms, of 4 in
// Counts, against a longest path.
func TestAllShortStrings(t *testing.T) {
	for _, text := range reference.Strings("LC", 4) {
		for _, capacities := range reference.Tuples(2, 2) {
			in := reference.Instance(t, text, 2, capacities...)
			if len(text) <= 3 {
				want := reference.Longest(in)
				exactly(t, in, Short, highs.Solver{}, want)
				exactly(t, in, Long, highs.Solver{}, want)
			}
			in = in.WithWarps(3)
			exactly(t, in, Counts, highs.Solver{}, reference.Longest(in))
		}
	}
}

// TestRandomCounts takes up to 4 kinds and more capacity than there are warps.
func TestRandomCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune(reference.Letters[:4])), 1, 4, -1).Draw(rt, "text")
		capacities := rapid.SliceOfN(rapid.Int64Range(1, 5), 4, 4).Draw(rt, "capacities")
		in := reference.Instance(t, text, rapid.Int64Range(1, 4).Draw(rt, "warps"), capacities...)
		exactly(t, in, Counts, highs.Solver{}, reference.Longest(in))
	})
}

// TestHugeCapacity: coefficients stay small enough for a solver.
func TestHugeCapacity(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1<<60, 1<<60)
	for _, form := range []Form{Short, Long, Counts} {
		exactly(t, in, form, highs.Solver{}, 2)
	}
}

// TestPublishedHorizon: the paper's horizon cuts the optimum of LL with capacity 2
// and 4 warps off. Within it, 4 cycles are optimal; the worst case is 5.
func TestPublishedHorizon(t *testing.T) {
	in := reference.Instance(t, "LL", 4, 2)
	published, err := in.Published()
	if err != nil || published != 4 {
		t.Fatalf("published figure %d, %v, want 4", published, err)
	}
	for _, form := range []Form{Short, Long, Counts} {
		r, err := Solve(context.Background(), in, Options{Form: form, Solver: highs.Solver{}, Horizon: published})
		if err != nil {
			t.Fatal(err)
		}
		if r.Found != 4 || r.DualBound != 4 {
			t.Errorf("%v: found %d and proved %d within the published horizon, want 4", form, r.Found, r.DualBound)
		}
		if r.Exact || r.Cycles != r.Safe {
			t.Errorf("%v: %d cycles, exact %v, want the safe %d and not exact", form, r.Cycles, r.Exact, r.Safe)
		}
		exactly(t, in, form, highs.Solver{}, 5)
	}
}

// TestLongHorizon: what lies beyond the safe horizon changes nothing.
func TestLongHorizon(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1, 1)
	for _, form := range []Form{Short, Long, Counts} {
		r, err := Solve(context.Background(), in, Options{Form: form, Solver: highs.Solver{}, Horizon: 8})
		if err != nil || !r.Exact || r.Cycles != 3 {
			t.Errorf("%v: %+v, %v, want 3 cycles", form, r, err)
		}
	}
}

// TestShortHorizon: within 2 cycles LC ends for one warp and not for two; within 1
// for none.
func TestShortHorizon(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1, 1)
	for _, form := range []Form{Short, Long, Counts} {
		for _, horizon := range []int64{1, 2} {
			_, err := Solve(context.Background(), in, Options{Form: form, Solver: highs.Solver{}, Horizon: horizon})
			var h *HorizonError
			if !errors.As(err, &h) || h.Horizon != horizon || h.Safe != 4 {
				t.Errorf("%v, horizon %d: %v, want a HorizonError", form, horizon, err)
			} else if want := "4 are always enough"; !strings.Contains(h.Error(), want) {
				t.Errorf("%q does not say %q", h, want)
			}
		}
	}
}

// TestTimeLimit: what is reported at the limit is a bound, not what was found.
func TestTimeLimit(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 5, 1, 1)
	lines := 0
	r, err := Solve(context.Background(), in, Options{
		Form: Short, Solver: highs.Solver{}, TimeLimit: 700 * time.Millisecond, Progress: func(string) { lines++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Exact || r.Cycles < 21 || r.Cycles > r.Safe || r.DualBound < 21 || r.Found > 21 {
		t.Errorf("exact %v, %d cycles, dual bound %d, found %d; the worst case is 21", r.Exact, r.Cycles, r.DualBound, r.Found)
	}
	if lines == 0 {
		t.Error("no progress")
	}
}

func TestCancel(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 5, 1, 1)
	already, cancel := context.WithCancel(context.Background())
	cancel()
	soon, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	for _, ctx := range []context.Context{already, soon} {
		r, err := Solve(ctx, in, Options{Form: Short, Solver: highs.Solver{}})
		var limit *makespan.LimitError
		if !errors.As(err, &limit) {
			t.Fatalf("%+v, %v, want a LimitError", r, err)
		}
		if limit.What != "time" || limit.Cycles < 21 || limit.Cycles > 25 || !errors.Is(err, ctx.Err()) {
			t.Errorf("%+v, want a bound from 21 to 25 and %v", limit, ctx.Err())
		}
	}
}

// scripted is a solver that gives a prepared answer.
type scripted struct {
	answer func(p *milp.Problem) (*milp.Solution, error)
}

func (scripted) Name() string    { return "scripted" }
func (scripted) Version() string { return "scripted 1" }
func (s scripted) Solve(_ context.Context, p *milp.Problem, _ milp.Options) (*milp.Solution, error) {
	sol, err := s.answer(p)
	if sol != nil {
		sol.Solver = "scripted 1"
	}
	return sol, err
}

// lawless is a solver that forgets the rows and sets the named columns to 1.
func lawless(ones ...string) scripted {
	return scripted{func(p *milp.Problem) (*milp.Solution, error) {
		p.Rows = nil
		s := &milp.Solution{Status: milp.Feasible, DualBound: 4, Values: make([]float64, len(p.Columns))}
		for c := range p.Columns {
			if slices.Contains(ones, p.Columns[c].Name) {
				s.Values[c] = 1
			}
		}
		return s, nil
	}}
}

// TestSolverIsNotTrusted: what a solver says wrongly is an error or a weaker
// result, never a wrong one. The instance is LC with 2 warps: 3 cycles, safe 4.
func TestSolverIsNotTrusted(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1, 1)
	change := func(f func(p *milp.Problem, s *milp.Solution)) scripted {
		return scripted{func(p *milp.Problem) (*milp.Solution, error) {
			s, err := highs.Solver{}.Solve(context.Background(), p, milp.Options{})
			if err == nil {
				f(p, s)
			}
			return s, err
		}}
	}
	for _, c := range []struct {
		name   string
		form   Form
		solver scripted
		limit  time.Duration
		cycles int64 // with no error
		exact  bool
		err    string
	}{
		{name: "truth", cycles: 3, exact: true,
			solver: change(func(*milp.Problem, *milp.Solution) {})},
		{name: "noise below the optimum", cycles: 3, exact: true,
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.DualBound = 3 - 1e-7 })},
		{name: "noise above the optimum", cycles: 3, exact: true,
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.DualBound = 3 + 1e-7 })},
		{name: "optimal with a gap", cycles: 4, exact: false,
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.DualBound = 4 })},
		{name: "a bound above the horizon", cycles: 4, exact: false,
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.Status, s.DualBound = milp.Feasible, 7 })},
		{name: "no bound", cycles: 4, exact: false,
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.Status, s.DualBound = milp.Feasible, math.Inf(1) })},
		{name: "no point", cycles: 3, exact: false,
			solver: change(func(_ *milp.Problem, s *milp.Solution) {
				s.Status, s.Objective, s.Values = milp.BoundOnly, math.NaN(), nil
			})},
		{name: "nothing at the limit", cycles: 4, exact: false, limit: time.Second,
			solver: scripted{func(*milp.Problem) (*milp.Solution, error) {
				return &milp.Solution{Status: milp.Failed, DualBound: math.Inf(1), Elapsed: time.Second}, nil
			}}},
		{name: "nothing before the limit", err: "failed: broken", limit: time.Minute,
			solver: scripted{func(*milp.Problem) (*milp.Solution, error) {
				return &milp.Solution{Status: milp.Failed, DualBound: math.Inf(1), Elapsed: time.Second, Message: "broken"}, nil
			}}},
		{name: "bound below the point", err: "contradiction",
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.DualBound = 2 })},
		{name: "bound below every schedule", err: "none is shorter than 2",
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.Status, s.DualBound, s.Values = milp.BoundOnly, 1, nil })},
		{name: "point that breaks a row", err: "violated",
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.Values[0] = 1 - s.Values[0] })},
		{name: "fractional point", err: "not an integer",
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.Values[0] = 0.5 })},
		{name: "infeasible", err: "calls the programme infeasible, which it is not",
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.Status = milp.Infeasible })},
		{name: "unbounded", err: "unbounded",
			solver: change(func(_ *milp.Problem, s *milp.Solution) { s.Status = milp.Unbounded })},
		{name: "error", err: "no licence",
			solver: scripted{func(*milp.Problem) (*milp.Solution, error) { return nil, errors.New("no licence") }}},
		{name: "point that is no schedule", err: "waits for", solver: lawless("x_w1_i1_t1", "x_w1_i2_t3", "x_w2_i1_t2", "x_w2_i2_t4")},
		{name: "another objective", err: "makespan of 3 cycles and an objective of 2", solver: lawless("x_w1_i1_t2", "x_w1_i2_t3", "x_w2_i1_t1", "x_w2_i2_t2")},
		{name: "counts that are no schedule", form: Counts, err: "reading the solution", solver: lawless("past_i2_t2")},
	} {
		r, err := Solve(context.Background(), in, Options{Form: c.form, Solver: c.solver, TimeLimit: c.limit})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.name, err, c.err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case r.Cycles != c.cycles || r.Exact != c.exact || r.DualBound < 3 || r.DualBound > 4:
			t.Errorf("%s: %d cycles, exact %v, dual bound %d, want %d, %v", c.name, r.Cycles, r.Exact, r.DualBound, c.cycles, c.exact)
		}
	}
}

// TestInterruptedBound: a bound proved before the interruption is not lost.
func TestInterruptedBound(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1, 1)
	for _, c := range []struct {
		sol  *milp.Solution
		want int64
	}{
		{nil, 4},
		{&milp.Solution{Status: milp.BoundOnly, DualBound: 3.5}, 3},
		{&milp.Solution{Status: milp.Failed, DualBound: math.Inf(1)}, 4},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		_, err := Solve(ctx, in, Options{Solver: scripted{func(*milp.Problem) (*milp.Solution, error) {
			cancel()
			return c.sol, ctx.Err()
		}}})
		var limit *makespan.LimitError
		if !errors.As(err, &limit) || limit.Cycles != c.want || !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v, want a LimitError with %d cycles", c.sol, err, c.want)
		}
	}
}

func TestBadInput(t *testing.T) {
	in := reference.Instance(t, "LC", 2, 1, 1)
	for _, c := range []struct {
		name string
		in   *makespan.Instance
		opts Options
		want string
	}{
		{"no solver", in, Options{}, "no solver"},
		{"negative horizon", in, Options{Solver: highs.Solver{}, Horizon: -1}, "horizon of -1 cycles"},
		{"form", in, Options{Solver: highs.Solver{}, Form: 7}, "form 7: no such form"},
		{"overflow", reference.Instance(t, "L2000000000", 1<<40, 1), Options{Solver: highs.Solver{}}, "too large to compute with"},
	} {
		if r, err := Solve(context.Background(), c.in, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want %q", c.name, r, err, c.want)
		}
	}
}

// TestTooLarge: no memory is spent on what no solver would solve.
func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		text  string
		warps int64
		l     int64 // capacity
		forms []Form
	}{
		{"LLCLL", 100, 1, []Form{Short, Long}},
		{"L30", 10, 1, []Form{Short, Long}},
		{"L1000000", 1, 1, []Form{Short, Long, Counts}},
		{"L2000000", 1, 1, []Form{Short, Long, Counts}},
		{"L", 1 << 50, 1, []Form{Short, Long, Counts}},
		{"L", 1 << 50, 1 << 60, []Form{Short, Long, Counts}},
	} {
		in := reference.Instance(t, c.text, c.warps, c.l, 1)
		safe, err := in.Safe()
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range c.forms {
			_, err := Solve(context.Background(), in, Options{Form: form, Solver: highs.Solver{}})
			var limit *makespan.LimitError
			if !errors.As(err, &limit) || limit.What != "memory" || limit.Cycles != safe {
				t.Errorf("%s, %d warps, %v: %v, want a LimitError with %d cycles", c.text, c.warps, form, err, safe)
			}
			if err := Write(&strings.Builder{}, in, form); !errors.As(err, &limit) {
				t.Errorf("%s, %d warps, %v: written: %v", c.text, c.warps, form, err)
			}
		}
	}
}

func TestForms(t *testing.T) {
	for _, form := range []Form{Short, Long, Counts} {
		if f, err := ParseForm(form.String()); f != form || err != nil {
			t.Errorf("%v: %v, %v", form, f, err)
		}
	}
	if _, err := ParseForm("tight"); err == nil || !strings.Contains(err.Error(), "short, long, counts") {
		t.Errorf("%v, want the forms", err)
	}
}
