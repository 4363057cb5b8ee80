package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newCache() *cobra.Command {
	var (
		out          output
		machine      machineFlags
		opt          warpbound.CacheOptions
		shape        shapeFlags
		instructions bool
		plot         string
	)
	cmd := command("cache", "cache LAUNCH", "Say what hits and misses in the L1 data cache", func(cmd *cobra.Command, args []string) error {
		if err := plotFormat(plot); err != nil {
			return err
		}
		var err error
		if opt.GPU, err = machine.machine(); err != nil {
			return err
		}
		if opt.Shapes, err = shape.shapes(cmd); err != nil {
			return err
		}
		l, err := warpbound.Open(args[0])
		if err != nil {
			return err
		}
		r, err := watched(cmd, &opt, &opt.Progress, l.Cache)
		if r == nil {
			return err
		}
		return out.finished(cmd, plot, func() (*warpbound.Report, error) { return r.Report(instructions) }, err)
	})
	out.flags(cmd, true)
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	shape.flags(cmd)
	cmd.Flags().BoolVar(&instructions, "instructions", false, "say it of every instruction")
	cmd.Flags().BoolVar(&opt.Simulate, "simulate", false, "simulate each configuration, reordered and in dynamic order")
	cmd.Flags().BoolVar(&opt.Batches, "batches", false, "give an SM new blocks when all its blocks have ended")
	cmd.Flags().IntVar(&opt.BlocksPerSM, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().StringVar(&opt.Policy, "policy", "", "warp scheduling policy of the simulations (default: the description's)")
	_ = cmd.RegisterFlagCompletionFunc("policy", words(warpbound.Policies()...))
	modelOption(cmd, &opt.Model)
	cmd.Flags().StringVar(&plot, "plot", "", "draw the miss rates into this SVG or PNG file")
	cmd.AddCommand(newCacheListing())
	return cmd
}
