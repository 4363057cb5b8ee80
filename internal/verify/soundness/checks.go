package soundness

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// checker holds what one worker reuses between cases.
type checker struct {
	ctx      context.Context
	explorer exhaust.Explorer

	wideExplorer wideExplorer
	compared     int64 // bounds compared so far
	skipped      int64 // systems too large for the explorer
}

// strength lists safe methods from the smallest bound to the largest.
var strength = []string{multiphase.REF, multiphase.PATH, multiphase.BURST, multiphase.FUA, multiphase.SUM}

// exceeded returns the first safe bound below cycles, nil if there is none.
func (c *checker) exceeded(r *bound.Result, cycles int64) *bound.Bound {
	for i := range r.Bounds {
		b := &r.Bounds[i]
		if !b.Safe {
			continue
		}
		c.compared++
		if b.Cycles < cycles {
			return b
		}
	}
	return nil
}

// disordered returns why the bounds are not in the order of their strength, or
// their parts do not sum up; empty if all is well.
func disordered(r *bound.Result) string {
	var last *bound.Bound
	for _, m := range strength {
		b := r.Bound(m)
		if b == nil {
			continue
		}
		if last != nil && last.Cycles > b.Cycles {
			return fmt.Sprintf("%s %d exceeds %s %d", last.Method, last.Cycles, b.Method, b.Cycles)
		}
		last = b
		sum := int64(0)
		for _, part := range b.Breakdown {
			sum += part.Cycles
		}
		if sum != b.Cycles {
			return fmt.Sprintf("the parts of %s sum to %d, the bound is %d", m, sum, b.Cycles)
		}
	}
	return ""
}

// tiny compares every bound of a system with its exact worst case.
func (c *checker) tiny(s *exhaust.System, m exhaust.Rules, facts bool) (*Violation, error) {
	h := Hardware(m, s.Units())
	if facts {
		stateFacts(&h, *s)
	}
	a, err := multiphase.NewAnalyzer(h, multiphase.Options{MaxPhases: 1})
	if err != nil {
		return nil, err
	}
	r, err := a.Block(c.ctx, Block(*s, 1))
	if err != nil {
		return nil, err
	}
	worst, err := c.explorer.Worst(s, m)
	if err != nil {
		c.skipped++
		return nil, nil
	}
	v := &Violation{Kind: "exhaustive", Machine: m.String(), System: s.String(), Cycles: int64(worst)}
	if b := c.exceeded(r, int64(worst)); b != nil {
		v.Method, v.BoundCycles, v.Detail = b.Method, b.Cycles, c.explorer.Witness()
		return v, nil
	}
	if text := disordered(r); text != "" {
		v.Kind, v.Method, v.Detail = "order", "all", text+"\n"
		return v, nil
	}
	return nil, nil
}

// randomTiny draws a system and a machine, checks them, and shrinks a violation.
func (c *checker) randomTiny(rng *rand.Rand) (*Violation, error) {
	shape := exhaust.Shape{Warps: 3, Instrs: 4, Units: 1 + rng.IntN(3), Init: 1 + rng.IntN(4), Lat: rng.IntN(4), Equal: 4, PerUnit: rng.IntN(3) == 0}
	if rng.IntN(2) == 0 {
		shape.Warps, shape.Instrs = 2, 5
	}
	if rng.IntN(2) == 0 {
		shape.Sections = 2 + rng.IntN(2)
	}
	m := exhaust.RandomMachine(rng)
	if rng.IntN(2) == 0 {
		m.Slots, m.Pooled = -1, false
	}
	if m.ShortLat && m.ShortInit {
		shape.Instrs = min(shape.Instrs, 3)
	}
	s := exhaust.RandomSystem(rng, shape)
	facts := rng.IntN(4) > 0
	v, err := c.tiny(&s, m, facts)
	if v == nil || err != nil {
		return nil, err
	}
	small := Shrink(s, func(x *exhaust.System) bool {
		w, err := c.tiny(x, m, facts)
		return err == nil && w != nil && w.Method == v.Method
	})
	return c.tiny(&small, m, facts)
}

// fixtures checks the reference instances to the number.
func (c *checker) fixture(f *exhaust.Fixture) (*Violation, error) {
	s, err := exhaust.ParseSystem(f.Text)
	if err != nil {
		return nil, err
	}
	m := exhaust.Rules{Slots: -1, FIFO: true, OwnOrder: true}
	h := Hardware(m, s.Units())
	stateFacts(&h, s)
	a, err := multiphase.NewAnalyzer(h, multiphase.Options{})
	if err != nil {
		return nil, err
	}
	// Every warp a class of its own, so that the isolated times are in order.
	r, err := a.Block(c.ctx, Block(s.Clone(), 1))
	if err != nil {
		return nil, err
	}
	v := &Violation{Kind: "fixture " + f.Name, Machine: m.String(), System: f.Text}
	for i, method := range multiphase.Methods()[:len(f.Bounds)] {
		b := r.Bound(method)
		if b == nil || b.Cycles != f.Bounds[i] || (b.Safe && b.Cycles < int64(f.Exact)) {
			v.Method, v.BoundCycles = method, f.Bounds[i]
			v.Detail = fmt.Sprintf("got %+v\n", b)
			return v, nil
		}
	}
	for i, w := range r.Warps {
		if w.IsoCycles != f.Iso[i] || w.ExecCycles != f.Exec[i] {
			v.Method, v.Detail = "iso", fmt.Sprintf("warp %d: isolated %d, executing %d, want %d, %d\n", i, w.IsoCycles, w.ExecCycles, f.Iso[i], f.Exec[i])
			return v, nil
		}
	}
	return nil, nil
}
