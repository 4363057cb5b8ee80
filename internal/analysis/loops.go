package analysis

import (
	"context"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// LoopOrigin is where the bound on a loop comes from.
type LoopOrigin string

// Where bounds on loops come from.
const (
	// LoopExecuted: what ends the loop is known, and it was executed.
	LoopExecuted LoopOrigin = "executed"
	// LoopComputed: data may end it earlier, and something known ends it at last.
	LoopComputed LoopOrigin = "computed"
	// LoopFact: a fact of the launch ends it, which is assumed.
	LoopFact LoopOrigin = "fact"
	// LoopUnbounded: data alone end it, and no fact says when.
	LoopUnbounded LoopOrigin = "unbounded"
	// LoopSeen: what was recorded of this input; another one may do more.
	LoopSeen LoopOrigin = "this input"
	// LoopNotKnown: no input was executed, and how the loop ends hangs on loops without a
	// bound, or on what is not covered.
	LoopNotKnown LoopOrigin = "not known"
	// LoopNotEntered: nobody comes to it, for any input where that is said of all.
	LoopNotEntered LoopOrigin = "not entered"
)

// LoopBound is what is known of a loop.
type LoopBound struct {
	facts.Loop
	Origin LoopOrigin
	// Most is the most ways back to the head for one entry, of any thread; nil where
	// there is no bound.
	Most *int64
	// AllInputs says that Origin and Most hold for every input, within Facts.
	AllInputs bool
	// Seen is what the recorded input does.
	Seen facts.LoopSeen
	// Facts are those of the launch about the loop.
	Facts []string
	// Decides says through what data decide whether it goes on, "" where they do not.
	Decides string
}

// decider is a kernel that knows what a branch is computed from.
type decider interface{ Decides(pc int32) string }

// BoundLoops is what is known of every loop of the kernel, in the order of the program, of
// a plain machine and where the question asks for loops.
func (r *Report) BoundLoops(ctx context.Context) ([]LoopBound, error) {
	if !r.Question.Loops {
		return nil, nil
	}
	if r.Seen == nil { // no input was executed
		var err error
		if r.Seen, err = facts.NewTracker(r.Program, r.Machine.Desc.SM.WarpSize, nil); err != nil {
			return nil, err
		}
	}
	others := r.others(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := r.Source.Tainted()
	if err != nil {
		return nil, err
	}
	why, _ := t.(decider)
	var out []LoopBound
	for i := range r.Seen.Loops {
		out = append(out, r.loop(i, others, why))
	}
	return out, nil
}

// loop is what is known of a loop; others is what is of those beside loops whose bounds are
// missing.
func (r *Report) loop(i int, others map[int32]facts.Covered, why decider) LoopBound {
	unbounded := r.Missing.has(r.Seen.Loops[i].Head)
	l := LoopBound{Loop: r.Seen.Loops[i], Seen: r.Seen.Seen[i], AllInputs: r.AllInputs()}
	least := int64(-1)
	for j := range r.Source.Facts {
		f := &r.Source.Facts[j]
		if f.Kind > facts.PerWarp || f.Head != l.Head {
			continue
		}
		l.Facts = append(l.Facts, f.Name)
		if f.Kind != facts.PerWarp && (least < 0 || f.Most < least) {
			least = f.Most
		}
	}
	most := l.Seen.PerEntry.Most
	entered, data := l.Seen.Entered, unbounded
	covered, all := r.Covered[l.Head]
	all = all && (r.ThisInput != nil || r.Unrecorded != "")
	closed := r.Closed
	if other, ok := others[l.Head]; ok {
		covered, all, closed, l.AllInputs = other, true, true, true
	}
	known := true
	switch {
	case unbounded:
		l.Origin, l.AllInputs, known = LoopUnbounded, true, false
	case all:
		most, entered, data = covered.Most, covered.Entered, covered.Data
		switch {
		case covered.Bounded && least >= 0:
			l.Origin, most = LoopFact, min(most, least)
		case covered.Data || closed:
			l.Origin = LoopComputed
		default:
			l.Origin = LoopExecuted
		}
	case l.AllInputs && r.ThisInput == nil && r.Unrecorded == "":
		l.Origin = LoopExecuted
	case r.Question.NoInput:
		l.Origin, l.AllInputs, known = LoopNotKnown, false, false
	default:
		// What covered it says nothing of loops.
		l.Origin, l.AllInputs = LoopSeen, false
	}
	if !entered && known {
		l.Origin, most = LoopNotEntered, 0
	}
	if known {
		l.Most = &most
	}
	if why != nil && (data || l.Origin == LoopSeen || l.Origin == LoopNotKnown) {
		l.Decides = r.decides(&l.Loop, why, unbounded || data && !closed)
	}
	return l
}

// decides says which branches on data leave a loop; with all, every branch that does, if
// none was seen to depend on them.
func (r *Report) decides(l *facts.Loop, why decider, all bool) string {
	var known, any []string
	for _, pc := range l.Exits {
		if in := &r.Program.Instructions[pc]; in.Guard == isa.NoReg && len(in.Targets) < 2 {
			continue
		}
		what := why.Decides(pc)
		any = append(any, what)
		if slices.ContainsFunc(r.InputDependent, func(t simt.Taint) bool { return t.PC == pc && t.Kind == simt.TaintBranch }) {
			known = append(known, what)
		}
	}
	if len(known) == 0 && all {
		known = any
	}
	return strings.Join(known, "; ")
}

// covered covers what a launch may execute, in closed form if asked for.
func (r *Report) covered(ctx context.Context, source method.Source, closed bool, limits simt.Limits) (*path.Recorded, covering, error) {
	var by covering
	launch := func(unknown []string) (simt.Coverer, simt.Kernel, error) {
		t, err := source.Tainted()
		if err != nil {
			return nil, nil, err
		}
		k, ok := t.(covers)
		if !ok {
			return nil, nil, errNotFollowed
		}
		c, err := k.Coverer(simt.CoverOptions{Unknown: unknown, Closed: closed})
		by, _ = c.(covering)
		return c, k, err
	}
	out, _, err := path.Cover(ctx, launch, r.Machine, r.Timing, path.Options{Limits: limits, Facts: source.Facts})
	return out, by, err
}
