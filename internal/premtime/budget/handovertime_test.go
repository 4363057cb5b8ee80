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

// The GPU's part of a hand-over, to see a grant and to ask for the next phase, is short
// on the TX1 as described, also beside CPU cores: the words of the token stay in the L2.
// Where they do not, its requests wait for the cores at the end of a compute phase, and
// nothing bounds that.
func TestGPUPartOfHandOver(t *testing.T) {
	kinds := map[string][]simsoc.Traffic{
		"alone":  nil,
		"stress": {{CPU: "a57", SequentialPermille: 1000, WritePermille: 500}},
		"random": {{CPU: "a57", WritePermille: 500}},
	}
	measure := func(set ...string) map[string]int64 {
		longest := map[string]int64{}
		for _, name := range []string{"atax", "lu"} {
			e, ok := prem.Lookup(name)
			if !ok {
				t.Fatalf("no program %s", name)
			}
			for kind, traffic := range kinds {
				opt := exec.Options{Scheme: device.SDMA, Tile: tile.Options{SPMBytes: 6 << 10, Teams: 2, Threads: 128}}
				longest[kind] = max(longest[kind], longestHandOver(t, e, gpus.Preset(t, "tx1", set...), opt, traffic))
			}
		}
		t.Logf("%v: at most %v cycles", set, longest)
		return longest
	}
	for kind, c := range measure() {
		if c == 0 || c > 900 {
			t.Errorf("%s: %d cycles, expected 1 to 900", kind, c)
		}
	}
	short := measure("l2.ways=1", "l2.sets=1", "l2.slices=1", "dram.channels=1", "dram.bytes_per_kilocycle=6410", "cpu.a57.outstanding=24")
	if short["alone"] > 1500 || short["random"] < 2000 || short["stress"] < 2000 {
		t.Errorf("%v cycles with an L2 of a line, expected at most 1,500 alone and more than 2,000 beside the cores", short)
	}
}

// longestHandOver simulates the launches of a program with the guard and returns the
// longest time that the GPU takes from the end of a phase to its request, and from the
// grant to the release of the last team.
func longestHandOver(t *testing.T, e prem.Benchmark, m *gpu.Machine, opt exec.Options, traffic []simsoc.Traffic) int64 {
	t.Helper()
	opt.PTX.Guard = true
	longest := int64(0)
	launches(t, e, opt, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		k, err := l.Fresh(false)
		if err != nil {
			return nil, err
		}
		timing, err := m.Resolve(k.Program())
		if err != nil {
			return nil, err
		}
		g, err := soc.NewGuard(k.Buffer(exec.Token), soc.Config{
			Budgets:    guard.Budgets{LaunchNanos: 15_000, MemoryNanos: 15_000, ComputeNanos: 15_000, RetryNanos: 5000},
			SyncCycles: 100, Teams: k.Grid()[0], KeepPhases: true,
		})
		if err != nil {
			return nil, err
		}
		got, err := Measure(ctx, sim.Config{
			Machine: m, BlocksPerSM: 2, Memory: sim.Caches{SoC: &simsoc.Config{Traffic: traffic, Agents: []simsoc.Agent{g}}}, Checks: true,
		}, k, timing)
		if err != nil {
			return nil, err
		}
		phases := g.Phases()
		for i := 1; i < min(len(phases), len(got.Kinds)); i++ {
			seen := got.Released[i] - phases[i].GrantCycle
			asked := phases[i-1].RequestCycle - got.Start[i-1] - got.Cycles[i-1]
			longest = max(longest, asked+seen)
		}
		return k, nil
	})
	return longest
}
