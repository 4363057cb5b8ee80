package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
)

// schemeFlags say which schemes are compared, and with which caches.
type schemeFlags struct {
	schemes  []string
	shape    cacheFlags
	batches  bool
	resident int64
	plot     string
	wcet     bool
}

func schemeNames() []string {
	var names []string
	for _, s := range analysis.Schemes() {
		names = append(names, s.Name)
	}
	return names
}

func newCompareSchemes() *cobra.Command {
	var (
		out     output
		machine machineFlags
		limit   limitFlags
		model   modelFlag
		schemes schemeFlags
	)
	cmd := &cobra.Command{
		Use:   "schemes LAUNCH...",
		Short: "Compare schemes of scheduling and of the L1 data cache",
		Long: `Simulate each launch with caches (Huangfu2017): in dynamic order under loose
round-robin (default) and strict round-robin (srr), and with a reordering unit
under loose round-robin (reorder). Cycles are normalised to those of the first
scheme with the first cache; the estimated miss rate is set beside the
simulated. --wcet adds the worst-case time predicted for the unit: the published
equation without and with the miss rate, both estimates here, and the safe bound
that knows hits and misses; the exit code is then 1 if a bound that claims to hold
does not. When interrupted, or when a kernel fails, it prints the launches that
are finished.`,
		Example: `  warpbound compare schemes examples/rodinia/*/*.toml --gpu gtx480 --plot schemes.svg
  warpbound compare schemes examples/polybench/gemm/gemm.toml --gpu gtx480 --schemes reorder --wcet`,
		Args:              operands("LAUNCH..."),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine.machine()
			if err != nil {
				return err
			}
			opt := analysis.CacheOptions{}
			if opt.Limits, err = limit.limits(); err != nil {
				return err
			}
			if opt.Model, err = model.model(); err != nil {
				return err
			}
			if opt.Model, err = policyModel(opt.Model, m.Desc); err != nil {
				return err
			}
			return schemes.run(cmd, &out, args, m, opt)
		},
	}
	out.flags(cmd, true)
	machine.flags(cmd)
	limit.flags(cmd)
	model.flags(cmd)
	schemes.flags(cmd)
	return cmd
}

func (f *schemeFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.schemes, "schemes", schemeNames(), "schemes to compare, the first being what the others are normalised to")
	_ = cmd.RegisterFlagCompletionFunc("schemes", words(schemeNames()...))
	f.shape.flags(cmd)
	cmd.Flags().BoolVar(&f.batches, "batches", false, "give an SM new blocks when all its blocks have ended")
	cmd.Flags().Int64Var(&f.resident, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().BoolVar(&f.wcet, "wcet", false, "add the worst-case time predicted for the scheme reorder")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw the schemes into this SVG or PNG file")
}

// parse reads the names of schemes.
func (f *schemeFlags) parse() ([]analysis.Scheme, error) {
	if len(f.schemes) == 0 {
		return nil, fmt.Errorf("--schemes: no name, expected some of %s", strings.Join(schemeNames(), ", "))
	}
	var out []analysis.Scheme
	for i, name := range f.schemes {
		if err := oneOf("schemes", name, schemeNames()...); err != nil {
			return nil, err
		}
		for _, before := range f.schemes[:i] {
			if before == name {
				return nil, fmt.Errorf("--schemes: %s twice", name)
			}
		}
		for _, s := range analysis.Schemes() {
			if s.Name == name {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// run compares the schemes of all launches and writes what was finished.
func (f *schemeFlags) run(cmd *cobra.Command, out *output, launches []string, m *gpu.Machine, opt analysis.CacheOptions) error {
	schemes, err := f.parse()
	if err != nil {
		return err
	}
	if err := simulable("--schemes", m.Desc); err != nil {
		return err
	}
	if opt.Configs, err = f.shape.configs(cmd, m.Desc); err != nil {
		return err
	}
	if err := atLeast("blocks-per-sm", f.resident, 0); err != nil {
		return err
	}
	if f.wcet && !slices.ContainsFunc(schemes, func(s analysis.Scheme) bool { return s.Order == sim.L1Reorder }) {
		return errors.New("--wcet is for the scheme reorder: expected it among --schemes")
	}
	if err := plotFormat(f.plot); err != nil {
		return err
	}
	if err := checkLaunches(launches); err != nil {
		return err
	}
	opt.Batches, opt.BlocksPerSM, opt.WCET = f.batches, int(f.resident), f.wcet
	var failed failures
	rows, err := compareSchemes(cmd.Context(), launches, m, opt, schemes, &failed)
	if err != nil && (len(rows) == 0 || exitCode(err) != exitFound) {
		return err
	}
	doc, docErr := report.SchemesOf(m.Desc, rows, f.batches, err == nil)
	if docErr != nil {
		return docErr
	}
	forms := doc.Document()
	if err := draw(document{forms}, f.plot); err != nil {
		return err
	}
	if outErr := out.writeAnyway(cmd, forms); outErr != nil {
		return outErr
	}
	for i := range doc.WCET {
		if err == nil && doc.WCET[i].Violations > 0 {
			err = errFound
		}
	}
	return failed.err(err)
}

// compareSchemes compares launches one after the other and returns the rows of
// those that were finished.
func compareSchemes(ctx context.Context, launches []string, m *gpu.Machine, opt analysis.CacheOptions, schemes []analysis.Scheme, failed *failures) ([]analysis.SchemeRow, error) {
	var rows []analysis.SchemeRow
	bar := newProgress("comparing launches")
	defer bar.close()
	for i, path := range launches {
		bar.update(int64(i), int64(len(launches)))
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		l, err := openFor(path, m)
		if err != nil {
			return rows, err
		}
		bar.watch(l, &opt.Limits)
		opt.Simulated = bar.simulated
		more, err := analysis.CompareSchemes(ctx, cacheLaunch(l), m, opt, schemes)
		if err != nil {
			return rows, inLaunch(l, err)
		}
		failed.add(path, l)
		for j := range more {
			more[j].Launch = path
		}
		rows = append(rows, more...)
	}
	return rows, nil
}
