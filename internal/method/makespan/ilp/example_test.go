package ilp_test

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/ilp"
	"github.com/warpbound/warpbound/internal/milp/highs"
)

// The kernel of Fig. 1 and 2 of Berezovskyi2012: LC on 16 load/store units and 32
// cores, four warps of 32 threads.
func ExampleSolve() {
	units := []makespan.Unit{{Letter: 'L', Count: 16}, {Letter: 'C', Count: 32}}
	in, err := makespan.New("LC", units, 32, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := ilp.Solve(context.Background(), in, ilp.Options{Form: ilp.Counts, Solver: highs.Solver{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %d warps: %d cycles, exact: %v, at most %d\n", in.Text(), in.Warps, r.Cycles, r.Exact, r.Safe)
	// Output: LLC, 4 warps: 9 cycles, exact: true, at most 12
}
