package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/cache/static"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/enforced"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// CacheOptions choose what RunCaches computes.
type CacheOptions struct {
	// Configs are the caches of an SM, with one sector size. None means that of
	// the machine.
	Configs []cache.Config
	// BlocksPerSM are the resident blocks of an SM, 0 as many as fit.
	BlocksPerSM int
	// Batches says that an SM gets new blocks when all its blocks have ended.
	Batches bool
	Limits  simt.Limits
	// Simulate adds a simulation in dynamic and one in enforced order for every
	// configuration.
	Simulate bool
	// WCET adds SchemeRow.WCET to a comparison of schemes.
	WCET   bool
	Policy policy.Policy // of the simulations; the zero value is the description's
	Model  string        // the same
	// Progress counts configurations that are finished.
	Progress func(done, total int64)
	// Simulated, if not nil, is called from time to time with how far a
	// simulation is.
	Simulated func(sim.Progress)
}

// CacheReport is what hits and misses in the L1 data caches of a launch
// (Huangfu2017, Sections III-D to III-F).
type CacheReport struct {
	Machine  *gpu.Machine
	Program  *isa.Program
	Batches  bool
	Estimate *l1d.Estimate
	Caches   []CacheResult // in the order of CacheOptions.Configs
}

// Exact says that under the enforced order hits and misses are those of the
// estimate, one by one.
func (r *CacheReport) Exact() bool { return dealt(r.Machine, r.Estimate.Residency, r.Batches) }

// dealt says that each SM gets exactly the blocks of its batches: with batches, and
// where all blocks start at once and are dealt to the SMs in turn.
func dealt(m *gpu.Machine, r l1d.Residency, batches bool) bool {
	return batches || r.Rounds() == 1 && (r.SMs == 1 || m.Desc.Dispatch.Placement == "breadth-first")
}

// Wrong says that the simulation contradicts a claim: the exact sequence, or
// the bounds on the misses of any order.
func (r *CacheReport) Wrong() bool {
	for i := range r.Caches {
		c := &r.Caches[i]
		if c.Reordered == nil {
			continue
		}
		if r.Exact() && !c.Same {
			return true
		}
		for _, run := range []*CacheRun{c.Reordered, c.Dynamic} {
			if both := run.Counts.Both(); both.Misses() < c.AnyOrder.LeastMisses || both.Misses() > c.AnyOrder.MostMisses {
				return true
			}
		}
	}
	return false
}

// CacheResult is one configuration.
type CacheResult struct {
	Config    cache.Config
	Estimated *l1d.CacheEstimate
	AnyOrder  AnyOrder
	// Reordered and Dynamic are nil unless simulations were asked for.
	Reordered, Dynamic *CacheRun
	// Same says that the reordered simulation agrees with the estimate request
	// by request: what reached the tags, and what hit and missed.
	Same bool
}

// CacheRun is what a simulation counted.
type CacheRun struct {
	Policy, Model string
	Cycles        int64
	Counts        cache.Counts
	HitsReserved  int64 // of the hits, those on sectors on their way
}

// AnyOrder is what is known of hits and misses without an order of the accesses
// (internal/cache/static).
type AnyOrder struct {
	Loads, Stores           static.Tally
	PersistentSectors       int64 // summed over the SMs
	LeastMisses, MostMisses int64
	// LinesLeftOut says that there are more distinct lines than static.DefaultLines:
	// accesses to the lines left out are not classified, and fewer of the accesses
	// to the others are.
	LinesLeftOut bool
}

// RunCaches estimates the hits and misses of a launch in each configuration,
// bounds them for all orders of accesses, and simulates them where asked to. A
// *l1d.NotAnalysable is a launch whose accesses depend on unknown data.
func RunCaches(ctx context.Context, launch method.Source, m *gpu.Machine, opt CacheOptions) (*CacheReport, error) {
	r, timing, err := prepareCaches(launch, m, &opt)
	if err != nil {
		return nil, err
	}
	follow, err := launch.Tainted()
	if err != nil {
		return nil, err
	}
	a, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{Limits: opt.Limits})
	if err != nil {
		return nil, err
	}
	k, err := launch.Fresh()
	if err != nil {
		return nil, err
	}
	at := enforced.Residency(m, simt.NumBlocks(k.Grid()), opt.BlocksPerSM)
	sequences := make([]*sequence, len(opt.Configs))
	for i := range sequences {
		sequences[i] = newSequence(at.SMs)
	}
	known := dealt(m, at, opt.Batches)
	bounds := newAnyOrder(opt.Configs, at, simt.NumWarps(k.BlockDim(), k.WarpSize()), known, orderInWarps(m, r.Program, timing), func() (*l1d.Order, error) {
		return enforced.NewAccessOrder(ctx, a, launch, opt.Configs[0].SectorBytes, opt.Limits)
	})
	r.Estimate, err = a.Estimate(ctx, launch.Fresh, at, opt.Configs, l1d.EstimateOptions{
		Limits: opt.Limits,
		Observe: func(sm int, a *l1d.Access, results [][]cache.Result) error {
			for i, s := range sequences {
				s.estimated(sm, a, results[i])
			}
			return bounds.add(ctx, sm, a)
		},
	})
	if err != nil {
		return nil, err
	}
	if err := bounds.finish(ctx); err != nil {
		return nil, err
	}
	for i := range opt.Configs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := CacheResult{Config: opt.Configs[i], Estimated: &r.Estimate.Caches[i], AnyOrder: bounds.sums[i]}
		if opt.Simulate {
			seen := newSequence(at.SMs)
			// With one batch, a block that ends at once leaves no room for others.
			opt.Batches = known
			if err := c.simulate(ctx, a, launch, m, timing, opt, seen); err != nil {
				return nil, fmt.Errorf("%d bytes in %d ways: %w", c.Config.Bytes(), c.Config.Ways, err)
			}
			c.Same = seen.equal(sequences[i])
		}
		r.Caches = append(r.Caches, c)
		if opt.Progress != nil {
			opt.Progress(int64(i+1), int64(len(opt.Configs)))
		}
	}
	return r, nil
}

// prepareCaches fills in what the options leave open.
func prepareCaches(launch method.Source, m *gpu.Machine, opt *CacheOptions) (*CacheReport, []gpu.Timing, error) {
	k, err := launch.Fresh()
	if err != nil {
		return nil, nil, err
	}
	base, err := method.Prepare(k, m, method.Question{BlocksPerSM: opt.BlocksPerSM})
	if err != nil {
		return nil, nil, err
	}
	opt.BlocksPerSM = int(base.Occupancy.Blocks)
	if len(opt.Configs) == 0 {
		if m.Desc.L1D == nil {
			return nil, nil, fmt.Errorf("GPU %s has no table [l1d]: expected one, or configurations of caches", m.Desc.Name)
		}
		opt.Configs = []cache.Config{cache.OfL1D(m.Desc.L1D)}
	}
	return &CacheReport{Machine: m, Program: base.Program, Batches: opt.Batches}, base.Timing, nil
}

// simulate runs the launch with the configuration in both orders.
func (c *CacheResult) simulate(ctx context.Context, a *l1d.Analysis, launch method.Source, m *gpu.Machine, timing []gpu.Timing, opt CacheOptions, seen *sequence) error {
	with, err := WithL1D(m, c.Config)
	if err != nil {
		return err
	}
	model, err := sim.NamedModel(opt.Model, opt.Policy)
	if err != nil {
		return err
	}
	for _, order := range []string{sim.L1Reorder, sim.L1Dynamic} {
		cfg := sim.Config{Machine: with, Model: model, BlocksPerSM: opt.BlocksPerSM, Placement: sim.Batched(opt.Batches), Checks: true, Progress: opt.Simulated}
		cfg.Memory, err = sim.NamedMemory(order, func() (sim.AccessOrder, error) {
			return enforced.NewAccessOrder(ctx, a, launch, c.Config.SectorBytes, opt.Limits)
		}, nil)
		if err != nil {
			return err
		}
		if order == sim.L1Reorder {
			cfg.Observers = []sim.Observer{sequenceObserver{sequence: seen}}
		}
		run, err := runWithCache(ctx, cfg, launch, timing)
		if err != nil {
			return fmt.Errorf("order %s: %w", order, err)
		}
		if order == sim.L1Reorder {
			c.Reordered = run
		} else {
			c.Dynamic = run
		}
	}
	return nil
}

func runWithCache(ctx context.Context, cfg sim.Config, launch method.Source, timing []gpu.Timing) (*CacheRun, error) {
	k, err := launch.Fresh()
	if err != nil {
		return nil, err
	}
	got, err := sim.Run(ctx, cfg, k, timing)
	if err != nil {
		return nil, err
	}
	u := &got.Memory.L1D
	return &CacheRun{
		Policy: got.Policy, Model: got.Model, Cycles: got.Cycles, HitsReserved: u.HitsReserved,
		Counts: cache.Counts{
			Loads:  cache.Tally{Accesses: u.Loads, Hits: u.Loads - u.LoadMisses},
			Stores: cache.Tally{Accesses: u.Stores, Hits: u.Stores - u.StoreMisses},
		},
	}, nil
}

// WithL1D is a machine with other tags in its L1 data caches. What a store does
// there is the machine's.
func WithL1D(m *gpu.Machine, c cache.Config) (*gpu.Machine, error) {
	if !m.Desc.HasCaches() {
		return nil, fmt.Errorf("GPU %s has no tables [l1d], [l2] and [dram], expected a GPU with caches such as gtx480 or rtx3070", m.Desc.Name)
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	d, l1 := *m.Desc, *m.Desc.L1D
	if c.SectorBytes > d.L2.LineBytes {
		return nil, fmt.Errorf("sectors of %d bytes: expected at most the %d of a line of the L2", c.SectorBytes, d.L2.LineBytes)
	}
	l1.Sets, l1.Ways, l1.LineBytes, l1.SectorBytes = c.Sets, c.Ways, c.LineBytes, c.SectorBytes
	l1.Replacement, l1.Index = c.Replacement.String(), c.Index.String()
	d.L1D = &l1
	if cache.OfL1D(&l1) != c {
		return nil, errors.New("stores of the configuration are not those of the GPU")
	}
	return d.Machine()
}
