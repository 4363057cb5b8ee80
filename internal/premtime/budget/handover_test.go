package budget

import (
	"context"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/soc"
	"github.com/warpbound/warpbound/internal/sim"
	simsoc "github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// With budgets that are bounds nothing is missed if the handler of the timer looks
// later by what a synchronisation takes on a TX1 (Forsberg2021: 5.8 us); without that
// the GPU's side of a hand-over is not in them.
func TestBudgetsOfTheGuard(t *testing.T) {
	const sync = 5791 // cycles
	m := gpus.Preset(t, "tx1")
	for _, name := range []string{"atax", "jacobi1d", "reduce"} {
		e, ok := prem.Lookup(name)
		if !ok {
			t.Fatalf("no program %s", name)
		}
		for _, s := range []device.Scheme{device.CMPT, device.DAE, device.SDMA} {
			opt := exec.Options{Scheme: s, Tile: tile.Options{SPMBytes: 6 << 10, Teams: 2, Threads: 128}}
			bounds := boundLaunches(t, e, m, opt, Options{Caches: true, BlocksPerSM: 2})
			if late := missed(t, e, m, opt, bounds, sync); late != 0 {
				t.Errorf("%s %v: %d hand-overs missed", name, s, late)
			}
			if missed(t, e, m, opt, bounds, 0) == 0 {
				t.Errorf("%s %v: no hand-over missed without the time that it takes", name, s)
			}
		}
	}
}

// missed simulates the launches of a program with the guard, budgets at their bounds.
func missed(t *testing.T, e prem.Benchmark, m *gpu.Machine, opt exec.Options, bounds []*Result, response int64) int64 {
	t.Helper()
	opt.PTX.Guard = true
	n, misses := 0, int64(0)
	launches(t, e, opt, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		k, err := l.Fresh(false)
		if err != nil {
			return nil, err
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			return nil, err
		}
		r := bounds[n]
		n++
		g, err := soc.NewGuard(k.Buffer(exec.Token), soc.Config{
			Budgets:        guard.Budgets{LaunchNanos: 5000, MemoryNanos: r.Worst(Memory).Cycles, ComputeNanos: r.Worst(Compute).Cycles, RetryNanos: 500},
			ResponseCycles: response, SyncCycles: 100, Teams: k.Grid()[0],
		})
		if err != nil {
			return nil, err
		}
		_, err = sim.Run(ctx, sim.Config{
			Machine: m, BlocksPerSM: int(r.BlocksPerSM), Memory: sim.Caches{SoC: &simsoc.Config{Agents: []simsoc.Agent{g}}}, Checks: true,
		}, k, timing)
		misses += g.Stats().Misses
		return k, err
	})
	return misses
}
