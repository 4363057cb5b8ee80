package ilp

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/warpbound/warpbound/internal/method/makespan/dp"
	"github.com/warpbound/warpbound/internal/method/makespan/internal/reference"
	"github.com/warpbound/warpbound/internal/milp/solvers"
)

// BenchmarkFig5 is the experiment of Fig. 5 of Berezovskyi2012 (LLCLL, capacities
// 1) with every form and every solver that is installed, and the dynamic programme
// beside them. It reports how many branch-and-bound nodes a solve took, and the
// dual bound, which is above the exact value where the limit of 9 minutes ended it:
//
//	go test -run '^$' -bench Fig5 -benchtime 1x -timeout 0 ./internal/method/makespan/ilp
func BenchmarkFig5(b *testing.B) {
	for w := int64(1); w <= 4; w++ {
		in := reference.Instance(b, "LLCLL", w, 1, 1)
		b.Run(fmt.Sprintf("w=%d/dp", w), func(b *testing.B) {
			for b.Loop() {
				r, err := dp.Solve(context.Background(), in, dp.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(r.Cycles), "cycles")
			}
		})
		for _, form := range []Form{Counts, Short, Long} {
			for _, solver := range solvers.All() {
				if solver.Missing != nil {
					continue
				}
				b.Run(fmt.Sprintf("w=%d/%v/%s", w, form, solver.Name()), func(b *testing.B) {
					for b.Loop() {
						r, err := Solve(context.Background(), in, Options{Form: form, Solver: solver, TimeLimit: 9 * time.Minute})
						if err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(float64(r.Cycles), "cycles")
						b.ReportMetric(float64(r.Nodes), "nodes")
					}
				})
			}
		}
	}
}
