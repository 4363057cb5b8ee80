package kernels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// search runs a case, climbs from it, and reduces what it finds to one violation
// that is easy to read.
func (c *Case) search(ctx context.Context, cfg *Config) (Outcome, error) {
	out, err := c.Run(ctx, cfg.Plant)
	if err != nil {
		return out, err
	}
	worst := c
	if cfg.Climb > 0 && len(out.Violations) == 0 {
		if worst, err = c.climb(ctx, cfg, &out); err != nil {
			return out, err
		}
	}
	if cfg.Plant == "" && c.Seed%wideShare == 1 && len(out.Violations) == 0 {
		violated, err := c.tryWide(ctx, &out)
		if err != nil {
			return out, err
		}
		if violated != nil {
			worst = violated
		}
	}
	if len(out.Violations) > 0 {
		v, err := worst.shrink(ctx, cfg.Plant, out.Violations[0])
		if err != nil {
			return out, err
		}
		out.Violations = []Violation{v}
	}
	return out, nil
}

// climb mutates the case, keeps what raises the ratio of simulation to bound, or
// does not lower it and leaves kernel and machine alone, and stops at a
// violation. It adds what it does to out.
func (c *Case) climb(ctx context.Context, cfg *Config, out *Outcome) (*Case, error) {
	rng := rand.New(rand.NewPCG(c.Seed, 0x636c696d62))
	best, ratio := c, out.Ratio
	for range cfg.Climb {
		next, same := best.mutate(rng)
		o, err := next.Run(ctx, cfg.Plant)
		if err != nil {
			if ctx.Err() == nil && rejected(err) {
				continue
			}
			return nil, fmt.Errorf("mutant: %w\n%s", err, next.PTX)
		}
		out.Compared += o.Compared
		out.Paths += o.Paths
		if o.Ratio > ratio || o.Ratio == ratio && same || len(o.Violations) > 0 {
			best, ratio = next, o.Ratio
			out.Ratio = max(out.Ratio, ratio)
		}
		if len(o.Violations) > 0 {
			out.Violations = o.Violations
			break
		}
	}
	return best, nil
}

// rejected says that a mutant is none of a kernel, launch or machine that can
// run, which is no news.
func rejected(err error) bool {
	var run *simt.RuntimeError
	var fit *gpu.FitError
	var list gpu.ErrorList
	return errors.Is(err, policy.ErrScript) || errors.As(err, &run) || errors.As(err, &fit) || errors.As(err, &list)
}

// mutate returns a case that differs in one respect. same says that it is the
// same kernel on the same machine.
func (c *Case) mutate(rng *rand.Rand) (mutant *Case, same bool) {
	m := *c
	m.Set = append([]string(nil), c.Set...)
	s := *c.source
	s.body = clone(c.source.body)
	m.source = &s
	kind := rng.IntN(8)
	switch kind {
	case 0, 1, 2:
		m.Policies = []string{fmt.Sprintf("random:%d", rng.Uint64())}
	case 3:
		m.Block = max(1, min(128, m.Block+32*(rng.IntN(3)-1)))
		m.Grid = max(1, min(max(6, m.Grid), m.Grid+rng.IntN(3)-1))
	case 4:
		m.Seed = rng.Uint64() // of dispatch orders and shortenings
		m.Shorten = rng.IntN(2) == 0
	case 5:
		if i := rng.IntN(len(bases)); bases[i].name == m.Base {
			m.Set = drawOverrides(rng, bases[i])
		}
	default:
		m.mutateTree(rng)
	}
	m.PTX = m.source.text()
	return &m, kind < 3 || kind == 4
}

// mutateTree drops, doubles, moves or adds a statement.
func (c *Case) mutateTree(rng *rand.Rand) {
	lists := places(&c.source.body)
	list := lists[rng.IntN(len(lists))]
	n := len(*list)
	if n == 0 || rng.IntN(4) == 0 {
		g := &generator{rng: rng, temps: c.source.temps, has: features{rare: true}}
		fresh := g.arithmetic()
		if rng.IntN(2) == 0 && !c.source.bare {
			fresh = g.memory()
		}
		c.source.temps = g.temps
		at := rng.IntN(n + 1)
		*list = append((*list)[:at:at], append([]*node{fresh}, (*list)[at:]...)...)
		return
	}
	i, j := rng.IntN(n), rng.IntN(n)
	switch rng.IntN(3) {
	case 0:
		*list = append((*list)[:i:i], (*list)[i+1:]...)
	case 1:
		*list = append((*list)[:i:i], append(clone((*list)[i:i+1]), (*list)[i:]...)...)
	default:
		(*list)[i], (*list)[j] = (*list)[j], (*list)[i]
	}
}
