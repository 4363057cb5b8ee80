package warpbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
)

// AllPairs, as the name of a pair, is the nine pairs of lrr, gtlrr and gtlo
// (Crouzet2024, Section VI-A3).
const AllPairs = "all"

// PairsOptions choose what ComparePairs simulates. The zero value is the nine pairs of
// Crouzet2024 on [DefaultFrontEndGPU], beside one scheduler for both stages.
type PairsOptions struct {
	GPU *gpu.Machine // with a front end; nil for DefaultFrontEndGPU
	// Pairs of policies are FETCH-ISSUE, such as "lrr-gtlrr", and AllPairs. Where they
	// are nil every one of FetchPolicies makes a pair with every one of IssuePolicies,
	// each nil for lrr, gtlrr and gtlo.
	Pairs                        []string
	FetchPolicies, IssuePolicies []string
	// Variants are gpu.Baseline and gpu.SWaS; nil for both, where the front end has
	// the latter.
	Variants []string
	// Replay also computes the times of variant swas by replaying its policy. It is for
	// machines without caches for data, and as many blocks on an SM as fit.
	Replay      bool
	L1Order     string // L1None, which is "" too, or L1Dynamic
	BlocksPerSM int    // resident on an SM, 0 for as many as fit
	Progress    func(Progress)
}

// PairsComparison is pairs of policies beside one scheduler for both stages.
type PairsComparison struct {
	// Complete is false where an error ended the comparison: the rows are then those
	// of the launches finished before.
	Complete  bool
	Rows      []PairRow // of each launch, by pair
	Summaries []PairSummary

	gpu     *gpu.Description
	l1Order string
	rows    []analysis.PairRow
}

// PairRow is a launch under a pair of policies of a front end, beside variant swas
// with the issue policy of the pair for both stages (Crouzet2024, Fig. 4 to 8).
type PairRow struct {
	Launch, Kernel           string
	FetchPolicy, IssuePolicy string
	// Baseline and SWaS are nil where not asked for, and where the run never ends:
	// Stuck then says why.
	Baseline, SWaS *PairRun
	Stuck          string
	Ratio          float64     // of the IPC of swas to that of the baseline, NaN without both
	Replay         *PairReplay // of SWaS, nil where not asked for
	// Broken says that swas was not what it is for: it had scheduling errors, or queues
	// that were not full, or took another time than by its replay.
	Broken bool
}

// PairRun is one simulation.
type PairRun struct {
	Cycles, WarpInstructions, ThreadInstructions int64 // NOPs not counted
	Scheduling
}

// PairReplay is the time of variant swas by its replay.
type PairReplay struct {
	Cycles  int64
	Refused string // why there is none, "" where there is
	Claimed bool   // the simulation fulfils what the replay assumes
}

// PairSummary sums up the rows of a pair. The means and the range are of the ratios,
// NaN without both variants; the rates are of the baseline, NaN without.
type PairSummary struct {
	FetchPolicy, IssuePolicy            string
	Rows                                int
	Mean, GeometricMean, Least, Largest float64
	MeanErrorRate, MostErrorRate        float64
	BaselineErrors, SWaSErrors          int64
	Broken                              int // rows
}

// Report is the comparison as the command compare pairs prints it.
func (c *PairsComparison) Report() (*Report, error) {
	d, err := report.PairsOf(c.gpu, c.rows, c.l1Order, c.Complete)
	if err != nil {
		return nil, err
	}
	return &Report{d.Document()}, nil
}

// ComparePairs simulates launches with the front end of a GPU under pairs of policies,
// a row a pair, and under variant swas. What it returns where a launch fails is said
// at [Compare]; a [ViolationError] says that swas was not what it is for.
func ComparePairs(ctx context.Context, launches []*Launch, opt PairsOptions) (*PairsComparison, error) {
	m, err := machine(opt.GPU, DefaultFrontEndGPU)
	if err != nil {
		return nil, err
	}
	o, err := opt.options(m)
	if err != nil {
		return nil, err
	}
	tell := newTeller("simulating", nil, opt.Progress)
	if opt.Progress != nil {
		o.Simulated = tell.simulated
	}
	var exits []error
	c := &PairsComparison{gpu: m.Desc, l1Order: o.L1Order}
	c.rows, err = inTurn(ctx, launches, tell, func(i int, l *Launch) ([]analysis.PairRow, error) {
		on, _, err := l.on(m, DefaultFrontEndGPU)
		if err != nil {
			return nil, err
		}
		o := o
		o.Progress = func(done, total int64) { tell.done(int64(i)*total+done, int64(len(launches))*total) }
		if opt.Replay {
			o.Tainted = func() (simt.Tainted, error) { return on.Kernel(true) }
		}
		rows, err := analysis.ComparePairs(ctx, on.Fresh, m, o)
		if err != nil {
			return nil, explainOf(on, err)
		}
		for j := range rows {
			rows[j].Launch = l.Path()
		}
		exits = append(exits, exit(on))
		return rows, nil
	})
	if err != nil && len(c.rows) == 0 {
		return nil, err
	}
	c.Complete = err == nil
	return c, errors.Join(errors.Join(exits...), c.fill(), err)
}

// fill makes the exported rows. The error is of those that are broken.
func (c *PairsComparison) fill() error {
	var broken []string
	for i := range c.rows {
		r := &c.rows[i]
		row := PairRow{
			Launch: r.Launch, Kernel: r.Kernel, FetchPolicy: r.Fetch, IssuePolicy: r.Issue, Baseline: pairRun(r.Baseline), SWaS: pairRun(r.SWaS),
			Stuck: r.Stuck, Ratio: r.Ratio, Broken: r.Broken(),
		}
		if r.Replay != nil {
			row.Replay = &PairReplay{Cycles: r.Replay.Cycles, Refused: r.Replay.Refused, Claimed: r.Replay.Claimed}
		}
		if row.Broken {
			broken = append(broken, fmt.Sprintf("%s with issue policy %s: variant swas had errors, or queues that were not full, or another time than by its replay", r.Launch, r.Issue))
		}
		c.Rows = append(c.Rows, row)
	}
	for _, s := range analysis.SummarizePairs(c.rows) {
		c.Summaries = append(c.Summaries, PairSummary{
			FetchPolicy: s.Fetch, IssuePolicy: s.Issue, Rows: s.Rows, Mean: s.Mean, GeometricMean: s.Geometric, Least: s.Least, Largest: s.Largest,
			MeanErrorRate: s.ErrorRate, MostErrorRate: s.MaxErrorRate, BaselineErrors: s.BaselineErrors, SWaSErrors: s.SWaSErrors, Broken: s.Broken,
		})
	}
	if len(broken) == 0 {
		return nil
	}
	return &ViolationError{text: strings.Join(broken, "\n")}
}

func pairRun(r *analysis.PairRun) *PairRun {
	if r == nil {
		return nil
	}
	return &PairRun{Cycles: r.Cycles, WarpInstructions: r.WarpInstructions, ThreadInstructions: r.ThreadInstructions, Scheduling: *scheduling(&r.SchedulingStats)}
}

// options checks the options.
func (o *PairsOptions) options(m *gpu.Machine) (analysis.PairOptions, error) {
	out := analysis.PairOptions{L1Order: o.L1Order, BlocksPerSM: o.BlocksPerSM, Checks: true}
	if out.L1Order == "" {
		out.L1Order = L1None
	}
	if m.Desc.FrontEnd == nil {
		return out, &OptionError{Option: "GPU", Value: m.Desc.Name, Msg: "it has no table [front_end], expected a GPU with a front end such as vortex-32x32"}
	}
	var err error
	if out.Pairs, err = o.pairs(); err != nil {
		return out, err
	}
	for i, p := range out.Pairs {
		if slices.Contains(out.Pairs[:i], p) {
			return out, &OptionError{Option: "Pairs", Value: p.Fetch + "-" + p.Issue, Msg: "given twice"}
		}
	}
	if err := o.variants(m.Desc, &out); err != nil {
		return out, err
	}
	if err := atLeast("BlocksPerSM", int64(o.BlocksPerSM), 0); err != nil {
		return out, err
	}
	if err := oneOf("L1Order", out.L1Order, L1None, L1Dynamic); err != nil {
		return out, err
	}
	if err := checkL1Order(out.L1Order, m.Desc); err != nil {
		return out, err
	}
	switch {
	case !o.Replay:
	case !out.SWaS:
		return out, &OptionError{Option: "Replay", Msg: "expected variant swas, whose times are computed"}
	case out.L1Order != L1None:
		return out, &OptionError{Option: "Replay", With: "L1Order", Other: out.L1Order, Msg: "expected one of them, a replay is without caches for data"}
	case o.BlocksPerSM != 0:
		return out, &OptionError{Option: "Replay", With: "BlocksPerSM", Msg: "expected one of them, a replay is for as many blocks as fit"}
	}
	return out, nil
}

// pairs are those of the options.
func (o *PairsOptions) pairs() ([]analysis.Pair, error) {
	if o.Pairs == nil {
		return o.product()
	}
	switch {
	case o.FetchPolicies != nil:
		return nil, &OptionError{Option: "FetchPolicies", With: "Pairs", Msg: "expected one of them, pairs name both policies"}
	case o.IssuePolicies != nil:
		return nil, &OptionError{Option: "IssuePolicies", With: "Pairs", Msg: "expected one of them, pairs name both policies"}
	case len(o.Pairs) == 0:
		return nil, &OptionError{Option: "Pairs", Msg: "no pair, expected FETCH-ISSUE such as lrr-gtlrr, or " + AllPairs}
	}
	var out []analysis.Pair
	for _, s := range o.Pairs {
		if s == AllPairs {
			out = append(out, analysis.Pairs()...)
			continue
		}
		fetch, issue, ok := strings.Cut(s, "-")
		if !ok {
			return nil, &OptionError{Option: "Pairs", Value: s, Msg: "expected FETCH-ISSUE such as lrr-gtlrr, or " + AllPairs}
		}
		p, err := pair("Pairs", "Pairs", fetch, issue)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// product makes the pairs of all fetch policies and all issue policies.
func (o *PairsOptions) product() ([]analysis.Pair, error) {
	usual := []string{"lrr", "gtlrr", "gtlo"}
	fetches, issues := o.FetchPolicies, o.IssuePolicies
	for _, l := range []struct {
		option string
		list   *[]string
	}{{"FetchPolicies", &fetches}, {"IssuePolicies", &issues}} {
		switch {
		case *l.list == nil:
			*l.list = usual
		case len(*l.list) == 0:
			return nil, &OptionError{Option: l.option, Msg: "no name, expected some of " + conf.List(gpu.FrontPolicyNames())}
		}
	}
	var out []analysis.Pair
	for _, issue := range issues {
		for _, fetch := range fetches {
			p, err := pair("FetchPolicies", "IssuePolicies", fetch, issue)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// pair reads two policies, which the options name.
func pair(fetchOption, issueOption, fetch, issue string) (p analysis.Pair, err error) {
	for _, l := range []struct {
		option, from string
		to           *string
	}{{fetchOption, fetch, &p.Fetch}, {issueOption, issue, &p.Issue}} {
		if l.from == "" {
			return p, &OptionError{Option: l.option, Msg: "an empty name, expected one of " + conf.List(gpu.FrontPolicyNames())}
		}
		if *l.to, err = parseFrontPolicy(l.option, l.from); err != nil {
			return p, err
		}
	}
	return p, nil
}

// variants reads which variants are simulated. A front end that has no variant swas is
// compared without, unless it is asked for.
func (o *PairsOptions) variants(d *gpu.Description, out *analysis.PairOptions) error {
	why := whyNoSWaS(d)
	if o.Variants == nil {
		out.Baseline, out.SWaS = true, why == ""
		return nil
	}
	if len(o.Variants) == 0 {
		return &OptionError{Option: "Variants", Msg: "no name, expected " + gpu.Baseline + " or " + gpu.SWaS}
	}
	for _, v := range o.Variants {
		switch strings.ToLower(v) {
		case gpu.Baseline:
			out.Baseline = true
		case gpu.SWaS:
			if why != "" {
				return &OptionError{Option: "Variants", Value: v, Msg: why}
			}
			out.SWaS = true
		default:
			return oneOf("Variants", v, gpu.Baseline, gpu.SWaS)
		}
	}
	return nil
}

// PolicyPairs names the pairs that AllPairs stands for.
func PolicyPairs() []string {
	var out []string
	for _, p := range analysis.Pairs() {
		out = append(out, p.Fetch+"-"+p.Issue)
	}
	return out
}
