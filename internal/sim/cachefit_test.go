package sim_test

import (
	"testing"

	"github.com/warpbound/warpbound/internal/sim"
)

// With caches the pipeline model is within 10 % of the reference with caches on
// at least 95 % of the rows, and within 3 cycles for one warp. Rows whose
// instruction cache is real are left out: it is not modelled.
func TestCachedFit(t *testing.T) {
	rows, good, alone := 0, 0, 0
	for _, r := range references(t) {
		if r.fitted() || r.config == "gtx480_1sm" {
			continue
		}
		rows++
		res := r.simulateOn(t, r.machine(t), sim.Caches{})
		off := max(res.Cycles-r.cycles, r.cycles-res.Cycles)
		if 10*off <= r.cycles {
			good++
		} else {
			t.Logf("%s on %s, %s: %d cycles, reference %d", r.kernel, r.config, r.policy, res.Cycles, r.cycles)
		}
		if r.block == [3]int{32, 1, 1} {
			alone++
			if off > 3 {
				t.Errorf("one warp of %s on %s, %s: %d cycles, reference %d", r.kernel, r.config, r.policy, res.Cycles, r.cycles)
			}
		}
	}
	t.Logf("%d of %d rows within 10 %%", good, rows)
	if rows != 60 || alone != 18 || 100*good < 95*rows {
		t.Errorf("%d rows, %d of one warp, %d within 10 %%; want 60, 18 and at least 57", rows, alone, good)
	}
}
