package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newCompareSchemes() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.SchemesOptions
		shape   shapeFlags
		plot    string
	)
	cmd := command("compare-schemes", "schemes LAUNCH...", "Compare schemes of scheduling and of the L1 data cache", func(cmd *cobra.Command, args []string) error {
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
		launches, err := warpbound.OpenAll(args...)
		if err != nil {
			return err
		}
		c, err := watched(cmd, &opt, &opt.Progress, of(launches, warpbound.CompareSchemes))
		if c == nil {
			return err
		}
		return out.finished(cmd, plot, c.Report, err)
	})
	out.flags(cmd, true)
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	modelOption(cmd, &opt.Model)
	cmd.Flags().StringSliceVar(&opt.Schemes, "schemes", warpbound.Schemes(), "schemes to compare, the first being what the others are normalised to")
	_ = cmd.RegisterFlagCompletionFunc("schemes", words(warpbound.Schemes()...))
	shape.flags(cmd)
	cmd.Flags().BoolVar(&opt.Batches, "batches", false, "give an SM new blocks when all its blocks have ended")
	cmd.Flags().IntVar(&opt.BlocksPerSM, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().BoolVar(&opt.WCET, "wcet", false, "add the worst-case time predicted for the scheme reorder")
	cmd.Flags().StringVar(&plot, "plot", "", "draw the schemes into this SVG or PNG file")
	return cmd
}
