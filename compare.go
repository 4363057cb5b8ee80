package warpbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// Part is what of a launch is bounded and simulated. Its zero value is all of it.
type Part int

// The parts of a launch.
const (
	WholeLaunch Part = iota
	OneBlock         // one block alone on an SM
	OneWarp          // one warp alone on an SM
)

// Best, as the name of a method to compare, is the smallest safe bound.
const Best = analysis.Best

// CompareOptions choose what Compare compares. The zero value sets the best bound on
// the launch beside its simulation under loose round-robin and greedy-then-oldest.
type CompareOptions struct {
	GPU *gpu.Machine // nil for DefaultGPU
	// Methods are names of [Methods], and Best; nil for Best. Those of turns claim to
	// cover policies that give warps turns; with L1Reorder they are of caches behind a
	// reordering unit, and nil is the first of those.
	Methods  []string
	Policies []string // of [Policies]; nil for lrr and gto
	Part     Part
	Model    string // ModelAbstract, the default where the description says ModelFrontend, or ModelPipeline
	L1Order  string // L1None, which is "" too, or L1Reorder
	// MaxInstructions ends the execution of the kernel with ErrInstructionLimit; 0
	// for no limit.
	MaxInstructions int64
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// Comparison is bounds beside simulations.
type Comparison struct {
	Rows      []Row
	Summaries []Summary // of the rows of each method and policy
}

// Row is one bound beside one simulation.
type Row struct {
	Kernel, Launch, GPU, Policy, Model string

	Scope           bound.Scope
	Method          string
	BoundCycles     int64
	SimulatedCycles int64
	Overestimation  float64 // BoundCycles / SimulatedCycles - 1
	Safe            bool    // the bound claims to be one
	AllInputs       bool    // for whatever the buffers that are not known contain
	// Refused says why the method gives no bound here, "" where it gives one; what is
	// said of the bound then means nothing.
	Refused string
	// Claimed says that the simulation fulfils the assumptions of the bound.
	Claimed bool
}

// Violation says that a bound is below a simulation that it claims to cover.
func (r *Row) Violation() bool {
	of := analysis.Row(*r)
	return of.Violation()
}

// Summary sums up the rows of a GPU, a method and a policy.
type Summary struct {
	GPU, Method, Policy string

	Rows, Refused int // with a bound, which what follows is about, and without one
	Mean, Max     float64
	WeightedMean  float64 // by simulated cycles
	StdDev        float64 // of the population
	Violations    int
	Exceeded      int // bounds, safe or not, below their simulation
}

// Summarize sums up rows by GPU, method and policy, in order of first appearance: of
// several comparisons, too.
func Summarize(rows []Row) []Summary {
	of := make([]analysis.Row, len(rows))
	for i := range rows {
		of[i] = analysis.Row(rows[i])
	}
	var out []Summary
	for _, s := range analysis.Summarize(of) {
		out = append(out, Summary(s))
	}
	return out
}

// Compare sets the bounds of a launch beside its simulation under each policy. Where
// a bound is below a simulation that it claims to cover, the Comparison comes with a
// [ViolationError].
func (l *Launch) Compare(ctx context.Context, opt CompareOptions) (*Comparison, error) {
	on, m, err := l.on(opt.GPU, DefaultGPU)
	if err != nil {
		return nil, err
	}
	tell := newTeller("comparing", l.Program(), opt.Progress)
	plain, turns, err := opt.split(m, tell)
	if err != nil {
		return nil, err
	}
	var rows []analysis.Row
	if len(plain.Methods) > 0 {
		q := method.Question{Methods: plain.Methods, Limits: turns.Limits, Progress: tell.done}
		if slices.Contains(plain.Methods, Best) {
			q.Methods = nil
		}
		r, err := analysis.Run(ctx, source(on), m, q)
		if err != nil {
			return nil, explainOf(on, err)
		}
		if rows, err = analysis.Compare(ctx, r, on.Fresh, plain); err != nil {
			return nil, explainOf(on, err)
		}
	}
	if len(turns.Methods) > 0 {
		more, err := analysis.CompareTurns(ctx, source(on), m, turns)
		if err != nil {
			return nil, explainOf(on, err)
		}
		rows = append(rows, more...)
	}
	return newComparison(on, rows)
}

func newComparison(on *load.Opened, rows []analysis.Row) (*Comparison, error) {
	c := &Comparison{}
	for i := range rows {
		rows[i].Launch = on.File.Path
		c.Rows = append(c.Rows, Row(rows[i]))
	}
	c.Summaries = Summarize(c.Rows)
	return c, errors.Join(violations(c.Rows), exit(on))
}

// split checks the options, and tells bounds for every work-conserving policy from
// those for turns and for an order of accesses.
func (o *CompareOptions) split(m *gpu.Machine, tell *teller) (plain analysis.CompareOptions, turns analysis.TurnsOptions, err error) {
	scope, ok := map[Part]bound.Scope{WholeLaunch: bound.Kernel, OneBlock: bound.Block, OneWarp: bound.Warp}[o.Part]
	if !ok {
		return plain, turns, fmt.Errorf("Part %d: expected WholeLaunch, OneBlock or OneWarp", o.Part)
	}
	order := cmp.Or(o.L1Order, L1None)
	if err := oneOf("L1Order", order, L1None, L1Reorder); err != nil {
		return plain, turns, err
	}
	if err := checkL1Order(order, m.Desc); err != nil {
		return plain, turns, err
	}
	model, err := plainModel(o.Model, m.Desc)
	if err != nil {
		return plain, turns, err
	}
	names := o.Policies
	if names == nil {
		names = []string{"lrr", "gto"}
	}
	var policies []policy.Policy
	for _, name := range names {
		p, err := policy.Parse(name)
		if err != nil {
			return plain, turns, fmt.Errorf("Policies %q: %w", name, err)
		}
		policies = append(policies, p)
	}
	limits, err := tell.limits(o.MaxInstructions)
	if err != nil {
		return plain, turns, err
	}
	plain = analysis.CompareOptions{Policies: policies, Scope: scope, Model: model, Checks: true}
	turns = analysis.TurnsOptions{Policies: policies, Scope: scope, Model: model, Order: order, Limits: limits, Checks: true}
	if o.Progress != nil {
		plain.Simulated, turns.Simulated = tell.simulated, tell.simulated
	}
	plain.Methods, turns.Methods, err = splitMethods(o.Methods, order)
	return plain, turns, err
}

func splitMethods(names []string, order string) (plain, turns []string, err error) {
	inTurns, inOrder := analysis.Names(method.InTurns), analysis.Names(method.InOrder)
	if order == L1Reorder {
		if names == nil {
			return nil, inOrder[:1], nil
		}
		for _, name := range names {
			if err := oneOf("Methods", name, slices.Concat(inOrder, inTurns)...); err != nil {
				return nil, nil, err
			}
		}
		return nil, names, nil
	}
	if names == nil {
		return []string{Best}, nil, nil
	}
	for _, name := range names {
		if err := oneOf("Methods", name, slices.Concat([]string{Best}, analysis.Names(method.Plain), inTurns)...); err != nil {
			return nil, nil, err
		}
		if slices.Contains(inTurns, name) {
			turns = append(turns, name)
		} else {
			plain = append(plain, name)
		}
	}
	return plain, turns, nil
}
