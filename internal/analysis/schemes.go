package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/enforced"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// Scheme is one way to issue warps and to let their accesses reach the L1 data
// cache (Huangfu2017, Section V).
type Scheme struct {
	Name   string
	Policy policy.Policy
	Order  string // sim.L1Dynamic or sim.L1Reorder
}

// Schemes lists those of Huangfu2017: dynamic scheduling, pure round-robin, and
// dynamic scheduling with a reordering unit.
func Schemes() []Scheme {
	return []Scheme{
		{Name: "default", Policy: policy.Policy{Name: "lrr"}, Order: sim.L1Dynamic},
		{Name: "srr", Policy: policy.Policy{Name: "srr"}, Order: sim.L1Dynamic},
		{Name: "reorder", Policy: policy.Policy{Name: "lrr"}, Order: sim.L1Reorder},
	}
}

// SchemeRow is one launch with one cache under each scheme.
type SchemeRow struct {
	Launch, Kernel string
	Config         cache.Config
	Blocks, Rounds int64
	Exact          bool // as CacheReport.Exact
	Estimated      cache.Counts
	Runs           []SchemeRun // in the order of the schemes
	WCET           *SchemeWCET // nil unless asked for, and without the scheme reorder
	// Refused says why the launch has no enforced order; it has then no Runs.
	Refused string
}

// SchemeRun is one simulation.
type SchemeRun struct {
	Scheme string
	CacheRun
	// Normalised are the cycles over those of the first scheme with the first cache.
	Normalised float64
	// Ratio is the estimated over the simulated miss rate, NaN where nothing missed.
	Ratio float64
}

// CompareSchemes simulates a launch under each scheme with each cache of
// opt.Configs, a row for each of them. Policy and Simulate of the options are not
// used. Without the reordering unit in the schemes there is no WCET.
func CompareSchemes(ctx context.Context, launch method.Source, m *gpu.Machine, opt CacheOptions, schemes []Scheme) ([]SchemeRow, error) {
	r, timing, err := prepareCaches(launch, m, &opt)
	if err != nil {
		return nil, err
	}
	rows := make([]SchemeRow, len(opt.Configs))
	for i := range rows {
		rows[i] = SchemeRow{Kernel: r.Program.Name, Config: opt.Configs[i]}
	}
	follow, err := launch.Tainted()
	if err != nil {
		return nil, err
	}
	a, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{Limits: opt.Limits})
	var unknown *l1d.NotAnalysable
	switch {
	case errors.As(err, &unknown):
		for i := range rows {
			rows[i].Refused = unknown.Reasons[0].String()
		}
		return rows, nil
	case err != nil:
		return nil, err
	}
	at := enforced.Residency(m, simt.NumBlocks(follow.Grid()), opt.BlocksPerSM)
	opt.Batches = dealt(m, at, opt.Batches)
	e, err := a.Estimate(ctx, launch.Fresh, at, opt.Configs, l1d.EstimateOptions{Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		row := &rows[i]
		row.Blocks, row.Rounds, row.Exact, row.Estimated = at.Blocks, at.Rounds(), opt.Batches, e.Caches[i].Total
		with, err := WithL1D(m, row.Config)
		if err != nil {
			return nil, err
		}
		for _, s := range schemes {
			cfg := sim.Config{Machine: with, BlocksPerSM: opt.BlocksPerSM, Placement: sim.Batched(opt.Batches), Checks: true, Progress: opt.Simulated}
			if cfg.Model, err = sim.NamedModel(opt.Model, s.Policy); err != nil {
				return nil, err
			}
			cfg.Memory, err = sim.NamedMemory(s.Order, func() (sim.AccessOrder, error) {
				return enforced.NewAccessOrder(ctx, a, launch, row.Config.SectorBytes, opt.Limits)
			}, nil)
			if err != nil {
				return nil, err
			}
			run, err := runWithCache(ctx, cfg, launch, timing)
			if err != nil {
				return nil, fmt.Errorf("scheme %s, %d bytes in %d ways: %w", s.Name, row.Config.Bytes(), row.Config.Ways, err)
			}
			row.Runs = append(row.Runs, SchemeRun{Scheme: s.Name, CacheRun: *run, Ratio: missRatio(row.Estimated, run.Counts)})
			first := max(rows[0].Runs[0].Cycles, 1)
			row.Runs[len(row.Runs)-1].Normalised = float64(run.Cycles) / float64(first)
			if opt.WCET && s.Order == sim.L1Reorder {
				if row.WCET, err = wcet(ctx, launch, with, opt, s.Policy, run); err != nil {
					return nil, fmt.Errorf("scheme %s, %d bytes in %d ways: %w", s.Name, row.Config.Bytes(), row.Config.Ways, err)
				}
			}
		}
		if opt.Progress != nil {
			opt.Progress(int64(i+1), int64(len(rows)))
		}
	}
	return rows, nil
}

// missRatio is the ratio of two miss rates of loads and stores, NaN where nothing
// missed in the second.
func missRatio(a, b cache.Counts) float64 {
	x, y := a.Both(), b.Both()
	if y.Misses() == 0 {
		return math.NaN()
	}
	return float64(x.Misses()) * float64(y.Accesses) / (float64(x.Accesses) * float64(y.Misses()))
}

// SchemeSummary is the mean over the launches of one scheme with one cache.
type SchemeSummary struct {
	Scheme string
	Config cache.Config
	Rows   int // launches with runs, which the means are over
	// Mean and Geometric are means of the normalised cycles; Ratio is the mean of
	// the ratios that are numbers, NaN if none is.
	Mean, Geometric, Ratio float64
	// Estimated and Simulated are the means of the miss rates.
	Estimated, Simulated float64
}

// SummarizeSchemes sums up rows by configuration and then scheme, in order of
// first appearance.
func SummarizeSchemes(rows []SchemeRow) []SchemeSummary {
	type key struct {
		config cache.Config
		scheme string
	}
	index := map[key]int{}
	var out []SchemeSummary
	var ratios []int
	for i := range rows {
		for _, run := range rows[i].Runs {
			k := key{rows[i].Config, run.Scheme}
			at, ok := index[k]
			if !ok {
				at = len(out)
				index[k] = at
				out, ratios = append(out, SchemeSummary{Scheme: run.Scheme, Config: k.config}), append(ratios, 0)
			}
			s := &out[at]
			s.Rows++
			s.Mean += run.Normalised
			s.Geometric += math.Log(run.Normalised)
			s.Estimated += missRate(rows[i].Estimated)
			s.Simulated += missRate(run.Counts)
			if !math.IsNaN(run.Ratio) {
				s.Ratio += run.Ratio
				ratios[at]++
			}
		}
	}
	for i := range out {
		s, n := &out[i], float64(out[i].Rows)
		s.Mean, s.Geometric = s.Mean/n, math.Exp(s.Geometric/n)
		s.Estimated, s.Simulated = s.Estimated/n, s.Simulated/n
		s.Ratio /= float64(ratios[i]) // 0/0 is the NaN of no ratio
	}
	return out
}

// missRate is that of loads and stores, 0 without any.
func missRate(c cache.Counts) float64 {
	t := c.Both()
	return float64(t.Misses()) / float64(max(t.Accesses, 1))
}
