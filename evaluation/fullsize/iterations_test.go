package fullsize

import (
	"reflect"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/path"
)

// What is recorded at full size is what it is with every iteration of the loops
// executed. covariance_covar is left out, which takes minutes then.
func TestEveryIteration(t *testing.T) {
	d, err := gpu.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	loops := 0
	for i := range Cases {
		c := &Cases[i]
		if c.Whole || strings.HasSuffix(c.Launch, "covariance_covar") {
			continue
		}
		l, err := c.Open(examplesDir)
		if err != nil {
			t.Fatal(err)
		}
		var of [2]*path.Recorded
		for j := range of {
			k, err := l.Kernel(true)
			if err != nil {
				t.Fatal(err)
			}
			timing, err := m.Resolve(k.Program())
			if err != nil {
				t.Fatal(err)
			}
			if of[j], err = path.Record(t.Context(), k, m, timing, path.Options{EveryIteration: j == 1}); err != nil {
				t.Fatalf("%s: %v", c.Launch, err)
			}
		}
		if of[1].Skipped != 0 {
			t.Errorf("%s: %d warp instructions are left out", c.Launch, of[1].Skipped)
		}
		if of[0].Skipped > 0 {
			loops++
		}
		// Classes may be narrower, since conditions hold to the last iteration.
		of[0].Executed, of[0].Stepped, of[0].Skipped = of[1].Executed, of[1].Stepped, of[1].Skipped
		if !reflect.DeepEqual(of[0], of[1]) {
			t.Errorf("%s: another recording", c.Launch)
		}
	}
	if loops < 15 {
		t.Errorf("iterations are left out in %d launches", loops)
	}
}
