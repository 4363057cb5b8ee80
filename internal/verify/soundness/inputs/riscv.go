package inputs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
)

// RunProgram executes a RISC-V program so many times, with other contents of everything that
// is not known, in other orders of warps and cores, and holds the executions to what is
// covered: of the program as it is, and within facts that hold of all of them.
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
	trips, err := newTripCounts(k.Program())
	if err != nil {
		return nil, err
	}
	seen := newFactCounts(k.Program(), trips)
	tracker, err := facts.NewTracker(k.Program(), k.WarpSize(), nil)
	if err != nil {
		return nil, err
	}
	var all []Sections
	for i := range uint64(executions) {
		rng := rand.New(rand.NewPCG(p.Seed, i+1))
		k, err := p.Kernel(img, i, rng)
		if err != nil {
			return nil, err
		}
		took, before := Sections{}, trips.begin()
		seen.begin()
		blocks := map[int64]*facts.Block{}
		e := &claims.Executor{Timing: timing, Memory: m.Desc.Memory, Limit: mostExecuted}
		e.Observe = func(block int64, warp int, s *simt.Step) {
			took.Step(block, warp, s, timing, &m.Desc.Memory)
			trips.step(block, warp, s)
			seen.step(s)
			if blocks[block] == nil {
				blocks[block] = tracker.Block(block, simt.NumWarps(k.BlockDim(), k.WarpSize()))
			}
			blocks[block].Step(warp, s)
		}
		if _, err := e.AnyOrder(ctx, k, rng); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			trips.most = before
			out.Failed++
			continue
		}
		seen.end(took)
		all = append(all, took)
	}
	if out.Wrong = agree(trips, tracker); out.Wrong != "" {
		return out, nil
	}
	if len(all) == 0 {
		out.NotCovered = "no execution ends well"
		return out, nil
	}
	// As it is, within how often threads go back to the heads of loops, and within all that
	// was seen.
	var bounds []facts.Fact
	for _, head := range slices.Sorted(maps.Keys(trips.most)) {
		bounds = append(bounds, facts.Fact{Kind: facts.PerEntry, Name: fmt.Sprintf("loop at %d", head), Head: head, Most: trips.most[head]})
	}
	for _, list := range [][]facts.Fact{nil, bounds, slices.Concat(bounds, seen.facts(p.Seed))} {
		covered, loops, err := coverProgram(ctx, p, img, m, timing, list)
		var not *simt.NotCovered
		var fault *simt.RuntimeError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &not):
			out.NotCovered = not.What
			continue
		case errors.Is(err, path.ErrUnsettled):
			out.NotCovered = "not settled"
			continue
		case errors.Is(err, simt.ErrLoopBound) && p.Warps*p.Cores > 1:
			out.NotCovered = "contradicted" // by another order of the warps, which no execution was of
			continue
		case errors.Is(err, simt.ErrLoopBound):
			out.Wrong = fmt.Sprintf("the covering execution says that facts never hold: %v: %v", err, list)
			return out, nil
		case errors.As(err, &fault):
			out.NotCovered = "goes wrong"
			continue
		case err != nil:
			return nil, err
		}
		out.NotCovered, out.Facts = "", max(out.Facts, len(list))
		for _, class := range covered.Classes {
			for _, w := range class.Warps {
				out.Choices = out.Choices || w.Warp.WholeChoice.Choices()
			}
		}
		of := out
		if list != nil {
			of = &Outcome{}
		}
		if out.Wrong = trips.within(loops); out.Wrong == "" {
			out.Wrong, err = hold(covered, all, of)
		}
		if out.Wrong != "" || err != nil {
			if list != nil {
				out.Wrong = fmt.Sprintf("within facts %v: %s", list, out.Wrong)
			}
			return out, err
		}
		out.Executions, out.Paths = max(out.Executions, of.Executions), max(out.Paths, of.Paths)
	}
	return out, nil
}

// coverProgram covers a program within facts, and says what is found of its loops.
func coverProgram(ctx context.Context, p *claims.Program, img *rv.Image, m *gpu.Machine, timing []gpu.Timing, list []facts.Fact) (*path.Recorded, map[int32]facts.Covered, error) {
	var by interface {
		CoveredLoops() map[int32]facts.Covered
	}
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		k, err := p.Within(img, list)
		if err != nil {
			return nil, nil, err
		}
		c, err := k.Coverer(simt.CoverOptions{Unknown: unknown})
		if err == nil {
			by = c.(interface {
				CoveredLoops() map[int32]facts.Covered
			})
		}
		return c, k, err
	}
	covered, _, err := path.Cover(ctx, launch, m, timing, path.Options{Limits: simt.Limits{MaxInstructions: mostCovered}, Facts: list})
	if err != nil {
		return nil, nil, err
	}
	return covered, by.CoveredLoops(), nil
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
