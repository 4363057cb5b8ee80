package dp_test

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/bound/makespan"
	"github.com/warpbound/warpbound/bound/makespan/dp"
	"github.com/warpbound/warpbound/bound/makespan/internal/reference"
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
