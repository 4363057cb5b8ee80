package kernels

import (
	"context"
	"slices"
)

// maxShrinkRuns bounds the work on one violation.
const maxShrinkRuns = 600

// shrink reduces a violating case while the same method fails in the same scope:
// it drops overrides, blocks, warps and statements.
func (c *Case) shrink(ctx context.Context, plant string, v Violation) (Violation, error) {
	best, runs := v, 0
	try := func(m Case) bool {
		if runs++; runs > maxShrinkRuns || ctx.Err() != nil {
			return false
		}
		if m.source != nil {
			m.PTX = m.source.text()
		}
		o, err := m.Run(ctx, plant)
		if err != nil {
			return false
		}
		for _, x := range o.Violations {
			if x.Method == v.Method && x.Scope == v.Scope {
				best = x
				return true
			}
		}
		return false
	}
	if v.Method != pathMethod {
		m := best.Case
		m.Policies = []string{v.Policy}
		try(m)
	}
	for progress := true; progress && runs < maxShrinkRuns; {
		progress = false
		for _, smaller := range best.Case.reductions() {
			if try(smaller) {
				progress = true
				break
			}
		}
	}
	return best, ctx.Err()
}

// reductions lists cases that are one step simpler, the largest steps first.
func (c *Case) reductions() []Case {
	var out []Case
	with := func(f func(*Case)) {
		m := *c
		f(&m)
		out = append(out, m)
	}
	if c.Grid > 1 {
		with(func(m *Case) { m.Grid = 1 })
		with(func(m *Case) { m.Grid-- })
	}
	if c.Block > 32 {
		with(func(m *Case) { m.Block = 32 })
		with(func(m *Case) { m.Block = (m.Block - 1) / 32 * 32 })
	}
	if c.Shorten {
		with(func(m *Case) { m.Shorten = false })
	}
	if c.source != nil {
		out = append(out, c.smallerTrees()...)
	}
	for i := range c.Set {
		with(func(m *Case) { m.Set = slices.Delete(slices.Clone(c.Set), i, i+1) })
	}
	return out
}

// smallerTrees drops each statement in turn, and puts a loop's or conditional's
// content in its place.
func (c *Case) smallerTrees() []Case {
	var out []Case
	tree := clone(c.source.body)
	for _, list := range places(&tree) {
		for i := range *list {
			kept := *list
			n := kept[i]
			instead := [][]*node{nil}
			if len(n.body) > 0 {
				instead = append(instead, n.body)
			}
			if len(n.other) > 0 {
				instead = append(instead, n.other)
			}
			for _, inside := range instead {
				*list = slices.Concat(kept[:i:i], inside, kept[i+1:])
				m := *c
				s := *c.source
				s.body = clone(tree)
				m.source = &s
				out = append(out, m)
			}
			*list = kept
		}
	}
	if !c.source.bare {
		m := *c
		s := *c.source
		s.body, s.bare = clone(c.source.body), true
		m.source = &s
		out = append(out, m)
	}
	return out
}
