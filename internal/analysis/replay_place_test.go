package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/sim"
)

// Where blocks can share an SM or not, the makespan depends on their placement:
// the replay wants it stated.
func TestReplayOfSeveralSMs(t *testing.T) {
	l, err := load.Open("../../examples/basic/reduce/reduce.toml")
	if err != nil {
		t.Fatal(err)
	}
	l.File.Grid[0] = 4
	ctx := context.Background()
	use := method.FrontEnd{Variant: gpu.SWaS, IssuePolicy: "gtlrr"}
	for _, c := range []struct {
		slots, placement string
		refused          bool
	}{{"2", "any", true}, {"2", "breadth-first", false}, {"1", "any", false}} {
		m := frontMachine(t, 0, "sm.count=4", "sm.max_blocks="+c.slots, "sm.max_warps=64", "sm.max_threads=2048", "block_dispatch.placement="+c.placement)
		r, err := replayed(ctx, l, m, use)
		if err != nil {
			t.Fatal(err)
		}
		b := r.Scope(bound.Kernel).Bound(replay.Method)
		if (b == nil) != c.refused {
			t.Fatalf("%+v: bound %v, refused %v", c, b, r.Scope(bound.Kernel).Refused)
		}
		for _, placement := range []sim.Placement{sim.MostFree, sim.FillFirst} {
			fill := placement == sim.FillFirst
			cfg := sim.Config{Machine: m, Model: sim.FrontModel{Variant: use.Variant, IssuePolicy: use.IssuePolicy}, BlocksPerSM: int(r.Occupancy.Blocks), Placement: placement}
			res, err := simulated(ctx, l, cfg, r)
			switch {
			case err != nil:
				t.Fatal(err)
			case b == nil || fill && c.slots != "1": // not placed as stated
			case res.Cycles != b.Cycles:
				t.Errorf("%+v, filled first %v: %d cycles, simulated %d", c, fill, b.Cycles, res.Cycles)
			}
		}
		if b != nil && c.slots != "1" && !strings.Contains(find(t, b.Assumptions, bound.GreedyBlocks).Note, "SM i mod 4") {
			t.Errorf("%+v: %+v", c, b.Assumptions)
		}
	}
}
