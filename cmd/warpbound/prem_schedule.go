package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/schedule"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim/soc"
)

// scheduleFlags say which schedule is made, and for which platform.
type scheduleFlags struct {
	name        string
	sync, timer time.Duration
	noCaches    bool
	noBounds    bool
	only        []string
	guarded     bool
	beside      []string
	share       *schedule.Share
	traffic     [][]soc.Traffic // a kind for each of beside
}

// The costs that Forsberg2021 measured on a TX1: a synchronisation (section
// 4.2.1), and the response of the timer in 95 % of the cases.
const (
	publishedSync  = 5800 * time.Nanosecond
	publishedTimer = 10700 * time.Nanosecond
)

// The schedules with names.
const (
	bestCase = "best"
	fair     = "fair"
)

func (f *scheduleFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "schedule", "", "print the budgets of the phases: best, fair, or the GPU's share of the time, such as 30% or 3:7")
	cmd.Flags().DurationVar(&f.sync, "sync-time", publishedSync, "for --schedule: what a synchronisation takes, unless given what Forsberg2021 measured on a TX1")
	cmd.Flags().DurationVar(&f.timer, "timer-time", publishedTimer, "for --schedule: within what the timer responds, unless given what Forsberg2021 measured on a TX1 in 95 % of the cases")
	cmd.Flags().BoolVar(&f.noCaches, "no-caches", false, "for --schedule: global memory of fixed latency also where the GPU description has caches")
	cmd.Flags().BoolVar(&f.noBounds, "no-bounds", false, "for --schedule: only simulate")
	cmd.Flags().StringSliceVar(&f.only, "schemes", []string{device.CMPT.String(), device.DAE.String(), device.SDMA.String()}, "for --schedule: the schemes to compare")
	cmd.Flags().BoolVar(&f.guarded, "guarded", false, "for --schedule best: also simulate the kernels with the guard: its protocol, timers and throttled CPU cores")
	cmd.Flags().StringArrayVar(&f.beside, "traffic", nil, "for --schedule: also simulate the loops as they are, and with --guarded, beside CPU cores (repeatable): "+trafficForms)
	_ = cmd.RegisterFlagCompletionFunc("traffic", words(warpbound.TrafficStress, warpbound.TrafficRandom))
	_ = cmd.RegisterFlagCompletionFunc("schedule", words(bestCase, fair))
	_ = cmd.RegisterFlagCompletionFunc("schemes", words(premSchemes()[1:]...))
	for _, name := range []string{"sync-time", "timer-time"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

func (f *scheduleFlags) check(cmd *cobra.Command, m *gpu.Machine) error {
	errs := f.checkSimulations(m.Desc)
	if f.name == "" {
		for _, name := range []string{"sync-time", "timer-time", "no-caches", "no-bounds", "schemes"} {
			if cmd.Flags().Changed(name) {
				errs = append(errs, fmt.Errorf("--%s: nothing is simulated, expected --schedule", name))
			}
		}
		return errors.Join(errs...)
	}
	if f.name != bestCase && f.name != fair {
		share, err := schedule.ParseShare(f.name)
		if err != nil {
			errs = append(errs, fmt.Errorf("--schedule %q: expected best, fair, or a share such as 30%% or 3:7: %w", f.name, err))
		}
		f.share = &share
	}
	for _, d := range []struct {
		flag string
		time time.Duration
	}{{"sync-time", f.sync}, {"timer-time", f.timer}} {
		if d.time < 0 {
			errs = append(errs, fmt.Errorf("--%s %v: expected 0 or more", d.flag, d.time))
		}
	}
	if len(f.only) == 0 {
		errs = append(errs, errors.New("--schemes: no name, expected some of cmpt, dae, sdma"))
	}
	for i, name := range f.only {
		if slices.Contains(f.only[:i], name) {
			errs = append(errs, fmt.Errorf("--schemes: %s is given twice", name))
		}
		if s, err := parseScheme("schemes", name); err != nil {
			errs = append(errs, err)
		} else if s == device.Base {
			errs = append(errs, errors.New("--schemes: base has no phases; it is what the others are compared with"))
		}
	}
	return errors.Join(errs...)
}

// checkSimulations checks the flags that ask for more simulations, and reads the
// traffic.
func (f *scheduleFlags) checkSimulations(d *gpu.Description) []error {
	var errs []error
	switch {
	case !f.guarded:
	case f.name != bestCase:
		errs = append(errs, errors.New("--guarded: the guard is simulated with the budgets of the best case, expected --schedule best"))
	case f.noCaches:
		errs = append(errs, errors.New("--guarded: the guard holds CPU cores off the DRAM, expected no --no-caches"))
	case !d.HasCaches():
		errs = append(errs, fmt.Errorf("--guarded: %s has no tables [l1d], [l2] and [dram], expected a GPU with caches such as tx1", d.Name))
	}
	for _, x := range f.beside {
		traffic, err := trafficFlag(x).traffic(d)
		switch {
		case err != nil:
			errs = append(errs, err)
		case traffic == nil:
			errs = append(errs, errors.New(`--traffic "": expected stress or random`))
		case f.name == "":
			errs = append(errs, fmt.Errorf("--traffic %s: nothing is simulated, expected --schedule", x))
		case f.noCaches:
			errs = append(errs, fmt.Errorf("--traffic %s: without caches there is no DRAM to share, expected no --no-caches", x))
		}
		f.traffic = append(f.traffic, traffic)
	}
	return errs
}

// pick takes the schedule asked for.
func (f *scheduleFlags) pick(p *study.Phases) schedule.Schedule {
	switch {
	case f.name == bestCase:
		return p.Best
	case f.name == fair:
		return p.Fair
	}
	if p.Share == nil { // nothing to do
		return schedule.Schedule{}
	}
	return *p.Share
}

// write runs the functions under all schemes and writes their schedules.
func (f *scheduleFlags) write(cmd *cobra.Command, out *output, m *gpu.Machine, p *loop.Unit, fns []*loop.Func, opt tile.Options, code *emitFlags, explain bool) error {
	caches := m.Desc.HasCaches() && !f.noCaches
	costs := study.Costs{SyncNanos: int64(f.sync), TimerNanos: int64(f.timer)}
	doc := report.NewPremSchedules(p.File, m.Desc, caches, f.name, costs, f.beside)
	o := study.Options{Machine: m, Tile: opt, Unroll: code.unroll, Approx: code.approx, Caches: caches, Bounds: !f.noBounds, Costs: costs, Share: f.share, Traffic: f.traffic}
	for _, name := range f.only {
		s, err := parseScheme("schemes", name)
		if err != nil {
			return err
		}
		o.Schemes = append(o.Schemes, s)
	}
	if f.guarded {
		o.Guarded = o.Schemes
	}
	done := f.progress(&o, len(fns))
	defer done()
	for _, fn := range fns {
		args := func() (loop.Args, error) { return study.Arguments(p, fn, opt.Scalars) }
		r, err := study.Run(cmd.Context(), p, fn.Name, args, o)
		if err != nil {
			return fmt.Errorf("%s: %w", fn.Name, err)
		}
		if err := doc.Add(r, f.pick); err != nil {
			return err
		}
		doc.AddRuns(r)
	}
	done()
	return out.write(cmd, doc.Document(explain))
}

// progress shows what a study of so many functions is at, from its first run on: one
// can take minutes. The function returned takes the bar away.
func (f *scheduleFlags) progress(o *study.Options, functions int) func() {
	runs := 1 + len(o.Schemes) + len(o.Guarded)
	if len(o.Traffic) > 0 {
		runs += 1 + len(o.Guarded)
	}
	bar := newProgress("")
	bar.soon()
	var last string
	var begun int64
	o.Progress = func(what string) {
		if what != last { // not the same with other budgets, or beside other traffic
			last = what
			begun++
		}
		bar.rename(what)
		bar.update(begun-1, int64(functions*runs))
	}
	o.Host = func(statements int64) {
		bar.rename(fmt.Sprintf("%s, %s statements of host code", last, report.Count(statements)))
	}
	return bar.close
}
