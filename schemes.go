package warpbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/report"
)

// SchemesOptions choose what CompareSchemes simulates. The zero value is every scheme
// with the L1 data cache of [DefaultCacheGPU].
type SchemesOptions struct {
	GPU *gpu.Machine // nil for DefaultCacheGPU
	// Schemes of [Schemes], the first being what the others are normalised to; nil for
	// all.
	Schemes     []string
	Shapes      []CacheShape // caches of an SM; nil for that of the GPU
	BlocksPerSM int          // resident on an SM, 0 for as many as fit
	Batches     bool         // an SM gets new blocks when all its blocks have ended
	Model       string       // as in CompareOptions
	// WCET sets what is predicted of the time beside the scheme with a reordering unit.
	WCET bool
	// MaxInstructions ends an execution of a kernel with ErrInstructionLimit; 0 for
	// no limit.
	MaxInstructions int64
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// SchemesComparison is schemes of scheduling and of the L1 data cache beside one
// another (Huangfu2017, Section V).
type SchemesComparison struct {
	// Complete is false where an error ended the comparison: the rows are then those
	// of the launches finished before.
	Complete  bool
	Rows      []SchemeRow     // of each launch, by cache
	Summaries []SchemeSummary // by cache and scheme

	gpu     *gpu.Description
	batches bool
	rows    []analysis.SchemeRow
}

// SchemeRow is a launch with one cache under each scheme.
type SchemeRow struct {
	Launch, Kernel string
	Shape          CacheShape
	// Exact is as in CacheReport; Loads and Stores are estimated for the order that a
	// reordering unit enforces.
	Exact         bool
	Loads, Stores CacheTally
	Runs          []SchemeRun      // in the order of the schemes
	Predicted     *SchemePredicted // nil unless asked for
	// Refused says why the accesses are not known before the kernel runs, which then
	// has no Runs; "" where they are.
	Refused string
}

// SchemeRun is one simulation.
type SchemeRun struct {
	Scheme string
	CacheRun
	Normalised float64 // its cycles to those of the first scheme with the first cache
	Ratio      float64 // of the estimated miss rate to the simulated, NaN where nothing missed
}

// SchemePredicted is what is said of the time with a reordering unit without
// simulating (Huangfu2017, Fig. 16). The cycles are published figures for strict
// turns, and claim nothing here.
type SchemePredicted struct {
	SimulatedCycles int64
	UnknownCycles   int64        // by eq. 1 to 3, which know no hits and misses
	EstimatedCycles int64        // by eq. 4, with the estimated miss rate
	NoFigure        string       // why there are no such cycles, "" where there are
	Bound           *bound.Bound // the smallest safe bound that knows hits and misses, nil where there is none
	NoBound         string       // why there is none
	Claimed         bool         // the simulation fulfils the assumptions of the bound
}

// Violation says that the bound is below the simulation that it claims to cover.
func (p *SchemePredicted) Violation() bool {
	of := analysis.SchemeWCET(*p)
	return of.Violation()
}

// SchemeSummary is the means over the launches of one scheme with one cache.
type SchemeSummary struct {
	Scheme              string
	Shape               CacheShape
	Rows                int     // launches with runs
	Mean, GeometricMean float64 // of normalised cycles
	Ratio               float64 // of the ratios, NaN where there is none
	EstimatedMissRate   float64
	SimulatedMissRate   float64
}

// Schemes names the schemes of Huangfu2017: dynamic scheduling, strict round-robin,
// and dynamic scheduling with a reordering unit.
func Schemes() []string {
	var names []string
	for _, s := range analysis.Schemes() {
		names = append(names, s.Name)
	}
	return names
}

// Report is the comparison as the command compare schemes prints it.
func (c *SchemesComparison) Report() (*Report, error) {
	d, err := report.SchemesOf(c.gpu, c.rows, c.batches, c.Complete)
	if err != nil {
		return nil, err
	}
	return &Report{d.Document()}, nil
}

// CompareSchemes simulates launches with caches under schemes of scheduling and of the
// L1 data cache. What it returns where a launch fails is said at [Compare]; a launch
// whose accesses are not known has a row that says so.
func CompareSchemes(ctx context.Context, launches []*Launch, opt SchemesOptions) (*SchemesComparison, error) {
	m, err := machine(opt.GPU, DefaultCacheGPU)
	if err != nil {
		return nil, err
	}
	tell := newTeller("comparing launches", nil, opt.Progress)
	o, schemes, err := opt.options(m, tell)
	if err != nil {
		return nil, err
	}
	var exits []error
	c := &SchemesComparison{gpu: m.Desc, batches: opt.Batches}
	c.rows, err = inTurn(ctx, launches, tell, func(i int, l *Launch) ([]analysis.SchemeRow, error) {
		tell.done(int64(i), int64(len(launches)))
		on, _, err := l.on(m, DefaultCacheGPU)
		if err != nil {
			return nil, err
		}
		rows, err := analysis.CompareSchemes(ctx, source(on), m, o, schemes)
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

// fill makes the exported rows. The error is of bounds that are violated.
func (c *SchemesComparison) fill() error {
	var wrong []string
	for i := range c.rows {
		r := &c.rows[i]
		row := SchemeRow{
			Launch: r.Launch, Kernel: r.Kernel, Shape: shapeOf(&r.Config), Exact: r.Exact,
			Loads: cacheTally(r.Estimated.Loads), Stores: cacheTally(r.Estimated.Stores), Refused: r.Refused,
		}
		for j := range r.Runs {
			run := &r.Runs[j]
			row.Runs = append(row.Runs, SchemeRun{Scheme: run.Scheme, CacheRun: *cacheRun(&run.CacheRun), Normalised: run.Normalised, Ratio: run.Ratio})
		}
		if w := r.WCET; w != nil {
			p := SchemePredicted(*w)
			row.Predicted = &p
			if w.Violation() {
				wrong = append(wrong, fmt.Sprintf("%s with %d bytes in %d ways: the bound %s is %d cycles, but the simulation took %d", r.Launch, row.Shape.SizeBytes, row.Shape.Ways, w.Bound.Method, w.Bound.Cycles, w.SimulatedCycles))
			}
		}
		c.Rows = append(c.Rows, row)
	}
	for _, s := range analysis.SummarizeSchemes(c.rows) {
		c.Summaries = append(c.Summaries, SchemeSummary{
			Scheme: s.Scheme, Shape: shapeOf(&s.Config), Rows: s.Rows, Mean: s.Mean, GeometricMean: s.Geometric, Ratio: s.Ratio,
			EstimatedMissRate: s.Estimated, SimulatedMissRate: s.Simulated,
		})
	}
	if len(wrong) == 0 {
		return nil
	}
	return &ViolationError{text: strings.Join(wrong, "\n")}
}

// options checks the options.
func (o *SchemesOptions) options(m *gpu.Machine, tell *teller) (out analysis.CacheOptions, schemes []analysis.Scheme, err error) {
	out = analysis.CacheOptions{BlocksPerSM: o.BlocksPerSM, Batches: o.Batches, WCET: o.WCET}
	if out.Limits, err = tell.limits(o.MaxInstructions); err != nil {
		return out, nil, err
	}
	if o.Progress != nil {
		out.Simulated = tell.simulated
	}
	if out.Model, err = plainModel(o.Model, m.Desc); err != nil {
		return out, nil, err
	}
	if schemes, err = o.schemes(); err != nil {
		return out, nil, err
	}
	if why := noCaches(L1Reorder, m.Desc); why != "" {
		return out, nil, &OptionError{Option: "Schemes", Msg: why}
	}
	if out.Configs, err = configs(o.Shapes, m.Desc); err != nil {
		return out, nil, err
	}
	if err := atLeast("BlocksPerSM", int64(o.BlocksPerSM), 0); err != nil {
		return out, nil, err
	}
	if o.WCET && !slices.ContainsFunc(schemes, func(s analysis.Scheme) bool { return s.Order == L1Reorder }) {
		return out, nil, &OptionError{Option: "WCET", With: "Schemes", Msg: "it is for the scheme reorder, expected that among them"}
	}
	return out, schemes, nil
}

// schemes are those of the options.
func (o *SchemesOptions) schemes() ([]analysis.Scheme, error) {
	all := analysis.Schemes()
	switch {
	case o.Schemes == nil:
		return all, nil
	case len(o.Schemes) == 0:
		return nil, &OptionError{Option: "Schemes", Msg: "no name, expected some of " + conf.List(Schemes())}
	}
	var out []analysis.Scheme
	for i, name := range o.Schemes {
		at := slices.Index(Schemes(), name)
		switch {
		case at < 0:
			return nil, oneOf("Schemes", name, Schemes()...)
		case slices.Contains(o.Schemes[:i], name):
			return nil, &OptionError{Option: "Schemes", Value: name, Msg: "given twice"}
		}
		out = append(out, all[at])
	}
	return out, nil
}
