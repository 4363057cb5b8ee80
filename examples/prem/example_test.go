package prem_test

import (
	"fmt"

	"github.com/warpbound/warpbound/examples/prem"
)

// A transformed program that left out the last element of its result.
func ExampleBenchmark_Compare() {
	p, _ := prem.Lookup("atax")
	got, want := p.Inputs(), p.Inputs()
	for _, m := range []prem.Memory{got, want} {
		if err := p.Run(m); err != nil {
			fmt.Println(err)
		}
	}
	y := got[2].([]float32)
	y[len(y)-1] = 0
	fmt.Println(p.File(), p.Function(), p.Algorithm)
	fmt.Println(p.Compare(got, want))
	// Output:
	// programs/atax.c kernel_atax ATAX
	// program atax: y[47] is 0, want 6.0371776
}
