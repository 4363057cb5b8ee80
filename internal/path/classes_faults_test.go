//go:build warpbound_faults

package path_test

import (
	"testing"

	"github.com/warpbound/warpbound/internal/verify/affine"
	"github.com/warpbound/warpbound/internal/verify/fault"
)

// Each planted fault of the classes of blocks is found by comparing what is
// recorded by classes with what is recorded block by block.
func TestPlantedClassFaults(t *testing.T) {
	machines := machines(t)
	directed, err := affine.Directed()
	if err != nil {
		t.Fatal(err)
	}
	defer fault.Set(fault.None)
	for _, d := range fault.Classes() {
		fault.Set(d.ID)
		found := ""
		kernels := 0
		for _, c := range directed {
			for _, m := range machines {
				if _, _, differs := recordBoth(m, func(taint bool) (tainted, error) { return c.Kernel(taint) }); found == "" {
					found = differs
				}
			}
			kernels++
		}
		for seed := uint64(0); seed < 2000 && found == ""; seed++ {
			for _, draw := range draws {
				c, err := draw(seed)
				if err != nil {
					t.Fatal(err)
				}
				kernels++
				if _, _, found = recordBoth(machines[seed%4], func(taint bool) (tainted, error) { return c.Kernel(taint) }); found != "" {
					break
				}
			}
		}
		if found == "" {
			t.Errorf("%s was not caught in %d kernels: %s", d.Name, kernels, d.Edit)
		}
		t.Logf("%-30s %5d kernels: %.90s", d.Name, kernels, found)
	}
}
