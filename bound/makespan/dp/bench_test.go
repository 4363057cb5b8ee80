package dp_test

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/bound/makespan/dp"
	"github.com/warpbound/warpbound/bound/makespan/internal/reference"
)

// BenchmarkSolve: LLCLL with few warps is what Berezovskyi2012 gave to an ILP
// solver.
func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct {
		text  string
		warps int64
	}{
		{"LLCLL", 2}, {"LLCLL", 3}, {"LLCLL", 4}, {"LLCLL", 100},
		{"LLCLLCLL", 20}, {"LLCLLCLL", 32}, {"LLCLLCLL", 64},
		{"CCLLLC", 20}, {"CCLLLC", 40},
		{"LCCCLLC", 24},
		{"LCCLLLCC", 24}, {"LCLLCCLC", 24}, {"LCCLLLCC", 36},
	} {
		for _, workers := range []int{1, 2} {
			if workers > 1 && c.warps < 20 {
				continue
			}
			b.Run(fmt.Sprintf("%s/%d/workers=%d", c.text, c.warps, workers), func(b *testing.B) {
				in := reference.Instance(b, c.text, c.warps, 1, 1)
				var states int64
				b.ReportAllocs()
				for b.Loop() {
					states = solve(b, in, dp.Options{Upto: true, Workers: workers, MemoryBytes: 8 << 30}).States
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states)/float64(b.N), "ns/state")
				b.ReportMetric(float64(states), "states")
			})
		}
	}
}
