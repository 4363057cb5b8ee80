package replay

import (
	"context"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
)

// anyPolicy is the bound for every work-conserving policy (docs/soundness/frontends.md,
// theorem 33 (SWaS, every policy)).
func (r *launch) anyPolicy(ctx context.Context, scope bound.Scope) (worst bound.Bound, err error) {
	m, in := r.machine, r.in
	refuse := func(a bound.ID, reason string) error {
		return &bound.Refusal{Reason: reason, Assumption: a}
	}
	switch {
	case r.Path.Irregular != "":
		return worst, r.Irregular()
	case scope != bound.Block && r.Machine.Desc.SM.Count > 1:
		return worst, refuse(bound.GreedyBlocks, "the launch is for several SMs")
	case scope != bound.Block && m.BlockSlots > 1 && r.Blocks > 1:
		return worst, refuse(bound.SlotRule, "several blocks can be resident on an SM; the bound is of blocks that follow one another")
	}
	if _, no := m.Extend(in, []Stretch{{Class: 0, Count: 1}}); no != nil {
		return worst, no
	}
	shared, err := multiphase.Of(r.Facts)
	if err != nil {
		return worst, err
	}
	a, err := shared.With(multiphase.SUM)
	if err != nil {
		return worst, err
	}
	classes := r.withControl(m, in)
	extended := func(res *bound.Result, order []Stretch) (bound.Bound, error) {
		sum := res.Bound(multiphase.SUM)
		if sum == nil {
			return bound.Bound{}, &res.Refused[0]
		}
		x, no := m.Extend(in, order)
		if no != nil {
			return bound.Bound{}, no
		}
		return x.Bound(*sum, m)
	}
	if scope != bound.Block {
		res, err := a.SM(ctx, classes)
		if err != nil {
			return worst, err
		}
		var order []Stretch
		for i, c := range r.Path.Classes {
			order = append(order, Stretch{Class: i, Count: c.Blocks})
		}
		return extended(res, order)
	}
	for i := range classes {
		res, err := a.Block(ctx, classes[i].Block)
		if err != nil {
			return worst, err
		}
		b, err := extended(res, []Stretch{{Class: i, Count: 1}})
		if err != nil {
			return worst, err
		}
		if b.Cycles > worst.Cycles {
			worst = b
		}
	}
	return worst, nil
}

// withControl is the classes of blocks with ops that wait for the resolution of
// control instructions.
func (r *launch) withControl(m *Core, in *Input) []method.BlockClass {
	extended := m.ControlRegister(in, int32(len(r.Program.Registers)))
	ops := make([]method.Op, len(r.Path.Symbols))
	for i := range ops {
		ops[i] = extended[i].Op
	}
	// An op that arrives at a barrier, and the same op that does not, have one
	// symbol.
	for i := len(ops); i < len(extended); i++ {
		op, also := &ops[i-len(ops)], &extended[i]
		if also.LatencyCycles > op.LatencyCycles || len(also.Writes) > len(op.Writes) {
			*op = also.Op
		}
	}
	programs := map[*method.Stream]*method.Stream{}
	var out []method.BlockClass
	for _, c := range r.Classes() {
		b := &method.Block{}
		for _, w := range c.Block.Classes {
			p := programs[w.Stream]
			if p == nil {
				p = &method.Stream{Ops: ops, Sections: w.Stream.Sections}
				programs[w.Stream] = p
			}
			w.Stream = p
			b.Classes = append(b.Classes, w)
		}
		out = append(out, method.BlockClass{Block: b, Count: c.Count})
	}
	return out
}
