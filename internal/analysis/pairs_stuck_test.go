package analysis

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// A policy that waits for ever at a barrier costs its own rows and no others.
func TestStuckPolicies(t *testing.T) {
	m := gpus.Preset(t, "vortex-32x32")
	l := open(t, "../../examples/basic/reduce/reduce-1block.toml")
	opt := PairOptions{Pairs: []Pair{{"so", "so"}, {"lrr", "gtlrr"}}, Baseline: true, SWaS: true, Checks: true}
	rows, err := ComparePairs(context.Background(), l.Fresh, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[0].Baseline != nil || rows[0].SWaS != nil || !math.IsNaN(rows[0].Ratio) || !strings.Contains(rows[0].Stuck, "stands still") {
		t.Errorf("row of a policy that waits for ever: %+v", rows[0])
	}
	if rows[1].Baseline == nil || rows[1].SWaS == nil || rows[1].Stuck != "" || math.IsNaN(rows[1].Ratio) {
		t.Errorf("row after it: %+v", rows[1])
	}
}
