package study

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

// answers is a method that says so, without a witness unless given one.
func answers(name string, exact bool, cycles int64, s *makespan.Schedule) method {
	return method{
		name: name, exact: exact, eager: func(*runner) bool { return true },
		run: func(context.Context, *makespan.Instance, task) (*outcome, error) {
			return &outcome{cycles: cycles, schedule: s}, nil
		},
	}
}

// Methods that contradict each other, the closed form or their witness are found
// out. T(2) of LLC is 5, the closed bound 6.
func TestContradictions(t *testing.T) {
	in := reference.Instance(t, "LLC", 2, 1, 1)
	five := &makespan.Schedule{Cycle: [][]int32{{1, 2, 3}, {3, 4, 5}}}
	idle := &makespan.Schedule{Cycle: [][]int32{{1, 2, 3}, {4, 5, 6}}}
	for want, methods := range map[string][]method{
		"":                                            {answers("a", true, 5, five), answers("b", false, 5, nil), answers("c", true, 5, nil)},
		"a says exactly 5 cycles, b exactly 4":        {answers("a", true, 5, nil), answers("b", true, 4, nil)},
		"b says at most 4 cycles, a exactly 5":        {answers("a", true, 5, nil), answers("b", false, 4, nil)},
		"a says exactly 5 cycles, b at most 4":        {answers("b", false, 4, nil), answers("a", true, 5, nil)},
		"a says exactly 7 cycles, safe at most 6":     {answers("a", true, 7, nil)},
		"a says 4 cycles, its witness takes 5":        {answers("a", true, 4, five)},
		"the witness of a is no schedule: cycle 3: w": {answers("a", true, 6, idle)},
	} {
		_, err := Run(context.Background(), in, Config{methods: methods})
		var fault *ContradictionError
		if want == "" {
			if err != nil {
				t.Errorf("%v, though nothing contradicts", err)
			}
			continue
		}
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "INTERNAL ERROR") {
			t.Errorf("%v, expected %q", err, want)
		}
		if _, err := Trace(context.Background(), in, Config{methods: methods, Methods: []string{All}}, 2); !errors.As(err, &fault) {
			t.Errorf("curve: %v, expected a contradiction", err)
		}
	}
}

// fails is a method that ends in an error.
func fails(name string, err error) method {
	return method{
		name: name, exact: true, eager: func(*runner) bool { return true },
		run: func(context.Context, *makespan.Instance, task) (*outcome, error) { return nil, err },
	}
}

// An exhausted budget leaves what was proved; any other error is one.
func TestExhaustedBudgets(t *testing.T) {
	in := reference.Instance(t, "LCL", 4, 1, 1)
	s := run(t, in, Config{methods: []method{fails("a", &makespan.LimitError{What: "time", Detail: "all of it", Cycles: 10}), fails("b", &makespan.LimitError{What: "memory"})}})
	a, b := s.Row("a"), s.Row("b")
	if s.Complete || s.Exact != nil || *s.Best != (Answer{Method: "a", Cycles: 10}) ||
		a.Kind != SafeBound || a.Unfinished != "out of time: all of it" || b.Kind != NoAnswer || b.Unfinished == "" {
		t.Errorf("%+v: %+v, %+v", s, a, b)
	}
	other := errors.New("no such solver")
	if _, err := Run(context.Background(), in, Config{methods: []method{fails("a", other)}}); !errors.Is(err, other) {
		t.Errorf("%v", err)
	}
	// Budgets reach the methods.
	s = run(t, reference.Instance(t, "LLCLL", 300, 1, 1), Config{Methods: []string{DP}, MemoryBytes: 1 << 12})
	if row := s.Row(DP); s.Complete || row.Kind != SafeBound || row.Cycles != 1500 || !strings.Contains(row.Unfinished, "out of memory") {
		t.Errorf("%+v", row)
	}
	s = run(t, reference.Instance(t, "LLCLL", 900, 1, 1), Config{Methods: []string{DP, Estimate}, Timeout: 200 * time.Millisecond})
	if row := s.Row(DP); s.Complete || row.Cycles != 4500 || !strings.Contains(row.Unfinished, "out of time") || s.Estimated == nil {
		t.Errorf("%+v", row)
	}
	c, err := Trace(context.Background(), reference.Instance(t, "LLCLL", 900, 1, 1), Config{Methods: []string{DP}, Timeout: 100 * time.Millisecond}, 900)
	if err != nil || len(c.Points) == 0 || len(c.Points) == 900 || !strings.Contains(c.Stopped, "out of time") {
		t.Errorf("%d points, %q, %v", len(c.Points), c.Stopped, err)
	}
}

// upTo is an exact method for LLC with capacities 1 that exhausts its budget on
// more than so many warps.
func upTo(name string, most int64) method {
	m := answers(name, true, 0, nil)
	m.run = func(_ context.Context, in *makespan.Instance, _ task) (*outcome, error) {
		if in.Warps > most {
			return nil, &makespan.LimitError{What: "time", Detail: "too many"}
		}
		return &outcome{cycles: 2*in.Warps + 1}, nil
	}
	return m
}

// A method that exhausts its budget on one point is not run on those after it; the
// curve ends where none is left.
func TestCurveOutlastsItsMethods(t *testing.T) {
	in := reference.Instance(t, "LLC", 8, 1, 1)
	c, err := Trace(context.Background(), in, Config{Methods: []string{All}, methods: []method{upTo("a", 2), upTo("b", 4)}}, 8)
	if err != nil || len(c.Points) != 4 || c.Stopped != "b, 5 warps: out of time: too many" {
		t.Fatalf("%+v, %v", c, err)
	}
	for i, p := range c.Points {
		method, ran := "a", 2
		if i >= 2 {
			method = "b"
		}
		if i == 3 {
			ran = 1
		}
		if p.Method != method || len(p.Times) != ran || p.Exact != 2*p.X+1 || p.Raw != (8+p.X-1)/p.X*p.Exact {
			t.Errorf("%+v", p)
		}
	}
	if at := c.Points[2].Times[0]; at.Method != "a" || at.Unfinished == "" {
		t.Errorf("%+v", at)
	}
}

// What nobody asked for is left out where it has no answer and is not missed.
func TestUnaskedFailures(t *testing.T) {
	in := reference.Instance(t, "LCL", 4, 1, 1)
	limit := &makespan.LimitError{What: "states", Detail: "many"}
	nothing := answers("c", true, 0, nil)
	for _, c := range []struct {
		methods []string
		exact   bool
		rows    int // beside the closed forms and the estimate
	}{{nil, true, 1}, {nil, false, 1}, {[]string{All}, true, 3}} {
		methods := []method{fails("a", limit), nothing}
		if c.exact {
			methods = append(methods, answers("b", true, 9, nil))
		}
		s := run(t, in, Config{Methods: c.methods, methods: methods})
		if got := len(s.Rows) - 3; got != c.rows || s.Complete != c.exact {
			t.Errorf("%v: %+v", c, s.Rows)
		}
	}
}

// Who interrupts keeps what is finished.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in := reference.Instance(t, "LLCLL", 900, 1, 1)
	stop := answers("a", false, 4000, nil)
	stop.run = func(context.Context, *makespan.Instance, task) (*outcome, error) {
		cancel()
		return &outcome{cycles: 4000}, nil
	}
	s, err := Run(ctx, in, Config{methods: []method{stop, fails("b", errors.New("not run"))}})
	if !errors.Is(err, context.Canceled) || s.Best.Cycles != 4000 || s.Row("b") != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if c, err := Trace(ctx, in, Config{}, 5); !errors.Is(err, context.Canceled) || len(c.Points) > 5 {
		t.Errorf("%+v, %v", c, err)
	}
}

// named are the methods of the registry with these names.
func named(names ...string) []method {
	var out []method
	for _, m := range registry() {
		for _, name := range names {
			if m.name == name {
				out = append(out, m)
			}
		}
	}
	return out
}

// A method that says too little, and schedules that refute it: of 20 warps of LLCLL,
// that take 81 cycles.
func TestWrongBounds(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 20, 1, 1)
	for _, cycles := range []int64{5, 79, 80} {
		var fault *ContradictionError
		_, err := Run(context.Background(), in, Config{Methods: []string{All}, methods: append([]method{answers("a", false, cycles, nil)}, named(Search)...)})
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), "search: a schedule of ") {
			t.Errorf("%d cycles: %v, expected a contradiction", cycles, err)
		}
	}
}

// A solver that fails costs its own row and no other.
func TestFailingSolvers(t *testing.T) {
	in := reference.Instance(t, "LLC", 3, 1, 1)
	if runtime.GOOS != "windows" {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "cbc"), []byte("#!/bin/sh\necho no licence\nexit 3\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		s := run(t, in, Config{Methods: []string{ILPShort, DP}, Solver: "cbc"})
		row := s.Row(ILPShort)
		if row.Kind != NoAnswer || row.Unfinished != "cbc: exit status 3; it said: no licence" || s.Exact == nil || s.Exact.Method != DP {
			t.Errorf("%+v, %+v", row, s.Exact)
		}
		c, err := Trace(context.Background(), in, Config{Methods: []string{ILPShort}, Solver: "cbc"}, 3)
		if err != nil || len(c.Points) != 0 || !strings.Contains(c.Stopped, "exit status 3") {
			t.Errorf("%+v, %v", c, err)
		}
	}
	// The budget of memory reaches the solver.
	s := run(t, reference.Instance(t, "LLCLLC", 12, 1, 1), Config{Methods: []string{ILPShort}, MemoryBytes: 1 << 20})
	if row := s.Row(ILPShort); row.Kind != SafeBound || row.Cycles != 72 || !strings.HasPrefix(row.Unfinished, "out of memory: highs: ") || s.Complete {
		t.Errorf("%+v", row)
	}
}

// What nobody named shares one budget, and what cannot end within it is not begun.
func TestEagerBudget(t *testing.T) {
	var given []time.Duration
	slow := answers("a", false, 0, nil)
	slow.run = func(ctx context.Context, _ *makespan.Instance, task task) (*outcome, error) {
		given = append(given, task.budget.Timeout)
		<-ctx.Done()
		return nil, &makespan.LimitError{What: "time", Cause: ctx.Err()}
	}
	in := reference.Instance(t, "LCL", 4, 1, 1)
	s := run(t, in, Config{Eager: 200 * time.Millisecond, methods: []method{slow, slow, slow}})
	if len(given) != 3 || given[0] > 200*time.Millisecond || given[1] > 10*time.Millisecond || s.Complete {
		t.Errorf("%v given", given)
	}
	if row := s.Row("a"); row.Unfinished != "out of time (200ms allowed)" {
		t.Errorf("%+v", row)
	}
	// 57 million states of 190 letters each are no matter of seconds.
	long := reference.Instance(t, "L43(C2L2)20L20C30L17", 4, 1, 1)
	s = run(t, long, Config{})
	if s.Row(DP) != nil || s.Best.Cycles != 760 || s.Best.Method != Safe {
		t.Errorf("%+v", s.Rows)
	}
	if _, err := Run(context.Background(), in, Config{Eager: -1}); err == nil {
		t.Error("a budget below 0")
	}
}

// A schedule of warps is made where the memory allows it: one of counts may be small
// where that is not.
func TestLargeWitnesses(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 4000, 1, 1)
	// Two warps of L: the schedule is 2·(24 + 4) bytes, and its check takes 24.
	two, moves := reference.Instance(t, "L", 2, 1), [][]int32{{1}, {1}}
	for memory, want := range map[int64]bool{79: false, 80: true} {
		out := &outcome{note: "a"}
		err := out.witness(two, moves, Budget{MemoryBytes: memory})
		if err != nil || (out.schedule != nil) != want || strings.HasPrefix(out.note, "a; no schedule: out of memory: ") == want {
			t.Errorf("%d bytes: %+v, %v", memory, out, err)
		}
	}
	for memory, want := range map[int64]bool{1 << 20: true, 250_000: false, 100_000: false} {
		s := run(t, in, Config{Methods: []string{Search}, Witness: true, MemoryBytes: memory})
		row := s.Row(Search)
		if s.Exact == nil || s.Exact.Cycles != 16001 || (s.Exact.Schedule != nil) != want || strings.Contains(row.Note, "no schedule: out of memory") == want {
			t.Errorf("%d bytes: %+v", memory, row)
		}
	}
}

// The line of the steepest course is told of the numbers of warps that it bounds.
func TestNotesOfCourses(t *testing.T) {
	for warps := int64(1); warps <= 12; warps++ {
		for _, text := range []string{"LCL", "LCCL"} {
			in := reference.Instance(t, text, warps, 1, 1)
			s := run(t, in, Config{Methods: []string{Courses}})
			row := s.Row(Courses)
			courses, err := (&certificate{}).deriveCourses(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			line, ok := courses.Line().At(warps)
			if told := strings.Contains(row.Note, "T(W) <= "); told != (ok && line == row.Cycles) || !strings.Contains(row.Note, "courses") {
				t.Errorf("%s, %d warps: %d cycles, %s; the line gives %d, %t", text, warps, row.Cycles, row.Note, line, ok)
			}
		}
	}
}

// That a string has no courses is found out once.
func TestRefusedCoursesAreKept(t *testing.T) {
	c := &certificate{}
	in := reference.Instance(t, strings.Repeat("LC", 20), 4, 1, 1)
	_, first := c.deriveCourses(context.Background(), in)
	_, again := c.deriveCourses(context.Background(), in)
	if first == nil || first != again {
		t.Errorf("%v, then %v", first, again)
	}
	// An ended context says nothing of the string.
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	c, in = &certificate{}, reference.Instance(t, "LC", 4, 1, 1)
	if _, err := c.deriveCourses(gone, in); err == nil {
		t.Error("no error of an ended context")
	}
	if courses, err := c.deriveCourses(context.Background(), in); err != nil || courses == nil {
		t.Errorf("%v", err)
	}
}
