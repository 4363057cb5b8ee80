package warpbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
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

// CacheShape is the shape of a cache. What is 0 or "" is as the GPU has it; on a GPU
// without a data cache SizeBytes and Ways are needed, and a line has 128 bytes.
type CacheShape struct {
	SizeBytes   int64
	Ways        int
	LineBytes   int
	Replacement string // lru, fifo or plru
	Index       string // linear or fermi-hash
}

// CacheReport is what hits and misses in the L1 data caches of a launch.
type CacheReport struct {
	GPU *gpu.Machine
	// Exact says that under the enforced order hits and misses are those estimated,
	// one by one. Otherwise they are those of blocks admitted in batches.
	Exact  bool
	Caches []CacheCount // in the order of CacheOptions.Shapes
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
	return newCacheReport(m, r), errors.Join(wrongCache(on.Program().Name, r.Wrong()), exit(on))
}

// wrongCache is the error of a count that a simulation contradicts.
func wrongCache(kernel string, wrong bool) error {
	if !wrong {
		return nil
	}
	return &ViolationError{text: kernel + ": the simulation hits and misses otherwise than was claimed of it"}
}

func newCacheReport(m *gpu.Machine, r *analysis.CacheReport) *CacheReport {
	out := &CacheReport{GPU: m, Exact: r.Exact()}
	for i := range r.Caches {
		c := &r.Caches[i]
		out.Caches = append(out.Caches, CacheCount{
			Shape: CacheShape{
				SizeBytes: int64(c.Config.Bytes()), Ways: c.Config.Ways, LineBytes: c.Config.LineBytes,
				Replacement: c.Config.Replacement.String(), Index: c.Config.Index.String(),
			},
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
	if o.BlocksPerSM < 0 {
		return out, fmt.Errorf("BlocksPerSM %d: expected 0 or more", o.BlocksPerSM)
	}
	var err error
	if out.Limits, err = tell.limits(o.MaxInstructions); err != nil {
		return out, err
	}
	if o.Progress != nil {
		out.Simulated = tell.simulated
	}
	switch {
	case o.Simulate:
		if err := checkL1Order(L1Reorder, m.Desc); err != nil {
			return out, err
		}
	case o.Policy != "" || o.Model != "":
		return out, errors.New("options Policy and Model: expected them with Simulate")
	}
	if out.Policy, err = parsePolicy("Policy", o.Policy); err != nil {
		return out, err
	}
	if out.Model, err = plainModel(o.Model, m.Desc); err != nil {
		return out, err
	}
	shapes := o.Shapes
	if shapes == nil {
		shapes = []CacheShape{{}}
	}
	for i := range shapes {
		c, err := shapes[i].config(m.Desc)
		if err != nil {
			return out, fmt.Errorf("option Shapes[%d]: %w", i, err)
		}
		out.Configs = append(out.Configs, c)
	}
	return out, nil
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

// maxCacheBytes keeps the arithmetic of sizes far from overflow; no cache of
// cache.MaxLines lines is larger.
const maxCacheBytes = 1 << 40

// config is the cache of a shape on a GPU.
func (s *CacheShape) config(d *gpu.Description) (cache.Config, error) {
	const line = 128 // where the GPU has no data cache
	c := cache.Config{LineBytes: line, SectorBytes: line}
	size := s.SizeBytes
	switch {
	case d.L1D != nil:
		c = cache.OfL1D(d.L1D)
		size = cmp.Or(size, int64(c.Bytes()))
	case s.SizeBytes == 0 || s.Ways == 0:
		return c, fmt.Errorf("%s has no table [l1d], expected a GPU with caches such as gtx480 or rtx3070, or SizeBytes and Ways", d.Name)
	}
	if n := s.LineBytes; n != 0 {
		if n < 4 || n > 1<<16 || bits.OnesCount(uint(n)) != 1 {
			return c, fmt.Errorf("LineBytes %d: expected a power of two from 4 to 65536", n)
		}
		if c.SectorBytes == c.LineBytes || c.SectorBytes > n {
			c.SectorBytes = n
		}
		c.LineBytes = n
	}
	c.Ways = cmp.Or(s.Ways, c.Ways)
	if c.Ways < 1 || c.Ways > cache.MaxWays || size < 1 || size > maxCacheBytes {
		return c, fmt.Errorf("%d bytes in %d ways: expected 1 to %d bytes in 1 to %d ways", size, c.Ways, int64(maxCacheBytes), cache.MaxWays)
	}
	if err := s.words(&c); err != nil {
		return c, err
	}
	set := int64(c.Ways) * int64(c.LineBytes)
	sets := size / set
	if size%set != 0 || bits.OnesCount64(uint64(sets)) != 1 {
		return c, fmt.Errorf("%d bytes in sets of %d: expected a power of two of sets", size, set)
	}
	c.Sets = int(sets)
	if s.Index == "" && c.Index != cache.Linear && c.Check() != nil {
		c.Index = cache.Linear
	}
	if err := c.Check(); err != nil {
		return c, errors.New(strings.ReplaceAll(strings.ReplaceAll(err.Error(), cache.ErrConfig.Error()+": ", ""), "\n", "; "))
	}
	return c, nil
}

// words reads the replacement and the index of a shape.
func (s *CacheShape) words(c *cache.Config) error {
	if s.Replacement != "" {
		if err := oneOf("Replacement", s.Replacement, cache.LRU.String(), cache.FIFO.String(), cache.PLRU.String()); err != nil {
			return err
		}
		for _, r := range []cache.Replacement{cache.LRU, cache.FIFO, cache.PLRU} {
			if r.String() == s.Replacement {
				c.Replacement = r
			}
		}
	}
	if s.Index != "" {
		if err := oneOf("Index", s.Index, cache.Linear.String(), cache.FermiHash.String()); err != nil {
			return err
		}
		c.Index = cache.Linear
		if s.Index == cache.FermiHash.String() {
			c.Index = cache.FermiHash
		}
	}
	return nil
}
