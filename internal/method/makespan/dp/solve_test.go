package dp_test

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

func solve(t testing.TB, in *makespan.Instance, o dp.Options) *dp.Result {
	t.Helper()
	r, err := dp.Solve(context.Background(), in, o)
	if err != nil {
		t.Fatalf("%s %v, %d warps: %v", in.Source, in.Capacities(), in.Warps, err)
	}
	return r
}

// checkSchedule fails unless the moves are a schedule that takes cycles.
func checkSchedule(t testing.TB, in *makespan.Instance, r *dp.Result) {
	t.Helper()
	s, err := makespan.FromMoves(in, r.Moves)
	if err == nil {
		err = s.Check(in)
	}
	if err != nil {
		t.Errorf("%s %v, %d warps: %v", in.Source, in.Capacities(), in.Warps, err)
	} else if s.MakespanCycles() != r.Cycles {
		t.Errorf("%s %v, %d warps: a schedule of %d cycles, expected %d", in.Source, in.Capacities(), in.Warps, s.MakespanCycles(), r.Cycles)
	}
}

func TestTable(t *testing.T) {
	for _, row := range reference.Table() {
		in := reference.Instance(t, row.Text, 8, row.L, row.C)
		r := solve(t, in, dp.Options{Upto: true, Schedule: true})
		for w, want := range row.Cycles {
			if r.Upto[w] != want {
				t.Errorf("%s %d/%d, %d warps: %d, expected %d", row.Text, row.L, row.C, w+1, r.Upto[w], want)
			}
		}
		checkSchedule(t, in, r)
	}
}

// sets are strings and capacities that the exhaustive tests go through.
var sets = []struct {
	alphabet string
	length   int
	most     int64 // capacity
	warps    int64
}{
	{"LC", 6, 2, 7},
	{"LC", 4, 3, 8},
	{"LCM", 4, 2, 5},
}

func eachOf(t *testing.T, f func(in *makespan.Instance)) {
	for _, set := range sets {
		for _, text := range reference.Strings(set.alphabet, set.length) {
			for _, c := range reference.Tuples(len(set.alphabet), set.most) {
				f(reference.Instance(t, text, set.warps, c...))
			}
		}
	}
}

func TestEqualsLongestPath(t *testing.T) {
	eachOf(t, func(in *makespan.Instance) {
		r := solve(t, in, dp.Options{Upto: true, Schedule: true, Workers: 1})
		if want := reference.Longest(in); r.Cycles != want {
			t.Errorf("%s %v, %d warps: %d, expected %d", in.Source, in.Capacities(), in.Warps, r.Cycles, want)
		}
		checkSchedule(t, in, r)
		for w, got := range r.Upto {
			if w > 0 && got < r.Upto[w-1] {
				t.Errorf("%s %v: %d warps take %d, one less %d", in.Source, in.Capacities(), w+1, got, r.Upto[w-1])
			}
			if w >= 3 {
				continue
			}
			if want := reference.Enumerate(in.WithWarps(int64(w + 1))); got != want {
				t.Errorf("%s %v, %d warps: %d, expected %d by enumeration", in.Source, in.Capacities(), w+1, got, want)
			}
		}
	})
}

// More units can lengthen the worst case: there are anomalies, so no state may stand
// for one that is further behind.
func TestAnomaly(t *testing.T) {
	for _, c := range []struct {
		text            string
		warps           int64
		oneUnit, twoOfC int64
	}{
		{"LLCL", 3, 6, 7},
		{"LCLL", 5, 8, 10},
	} {
		for i, want := range []int64{c.oneUnit, c.twoOfC} {
			in := reference.Instance(t, c.text, c.warps, 2, int64(i)+1)
			r := solve(t, in, dp.Options{Schedule: true})
			if r.Cycles != want {
				t.Errorf("%s 2/%d, %d warps: %d, expected %d", c.text, i+1, c.warps, r.Cycles, want)
			}
			checkSchedule(t, in, r)
		}
	}
}

// The curves of Figs. 6 and 7 from makespans computed here.
func TestPublishedCurves(t *testing.T) {
	for _, c := range []struct {
		reference.Curve
		of func(makespan.Estimate) int64
	}{
		{reference.Figure6(), func(e makespan.Estimate) int64 { return e.Least }},
		{reference.Figure7(), func(e makespan.Estimate) int64 { return e.Raw }},
	} {
		r := solve(t, reference.Instance(t, c.Text, int64(len(c.Cycles)), 1, 1), dp.Options{Upto: true})
		estimates, err := makespan.Estimates(c.Warps, r.Upto)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range c.Cycles {
			if got := c.of(estimates[i]); got != want {
				t.Errorf("%s, x = %d: %d, published %d", c.Text, i+1, got, want)
			}
		}
	}
}

// The smallest problems, some of which have closed forms: one warp, one
// instruction, capacity for everybody.
func TestSmallest(t *testing.T) {
	for _, c := range []struct {
		text     string
		warps    int64
		capacity []int64
		want     int64
	}{
		{"L", 1, []int64{1}, 1},
		{"L", 7, []int64{3}, 3},
		{"L", 6, []int64{3}, 2},
		{"L", 5, []int64{1 << 40}, 1},
		{"LC", 1, []int64{1, 1}, 2},
		{"LLC", 9, []int64{1 << 40, 1 << 40}, 3},
		{"LL", 4, []int64{2}, 5}, // the published pessimistic figure is 4
		{"LCL", 4, []int64{1, 1}, 9},
	} {
		in := reference.Instance(t, c.text, c.warps, c.capacity...)
		r := solve(t, in, dp.Options{Schedule: true, Upto: true})
		if r.Cycles != c.want {
			t.Errorf("%s %v, %d warps: %d, expected %d", c.text, c.capacity, c.warps, r.Cycles, c.want)
		}
		if int64(len(r.Upto)) != c.warps || r.Upto[c.warps-1] != r.Cycles {
			t.Errorf("%s %v, %d warps: makespans %v", c.text, c.capacity, c.warps, r.Upto)
		}
		checkSchedule(t, in, r)
	}
}

// Above 2^16 cycles a value takes four bytes.
func TestWideValues(t *testing.T) {
	in := reference.Instance(t, "LC", 70000, 1, 1)
	if r := solve(t, in, dp.Options{MemoryBytes: 1 << 24}); r.Cycles != 70001 {
		t.Errorf("%d cycles, expected 70001", r.Cycles)
	}
}

// LLCLL takes 4 cycles more with every warp, as far as computed.
func TestManyWarps(t *testing.T) {
	in := reference.Instance(t, "LLCLL", 100, 1, 1)
	r := solve(t, in, dp.Options{Upto: true, Schedule: true})
	for i, got := range r.Upto {
		if want := 4*int64(i+1) + 1; got != want {
			t.Errorf("%d warps: %d, expected %d", i+1, got, want)
		}
	}
	checkSchedule(t, in, r)
}
