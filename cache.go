package warpbound

import (
	"context"
	"errors"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/report"
)

// CacheOptions choose what Cache counts. The zero value is the L1 data cache of
// [DefaultCacheGPU].
type CacheOptions struct {
	GPU *gpu.Machine // nil for DefaultCacheGPU
	// Shapes are caches of an SM, counted in one pass; nil for that of the GPU.
	Shapes      []CacheShape
	BlocksPerSM int // resident on an SM, 0 for as many as fit
	// Batches says that an SM gets new blocks when all its blocks have ended.
	Batches bool
	// Simulate also simulates every shape in the enforced and in the dynamic order,
	// under Policy ("" for the description's) and with Model (as in CompareOptions).
	Simulate      bool
	Policy, Model string
	// MaxInstructions ends an execution of the kernel with ErrInstructionLimit; 0 for
	// no limit.
	MaxInstructions int64
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// CacheReport is what hits and misses in the L1 data caches of a launch.
type CacheReport struct {
	GPU *gpu.Machine
	// Exact says that under the enforced order hits and misses are those estimated,
	// one by one. Otherwise they are those of blocks admitted in batches.
	Exact  bool
	Caches []CacheCount // in the order of CacheOptions.Shapes

	path  string
	whole *analysis.CacheReport
}

// Report is the count as the command cache prints it. With instructions its text and
// values are of every instruction.
func (r *CacheReport) Report(instructions bool) (*Report, error) {
	_, d, err := r.forms(instructions)
	if err != nil {
		return nil, err
	}
	return &Report{d}, nil
}

// forms are the JSON form of the count, and all its forms.
func (r *CacheReport) forms(instructions bool) (*report.CacheDocument, *report.Document, error) {
	d, err := report.Cache(r.path, r.whole)
	if err != nil {
		return nil, nil, err
	}
	return d, d.Document(r.GPU.Desc, instructions), nil
}

// CacheCount is what hits and misses in one cache.
type CacheCount struct {
	Shape CacheShape
	// Loads and Stores are in the order that a reordering unit enforces.
	Loads, Stores CacheTally
	// LeastMisses and MostMisses bound the misses of loads and stores together in
	// every order of the accesses.
	LeastMisses, MostMisses int64
	// Reordered and Dynamic are simulations, nil unless asked for.
	Reordered, Dynamic *CacheRun
}

// CacheTally counts segments: what reaches the tags.
type CacheTally struct{ Accesses, Hits int64 }

// Misses are the accesses that do not hit.
func (t CacheTally) Misses() int64 { return t.Accesses - t.Hits }

// MissRate is the misses over the accesses, 0 where there are none.
func (t CacheTally) MissRate() float64 {
	if t.Accesses == 0 {
		return 0
	}
	return float64(t.Misses()) / float64(t.Accesses)
}

// CacheRun is what a simulation counted.
type CacheRun struct {
	Policy, Model string
	Cycles        int64
	Loads, Stores CacheTally
	HitsReserved  int64 // of the hits, those on sectors that were on their way
}

// Cache counts what hits and misses in the L1 data caches, in the order that a
// reordering unit enforces, and bounds the misses in every order. A launch whose
// accesses depend on unknown data is refused with a [RefusalError]. Where a simulation
// contradicts what is claimed, the CacheReport comes with a [ViolationError].
func (l *Launch) Cache(ctx context.Context, opt CacheOptions) (*CacheReport, error) {
	on, m, err := l.on(opt.GPU, DefaultCacheGPU)
	if err != nil {
		return nil, err
	}
	tell := newTeller("caches", l.Program(), opt.Progress)
	o, err := opt.options(m, tell)
	if err != nil {
		return nil, err
	}
	r, err := analysis.RunCaches(ctx, source(on), m, o)
	if err != nil {
		return nil, explainOf(on, err)
	}
	return newCacheReport(on.File.Path, m, r), errors.Join(wrongCache(on.Program().Name, r.Wrong()), exit(on))
}

// wrongCache is the error of a count that a simulation contradicts.
func wrongCache(kernel string, wrong bool) error {
	if !wrong {
		return nil
	}
	return &ViolationError{text: kernel + ": the simulation hits and misses otherwise than was claimed of it"}
}

func newCacheReport(path string, m *gpu.Machine, r *analysis.CacheReport) *CacheReport {
	out := &CacheReport{GPU: m, Exact: r.Exact(), path: path, whole: r}
	for i := range r.Caches {
		c := &r.Caches[i]
		out.Caches = append(out.Caches, CacheCount{
			Shape: shapeOf(&c.Config),
			Loads: cacheTally(c.Estimated.Total.Loads), Stores: cacheTally(c.Estimated.Total.Stores),
			LeastMisses: c.AnyOrder.LeastMisses, MostMisses: c.AnyOrder.MostMisses,
			Reordered: cacheRun(c.Reordered), Dynamic: cacheRun(c.Dynamic),
		})
	}
	return out
}

func cacheTally(t cache.Tally) CacheTally { return CacheTally{Accesses: t.Accesses, Hits: t.Hits} }

func cacheRun(r *analysis.CacheRun) *CacheRun {
	if r == nil {
		return nil
	}
	return &CacheRun{
		Policy: r.Policy, Model: r.Model, Cycles: r.Cycles, HitsReserved: r.HitsReserved,
		Loads: cacheTally(r.Counts.Loads), Stores: cacheTally(r.Counts.Stores),
	}
}

// options checks the options.
func (o *CacheOptions) options(m *gpu.Machine, tell *teller) (analysis.CacheOptions, error) {
	out := analysis.CacheOptions{BlocksPerSM: o.BlocksPerSM, Batches: o.Batches, Simulate: o.Simulate, Progress: tell.done}
	if err := atLeast("BlocksPerSM", int64(o.BlocksPerSM), 0); err != nil {
		return out, err
	}
	var err error
	if out.Limits, err = tell.limits(o.MaxInstructions); err != nil {
		return out, err
	}
	if o.Progress != nil {
		out.Simulated = tell.simulated
	}
	switch {
	case o.Policy != "" && !o.Simulate:
		return out, &OptionError{Option: "Policy", Value: o.Policy, With: "Simulate", Other: "false", Msg: "expected simulations that it is of"}
	case o.Model != "" && !o.Simulate:
		return out, &OptionError{Option: "Model", Value: o.Model, With: "Simulate", Other: "false", Msg: "expected simulations that it is of"}
	}
	if why := noCaches(L1Reorder, m.Desc); o.Simulate && why != "" {
		return out, &OptionError{Option: "Simulate", Msg: why}
	}
	if out.Policy, err = parsePolicy("Policy", o.Policy); err != nil {
		return out, err
	}
	if out.Model, err = plainModel(o.Model, m.Desc); err != nil {
		return out, err
	}
	out.Configs, err = configs(o.Shapes, m.Desc)
	return out, err
}

// plainModel is the model of simulations whose policies are those of a machine
// without a front end.
func plainModel(model string, d *gpu.Description) (string, error) {
	switch {
	case model == "" && d.Model == ModelFrontend:
		return ModelAbstract, nil
	case model == "":
		return "", nil
	case model == ModelFrontend:
		return "", &OptionError{Option: "Model", Value: model, Msg: "expected abstract or pipeline; the policies of a front end are compared in pairs"}
	}
	return model, oneOf("Model", model, ModelAbstract, ModelPipeline)
}
