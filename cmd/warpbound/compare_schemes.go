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
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
)

// schemeFlags are those of a comparison of schemes, which has no bounds.
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

func (f *schemeFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.schemes, "schemes", nil, "simulate with caches instead, and compare schemes: "+strings.Join(schemeNames(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("schemes", words(schemeNames()...))
	f.shape.flags(cmd)
	cmd.Flags().BoolVar(&f.batches, "batches", false, "give an SM new blocks when all its blocks have ended")
	cmd.Flags().Int64Var(&f.resident, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().BoolVar(&f.wcet, "wcet", false, "set what is foretold of the time beside the scheme reorder")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw the schemes or pairs into this SVG or PNG file")
}

// asked says whether schemes are compared, and refuses flags of the other
// comparison.
func (f *schemeFlags) asked(cmd *cobra.Command) (bool, error) {
	asked := cmd.Flags().Changed("schemes")
	others, why := []string{"size", "ways", "line", "replacement", "index", "batches", "wcet"}, "is for --schemes"
	if asked {
		others, why = []string{"policies", "methods", "scope", "l1-order"}, "is not for --schemes, which name policies and have no bounds"
	}
	if cmd.Flags().Changed("replay") {
		return false, errors.New("--replay is for --pairs")
	}
	for _, name := range []string{"blocks-per-sm", "plot"} {
		if !asked && cmd.Flags().Changed(name) {
			return false, fmt.Errorf("--%s is for --schemes and --pairs", name)
		}
	}
	for _, name := range others {
		if cmd.Flags().Changed(name) {
			return false, fmt.Errorf("--%s %s", name, why)
		}
	}
	return asked, nil
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
	format := ""
	if f.plot != "" {
		if format, err = plot.Format(f.plot); err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
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
	if f.plot != "" {
		drawn, plotErr := report.SchemesPlot(doc, format)
		if plotErr == nil {
			plotErr = writeFile(f.plot, drawn)
		}
		if plotErr != nil {
			return fmt.Errorf("--plot: %w", plotErr)
		}
	}
	if outErr := out.writeAnyway(cmd, doc.Document()); outErr != nil {
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
