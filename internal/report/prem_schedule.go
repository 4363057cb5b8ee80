package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/premtime/budget"
	"github.com/warpbound/warpbound/internal/premtime/schedule"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/version"
)

// PremSchedules is the document of schedules: the budgets of the phases of the
// kernels of a C file.
type PremSchedules struct {
	Warpbound version.Info `json:"warpbound"`
	File      string       `json:"file"`
	MachineIdentity
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
	// Apart says that the simulated teams were not in step, as the bounds have them, and
	// Above that a phase took longer than its bound then.
	Apart   bool    `json:"teams_apart"`
	Above   bool    `json:"above_bound"`
	NoBound *string `json:"no_bound"` // why there are no bounds beside
	// Bounds are those of the longest phases, and Assumptions what they rest on; empty
	// where the times are simulated.
	Bounds      []PremBound        `json:"bounds"`
	Assumptions []bound.Assumption `json:"assumptions"`
}

// above tells whether phases that were not in step took longer than their bounds.
func above(s *study.Scheme) bool {
	return s.Apart && s.Bounded != nil && (s.Simulated.MemNanos > s.Bounded.MemNanos || s.Simulated.CompNanos > s.Bounded.CompNanos)
}

// teamsApart marks simulated rows that are above their bounds for that reason.
const teamsApart = "TEAMS APART"

// PremBound is the bound of a phase.
type PremBound struct {
	Phase     string            `json:"phase"`
	Cycles    int64             `json:"cycles"`
	Method    string            `json:"method"`
	Theorem   string            `json:"theorem"`
	Breakdown []bound.Component `json:"breakdown"`
}

// NewPremSchedules begins the document of a file, with the names of the study's
// kinds of traffic.
func NewPremSchedules(file string, d *gpu.Description, caches bool, name string, costs study.Costs, traffic []string) (*PremSchedules, error) {
	id, err := identity(d)
	if err != nil {
		return nil, err
	}
	return &PremSchedules{
		Warpbound: version.Get(), File: file, MachineIdentity: id, Caches: caches, Schedule: name,
		SyncNanos: costs.SyncNanos, TimerNanos: costs.TimerNanos, ClockKHz: d.Clock.CoreKHz, Kernels: []PremScheduled{}, Traffic: append([]string{}, traffic...), Runs: []PremRun{},
	}, nil
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

func (d *PremSchedules) add(k *study.KernelTimes, s *study.Scheme, source string, p *study.Phases, pick func(*study.Phases) schedule.Schedule) error {
	row := PremScheduled{
		Kernel: k.Name, At: k.At, Scheme: s.Scheme.String(), Source: source, Launches: k.Launches, BaseCycles: k.Base.Cycles,
		AtWall: []string{}, InputDependent: source == "bounded" && s.InputDependent, Apart: source == "simulated" && s.Apart, Above: source == "simulated" && above(s), Bounds: []PremBound{}, Assumptions: []bound.Assumption{},
	}
	if source == "simulated" && s.NoBound != "" {
		row.NoBound = &s.NoBound
	}
	if source == "bounded" {
		row.Assumptions = append(row.Assumptions, s.Assumptions...)
		for _, x := range []*budget.Phase{s.LongestMem, s.LongestComp} {
			if x != nil {
				row.Bounds = append(row.Bounds, PremBound{Phase: x.Kind.String(), Cycles: x.Cycles, Method: x.Method, Theorem: theorems(x.Theorem), Breakdown: append([]bound.Component{}, x.Breakdown...)})
			}
		}
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
		if w.BudgetMem+w.BudgetComp > 0 {
			row.Idle = w.IdleOfBudgets().Float64()
		}
		row.Slowdown = float64(row.TotalNanos) / float64(max(base, 1))
		for _, x := range w.Warnings() {
			row.AtWall = append(row.AtWall, x.Phase.String())
		}
	}
	d.Kernels = append(d.Kernels, row)
	return nil
}

// Document gives the schedules their forms; explain adds what the bounds consist of and
// what each of their assumptions says.
func (d *PremSchedules) Document(explain bool) *Document {
	memory := "global memory of fixed latency"
	if d.Caches {
		memory = "with caches and DRAM"
	}
	lead := fmt.Sprintf("%s on %s, %s; schedule %s\n", d.File, d.GPU, memory, d.Schedule) +
		fmt.Sprintf("a synchronisation takes %s, the timer responds within %s\n\n", micros(d.SyncNanos), micros(d.TimerNanos))
	out := &Document{Kind: "prem-schedule", Provenance: Written(d.Warpbound, []string{d.File}, d.MachineIdentity), JSON: d, Sections: []Section{
		{ID: "schedules", Lead: lead, Sheet: d.sheet(), Notes: d.notes()},
	}}
	out.Sections = append(out.Sections, d.runs()...)
	if explain {
		out.Sections = append(out.Sections, d.boundSections()...)
	}
	if ledger := premLedger(d); len(ledger) > 0 {
		out.Sections = append(out.Sections, Section{ID: "assumptions", Write: func(p *Printer) { p.WriteString("the bounds rest on\n" + ledgerText(ledger, explain)) }})
	}
	return out
}

// sheet has a row for each kernel, scheme and source of times.
func (d *PremSchedules) sheet() *Sheet {
	// What is nil of a kernel that was never launched.
	ran := func(c Column, of func(*PremScheduled) any) Of[PremScheduled] {
		return Of[PremScheduled]{c, func(k *PremScheduled) any {
			if k.Launches == 0 {
				return nil
			}
			return of(k)
		}}
	}
	return NewSheet("kernels[]", d.Kernels, []Of[PremScheduled]{
		{Column{ID: "kernel", Heading: "kernel"}, func(k *PremScheduled) any { return k.Kernel }},
		{Column{ID: "scheme", Heading: "scheme"}, func(k *PremScheduled) any { return k.Scheme }},
		{Column{ID: "source", Heading: "phases"}, func(k *PremScheduled) any { return k.marked() }},
		{Column{ID: "launches", Heading: "launches", Unit: "launches", Type: Amount}, func(k *PremScheduled) any { return k.Launches }},
		ran(Column{ID: "intervals", Heading: "intervals", Unit: "intervals", Type: Amount}, func(k *PremScheduled) any { return k.Intervals }),
		ran(Column{ID: "memory_ns", Heading: "T mem", Unit: "ns", Type: Nanos}, func(k *PremScheduled) any { return k.MemNanos }),
		ran(Column{ID: "compute_ns", Heading: "T comp", Unit: "ns", Type: Nanos}, func(k *PremScheduled) any { return k.CompNanos }),
		ran(Column{ID: "memory_budget_ns", Heading: "E mem", Unit: "ns", Type: Nanos}, func(k *PremScheduled) any { return k.BudgetMem }),
		ran(Column{ID: "compute_budget_ns", Heading: "E comp", Unit: "ns", Type: Nanos}, func(k *PremScheduled) any { return k.BudgetComp }),
		ran(Column{ID: "idle", Heading: "idle", Unit: "ratio", Type: Share}, func(k *PremScheduled) any { return k.Idle }),
		ran(Column{ID: "total_ns", Heading: "total", Unit: "ns", Type: Nanos}, func(k *PremScheduled) any { return k.TotalNanos }),
		ran(Column{ID: "base", Heading: "base", Type: Label}, func(k *PremScheduled) any { return microsOf(k.BaseCycles, d.ClockKHz) }),
		ran(Column{ID: "slowdown", Heading: "slowdown", Unit: "ratio", Type: Number, Digits: 2}, func(k *PremScheduled) any { return k.Slowdown }),
		ran(Column{ID: "at_wall", Heading: "at the wall"}, func(k *PremScheduled) any {
			if len(k.AtWall) == 0 {
				return nil
			}
			return strings.Join(k.AtWall, ", ")
		}),
	})
}

// marked is the source of a row's times, with what keeps it from being a bound.
func (k *PremScheduled) marked() string {
	source := k.Source
	if k.Launches > 0 && k.InputDependent {
		source += ", " + thisInput
	}
	if k.Launches > 0 && k.Above {
		source += ", " + teamsApart
	}
	return source
}

// notes are the sentences below the rows.
func (d *PremSchedules) notes() string {
	var b strings.Builder
	apart := false
	for i := range d.Kernels {
		k := &d.Kernels[i]
		if k.Launches == 0 {
			continue
		}
		apart = apart || k.Above
		of := k.Kernel + ", " + k.Scheme
		if k.Compatible != nil && k.Source == "simulated" {
			fmt.Fprintf(&b, "%s: compatible intervals: %s\n", of, *k.Compatible)
		}
		if k.NoBound != nil {
			fmt.Fprintf(&b, "%s: no bounds: %s\n", of, *k.NoBound)
		}
		if k.InputDependent {
			fmt.Fprintf(&b, "%s: "+thisInput+" ONLY: the bounds are for these arguments and contents, others may take longer\n", of)
		}
	}
	if apart {
		b.WriteString(teamsApart + ": longer than the bound, since without the guard teams were in different phases at a time (A33 does not hold):\nno schedule for the kernel; --guarded simulates it in step\n")
	}
	b.WriteString("at the wall: phases shorter than the timer's response, for which the kernel waits\n")
	b.WriteString("bounded: no phase of any execution of the abstract model of this machine takes longer; simulated: the longest phase seen.\nA timer is set to the budget and S: a hand-over is missed where a phase, the GPU's look at the grant and its request take longer.\n")
	return b.String()
}

// microsOf prints cycles as microseconds, rounded up.
func microsOf(cycles, kHz int64) string {
	t, err := schedule.FromCycles(cycles, kHz*1000)
	if err != nil {
		return Time(cycles, kHz)
	}
	return micros(int64(t))
}

// micros prints nanoseconds as microseconds.
func micros(nanos int64) string {
	return fmt.Sprintf("%s.%03d µs", Count(nanos/1000), nanos%1000)
}

// boundSections explain the bounds: of what the longest phases consist.
func (d *PremSchedules) boundSections() []Section {
	var out []Section
	for _, k := range d.Kernels {
		of := ""
		if k.InputDependent {
			of = " for " + thisInput
		}
		for _, x := range k.Bounds {
			out = append(out, Section{
				ID:   "bound",
				Lead: fmt.Sprintf("%s, %s: the longest %s phase takes at most %s cycles = %s%s, by %s (%s)\n", k.Kernel, k.Scheme, x.Phase, Count(x.Cycles), Time(x.Cycles, d.ClockKHz), of, x.Method, x.Theorem),
				Sheet: NewSheet("", x.Breakdown, []Of[bound.Component]{
					{Column{ID: "part", Heading: "the bound is the sum of"}, func(c *bound.Component) any { return c.Name }},
					{Column{ID: "cycles", Heading: "cycles", Unit: "cycles", Type: Amount}, func(c *bound.Component) any { return c.Cycles }},
					{Column{ID: "share", Heading: "share", Unit: "ratio", Type: Share, Bar: true}, func(c *bound.Component) any { return float64(c.Cycles) / float64(max(x.Cycles, 1)) }},
				}),
			})
		}
	}
	return out
}

// premLedger is what the bounds of a document rest on: an assumption that is
// proved for one kernel and made for another counts as made.
func premLedger(d *PremSchedules) []bound.Assumption {
	var out []bound.Assumption
	for _, k := range d.Kernels {
		for _, a := range k.Assumptions {
			i := slices.IndexFunc(out, func(b bound.Assumption) bool { return b.ID == a.ID })
			switch {
			case i < 0:
				out = append(out, a)
			case a.Status == bound.Assumed:
				out[i] = a
			}
		}
	}
	slices.SortFunc(out, func(a, b bound.Assumption) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// theorems names the page once.
func theorems(s string) string {
	const page = "docs/soundness.md, "
	return page + strings.ReplaceAll(s, page, "")
}
