package potential_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
)

func BenchmarkDerive(b *testing.B) {
	for _, text := range []string{"LLCLL", "CCLLLC", "LLCLLCLL", "LLCLCLLCLL", "LLCLLCLLCLLC"} {
		b.Run(text, func(b *testing.B) {
			in := reference.Instance(b, text, 64, 1, 1)
			for b.Loop() {
				derive(b, in, potential.Options{})
			}
		})
	}
}

// One schedule reaches the bound; a cycle of it is the unit of work.
func BenchmarkExactAtTheBound(b *testing.B) {
	for _, warps := range []int64{100, 10_000} {
		b.Run(fmt.Sprintf("LLCLL/%d", warps), func(b *testing.B) {
			in := reference.Instance(b, "LLCLL", warps, 1, 1)
			c := derive(b, in, potential.Options{})
			b.ReportAllocs()
			for b.Loop() {
				r, err := potential.Exact(context.Background(), in, c, potential.Limits{})
				if err != nil || !r.Exact {
					b.Fatal(r.Exact, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(4*warps+1), "ns/cycle")
		})
	}
}

// A search has to close the gap between the schedules and the bound.
func BenchmarkExactBySearch(b *testing.B) {
	in := reference.Instance(b, "CCLLLC", 20, 1, 1)
	c := derive(b, in, potential.Options{})
	states := int64(0)
	for b.Loop() {
		r, err := potential.Exact(context.Background(), in, c, potential.Limits{})
		if err != nil || !r.Exact {
			b.Fatal(r.Exact, err)
		}
		states += r.States
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states), "ns/state")
}
