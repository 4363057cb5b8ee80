package kernels

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"

	"github.com/warpbound/warpbound/analysis"
	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/ptx"
	"github.com/warpbound/warpbound/sim"
	"github.com/warpbound/warpbound/simt"
	"github.com/warpbound/warpbound/simt/ptxexec"
)

// Case is one drawn kernel, launch and machine.
type Case struct {
	Seed     uint64
	PTX      string
	Grid     int
	Block    int
	Base     string   // preset
	Set      []string // overrides
	Policies []string
	Order    string // dispatch order where queues serve in any order
	Shorten  bool
}

// Violation is a safe bound below a simulation it claims to cover.
type Violation struct {
	Case            Case        `json:"case"`
	Method          string      `json:"method"`
	Scope           bound.Scope `json:"scope"`
	Policy          string      `json:"policy"`
	BoundCycles     int64       `json:"bound_cycles"`
	SimulatedCycles int64       `json:"simulated_cycles"`
}

func (v *Violation) String() string {
	return fmt.Sprintf("%s bound of the %s: %d cycles, simulated %d under %s\ncase %d: --gpu %s%s, grid %d, block %d, dispatch %q, shortened %v\n%s",
		v.Method, v.Scope, v.BoundCycles, v.SimulatedCycles, v.Policy,
		v.Case.Seed, v.Case.Base, setFlags(v.Case.Set), v.Case.Grid, v.Case.Block, v.Case.Order, v.Case.Shorten, v.Case.PTX)
}

func setFlags(set []string) string {
	if len(set) == 0 {
		return ""
	}
	return " --set " + strings.Join(set, " --set ")
}

// Draw makes the case of a seed.
func Draw(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0x6b65726e656c73))
	c := Case{Seed: seed, PTX: Generate(rng, 10+rng.IntN(60))}
	c.Grid = 1 + rng.IntN(5)
	c.Block = []int{20, 32, 64, 96, 128}[rng.IntN(5)]
	c.Base = []string{"ecrts2025-5", "ecrts2025-10", "ecrts2025-25", "ecrts2025-50"}[rng.IntN(4)]
	set := func(format string, args ...any) { c.Set = append(c.Set, fmt.Sprintf(format, args...)) }
	kind := []string{"unbounded", "unbounded", "slots", "none", "pooled"}[rng.IntN(5)]
	set("queue.kind=%s", kind)
	if kind == "slots" || kind == "pooled" {
		set("queue.slots=%d", 1+rng.IntN(4))
	}
	if rng.IntN(3) == 0 {
		set("queue.order=any")
		c.Order = []string{"oldest", "newest", "random", "starve"}[rng.IntN(4)]
		if rng.IntN(3) == 0 {
			set("queue.keeps_warp_order=false")
		}
	}
	if rng.IntN(3) == 0 {
		set("barrier.draining=true")
	}
	if rng.IntN(3) == 0 {
		set("barrier.delay_cycles=%d", 1+rng.IntN(9))
	}
	if rng.IntN(3) == 0 {
		set("block_dispatch.start_delay_cycles=%d", 1+rng.IntN(20))
	}
	set("sm.count=%d", 1+rng.IntN(3))
	set("sm.max_blocks=%d", 1+rng.IntN(3))
	if rng.IntN(4) == 0 {
		set("sm.schedulers=2")
		if rng.IntN(2) == 0 {
			set("units.LSU.shared=true")
			set("units.MEM.shared=true")
		}
		if rng.IntN(4) == 0 {
			set("units.INT.count=2")
		}
	}
	if rng.IntN(4) == 0 {
		set("issue.interlock_waw=false")
	}
	c.Policies = []string{"lrr", "gto", "oldest", fmt.Sprintf("random:%d", seed), fmt.Sprintf("starve:%d", rng.IntN(4)), "ahead", "behind", "two-level:2"}
	rng.Shuffle(len(c.Policies), func(i, j int) { c.Policies[i], c.Policies[j] = c.Policies[j], c.Policies[i] })
	c.Policies = c.Policies[:3]
	c.Shorten = rng.IntN(2) == 0
	return c
}

// Run executes, analyses and simulates the case. It returns the violations
// found and the number of comparisons made. Methods nil means all.
func (c *Case) Run(ctx context.Context, treatAsSafe string) ([]Violation, int, error) {
	file, err := ptx.Parse("case.ptx", []byte(c.PTX))
	if err != nil {
		return nil, 0, err
	}
	if err := ptx.Check(file); err != nil {
		return nil, 0, err
	}
	program, err := ptxexec.Lower(file, "k")
	if err != nil {
		return nil, 0, err
	}
	d, err := gpu.Open(c.Base, c.Set)
	if err != nil {
		return nil, 0, err
	}
	m, err := d.Machine()
	if err != nil {
		return nil, 0, err
	}
	kernel := func(taint bool) (*ptxexec.Kernel, error) { return c.kernel(program, taint) }
	k, err := kernel(true)
	if err != nil {
		return nil, 0, err
	}
	r, err := analysis.Run(ctx, k, m, analysis.Options{})
	if err != nil {
		return nil, 0, err
	}
	var out []Violation
	compared := 0
	for _, name := range c.Policies {
		policy, err := sim.ParsePolicy(name)
		if err != nil {
			return nil, 0, err
		}
		for _, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
			cycles, err := c.simulate(ctx, r, m, policy, scope, kernel)
			if err != nil {
				return nil, 0, fmt.Errorf("%s, scope %s: %w", name, scope, err)
			}
			res := r.Scope(scope)
			if scope == bound.Kernel && res == nil {
				res = r.Scope(bound.SM)
			}
			for _, b := range res.Bounds {
				if !b.Safe && b.Method != treatAsSafe {
					continue
				}
				compared++
				if b.Cycles < cycles {
					out = append(out, Violation{Case: *c, Method: b.Method, Scope: scope, Policy: name, BoundCycles: b.Cycles, SimulatedCycles: cycles})
				}
			}
		}
	}
	return out, compared, nil
}

// kernel makes the launch: an input of pseudo-random words that no branch and no
// address depends on, and an output.
func (c *Case) kernel(p *ptxexec.Program, taint bool) (*ptxexec.Kernel, error) {
	in := make([]byte, 4*elements)
	for i := range in {
		in[i] = byte(i * 37)
	}
	return ptxexec.NewKernel(p, ptxexec.Launch{
		Grid: [3]int{c.Grid, 1, 1}, Block: [3]int{c.Block, 1, 1}, Options: ptxexec.Options{Taint: taint},
		Args: []ptxexec.Arg{
			{Name: "in", Buffer: &ptxexec.Buffer{Contents: in, ElementBytes: 4}},
			{Name: "out", Buffer: &ptxexec.Buffer{Contents: make([]byte, 4*elements), ElementBytes: 4}},
			{Name: "n", Bytes: []byte{16, 0, 0, 0}},
		},
	})
}

// simulate measures a scope: the longest warp or block alone, or the launch.
func (c *Case) simulate(ctx context.Context, r *analysis.Report, m *gpu.Machine, policy sim.Policy, scope bound.Scope, kernel func(bool) (*ptxexec.Kernel, error)) (int64, error) {
	cfg := sim.Config{
		Machine: m, Model: sim.Abstract, Policy: policy, BlocksPerSM: int(r.Occupancy.Blocks), Checks: true,
		DispatchOrder: sim.DispatchOrder{Name: c.Order, Seed: c.Seed},
	}
	if c.Shorten {
		cfg.Shorten = shortener(c.Seed)
	}
	if scope == bound.Kernel {
		k, err := kernel(false)
		if err != nil {
			return 0, err
		}
		return cycles(sim.Run(ctx, cfg, k, r.Timing))
	}
	var longest int64
	for _, class := range r.Path.Classes {
		cfg.Blocks = []int64{class.First}
		warps := class.Warps[:1]
		if scope == bound.Warp {
			warps = class.Warps
		}
		for _, wc := range warps {
			k, err := kernel(false)
			if err != nil {
				return 0, err
			}
			var run simt.Kernel = k
			if scope == bound.Warp {
				run = simt.Solo(k, wc.IDs[0])
			}
			n, err := cycles(sim.Run(ctx, cfg, run, r.Timing))
			if err != nil {
				return 0, err
			}
			longest = max(longest, n)
		}
	}
	return longest, nil
}

func cycles(r *sim.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.Cycles, nil
}

// shortener shortens about a third of all instructions, each execution anew.
func shortener(seed uint64) func(sim.Shortening) (int64, int64) {
	return func(s sim.Shortening) (int64, int64) {
		h := seed ^ uint64(s.Block)<<48 ^ uint64(s.Warp)<<40 ^ uint64(s.Index)
		h = (h ^ h>>31) * 0x9e3779b97f4a7c15
		h ^= h >> 29
		init, lat := s.InitiationCycles, s.LatencyCycles
		if h%3 == 0 {
			init = 1 + int64(h>>8)&0xff%init
			lat = int64(h>>20) & 0xffff % (lat + 1)
		}
		return init, lat
	}
}

// Config says how much to try.
type Config struct {
	Seed    uint64 // of the first case; case i has seed Seed+i
	Cases   int
	Workers int // 0 means one per processor
	// StopAfter ends the search once so many violations are found; 0 means 1.
	StopAfter int
	// Plant names an unsafe method to treat as safe: the search must find it out.
	Plant    string
	Progress func(done, total int)
}

// Summary is the outcome.
type Summary struct {
	Seed       uint64      `json:"seed"`
	Cases      int         `json:"cases"`
	Compared   int         `json:"compared"`
	Violations []Violation `json:"violations"`
}

// Run tries cases. A violation is not an error; errors are failures of the
// search itself and cancellation. The outcome does not depend on Workers, but
// for what is tried after StopAfter violations.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	workers := cfg.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	stopAfter := max(cfg.StopAfter, 1)
	type outcome struct {
		violations []Violation
		compared   int
		err        error
	}
	sum := &Summary{Seed: cfg.Seed, Violations: []Violation{}}
	results := make([]chan outcome, workers)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for w := range workers {
		results[w] = make(chan outcome, 4)
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := w; i < cfg.Cases; i += workers {
				c := Draw(cfg.Seed + uint64(i))
				v, n, err := c.Run(ctx, cfg.Plant)
				if err != nil {
					err = fmt.Errorf("case %d: %w", c.Seed, err)
				}
				select {
				case results[w] <- outcome{v, n, err}:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	for i := range cfg.Cases {
		var o outcome
		select {
		case o = <-results[i%workers]:
		case <-ctx.Done():
			return sum, ctx.Err()
		}
		if o.err != nil {
			return sum, o.err
		}
		sum.Cases++
		sum.Compared += o.compared
		sum.Violations = append(sum.Violations, o.violations...)
		if cfg.Progress != nil {
			cfg.Progress(sum.Cases, cfg.Cases)
		}
		if len(sum.Violations) >= stopAfter {
			break
		}
	}
	return sum, nil
}
