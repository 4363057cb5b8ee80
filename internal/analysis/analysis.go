package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// Report is what is known about the time of a launch on a machine.
type Report struct {
	*method.Facts
	Scopes []*bound.Result // warp, block, then sm or kernel
	// Best is the smallest safe bound on the whole launch.
	Best *bound.Bound
	// FrontEnd is the one that Best is for, nil where the bounds are of a machine
	// without one. No field of it is empty.
	FrontEnd *method.FrontEnd

	// OfThisInput are the results of the recorded path, where it holds for the input that
	// was recorded only and Scopes are for all inputs; nil otherwise.
	OfThisInput []*bound.Result
	// NotCovered says why there are no results for all inputs, "" where there are.
	NotCovered string
	// Missing are the bounds on loops without which there are none, where the question asks
	// for all of them; nil where that is not the reason.
	Missing *MissingBounds

	methods []*method.Method // that were asked for
}

// Scope returns the result for a scope, nil where there is none.
func (r *Report) Scope(s bound.Scope) *bound.Result {
	for _, x := range r.Scopes {
		if x.Scope == s {
			return x
		}
	}
	return nil
}

// L1Order is how global accesses reach the L1 data cache: sim.L1Reorder, or
// sim.L1None.
func (r *Report) L1Order() string {
	if r.Question.Reordered {
		return sim.L1Reorder
	}
	return sim.L1None
}

// Whole is the result for the whole launch.
func (r *Report) Whole() *bound.Result { return r.Scopes[len(r.Scopes)-1] }

// Of is the source of a single execution of a kernel, which is enough for bounds of
// a plain machine.
func Of(k simt.Tainted) method.Source {
	return method.Source{Tainted: func() (simt.Tainted, error) { return k, nil }}
}

// Run answers a question about a launch on a machine: it records what the warps
// execute, and bounds each scope by every method of Table that the question asks
// for. Where a method gives no bound the report has the reason.
//
// The kernel is executed as path.Record does it: one block of each class of blocks
// that provably take one path, or all blocks in order. Bounds on accesses in an
// enforced order execute all blocks, more than once.
func Run(ctx context.Context, launch method.Source, m *gpu.Machine, q method.Question) (*Report, error) {
	methods, err := choose(&q)
	if err != nil {
		return nil, err
	}
	k, err := launch.Tainted()
	if err != nil {
		return nil, err
	}
	r := &Report{}
	if r.Facts, err = method.Prepare(k, m, q); err != nil {
		return nil, err
	}
	r.Source = launch
	if q.FrontEnd != nil {
		r.FrontEnd = q.FrontEnd.On(m.Desc)
	}
	r.methods = methods
	var refused *NotCoveredError
	switch done, err := r.unrecorded(ctx, k); {
	case errors.As(err, &refused):
		return r, err
	case err != nil:
		return nil, err
	case done:
		return r, nil
	}
	r.methods = nil
	for _, x := range methods {
		if q.Methods != nil || x.OnRequest == nil || !x.OnRequest(r.Facts) {
			r.methods = append(r.methods, x)
		}
	}
	if err := r.results(ctx); err != nil {
		return nil, err
	}
	return r, r.everyInput(ctx)
}

// results bounds every scope.
func (r *Report) results(ctx context.Context) error {
	r.Scopes = nil
	for _, scope := range r.scopes() {
		res, err := r.result(ctx, method.Part{Scope: scope, Index: method.Slowest})
		if err != nil {
			return err
		}
		r.Scopes = append(r.Scopes, res)
	}
	r.Best = r.Whole().BestBound()
	return nil
}

// Record prepares a report without bounds, for packages that bound parts of a
// launch: the kernel is executed as Run does it. watched is k, or a kernel around it
// that sees what is executed.
func Record(ctx context.Context, k simt.Tainted, watched simt.Kernel, m *gpu.Machine, limits simt.Limits) (*method.Facts, error) {
	f, err := method.Prepare(k, m, method.Question{Limits: limits})
	if err != nil {
		return nil, err
	}
	if f.Path, err = path.Record(ctx, watched, m, f.Timing, path.Options{Limits: limits}); err != nil {
		return nil, err
	}
	f.Observe(k)
	return f, nil
}

// record makes the path that the methods of the machine read. Those of an enforced
// order of accesses execute the kernel themselves. It ends with path.ErrTooMuch after
// executing most instructions, if that is not 0.
func (r *Report) record(ctx context.Context, k simt.Tainted, most int64) (err error) {
	q := &r.Question
	if q.Progress != nil {
		q.Progress(0, r.Blocks)
	}
	if q.Reordered {
		r.Path = &path.Recorded{}
		return nil
	}
	watched := simt.Kernel(k)
	if q.Machine() == method.WithFrontEnd {
		watched = replay.Watch(r.Facts, k)
	}
	opt := path.Options{Limits: q.Limits, Most: most, Progress: q.Progress}
	if len(r.Source.Facts) > 0 || q.Loops {
		if r.Seen, err = facts.NewTracker(k.Program(), k.WarpSize(), r.Source.Facts); err != nil {
			return err
		}
		opt.Watch = &facts.Executions{Tracker: r.Seen}
	}
	r.Path, err = path.Record(ctx, watched, r.Machine, r.Timing, opt)
	if err == nil {
		r.Observe(k)
	}
	return err
}

// scopes are those that are reported, from the smallest to the largest.
func (r *Report) scopes() []bound.Scope {
	if r.profiled() {
		return []bound.Scope{bound.Warp, bound.Block, r.WholeScope()}
	}
	return []bound.Scope{bound.Block, r.WholeScope()}
}

// profiled says that warps have profiles: their path is known, and barriers split it.
func (r *Report) profiled() bool {
	on := r.Question.Machine()
	return (on == method.Plain || on == method.WithFrontEnd) && r.Path.Irregular == ""
}

// result bounds a part by every method asked for.
func (r *Report) result(ctx context.Context, part method.Part) (*bound.Result, error) {
	res := bound.NewResult(part.Scope)
	if r.profiled() {
		l, err := multiphase.Of(r.Facts)
		if err != nil {
			return nil, err
		}
		profile, err := l.Result(ctx, part)
		if err != nil {
			return nil, err
		}
		res.Warps, res.Sections = profile.Warps, profile.Sections
	}
	for _, m := range r.methods {
		if !m.On(part.Scope) {
			continue
		}
		b, err := r.run(ctx, m, part)
		var no *bound.Refusal
		switch {
		case errors.As(err, &no):
			res.Refused = append(res.Refused, bound.Refusal{Method: m.Name, Scope: part.Scope, Reason: no.Reason, Assumption: no.Assumption})
		case err != nil:
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		case b != nil:
			res.Add(*b)
		}
	}
	return res, nil
}

// run is the bound by one method. With a front end, those of a machine without one
// are not safe.
func (r *Report) run(ctx context.Context, m *method.Method, part method.Part) (*bound.Bound, error) {
	if !m.Choices {
		if no := r.SeveralPaths(); no != nil {
			return nil, no
		}
	}
	if m.Applies != nil {
		if no := m.Applies(r.Facts, part); no != nil {
			return nil, no
		}
	}
	b, err := m.Run(ctx, r.Facts, part)
	if err != nil || b == nil || !b.Safe || m.Machine == r.Question.Machine() {
		return b, err
	}
	other := *b
	other.Safe, other.UnsafeReason = false, fmt.Sprintf("of a machine that always has the next instruction at hand (%s)", bound.BuffersNeverEmpty)
	return &other, nil
}
