package report

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/prem/schedule"
	"github.com/warpbound/warpbound/prem/study"
)

// PremSchedules is the document of schedules: the budgets of the phases of the
// kernels of a C file.
type PremSchedules struct {
	Warpbound  version.Info    `json:"warpbound"`
	File       string          `json:"file"`
	GPU        string          `json:"gpu"`
	Caches     bool            `json:"caches"`
	Schedule   string          `json:"schedule"`
	SyncNanos  int64           `json:"sync_ns"`
	TimerNanos int64           `json:"timer_ns"`
	ClockKHz   int64           `json:"clock_khz"`
	Kernels    []PremScheduled `json:"kernels"`
	// Traffic are the kinds that CPU cores sent, as asked for.
	Traffic []string `json:"traffic"`
	// Runs are of whole kernels, with the guard or beside CPU cores, where asked for.
	Runs []PremRun `json:"runs"`
}

// PremScheduled is one kernel under one scheme, with phases from one source.
type PremScheduled struct {
	Kernel   string `json:"kernel"`
	At       string `json:"at"`
	Scheme   string `json:"scheme"`
	Source   string `json:"source"` // "bounded" or "simulated": where the times of the phases are from
	Launches int64  `json:"launches"`
	// BaseCycles is the kernel without phases, simulated in isolation.
	BaseCycles int64 `json:"base_cycles"`
	Intervals  int64 `json:"intervals"`
	MemNanos   int64 `json:"memory_ns"` // T_mem
	CompNanos  int64 `json:"compute_ns"`
	BudgetMem  int64 `json:"memory_budget_ns"` // E_mem
	BudgetComp int64 `json:"compute_budget_ns"`
	// Idle is the part of the budgets that no phase needs at its worst.
	Idle float64 `json:"idle"`
	// TotalNanos is the kernel with the synchronisations of its intervals, no budget
	// below the timer's response; Slowdown that over the time of the base.
	TotalNanos int64   `json:"total_ns"`
	Slowdown   float64 `json:"slowdown"`
	// AtWall are the phases that are over before the timer can respond.
	AtWall         []string `json:"at_wall"`
	Compatible     *string  `json:"compatible"`
	InputDependent bool     `json:"input_dependent"`
}

// NewPremSchedules begins the document of a file, with the names of the study's
// kinds of traffic.
func NewPremSchedules(file string, d *gpu.Description, caches bool, name string, costs study.Costs, traffic []string) *PremSchedules {
	return &PremSchedules{
		Warpbound: version.Get(), File: file, GPU: d.Name, Caches: caches, Schedule: name,
		SyncNanos: costs.SyncNanos, TimerNanos: costs.TimerNanos, ClockKHz: d.Clock.CoreKHz, Kernels: []PremScheduled{}, Traffic: append([]string{}, traffic...), Runs: []PremRun{},
	}
}

// Add adds what a study found of a function; pick takes the schedule wanted.
func (d *PremSchedules) Add(r *study.Result, pick func(*study.Phases) schedule.Schedule) error {
	for _, k := range r.Kernels {
		for i := range k.Schemes {
			s := &k.Schemes[i]
			if s.Bounded != nil {
				if err := d.add(&k, s, "bounded", s.Bounded, pick); err != nil {
					return err
				}
			}
			if err := d.add(&k, s, "simulated", &s.Simulated, pick); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *PremSchedules) add(k *study.Kernel, s *study.Scheme, source string, p *study.Phases, pick func(*study.Phases) schedule.Schedule) error {
	row := PremScheduled{
		Kernel: k.Name, At: k.At, Scheme: s.Scheme.String(), Source: source, Launches: k.Launches, BaseCycles: k.Base.Cycles,
		AtWall: []string{}, InputDependent: source == "bounded" && s.InputDependent,
	}
	if s.Compatible != "" {
		row.Compatible = &s.Compatible
	}
	if k.Launches > 0 {
		w := pick(p)
		base, err := schedule.FromCycles(k.Base.Cycles, d.ClockKHz*1000)
		if err != nil {
			return err
		}
		row.Intervals, row.MemNanos, row.CompNanos = w.Intervals, int64(w.WorstMem), int64(w.WorstComp)
		row.BudgetMem, row.BudgetComp, row.TotalNanos = int64(w.BudgetMem), int64(w.BudgetComp), p.TotalNanos(&w)
		row.Idle, row.Slowdown = w.IdleOfBudgets().Float64(), float64(row.TotalNanos)/float64(max(base, 1))
		for _, x := range w.Warnings() {
			row.AtWall = append(row.AtWall, x.Phase.String())
		}
	}
	d.Kernels = append(d.Kernels, row)
	return nil
}

// PremSchedulesText writes the document.
func PremSchedulesText(d *PremSchedules) string {
	var b strings.Builder
	memory := "global memory of fixed latency"
	if d.Caches {
		memory = "with caches and DRAM"
	}
	fmt.Fprintf(&b, "%s on %s, %s; schedule %s\n", d.File, d.GPU, memory, d.Schedule)
	fmt.Fprintf(&b, "a synchronisation takes %s, the timer responds within %s\n\n", micros(d.SyncNanos), micros(d.TimerNanos))
	t := Table{
		Header: []string{"kernel", "scheme", "phases", "launches", "intervals", "T mem", "T comp", "E mem", "E comp", "idle", "total", "base", "slowdown", "at the wall"},
		Left:   []int{1, 2, 13},
	}
	var notes []string
	for _, k := range d.Kernels {
		if k.Launches == 0 {
			t.Add(k.Kernel, k.Scheme, k.Source, 0, "-", "-", "-", "-", "-", "-", "-", "-", "-", "-")
			continue
		}
		t.Add(k.Kernel, k.Scheme, k.Source, Count(k.Launches), Count(k.Intervals), micros(k.MemNanos), micros(k.CompNanos), micros(k.BudgetMem), micros(k.BudgetComp),
			Percent(k.Idle), micros(k.TotalNanos), Time(k.BaseCycles, d.ClockKHz), fmt.Sprintf("%.2f", k.Slowdown), dash(strings.Join(k.AtWall, ", ")))
		if k.Compatible != nil && k.Source == "simulated" {
			notes = append(notes, fmt.Sprintf("%s, %s: compatible intervals: %s", k.Kernel, k.Scheme, *k.Compatible))
		}
		if k.InputDependent {
			notes = append(notes, fmt.Sprintf("%s, %s: bounds for these arguments only", k.Kernel, k.Scheme))
		}
	}
	b.WriteString(t.Render(Text))
	for _, n := range notes {
		b.WriteString(n + "\n")
	}
	b.WriteString("at the wall: phases shorter than the timer's response, for which the kernel waits\n")
	b.WriteString("bounded: no execution on this machine takes longer; simulated: the longest phase seen. A hand-over is missed where a phase exceeds its budget.\n")
	b.WriteString(premRunsText(d))
	return b.String()
}

// micros prints nanoseconds as microseconds.
func micros(nanos int64) string {
	return fmt.Sprintf("%s.%03d µs", Count(nanos/1000), nanos%1000)
}
