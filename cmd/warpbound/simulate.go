package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newSimulate() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.SimulateOptions
		chart   string
		trace   traceFlags
	)
	cmd := command("simulate", "simulate LAUNCH", "Execute a launch cycle by cycle and print statistics", func(cmd *cobra.Command, args []string) error {
		if ext := filepath.Ext(chart); ext != "" && ext != ".svg" {
			return fmt.Errorf("--gantt %s: expected a file named .svg, the only format of this chart", chart)
		}
		if out.csv && opt.By == "" {
			return errors.New("--csv: the table of values is where cycles go, expected --by")
		}
		var err error
		if opt.Trace, err = trace.options(); err != nil {
			return err
		}
		if opt.GPU, err = machine.machine(); err != nil {
			return err
		}
		l, err := warpbound.Open(args[0])
		if err != nil {
			return err
		}
		opt.Gantt = chart != ""
		s, err := watched(cmd, &opt, &opt.Progress, l.Simulate)
		if s == nil {
			return trace.done(nil, err, cmd.ErrOrStderr())
		}
		if err := trace.done(s.Trace, nil, cmd.ErrOrStderr()); err != nil {
			return err
		}
		doc, docErr := s.Report()
		if docErr == nil && chart != "" {
			docErr = drawAs("gantt", "svg", doc, chart)
		}
		return reported(out.print(cmd, doc, docErr), err)
	})
	out.flags(cmd, true)
	machine.flags(cmd)
	cmd.Flags().StringVar(&opt.Policy, "policy", "", "warp scheduling policy (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("policy", words(warpbound.Policies()...))
	modelOption(cmd, &opt.Model)
	frontEndFlags(cmd, &opt.FrontEnd)
	cmd.Flags().StringVar(&opt.L1Order, "l1-order", warpbound.L1None, "accesses through caches: none, dynamic or reorder")
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(warpbound.L1None, warpbound.L1Dynamic, warpbound.L1Reorder))
	cmd.Flags().BoolVar(&opt.Batches, "batches", false, "give an SM new blocks when all its blocks have ended")
	cmd.Flags().StringVar(&opt.Traffic, "traffic", "", "what CPU cores send beside the launch: "+trafficForms)
	_ = cmd.RegisterFlagCompletionFunc("traffic", words(warpbound.TrafficStress, warpbound.TrafficRandom))
	byFlags(cmd, &opt.By, &opt.Annotate, "also list where the cycles of the schedulers go")
	cmd.Flags().StringVar(&chart, "gantt", "", "draw warps over time into this SVG file")
	cmd.Flags().Int64Var(&opt.From, "from", 0, "first cycle that --gantt draws")
	cmd.Flags().Int64Var(&opt.To, "to", 0, "cycle at which --gantt ends (0: with the execution)")
	trace.flags(cmd)
	cmd.Flags().Int64Var(&opt.MaxCycles, "max-cycles", 0, "stop at this cycle (0: no limit)")
	cmd.Flags().IntVar(&opt.BlocksPerSM, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	watchFlag(cmd)
	return cmd
}
