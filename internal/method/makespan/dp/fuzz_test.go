package dp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
)

// FuzzSolve: whatever is asked for, there is an answer or a limit, and the engines
// do not contradict each other.
func FuzzSolve(f *testing.F) {
	f.Add("LLCLL", int64(1), int64(1), int64(5), int64(1<<20), uint8(3))
	f.Add("LCLLC", int64(2), int64(1), int64(9), int64(1<<14), uint8(1))
	f.Add("L", int64(7), int64(1), int64(1<<40), int64(1<<10), uint8(2))
	f.Add("(LC)40", int64(1), int64(2), int64(60), int64(1<<20), uint8(0))
	f.Add("CCLLLC", int64(1<<62), int64(1<<62), int64(3), int64(-1), uint8(3))
	f.Add("L9223372036854775807", int64(1), int64(1), int64(1<<62), int64(1<<20), uint8(3))
	f.Fuzz(func(t *testing.T, text string, l, c, warps, memory int64, ask uint8) {
		in, err := makespan.New(text, []makespan.Unit{{Letter: 'L', Count: l}, {Letter: 'C', Count: c}}, 1, warps)
		if err != nil {
			return
		}
		o := dp.Options{MemoryBytes: min(memory, 1<<20), Schedule: ask&1 != 0, Upto: ask&2 != 0}
		if o.MemoryBytes <= 0 {
			o.MemoryBytes = 1 << 16
		}
		var least, exact int64
		for _, engine := range []dp.Engine{dp.Flat, dp.Levels} {
			o.Engine = engine
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			r, err := dp.Solve(ctx, in, o)
			cancel()
			var limit *makespan.LimitError
			switch {
			case errors.As(err, &limit):
				least = limit.Cycles
			case errors.Is(err, bound.ErrOverflow):
				return
			case err != nil:
				t.Fatal(err)
			case exact != 0 && r.Cycles != exact:
				t.Fatalf("%d and %d cycles", exact, r.Cycles)
			default:
				exact = r.Cycles
				if r.MemoryBytes > o.MemoryBytes {
					t.Fatalf("%d bytes used, %d allowed", r.MemoryBytes, o.MemoryBytes)
				}
				if o.Schedule {
					checkSchedule(t, in, r)
				}
			}
		}
		if least != 0 && least < exact {
			t.Fatalf("a bound of %d, the makespan is %d", least, exact)
		}
	})
}
