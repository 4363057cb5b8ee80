package report

import (
	"bytes"
	"fmt"
	"sort"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
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
	Costs        *RunCostsDocument    `json:"costs,omitempty"`
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

// Document gives the run r on m its forms. end is how a RISC-V program ended, nil for
// PTX; chart what was recorded of its warps, nil where it has no picture.
func (d *SimulationDocument) Document(m *gpu.Machine, r *sim.Result, end *load.Outcome, chart *gantt.Recorder) *Document {
	if end != nil {
		d.ExitCode = &end.ExitCode
	}
	out := &Document{
		Kind: "simulate", Provenance: Written(d.Warpbound, []string{d.Launch}, MachineIdentity{GPU: m.Desc.Name, Settings: d.Settings, SHA256: d.SHA256}), JSON: d,
		Sections: []Section{
			{ID: "launch", Lead: failedText(end) + d.launchText(m, r)},
			{ID: "summary", Lead: summaryText(r)},
			{ID: "schedulers", Sheet: stallSheet(r)},
			{ID: "units", Sheet: unitSheet(r)},
		},
	}
	if d.Costs != nil {
		out.Sections = append(append(out.Sections, d.Costs.section()), listingSections(d.Costs.Listings, d.Costs.Cycles)...)
		out.Values = d.Costs.sheet()
	}
	out.Sections = append(out.Sections, schedulingSections(r)...)
	out.Sections = append(out.Sections, memorySections(m, r)...)
	out.Sections = append(out.Sections, d.Interference.sections(r)...)
	if r.L1Order == sim.L1Reorder && !r.Batches && r.Blocks > int64(r.SMs)*int64(r.BlocksPerSM) {
		out.Sections = append(out.Sections, Section{ID: "batches", Joined: true,
			Lead: "blocks came one by one as others ended, so the order of accesses depends on the times of this run; --batches makes it one known beforehand\n"})
	}
	out.Sections = append(out.Sections, outcomeSection(end))
	if chart != nil {
		out.Plot = func(format string) ([]byte, error) { return d.chart(format, m, r, chart) }
	}
	return out
}

// chart draws the warps of a run over time.
func (d *SimulationDocument) chart(format string, m *gpu.Machine, r *sim.Result, of *gantt.Recorder) ([]byte, error) {
	if format != plot.SVG {
		return nil, fmt.Errorf("format %q: expected %s, the only one of warps over time", format, plot.SVG)
	}
	o := SimulationGantt(d.Launch, m, r)
	o.FromCycle, o.Hidden, o.Quantum = of.FromCycle, of.Hidden(), of.Quantum()
	if of.ToCycle > 0 {
		o.ToCycle = min(o.ToCycle, of.ToCycle)
	}
	var picture bytes.Buffer
	err := WriteGantt(&picture, of.Intervals(), o)
	return picture.Bytes(), err
}

// launchText says what was simulated, on what, and how long it took.
func (d *SimulationDocument) launchText(m *gpu.Machine, r *sim.Result) string {
	return fmt.Sprintf("kernel  %s: %s\n", r.Kernel, d.Launch) +
		fmt.Sprintf("GPU     %s: %s with %s each, at most %s resident per SM\n",
			machineName(m.Desc), usedSMs(r, m.Desc), plural(int64(r.Schedulers), "scheduler"), plural(int64(r.BlocksPerSM), "block")) +
		fmt.Sprintf("MODEL   %s, %s%s\n", r.Model, policies(r), accessOrder(r)) +
		fmt.Sprintf("CYCLES  %s = %s at %s\n", Count(r.Cycles), Time(r.Cycles, m.Desc.Clock.CoreKHz), clock(m.Desc))
}

func summaryText(r *sim.Result) string {
	return fmt.Sprintf("%s warp instructions (%s thread instructions), IPC %.3f, %s, mean occupancy %.1f warps\n",
		Count(r.WarpInstructions), Count(r.ThreadInstructions), r.IPC, plural(r.Blocks, "block"), r.Occupancy) +
		fmt.Sprintf("a block takes %s to %s cycles, %.0f on average\n", Count(r.Block.MinCycles), Count(r.Block.MaxCycles), r.Block.MeanCycles)
}

// counted is a row of what was counted, with what share of something it is.
type counted struct {
	what  string
	count int64
	share float64
}

// countedSheet is a sheet of such rows under the headings of what, count and share.
func countedSheet(what, count, share, unit string, rows []counted) *Sheet {
	return NewSheet("", rows, []Of[counted]{
		{Column{ID: "what", Heading: what}, func(c *counted) any { return c.what }},
		{Column{ID: unit, Heading: count, Unit: unit, Type: Amount}, func(c *counted) any { return c.count }},
		{Column{ID: "share", Heading: share, Unit: "ratio", Type: Share, Bar: true}, func(c *counted) any { return c.share }},
	})
}

// stallSheet says what schedulers did with their cycles.
func stallSheet(r *sim.Result) *Sheet {
	total := float64(r.Cycles) * float64(r.SMs*r.Schedulers)
	share := func(n int64) float64 {
		if total == 0 {
			return 0
		}
		return float64(n) / total
	}
	rows := []counted{{"issued", r.IssueCycles, share(r.IssueCycles)}}
	for _, reason := range sortedByCount(r.Stalls) {
		rows = append(rows, counted{"stalled: " + reason, r.Stalls[reason], share(r.Stalls[reason])})
	}
	return countedSheet("scheduler cycles", "cycles", "share", "cycles", rows)
}

// unitSheet is the load of the units that were used.
func unitSheet(r *sim.Result) *Sheet {
	var used []sim.UnitUse
	for _, u := range r.Units {
		if u.Instructions > 0 {
			used = append(used, u)
		}
	}
	return NewSheet("units[]", used, []Of[sim.UnitUse]{
		{Column{ID: "unit", Heading: "unit"}, func(u *sim.UnitUse) any { return u.Name }},
		{Column{ID: "instructions", Heading: "instructions", Unit: "instructions", Type: Amount}, func(u *sim.UnitUse) any { return u.Instructions }},
		{Column{ID: "initiation_cycles", Heading: "initiating", Unit: "cycles", Type: Amount}, func(u *sim.UnitUse) any { return u.InitiationCycles }},
		{Column{ID: "utilization", Heading: "utilization", Unit: "ratio", Type: Share, Bar: true}, func(u *sim.UnitUse) any { return u.Utilization }},
	}).By("name")
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
