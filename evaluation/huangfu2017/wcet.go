package huangfu2017

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
)

// prediction is a simulation with the reordering unit beside the times predicted for
// it (Huangfu2017, Fig. 16).
type prediction struct {
	GPU, Launch string
	KB          int64
	Simulated   int64
	Unknown     int64  // the published figure by eq. 3, which knows no hits and misses
	Estimated   int64  // the published figure by eq. 4, with the miss rate
	Bound       int64  // smallest safe bound, which knows hits and misses, 0 where there is none
	OtherSMs    int64  // part of Bound in which the memory serves other SMs
	Method      string // of Bound
	Claimed     string // "yes" where the bound claims to cover the simulation
	Refused     string // why there is no figure or no bound
}

// servesOthers is the component of a bound that is due to other SMs.
const servesOthers = bound.MemoryOtherSMs

// The machines of Fig. 16: the pipeline, which no bound covers, and the model
// that the bounds are proved for.
const fermiAbstract = fermi + " model=abstract"

var predictedGPUs = []string{fermi, fermiAbstract}

// predict computes the figures and bounds of the launches on a machine.
func (b *bench) predict(gpu string, sizes []int64) ([]prediction, error) {
	m, err := b.Machine(gpu)
	if err != nil {
		return nil, err
	}
	opt := analysis.CacheOptions{WCET: true}
	for _, kb := range sizes {
		opt.Configs = append(opt.Configs, cacheConfig(m, kb, firstWays))
	}
	var schemes []analysis.Scheme
	for _, s := range analysis.Schemes() {
		if s.Name == reordered {
			schemes = append(schemes, s)
		}
	}
	launches, err := b.schemeLaunches()
	if err != nil {
		return nil, err
	}
	var out []prediction
	for _, launch := range launches {
		l, err := b.Open(launch)
		if err != nil {
			return nil, err
		}
		l.File.Grid[2] = 1
		of := method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh}
		rows, err := analysis.CompareSchemes(context.Background(), of, m, opt, schemes)
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", launch, gpu, err)
		}
		for i := range rows {
			w := rows[i].WCET
			if w == nil {
				continue
			}
			if w.Violation() {
				return nil, fmt.Errorf("%s on %s: the safe bound of %d cycles is below the %d simulated", launch, gpu, w.Bound.Cycles, w.SimulatedCycles)
			}
			row := prediction{GPU: gpu, Launch: launch, KB: sizes[i], Simulated: w.SimulatedCycles, Unknown: w.UnknownCycles, Estimated: w.EstimatedCycles, Refused: w.NoFigure}
			if w.Claimed {
				row.Claimed = "yes"
			}
			if w.Bound != nil {
				row.Bound, row.Method = w.Bound.Cycles, w.Bound.Method
				for _, c := range w.Bound.Breakdown {
					if c.ID == servesOthers {
						row.OtherSMs += c.Cycles
					}
				}
			} else {
				row.Refused = w.NoBound
			}
			out = append(out, row)
		}
	}
	return out, nil
}

// wcet measures all of Fig. 16.
func (b *bench) wcet() ([]prediction, error) {
	var out []prediction
	for _, gpu := range predictedGPUs {
		rows, err := b.predict(gpu, sizesKB)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}
