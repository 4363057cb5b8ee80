package report

import (
	"fmt"
	"sort"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/version"
)

// SimulationDocument is the JSON form of a simulation (docs/json.md).
type SimulationDocument struct {
	Warpbound version.Info `json:"warpbound"`
	Launch    string       `json:"launch"`
	// Settings and SHA256 tell the description apart from others of its name.
	Settings []string `json:"gpu_settings"`
	SHA256   string   `json:"gpu_sha256"`
	*sim.Result
	// L1D, L2 and DRAM are null without caches, Interference without traffic of
	// CPU cores, Scheduling without a front end.
	L1D          *CacheUse            `json:"l1d"`
	L2           *L2Use               `json:"l2"`
	DRAM         *DRAMUse             `json:"dram"`
	Interference *Interference        `json:"interference"`
	Scheduling   *sim.SchedulingStats `json:"scheduling"`
	ExitCode     *int32               `json:"exit_code"` // of a RISC-V program, null for PTX
}

// Simulation makes the JSON form of a simulation beside the traffic named.
func Simulation(launch string, m *gpu.Machine, r *sim.Result, traffic string) (*SimulationDocument, error) {
	id, err := identity(m.Desc)
	if err != nil {
		return nil, err
	}
	d := &SimulationDocument{Warpbound: version.Get(), Launch: launch, Settings: id.Settings, SHA256: id.SHA256, Result: r, Scheduling: r.Scheduling}
	d.memoryUse(m, r)
	d.Interference = newInterference(r, traffic)
	return d, nil
}

// SimulationGantt says in a Gantt chart of a run what it is of.
func SimulationGantt(launch string, m *gpu.Machine, r *sim.Result) GanttOptions {
	return GanttOptions{
		Title:   fmt.Sprintf("%s on %s, %s: %s", r.Kernel, machineName(m.Desc), policies(r), plural(r.Cycles, "cycle")),
		Notes:   []string{fmt.Sprintf("%s, model %s, %s at %s; warpbound %s", launch, r.Model, plural(m.Desc.SM.Count, "SM"), clock(m.Desc), version.Get().Version)},
		ToCycle: r.Cycles,
	}
}

// usedSMs says how many SMs had blocks to run.
func usedSMs(r *sim.Result, d *gpu.Description) string {
	if n := d.SM.Count; int64(r.SMs) < n {
		return fmt.Sprintf("%d of %s", r.SMs, plural(n, "SM"))
	}
	return plural(int64(r.SMs), "SM")
}

// SimulationText writes the statistics of a run beside the traffic named.
func SimulationText(launch string, m *gpu.Machine, r *sim.Result, traffic string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel  %s: %s\n", r.Kernel, launch)
	fmt.Fprintf(&b, "GPU     %s: %s with %s each, at most %s resident per SM\n",
		machineName(m.Desc), usedSMs(r, m.Desc), plural(int64(r.Schedulers), "scheduler"), plural(int64(r.BlocksPerSM), "block"))
	fmt.Fprintf(&b, "MODEL   %s, %s%s\n", r.Model, policies(r), accessOrder(r))
	fmt.Fprintf(&b, "CYCLES  %s = %s at %s\n\n", Count(r.Cycles), Time(r.Cycles, m.Desc.Clock.CoreKHz), clock(m.Desc))
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
	b.WriteString(schedulingText(r))
	b.WriteString(memoryText(m, r))
	b.WriteString(interferenceText(r, traffic))
	if r.L1Order == sim.L1Reorder && !r.Batches && r.Blocks > int64(r.SMs)*int64(r.BlocksPerSM) {
		b.WriteString("blocks came one by one as others ended, so the order of accesses depends on the times of this run; --batches makes it one known beforehand\n")
	}
	return b.String()
}

// accessOrder says how accesses reached the L1D and blocks the SMs, where that
// was not the default.
func accessOrder(r *sim.Result) string {
	s := ""
	switch r.L1Order {
	case sim.L1Dynamic:
		s = ", caches"
	case sim.L1Reorder:
		s = ", caches, accesses reordered"
	}
	if r.Batches {
		s += ", blocks in batches"
	}
	return s
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

// Document gives the run r on m its forms. end is how a RISC-V program ended, nil for
// PTX.
func (d *SimulationDocument) Document(m *gpu.Machine, r *sim.Result, end *load.Outcome, traffic string) *Document {
	if end != nil {
		d.ExitCode = &end.ExitCode
	}
	of := Written(d.Warpbound, []string{d.Launch}, MachineIdentity{GPU: m.Desc.Name, Settings: d.Settings, SHA256: d.SHA256})
	return Sentences("simulate", of, d, func(p *Printer) {
		writeFailed(p, end)
		p.WriteString(SimulationText(d.Launch, m, r, traffic))
		writeOutcome(p, end)
	})
}
