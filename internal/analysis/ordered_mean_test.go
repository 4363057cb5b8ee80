package analysis

import (
	"context"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/examples"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// How far the bounds of all examples lie above simulations of one machine, such
// as WARPBOUND_MACHINE="gtx480 sm.count=1": four policies each. Without it a
// few examples on few SMs are looked at.
func TestOrderedOverestimation(t *testing.T) {
	on, named := settings.Machine("gtx480", "sm.count=2")
	few := !named
	parts := map[string]float64{}
	var names []string
	ratio, n, whole := 0.0, 0, 0.0
	for i, e := range examples.All() {
		if few && i%12 != 0 {
			continue
		}
		l := open(t, "../../examples/"+e.Launch)
		r, err := Run(context.Background(), cacheLaunch(l), gpus.Preset(t, on[0], on[1:]...), method.Question{Reordered: true})
		if err != nil || r.Best == nil {
			continue
		}
		mean := 0.0
		policies := []string{"lrr", "gto", "oldest", "random:1"}
		if few {
			policies = policies[i/12%4:][:1]
		}
		for _, name := range policies {
			cycles := simulateOrdered(t, l, r, name, policy.DispatchOrder{}, -1)
			if cycles > r.Best.Cycles {
				t.Errorf("%s, %s: %d cycles, bound %d", e.Launch, name, cycles, r.Best.Cycles)
			}
			n++
			over := float64(r.Best.Cycles)/float64(cycles) - 1
			ratio += over
			mean += over / float64(len(policies))
		}
		for _, c := range r.Best.Breakdown {
			if _, ok := parts[c.Name]; !ok {
				names = append(names, c.Name)
			}
			parts[c.Name] += float64(c.Cycles) / float64(r.Best.Cycles)
		}
		whole++
		t.Logf("%-40s %8d cycles (%s), %7.1f %% over, %v", e.Launch, r.Best.Cycles, r.Best.Method, 100*mean, breakdown(r.Best))
	}
	if n == 0 {
		t.Fatal("no launch has a bound")
	}
	for _, name := range names {
		t.Logf("%-50s %5.1f %% of the bound on average", name, 100*parts[name]/whole)
	}
	t.Logf("%s: %d simulations of %.0f launches, %.1f %% over on average", strings.Join(on, " "), n, whole, 100*ratio/float64(n))
}

func breakdown(b *bound.Bound) []int64 {
	var out []int64
	for _, c := range b.Breakdown {
		out = append(out, c.Cycles)
	}
	return out
}
