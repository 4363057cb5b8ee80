package kernels

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/gpu"
)

// wideShare is how many cases are drawn for each that is also tried without
// latencies: those whose seed leaves 1. Directed cases, of seed 0, are not.
const wideShare = 2

// tryWide runs the case on a machine without latencies that issues several
// instructions in a cycle, to units of several servers: what the makespan method
// is for. It adds what it does to out and returns the case where a bound was
// violated.
func (c *Case) tryWide(ctx context.Context, out *Outcome) (*Case, error) {
	w, err := c.wide()
	if err != nil {
		return nil, err
	}
	o, err := w.Run(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("without latencies: %w", err)
	}
	out.Compared += o.Compared
	out.Paths += o.Paths
	if len(o.Violations) == 0 {
		return nil, nil
	}
	out.Violations = o.Violations
	return w, nil
}

// wide is the case with further settings that take away latencies and draw issue
// width and servers anew.
func (c *Case) wide() (*Case, error) {
	w := *c
	w.Set = append([]string(nil), c.Set...)
	rng := rand.New(rand.NewPCG(c.Seed, 0x77696465))
	d, err := gpu.Open(c.Base, c.Set)
	if err != nil {
		return nil, err
	}
	set := func(format string, args ...any) { w.Set = append(w.Set, fmt.Sprintf(format, args...)) }
	set("issue.dependency_depth_cycles=0")
	set("issue.per_cycle=%d", 1+rng.IntN(3))
	for _, u := range d.Units {
		set("units.%s.count=%d", u.Name, 1+rng.IntN(3))
	}
	short := rng.IntN(2) == 0
	for i := range d.Timing {
		initiation := d.Timing[i].InitiationCycles
		if short {
			initiation = 1
			set("timing.%d.initiation_cycles=1", i)
		}
		set("timing.%d.latency_cycles=%d", i, initiation)
		if d.Timing[i].DependentIssueCycles > 0 {
			set("timing.%d.dependent_issue_cycles=%d", i, initiation)
		}
	}
	return &w, nil
}
