package warpbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/premtime/schedule"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/report"
)

// The schedules with names, in PremScheduleOptions.Schedule.
const (
	ScheduleBest = "best" // budgets are the longest phases
	ScheduleFair = "fair" // half of the time for the CPU
)

// PremScheduleOptions choose what Schedule runs. The zero value is ScheduleBest of all
// schemes with phases, simulated and bounded.
type PremScheduleOptions struct {
	// Schedule is ScheduleBest, ScheduleFair, or the GPU's share of the time, such as 30%
	// or 3:7; "" for ScheduleBest.
	Schedule string
	Schemes  []string   // SchemeCMPT, SchemeDAE and SchemeSDMA; nil for these
	Costs    *PremCosts // nil for PublishedCosts
	// NoCaches gives global memory a fixed latency on a GPU with caches, too.
	NoCaches bool
	NoBounds bool // only simulate
	// Guarded also simulates the kernels with the guard: its protocol, timers and
	// throttled CPU cores. It needs ScheduleBest and caches.
	Guarded bool
	// Traffic are kinds of traffic of CPU cores, as TrafficStress, beside which the loops
	// as they are and, with Guarded, the kernels with the guard are simulated, too.
	Traffic []string
	// Trace, if not nil, has one launch written as a timeline: the first of the first
	// kernel with the guard, under the first of Schemes, beside the last of Traffic. It
	// needs Guarded.
	Trace *TraceOptions
	// Phases asks for PremSchedule.Guard, the phases of the launch that Trace is of. It
	// needs Guarded.
	Phases bool
	// Unroll and Approx are those of PremEmitOptions.
	Unroll   int
	Approx   bool
	Progress func(Progress) // told now and then what is being run; may be nil
}

// PremCosts are what the platform takes besides the phases.
type PremCosts struct {
	SyncTime  time.Duration // of a synchronisation
	TimerTime time.Duration // within which the timer responds
}

// PublishedCosts are what Forsberg2021 measured on a TX1: a synchronisation (section
// 4.2.1), and the response of the timer in 95 % of the cases.
func PublishedCosts() PremCosts {
	return PremCosts{SyncTime: study.PublishedSync, TimerTime: study.PublishedTimer}
}

// PremSchedule is how long the phases of kernels take, and the budgets that cover them.
type PremSchedule struct {
	GPU     *gpu.Machine
	Caches  bool
	Kernels []PremTimes
	// Runs are kernels simulated as a whole, with the guard or beside CPU cores, where
	// that was asked for.
	Runs []PremRun
	// Trace is what was written as a trace, nil where nothing was.
	Trace *TraceSummary
	// Guard is the launch of PremScheduleOptions.Phases, nil where nobody asks.
	Guard *PremGuardRun

	document *report.PremSchedules
}

// PremTimes is a kernel, all its launches in one call of its function together.
type PremTimes struct {
	Name       string // FUNCTION_NUMBER
	Launches   int64
	BaseCycles int64 // of the loop as OpenMP runs it, in isolation
	Schemes    []PremScheme
}

// PremScheme is a kernel under one scheme.
type PremScheme struct {
	Name   string
	Cycles int64 // of the phases in isolation, without synchronisation
	// Simulated are the phases as measured in the simulator, Bounded as bounded: a
	// schedule can be built on the latter only. Bounded is nil where there is no bound,
	// and NoBound says why.
	Simulated PremPhases
	Bounded   *PremPhases
	NoBound   string
	// AllInputs says that the bounds hold for whatever the arrays contain.
	AllInputs   bool
	Assumptions []bound.Assumption
}

// PremPhases are the longest phases of a kernel, and its time under the schedules that
// cover them.
type PremPhases struct {
	Memory, Compute time.Duration // the longest
	Intervals       int64
	// BestCase and Fair are the whole kernel with budgets of the longest phases, and
	// with equal shares of the memory for CPU and GPU, no budget below the timer's
	// response.
	BestCase, Fair time.Duration
	// MemoryBudget and ComputeBudget are those of the schedule asked for, Total is the
	// whole kernel with them.
	MemoryBudget, ComputeBudget, Total time.Duration
}

// PremRun is a kernel simulated as a whole, all its launches together.
type PremRun struct {
	Kernel  string
	Scheme  string // SchemeBase for the loop as OpenMP runs it
	Traffic string // of CPU cores beside it, "" in isolation
	Cycles  int64
	// Slowdown is over the base in isolation, Sensitivity over the same in isolation.
	Slowdown, Sensitivity float64
	// HandOvers are the phases that the guard handed over, Misses those of them that
	// were not over when their budget was; both 0 for the base.
	HandOvers, Misses int64
}

// Schedule runs the kernels in the simulator, bounds their phases, and makes the
// schedule asked for of them.
func (p *PremProgram) Schedule(ctx context.Context, opt PremScheduleOptions) (*PremSchedule, error) {
	s := premStudy{PremScheduleOptions: opt, of: p}
	o, err := s.study()
	if err != nil {
		return nil, err
	}
	watch := &premWatch{}
	if opt.Trace != nil {
		watch.trace = &premTrace{opt: opt.Trace, study: &s}
	}
	if opt.Trace != nil || opt.Phases {
		o.Watch = watch
	}
	out := &PremSchedule{GPU: p.GPU, Caches: o.Caches}
	if out.document, err = report.NewPremSchedules(p.File, p.GPU.Desc, o.Caches, s.Schedule, o.Costs, opt.Traffic); err != nil {
		return nil, err
	}
	for _, fn := range p.fns {
		r, err := study.Run(ctx, p.unit, fn.Name, func() (loop.Args, error) { return study.Arguments(p.unit, fn, p.opt.Scalars) }, o)
		if err != nil {
			return nil, explain(fmt.Errorf("%s: %w", fn.Name, err))
		}
		if err := out.document.Add(r, s.pick); err != nil {
			return nil, err
		}
		out.document.AddRuns(r)
		s.times(out, r)
	}
	out.Trace, out.Guard = watch.summary(), watch.run
	for i := range out.document.Runs {
		out.Runs = append(out.Runs, premRun(&out.document.Runs[i]))
	}
	return out, nil
}

// Report is the schedules as the command prem prints them. With explain its text says
// what the bounds consist of and what their assumptions say, too.
func (s *PremSchedule) Report(explain bool) (*Report, error) {
	return &Report{s.document.Document(explain)}, nil
}

// premStudy is a program that is run.
type premStudy struct {
	PremScheduleOptions
	of *PremProgram
}

// study fills in what options leave to it, refuses what does not go together, and says
// what is run.
func (s *premStudy) study() (study.Options, error) {
	d := s.of.GPU.Desc
	if s.Schedule == "" {
		s.Schedule = ScheduleBest
	}
	costs := PublishedCosts()
	if s.Costs != nil {
		costs = *s.Costs
	}
	o := study.Options{
		Machine: s.of.GPU, Tile: s.of.opt, Approx: s.Approx, Caches: d.HasCaches() && !s.NoCaches, Bounds: !s.NoBounds,
		Costs: study.Costs{SyncNanos: int64(costs.SyncTime), TimerNanos: int64(costs.TimerTime)},
	}
	errs := []error{notNegative("Costs.SyncTime", costs.SyncTime), notNegative("Costs.TimerTime", costs.TimerTime), s.schemes(&o)}
	var err error
	if o.Unroll, err = unroll(s.Unroll); err != nil {
		errs = append(errs, err)
	}
	if s.Schedule != ScheduleBest && s.Schedule != ScheduleFair {
		share, err := schedule.ParseShare(s.Schedule)
		if err != nil {
			errs = append(errs, &OptionError{Option: "Schedule", Value: s.Schedule, Msg: fmt.Sprintf("expected best, fair, or a share such as 30%% or 3:7: %v", err)})
		}
		o.Share = &share
	}
	if s.Guarded {
		o.Guarded = o.Schemes
		errs = append(errs, s.guardable())
	}
	if s.Phases && !s.Guarded {
		errs = append(errs, &OptionError{Option: "Phases", With: "Guarded", Other: "false", Msg: "only kernels with the guard have phases that are granted, expected true"})
	}
	if s.Trace != nil && !s.Guarded {
		errs = append(errs, &OptionError{Option: "Trace", With: "Guarded", Other: "false", Msg: "only kernels with the guard are traced, expected true"})
	}
	for _, text := range s.Traffic {
		if s.NoCaches {
			errs = append(errs, &OptionError{Option: "Traffic", Value: text, With: "NoCaches", Msg: "expected one of them: without caches there is no DRAM to share"})
			continue
		}
		traffic, err := parseTraffic("Traffic", text, d)
		if err != nil {
			errs = append(errs, err)
		}
		o.Traffic = append(o.Traffic, traffic)
	}
	s.tell(&o)
	return o, errors.Join(errs...)
}

func notNegative(option string, d time.Duration) error {
	if d < 0 {
		return &OptionError{Option: option, Value: d, Msg: "expected 0 or more"}
	}
	return nil
}

// schemes reads the names of schemes.
func (s *premStudy) schemes(o *study.Options) error {
	known := []device.Scheme{device.CMPT, device.DAE, device.SDMA}
	if s.Schemes == nil {
		o.Schemes = known
		return nil
	}
	var errs []error
	if len(s.Schemes) == 0 {
		errs = append(errs, &OptionError{Option: "Schemes", Msg: "no name, expected some of " + conf.List([]string{SchemeCMPT, SchemeDAE, SchemeSDMA})})
	}
	for i, name := range s.Schemes {
		switch {
		case slices.Contains(s.Schemes[:i], name):
			errs = append(errs, &OptionError{Option: "Schemes", Value: name, Msg: "given twice"})
			continue
		case name == SchemeBase:
			errs = append(errs, &OptionError{Option: "Schemes", Value: name, Msg: "base has no phases; it is what the others are compared with"})
			continue
		}
		scheme, err := premScheme("Schemes", name, known...)
		if err != nil {
			errs = append(errs, err)
		}
		o.Schemes = append(o.Schemes, scheme)
	}
	return errors.Join(errs...)
}

// guardable says what the guard cannot be simulated with.
func (s *premStudy) guardable() error {
	switch {
	case s.Schedule != ScheduleBest:
		return &OptionError{Option: "Guarded", With: "Schedule", Other: s.Schedule, Msg: "the guard is simulated with the budgets of the best case, expected " + ScheduleBest}
	case s.NoCaches:
		return &OptionError{Option: "Guarded", With: "NoCaches", Msg: "expected one of them: the guard holds CPU cores off the DRAM"}
	case !s.of.GPU.Desc.HasCaches():
		return &OptionError{Option: "Guarded", Msg: fmt.Sprintf("%s has no tables [l1d], [l2] and [dram], expected a GPU with caches such as tx1", s.of.GPU.Desc.Name)}
	}
	return nil
}

// tell has the study tell what it is at, of all runs of all functions.
func (s *premStudy) tell(o *study.Options) {
	if s.Progress == nil {
		return
	}
	runs := 1 + len(o.Schemes) + len(o.Guarded)
	if len(o.Traffic) > 0 {
		runs += 1 + len(o.Guarded)
	}
	tell := newTeller("running kernels", nil, s.Progress)
	var last string
	var begun int64
	o.Progress = func(what string) {
		if what != last { // not the same with other budgets, or beside other traffic
			last = what
			begun++
		}
		tell.change(func(p *Progress) { p.Detail, p.Done, p.Total = what, begun-1, int64(len(s.of.fns)*runs) })
	}
	o.Host = func(statements int64) {
		tell.change(func(p *Progress) {
			p.Detail = fmt.Sprintf("%s, %s statements of host code", last, report.Count(statements))
		})
	}
}

// pick takes the schedule asked for.
func (s *premStudy) pick(p *study.Phases) schedule.Schedule {
	switch {
	case s.Schedule == ScheduleBest:
		return p.Best
	case s.Schedule == ScheduleFair:
		return p.Fair
	case p.Share == nil: // nothing to do
		return schedule.Schedule{}
	}
	return *p.Share
}

// times takes in what was found of a function.
func (s *premStudy) times(to *PremSchedule, r *study.Result) {
	for i := range r.Kernels {
		k := &r.Kernels[i]
		t := PremTimes{Name: k.Name, Launches: k.Launches, BaseCycles: k.Base.Cycles}
		for j := range k.Schemes {
			x := &k.Schemes[j]
			t.Schemes = append(t.Schemes, PremScheme{
				Name: x.Scheme.String(), Cycles: x.Cycles, Simulated: *s.phases(&x.Simulated), Bounded: s.phases(x.Bounded), NoBound: x.NoBound,
				AllInputs: x.Bounded != nil && !x.InputDependent, Assumptions: x.Assumptions,
			})
		}
		to.Kernels = append(to.Kernels, t)
	}
}

func (s *premStudy) phases(p *study.Phases) *PremPhases {
	if p == nil {
		return nil
	}
	w := s.pick(p)
	return &PremPhases{
		Memory: time.Duration(p.MemNanos), Compute: time.Duration(p.CompNanos), Intervals: p.Intervals,
		BestCase: time.Duration(p.TotalNanos(&p.Best)), Fair: time.Duration(p.TotalNanos(&p.Fair)),
		MemoryBudget: time.Duration(w.BudgetMem), ComputeBudget: time.Duration(w.BudgetComp), Total: time.Duration(p.TotalNanos(&w)),
	}
}

func premRun(r *report.PremRun) PremRun {
	out := PremRun{Kernel: r.Kernel, Scheme: r.Scheme, Cycles: r.Cycles, Slowdown: r.Slowdown, Sensitivity: r.Sensitivity}
	if r.Traffic != nil {
		out.Traffic = *r.Traffic
	}
	if r.Guard != nil {
		out.HandOvers, out.Misses = r.Guard.HandOvers, r.Guard.Misses
	}
	return out
}
