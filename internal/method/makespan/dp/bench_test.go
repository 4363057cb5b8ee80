package dp_test

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
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

// BenchmarkEngines compares the engines where few and where many of the states can
// be reached.
func BenchmarkEngines(b *testing.B) {
	for _, c := range []struct {
		text  string
		warps int64
		l, c  int64
	}{
		{"LCCLLLCC", 20, 1, 1},
		{"LCLLCCLC", 20, 2, 1},
		{"LCLLCCLC", 32, 2, 1},
		{"LCCLCLLLCLCL", 14, 1, 1},
	} {
		for _, engine := range []dp.Engine{dp.Flat, dp.Levels} {
			b.Run(fmt.Sprintf("%s/%d,%d/%d/%s", c.text, c.l, c.c, c.warps, engine), func(b *testing.B) {
				in := reference.Instance(b, c.text, c.warps, c.l, c.c)
				var states int64
				for b.Loop() {
					states = solve(b, in, dp.Options{Engine: engine, Workers: 1}).States
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(states)/float64(b.N), "ns/state")
				b.ReportMetric(float64(states), "states")
			})
		}
	}
}

// BenchmarkWide has the largest problems that are claimed to be possible: a hundred
// seconds and more, and 6 GB. Run it with -benchtime 1x.
func BenchmarkWide(b *testing.B) {
	for _, c := range []struct {
		text string
		l, c int64
	}{
		{"LLCLLCLL", 1, 1},
		{"LCCLLLCC", 1, 1},
		{"LCLLCCLC", 2, 1},
	} {
		b.Run(fmt.Sprintf("%s/%d,%d/64", c.text, c.l, c.c), func(b *testing.B) {
			in := reference.Instance(b, c.text, 64, c.l, c.c)
			var r *dp.Result
			for b.Loop() {
				r = solve(b, in, dp.Options{MemoryBytes: 6 << 30})
			}
			b.ReportMetric(float64(r.States), "states")
			b.ReportMetric(float64(r.MemoryBytes), "bytes")
			b.ReportMetric(float64(r.Cycles), "cycles")
		})
	}
}
