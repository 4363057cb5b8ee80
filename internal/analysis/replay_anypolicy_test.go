package analysis

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/sim"
)

// The bound for every policy holds for every work-conserving one, and also where
// executions are shorter than declared, which the replay does not claim.
func TestAnyPolicy(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	policies := []string{"lrr", "lo", "licount", "gtlrr", "gtlo", "gtlicount", "atlrr:4", "atlo:0"}
	ctx := context.Background()
	held, beyond := 0, 0
	for i, file := range files {
		if i%9 != 0 {
			continue
		}
		l, err := load.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		m := frontMachine(t, 0)
		if threads(l) > 1<<12 || filepath.Base(filepath.Dir(file)) == "atomics" {
			continue
		}
		r, err := replayed(ctx, l, m, method.FrontEnd{Variant: gpu.SWaS, IssuePolicy: "lrr"})
		if err != nil {
			t.Fatal(err)
		}
		whole := r.Scopes[len(r.Scopes)-1]
		b := whole.Bound(replay.AnyPolicy)
		if b == nil {
			if r.Path.Irregular == "" {
				t.Errorf("%s: %+v", file, whole.Refused)
			}
			continue
		}
		sum := int64(0)
		for _, c := range b.Breakdown {
			sum += c.Cycles
		}
		if !b.Safe || sum != b.Cycles || find(t, b.Assumptions, bound.WorstTimings).ID == "" {
			t.Errorf("%s: %+v", file, b)
		}
		for j, p := range policies {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(j)))
			cfg := sim.Config{Machine: m, Model: sim.FrontModel{Variant: gpu.SWaS, IssuePolicy: p}, BlocksPerSM: int(r.Occupancy.Blocks)}
			if j%2 == 1 {
				cfg.Memory = sim.FixedTimes{Shorten: func(x sim.Shortening) (int64, int64) {
					return 1 + rng.Int64N(x.InitiationCycles), rng.Int64N(x.LatencyCycles + 1)
				}}
			}
			res, err := simulated(ctx, l, cfg, r)
			if err != nil {
				t.Fatalf("%s, %s: %v", file, p, err)
			}
			held++
			if res.Cycles > b.Cycles {
				t.Errorf("%s, %s: %d cycles, bound %d", file, p, res.Cycles, b.Cycles)
			}
		}
		if c := whole.Bound(replay.Method).Cycles; b.Cycles < c {
			beyond++
		}
		t.Logf("%s: replay %d, for every policy %d", filepath.Base(file), whole.Bound(replay.Method).Cycles, b.Cycles)
	}
	if held < 80 || beyond > 0 {
		t.Errorf("%d runs, %d bounds below the replay", held, beyond)
	}
}
