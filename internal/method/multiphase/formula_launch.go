package multiphase

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/internal/choice"
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
	c := &s.calc
	delay := c.Constant(s.a.hw.BarrierDelayCycles)
	each := make([]blockForms, len(p.tuples))
	for i := range p.tuples {
		t := &p.tuples[i]
		var longest, together, apart, sum formula.Form
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
			sum = c.Add(sum, c.Times(w.count, charge))
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
		each[i] = blockForms{iso: c.Add(longest, delay), own: c.Add(together, delay), single: c.Add(apart, delay), sum: sum}
	}
	// The barrier behind the last section is none.
	more := c.Constant(s.a.hw.BlockStartDelayCycles)
	for _, f := range []struct {
		to *formula.Form
		of func(*blockForms) formula.Form
	}{
		{&out.iso, func(b *blockForms) formula.Form { return b.iso }},
		{&out.own, func(b *blockForms) formula.Form { return b.own }},
		{&out.single, func(b *blockForms) formula.Form { return b.single }},
	} {
		*f.to = c.Add(c.Less(s.sections(p, each, f.of), s.a.hw.BarrierDelayCycles), more)
	}
	out.sum = s.sections(p, each, func(b *blockForms) formula.Form { return b.sum })
	return out, c.Err()
}

// sections adds a form of each section, as often as it comes: with stages, along the path of
// them on which that is most.
func (s *forms) sections(p *plan, each []blockForms, of func(*blockForms) formula.Form) formula.Form {
	if p.stages != nil {
		return s.staged(p.stages, map[*choice.Expr]formula.Form{}, func(section int32) formula.Form { return of(&each[p.order[section]]) })
	}
	var out formula.Form
	for i := range each {
		out = s.calc.Add(out, s.calc.Times(p.tuples[i].count, of(&each[i])))
	}
	return out
}

// staged is no less than the sum of forms along any path of stages.
func (s *forms) staged(e *choice.Expr, known map[*choice.Expr]formula.Form, of func(section int32) formula.Form) formula.Form {
	if f, ok := known[e]; ok {
		return f
	}
	c := &s.calc
	var f formula.Form
	for _, section := range e.Run() {
		f = c.Add(f, of(section))
	}
	for _, p := range e.Parts() {
		if part := s.staged(p, known, of); e.Kind() == choice.One {
			f = c.Max(f, part)
		} else {
			f = c.Add(f, part)
		}
	}
	if e.Body() != nil {
		body := s.staged(e.Body(), known, of)
		if e.Tag() > 0 {
			f = c.TimesVar(s.names.Count(e.Tag(), 1), body)
		} else {
			f = c.Times(e.Count(), body)
		}
	}
	known[e] = f
	return f
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
