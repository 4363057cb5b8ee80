package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/enforced"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
)

// TurnsOptions choose what CompareTurns does.
type TurnsOptions struct {
	Methods  []string // of method.InTurns, and of method.InOrder with sim.L1Reorder
	Policies []policy.Policy
	Scope    bound.Scope // Kernel and SM mean the whole launch, Block block 0 alone
	Model    string      // of the simulator; "" means the description's
	Order    string      // sim.L1None or sim.L1Reorder
	Limits   simt.Limits
	Checks   bool
	// Simulated, if not nil, is called from time to time with how far a
	// simulation is.
	Simulated func(sim.Progress)
}

// CompareTurns simulates a launch under each policy, its blocks admitted in
// batches, and compares with the bounds that are for those policies
// (method.InTurns) or for an enforced order of accesses (method.InOrder).
func CompareTurns(ctx context.Context, launch method.Source, m *gpu.Machine, opt TurnsOptions) ([]Row, error) {
	if opt.Scope == bound.Warp {
		return nil, errors.New("turns and orders of accesses are between warps: expected the scope launch or block")
	}
	var ofOrder *Report
	if opt.Order == sim.L1Reorder && slices.ContainsFunc(opt.Methods, isOrdered) {
		var err error
		if ofOrder, err = Run(ctx, launch, m, method.Question{Reordered: true, Limits: opt.Limits}); err != nil {
			return nil, err
		}
	}
	var rows []Row
	for _, policy := range opt.Policies {
		r := ofOrder
		if r == nil || slices.ContainsFunc(opt.Methods, func(name string) bool { return !isOrdered(name) }) {
			var err error
			if r, err = Run(ctx, launch, m, method.Question{Policy: policy.String(), Reordered: opt.Order == sim.L1Reorder, Limits: opt.Limits}); err != nil {
				return nil, err
			}
		}
		got, stopped, err := runTurns(ctx, launch, r, policy, opt)
		if err != nil {
			return nil, err
		}
		for _, name := range opt.Methods {
			row := Row{Kernel: r.Kernel, GPU: m.Desc.Name, Policy: got.Policy, Model: got.Model, Scope: opt.Scope, Method: name, SimulatedCycles: got.Cycles}
			of, inTurn := r, !policy.WorkConserving()
			if isOrdered(name) {
				of, inTurn = ofOrder, policy.WorkConserving()
			}
			switch b, why := of.boundOf(name, opt.Scope); {
			case stopped != "":
				row.Refused = stopped
			case b == nil:
				row.Refused = why
			default:
				row.BoundCycles, row.Safe, row.AllInputs = b.Cycles, b.Safe, of.AllInputs()
				row.Overestimation = float64(b.Cycles)/float64(max(got.Cycles, 1)) - 1
				row.Claimed = got.Model == sim.Abstract && inTurn &&
					(len(r.InputDependent) == 0 || opt.Scope != bound.Block && !r.orderMatters() && got.WarpInstructions == r.Path.Instructions)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func isOrdered(name string) bool { return slices.Contains(Names(method.InOrder), name) }

// boundOf is a report's bound by a method, or why there is none.
func (r *Report) boundOf(name string, scope bound.Scope) (*bound.Bound, string) {
	if r == nil {
		return nil, "it is for accesses in an enforced order"
	}
	res := r.Whole()
	if scope == bound.Block {
		res = r.Scope(bound.Block)
	}
	if b := res.Bound(name); b != nil {
		return b, ""
	}
	return nil, r.whyNone(res, name)
}

// runTurns simulates a launch under the assumptions of the bounds. stopped says
// that it never ends.
func runTurns(ctx context.Context, launch method.Source, r *Report, policy policy.Policy, opt TurnsOptions) (got *sim.Result, stopped string, err error) {
	cfg := sim.Config{
		Machine: r.Machine, BlocksPerSM: int(r.Occupancy.Blocks), Placement: sim.InBatches, Checks: opt.Checks, Progress: opt.Simulated,
	}
	if cfg.Model, err = sim.NamedModel(opt.Model, policy); err != nil {
		return nil, "", err
	}
	if opt.Scope == bound.Block {
		cfg.Blocks = []int64{0}
	}
	cfg.Memory, err = sim.NamedMemory(opt.Order, func() (sim.AccessOrder, error) {
		return enforced.OrderOf(ctx, launch, r.Machine.Desc.L1D.SectorBytes, opt.Limits)
	}, nil)
	var unknown *l1d.NotAnalysable
	switch {
	case errors.As(err, &unknown):
		return &sim.Result{Policy: policy.String(), Model: opt.Model}, "the accesses depend on unknown data, and have no order: " + unknown.Reasons[0].String(), nil
	case err != nil:
		return nil, "", err
	}
	k, err := launch.Fresh()
	if err != nil {
		return nil, "", err
	}
	got, err = sim.Run(ctx, cfg, k, r.Timing)
	if errors.Is(err, sim.ErrAccessOrder) && !policy.WorkConserving() {
		return &sim.Result{Policy: policy.String(), Model: opt.Model}, fmt.Sprintf("the simulation stops for ever: %v", err), nil
	}
	return got, "", err
}
