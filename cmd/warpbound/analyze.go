package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/report"
	"github.com/warpbound/warpbound/simt"
)

func newAnalyze() *cobra.Command {
	var (
		out     output
		machine machineFlags
		limit   limitFlags
		methods []string
		explain bool
	)
	cmd := &cobra.Command{
		Use:   "analyze LAUNCH",
		Short: "Bound the time of a launch, with breakdown and assumptions",
		Long: `Bound the worst-case execution time of one warp alone, one block alone and the
whole launch on the described GPU, by every method whose conditions hold there.

The bound is of the abstract SM of the description and rests on the assumptions
listed with it (docs/soundness.md). It covers the grid, block, scalar arguments
and known buffers of the launch file, and whatever the other buffers contain
where the report says so. Methods: gub is the published bound and not always
safe; makespan is for kernels without latencies, and where it is asked for on
another it is given as unsafe, with what breaks its assumptions; the others are
safe wherever they are given.`,
		Example: `  warpbound analyze examples/basic/saxpy/saxpy.toml --gpu ecrts2025-200
  warpbound analyze examples/basic/reduce/reduce.toml --set sm.count=4 --explain
  warpbound analyze examples/basic/saxpy/saxpy.toml --method gub,sum --json`,
		Args:              operands("LAUNCH"),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := methodNames("method", methods, allMethods); err != nil {
				return err
			}
			m, err := machine.machine()
			if err != nil {
				return err
			}
			limits, err := limit.limits()
			if err != nil {
				return err
			}
			_, r, err := analyze(cmd.Context(), args[0], m, limits, methodList(methods))
			if err != nil {
				return err
			}
			doc, err := report.Analysis(args[0], r)
			if err != nil {
				return err
			}
			return out.write(cmd, doc, func(p *printer) {
				p.WriteString(report.AnalysisText(args[0], r, explain))
			})
		},
	}
	out.flags(cmd, false)
	machine.flags(cmd)
	limit.flags(cmd)
	cmd.Flags().StringSliceVar(&methods, "method", []string{allMethods}, "methods to compute: all, or of "+strings.Join(analysis.Methods(), ","))
	_ = cmd.RegisterFlagCompletionFunc("method", words(append([]string{allMethods}, analysis.Methods()...)...))
	cmd.Flags().BoolVar(&explain, "explain", false, "also print the phases of the slowest warp, what each assumption says, and why methods give no bound")
	return cmd
}

// allMethods is the word for every method.
const allMethods = "all"

// methodList turns the flag into what analysis expects: nil for all.
func methodList(methods []string) []string {
	if slices.Contains(methods, allMethods) {
		return nil
	}
	return methods
}

// analyze loads a launch and bounds it.
func analyze(ctx context.Context, path string, m *gpu.Machine, limits simt.Limits, methods []string) (*load.Launch, *analysis.Report, error) {
	l, err := openFor(path, m)
	if err != nil {
		return nil, nil, err
	}
	k, err := l.Kernel(true)
	if err != nil {
		return nil, nil, inLaunch(l, err)
	}
	bar := newProgress("recording blocks")
	defer bar.done()
	r, err := analysis.Run(ctx, k, m, analysis.Options{Methods: methods, Limits: limits, Progress: bar.update})
	return l, r, inLaunch(l, err)
}
