package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/sim"
)

// SimulationDocument is the JSON form of a simulation (docs/json.md).
type SimulationDocument struct {
	Warpbound version.Info `json:"warpbound"`
	Launch    string       `json:"launch"`
	*sim.Result
}

// Simulation makes the JSON form of a simulation.
func Simulation(launch string, m *gpu.Machine, r *sim.Result) *SimulationDocument {
	return &SimulationDocument{Warpbound: version.Get(), Launch: launch, Result: r}
}

// SimulationText writes the statistics of a run.
func SimulationText(launch string, m *gpu.Machine, r *sim.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel  %s: %s\n", r.Kernel, launch)
	fmt.Fprintf(&b, "GPU     %s, %s model, policy %s: %d SM with %d scheduler(s), %s resident per SM\n",
		r.GPU, r.Model, r.Policy, r.SMs, r.Schedulers, plural(int64(r.BlocksPerSM), "block"))
	fmt.Fprintf(&b, "CYCLES  %s = %s\n\n", Count(r.Cycles), Time(r.Cycles, m.Desc.Clock.CoreKHz))
	fmt.Fprintf(&b, "%s warp instructions (%s thread instructions), IPC %.3f, %s, mean occupancy %.1f warps\n",
		Count(r.WarpInstructions), Count(r.ThreadInstructions), r.IPC, plural(r.Blocks, "block"), r.Occupancy)
	fmt.Fprintf(&b, "a block takes %s to %s cycles, %.0f on average\n\n", Count(r.Block.MinCycles), Count(r.Block.MaxCycles), r.Block.MeanCycles)

	total := float64(r.Cycles) * float64(r.SMs*r.Schedulers)
	share := func(n int64) string {
		if total == 0 {
			return Percent(0)
		}
		return Percent(float64(n) / total)
	}
	t := Table{Header: []string{"scheduler cycles", "cycles", "share"}}
	t.Add("issued", Count(r.IssueCycles), share(r.IssueCycles))
	for _, reason := range sortedByCount(r.Stalls) {
		t.Add("stalled: "+reason, Count(r.Stalls[reason]), share(r.Stalls[reason]))
	}
	b.WriteString(t.Render(Text) + "\n")
	u := Table{Header: []string{"unit", "instructions", "initiating", "utilization"}}
	for _, x := range r.Units {
		if x.Instructions > 0 {
			u.Add(x.Name, Count(x.Instructions), Count(x.InitiationCycles), Percent(x.Utilization))
		}
	}
	b.WriteString(u.Render(Text))
	return b.String()
}

// sortedByCount orders keys by descending count, then by name.
func sortedByCount(m map[string]int64) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if m[keys[i]] != m[keys[j]] {
			return m[keys[i]] > m[keys[j]]
		}
		return keys[i] < keys[j]
	})
	return keys
}
