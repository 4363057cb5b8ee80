package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/replay"
)

// addAnyPolicy adds the bound for every work-conserving policy to the scopes of
// blocks and of the launch (docs/soundness.md, theorem 33).
func (r *Report) addAnyPolicy(ctx context.Context, m *replay.Machine, in *replay.Input) error {
	for _, res := range r.Scopes {
		if res.Scope == bound.Warp {
			continue
		}
		b, err := r.anyPolicy(ctx, m, in, res.Scope)
		var no *bound.Refusal
		switch {
		case errors.As(err, &no):
			no.Scope = res.Scope
			res.Refused = append(res.Refused, *no)
		case err != nil:
			return fmt.Errorf("%s: %w", replay.AnyPolicy, err)
		default:
			res.Add(b)
		}
	}
	return nil
}

func (r *Report) anyPolicy(ctx context.Context, m *replay.Machine, in *replay.Input, scope bound.Scope) (worst bound.Bound, err error) {
	refuse := func(a bound.ID, reason string) error {
		return &bound.Refusal{Method: replay.AnyPolicy, Reason: reason, Assumption: a}
	}
	switch {
	case r.analyzer == nil:
		return worst, refuse(r.irregularity(), r.Path.Irregular)
	case scope != bound.Block && r.Machine.Desc.SM.Count > 1:
		return worst, refuse(bound.GreedyBlocks, "the launch is for several SMs")
	case scope != bound.Block && m.BlockSlots > 1 && r.Blocks > 1:
		return worst, refuse(bound.SlotRule, "several blocks can be resident on an SM; the bound is of blocks that follow one another")
	}
	if _, no := m.Extend(in, []replay.Stretch{{Class: 0, Count: 1}}); no != nil {
		return worst, no
	}
	opt := r.options
	opt.Methods = []string{multiphase.SUM}
	a, err := multiphase.NewAnalyzer(r.hardware, opt)
	if err != nil {
		return worst, err
	}
	classes := r.withControl(m, in)
	extended := func(res *bound.Result, order []replay.Stretch) (bound.Bound, error) {
		sum := res.Bound(multiphase.SUM)
		if sum == nil {
			no := res.Refused[0]
			no.Method = replay.AnyPolicy
			return bound.Bound{}, &no
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
		var order []replay.Stretch
		for i, c := range r.Path.Classes {
			order = append(order, replay.Stretch{Class: i, Count: c.Blocks})
		}
		return extended(res, order)
	}
	for i := range classes {
		res, err := a.Block(ctx, classes[i].Block)
		if err != nil {
			return worst, err
		}
		b, err := extended(res, []replay.Stretch{{Class: i, Count: 1}})
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
func (r *Report) withControl(m *replay.Machine, in *replay.Input) []method.BlockClass {
	extended := m.ControlRegister(in, int32(len(r.program.Registers)))
	ops := make([]method.Op, len(r.Path.Symbols))
	for i := range ops {
		ops[i] = extended[i].Op
	}
	// An op that arrives at a barrier and the one that does not are one symbol.
	for i := len(ops); i < len(extended); i++ {
		op, also := &ops[i-len(ops)], &extended[i]
		if also.LatencyCycles > op.LatencyCycles || len(also.Writes) > len(op.Writes) {
			*op = also.Op
		}
	}
	programs := map[*method.Program]*method.Program{}
	var out []method.BlockClass
	for _, c := range r.classes {
		b := &method.Block{}
		for _, w := range c.Block.Classes {
			p := programs[w.Program]
			if p == nil {
				p = &method.Program{Ops: ops, Sections: w.Program.Sections}
				programs[w.Program] = p
			}
			w.Program = p
			b.Classes = append(b.Classes, w)
		}
		out = append(out, method.BlockClass{Block: b, Count: c.Count})
	}
	return out
}
