package analysis

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/l1d"
	"github.com/warpbound/warpbound/sim"
)

// simulateTurns runs a launch, or one block of it, as RunSegments takes it.
func simulateTurns(t testing.TB, l *load.Launch, r *Report, opt SegmentOptions, block int64) (int64, error) {
	t.Helper()
	ctx := context.Background()
	cfg := sim.Config{Machine: r.Machine, Model: sim.Abstract, Policy: opt.Policy, BlocksPerSM: int(r.Occupancy.Blocks), Batches: true, L1Order: opt.Order, Checks: true}
	if block >= 0 {
		cfg.Blocks = []int64{block}
	}
	if opt.Order == sim.L1Reorder {
		follow, err := l.Kernel(true)
		if err != nil {
			t.Fatal(err)
		}
		a, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		own, err := l.Fresh()
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Order, err = a.NewOrder(own, l1d.Options{SegmentBytes: r.Machine.Desc.L1D.SectorBytes}); err != nil {
			t.Fatal(err)
		}
	}
	k, err := l.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	got, err := sim.Run(ctx, cfg, k, r.Timing)
	if err != nil {
		return 0, err
	}
	return got.Cycles, nil
}

// tally counts what a comparison with simulations has found, by method.
type tally struct{ claimed, exact, unsafe, exceeded int }

// hold compares the figures of a report with a simulation of the launch and of one
// block alone.
func hold(t *testing.T, name string, l *load.Launch, r *Report, opt SegmentOptions, block int64, seen map[string]*tally) {
	t.Helper()
	for i, b := range []int64{block, -1} {
		scope := r.Scopes[i]
		cycles, err := simulateTurns(t, l, r, opt, b)
		if err != nil {
			// It may stop for ever; then nothing claims that it does not.
			if !strings.Contains(err.Error(), "holds the turn") {
				t.Fatalf("%s, block %d: %v", name, b, err)
			}
			if best := scope.BestBound(); best != nil {
				t.Errorf("%s: %v, and %s bounds it", name, err, best.Method)
			}
			continue
		}
		for _, x := range scope.Bounds {
			n := seen[x.Method]
			if n == nil {
				n = &tally{}
				seen[x.Method] = n
			}
			if !x.Safe {
				if n.unsafe++; x.Cycles < cycles {
					n.exceeded++
				}
				continue
			}
			if n.claimed++; x.Cycles == cycles {
				n.exact++
			}
			if x.Cycles < cycles {
				t.Errorf("%s, block %d: %d cycles, %s is %d", name, b, cycles, x.Method, x.Cycles)
			}
		}
	}
}

// No example exceeds a figure that claims to hold: under all strict policies, on
// machines that theorem 19 is for and others, without caches and with.
func TestSegmentBoundsHold(t *testing.T) {
	wide := os.Getenv("WARPBOUND_SEGMENT_WIDE") != ""
	machines := []struct {
		gpu, order string
		set        []string
	}{
		{"ecrts2025-200", sim.L1None, nil},
		{"ecrts2025-200", sim.L1None, []string{"sm.count=1", "barrier.draining=true", "barrier.delay_cycles=7", "block_dispatch.start_delay_cycles=5", "sm.max_blocks=2"}},
		{"gtx480", sim.L1None, []string{"sm.count=2", "sm.max_blocks=1", "sm.schedulers=1", "queue.order=\"fifo\"", "queue.keeps_warp_order=true"}},
		{"gtx480", sim.L1None, []string{"sm.count=1"}},
		{"gtx480", sim.L1Reorder, []string{"sm.schedulers=1", "queue.order=\"fifo\"", "queue.keeps_warp_order=true", "sm.count=2"}},
	}
	seen := map[string]*tally{}
	for i, e := range examples.All() {
		l := open(t, "../examples/"+e.Launch)
		for j, on := range machines {
			m := machine(t, on.gpu, on.set...)
			for k, policy := range []string{"segments", "srr", "gsrr"} {
				if !wide && (i+j+k)%6 != 0 {
					continue
				}
				opt := SegmentOptions{Policy: sim.Policy{Name: policy}, Order: on.order}
				r, err := RunSegments(context.Background(), cacheLaunch(l), m, opt)
				if err != nil && strings.Contains(err.Error(), "does not fit") {
					continue
				}
				name := fmt.Sprintf("%s on %s %v, %s", e.Launch, on.gpu, on.set, policy)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(r.InputDependent) > 0 || len(r.Scopes[0].Bounds) == 0 {
					continue
				}
				hold(t, name, l, r, opt, int64(i+j)%r.Blocks, seen)
			}
		}
	}
	for _, m := range SegmentMethods() {
		if n := seen[m]; n != nil {
			t.Logf("%s: claimed %d times, exact %d times; not claimed %d times, and then below the simulation %d times", m, n.claimed, n.exact, n.unsafe, n.exceeded)
		}
	}
}
