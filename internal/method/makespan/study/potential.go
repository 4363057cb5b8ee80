package study

import (
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/potential"
)

// certificate is derived where it is first needed: it holds for any number of
// warps of its string.
type certificate struct {
	of      *potential.Certificate
	courses *potential.Courses
	// refused is the error of a string that has none, however long one looks, and
	// noCourses that of one without courses.
	refused, noCourses error
}

// finest is the largest cap that is tried: a finer abstraction costs several times
// as much as the one before.
const finest = 3

// Where the exact makespan is known and nobody asked, a certificate is looked for
// among those that are found in a fraction of a second.
const eagerStates, eagerEdges = 1 << 12, 1 << 16

// attainBytes is enough memory for the schedules that attain most certificates.
// What a number of warps attains, a larger number attains too, or nearly so.
const attainBytes, attainWarps = 16 << 20, 1 << 12

// derive tries finer and finer abstractions until a schedule attains the bound, or
// the exact makespan is known to.
func (c *certificate) derive(ctx context.Context, in *makespan.Instance, t task) error {
	if c.of != nil || c.refused != nil {
		return c.refused
	}
	o := potential.Options{}
	most := int64(finest)
	if !t.asked && t.exact > 0 {
		o.MaxStates, o.MaxEdges, most = eagerStates, eagerEdges, 1
	}
	for base := int64(1); base <= most; base++ {
		o.Base = []int64{base}
		next, err := potential.Derive(ctx, in, o)
		var limit *makespan.LimitError
		switch {
		case errors.As(err, &limit) && c.of != nil:
			return nil
		case err != nil:
			if errors.As(err, &limit) && ctx.Err() == nil {
				c.refused = err
			}
			return err
		}
		done, err := c.improve(ctx, in, next, t.exact)
		if err != nil || done {
			return err
		}
	}
	return nil
}

// improve takes the better certificate and says whether none can be better.
func (c *certificate) improve(ctx context.Context, in *makespan.Instance, next *potential.Certificate, exact int64) (bool, error) {
	cycles, _, err := next.Cycles(in)
	if err != nil {
		return false, err
	}
	if c.of != nil {
		before, _, err := c.of.Cycles(in)
		if err != nil {
			return false, err
		}
		if before <= cycles {
			return false, nil
		}
	}
	c.of = next
	if exact > 0 {
		return cycles == exact, nil
	}
	fewer := in.WithWarps(min(in.Warps, attainWarps))
	bound, _, err := next.Cycles(fewer)
	if err != nil {
		return false, err
	}
	r, err := potential.Exact(ctx, fewer, next, potential.Limits{MemoryBytes: attainBytes})
	var limit *makespan.LimitError
	if err != nil && !errors.As(err, &limit) {
		return false, err
	}
	return r.Cycles == bound, nil
}

func runPotential(ctx context.Context, in *makespan.Instance, t task) (*outcome, error) {
	if err := t.certificate.derive(ctx, in, t); err != nil {
		return nil, err
	}
	cycles, smaller, err := t.certificate.of.Cycles(in)
	if err != nil {
		return nil, err
	}
	out := &outcome{cycles: cycles, note: t.certificate.of.String()}
	if !smaller {
		out.note += "; no smaller than the closed form"
	}
	return out, nil
}

// lawWarps is up to how many warps schedules are tried that a law can be built on.
const lawWarps = 48

// manyWarps are too many to search for a schedule of: courses are looked for first.
const manyWarps = 1 << 14

// runLaw looks for a law of the certificate's line, and of the courses' where that
// has none and they are worth their time.
func runLaw(ctx context.Context, in *makespan.Instance, t task) (*outcome, error) {
	if err := t.certificate.derive(ctx, in, t); err != nil {
		return nil, err
	}
	bound := t.certificate.of.Cycles
	law, err := potential.FindLaw(ctx, in, t.certificate.of, t.certificate.of.Line(), lawWarps)
	if err == nil && law == nil && (t.asked || t.exact == 0 && in.Warps >= manyWarps) {
		if law, err = t.certificate.lawOfCourses(ctx, in); law != nil {
			bound = t.certificate.courses.Cycles
		}
	}
	switch {
	case err != nil:
		return nil, err
	case law == nil:
		return &outcome{note: fmt.Sprintf("no schedule of up to %d warps reaches a bound and can be continued", lawWarps)}, nil
	case in.Warps < law.From:
		return &outcome{note: law.String()}, nil
	}
	// From there on the law's line is what its bound says.
	cycles, _, err := bound(in)
	return &outcome{cycles: cycles, note: law.String()}, err
}

// lawOfCourses is nil where there is none, or no courses.
func (c *certificate) lawOfCourses(ctx context.Context, in *makespan.Instance) (*potential.Law, error) {
	courses, err := c.deriveCourses(ctx, in)
	if err != nil {
		var limit *makespan.LimitError
		if errors.As(err, &limit) && ctx.Err() == nil {
			return nil, nil
		}
		return nil, err
	}
	return potential.FindLaw(ctx, in, c.of, courses.Line(), lawWarps)
}

func (c *certificate) deriveCourses(ctx context.Context, in *makespan.Instance) (*potential.Courses, error) {
	if c.courses != nil || c.noCourses != nil {
		return c.courses, c.noCourses
	}
	courses, err := potential.DeriveCourses(ctx, in, potential.Options{})
	var limit *makespan.LimitError
	if errors.As(err, &limit) && ctx.Err() == nil {
		c.noCourses = err
	}
	c.courses = courses
	return courses, err
}

func runCourses(ctx context.Context, in *makespan.Instance, t task) (*outcome, error) {
	c, err := t.certificate.deriveCourses(ctx, in)
	if err != nil {
		return nil, err
	}
	cycles, smaller, err := c.Cycles(in)
	if err != nil {
		return nil, err
	}
	out := &outcome{cycles: cycles, note: fmt.Sprintf("by %d courses", len(c.Courses))}
	if line, ok := c.Line().At(in.Warps); ok && line == cycles {
		out.note = c.String()
	}
	if !smaller {
		out.note += "; no smaller than the closed form"
	}
	return out, nil
}

func runSearch(ctx context.Context, in *makespan.Instance, t task) (*outcome, error) {
	if err := t.certificate.derive(ctx, in, t); err != nil {
		return nil, err
	}
	r, err := potential.Exact(ctx, in, t.certificate.of, potential.Limits{MemoryBytes: t.budget.MemoryBytes, UpperCycles: t.best})
	if err != nil {
		return nil, err
	}
	out := &outcome{cycles: r.Cycles}
	if r.States > 0 {
		out.work, out.workUnit = r.States, "state"
	}
	switch {
	case t.witness && r.Moves == nil:
		out.note = fmt.Sprintf("no schedule: out of memory: its cycles alone need more than %d bytes", t.budget.MemoryBytes)
	case t.witness:
		err = out.witness(in, r.Moves, t.budget)
	}
	return out, err
}
