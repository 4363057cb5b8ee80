package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/prem/device"
	"github.com/warpbound/warpbound/prem/loop"
	"github.com/warpbound/warpbound/prem/schedule"
	"github.com/warpbound/warpbound/prem/study"
	"github.com/warpbound/warpbound/prem/tile"
	"github.com/warpbound/warpbound/report"
)

// scheduleFlags say which schedule is made, and for which platform.
type scheduleFlags struct {
	name        string
	sync, timer time.Duration
	noCaches    bool
	noBounds    bool
	only        []string
	share       *schedule.Share
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
	cmd.Flags().DurationVar(&f.sync, "sync-time", publishedSync, "what a synchronisation takes (default: measured on a TX1, Forsberg2021)")
	cmd.Flags().DurationVar(&f.timer, "timer-time", publishedTimer, "within what the timer responds (default: in 95 % of the cases on a TX1, Forsberg2021)")
	cmd.Flags().BoolVar(&f.noCaches, "no-caches", false, "for --schedule: global memory of fixed latency also where the GPU description has caches")
	cmd.Flags().BoolVar(&f.noBounds, "no-bounds", false, "for --schedule: only simulate")
	cmd.Flags().StringSliceVar(&f.only, "schemes", []string{device.CMPT.String(), device.DAE.String(), device.SDMA.String()}, "for --schedule: the schemes to compare")
	_ = cmd.RegisterFlagCompletionFunc("schedule", words(bestCase, fair))
	_ = cmd.RegisterFlagCompletionFunc("schemes", words(premSchemes()[1:]...))
	for _, name := range []string{"sync-time", "timer-time"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

func (f *scheduleFlags) check(*gpu.Machine) error {
	if f.name == "" {
		return nil
	}
	var errs []error
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
	for _, name := range f.only {
		if s, err := parseScheme("schemes", name); err != nil {
			errs = append(errs, err)
		} else if s == device.Base {
			errs = append(errs, errors.New("--schemes: base has no phases; it is what the others are compared with"))
		}
	}
	return errors.Join(errs...)
}

// pick takes the schedule asked for.
func (f *scheduleFlags) pick(p *study.Phases) schedule.Schedule {
	switch {
	case f.name == bestCase:
		return p.Best
	case f.name == fair:
		return p.Fair
	}
	return *p.Share
}

// write runs the functions under all schemes and writes their schedules.
func (f *scheduleFlags) write(cmd *cobra.Command, out *output, m *gpu.Machine, p *loop.Program, fns []*loop.Func, opt tile.Options) error {
	caches := m.Desc.HasCaches() && !f.noCaches
	costs := study.Costs{SyncNanos: int64(f.sync), TimerNanos: int64(f.timer)}
	doc := report.NewPremSchedules(p.File, m.Desc, caches, f.name, costs)
	o := study.Options{Machine: m, Tile: opt, Caches: caches, Bounds: !f.noBounds, Costs: costs, Share: f.share}
	for _, name := range f.only {
		s, err := parseScheme("schemes", name)
		if err != nil {
			return err
		}
		o.Schemes = append(o.Schemes, s)
	}
	for _, fn := range fns {
		args := func() (loop.Args, error) { return study.Arguments(p, fn, opt.Scalars) }
		r, err := study.Run(cmd.Context(), p, fn.Name, args, o)
		if err != nil {
			return fmt.Errorf("%s: %w", fn.Name, err)
		}
		if err := doc.Add(r, f.pick); err != nil {
			return err
		}
	}
	return out.write(cmd, doc, func(w *printer) { w.WriteString(report.PremSchedulesText(doc)) })
}
