package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newCompare() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.CompareOptions
		gate    gateFlags
	)
	cmd := command("compare", "compare LAUNCH...", "Set bounds beside simulations, a row a kernel", func(cmd *cobra.Command, args []string) error {
		if err := gate.check(cmd); err != nil {
			return err
		}
		var err error
		if opt.GPUs, err = machine.machines(); err != nil {
			return err
		}
		if opt.L1Order == warpbound.L1Reorder && !cmd.Flags().Changed("methods") {
			opt.Methods = nil
		}
		launches, err := warpbound.OpenAll(args...)
		if err != nil {
			return err
		}
		c, err := watched(cmd, &opt, &opt.Progress, of(launches, warpbound.Compare))
		if c == nil {
			return err
		}
		if err := out.finished(cmd, "", c.Report, err); err != nil {
			return err
		}
		return gate.judge(figuresOf(c.Rows))
	})
	plain, turns := methodsFor("plain"), methodsFor("in turns")
	out.flags(cmd, true)
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	cmd.Flags().StringSliceVar(&opt.Policies, "policies", []string{"lrr", "gto"}, "warp scheduling policies to simulate")
	cmd.Flags().StringSliceVar(&opt.Methods, "methods", []string{"gub", warpbound.Best}, "bounds to compare: best, or of "+strings.Join(slices.Concat(plain, turns), ", ")+"; with --l1-order reorder ordered, ordered-serial and those of turns")
	cmd.Flags().StringVar(&opt.Scope, "scope", warpbound.WholeLaunch, "what is bounded and simulated: launch, block (one block alone) or warp (one warp alone)")
	cmd.Flags().StringVar(&opt.L1Order, "l1-order", warpbound.L1None, "how global accesses reach the L1 data cache: "+warpbound.L1None+" (no caches) or "+warpbound.L1Reorder+" (in an enforced order)")
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(warpbound.L1None, warpbound.L1Reorder))
	_ = cmd.RegisterFlagCompletionFunc("policies", words(warpbound.Policies()...))
	_ = cmd.RegisterFlagCompletionFunc("methods", words(slices.Concat([]string{warpbound.Best}, plain, methodsFor("in order"), turns)...))
	_ = cmd.RegisterFlagCompletionFunc("scope", words(warpbound.WholeLaunch, warpbound.OneBlock, warpbound.OneWarp))
	modelOption(cmd, &opt.Model)
	gate.flags(cmd)
	cmd.AddCommand(newComparePairs(), newCompareSchemes())
	return cmd
}
