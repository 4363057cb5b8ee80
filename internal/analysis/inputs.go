package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
)

// covers is a kernel that can be executed for all inputs at once.
type covers interface {
	simt.Tainted
	// Coverer is the execution, in which memory of these names is not known.
	Coverer(simt.CoverOptions) (simt.Coverer, error)
	// LoopBounds are the bounds that it relies on.
	LoopBounds() []string
}

// everyInput bounds the launch for all inputs where the recorded path holds for one
// only: it covers what the launch may execute, and asks the methods again that are for
// sets of paths.
func (r *Report) everyInput(ctx context.Context) error {
	if r.Question.Machine() != method.Plain || r.Path.Instructions == 0 {
		return nil
	}
	if r.AllInputs() && !r.Question.Closed {
		return unused(r.Source.Facts, make([]bool, len(r.Source.Facts)), "what the kernel executes does not depend on data here")
	}
	if !slices.ContainsFunc(r.methods, func(m *method.Method) bool { return m.Choices }) {
		r.NotCovered = errNoChoices.Error()
		return nil
	}
	if r.Source.Fresh == nil {
		r.NotCovered = errOnce.Error()
		return nil
	}
	no, err := r.cover(ctx, r.Question.Closed)
	if no != nil && err == nil && !r.Question.Closed {
		// One block and one iteration may stand for what are too many.
		also, err := r.cover(ctx, true)
		if also == nil || err != nil {
			return err
		}
		if slices.ContainsFunc(r.Ranges, func(of simt.Range) bool { return !of.Buffer }) {
			no = also // what is executed block by block has no ranges of arguments
		}
	}
	if no != nil {
		return r.refused(ctx, no)
	}
	return err
}

// refused says why there is no bound for all inputs, with all loops that need one.
func (r *Report) refused(ctx context.Context, no error) error {
	no, err := r.missing(ctx, no)
	if err != nil {
		return err
	}
	errors.As(no, &r.Missing)
	r.NotCovered = no.Error()
	return nil
}

// cover makes the report one for all inputs. It returns why it is not, or an error. In
// closed form results that the instruction set leaves open are taken to be functions of
// their operands if nothing is covered without.
func (r *Report) cover(ctx context.Context, closed bool) (no, err error) {
	no, err = r.coverWith(ctx, simt.CoverOptions{Closed: closed})
	if !closed || no == nil || err != nil || !r.leavesOpen() {
		return no, err
	}
	if also, err := r.coverWith(ctx, simt.CoverOptions{Closed: true, Functions: true}); also == nil || err != nil {
		return nil, err
	}
	return no, nil
}

// leavesOpen says that the kernel may have results that its instruction set leaves open.
func (r *Report) leavesOpen() bool {
	t, err := r.Source.Tainted()
	if err != nil {
		return false // covering it has said so
	}
	k, ok := t.(interface{ LeavesOpen() bool })
	return ok && k.LeavesOpen()
}

// mostExecuted is how many instructions are executed to have loops one iteration after the
// other that could be closed with a fact.
const mostExecuted = 1 << 20

// coverWith is cover with these options.
func (r *Report) coverWith(ctx context.Context, opt simt.CoverOptions) (no, err error) {
	every, by, no, err := r.forEvery(ctx, opt, r.Question.Limits)
	if no != nil || err != nil {
		return no, err
	}
	// A loop that only a fact ends is taken to go on as often as that says: no less than it
	// does where what ends it is known after all.
	if facts, ok := by.(interface{ ClosedByFacts() bool }); ok && facts.ClosedByFacts() && len(r.Question.Parametric) == 0 {
		limits := r.Question.Limits
		if limits.MaxInstructions == 0 || limits.MaxInstructions > mostExecuted {
			limits.MaxInstructions = mostExecuted
		}
		opt.Execute = true
		executed, _, no, err := r.forEvery(ctx, opt, limits)
		switch {
		case ctx.Err() != nil, errors.Is(err, simt.ErrLoopBound), errors.Is(err, simt.ErrFact):
			return nil, err
		case no == nil && err == nil && executed.Best != nil && (every.Best == nil || executed.Best.Cycles < every.Best.Cycles):
			every = executed
		}
	}
	*r = *every
	return nil, nil
}

// forEvery is the report for all inputs, and the execution that it is from. It returns why
// there is none, or an error.
func (r *Report) forEvery(ctx context.Context, opt simt.CoverOptions, limits simt.Limits) (every *Report, cover covering, no, err error) {
	f := *r.Facts
	f.Closed = opt.Closed
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		t, err := r.Source.Tainted()
		if err != nil {
			return nil, nil, err
		}
		k, ok := t.(covers)
		if !ok {
			return nil, nil, errNotFollowed
		}
		f.LoopBounds = k.LoopBounds()
		opt.Unknown = unknown
		c, err := k.Coverer(opt)
		cover, _ = c.(covering)
		return c, k, err
	}
	covered, unknown, err := path.Cover(ctx, launch, r.Machine, r.Timing, path.Options{Limits: limits, Progress: r.Question.Progress, Facts: r.Source.Facts})
	var not *simt.NotCovered
	var fault *simt.RuntimeError
	switch {
	case errors.As(err, &fault) && !errors.Is(err, simt.ErrLoopBound) && !errors.Is(err, simt.ErrFact):
		// What another input may do wrong says nothing of the input recorded; a
		// bound on a loop that does not hold is wrong for every input.
		return nil, cover, fmt.Errorf("covering every input ended early: %w", err), nil
	case errors.As(err, &not), errors.Is(err, errNotFollowed), errors.Is(err, path.ErrTooLarge), errors.Is(err, path.ErrTooMuch), errors.Is(err, path.ErrUnsettled):
		return nil, cover, err, nil
	case err != nil:
		return nil, cover, nil, err
	}
	if err := r.allUsed(cover, covered); err != nil && !opt.Closed {
		return nil, cover, nil, err // in closed form some kinds of facts are not needed, or not used
	}
	f.Unknown = unknown
	if by, ok := cover.(interface{ Functions() []int32 }); ok {
		for _, pc := range by.Functions() {
			f.Functions = append(f.Functions, r.Program.Instructions[pc].Pos)
		}
	}
	if r.Question.Loops && cover != nil {
		f.Covered = cover.CoveredLoops()
	}
	every = &Report{Facts: f.Covering(covered), methods: r.methods, OfThisInput: r.Scopes}
	if f.Unrecorded != "" {
		every.ThisInput = nil
	}
	if err := every.results(ctx); err != nil {
		return nil, cover, nil, err
	}
	return every, cover, nil, nil
}

// errNoChoices is why methods for a single path bound one input.
var errNoChoices = errors.New("no method asked for is for paths that depend on data")

// errOnce is a source of a single execution.
var errOnce = errors.New("the kernel can be executed once only")

// errNotFollowed is a kernel that cannot be executed for all inputs at once.
var errNotFollowed = errors.New("the kernel cannot be executed for all inputs at once")

// Single is the report of the recorded path, for what is about a single path.
func (r *Report) Single() *Report {
	if r.ThisInput == nil {
		return r
	}
	out := *r
	out.Facts, out.Scopes, out.OfThisInput = r.Facts.Single(), r.OfThisInput, nil
	out.Best = out.Whole().BestBound()
	return &out
}

// recordedAtFirst is how many instructions of an input are executed before it is tried to
// cover all inputs without.
const recordedAtFirst = 1 << 23

// errNoInput is why none was executed.
var errNoInput = errors.New("no input is given")

// NotCoveredError says why a launch without an input has no bound.
type NotCoveredError struct{ Why string }

func (e *NotCoveredError) Error() string { return "no bound for all inputs: " + e.Why }

// unrecorded records the launch, or covers every input without where the question allows
// for it and executing one takes long. It says whether the report is complete.
func (r *Report) unrecorded(ctx context.Context, k simt.Tainted) (done bool, err error) {
	q := &r.Question
	_, coverable := k.(covers)
	choices := slices.ContainsFunc(r.methods, func(m *method.Method) bool { return m.Choices })
	switch {
	case q.NoInput && !choices:
		return true, &NotCoveredError{errNoChoices.Error()}
	case q.NoInput:
	case !q.Unrecorded || !coverable || !choices || q.Machine() != method.Plain || q.Loops || r.Source.Fresh == nil:
		return false, r.record(ctx, k, 0)
	}
	long := errNoInput
	if !q.NoInput {
		long = r.record(ctx, k, recordedAtFirst)
	}
	if !q.NoInput && !errors.Is(long, path.ErrTooMuch) && !errors.Is(long, path.ErrTooLarge) {
		return false, long
	}
	methods := r.methods
	r.methods = slices.DeleteFunc(slices.Clone(methods), func(m *method.Method) bool { return !m.Choices })
	r.Path, r.Unrecorded = &path.Recorded{}, long.Error()
	no, err := r.cover(ctx, true)
	switch {
	case no == nil || err != nil:
		return true, err
	case q.NoInput:
		r.Unrecorded = "" // nothing holds for all inputs
		if err := r.refused(ctx, no); err != nil {
			return true, err
		}
		return true, &NotCoveredError{r.NotCovered}
	}
	r.methods, r.Path, r.Unrecorded = methods, nil, ""
	if errors.Is(long, path.ErrTooLarge) {
		return false, long
	}
	if k, err = r.Source.Tainted(); err != nil {
		return false, err
	}
	return false, r.record(ctx, k, 0)
}
