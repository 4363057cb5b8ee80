package multiphase

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/method"
)

// Variables names what a form is over.
type Variables struct {
	// Count is how often a loop of that tag goes on (choice.Expr.Tag), divided by per and
	// rounded up.
	Count func(tag int32, per int64) formula.Var
	// Blocks, if it is not nil, says that the number of blocks is not known up to that of
	// the launch, and is what follows from it.
	Blocks func(BlockCount) formula.Var
	// Total, if it is not nil, is the sum of a variable over the iterations of the loop of a
	// tag, if one is known that is less than its most in each.
	Total func(tag int32, v formula.Var) (formula.Var, bool)
	// AtMost says that a variable is never above another one; nil where nothing is known.
	AtMost func(a, b formula.Var) bool
}

// Form is the bound by sum on the launch over variables.
func (l *Analysis) Form(ctx context.Context, v Variables) (formula.Form, error) {
	if no := l.analyzer.hw.outside(); no != nil {
		return nil, errors.New(no.Reason)
	}
	if v.Blocks != nil {
		even := l.hw.SMs > 1 && l.f.Machine.Desc.Dispatch.Placement == method.BreadthFirst
		return newForms(l.analyzer, v).grid(ctx, l.f.Classes(), l.hw.SMs, even)
	}
	a, sms, err := l.launched()
	if err != nil {
		return nil, err
	}
	return newForms(a, v).launch(ctx, l.f.Classes(), sms)
}

// blockForms are the quantities of blockCharges, and the bound of the block alone.
type blockForms struct {
	count                 int64
	iso, sum, own, single formula.Form
}

func (s *forms) launch(ctx context.Context, blocks []method.BlockClass, sms int64) (formula.Form, error) {
	c := &s.calc
	var all []blockForms
	n := int64(0)
	for i, b := range blocks {
		f, err := s.block(ctx, b.Block)
		if err != nil {
			return nil, fmt.Errorf("block class %d: %w", i, err)
		}
		f.count = b.Count
		n += b.Count
		all = append(all, f)
	}
	var iso, sum, own, single, total, last formula.Form
	for i, b := range all {
		iso, sum, own, single = c.Max(iso, b.iso), c.Max(sum, b.sum), c.Max(own, b.own), c.Max(single, b.single)
		total = c.Add(total, c.Times(b.count, b.single))
		beside := b.own
		for j, other := range all {
			count := other.count
			if i == j {
				count--
			}
			beside = c.Add(beside, c.Times(count, other.sum))
		}
		last = c.Max(last, beside)
	}
	before := (n - 1) / sms
	out := single
	switch slots := s.a.hw.SlotsPerSM; {
	case n == 1:
	case slots == 1 && sms == 1:
		out = total
	case slots == 1:
		out = c.Times(before+1, single)
	case sms == 1:
		out = c.Add(c.Times(before/slots, iso), last)
	default:
		out = c.Add(c.Times(before/slots, iso), c.Times(before, sum), c.Times(min(slots-1, n-1), sum), own)
	}
	return out, c.Err()
}

// block is a block as blockCharges and alone have it.
func (s *forms) block(ctx context.Context, b *method.Block) (out blockForms, err error) {
	p, err := s.a.plan(b)
	if err != nil {
		return out, err
	}
	if p.stages != nil {
		return out, errors.New("a loop with barriers is not executed one iteration by one")
	}
	c := &s.calc
	delays := s.a.hw.BlockStartDelayCycles
	if p.sections > 1 {
		delays += (p.sections - 1) * s.a.hw.BarrierDelayCycles
	}
	for i := range p.tuples {
		t := &p.tuples[i]
		var longest, together, apart formula.Form
		for _, w := range t.all {
			iso, err := s.isolated(ctx, w.sec)
			if err != nil {
				return out, fmt.Errorf("section %d: %w", t.first, err)
			}
			longest = c.Max(longest, iso)
			charge, err := s.charge(w.sec, allUnits)
			if err != nil {
				return out, fmt.Errorf("section %d: %w", t.first, err)
			}
			out.sum = c.Add(out.sum, c.Times(t.count, c.Times(w.count, charge)))
			flat, err := s.beside(t, w, true)
			if err != nil {
				return out, err
			}
			core, err := s.beside(t, w, false)
			if err != nil {
				return out, err
			}
			together, apart = c.Max(together, c.Add(iso, flat)), c.Max(apart, c.Add(iso, core))
		}
		if p.sections > 1 && !s.a.hw.additive() {
			apart = together
		}
		out.iso = c.Add(out.iso, c.Times(t.count, longest))
		out.own = c.Add(out.own, c.Times(t.count, together))
		out.single = c.Add(out.single, c.Times(t.count, apart))
	}
	out.iso, out.own, out.single = c.Add(out.iso, c.Constant(delays)), c.Add(out.own, c.Constant(delays)), c.Add(out.single, c.Constant(delays))
	return out, c.Err()
}

// beside is what the other warps of a section charge a warp by sum: those of its sub-core,
// or all where flat is set, and what those of others start on shared units. Where a unit may
// reorder a warp, it charges itself once more (theorem 7 (reordered warps)).
func (s *forms) beside(t *tuple, w member, flat bool) (formula.Form, error) {
	c := &s.calc
	var out formula.Form
	core := t.core(w)
	for _, v := range t.all {
		var charge formula.Form
		var err error
		if flat || t.core(v) == core {
			charge, err = s.charge(v.sec, allUnits)
		} else {
			for _, u := range s.a.hw.shared().list() {
				var on formula.Form
				if on, err = s.charge(v.sec, u); err != nil {
					break
				}
				charge = c.Add(charge, on)
			}
		}
		if err != nil {
			return nil, err
		}
		count := v.count
		if v.class == w.class && s.a.hw.keepsOrder() {
			count--
		}
		out = c.Add(out, c.Times(count, charge))
	}
	return out, c.Err()
}

// core is the index in members of the sub-core of a warp.
func (t *tuple) core(w member) int {
	for i, members := range t.members {
		for _, v := range members {
			if v.class == w.class {
				return i
			}
		}
	}
	return -1
}
