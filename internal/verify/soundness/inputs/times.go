package inputs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/internal/verify/inorder"
)

// mostCycles is longer than any kernel drawn takes that ends.
const mostCycles = 1 << 24

// Times is what simulations of cases took beside their bounds for every input.
type Times struct {
	Cases, Bounded int
	Closed         int // of them, by one block and one iteration that stand for all
	Triples        int // of a case, what its memory holds, and a policy with its times
	Failed         int // simulations that the kernel ends with an error
	Violations     []string
}

func (t *Times) add(o *Times) {
	t.Cases += o.Cases
	t.Bounded += o.Bounded
	t.Closed += o.Closed
	t.Triples += o.Triples
	t.Failed += o.Failed
	t.Violations = append(t.Violations, o.Violations...)
}

// policies are those that a case is simulated under.
var policies = []string{"lrr", "gto", "oldest", "random"}

// RunTimes bounds cases drawn from consecutive seeds for every input, each block by block
// and in closed form, and simulates each with so many contents of its memory under every
// policy, with the times declared and shortened ones.
func RunTimes(ctx context.Context, seed uint64, cases, contents int) (*Times, error) {
	one := func(ctx context.Context, i int) (*Times, error) {
		c := Draw(seed + uint64(i))
		out, err := c.times(ctx, contents)
		if err != nil {
			err = fmt.Errorf("case %d: %w\n%s", c.Seed, err, c.PTX)
		}
		return out, err
	}
	sum := &Times{}
	for out, err := range inorder.Try(ctx, cases, 0, one) {
		if err != nil {
			return sum, err
		}
		sum.add(out)
	}
	return sum, nil
}

// times bounds and simulates a case.
func (c *Case) times(ctx context.Context, contents int) (*Times, error) {
	out := &Times{Cases: 1}
	program, m, err := c.lower()
	if err != nil {
		return nil, err
	}
	own := scalars{n: ownScalar}
	source := method.Source{
		Tainted: func() (simt.Tainted, error) { return c.kernel(program, 0, own, ptxexec.Options{Taint: true}) },
		Fresh:   func() (simt.Kernel, error) { return c.kernel(program, 0, own, ptxexec.Options{}) },
	}
	var bounds []*bound.Bound
	for _, closed := range []bool{false, true} {
		r, err := analysis.Run(ctx, source, m, method.Question{Closed: closed, Limits: simt.Limits{MaxInstructions: 4 * mostCovered}})
		var fault *simt.RuntimeError
		var small *gpu.FitError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &fault), errors.As(err, &small):
			return out, nil // it goes wrong with what its memory holds at first
		case err != nil:
			return nil, err
		}
		if strings.Contains(r.NotCovered, path.ErrStages.Error()) {
			out.Violations = append(out.Violations, fmt.Sprintf("case %d: %s\n%s", c.Seed, r.NotCovered, c.PTX))
		}
		if !r.AllInputs() || r.Best == nil {
			continue
		}
		if closed {
			out.Closed = 1
		}
		for i := range r.Whole().Bounds {
			if b := &r.Whole().Bounds[i]; b.Safe {
				bounds = append(bounds, b)
			}
		}
	}
	if len(bounds) == 0 {
		return out, nil
	}
	out.Bounded = 1
	return out, c.simulated(ctx, program, m, bounds, contents, out)
}

// simulated holds simulations to bounds.
func (c *Case) simulated(ctx context.Context, program *ptxexec.Code, m *gpu.Machine, bounds []*bound.Bound, contents int, out *Times) error {
	for v := range uint64(contents) {
		for i, name := range policies {
			pick, err := policy.Parse(name)
			if err != nil {
				return err
			}
			k, err := c.kernel(program, v, scalars{n: ownScalar}, ptxexec.Options{})
			if err != nil {
				return err
			}
			timing, occupancy, err := simt.Fit(k, m)
			if err != nil {
				return err
			}
			cfg := sim.Config{Machine: m, Model: sim.AbstractModel{Policy: pick}, BlocksPerSM: int(occupancy.Blocks), MaxCycles: mostCycles, Checks: true}
			if (v+uint64(i))%2 == 1 {
				cfg.Memory = sim.FixedTimes{Shorten: shorter(c.Seed ^ v<<8)}
			}
			r, err := sim.Run(ctx, cfg, k, timing)
			var fault *simt.RuntimeError
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.As(err, &fault), errors.Is(err, sim.ErrMaxCycles):
				out.Failed++
				continue
			case err != nil:
				return err
			}
			out.Triples++
			for _, b := range bounds {
				if r.Cycles > b.Cycles {
					out.Violations = append(out.Violations, fmt.Sprintf("case %d, contents %d, policy %s: %d cycles, bound %d by %s\n%s", c.Seed, v, name, r.Cycles, b.Cycles, b.Method, c.PTX))
				}
			}
		}
	}
	return nil
}

// shorter shortens about a third of all instructions, by a generator of its own.
func shorter(seed uint64) func(sim.Shortening) (int64, int64) {
	return func(s sim.Shortening) (int64, int64) {
		rng := rand.New(rand.NewPCG(seed^uint64(s.Block)<<40^uint64(s.Warp)<<32, uint64(s.Index)))
		if rng.IntN(3) > 0 {
			return s.InitiationCycles, s.LatencyCycles
		}
		return 1 + rng.Int64N(s.InitiationCycles), rng.Int64N(s.LatencyCycles + 1)
	}
}
