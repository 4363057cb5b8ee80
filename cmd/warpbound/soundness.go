package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/verify/soundness/search"
)

func newSoundness() *cobra.Command {
	var (
		out  output
		plan search.Plan
	)
	cmd := command("soundness", "soundness", "Search for a violated bound", func(cmd *cobra.Command, _ []string) error {
		plan.Watch = func(what string) (func(done, total int), func()) {
			bar := newProgress(what)
			return func(done, total int) {
				bar.told(warpbound.Progress{Task: what, Done: int64(done), Total: int64(total)})
			}, bar.close
		}
		d, err := search.Run(cmd.Context(), plan)
		var option *warpbound.OptionError
		switch {
		case errors.As(err, &option):
			return err
		case err != nil && !errors.Is(err, context.Canceled):
			return fmt.Errorf("%w%w", err, errFound) // a kernel that the search has made
		}
		if err := out.printAnyway(cmd, d.Report()); err != nil {
			return err
		}
		if err == nil && d.Violations() > 0 {
			return errFound
		}
		return err
	})
	out.flags(cmd, false)
	cmd.Flags().IntVar(&plan.Seeds, "seeds", 1000, "number of random instruction programs, and of kernels executed again; one PTX kernel simulated for every 50")
	cmd.Flags().Uint64Var(&plan.First, "first", 1, "first seed")
	cmd.Flags().StringVar(&plan.Plant, "plant", "", "treat this unsafe method as safe in the kernel search")
	cmd.Flags().StringVar(&plan.Scopes, "scopes", search.NoScopes, "small scopes to try completely: none, quick (seconds) or all (minutes)")
	cmd.Flags().StringSliceVar(&plan.Attacks, "attack", nil, "methods to climb towards a violation of, on every kind of machine that offers them")
	_ = cmd.RegisterFlagCompletionFunc("plant", words(methodsFor("plain")...))
	_ = cmd.RegisterFlagCompletionFunc("attack", words(search.Attackable()...))
	_ = cmd.RegisterFlagCompletionFunc("scopes", words(search.NoScopes, search.QuickScopes, search.AllScopes))
	return cmd
}
