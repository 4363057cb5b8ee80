package report

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/premtime/study"
)

// PremRun is a kernel simulated as a whole, all launches added up: the loop as it is
// (scheme base), or a scheme with the guard.
type PremRun struct {
	Kernel  string  `json:"kernel"`
	Scheme  string  `json:"scheme"`
	Traffic *string `json:"traffic"` // of CPU cores beside it
	Cycles  int64   `json:"cycles"`
	// Slowdown is over the base in isolation, Sensitivity over the same in isolation.
	Slowdown    float64    `json:"slowdown"`
	Sensitivity float64    `json:"sensitivity"`
	Guard       *PremGuard `json:"guard"` // null for the base
}

// PremGuard is what the guard did in a run.
type PremGuard struct {
	// The budgets, in whose place a phase has the timer's response where that is
	// longer, and how often they were raised since hand-overs were missed in isolation.
	MemBudgetCycles  int64 `json:"memory_budget_cycles"`
	CompBudgetCycles int64 `json:"compute_budget_cycles"`
	Raises           int   `json:"raises"`
	HandOvers        int64 `json:"hand_overs"`
	Misses           int64 `json:"misses"` // phases that were not over when their budget was
	// Idle is the part of the cycles in which the GPU waited for the next phase.
	Idle              float64 `json:"idle"`
	LongestMemCycles  int64   `json:"longest_memory_cycles"`
	LongestCompCycles int64   `json:"longest_compute_cycles"`
}

// AddRuns adds the runs of a study with the guard and beside the document's kinds of
// traffic, of the kernels that were launched.
func (d *PremSchedules) AddRuns(r *study.Result) {
	traffic := d.Traffic
	for i := range r.Kernels {
		k := &r.Kernels[i]
		guarded := len(traffic) > 0
		for j := range k.Schemes {
			guarded = guarded || k.Schemes[j].Guarded != nil
		}
		if !guarded || k.Launches == 0 {
			continue
		}
		base := PremRun{Kernel: k.Name, Scheme: device.Base.String()}
		d.addRun(base, nil, k.Base.Cycles, k.Base.Cycles, k.Base.Cycles)
		for n := range traffic {
			d.addRun(base, &traffic[n], k.Base.Interference[n].Cycles, k.Base.Cycles, k.Base.Cycles)
		}
		for j := range k.Schemes {
			s := &k.Schemes[j]
			g := s.Guarded
			if g == nil {
				continue
			}
			run := PremRun{Kernel: k.Name, Scheme: s.Scheme.String(), Guard: premGuard(g, &g.Isolation)}
			d.addRun(run, nil, g.Isolation.Cycles, g.Isolation.Cycles, k.Base.Cycles)
			for n := range traffic {
				o := &g.Interference[n]
				run.Guard = premGuard(g, o)
				d.addRun(run, &traffic[n], o.Cycles, g.Isolation.Cycles, k.Base.Cycles)
			}
		}
	}
}

// addRun adds a run, given its cycles, those of the same in isolation, and those of
// the base.
func (d *PremSchedules) addRun(r PremRun, traffic *string, cycles, alone, base int64) {
	r.Traffic, r.Cycles, r.Slowdown, r.Sensitivity = traffic, cycles, mean(cycles, base), mean(cycles, alone)
	d.Runs = append(d.Runs, r)
}

func premGuard(g *study.Guarded, o *study.Outcome) *PremGuard {
	return &PremGuard{
		MemBudgetCycles: g.MemCycles, CompBudgetCycles: g.CompCycles, Raises: g.Raises, HandOvers: o.HandOvers, Misses: o.Misses,
		Idle: mean(o.MemIdleCycles+o.CompIdleCycles, o.Cycles), LongestMemCycles: o.LongestMem, LongestCompCycles: o.LongestComp,
	}
}

// runs is the section of the runs, which there may be none of.
func (d *PremSchedules) runs() []Section {
	if len(d.Runs) == 0 {
		return nil
	}
	notes := ""
	if slices.ContainsFunc(d.Runs, func(r PremRun) bool { return r.Guard != nil }) {
		notes += "schemes run with the guard: its protocol, timers, and CPU cores held in memory phases\n" +
			"idle: waiting for the next phase, of all cycles; raised: times that budgets were, after misses in isolation\n"
	}
	if len(d.Traffic) > 0 {
		notes += "sensitivity: over the same in isolation\n"
	}
	return []Section{{ID: "runs", Lead: "simulated as a whole\n\n", Sheet: d.runSheet(), Notes: notes}}
}

// runSheet has a row for each run.
func (d *PremSchedules) runSheet() *Sheet {
	guard := func(c Column, of func(*PremGuard) any) Of[PremRun] {
		if c.Type.Numeric() {
			c.JSON = "guard." + c.ID
		}
		return Of[PremRun]{c, func(r *PremRun) any {
			if r.Guard == nil {
				return nil
			}
			return of(r.Guard)
		}}
	}
	return NewSheet("runs[]", d.Runs, []Of[PremRun]{
		{Column{ID: "kernel", Heading: "kernel"}, func(r *PremRun) any { return r.Kernel }},
		{Column{ID: "scheme", Heading: "scheme"}, func(r *PremRun) any { return r.Scheme }},
		{Column{ID: "traffic", Heading: "beside"}, func(r *PremRun) any { return maybe(r.Traffic) }},
		{Column{ID: "cycles", Heading: "cycles", Unit: "cycles", Type: Amount}, func(r *PremRun) any { return r.Cycles }},
		{Column{ID: "slowdown", Heading: "over base", Unit: "ratio", Type: Number, Digits: 2}, func(r *PremRun) any { return r.Slowdown }},
		{Column{ID: "sensitivity", Heading: "sensitivity", Unit: "ratio", Type: Number, Digits: 3}, func(r *PremRun) any {
			if r.Traffic == nil {
				return nil
			}
			return r.Sensitivity
		}},
		guard(Column{ID: "hand_overs", Heading: "hand-overs", Unit: "phases", Type: Amount}, func(g *PremGuard) any { return g.HandOvers }),
		guard(Column{ID: "misses", Heading: "missed", Unit: "phases", Type: Amount}, func(g *PremGuard) any { return g.Misses }),
		guard(Column{ID: "idle", Heading: "idle", Unit: "ratio", Type: Share}, func(g *PremGuard) any { return g.Idle }),
		guard(Column{ID: "memory_budget", Heading: "E mem", Type: Label}, func(g *PremGuard) any { return Time(g.MemBudgetCycles, d.ClockKHz) }),
		guard(Column{ID: "compute_budget", Heading: "E comp", Type: Label}, func(g *PremGuard) any { return Time(g.CompBudgetCycles, d.ClockKHz) }),
		guard(Column{ID: "raises", Heading: "raised", Unit: "times", Type: Integer}, func(g *PremGuard) any { return int64(g.Raises) }),
		guard(Column{ID: "longest_memory", Heading: "longest mem", Type: Label}, func(g *PremGuard) any { return Time(g.LongestMemCycles, d.ClockKHz) }),
		guard(Column{ID: "longest_compute", Heading: "longest comp", Type: Label}, func(g *PremGuard) any { return Time(g.LongestCompCycles, d.ClockKHz) }),
	})
}
