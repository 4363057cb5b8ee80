package dp_test

import (
	"reflect"
	"testing"

	"github.com/warpbound/warpbound/bound/makespan"
	"github.com/warpbound/warpbound/bound/makespan/dp"
	"github.com/warpbound/warpbound/bound/makespan/internal/reference"
)

// The slices of these are large enough to be shared by workers.
func shared(t testing.TB) []*makespan.Instance {
	return []*makespan.Instance{
		reference.Instance(t, "LCCLL", 40, 1, 1),
		reference.Instance(t, "LCLLCC", 24, 2, 1),
		reference.Instance(t, "LMCLC", 40, 1, 2, 1),
		reference.Instance(t, "CLLCLLL", 20, 1, 1),
	}
}

func TestWorkersAgree(t *testing.T) {
	for _, in := range shared(t) {
		want := solve(t, in, dp.Options{Workers: 1, Upto: true, Schedule: true})
		checkSchedule(t, in, want)
		want.Elapsed = 0
		for _, workers := range []int{2, 4, 7} {
			got := solve(t, in, dp.Options{Workers: workers, Upto: true, Schedule: true})
			got.Elapsed = 0
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d workers differ from one", in.Source, workers)
			}
		}
	}
}

// With little memory a schedule is found in several sweeps, and is the same.
func TestMemoryDoesNotMatter(t *testing.T) {
	for _, in := range shared(t) {
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
