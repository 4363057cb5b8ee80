package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/report"
	"github.com/warpbound/warpbound/sim"
)

func newCompare() *cobra.Command {
	var (
		out      output
		machine  machineFlags
		limit    limitFlags
		policies []string
		methods  []string
		scope    string
		model    string
	)
	cmd := &cobra.Command{
		Use:   "compare LAUNCH...",
		Short: "Set bounds beside simulations, a row a kernel",
		Long: `Set the bound of each launch beside its simulation under each policy, with the
overestimation, and sum up over all launches. Exit code 1 says that a safe bound
was below a simulation it claims to cover.`,
		Example:           "  warpbound compare examples/rodinia/*/*.toml --gpu ecrts2025-200 --policies lrr,gto --scope block",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine.machine()
			if err != nil {
				return err
			}
			limits, err := limit.limits()
			if err != nil {
				return err
			}
			opt := analysis.CompareOptions{Methods: methods, Model: model, Checks: true}
			if opt.Scope, err = compareScope(scope); err != nil {
				return err
			}
			for _, p := range policies {
				policy, err := sim.ParsePolicy(p)
				if err != nil {
					return err
				}
				opt.Policies = append(opt.Policies, policy)
			}
			var rows []analysis.Row
			bar := newProgress("comparing launches")
			defer bar.done()
			for i, path := range args {
				bar.update(int64(i), int64(len(args)))
				l, r, err := analyze(cmd.Context(), path, m, limits, neededMethods(methods))
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				more, err := analysis.Compare(cmd.Context(), r, l.Fresh, opt)
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				for i := range more {
					more[i].Launch = path
				}
				rows = append(rows, more...)
			}
			bar.done()
			doc := report.Comparison(rows)
			if err := out.write(cmd, doc, func(p *printer) {
				p.WriteString(report.ComparisonText(doc, out.csv))
			}); err != nil {
				return err
			}
			if doc.Summary.Violations > 0 {
				return errFound
			}
			return nil
		},
	}
	out.flags(cmd, true)
	machine.flags(cmd)
	limit.flags(cmd)
	cmd.Flags().StringSliceVar(&policies, "policies", []string{"lrr", "gto"}, "warp scheduling policies to simulate")
	cmd.Flags().StringSliceVar(&methods, "methods", []string{"gub", analysis.Best}, "bounds to compare: best, or of gub,sum,fua,burst,path,ref,serial")
	cmd.Flags().StringVar(&scope, "scope", "launch", "what is bounded and simulated: launch, block (one block alone) or warp (one warp alone)")
	cmd.Flags().StringVar(&model, "model", "", "abstract or pipeline (default: the description's)")
	return cmd
}

func compareScope(s string) (bound.Scope, error) {
	switch strings.ToLower(s) {
	case "launch":
		return bound.Kernel, nil
	case "block":
		return bound.Block, nil
	case "warp":
		return bound.Warp, nil
	}
	return 0, fmt.Errorf("--scope %q: expected launch, block or warp", s)
}

// neededMethods is what to analyse so that the given rows can be filled: all
// methods where the best is asked for.
func neededMethods(methods []string) []string {
	for _, m := range methods {
		if m == analysis.Best {
			return nil
		}
	}
	return methods
}
