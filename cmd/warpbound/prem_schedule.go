package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

// scheduleFlags say which schedule prem makes, and for which platform.
type scheduleFlags struct {
	opt   warpbound.PremScheduleOptions
	costs warpbound.PremCosts
}

func (f *scheduleFlags) flags(cmd *cobra.Command) {
	schemes, published := []string{warpbound.SchemeCMPT, warpbound.SchemeDAE, warpbound.SchemeSDMA}, warpbound.PublishedCosts()
	cmd.Flags().StringVar(&f.opt.Schedule, "schedule", "", "print the budgets of the phases: best, fair, or the GPU's share of the time, such as 30% or 3:7")
	cmd.Flags().DurationVar(&f.costs.SyncTime, "sync-time", published.SyncTime, "for --schedule: what a synchronisation takes, unless given what Forsberg2021 measured on a TX1")
	cmd.Flags().DurationVar(&f.costs.TimerTime, "timer-time", published.TimerTime, "for --schedule: within what the timer responds, unless given what Forsberg2021 measured on a TX1 in 95 % of the cases")
	cmd.Flags().BoolVar(&f.opt.NoCaches, "no-caches", false, "for --schedule: global memory of fixed latency also where the GPU description has caches")
	cmd.Flags().BoolVar(&f.opt.NoBounds, "no-bounds", false, "for --schedule: only simulate")
	cmd.Flags().StringSliceVar(&f.opt.Schemes, "schemes", schemes, "for --schedule: the schemes to compare")
	cmd.Flags().BoolVar(&f.opt.Guarded, "guarded", false, "for --schedule best: also simulate the kernels with the guard: its protocol, timers and throttled CPU cores")
	cmd.Flags().StringArrayVar(&f.opt.Traffic, "traffic", nil, "for --schedule: also simulate the loops as they are, and with --guarded, beside CPU cores (repeatable): "+trafficForms)
	_ = cmd.RegisterFlagCompletionFunc("traffic", words(warpbound.TrafficStress, warpbound.TrafficRandom))
	_ = cmd.RegisterFlagCompletionFunc("schedule", words(warpbound.ScheduleBest, warpbound.ScheduleFair))
	_ = cmd.RegisterFlagCompletionFunc("schemes", words(schemes...))
	needed := []string{"sync-time", "timer-time", "no-caches", "no-bounds", "schemes", "guarded", "traffic"}
	for _, name := range needed[:2] {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	needs(cmd, needed, "nothing is simulated", "schedule")
}

// run runs a program under its schemes, and shows from the beginning how far it is: one
// function can take minutes.
func (f *scheduleFlags) run(cmd *cobra.Command, p *warpbound.PremProgram, code *warpbound.PremEmitOptions) (*warpbound.PremSchedule, error) {
	bar := newProgress("")
	defer bar.close()
	bar.soon()
	f.opt.Costs, f.opt.Unroll, f.opt.Approx, f.opt.Progress = &f.costs, code.Unroll, code.Approx, bar.told
	return p.Schedule(cmd.Context(), f.opt)
}
