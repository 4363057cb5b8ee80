package warpbound

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim/policy"
)

// What of a launch is bounded and simulated, in options named Scope.
const (
	WholeLaunch = "launch"
	OneBlock    = "block" // one block alone on an SM
	OneWarp     = "warp"  // one warp alone on an SM
)

// Best, as the name of a method to compare, is the smallest safe bound.
const Best = analysis.Best

// CompareOptions choose what Compare compares. The zero value sets the best bound on
// the launch beside its simulation under loose round-robin and greedy-then-oldest.
type CompareOptions struct {
	GPUs []*gpu.Machine // of different names; nil for DefaultGPU
	// Methods are names of [Methods], and Best; nil for Best. Those of turns claim to
	// cover policies that give warps turns; with L1Reorder they are of caches behind a
	// reordering unit, and nil is the first of those.
	Methods  []string
	Policies []string // of [Policies]; nil for lrr and gto
	Scope    string   // WholeLaunch, which is "" too, OneBlock or OneWarp
	Model    string   // ModelAbstract, the default where the description says ModelFrontend, or ModelPipeline
	L1Order  string   // L1None, which is "" too, or L1Reorder
	// MaxInstructions ends the execution of a kernel with ErrInstructionLimit; 0 for
	// no limit.
	MaxInstructions int64
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// Comparison is bounds beside simulations.
type Comparison struct {
	// Complete is false where an error ended the comparison: the rows are then those
	// of the launches finished before.
	Complete  bool
	Rows      []Row     // of each launch on each GPU
	Summaries []Summary // of the rows of each GPU, method and policy

	gpus []*gpu.Description
	rows []analysis.Row
}

// Report is the comparison as the command compare prints it.
func (c *Comparison) Report() (*Report, error) {
	d, err := report.Comparison(c.gpus, c.rows, c.Complete)
	if err != nil {
		return nil, err
	}
	return &Report{d.Document()}, nil
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

// Compare sets the bounds of a launch beside its simulation under each policy, as the
// function Compare does of several.
func (l *Launch) Compare(ctx context.Context, opt CompareOptions) (*Comparison, error) {
	return Compare(ctx, []*Launch{l}, opt)
}

// Compare sets the bounds of launches beside their simulations, on each GPU and under
// each policy, one launch after the other.
//
// Where the context ends, or a launch fails, the Comparison has what was finished
// before, beside the error; it is nil where nothing was. A complete one comes with a
// [ViolationError] where a bound is below a simulation that it claims to cover, and
// with an [ExitError] for each RISC-V program that failed.
func Compare(ctx context.Context, launches []*Launch, opt CompareOptions) (*Comparison, error) {
	gpus, err := opt.gpus()
	if err != nil {
		return nil, err
	}
	tell := newTeller("comparing launches", nil, opt.Progress)
	on := make([]comparison, len(gpus))
	c := &Comparison{}
	for i, m := range gpus {
		if on[i], err = opt.split(m, tell); err != nil {
			return nil, err
		}
		c.gpus = append(c.gpus, m.Desc)
	}
	var exits []error
	c.rows, err = inTurn(ctx, launches, tell, func(i int, l *Launch) ([]analysis.Row, error) {
		tell.done(int64(i), int64(len(launches)))
		var rows []analysis.Row
		for j := range on {
			more, ended, err := on[j].run(ctx, l)
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
			exits = append(exits, ended)
		}
		return rows, nil
	})
	if err != nil && len(c.rows) == 0 {
		return nil, err
	}
	c.Complete = err == nil
	for i := range c.rows {
		c.Rows = append(c.Rows, Row(c.rows[i]))
	}
	c.Summaries = Summarize(c.Rows)
	return c, errors.Join(errors.Join(exits...), violations(c.Rows), err)
}

// inTurn asks the same of launches, one after the other. Where one fails, or the
// context ends, it returns the rows of those before, too.
func inTurn[R any](ctx context.Context, launches []*Launch, tell *teller, ask func(i int, l *Launch) ([]R, error)) ([]R, error) {
	if len(launches) == 0 {
		return nil, errors.New("no launch to compare")
	}
	var rows []R
	for i, l := range launches {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		tell.launch(l.Program())
		more, err := ask(i, l)
		if err != nil {
			return rows, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// gpus are the GPUs of the options.
func (o *CompareOptions) gpus() ([]*gpu.Machine, error) {
	if o.GPUs == nil {
		m, err := machine(nil, DefaultGPU)
		return []*gpu.Machine{m}, err
	}
	if len(o.GPUs) == 0 {
		return nil, &OptionError{Option: "GPUs", Msg: "no GPU, expected one or more"}
	}
	for i, m := range o.GPUs {
		name := m.Desc.Name
		if slices.ContainsFunc(o.GPUs[:i], func(other *gpu.Machine) bool { return other.Desc.Name == name }) {
			return nil, &OptionError{Option: "GPUs", Value: name, Msg: "two of this name, which would not be told apart"}
		}
	}
	return o.GPUs, nil
}

// comparison is what is compared on one GPU: plain are bounds for every
// work-conserving policy, turns those for turns and for an order of accesses.
type comparison struct {
	gpu   *gpu.Machine
	plain analysis.CompareOptions
	turns analysis.TurnsOptions
}

// run compares a launch. ended says that it is a RISC-V program that failed.
func (c *comparison) run(ctx context.Context, l *Launch) (rows []analysis.Row, ended, err error) {
	on, m, err := l.on(c.gpu, DefaultGPU)
	if err != nil {
		return nil, nil, err
	}
	if len(c.plain.Methods) > 0 {
		q := method.Question{Methods: c.plain.Methods, Limits: c.turns.Limits}
		if slices.Contains(c.plain.Methods, Best) {
			q.Methods = nil
		}
		r, err := analysis.Run(ctx, source(on), m, q)
		if err != nil {
			return nil, nil, explainOf(on, err)
		}
		if rows, err = analysis.Compare(ctx, r, on.Fresh, c.plain); err != nil {
			return nil, nil, explainOf(on, err)
		}
	}
	if len(c.turns.Methods) > 0 {
		more, err := analysis.CompareTurns(ctx, source(on), m, c.turns)
		if err != nil {
			return nil, nil, explainOf(on, err)
		}
		rows = append(rows, more...)
	}
	for i := range rows {
		rows[i].Launch = l.Path()
	}
	return rows, exit(on), nil
}

// split checks the options for a GPU.
func (o *CompareOptions) split(m *gpu.Machine, tell *teller) (c comparison, err error) {
	scopes := map[string]bound.Scope{"": bound.Kernel, WholeLaunch: bound.Kernel, OneBlock: bound.Block, OneWarp: bound.Warp}
	scope, ok := scopes[o.Scope]
	if !ok {
		return c, oneOf("Scope", o.Scope, WholeLaunch, OneBlock, OneWarp)
	}
	order := cmp.Or(o.L1Order, L1None)
	if err := oneOf("L1Order", order, L1None, L1Reorder); err != nil {
		return c, err
	}
	if err := checkL1Order(order, m.Desc); err != nil {
		return c, err
	}
	model, err := plainModel(o.Model, m.Desc)
	if err != nil {
		return c, err
	}
	policies, err := o.policies()
	if err != nil {
		return c, err
	}
	limits, err := tell.limits(o.MaxInstructions)
	if err != nil {
		return c, err
	}
	c.gpu = m
	c.plain = analysis.CompareOptions{Policies: policies, Scope: scope, Model: model, Checks: true}
	c.turns = analysis.TurnsOptions{Policies: policies, Scope: scope, Model: model, Order: order, Limits: limits, Checks: true}
	if o.Progress != nil {
		c.plain.Simulated, c.turns.Simulated = tell.simulated, tell.simulated
	}
	if c.plain.Methods, c.turns.Methods, err = splitMethods(o.Methods, order); err != nil {
		return c, err
	}
	if len(c.turns.Methods) > 0 && scope == bound.Warp {
		return c, &OptionError{Option: "Scope", Value: o.Scope, Msg: "turns and orders of accesses are between warps, expected the scope launch or block"}
	}
	return c, nil
}

// policies are those of the options.
func (o *CompareOptions) policies() ([]policy.Policy, error) {
	if o.Policies == nil {
		return []policy.Policy{{Name: "lrr"}, {Name: "gto"}}, nil
	}
	if len(o.Policies) == 0 {
		return nil, &OptionError{Option: "Policies", Msg: "no name, expected some of " + conf.List(policy.Names())}
	}
	var out []policy.Policy
	for _, name := range o.Policies {
		if name == "" {
			return nil, oneOf("Policies", name, policy.Names()...)
		}
		p, err := parsePolicy("Policies", name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// splitMethods tells bounds for every work-conserving policy from those for turns and
// for an order of accesses.
func splitMethods(names []string, order string) (plain, turns []string, err error) {
	inTurns, inOrder := analysis.Names(method.InTurns), analysis.Names(method.InOrder)
	known := slices.Concat([]string{Best}, analysis.Names(method.Plain), inTurns)
	if order == L1Reorder {
		known = slices.Concat(inOrder, inTurns)
	}
	switch {
	case names == nil && order == L1Reorder:
		return nil, inOrder[:1], nil
	case names == nil:
		return []string{Best}, nil, nil
	case len(names) == 0:
		return nil, nil, &OptionError{Option: "Methods", Msg: "no name, expected some of " + conf.List(known)}
	}
	for _, name := range names {
		if err := oneOf("Methods", name, known...); err != nil {
			return nil, nil, err
		}
		if order == L1Reorder || slices.Contains(inTurns, name) {
			turns = append(turns, name)
		} else {
			plain = append(plain, name)
		}
	}
	return plain, turns, nil
}
