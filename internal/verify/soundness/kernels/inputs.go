package kernels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
	"github.com/warpbound/warpbound/internal/verify/soundness/inputs"
)

// InputsOutcome is what became of a case whose launch was covered.
type InputsOutcome struct {
	NotCovered string // why the launch is not covered; "" where it is
	Choices    bool   // a warp may take several paths
	Closed     bool   // a closed covering execution covers it, too
	Executions int    // that were held to what is covered
	// Wrong is an execution that is not covered, "" where there is none.
	Wrong string
}

// Inputs covers the launch of a case for every input, and holds executions with other
// contents, in orders drawn at random, to it: every warp takes a covered path.
func (c *Case) Inputs(ctx context.Context, executions int) (*InputsOutcome, error) {
	p, err := c.prepare(ctx, "")
	if err != nil {
		return nil, err
	}
	covered, err := p.cover(ctx, false)
	var not *simt.NotCovered
	switch {
	case errors.As(err, &not):
		return &InputsOutcome{NotCovered: not.What}, nil
	case err != nil:
		return nil, err
	}
	out := &InputsOutcome{}
	closed, err := p.cover(ctx, true)
	switch out.Closed = err == nil; {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.As(err, &not):
		return nil, err
	}
	for _, c := range covered.Classes {
		for _, w := range c.Warps {
			out.Choices = out.Choices || w.Warp.WholeChoice.Choices()
		}
	}
	for i := range uint64(executions) {
		rng := rand.New(rand.NewPCG(c.Seed, i))
		variant := contents{i}
		if p.Known && i > 1 {
			variant.variant += c.Seed
		}
		k, err := p.launch(variant, false, rng)
		if err != nil {
			return nil, err
		}
		took := inputs.Sections{}
		e := &claims.Executor{Timing: p.report.Timing, Memory: p.machine.Desc.Memory, Limit: maxInstructions}
		e.Observe = func(block int64, warp int, s *simt.Step) {
			took.Step(block, warp, s, p.report.Timing, &p.machine.Desc.Memory)
		}
		if _, err := e.AnyOrder(ctx, k, rng); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			continue // with these contents the kernel fails
		}
		out.Executions++
		for at, symbols := range took {
			for _, by := range []*path.Recorded{covered, closed} {
				if by == nil {
					continue // not covered in closed form
				}
				class := &by.Classes[by.Class(at.Block)]
				if !inputs.Covers(by, class, at.Warp, symbols) {
					out.Wrong = fmt.Sprintf("execution %d: warp %d of block %d takes a path that is not covered, in closed form: %v", i, at.Warp, at.Block, by == closed)
					return out, nil
				}
			}
		}
	}
	return out, nil
}

// cover covers the launch, in closed form or block by block.
func (p *prepared) cover(ctx context.Context, closed bool) (*path.Recorded, error) {
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		k, err := p.launch(contents{}, true, nil)
		if err != nil {
			return nil, nil, err
		}
		c, err := k.Coverer(simt.CoverOptions{Unknown: unknown, Closed: closed})
		return c, k, err
	}
	covered, _, err := path.Cover(ctx, launch, p.machine, p.report.Timing, path.Options{Limits: simt.Limits{MaxInstructions: maxInstructions}})
	return covered, err
}
