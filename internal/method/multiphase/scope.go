package multiphase

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// Warp bounds one warp alone on an SM.
func (a *Analyzer) Warp(ctx context.Context, p *method.Stream) (*bound.Result, error) {
	return a.alone(ctx, &method.Block{Classes: []method.WarpClass{{Stream: p, Count: 1}}}, bound.Warp)
}

// Block bounds one block alone on an SM.
func (a *Analyzer) Block(ctx context.Context, b *method.Block) (*bound.Result, error) {
	return a.alone(ctx, b, bound.Block)
}

// SM bounds blocks that one SM executes in its slots.
func (a *Analyzer) SM(ctx context.Context, blocks []method.BlockClass) (*bound.Result, error) {
	return a.several(ctx, blocks, bound.SM, 1)
}

// Kernel bounds a grid on all SMs.
func (a *Analyzer) Kernel(ctx context.Context, blocks []method.BlockClass) (*bound.Result, error) {
	return a.several(ctx, blocks, bound.Kernel, a.hw.SMs)
}

// alone computes every method for a block that has the SM to itself.
func (a *Analyzer) alone(ctx context.Context, b *method.Block, scope bound.Scope) (*bound.Result, error) {
	p, err := a.plan(b)
	if err != nil {
		return nil, err
	}
	r := &bound.Result{Scope: scope, Best: -1, Sections: map[string][]bound.SectionBound{}}
	if r.Warps, err = a.profiles(ctx, p.block); err != nil {
		return nil, err
	}
	s := situation{scope: scope, barriers: p.sections > 1}
	for _, method := range Methods() {
		if !a.wanted[method] {
			continue
		}
		if no := p.refuse(method, scope); no != nil {
			r.Refused = append(r.Refused, *no)
			continue
		}
		if method != GUB {
			if no := a.hw.refuse(method, s); no != nil {
				r.Refused = append(r.Refused, *no)
				continue
			}
		}
		if method == CHAIN {
			b, err := a.chainBound(ctx, p, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", method, err)
			}
			r.Add(b)
			continue
		}
		flat := method != GUB && p.sections > 1 && !a.hw.additive() && method == SUM
		sections, err := a.sectionBounds(ctx, method, p, flat)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		sum, err := a.blockParts(sections)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		out := bound.Bound{
			Cycles: sum.total(), Scope: scope, Method: method, Safe: true, Published: method == GUB,
			Breakdown: sum.breakdown(method), Assumptions: a.ledger(method, s), Theorem: a.hw.theorem(method, s),
		}
		if p.choices {
			out.Theorem += everyPath
		}
		if method == GUB {
			if err := a.judgeGUB(ctx, &out, p, s); err != nil {
				return nil, err
			}
		}
		r.Sections[method] = sections
		r.Add(out)
	}
	return r, nil
}

// breakdown names the summands; those that are always zero here are left out.
func (s parts) breakdown(method string) []bound.Component {
	own := bound.Isolated
	if method == PATH || method == REF {
		own = bound.LongestPath
	}
	out := []bound.Component{bound.Part(own, s.own), bound.Part(bound.OtherWarps, s.others)}
	if s.order > 0 {
		out = append(out, bound.Part(bound.OutOfOrder, s.order))
	}
	return append(out,
		bound.Part(bound.BarrierDelays, s.barriers),
		bound.Part(bound.BlockStartDelay, s.start))
}

// judgeGUB marks the published bound safe only where theorem 1 (published bound) proves
// it: each warp's execution cycles cover its BURST charge to every other warp.
func (a *Analyzer) judgeGUB(ctx context.Context, b *bound.Bound, p *plan, s situation) error {
	unsafe := func(reason string) {
		b.Safe, b.UnsafeReason, b.Theorem = false, reason, "Jeanmougin2025, theorem 11; refuted in docs/soundness.md, section \"The published bound\""
	}
	if no := a.hw.refuse(BURST, s); no != nil {
		unsafe("theorem 1 does not cover this hardware: " + no.Reason)
		return nil
	}
	if !a.hw.keepsOrder() {
		unsafe("theorem 1 does not cover this hardware: a unit may serve one warp's instructions out of order")
		return nil
	}
	for _, t := range p.tuples {
		for _, members := range t.members {
			for _, w := range members {
				for _, v := range members {
					if v.class == w.class && v.count == 1 {
						continue
					}
					iso, err := a.isolated(ctx, v.sec, isoQueued)
					if err != nil {
						return err
					}
					charge, err := a.walk(ctx, v.sec, w.sec.used)
					if err != nil {
						return err
					}
					if iso.exec < charge {
						unsafe(fmt.Sprintf("section %d: a warp of class %d can delay one of class %d by %d cycles, but has only %d execution cycles alone; initiations that overlap alone need not overlap beside other warps", t.first, v.class, w.class, charge, iso.exec))
						return nil
					}
				}
			}
		}
	}
	b.Theorem = "docs/soundness.md, theorem 1"
	return nil
}

// several bounds n blocks on the given number of SMs.
func (a *Analyzer) several(ctx context.Context, blocks []method.BlockClass, scope bound.Scope, sms int64) (*bound.Result, error) {
	var c calc
	n := int64(0)
	for i, b := range blocks {
		if b.Count < 1 {
			return nil, fmt.Errorf("block class %d: count %d, expected at least 1", i, b.Count)
		}
		n = c.add(n, b.Count)
	}
	if n == 0 {
		return nil, errors.New("no blocks")
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	switch {
	case n == 1:
		return a.alone(ctx, blocks[0].Block, scope)
	case a.hw.SlotsPerSM == 1:
		return a.oneSlot(ctx, blocks, n, scope, sms)
	default:
		return a.shared(ctx, blocks, n, scope, sms)
	}
}

// shared applies theorems 4 (one SM) and 5 (grid).
func (a *Analyzer) shared(ctx context.Context, blocks []method.BlockClass, n int64, scope bound.Scope, sms int64) (*bound.Result, error) {
	r := bound.NewResult(scope)
	s := situation{scope: scope, barriers: true, resident: true}
	for _, method := range Methods() {
		if !a.wanted[method] {
			continue
		}
		if no := a.hw.refuse(method, s); no != nil {
			r.Refused = append(r.Refused, *no)
		}
	}
	charges := make([]blockCharges, len(blocks))
	choices := false
	for i, b := range blocks {
		p, err := a.plan(b.Block)
		if err != nil {
			return nil, fmt.Errorf("block class %d: %w", i, err)
		}
		choices = choices || p.choices
		if charges[i], err = a.blockCharges(ctx, p); err != nil {
			return nil, fmt.Errorf("block class %d: %w", i, err)
		}
	}
	var err error
	if r.Warps, err = a.profiles(ctx, blocks[0].Block); err != nil {
		return nil, err
	}
	if !a.wanted[SUM] || a.hw.outside() != nil {
		return r, nil
	}
	b := bound.Bound{Scope: scope, Method: SUM, Safe: true, Assumptions: a.ledger(SUM, s)}
	if sms == 1 {
		b.Breakdown, err = a.theorem4(blocks, charges, n)
		b.Theorem = "docs/soundness.md, theorem 4"
	} else {
		b.Breakdown, err = a.theorem5(charges, n, sms)
		b.Theorem = "docs/soundness.md, theorem 5"
	}
	if err != nil {
		return nil, err
	}
	if a.hw.Queue != method.Unbounded {
		b.Theorem += ", theorem 6"
	}
	if !a.hw.keepsOrder() {
		b.Theorem += ", theorem 7"
	}
	if a.hw.shared() != 0 {
		b.Theorem += ", theorem 8"
	}
	if choices {
		b.Theorem += everyPath
	}
	for _, part := range b.Breakdown {
		b.Cycles += part.Cycles
	}
	r.Add(b)
	return r, nil
}

// theorem4 is the bound for n blocks in the slots of one SM. Which block finishes
// last is not known; the rest are charged in full.
func (a *Analyzer) theorem4(blocks []method.BlockClass, charges []blockCharges, n int64) ([]bound.Component, error) {
	var c calc
	iso, all := int64(0), int64(0)
	for i, q := range charges {
		iso = max(iso, q.iso)
		all = c.add(all, c.mul(blocks[i].Count, q.sum))
	}
	rounds := (n - 1) / a.hw.SlotsPerSM
	var last, others int64
	for _, q := range charges {
		rest, own := max(all-q.sum, 0), q.bound()
		if c.add(rest, own) > others+last {
			last, others = own, rest
		}
	}
	out := []bound.Component{
		bound.Part(bound.EarlierBlocksOfSlot, c.mul(rounds, iso)),
		bound.Part(bound.OtherBlocks, others),
		bound.Part(bound.LastBlock, last),
	}
	c.add(out[0].Cycles, others, last)
	return out, c.err()
}

// theorem5 is the bound for n blocks on several SMs.
func (a *Analyzer) theorem5(charges []blockCharges, n, sms int64) ([]bound.Component, error) {
	var c calc
	var iso, sum, own int64
	for _, q := range charges {
		iso, sum, own = max(iso, q.iso), max(sum, q.sum), max(own, q.bound())
	}
	before := (n - 1) / sms
	rounds := before / a.hw.SlotsPerSM
	beside := min(a.hw.SlotsPerSM-1, n-1)
	out := []bound.Component{
		bound.Part(bound.EarlierBlocksOfSlot, c.mul(rounds, iso)),
		bound.Part(bound.EarlierBlocksOfSM, c.mul(before, sum)),
		bound.Part(bound.BlocksBesideLast, c.mul(beside, sum)),
		bound.Part(bound.LastBlock, own),
	}
	c.add(out[0].Cycles, out[1].Cycles, out[2].Cycles, own)
	return out, c.err()
}

// oneSlot bounds blocks that never share an SM (theorem 9 (one slot)): each runs alone,
// so every method applies to it, and an SM executes them one after the other.
func (a *Analyzer) oneSlot(ctx context.Context, blocks []method.BlockClass, n int64, scope bound.Scope, sms int64) (*bound.Result, error) {
	r := bound.NewResult(scope)
	var c calc
	totals := map[string]*bound.Bound{}
	refused := map[string]bool{}
	for i, b := range blocks {
		one, err := a.alone(ctx, b.Block, scope)
		if err != nil {
			return nil, fmt.Errorf("block class %d: %w", i, err)
		}
		if i == 0 {
			r.Warps = one.Warps
		}
		for _, no := range one.Refused {
			if !refused[no.Method] {
				refused[no.Method] = true
				r.Refused = append(r.Refused, no)
			}
		}
		for j := range one.Bounds {
			b2 := &one.Bounds[j]
			t, ok := totals[b2.Method]
			if !ok {
				t = &bound.Bound{
					Scope: scope, Method: b2.Method, Safe: true, Assumptions: b2.Assumptions,
					Theorem:   b2.Theorem + ", theorem 9",
					Breakdown: []bound.Component{bound.Part(bound.BlocksInSequence, 0)},
				}
				totals[b2.Method] = t
			}
			if !b2.Safe {
				t.Safe, t.UnsafeReason = false, b2.UnsafeReason
			}
			if sms == 1 {
				t.Cycles = c.add(t.Cycles, c.mul(b.Count, b2.Cycles))
			} else {
				t.Cycles = max(t.Cycles, b2.Cycles)
			}
		}
	}
	for _, method := range Methods() {
		t, ok := totals[method]
		if !ok || refused[method] {
			continue
		}
		if sms > 1 {
			t.Cycles = c.mul(c.add((n-1)/sms, 1), t.Cycles)
		}
		t.Breakdown[0].Cycles = t.Cycles
		r.Add(*t)
	}
	return r, c.err()
}
