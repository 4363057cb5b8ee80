package kernels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/soundness/claims"
)

// InputsOutcome is what became of a case whose launch was covered.
type InputsOutcome struct {
	NotCovered string // why the launch is not covered; "" where it is
	Choices    bool   // a warp may take several paths
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
	covered, err := p.cover(ctx)
	var not *simt.NotCovered
	switch {
	case errors.As(err, &not):
		return &InputsOutcome{NotCovered: not.What}, nil
	case err != nil:
		return nil, err
	}
	out := &InputsOutcome{}
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
		took := map[place][]path.Symbol{}
		e := &claims.Executor{Timing: p.report.Timing, Memory: p.machine.Desc.Memory, Limit: maxInstructions}
		e.Observe = func(block int64, warp int, s *simt.Step) {
			if t := &p.report.Timing[s.PC]; !t.NotIssued {
				at := place{block, warp}
				took[at] = append(took[at], path.Symbol{PC: s.PC, Transactions: path.Transactions(s, t, &p.machine.Desc.Memory)})
			}
		}
		if _, err := e.AnyOrder(ctx, k, rng); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			continue // with these contents the kernel fails
		}
		out.Executions++
		for at, symbols := range took {
			class := &covered.Classes[covered.ClassOf[at.block]]
			if !covers(covered, class, at.warp, symbols) {
				out.Wrong = fmt.Sprintf("execution %d: warp %d of block %d takes a path that is not covered", i, at.warp, at.block)
				return out, nil
			}
		}
	}
	return out, nil
}

// place is a warp of a block.
type place struct {
	block int64
	warp  int
}

// cover covers the launch.
func (p *prepared) cover(ctx context.Context) (*path.Recorded, error) {
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		k, err := p.launch(contents{}, true, nil)
		if err != nil {
			return nil, nil, err
		}
		c, err := k.Coverer(unknown)
		return c, k, err
	}
	covered, _, err := path.Cover(ctx, launch, p.machine, p.report.Timing, path.Options{Limits: simt.Limits{MaxInstructions: maxInstructions}})
	return covered, err
}

// covers says whether the path of a warp is one of those that are covered.
func covers(c *path.Recorded, class *path.BlockClass, warp int, took []path.Symbol) bool {
	for i := range class.Warps {
		for _, id := range class.Warps[i].IDs {
			if id == warp {
				m := &matcher{covered: c, took: took, memo: map[[2]int][]int{}}
				for _, end := range m.from(class.Warps[i].Warp.WholeChoice, 0) {
					if end == len(took) {
						return true
					}
				}
				return false
			}
		}
	}
	return false
}

// matcher finds where paths of an expression end in a sequence of symbols.
type matcher struct {
	covered *path.Recorded
	took    []path.Symbol
	memo    map[[2]int][]int // by expression and start
}

// from is where the paths of e end that begin at a place. An access makes at most the
// transactions that are covered.
func (m *matcher) from(e *choice.Expr, at int) []int {
	key := [2]int{e.ID(), at}
	if ends, ok := m.memo[key]; ok {
		return ends
	}
	var ends []int
	switch e.Kind() {
	case choice.Empty:
		ends = []int{at}
	case choice.Run:
		run := e.Run()
		if len(m.took)-at < len(run) {
			break
		}
		for i, s := range run {
			if got, most := m.took[at+i], m.covered.Symbols[s]; got.PC != most.PC || got.Transactions > most.Transactions {
				run = nil
				break
			}
		}
		if run != nil {
			ends = []int{at + len(run)}
		}
	case choice.Concat:
		ends = []int{at}
		for _, p := range e.Parts() {
			ends = m.all(p, ends)
		}
	case choice.One:
		for _, p := range e.Parts() {
			ends = union(ends, m.from(p, at))
		}
	case choice.Any:
		ends = m.any(e.Parts(), at)
	case choice.Repeat, choice.AtMost:
		now := []int{at}
		if e.Kind() == choice.AtMost {
			ends = now
		}
		for range e.Count() {
			if now = m.all(e.Body(), now); len(now) == 0 {
				break
			}
			if e.Kind() == choice.AtMost {
				ends = union(ends, now)
			}
		}
		if e.Kind() == choice.Repeat {
			ends = now
		}
	}
	m.memo[key] = ends
	return ends
}

// any is where selections of the parts end, in any order.
func (m *matcher) any(parts []*choice.Expr, at int) []int {
	ends := []int{at}
	for i, p := range parts {
		rest := append(append([]*choice.Expr(nil), parts[:i]...), parts[i+1:]...)
		for _, end := range m.from(p, at) {
			ends = union(ends, m.any(rest, end))
		}
	}
	return ends
}

func (m *matcher) all(e *choice.Expr, starts []int) []int {
	var out []int
	for _, at := range starts {
		out = union(out, m.from(e, at))
	}
	return out
}

// union adds places that are not there yet.
func union(a, b []int) []int {
	out := a[:len(a):len(a)]
	for _, x := range b {
		seen := false
		for _, y := range a {
			seen = seen || x == y
		}
		if !seen {
			out = append(out, x)
		}
	}
	return out
}
