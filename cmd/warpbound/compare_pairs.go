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
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
)

// pairFlags say which policies of a front end are compared.
type pairFlags struct {
	pairs        []string
	fetch, issue []string
	variants     []string
	replay       bool
	l1Order      string
	resident     int64
	plot         string
}

// allPairs is the word for the pairs of Crouzet2024.
const allPairs = "all"

func newComparePairs() *cobra.Command {
	var (
		out     output
		machine machineFlags
		pairs   pairFlags
	)
	cmd := &cobra.Command{
		Use:   "pairs LAUNCH...",
		Short: "Set pairs of policies of a front end beside one scheduler",
		Long: `Simulate each launch with the front end of the description (Crouzet2024): a row
for each pair of policies, with scheduling errors, and beside it variant swas
with the issue policy of the pair for both stages. --replay adds the time of
swas as its replay computes it. Exit code 1 says that swas was not what it is
for: it had scheduling errors, or queues that were not full, or another time
than by its replay. Where it is interrupted, or a kernel fails, the launches
finished before are printed.`,
		Example: `  warpbound compare pairs examples/basic/saxpy/saxpy.toml --gpu vortex-32x32 --pairs lrr-gtlrr,gtlrr-gtlrr
  warpbound compare pairs examples/basic/reduce/reduce.toml --gpu vortex-32x32 --issue-policy lrr --replay`,
		Args:              operands("LAUNCH..."),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := machine.machine()
			if err != nil {
				return err
			}
			return pairs.run(cmd, &out, args, m)
		},
	}
	out.flags(cmd, true)
	machine.flags(cmd)
	pairs.flags(cmd)
	return cmd
}

func (f *pairFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.pairs, "pairs", nil, "pairs FETCH-ISSUE of policies, or "+allPairs+" nine of lrr, gtlrr and gtlo (default: --fetch-policy and --issue-policy say)")
	cmd.Flags().StringSliceVar(&f.fetch, "fetch-policy", nil, "pairs of these fetch policies and every --issue-policy (default lrr,gtlrr,gtlo)")
	cmd.Flags().StringSliceVar(&f.issue, "issue-policy", nil, "pairs of every --fetch-policy and these issue policies (default lrr,gtlrr,gtlo)")
	cmd.Flags().StringSliceVar(&f.variants, "variant", nil, "variants to simulate (default "+gpu.Baseline+","+gpu.SWaS+")")
	cmd.Flags().BoolVar(&f.replay, "replay", false, "also compute the times of variant swas by replaying its policy")
	cmd.Flags().StringVar(&f.l1Order, "l1-order", sim.L1None, "how global accesses reach the L1 data cache: "+sim.L1None+" (no caches) or "+sim.L1Dynamic)
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(sim.L1None, sim.L1Dynamic))
	cmd.Flags().Int64Var(&f.resident, "blocks-per-sm", 0, "resident blocks of an SM (0: by occupancy)")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw the pairs into this SVG or PNG file")
	_ = cmd.RegisterFlagCompletionFunc("pairs", words(slices.Concat([]string{allPairs}, pairWords())...))
	_ = cmd.RegisterFlagCompletionFunc("fetch-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("issue-policy", words(frontPolicyWords()...))
	_ = cmd.RegisterFlagCompletionFunc("variant", words(gpu.Baseline, gpu.SWaS))
}

func pairWords() []string {
	var out []string
	for _, p := range analysis.Pairs() {
		out = append(out, p.Fetch+"-"+p.Issue)
	}
	return out
}

// options reads the flags.
func (f *pairFlags) options(cmd *cobra.Command, m *gpu.Machine, opt *analysis.PairOptions) error {
	if m.Desc.FrontEnd == nil {
		return noFrontEnd("pairs", m.Desc)
	}
	if cmd.Flags().Changed("pairs") {
		for _, name := range []string{"fetch-policy", "issue-policy"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s with --pairs: expected one of them, pairs name both policies", name)
			}
		}
		if len(f.pairs) == 0 {
			return fmt.Errorf("--pairs: no pair, expected FETCH-ISSUE such as lrr-gtlrr, or %s", allPairs)
		}
		for _, s := range f.pairs {
			if s == allPairs {
				opt.Pairs = append(opt.Pairs, analysis.Pairs()...)
				continue
			}
			fetch, issue, ok := strings.Cut(s, "-")
			if !ok {
				return fmt.Errorf("--pairs %q: expected FETCH-ISSUE such as lrr-gtlrr, or %s", s, allPairs)
			}
			if err := addPair(opt, "pairs", "pairs", fetch, issue); err != nil {
				return err
			}
		}
	} else {
		if err := f.product(cmd, opt); err != nil {
			return err
		}
	}
	for i, p := range opt.Pairs {
		if slices.Contains(opt.Pairs[:i], p) {
			return fmt.Errorf("--pairs: %s-%s twice", p.Fetch, p.Issue)
		}
	}
	return f.chosen(cmd, m.Desc, opt)
}

// product makes the pairs of all fetch policies and all issue policies.
func (f *pairFlags) product(cmd *cobra.Command, opt *analysis.PairOptions) error {
	usual := []string{"lrr", "gtlrr", "gtlo"}
	fetches, issues := f.fetch, f.issue
	for _, l := range []struct {
		flag string
		list *[]string
	}{{"fetch-policy", &fetches}, {"issue-policy", &issues}} {
		switch {
		case !cmd.Flags().Changed(l.flag):
			*l.list = usual
		case len(*l.list) == 0:
			return fmt.Errorf("--%s: no name, expected some of %s", l.flag, conf.List(gpu.FrontPolicyNames()))
		}
	}
	for _, issue := range issues {
		for _, fetch := range fetches {
			if err := addPair(opt, "fetch-policy", "issue-policy", fetch, issue); err != nil {
				return err
			}
		}
	}
	return nil
}

func addPair(opt *analysis.PairOptions, fetchFlag, issueFlag, fetch, issue string) error {
	p := analysis.Pair{}
	var err error
	for _, l := range []struct {
		flag, from string
		to         *string
	}{{fetchFlag, fetch, &p.Fetch}, {issueFlag, issue, &p.Issue}} {
		if l.from == "" {
			return fmt.Errorf("--%s: an empty name, expected one of %s", l.flag, conf.List(gpu.FrontPolicyNames()))
		}
		if *l.to, err = parseFrontPolicy(l.flag, l.from); err != nil {
			return err
		}
	}
	opt.Pairs = append(opt.Pairs, p)
	return nil
}

// chosen reads which variants are simulated.
func (f *pairFlags) chosen(cmd *cobra.Command, d *gpu.Description, opt *analysis.PairOptions) error {
	if !cmd.Flags().Changed("variant") {
		// A front end that has no variant swas is compared without.
		opt.Baseline, opt.SWaS = true, whyNoSWaS(d) == ""
		return nil
	}
	for _, v := range f.variants {
		switch strings.ToLower(v) {
		case gpu.Baseline:
			opt.Baseline = true
		case gpu.SWaS:
			if why := whyNoSWaS(d); why != "" {
				return fmt.Errorf("--variant %s: %s", gpu.SWaS, why)
			}
			opt.SWaS = true
		default:
			return oneOf("variant", v, gpu.Baseline, gpu.SWaS)
		}
	}
	if !opt.Baseline && !opt.SWaS {
		return fmt.Errorf("--variant: no name, expected %s or %s", gpu.Baseline, gpu.SWaS)
	}
	return nil
}

// run compares the pairs of all launches and writes what was finished.
func (f *pairFlags) run(cmd *cobra.Command, out *output, launches []string, m *gpu.Machine) error {
	opt := analysis.PairOptions{L1Order: f.l1Order, BlocksPerSM: int(f.resident), Checks: true}
	if err := f.options(cmd, m, &opt); err != nil {
		return err
	}
	if err := atLeast("blocks-per-sm", f.resident, 0); err != nil {
		return err
	}
	if err := oneOf("l1-order", opt.L1Order, sim.L1None, sim.L1Dynamic); err != nil {
		return err
	}
	if err := (&l1Flags{order: opt.L1Order}).check(m); err != nil {
		return err
	}
	if err := plotFormat(f.plot); err != nil {
		return err
	}
	if err := f.replayable(cmd, &opt); err != nil {
		return err
	}
	if err := checkLaunches(launches); err != nil {
		return err
	}
	var failed failures
	rows, err := comparePairs(cmd.Context(), launches, m, opt, f.replay, &failed)
	if err != nil && (len(rows) == 0 || exitCode(err) != exitFound) {
		return err
	}
	doc, docErr := report.PairsOf(m.Desc, rows, opt.L1Order, err == nil)
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
	for i := range doc.Summaries {
		if err == nil && doc.Summaries[i].Violations > 0 {
			err = errFound
		}
	}
	return failed.err(err)
}

// replayable refuses what a replay is not for.
func (f *pairFlags) replayable(cmd *cobra.Command, opt *analysis.PairOptions) error {
	switch {
	case !f.replay:
		return nil
	case !opt.SWaS:
		return errors.New("--replay: expected variant swas, whose times are computed")
	case opt.L1Order != sim.L1None:
		return fmt.Errorf("--replay with --l1-order %s: expected one of them, a replay is without caches for data", opt.L1Order)
	case cmd.Flags().Changed("blocks-per-sm"):
		return errors.New("--replay with --blocks-per-sm: expected one of them, a replay is for as many blocks as fit")
	}
	return nil
}

// comparePairs compares launches one after the other and returns the rows of
// those that were finished.
func comparePairs(ctx context.Context, launches []string, m *gpu.Machine, opt analysis.PairOptions, replayed bool, failed *failures) ([]analysis.PairRow, error) {
	var rows []analysis.PairRow
	bar := newProgress("simulating")
	defer bar.close()
	for i, path := range launches {
		opt.Progress = func(done, total int64) {
			bar.update(int64(i)*total+done, int64(len(launches))*total)
		}
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		l, err := openFor(path, m)
		if err != nil {
			return rows, err
		}
		if replayed {
			opt.Tainted = func() (simt.Tainted, error) { return l.Kernel(true) }
		}
		bar.of(l.Program())
		opt.Simulated = bar.simulated
		more, err := analysis.ComparePairs(ctx, l.Fresh, m, opt)
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
