package kernels

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// Executions with other contents, in other orders, take paths that are covered.
func TestInputs(t *testing.T) {
	cases := uint64(settings.Cases(t, 100))
	covered, choices, closed, executions := 0, 0, 0, 0
	why := map[string]int{}
	for seed := range cases {
		c := Draw(seed)
		out, err := c.Inputs(context.Background(), 12)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if out.Wrong != "" {
			t.Errorf("seed %d: %s\n%s", seed, out.Wrong, c.PTX)
		}
		if out.NotCovered != "" {
			why[out.NotCovered]++
			continue
		}
		covered++
		executions += out.Executions
		if out.Choices {
			choices++
		}
		if out.Closed {
			closed++
		}
	}
	t.Logf("%d of %d launches covered, %d with a choice, %d in closed form, %d executions; not covered: %v", covered, cases, choices, closed, executions, why)
	if covered < int(cases)/2 || closed < covered/2 || choices < int(cases)/20 {
		t.Errorf("%d of %d launches covered, %d with a choice", covered, cases, choices)
	}
}
