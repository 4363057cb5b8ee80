package dp_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
)

// instances have strings long enough for their slices to be shared by workers.
func instances(t testing.TB) []*makespan.Instance {
	return []*makespan.Instance{
		reference.Instance(t, "LCCLL", 30, 1, 1),
		reference.Instance(t, "LCLLCC", 16, 2, 1),
		reference.Instance(t, "LMCLC", 30, 1, 2, 1),
		reference.Instance(t, "CLLCLLL", 14, 1, 1),
	}
}

func TestWorkersAgree(t *testing.T) {
	for _, in := range instances(t) {
		want := solve(t, in, dp.Options{Workers: 1, Upto: true, Schedule: true})
		checkSchedule(t, in, want)
		want.Elapsed = 0
		for _, workers := range []int{2, 4, 7} {
			got := solve(t, in, dp.Options{Workers: workers, Upto: true, Schedule: true}.Shared())
			got.Elapsed = 0
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d workers differ from one", in.Source, workers)
			}
		}
	}
}

// With little memory a schedule is found in several sweeps, and is the same.
func TestMemoryDoesNotMatter(t *testing.T) {
	for _, in := range instances(t) {
		plain := solve(t, in, dp.Options{})
		want := solve(t, in, dp.Options{Schedule: true})
		if want.States != plain.States {
			t.Errorf("%s: %d states, expected one sweep of %d", in.Source, want.States, plain.States)
		}
		// A schedule needs no more than the values, and itself.
		least := plain.MemoryBytes + plain.Cycles*2*(4*in.Length+24)
		for _, spare := range []int64{0, plain.MemoryBytes / 2, plain.MemoryBytes * 2} {
			memory := least + spare
			got := solve(t, in, dp.Options{Schedule: true, MemoryBytes: memory})
			if got.MemoryBytes > memory {
				t.Errorf("%s: %d bytes used, %d allowed", in.Source, got.MemoryBytes, memory)
			}
			if spare == 0 && got.States <= plain.States {
				t.Errorf("%s: %d states, expected more than one sweep", in.Source, got.States)
			}
			if got.Cycles != plain.Cycles || !reflect.DeepEqual(got.Moves, want.Moves) {
				t.Errorf("%s: another result with %d bytes", in.Source, memory)
			}
		}
	}
}

// The engines go opposite ways and share the choices of a cycle only.
func TestEnginesAgree(t *testing.T) {
	check := func(in *makespan.Instance) {
		a := solve(t, in, dp.Options{Engine: dp.Flat, Upto: true, Schedule: true})
		b := solve(t, in, dp.Options{Engine: dp.Levels, Upto: true, Schedule: true})
		if a.Cycles != b.Cycles || !slices.Equal(a.Upto, b.Upto) {
			t.Errorf("%s %v: %v flat, %v by levels", in.Source, in.Capacities(), a.Upto, b.Upto)
		}
		checkSchedule(t, in, b)
	}
	eachOf(t, check)
	for _, in := range instances(t) {
		check(in.WithWarps(12))
	}
}

func TestLevelsAreDeterministic(t *testing.T) {
	in := reference.Instance(t, "LCLLCC", 12, 2, 1)
	want := solve(t, in, dp.Options{Engine: dp.Levels, Schedule: true})
	for range 3 {
		got := solve(t, in, dp.Options{Engine: dp.Levels, Schedule: true})
		got.Elapsed = want.Elapsed
		if !reflect.DeepEqual(got, want) {
			t.Error("two runs differ")
		}
	}
}

// Random instances with more kinds and capacities than the exhaustive sets have,
// and random budgets.
func TestRandomInstances(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringMatching("[LCMA]{1,7}").Draw(r, "text")
		capacities := rapid.SliceOfN(rapid.Int64Range(1, 4), 4, 4).Draw(r, "capacities")
		in := reference.Instance(t, text, rapid.Int64Range(1, 6).Draw(r, "warps"), capacities...)
		o := dp.Options{
			Schedule:    true,
			Workers:     rapid.IntRange(1, 3).Draw(r, "workers"),
			MemoryBytes: rapid.SampledFrom([]int64{500, 3000, 10000, 30000, 1 << 20}).Draw(r, "memory"),
			Engine:      rapid.SampledFrom([]dp.Engine{dp.Auto, dp.Flat, dp.Levels}).Draw(r, "engine"),
		}.Shared()
		want := reference.Longest(in)
		got, err := dp.Solve(t.Context(), in, o)
		var limit *makespan.LimitError
		if errors.As(err, &limit) {
			if limit.Cycles < want {
				r.Errorf("a bound of %d, the makespan is %d", limit.Cycles, want)
			}
			if got != nil && got.Cycles != want {
				r.Errorf("%d with %v, expected %d", got.Cycles, err, want)
			}
			return
		}
		if err != nil || got.Cycles != want {
			r.Fatalf("%+v, %v, expected %d", got, err, want)
		}
		if got.MemoryBytes > o.MemoryBytes {
			r.Errorf("%d bytes used, %d allowed", got.MemoryBytes, o.MemoryBytes)
		}
		s, err := makespan.FromMoves(in, got.Moves)
		if err == nil {
			err = s.Check(in)
		}
		if err != nil || s.MakespanCycles() != want {
			r.Errorf("%v: %v", got.Moves, err)
		}
	})
}
