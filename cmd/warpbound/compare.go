package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

func newCompare() *cobra.Command {
	var (
		out      output
		machine  machineFlags
		limit    limitFlags
		policies []string
		methods  []string
		scope    string
		l1Order  string
		model    modelFlag
		gate     gateFlags
	)
	cmd := &cobra.Command{
		Use:   "compare LAUNCH...",
		Short: "Set bounds beside simulations, a row a kernel",
		Long: `Set the bound of each launch beside its simulation under each policy, with the
overestimation, and sum up over all launches. Exit code 1 says that a safe bound
was below a simulation it claims to cover, or that a RISC-V program ended with
an exit code other than 0, which standard error then names. Where it is
interrupted, or a kernel fails, the launches finished before are printed.
--require-all-inputs and --max-cycles are as those of analyze, of the smallest
safe figure of every launch. --gpu takes several GPUs, separated by commas: each launch is compared
on each, and each has summaries of its own.

Bounds for strict turns (segment and those behind it) claim to hold under strict
policies: srr, gsrr, segments. With --l1-order reorder launches are simulated
with caches behind a reordering unit, beside the bounds that know hits and
misses. For both, an SM gets new blocks when all its blocks have ended.

compare schemes simulates launches with caches instead, and compare pairs with the
front end of the description; neither has bounds.

Bounds are for the abstract model; it is what they are set beside, unless
--model says otherwise, on GPUs whose model is frontend too.`,
		Example: `  warpbound compare examples/rodinia/*/*.toml --gpu ecrts2025-200 --policies lrr,gto --scope block
  warpbound compare examples/basic/saxpy/saxpy.toml --gpu ecrts2025-10,ecrts2025-200,orin
  warpbound compare examples/basic/*/*.toml --policies segments --methods segment,turns,strict
  warpbound compare schemes examples/rodinia/*/*.toml --gpu gtx480 --plot schemes.svg
  warpbound compare pairs examples/basic/saxpy/saxpy.toml --gpu vortex-32x32 --pairs lrr-gtlrr,gtlrr-gtlrr`,
		Args:              operands("LAUNCH..."),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := gate.check(cmd); err != nil {
				return err
			}
			machines, err := machine.machines()
			if err != nil {
				return err
			}
			limits, err := limit.limits()
			if err != nil {
				return err
			}
			opt := analysis.CompareOptions{Methods: methods, Checks: true}
			if opt.Model, err = model.model(); err != nil {
				return err
			}
			asked := opt.Model
			turns := analysis.TurnsOptions{Order: l1Order, Limits: limits, Checks: true}
			if opt.Scope, err = compareScope(scope); err != nil {
				return err
			}
			if len(policies) == 0 {
				return fmt.Errorf("--policies: no name, expected some of %s", conf.List(policy.Names()))
			}
			for _, p := range policies {
				policy, err := parsePolicy("policies", p)
				if err != nil {
					return err
				}
				opt.Policies = append(opt.Policies, policy)
			}
			turns.Policies, turns.Scope = opt.Policies, opt.Scope
			var on []comparison
			for _, m := range machines {
				if opt.Model, err = policyModel(asked, m.Desc); err != nil {
					return err
				}
				turns.Model = opt.Model
				if opt.Methods, turns.Methods, err = splitMethods(cmd, methods, m.Desc, l1Order); err != nil {
					return err
				}
				on = append(on, comparison{m, opt, turns})
			}
			if err := checkLaunches(args); err != nil {
				return err
			}
			var failed failures
			rows, err := compareAll(cmd.Context(), args, on, limits, &failed)
			if err != nil && (len(rows) == 0 || exitCode(err) != exitFound) {
				return err
			}
			doc, docErr := report.Comparison(descriptions(machines), rows, err == nil)
			if docErr != nil {
				return docErr
			}
			if err := out.writeAnyway(cmd, doc.Document()); err != nil {
				return err
			}
			switch {
			case err != nil || len(failed) > 0:
				return failed.err(err)
			case doc.Summary.Violations > 0:
				return errFound
			}
			return gate.judge(figuresOf(rows))
		},
	}
	out.flags(cmd, true)
	machine.flags(cmd)
	limit.flags(cmd)
	cmd.Flags().StringSliceVar(&policies, "policies", []string{"lrr", "gto"}, "warp scheduling policies to simulate")
	cmd.Flags().StringSliceVar(&methods, "methods", []string{"gub", analysis.Best}, "bounds to compare: best, or of "+strings.Join(slices.Concat(analysis.Names(method.Plain), analysis.Names(method.InTurns)), ", ")+"; with --l1-order reorder ordered, ordered-serial and those of turns")
	cmd.Flags().StringVar(&scope, "scope", "launch", "what is bounded and simulated: launch, block (one block alone) or warp (one warp alone)")
	cmd.Flags().StringVar(&l1Order, "l1-order", sim.L1None, "how global accesses reach the L1 data cache: "+sim.L1None+" (no caches) or "+sim.L1Reorder+" (in an enforced order)")
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(sim.L1None, sim.L1Reorder))
	_ = cmd.RegisterFlagCompletionFunc("policies", words(policy.Names()...))
	_ = cmd.RegisterFlagCompletionFunc("methods", words(slices.Concat([]string{analysis.Best}, analysis.Names(method.Plain), analysis.Names(method.InOrder), analysis.Names(method.InTurns))...))
	_ = cmd.RegisterFlagCompletionFunc("scope", words(scopes...))
	model.flags(cmd)
	gate.flags(cmd)
	cmd.AddCommand(newComparePairs(), newCompareSchemes())
	return cmd
}

// policyModel is the model of comparisons whose policies are those of a machine
// without a front end.
func policyModel(model string, d *gpu.Description) (string, error) {
	switch {
	case model == sim.Frontend:
		return "", errors.New("--model frontend: expected abstract or pipeline, or compare pairs: its policies are pairs")
	case model == "" && d.Model == sim.Frontend:
		return sim.Abstract, nil
	}
	return model, nil
}

// checkLaunches reads launch files, so that a mistake in the last one does not
// show after an hour.
func checkLaunches(files []string) error {
	var errs []error
	for _, f := range files {
		if _, err := launch.Load(f); err != nil && len(errs) < conf.MaxErrors {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// comparison is what is compared on one GPU.
type comparison struct {
	machine *gpu.Machine
	opt     analysis.CompareOptions
	turns   analysis.TurnsOptions
}

func descriptions(machines []*gpu.Machine) []*gpu.Description {
	var out []*gpu.Description
	for _, m := range machines {
		out = append(out, m.Desc)
	}
	return out
}

// compareAll compares launches one after the other, each on every GPU, and returns
// the rows of those that were finished.
func compareAll(ctx context.Context, launches []string, on []comparison, limits simt.Limits, failed *failures) ([]analysis.Row, error) {
	var rows []analysis.Row
	bar := newProgress("comparing launches")
	defer bar.close()
	for i, path := range launches {
		bar.update(int64(i), int64(len(launches)))
		var ofLaunch []analysis.Row
		for _, c := range on {
			if err := ctx.Err(); err != nil {
				return rows, err
			}
			more, err := compareOne(ctx, bar, path, c, limits, failed)
			if err != nil {
				return rows, err
			}
			ofLaunch = append(ofLaunch, more...)
		}
		for i := range ofLaunch {
			ofLaunch[i].Launch = path
		}
		rows = append(rows, ofLaunch...)
	}
	return rows, nil
}

// compareOne compares a launch on one GPU.
func compareOne(ctx context.Context, bar *progress, path string, on comparison, limits simt.Limits, failed *failures) ([]analysis.Row, error) {
	m, opt, turns := on.machine, on.opt, on.turns
	var rows []analysis.Row
	if len(opt.Methods) > 0 {
		l, _, r, err := analyzeUnder(ctx, bar, path, m, method.Question{Methods: neededMethods(opt.Methods), Limits: limits})
		if err != nil {
			return nil, err
		}
		opt.Simulated = bar.simulated
		if rows, err = analysis.Compare(ctx, r, l.Fresh, opt); err != nil {
			return nil, inLaunch(l, err)
		}
		if len(turns.Methods) == 0 {
			failed.add(path, l)
			return rows, nil
		}
	}
	l, err := openFor(path, m)
	if err != nil {
		return nil, err
	}
	bar.watch(l, &turns.Limits)
	turns.Simulated = bar.simulated
	more, err := analysis.CompareTurns(ctx, cacheLaunch(l), m, turns)
	failed.add(path, l)
	return append(rows, more...), inLaunch(l, err)
}

// splitMethods tells bounds for every work-conserving policy from those for turns
// and for an order of accesses.
func splitMethods(cmd *cobra.Command, names []string, d *gpu.Description, order string) (any, turns []string, err error) {
	if err := oneOf("l1-order", order, sim.L1None, sim.L1Reorder); err != nil {
		return nil, nil, err
	}
	if order == sim.L1None {
		for _, name := range names {
			if slices.Contains(analysis.Names(method.InTurns), name) {
				turns = append(turns, name)
			} else {
				any = append(any, name)
			}
		}
		switch {
		case len(names) == 0:
			return nil, nil, methodNames("methods", nil, analysis.Best)
		case len(any) == 0:
			return nil, turns, nil
		}
		return any, turns, methodNames("methods", any, append([]string{analysis.Best}, analysis.Names(method.InTurns)...)...)
	}
	if err := (&l1Flags{order: order}).check(&gpu.Machine{Desc: d}); err != nil {
		return nil, nil, err
	}
	if !cmd.Flags().Changed("methods") {
		return nil, analysis.Names(method.InOrder)[:1], nil
	}
	if len(names) == 0 {
		return nil, nil, errors.New("--methods: no name")
	}
	for _, name := range names {
		if err := oneOf("methods", name, slices.Concat(analysis.Names(method.InOrder), analysis.Names(method.InTurns))...); err != nil {
			return nil, nil, err
		}
	}
	return nil, names, nil
}

// scopes are what can be compared.
var scopes = []string{"launch", "block", "warp"}

func compareScope(s string) (bound.Scope, error) {
	switch s {
	case "launch":
		return bound.Kernel, nil
	case "block":
		return bound.Block, nil
	case "warp":
		return bound.Warp, nil
	}
	return 0, oneOf("scope", s, scopes...)
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

// analyzeUnder is analyze for a command that shows its own progress.
func analyzeUnder(ctx context.Context, bar *progress, path string, m *gpu.Machine, q method.Question) (*load.Opened, *load.Outcome, *analysis.Report, error) {
	l, err := openFor(path, m)
	if err != nil {
		return nil, nil, nil, err
	}
	bar.watch(l, &q.Limits)
	r, err := analysis.Run(ctx, cacheLaunch(l), m, q)
	return l, l.Outcome(), r, inLaunch(l, err)
}
