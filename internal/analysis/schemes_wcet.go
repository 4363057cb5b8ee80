package analysis

import (
	"context"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/method/segment"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// SchemeWCET is the predicted worst-case time of the scheme reorder
// (Huangfu2017, Fig. 16) beside its simulated cycles.
type SchemeWCET struct {
	SimulatedCycles int64
	// UnknownCycles is the published figure by eq. 1 to 3, which knows no hits and
	// misses, EstimatedCycles that by eq. 4 with the estimated miss rate. They are
	// for strict turns, and only estimates here.
	UnknownCycles, EstimatedCycles int64
	// NoFigure says why there are no figures.
	NoFigure string
	// Bound is the smallest safe bound that knows hits and misses (method.InOrder), nil
	// where there is none; NoBound then says why. Claimed says that the simulation
	// admits blocks as the bound takes them.
	Bound   *bound.Bound
	NoBound string
	Claimed bool
}

// Violation says that the bound is below the simulation that it claims to cover.
func (w *SchemeWCET) Violation() bool {
	return w.Bound != nil && w.Claimed && w.Bound.Cycles < w.SimulatedCycles
}

// Overestimation is a number of cycles over the simulated ones, less 1.
func (w *SchemeWCET) Overestimation(cycles int64) float64 {
	return float64(cycles)/float64(max(w.SimulatedCycles, 1)) - 1
}

// wcet computes the figures for a run of the scheme reorder under a policy.
func wcet(ctx context.Context, launch method.Source, m *gpu.Machine, opt CacheOptions, policy policy.Policy, run *CacheRun) (*SchemeWCET, error) {
	w := &SchemeWCET{SimulatedCycles: run.Cycles, Claimed: opt.Batches && run.Model == sim.Abstract}
	figures, err := Run(ctx, launch, m, method.Question{Policy: policy.String(), Reordered: true, BlocksPerSM: opt.BlocksPerSM, Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	whole := figures.Whole()
	if unknown, estimate := whole.Bound(segment.Method), whole.Bound(segment.EstimateMethod); unknown != nil {
		w.UnknownCycles, w.EstimatedCycles = unknown.Cycles, unknown.Cycles
		if estimate != nil {
			w.EstimatedCycles = estimate.Cycles
		}
	} else {
		w.NoFigure = figures.whyNone(whole, segment.Method)
	}
	bounds, err := Run(ctx, launch, m, method.Question{Reordered: true, BlocksPerSM: opt.BlocksPerSM, Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	if w.Bound = bounds.Best; w.Bound == nil {
		w.NoBound = bounds.whyNone(bounds.Whole(), ordered.Method)
	}
	return w, nil
}

// WCETSummary is the mean over the launches with one cache.
type WCETSummary struct {
	Config cache.Config
	// Figures are launches with published figures: the means of their
	// overestimations, and how many were below the simulation.
	Figures                      int
	Unknown, Estimated           float64
	UnknownBelow, EstimatedBelow int
	// Bounds are launches with a safe bound that knows hits and misses, the mean of
	// its overestimation, how many were below the simulation, and of these the
	// violations.
	Bounds                 int
	Bound                  float64
	BoundBelow, Violations int
}

// SummarizeWCET sums up rows by configuration, in order of first appearance.
func SummarizeWCET(rows []SchemeRow) []WCETSummary {
	index := map[cache.Config]int{}
	var out []WCETSummary
	for i := range rows {
		w := rows[i].WCET
		if w == nil {
			continue
		}
		at, ok := index[rows[i].Config]
		if !ok {
			at = len(out)
			index[rows[i].Config] = at
			out = append(out, WCETSummary{Config: rows[i].Config})
		}
		out[at].add(w)
	}
	for i := range out {
		s := &out[i]
		s.Unknown /= float64(max(s.Figures, 1))
		s.Estimated /= float64(max(s.Figures, 1))
		s.Bound /= float64(max(s.Bounds, 1))
	}
	return out
}

func (s *WCETSummary) add(w *SchemeWCET) {
	below := func(n *int, cycles int64) {
		if cycles < w.SimulatedCycles {
			*n++
		}
	}
	if w.NoFigure == "" {
		s.Figures++
		s.Unknown += w.Overestimation(w.UnknownCycles)
		s.Estimated += w.Overestimation(w.EstimatedCycles)
		below(&s.UnknownBelow, w.UnknownCycles)
		below(&s.EstimatedBelow, w.EstimatedCycles)
	}
	if w.Bound != nil {
		s.Bounds++
		s.Bound += w.Overestimation(w.Bound.Cycles)
		below(&s.BoundBelow, w.Bound.Cycles)
	}
	if w.Violation() {
		s.Violations++
	}
}
