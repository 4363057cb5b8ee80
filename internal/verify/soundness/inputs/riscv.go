package inputs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
)

// RunProgram covers a RISC-V program and holds so many executions to what is covered: with
// other contents of everything that is not known, in other orders of warps and cores.
func RunProgram(ctx context.Context, p *claims.Program, m *gpu.Machine, executions int) (*Outcome, error) {
	out := &Outcome{}
	img, err := p.Image()
	if err != nil {
		return nil, err
	}
	k, err := p.Kernel(img, 0, nil)
	if err != nil {
		return nil, err
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		return nil, err
	}
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		k, err := p.Kernel(img, 0, nil)
		if err != nil {
			return nil, nil, err
		}
		c, err := k.Coverer(simt.CoverOptions{Unknown: unknown})
		return c, k, err
	}
	covered, _, err := path.Cover(ctx, launch, m, timing, path.Options{Limits: simt.Limits{MaxInstructions: mostCovered}})
	var not *simt.NotCovered
	var fault *simt.RuntimeError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &not):
		out.NotCovered = not.What
		return out, nil
	case errors.Is(err, path.ErrUnsettled):
		out.NotCovered = "not settled"
		return out, nil
	case errors.As(err, &fault):
		out.NotCovered = "goes wrong"
		return out, nil
	case err != nil:
		return nil, err
	}
	for _, class := range covered.Classes {
		for _, w := range class.Warps {
			out.Choices = out.Choices || w.Warp.WholeChoice.Choices()
		}
	}
	var all []Sections
	for i := range uint64(executions) {
		rng := rand.New(rand.NewPCG(p.Seed, i+1))
		k, err := p.Kernel(img, i, rng)
		if err != nil {
			return nil, err
		}
		took := Sections{}
		e := &claims.Executor{Timing: timing, Memory: m.Desc.Memory, Limit: mostExecuted}
		e.Observe = func(block int64, warp int, s *simt.Step) { took.Step(block, warp, s, timing, &m.Desc.Memory) }
		if _, err := e.AnyOrder(ctx, k, rng); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out.Failed++
			continue
		}
		all = append(all, took)
	}
	out.Wrong, err = hold(covered, all, out)
	return out, err
}

// RunPrograms is Run of RISC-V programs.
func RunPrograms(ctx context.Context, cfg Config) (*Summary, error) {
	machines, err := claims.ProgramMachines()
	if err != nil {
		return nil, err
	}
	return run(ctx, cfg, func(ctx context.Context, seed uint64, executions int) (*Outcome, Violation, error) {
		p := claims.DrawProgram(seed)
		if seed%4 > 0 {
			p = claims.DrawParting(seed)
		}
		o, err := RunProgram(ctx, &p, machines[p.Counts], executions)
		if err != nil {
			err = fmt.Errorf("program %d: %w\n%s", p.Seed, err, p.Text)
		}
		return o, Violation{Program: &p}, err
	})
}
