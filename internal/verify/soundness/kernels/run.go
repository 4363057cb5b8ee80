package kernels

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/volume"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/inorder"
	"github.com/warpbound/warpbound/ptx"
)

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
	c := &v.Case
	what := fmt.Sprintf("%s bound of the %s: %d cycles, simulated %d under %s", v.Method, v.Scope, v.BoundCycles, v.SimulatedCycles, v.Policy)
	if v.Method == pathMethod {
		what = "the path is said to hold for all inputs: " + v.Policy
	}
	return fmt.Sprintf("%s\ncase %d: --gpu %s%s, dispatch %q, shortened %v\nlaunch:\n%s\nkernel.ptx:\n%s",
		what, c.Seed, c.Base, setFlags(c.Set), c.Order, c.Shorten, c.launchFile(), c.PTX)
}

// launchFile is the launch file of the case, but for the contents of the input.
func (c *Case) launchFile() string {
	texture := ""
	if strings.Contains(c.PTX, ".texref") {
		layout := "array"
		if c.Seed%2 == 0 {
			layout = "linear"
		}
		texture = fmt.Sprintf("textures = [{ name = \"image\", type = \"f32\", width = %d, height = %d, layout = %q, known = %t }]\n", imageSide, imageSide, layout, c.Known)
	}
	return fmt.Sprintf(`kernel = "kernel.ptx"
grid = [%d]
block = [%d]
args = [
  { name = "in", type = "u32", count = %d, known = %t },
  { name = "out", type = "u32", count = %d },
  { name = "n", type = "u32", value = 16 },
]
%s`, c.Grid, c.Block, elements, c.Known, elements, texture)
}

func setFlags(set []string) string {
	if len(set) == 0 {
		return ""
	}
	return " --set " + strings.Join(set, " --set ")
}

// Outcome is what became of one case.
type Outcome struct {
	Violations []Violation
	Compared   int
	// Paths counts launches executed again with other contents or in another
	// order of warps, and found to take the paths analysed.
	Paths int
	// Ratio is the largest simulation over bound seen where several warps share
	// an SM, in 1/1000.
	Ratio int64
}

// prepared is a case ready to run.
type prepared struct {
	*Case
	program *ptxexec.Code
	machine *gpu.Machine
	report  *analysis.Report
}

// prepare analyses the case by every method, and by one that is to be treated as
// safe also where it is not.
func (c *Case) prepare(ctx context.Context, treatAsSafe string) (*prepared, error) {
	file, err := ptx.Parse("case.ptx", []byte(c.PTX))
	if err != nil {
		return nil, err
	}
	if err := ptx.Check(file); err != nil {
		return nil, err
	}
	p := &prepared{Case: c}
	if p.program, err = ptxexec.Lower(file, "k"); err != nil {
		return nil, err
	}
	d, err := gpu.Open(c.Base, c.Set)
	if err != nil {
		return nil, err
	}
	if p.machine, err = d.Machine(); err != nil {
		return nil, err
	}
	k, err := p.kernel(contents{}, true)
	if err != nil {
		return nil, err
	}
	opt := method.Question{Limits: simt.Limits{MaxInstructions: maxInstructions}}
	if treatAsSafe == volume.Method {
		opt.Methods = analysis.Names(method.Plain)
	}
	p.report, err = analysis.Run(ctx, analysis.Of(k), p.machine, opt)
	return p, err
}

// maxInstructions is more than any kernel drawn executes.
const maxInstructions = 4 << 20

// Run executes, analyses and simulates the case. An unsafe method named by
// treatAsSafe is held to what a safe one is.
func (c *Case) Run(ctx context.Context, treatAsSafe string) (Outcome, error) {
	var out Outcome
	p, err := c.prepare(ctx, treatAsSafe)
	if err != nil {
		return out, err
	}
	if err := p.checkPaths(ctx, &out); err != nil {
		return out, err
	}
	if c.ordered && len(p.report.InputDependent) > 0 {
		return out, nil // the simulation may take other paths, and says so
	}
	for _, name := range c.Policies {
		pick, err := policy.Parse(name)
		if err != nil {
			return out, err
		}
		for _, scope := range []bound.Scope{bound.Warp, bound.Block, bound.Kernel} {
			res := p.report.Scope(scope)
			if scope == bound.Kernel && res == nil {
				res = p.report.Scope(bound.SM)
			}
			if res == nil || pick.Name == "script" && scope == bound.Warp {
				continue // a script is for all warps of a block
			}
			cycles, err := p.simulate(ctx, pick, scope)
			if err != nil {
				return out, fmt.Errorf("%s, scope %s: %w", name, scope, err)
			}
			for _, b := range res.Bounds {
				if !b.Safe && b.Method != treatAsSafe {
					continue
				}
				out.Compared++
				if scope != bound.Warp && p.report.Warps > 1 && (treatAsSafe == "" || b.Method == treatAsSafe) {
					out.Ratio = max(out.Ratio, cycles*1000/max(b.Cycles, 1))
				}
				if b.Cycles < cycles {
					out.Violations = append(out.Violations, Violation{Case: *c, Method: b.Method, Scope: scope, Policy: name, BoundCycles: b.Cycles, SimulatedCycles: cycles})
				}
			}
		}
	}
	return out, nil
}

// contents chooses what the buffers hold that an analysis may not rely on: the
// case's own words for variant 0, others for other variants.
type contents struct{ variant uint64 }

func (v contents) fill(buffer []byte, salt uint64) {
	if v.variant == 1 {
		clear(buffer)
		return
	}
	rng := rand.New(rand.NewPCG(v.variant, salt))
	for i := range buffer {
		buffer[i] = byte(rng.Uint32())
	}
}

// kernel makes the launch: an input of pseudo-random words and an output.
func (p *prepared) kernel(v contents, taint bool) (*ptxexec.Kernel, error) {
	return p.launch(v, taint, nil)
}

// launch is kernel with what PTX leaves open decided by vary, if it is not nil.
func (p *prepared) launch(v contents, taint bool, vary *rand.Rand) (*ptxexec.Kernel, error) {
	in, out := make([]byte, 4*elements), make([]byte, 4*elements)
	for i := range in {
		in[i] = byte(i * 37)
	}
	if v.variant != 0 {
		if !p.Known {
			v.fill(in, 1)
		}
		v.fill(out, 2)
	}
	return ptxexec.NewKernel(p.program, ptxexec.LaunchConfig{
		Grid: [3]int{p.Grid, 1, 1}, Block: [3]int{p.Block, 1, 1}, Options: ptxexec.Options{Taint: taint, Vary: vary},
		Textures: p.Textures(in),
		Args: []ptxexec.Arg{
			{Name: "in", Buffer: &ptxexec.Buffer{Contents: in, ElementBytes: 4, Known: p.Known}},
			{Name: "out", Buffer: &ptxexec.Buffer{Contents: out, ElementBytes: 4}},
			{Name: "n", Bytes: []byte{16, 0, 0, 0}},
		},
	})
}

// simulate measures a scope: the longest warp or block alone, or the launch.
func (p *prepared) simulate(ctx context.Context, pick policy.Policy, scope bound.Scope) (int64, error) {
	cfg := sim.Config{
		Machine: p.machine, Model: sim.AbstractModel{Policy: pick, DispatchOrder: policy.DispatchOrder{Name: p.Order, Seed: p.Seed}}, BlocksPerSM: int(p.report.Occupancy.Blocks), Checks: true,
	}
	if p.Shorten {
		cfg.Memory = sim.FixedTimes{Shorten: shortener(p.Seed)}
	}
	if scope == bound.Kernel {
		k, err := p.kernel(contents{}, false)
		if err != nil {
			return 0, err
		}
		return cycles(sim.Run(ctx, cfg, k, p.report.Timing))
	}
	var longest int64
	for _, class := range p.report.Path.Classes {
		cfg.Blocks = []int64{class.First}
		warps := class.Warps[:1]
		if scope == bound.Warp {
			warps = class.Warps
		}
		for _, wc := range warps {
			k, err := p.kernel(contents{}, false)
			if err != nil {
				return 0, err
			}
			var run simt.Kernel = k
			if scope == bound.Warp {
				run = simt.Solo(k, wc.IDs[0])
			}
			n, err := cycles(sim.Run(ctx, cfg, run, p.report.Timing))
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
	Plant string
	// Climb is how many mutations of each case are tried, keeping those that
	// bring simulation and bound nearer to each other.
	Climb    int
	Progress func(done, total int)
}

// Summary is the outcome.
type Summary struct {
	Seed     uint64 `json:"seed"`
	Cases    int    `json:"cases"`
	Compared int    `json:"compared"`
	// Paths counts executions with other contents of buffers that are not known,
	// or in another order of warps, that took the paths analysed.
	Paths int `json:"paths"`
	// Ratio is the largest simulation over bound, in 1/1000.
	Ratio      int64       `json:"ratio_permille"`
	Violations []Violation `json:"violations"`
}

// Run tries the directed cases and those drawn. A violation is not an error;
// errors are failures of the search itself and cancellation. The outcome does
// not depend on Workers, but for what is tried after StopAfter violations.
func Run(ctx context.Context, cfg Config) (*Summary, error) {
	stopAfter := max(cfg.StopAfter, 1)
	first := directed()
	total := len(first) + cfg.Cases
	sum := &Summary{Seed: cfg.Seed, Violations: []Violation{}}
	try := func(ctx context.Context, i int) (Outcome, error) {
		var c Case
		if i < len(first) {
			c = first[i]
		} else {
			c = Draw(cfg.Seed + uint64(i-len(first)))
		}
		o, err := c.search(ctx, &cfg)
		if err != nil {
			err = fmt.Errorf("case %d: %w", c.Seed, err)
		}
		return o, err
	}
	for o, err := range inorder.Try(ctx, total, cfg.Workers, try) {
		if err != nil {
			return sum, err
		}
		sum.Cases++
		sum.Compared += o.Compared
		sum.Paths += o.Paths
		sum.Ratio = max(sum.Ratio, o.Ratio)
		sum.Violations = append(sum.Violations, o.Violations...)
		if cfg.Progress != nil {
			cfg.Progress(sum.Cases, total)
		}
		if len(sum.Violations) >= stopAfter {
			break
		}
	}
	return sum, nil
}

// Textures are those of the kernel: they hold what the input begins with.
func (c *Case) Textures(in []byte) []ptxexec.Texture {
	return []ptxexec.Texture{{Name: "image", Texels: in[:4*imageSide*imageSide], Channel: ptx.F32, Channels: 1, Known: c.Known, Width: imageSide, Height: imageSide, Linear: c.Seed%2 == 0}}
}
