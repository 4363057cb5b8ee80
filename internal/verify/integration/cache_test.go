package integration

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// With the reordering unit, every launch whose accesses are known meets in the L1
// data caches, request by request, what is estimated: three sizes, three numbers
// of ways, the three replacement policies, deterministic and random schedulers,
// blocks in one batch and in several. In dynamic order its misses are between the
// fewest and the most of any order.
func TestMissRatesAreThoseSimulated(t *testing.T) {
	for _, part := range []int{0, 1} {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			ran, refused := 0, 0
			for i, e := range examples.All() {
				if i%2 != part || testing.Short() && i%16 != part {
					continue
				}
				switch n := missRates(t, e, i); n {
				case 0:
					refused++
				default:
					ran += n
				}
			}
			if refused > 5 || !testing.Short() && ran < 600 {
				t.Errorf("%d configurations, %d launches refused", ran, refused)
			}
			t.Logf("%d configurations, %d launches refused", ran, refused)
		})
	}
}

// missRates tests a launch and returns the number of configurations, 0 where its
// accesses are not known or its block does not fit.
func missRates(t *testing.T, e examples.Example, number int) int {
	t.Helper()
	name := []string{"gtx480", "gtx480", "rtx3070"}[number/2%3]
	d, err := gpu.Open(name, []string{fmt.Sprintf("sm.count=%d", []int{15, 2, 4}[number%3])})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, e)
	if tooLarge[name][e.Launch] != "" {
		return 0
	}
	launch := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh}
	configurations := 0
	for j, size := range []int{16, 32, 64} {
		policy, err := policy.Parse([]string{"lrr", fmt.Sprintf("random:%d", number), "gto", fmt.Sprintf("random:%d", number+1000)}[(number+j)%4])
		if err != nil {
			t.Fatal(err)
		}
		opt := analysis.CacheOptions{Simulate: true, Policy: policy, Batches: number%2 == 0 || j > 0}
		for k, ways := range []int{4, 8, 16} {
			c := cache.OfL1D(d.L1D)
			c.Sets, c.Ways = size<<10/(c.LineBytes*ways), ways
			if c.Replacement = []cache.Replacement{cache.LRU, cache.FIFO, cache.PLRU}[(number+j+k)%3]; c.Check() != nil {
				c.Index = cache.Linear
			}
			opt.Configs = append(opt.Configs, c)
		}
		r, err := analysis.RunCaches(context.Background(), launch, m, opt)
		var unknown *l1d.NotAnalysable
		switch {
		case errors.As(err, &unknown), errors.Is(err, l1d.ErrUnplaced):
			return 0
		case err != nil:
			t.Errorf("%s: %v", e.Launch, err)
			return 0
		}
		for i := range r.Caches {
			c := &r.Caches[i]
			configurations++
			if r.Exact() && (!c.Same || c.Reordered.Counts.Both() != outcomes(c.Estimated.Total.Both())) {
				t.Errorf("%s, %+v, %s: not the estimate: simulated %+v, estimated %+v", e.Launch, c.Config, policy, c.Reordered.Counts, c.Estimated.Total)
			}
			if r.Wrong() {
				t.Errorf("%s, %+v, %s: %+v, simulated %+v and %+v", e.Launch, c.Config, policy, c.AnyOrder, c.Reordered, c.Dynamic)
			}
		}
	}
	return configurations
}

// outcomes is a tally without what simulations do not count by kind.
func outcomes(t cache.Tally) cache.Tally {
	t.SectorMisses = 0
	return t
}
