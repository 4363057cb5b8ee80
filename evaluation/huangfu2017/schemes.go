package huangfu2017

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
)

// cached is a simulation of a launch with caches under a scheme of Huangfu2017.
type cached struct {
	GPU, Launch string
	Layers      int64 // how often the grid is launched over, along z
	KB, Ways    int64 // of the L1 data cache
	Scheme      string

	Blocks, Rounds                       int64 // batches of blocks of the busiest SM: with one, the order is known
	Cycles, SMs, Schedulers              int64 // SMs that could get a block; schedulers of one
	ResidentWarpCycles                   int64 // summed over the SMs
	WarpInstructions, ThreadInstructions int64
	Accesses                             int64 // warp instructions that reached the L1 data caches

	// Scheduler cycles by how they were used. They add up to Cycles x SMs x
	// Schedulers.
	Issued, Withheld, Memory, Turn, Full, Idle, Other int64

	Requests, Misses                   int64
	EstimatedRequests, EstimatedMisses int64
}

// warps is the mean number of resident warps of an SM.
func (r *cached) warps() float64 { return float64(r.ResidentWarpCycles) / float64(r.Cycles*r.SMs) }

// share is a number of scheduler cycles over all of them.
func (r *cached) share(cycles int64) float64 {
	return float64(cycles) / float64(r.Cycles*r.SMs*r.Schedulers)
}

// ratio is the estimated over the simulated miss rate, 0 where nothing missed.
func (r *cached) ratio() float64 {
	if r.Misses == 0 || r.EstimatedRequests == 0 {
		return 0
	}
	return float64(r.EstimatedMisses) * float64(r.Requests) / (float64(r.EstimatedRequests) * float64(r.Misses))
}

// The machines of the comparison of schemes: that of Huangfu2017, Table 2, and
// the same with all blocks on one SM.
const (
	fermi    = "gtx480"
	fermiOne = "gtx480 sm.count=1"
)

// The caches of Huangfu2017, Table 2.
var (
	sizesKB  = []int64{16, 32, 64}
	someWays = []int64{4, 8, 16}
)

const (
	firstKB   = 16 // of Fig. 12 and 14
	firstWays = 4
)

// The schemes, the first of which the others are normalised to.
const (
	dynamic   = "default"
	strict    = "srr"
	reordered = "reorder"
)

var allSchemes = []string{dynamic, strict, reordered}

// shape is an experiment with one launch.
type shape struct {
	gpu      string
	layers   int64
	kb, ways int64
	schemes  []string
}

// layerCounts are how often grids are launched over, so that more blocks share an
// SM; midLayers is as often as there are SMs, and mostLayers fills them.
var layerCounts = []int64{1, 4, midLayers, mostLayers}

const (
	midLayers  = 15
	mostLayers = 60
)

// factors are all on one SM, where the schemes differ and simulations are short.
// An SM's share of the memory is a fifteenth of its bandwidth, and one of its
// twelve slices of the L2.
var factors = []kit.Factor{
	{Name: "one SM", GPU: fermiOne},
	{Name: "its share of the memory only", GPU: fermiOne + " l2.slices=1 dram.channels=1 dram.bytes_per_kilocycle=2816"},
	{Name: "L2 of 256 kB, as in the paper", GPU: fermiOne + " l2.slices=8 l2.sets=32"},
	{Name: "DRAM latency 20 instead of 132", GPU: fermiOne + " dram.latency_cycles=20"},
	{Name: "DRAM latency 400", GPU: fermiOne + " dram.latency_cycles=400"},
	{Name: "channels of one entry", GPU: fermiOne + " ldst_path.channel_entries=1"},
	{Name: "one scheduler instead of two", GPU: fermiOne + " sm.schedulers=1"},
	{Name: "abstract model", GPU: fermiOne + " model=abstract"},
}

// schemeShapes are the experiments of the figures: each grid as it is, with all
// caches, and launched over.
func schemeShapes() []shape {
	var out []shape
	for _, kb := range sizesKB {
		for _, w := range someWays {
			s := shape{gpu: fermi, layers: 1, kb: kb, ways: w, schemes: allSchemes}
			if w != firstWays {
				s.schemes = []string{reordered}
			}
			out = append(out, s)
		}
	}
	for _, n := range layerCounts[1:] {
		for _, kb := range sizesKB {
			if kb == firstKB || n == midLayers {
				out = append(out, shape{gpu: fermi, layers: n, kb: kb, ways: firstWays, schemes: allSchemes})
			}
		}
	}
	return out
}

func factorShapes() []shape {
	var out []shape
	for _, f := range factors {
		out = append(out, shape{gpu: f.GPU, layers: 1, kb: firstKB, ways: firstWays, schemes: allSchemes})
	}
	return out
}

// schemes simulates the launches in each shape.
func (b *bench) schemes(shapes []shape) ([]cached, error) {
	launches, err := b.schemeLaunches()
	if err != nil {
		return nil, err
	}
	var out []cached
	for _, s := range shapes {
		for _, launch := range launches {
			rows, err := b.schemesOf(launch, s)
			if err != nil {
				return nil, err
			}
			out = append(out, rows...)
		}
	}
	return out, nil
}

// schemeLaunches are the Rodinia-like launches but for the variants with one block
// or one warp.
func (b *bench) schemeLaunches() ([]string, error) {
	files, err := b.Files("rodinia/*/*.toml")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(files, func(f string) bool {
		return strings.HasSuffix(f, "-1block.toml") || strings.HasSuffix(f, "-1warp.toml")
	}), nil
}

// cacheConfig is the L1 data cache of a machine with another size and number of
// ways; its index is linear where the machine's is not known for the sets.
func cacheConfig(m *gpu.Machine, kb, ways int64) cache.Config {
	c := cache.OfL1D(m.Desc.L1D)
	c.Ways, c.Sets = int(ways), int(kb<<10/(ways*int64(c.LineBytes)))
	if c.Index != cache.Linear && c.Check() != nil {
		c.Index = cache.Linear
	}
	return c
}

// schemesOf simulates a launch in a shape under its schemes; no row and no error
// where the accesses depend on unknown data.
func (b *bench) schemesOf(launch string, s shape) ([]cached, error) {
	rows, err := b.simulateSchemes(launch, s)
	var unknown *l1d.NotAnalysable
	if errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", launch, s.gpu, err)
	}
	return rows, nil
}

func (b *bench) simulateSchemes(launch string, s shape) ([]cached, error) {
	ctx := context.Background()
	base, err := b.Machine(s.gpu)
	if err != nil {
		return nil, err
	}
	config := cacheConfig(base, s.kb, s.ways)
	m, err := analysis.WithL1D(base, config)
	if err != nil {
		return nil, err
	}
	l, err := b.Open(launch)
	if err != nil {
		return nil, err
	}
	l.File.Grid[2] = int(s.layers)
	tainted, err := l.Kernel(true)
	if err != nil {
		return nil, err
	}
	a, err := l1d.Analyse(ctx, tainted, l1d.AnalyseOptions{})
	if err != nil {
		return nil, err
	}
	timing, occupancy, err := simt.Fit(tainted, m)
	if err != nil {
		return nil, err
	}
	blocks := simt.NumBlocks(tainted.Grid())
	at := l1d.Residency{Blocks: blocks, SMs: int(min(m.Desc.SM.Count, blocks)), BlocksPerSM: int(occupancy.Blocks)}
	e, err := a.Estimate(ctx, l.Fresh, at, []cache.Config{config}, l1d.EstimateOptions{})
	if err != nil {
		return nil, err
	}
	estimated := e.Caches[0].Total.Both()
	var rows []cached
	for _, scheme := range analysis.Schemes() {
		if !slices.Contains(s.schemes, scheme.Name) {
			continue
		}
		cfg := sim.Config{Machine: m, Model: sim.OwnModel{Policy: scheme.Policy}, BlocksPerSM: at.BlocksPerSM, Placement: sim.Batched(at.Rounds() == 1), Checks: true}
		cfg.Memory, err = sim.NamedMemory(scheme.Order, func() (sim.AccessOrder, error) {
			k, err := l.Fresh()
			if err != nil {
				return nil, err
			}
			return a.NewOrder(k, l1d.Options{SegmentBytes: config.SectorBytes})
		}, nil)
		if err != nil {
			return nil, err
		}
		k, err := l.Fresh()
		if err != nil {
			return nil, err
		}
		got, err := sim.Run(ctx, cfg, k, timing)
		if err != nil {
			return nil, fmt.Errorf("scheme %s: %w", scheme.Name, err)
		}
		row := cached{
			GPU: s.gpu, Launch: launch, Layers: s.layers, KB: s.kb, Ways: s.ways, Scheme: scheme.Name, Blocks: blocks, Rounds: at.Rounds(),
			EstimatedRequests: estimated.Accesses, EstimatedMisses: estimated.Misses(),
		}
		row.count(got)
		rows = append(rows, row)
	}
	return rows, nil
}

// count fills in what a simulation measured.
func (r *cached) count(got *sim.Result) {
	r.Cycles, r.SMs, r.Schedulers = got.Cycles, int64(got.SMs), int64(got.Schedulers)
	r.ResidentWarpCycles, r.WarpInstructions, r.ThreadInstructions = got.ResidentWarpCycles, got.WarpInstructions, got.ThreadInstructions
	stalled := func(why sim.Reason) int64 { return got.Stalls[why.String()] }
	r.Issued, r.Memory, r.Turn, r.Full = got.IssueCycles, stalled(sim.MemoryRAW), stalled(sim.AwaitsTurn), stalled(sim.ChannelFull)
	r.Withheld, r.Idle = stalled(sim.Withheld), stalled(sim.Idle)
	r.Other = r.Cycles*r.SMs*r.Schedulers - r.Issued - r.Memory - r.Turn - r.Full - r.Withheld - r.Idle
	u := &got.Memory.L1D
	r.Accesses, r.Requests, r.Misses = u.Accesses, u.Loads+u.Stores, u.LoadMisses+u.StoreMisses
}
