package dp_test

import (
	"context"
	"fmt"
	"log"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/dp"
)

// Three warps on an SM that can feed one warp's C in a cycle, and on one that can
// feed two: the larger SM has the longer worst case.
func ExampleSolve() {
	for _, c := range []int64{32, 64} {
		in, err := makespan.New("LLCL", []makespan.Unit{{Letter: 'L', Count: 64}, {Letter: 'C', Count: c}}, 32, 3)
		if err != nil {
			log.Fatal(err)
		}
		r, err := dp.Solve(context.Background(), in, dp.Options{Schedule: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Cycles, r.Moves)
	}
	// Output:
	// 6 [[2 0 0 0] [0 2 0 0] [1 0 1 0] [0 1 1 1] [0 0 1 1] [0 0 0 1]]
	// 7 [[2 0 0 0] [0 2 0 0] [1 0 2 0] [0 0 0 2] [0 1 0 0] [0 0 1 0] [0 0 0 1]]
}
