package kernels

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/volume"
)

// Without latencies the makespan method gives safe bounds, on machines of every
// issue width, and simulations come near them.
func TestKernelsWithoutLatencies(t *testing.T) {
	const cases = 100
	safe, near := 0, 0
	widths := map[int]int{}
	for seed := range uint64(cases) {
		c := Draw(1000 + seed)
		w, err := c.wide()
		if err != nil {
			t.Fatal(err)
		}
		out, err := w.Run(context.Background(), "")
		if err != nil {
			t.Fatalf("%v: %v", w.Set, err)
		}
		for i := range out.Violations {
			t.Errorf("%v", &out.Violations[i])
		}
		p, err := w.prepare(context.Background(), "")
		if err != nil {
			t.Fatal(err)
		}
		if block := p.report.Scope(bound.Block); block != nil {
			if b := block.Bound(volume.Method); b != nil && b.Safe {
				safe++
				widths[p.machine.Desc.Issue.PerCycle]++
			}
		}
		if out.Ratio >= 900 {
			near++
		}
	}
	t.Logf("%d of %d kernels with a safe bound, by width %v; simulation within 10 %% of a bound in %d", safe, cases, widths, near)
	if safe*2 < cases || near*10 < cases || len(widths) != 3 {
		t.Errorf("%d of %d kernels have a safe makespan bound, near it %d, widths %v", safe, cases, near, widths)
	}
}

// Taken for safe in spite of latencies, the figure is found out at once.
func TestMakespanWithLatenciesIsFoundOut(t *testing.T) {
	s := run(t, Config{Seed: 1, Cases: 20, Plant: volume.Method})
	if len(s.Violations) == 0 || s.Violations[0].Method != volume.Method {
		t.Errorf("%+v", s.Violations)
	}
}
