package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// simulateOrdered runs a launch, or one block of it, under the reordering unit.
func simulateOrdered(t testing.TB, l *load.Opened, r *Report, name string, order policy.DispatchOrder, block int64) int64 {
	t.Helper()
	ctx := context.Background()
	follow, err := l.Kernel(true)
	if err != nil {
		t.Fatal(err)
	}
	a, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Machine: r.Machine, Model: sim.AbstractModel{Policy: p, DispatchOrder: order}, BlocksPerSM: int(r.Occupancy.Blocks), Placement: sim.InBatches, Checks: true}
	if block >= 0 {
		cfg.Blocks = []int64{block}
	}
	own, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	enforced, err := a.NewOrder(own, l1d.Options{SegmentBytes: r.Machine.Desc.L1D.SectorBytes})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Memory = sim.Caches{Order: enforced}
	k, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	got, err := sim.Run(ctx, cfg, k, r.Timing)
	if err != nil {
		t.Fatal(err)
	}
	return got.Cycles
}

// tight are settings that make accesses wait for everything they can wait for.
var tight = [][]string{
	nil,
	{"sm.count=1"},
	{"sm.count=2", "l1d.mshrs=34", "l1d.mshr_merges=1", "ldst_path.channel_entries=1"},
	{"sm.count=2", "l1d.sets=32", "l1d.ways=1", "l1d.mshr_merges=2", "ldst_path.channel_entries=2", "l2.slices=1", "dram.channels=1", "dram.banks=1"},
	{"sm.count=3", "l1d.ways=1", "l2.sets=1", "l2.ways=1", "barrier.draining=true", "barrier.delay_cycles=7", "block_dispatch.start_delay_cycles=5"},
	{"sm.count=4", "l2.arbitration=round-robin", "dram.channels=1", "l1d.write_latency_cycles=90"},
	{"sm.count=1", "queue.slots=1", "l1d.ways=2", "l1d.write=\"through\"", "l1d.write_allocate=true"},
}

// placed are the examples of which it is known what their lanes access: not that
// which fetches from a texture.
func placed() []examples.Example {
	return slices.DeleteFunc(examples.All(), func(e examples.Example) bool { return e.Name == "texture" })
}

// No simulation takes longer than the bounds.
func TestOrderedBoundsHold(t *testing.T) {
	wide := settings.Everything(t)
	var ratio, serial float64
	n, refused := 0, map[string]int{}
	for i, e := range placed() {
		if !wide && i%9 != 4 {
			continue
		}
		l := open(t, "../../examples/"+e.Launch)
		presets := []string{"gtx480", "rtx3070"}
		for j, g := range presets {
			set := tight[(i/9+j)%len(tight)]
			if wide {
				set = tight[(i+j)%len(tight)]
			}
			m := gpus.Preset(t, g, set...)
			r, err := Run(context.Background(), cacheLaunch(l), m, method.Question{Reordered: true, StagesOnly: i%2 == 0})
			if err != nil && strings.Contains(err.Error(), "does not fit") {
				refused["does not fit"]++
				continue
			}
			if err != nil {
				t.Fatalf("%s on %s %v: %v", e.Launch, g, set, err)
			}
			if r.Best == nil {
				refused[strings.SplitN(string(r.Scopes[0].Refused[0].Assumption)+" "+r.Scopes[0].Refused[0].Reason, ":", 2)[0]]++
				continue
			}
			for k, name := range []string{"lrr", "gto", "oldest", fmt.Sprintf("random:%d", i)} {
				if !wide && k != (i+j)%4 {
					continue
				}
				order := policy.DispatchOrder{}
				if k == 3 {
					order = policy.DispatchOrder{Name: "random", Seed: uint64(i)}
				}
				cycles := simulateOrdered(t, l, r, name, order, -1)
				n++
				ratio += float64(r.Best.Cycles)/float64(cycles) - 1
				serial += float64(r.Scopes[1].Bounds[1].Cycles)/float64(cycles) - 1
				for _, b := range r.Scopes[1].Bounds {
					if b.Cycles < cycles {
						t.Errorf("%s on %s %v, %s: %d cycles, %s bound %d", e.Launch, g, set, name, cycles, b.Method, b.Cycles)
					}
				}
				block := int64(i+k) % r.Blocks
				cycles = simulateOrdered(t, l, r, name, order, block)
				for _, b := range r.Scope(bound.Block).Bounds {
					if b.Cycles < cycles {
						t.Errorf("%s on %s %v, %s: block %d alone: %d cycles, %s bound %d", e.Launch, g, set, name, block, cycles, b.Method, b.Cycles)
					}
				}
			}
		}
	}
	if n == 0 {
		t.Error("no launch has a bound")
	}
	t.Logf("%d runs, mean overestimation of the best bound %.2f, of the serial one %.2f; refused: %v", n, ratio/float64(n), serial/float64(n), refused)
}
