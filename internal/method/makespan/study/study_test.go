package study

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

func run(t testing.TB, in *makespan.Instance, c Config) *Study {
	t.Helper()
	s, err := Run(context.Background(), in, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The default methods give the exact values of the table, with a witness that
// passes the checker.
func TestTable(t *testing.T) {
	for _, row := range reference.Table() {
		for w, want := range row.Cycles {
			in := reference.Instance(t, row.Text, int64(w)+1, row.L, row.C)
			s := run(t, in, Config{Witness: true})
			if s.Exact == nil || s.Exact.Cycles != want || *s.Best != *s.Exact || !s.Complete {
				t.Fatalf("%s %d/%d, %d warps: %+v, expected %d", row.Text, row.L, row.C, w+1, s, want)
			}
			if err := s.Exact.Schedule.Check(in); err != nil || s.Exact.Schedule.MakespanCycles() != want {
				t.Errorf("%s %d/%d, %d warps: witness: %v", row.Text, row.L, row.C, w+1, err)
			}
		}
	}
}

// Every method that is eager agrees with the longest path, and no safe figure is
// below it.
func TestRandomInstances(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("LCM")), 1, 7, -1).Draw(r, "string")
		capacity := rapid.SliceOfN(rapid.Int64Range(1, 3), 3, 3).Draw(r, "capacities")
		warps := rapid.Int64Range(1, 6).Draw(r, "warps")
		in := reference.Instance(t, text, warps, capacity...)
		want := reference.Longest(in)
		s := run(t, in, Config{Witness: true})
		if s.Exact == nil || s.Exact.Cycles != want {
			r.Fatalf("exact %+v, expected %d", s.Exact, want)
		}
		for _, row := range s.Rows {
			if row.Kind.safe() && row.Cycles < want {
				r.Errorf("%s: %d as %s, the worst case is %d", row.Method, row.Cycles, row.Kind, want)
			}
			if row.Kind == PublishedUnsafe && row.Cycles >= want {
				r.Errorf("%d is called unsafe, the worst case is %d", row.Cycles, want)
			}
		}
	})
}

// What is printed beside the published figures.
func TestPublishedFigures(t *testing.T) {
	for _, c := range []struct {
		text            string
		warps           int64
		l, c            int64
		paper           Kind
		paperNote, note string
		estimated       Point
	}{
		{"LCL", 4, 1, 1, PublishedSafe, "every σ is 1", "NOT a bound: the worst case is longer, 9; T is not subadditive here, T(2)+T(2) = 8 < T(4) = 9", Point{4, 8}},
		{"LL", 4, 2, 1, PublishedUnsafe, "NOT a bound: σ of L is 2, and the worst case is longer, 5", "NOT a bound", Point{4, 4}},
		{"LLC", 2, 2, 2, PublishedSafe, "not a bound in general where a σ is above 1 (σ of C is 2, σ of L is 2)", "NOT a bound: T need not be subadditive", Point{2, 3}},
	} {
		s := run(t, reference.Instance(t, c.text, c.warps, c.l, c.c), Config{})
		paper, estimate := s.Row(Paper), s.Row(Estimate)
		if paper.Kind != c.paper || !strings.Contains(paper.Note, c.paperNote) {
			t.Errorf("%s: %+v, expected %s, %s", c.text, paper, c.paper, c.paperNote)
		}
		if estimate.Kind != NotABound || !strings.Contains(estimate.Note, c.note) || *s.Estimated != c.estimated {
			t.Errorf("%s: %+v, %+v, expected %s, %+v", c.text, estimate, s.Estimated, c.note, c.estimated)
		}
	}
	// Nothing is known but that no proof covers the figure.
	s := run(t, reference.Instance(t, "LL", 4, 2), Config{Methods: []string{Safe}})
	if row := s.Row(Paper); row.Kind != PublishedUnsafe || !strings.Contains(row.Note, "proved only where every σ is 1") || s.Row(Estimate) != nil {
		t.Errorf("%+v", row)
	}
}

// The curves of Figures 6 and 7.
func TestPublishedCurves(t *testing.T) {
	six, seven := reference.Figure6(), reference.Figure7()
	for _, methods := range [][]string{nil, {DP}} {
		for _, f := range []struct {
			reference.Curve
			of func(CurvePoint) int64
		}{
			{six, func(p CurvePoint) int64 { return p.Least }},
			{seven, func(p CurvePoint) int64 { return p.Raw }},
		} {
			in := reference.Instance(t, f.Text, f.Warps, 1, 1)
			c, err := Trace(context.Background(), in, Config{Methods: methods}, int64(len(f.Cycles)))
			if err != nil || c.Stopped != "" || len(c.Points) != len(f.Cycles) {
				t.Fatalf("%s: %+v, %v", f.Text, c, err)
			}
			for i, want := range f.Cycles {
				p := c.Points[i]
				if f.of(p) != want || p.X != int64(i)+1 || p.Method == "" || len(p.Times) != len(methods) {
					t.Errorf("%s: %+v, published %d", f.Text, p, want)
				}
			}
		}
	}
}

// Progress is told by methods that count, and for others in seconds.
func TestProgress(t *testing.T) {
	var told []string
	slow := answers("a", true, 5, nil)
	slow.run = func(context.Context, *makespan.Instance, task) (*outcome, error) {
		time.Sleep(1200 * time.Millisecond)
		return &outcome{cycles: 5}, nil
	}
	counts := answers("b", true, 5, nil)
	counts.reports = true
	counts.run = func(_ context.Context, _ *makespan.Instance, t task) (*outcome, error) {
		t.progress(7, 9)
		return &outcome{cycles: 5}, nil
	}
	run(t, reference.Instance(t, "LLC", 2, 1, 1), Config{methods: []method{slow, counts}, Progress: func(method string, done, total int64) {
		told = append(told, fmt.Sprint(method, " ", done, "/", total))
	}})
	if len(told) < 2 || told[0] != "a 1/4" || told[len(told)-1] != "b 7/9" {
		t.Errorf("%v", told)
	}
}

func TestBadConfig(t *testing.T) {
	in := reference.Instance(t, "LLC", 4, 1, 1)
	for want, c := range map[string]Config{
		`method "dpp": did you mean dp?`: {Methods: []string{"dpp"}},
		"expected none below 0":          {MemoryBytes: -1},
	} {
		if _, err := Run(context.Background(), in, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
		if _, err := Trace(context.Background(), in, c, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	for _, most := range []int64{-1, 0, 5} {
		if _, err := Trace(context.Background(), in, Config{}, most); err == nil {
			t.Errorf("a curve of %d points of 4", most)
		}
	}
}

// Numbers of warps that nothing can go through one by one have exact makespans by
// laws: of a certificate's line, or else of the courses'.
func TestVeryManyWarps(t *testing.T) {
	for _, c := range []struct {
		text          string
		warps, cycles int64
	}{
		{"LLCLL", 1e9, 4e9 + 1},
		{"LLCLLCLL", 1e9, 6e9 + 2},
		{"LCCL", 1e6, 2e6 + 2},
	} {
		s := run(t, reference.Instance(t, c.text, c.warps, 1, 1), Config{})
		if s.Exact == nil || s.Exact.Method != Law || s.Exact.Cycles != c.cycles || !s.Complete {
			t.Errorf("%s, %d warps: %+v, %+v", c.text, c.warps, s.Exact, s.Rows)
		}
	}
	// A law says nothing of fewer warps than it begins with.
	s := run(t, reference.Instance(t, "LCL", 2, 1, 1), Config{Methods: []string{Law}})
	if row := s.Row(Law); row.Kind != NoAnswer || row.Note == "" || s.Exact != nil {
		t.Errorf("%+v", row)
	}
}

// Strings that are only counted have the closed forms.
func TestLongStrings(t *testing.T) {
	in := reference.Instance(t, "(LC)1000000000", 48, 1, 1)
	s := run(t, in, Config{})
	if s.Best.Method != Safe || s.Best.Cycles != 96e9 || *s.Estimated != (Point{1, 96e9}) || s.Exact != nil {
		t.Errorf("%+v", s)
	}
	// A kind that serves very many warps has a safe bound where the estimate leaves
	// int64.
	s = run(t, reference.Instance(t, "L2", 9e18, 1e9), Config{})
	if s.Best.Cycles != 2+18e9-1 || s.Estimated != nil || s.Row(Estimate).Kind != NoAnswer {
		t.Errorf("%+v", s)
	}
	if _, err := Run(context.Background(), reference.Instance(t, "(LC)1000000000000000000", 48, 1, 1), Config{}); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("%v", err)
	}
}

func ExampleRun() {
	in, err := makespan.New("LCL", []makespan.Unit{{Letter: 'L', Count: 32}, {Letter: 'C', Count: 32}}, 32, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := Run(context.Background(), in, Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at most %d cycles in closed form, exactly %d, estimated as %d, which is no bound\n",
		s.Row(Safe).Cycles, s.Exact.Cycles, s.Estimated.Cycles)
	// Output: at most 12 cycles in closed form, exactly 9, estimated as 8, which is no bound
}

// The forms of the integer linear programme agree with the other methods, which Run
// checks; where time runs out the figure is the solver's dual bound, marked as such.
func TestIntegerLinearProgrammes(t *testing.T) {
	for _, row := range reference.Table() {
		for w := int64(1); w <= 2 && len(row.Text) <= 5; w++ {
			s := run(t, reference.Instance(t, row.Text, w, row.L, row.C), Config{Methods: []string{DP, ILPShort, ILPCounts}, Witness: true})
			for _, m := range []string{ILPShort, ILPCounts} {
				if r := s.Row(m); r.Kind != Exact || r.Cycles != row.Cycles[w-1] || !strings.Contains(r.Note, "rests on the solver's dual bound") {
					t.Errorf("%s %d/%d, %d warps: %+v, expected %d", row.Text, row.L, row.C, w, r, row.Cycles[w-1])
				}
			}
		}
	}
	s := run(t, reference.Instance(t, "LLCLL", 8, 1, 1), Config{Methods: []string{ILPShort}, Timeout: time.Second})
	if r := s.Row(ILPShort); r.Kind != SafeBound || r.Cycles < 33 || r.Cycles > 40 || r.Unfinished == "" || s.Complete || s.Exact != nil {
		t.Errorf("%+v", r)
	}
}

// BenchmarkRun is the default study of the instances of Figures 6 and 7.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		text  string
		warps int64
	}{{"LLCLL", 4}, {"LLCLL", 100}, {"LLCLL", 600}, {"LLCLLCLL", 420}} {
		b.Run(fmt.Sprintf("%s/%d", c.text, c.warps), func(b *testing.B) {
			in := reference.Instance(b, c.text, c.warps, 1, 1)
			for b.Loop() {
				run(b, in, Config{})
			}
		})
	}
}
