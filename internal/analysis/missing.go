package analysis

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// MissingBounds says that a launch is not covered for every input before loops have
// bounds that the launch does not state.
type MissingBounds struct {
	// Loops are all of them, in the order of the program, each with what decides whether
	// it goes on and the fact that is missing.
	Loops []*simt.NotCovered
	// Then is why the launch is not covered where all of them have a bound; nil where it
	// is.
	Then error

	found error // what was found first
}

// Error names the loops, a line each.
func (e *MissingBounds) Error() string {
	var lines []string
	for _, l := range e.Loops {
		lines = append(lines, l.Error())
	}
	if e.Then != nil {
		lines = append(lines, "with bounds on these: "+e.Then.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap is the refusal that was found first.
func (e *MissingBounds) Unwrap() error { return e.found }

// has says whether the bound on a loop is missing.
func (e *MissingBounds) has(head int32) bool {
	return e != nil && slices.ContainsFunc(e.Loops, func(l *simt.NotCovered) bool { return l.Loop == head })
}

const (
	// mostMissing bounds the loops whose bounds are missing that are looked for.
	mostMissing = 64
	// supposed is the bound that those found before are taken to have meanwhile, as the
	// refusal proposes, and supposedFew one that is tried first.
	supposed    = 100
	supposedFew = 2
	// mostLooked is how many instructions are executed to find one of them.
	mostLooked = 1 << 15
	// settled is how often memory may turn out not to be known.
	settled = 4
	// boundless is one that no execution exceeds: so many ways back take hours.
	boundless = 1<<40 - 1
)

// errLooked is why not all loops that need a bound may be found.
var errLooked = errors.New("others may need one, too: looking for them takes too long")

// missing looks for all loops without a bound where why, the refusal of a covering
// execution, names one: each is found where those before it are taken to have one. The
// paths that such bounds allow are for finding the next, and nothing is claimed of them.
func (r *Report) missing(ctx context.Context, why error) (error, error) {
	var not *simt.NotCovered
	if !r.Question.Missing || r.Source.With == nil || !errors.As(why, &not) || not.Loop == isa.NoPC {
		return why, nil
	}
	out := &MissingBounds{found: why}
	for why != nil && !errors.Is(why, simt.ErrLoopBound) {
		not = nil
		if !errors.As(why, &not) || not.Loop == isa.NoPC || out.has(not.Loop) || len(out.Loops) >= mostMissing {
			out.Then = why
			if errors.Is(why, simt.ErrInstructionLimit) {
				out.Then = errLooked
			}
			break
		}
		out.Loops = append(out.Loops, not)
		// With few iterations of each loop the next is found soon, if it is found.
		why = r.bothWays(ctx, r.suppose(out, true))
		if none := why == nil; none || errors.Is(why, simt.ErrLoopBound) {
			if why = r.bothWays(ctx, r.suppose(out, false)); none && errors.Is(why, simt.ErrInstructionLimit) {
				why = nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	slices.SortStableFunc(out.Loops, func(a, b *simt.NotCovered) int { return int(a.Loop - b.Loop) })
	return out, nil
}

// suppose is the bounds that loops are taken to have while others are looked for: few ways
// back, or as many as the refusal proposes and the input that was executed makes.
func (r *Report) suppose(of *MissingBounds, few bool) []facts.Fact {
	var out []facts.Fact
	for _, l := range of.Loops {
		most := int64(supposedFew)
		if !few {
			most = supposed
			for i := 0; r.Seen != nil && i < len(r.Seen.Loops); i++ {
				if r.Seen.Loops[i].Head == l.Loop {
					most = max(most, r.Seen.Seen[i].PerEntry.Most)
				}
			}
		}
		out = append(out, facts.Fact{Kind: facts.PerEntry, Head: l.Loop, Most: most, AnyOrder: true})
	}
	return out
}

// bothWays is why the launch is not covered with more facts, in closed form or, where it is
// another reason than a loop without a bound, iteration by iteration; nil where it is.
func (r *Report) bothWays(ctx context.Context, extra []facts.Fact) error {
	limits := r.lookingLimits()
	_, _, closed := r.covered(ctx, r.Source.With(extra), true, limits)
	var not *simt.NotCovered
	if closed == nil || errors.As(closed, &not) && not.Loop != isa.NoPC || r.Question.NoInput || r.Question.Closed {
		return closed
	}
	_, _, err := r.covered(ctx, r.Source.With(extra), false, limits)
	if err != nil && !errors.As(err, &not) {
		return closed
	}
	return err
}

// lookingLimits are the limits of covering executions that look for loops.
func (r *Report) lookingLimits() simt.Limits {
	limits := r.Question.Limits
	if limits.MaxInstructions == 0 || limits.MaxInstructions > mostLooked {
		limits.MaxInstructions = mostLooked
	}
	return limits
}

// others is what is known of the loops beside those whose bounds are missing, for every
// input: what a covering execution finds in which those go on without end, and those, too,
// that end by what these count.
func (r *Report) others(ctx context.Context) map[int32]facts.Covered {
	if r.Missing == nil {
		return nil
	}
	var extra []facts.Fact
	endless := func(head int32) {
		extra = append(extra, facts.Fact{Kind: facts.PerEntry, Head: head, Most: boundless, AnyOrder: true})
	}
	for _, l := range r.Missing.Loops {
		endless(l.Loop)
	}
	for {
		by, err := r.walk(ctx, r.Source.With(extra))
		var not *simt.NotCovered
		switch {
		case err == nil:
			out := by.CoveredLoops()
			for i := range extra {
				delete(out, extra[i].Head)
			}
			return out
		case !errors.As(err, &not) || not.Loop == isa.NoPC || len(extra) >= 2*mostMissing,
			slices.ContainsFunc(extra, func(f facts.Fact) bool { return f.Head == not.Loop }):
			return nil // it is not known how they end
		}
		endless(not.Loop)
	}
}

// walk is a covering execution in closed form of which nothing is counted.
func (r *Report) walk(ctx context.Context, source method.Source) (covering, error) {
	var unknown []string
	limits := r.lookingLimits()
	for range settled {
		t, err := source.Tainted()
		if err != nil {
			return nil, err
		}
		k, ok := t.(covers)
		if !ok {
			return nil, errNotFollowed
		}
		c, err := k.Coverer(simt.CoverOptions{Unknown: unknown, Closed: true})
		if err != nil {
			return nil, err
		}
		by, ok := c.(covering)
		if !ok {
			return nil, errNotFollowed
		}
		executed := int64(0)
		for i := range c.Blocks() {
			if err := c.Cover(ctx, i, limits, &executed, nowhere{}); err != nil {
				return nil, err
			}
		}
		more := c.Distrusted()
		if len(more) == 0 {
			return by, nil
		}
		unknown = append(unknown, more...)
	}
	return nil, path.ErrUnsettled
}

// nowhere is a sink of what nobody asks for.
type nowhere struct{}

func (nowhere) Step(int, *simt.Step, *simt.Spread) {}
func (nowhere) Fork(int)                           {}
func (nowhere) Next(int)                           {}
func (nowhere) Join(int, simt.Joined)              {}
func (nowhere) Loop(int)                           {}
func (nowhere) Arrive(int)                         {}
func (nowhere) EndLoop(int, *simt.LoopEnd)         {}
