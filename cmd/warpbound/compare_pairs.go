package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
)

func newComparePairs() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.PairsOptions
		plot    string
	)
	cmd := command("compare-pairs", "pairs LAUNCH...", "Set pairs of policies of a front end beside one scheduler", func(cmd *cobra.Command, args []string) error {
		if err := plotFormat(plot); err != nil {
			return err
		}
		var err error
		if opt.GPU, err = machine.machine(); err != nil {
			return err
		}
		launches, err := warpbound.OpenAll(args...)
		if err != nil {
			return err
		}
		c, err := watched(cmd, &opt, &opt.Progress, of(launches, warpbound.ComparePairs))
		if c == nil {
			return err
		}
		return out.finished(cmd, plot, c.Report, err)
	})
	out.flags(cmd, true)
	machine.flags(cmd)
	cmd.Flags().StringSliceVar(&opt.Pairs, "pairs", nil, "pairs FETCH-ISSUE of policies, or "+warpbound.AllPairs+" nine of lrr, gtlrr and gtlo (default: --fetch-policy and --issue-policy say)")
	cmd.Flags().StringSliceVar(&opt.FetchPolicies, "fetch-policy", nil, "pairs of these fetch policies and every --issue-policy (default lrr,gtlrr,gtlo)")
	cmd.Flags().StringSliceVar(&opt.IssuePolicies, "issue-policy", nil, "pairs of every --fetch-policy and these issue policies (default lrr,gtlrr,gtlo)")
	cmd.Flags().StringSliceVar(&opt.Variants, "variant", nil, "variants to simulate (default "+gpu.Baseline+","+gpu.SWaS+")")
	cmd.Flags().BoolVar(&opt.Replay, "replay", false, "also compute the times of variant swas by replaying its policy")
	cmd.Flags().StringVar(&opt.L1Order, "l1-order", warpbound.L1None, "how global accesses reach the L1 data cache: "+warpbound.L1None+" (no caches) or "+warpbound.L1Dynamic)
	cmd.Flags().IntVar(&opt.BlocksPerSM, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().StringVar(&plot, "plot", "", "draw the pairs into this SVG or PNG file")
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(warpbound.L1None, warpbound.L1Dynamic))
	_ = cmd.RegisterFlagCompletionFunc("pairs", words(slices.Concat([]string{warpbound.AllPairs}, warpbound.PolicyPairs())...))
	_ = cmd.RegisterFlagCompletionFunc("fetch-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("issue-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("variant", words(gpu.Baseline, gpu.SWaS))
	return cmd
}
