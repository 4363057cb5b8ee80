package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/verify/soundness/search"
)

func newSoundness() *cobra.Command {
	var (
		out  output
		plan search.Plan
	)
	cmd := &cobra.Command{
		Use:   "soundness",
		Short: "Search for a violated bound",
		Long: `Draw random instruction programs (exact worst cases, adversarial schedules,
loops folded and unrolled) and random PTX kernels on random machines
(cycle-level simulation), and compare every bound that calls itself safe. Draw
other kernels and execute those whose path is said to hold for all inputs again,
with other contents of unknown buffers, other orders of blocks and warps, and
other outcomes of what PTX leaves open. --scopes tries all programs of small
scopes against all schedules; --attack climbs towards a violation of one method,
safe or not. Exit code 1 says that a bound was violated; a reproducer is
printed. Where it is interrupted, what was tried is printed.`,
		Example: "  warpbound soundness --seeds 10000",
		Args:    operands(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkPlan(&plan); err != nil {
				return err
			}
			plan.Watch = func(what string) (func(done, total int), func()) {
				bar := newProgress(what)
				return func(done, total int) { bar.update(int64(done), int64(total)) }, bar.close
			}
			doc, err := search.Run(cmd.Context(), plan)
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			if err := out.writeAnyway(cmd, doc.Report()); err != nil {
				return err
			}
			if err == nil && doc.Violations() > 0 {
				return errFound
			}
			return err
		},
	}
	out.flags(cmd, false)
	cmd.Flags().IntVar(&plan.Seeds, "seeds", 1000, "number of random instruction programs, and of kernels executed again; one PTX kernel simulated for every 50")
	cmd.Flags().Uint64Var(&plan.First, "first", 1, "first seed")
	cmd.Flags().StringVar(&plan.Plant, "plant", "", "treat this unsafe method as safe in the kernel search")
	cmd.Flags().StringVar(&plan.Scopes, "scopes", search.NoScopes, "small scopes to try completely: none, quick (seconds) or all (minutes)")
	cmd.Flags().StringSliceVar(&plan.Attacks, "attack", nil, "methods to climb towards a violation of, on every kind of machine that offers them")
	_ = cmd.RegisterFlagCompletionFunc("plant", words(analysis.Names(method.Plain)...))
	_ = cmd.RegisterFlagCompletionFunc("attack", words(multiphase.Methods()...))
	_ = cmd.RegisterFlagCompletionFunc("scopes", words(search.NoScopes, search.QuickScopes, search.AllScopes))
	return cmd
}

func checkPlan(p *search.Plan) error {
	if err := atLeast("seeds", int64(p.Seeds), 1); err != nil {
		return err
	}
	if p.Plant != "" {
		if err := oneOf("plant", p.Plant, analysis.Names(method.Plain)...); err != nil {
			return err
		}
	}
	for _, m := range p.Attacks {
		if err := oneOf("attack", m, multiphase.Methods()...); err != nil {
			return err
		}
	}
	return oneOf("scopes", p.Scopes, search.NoScopes, search.QuickScopes, search.AllScopes)
}
