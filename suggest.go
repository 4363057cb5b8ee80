package warpbound

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/launch"
)

// SuggestOptions choose how SuggestFacts executes launches.
type SuggestOptions struct {
	GPU *gpu.Machine // nil for DefaultGPU
	// MaxInstructions ends the execution of a kernel with ErrInstructionLimit; 0 for no
	// limit.
	MaxInstructions int64
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// SuggestedFacts are facts that were observed, and proved by nobody.
type SuggestedFacts struct {
	// Facts are bounds on the loops without which the launches are not bounded for all
	// inputs: the most that any of their executions does.
	Facts []launch.Fact
	// NotCovered says of each launch why it is not bounded for all inputs within the
	// facts, "" where it is.
	NotCovered []string

	launches []string
	whole    *analysis.Suggestion
}

// Report is the facts as the command analyze --suggest-facts prints them: its text is a
// file of facts.
func (s *SuggestedFacts) Report() (*Report, error) {
	return &Report{report.Suggestion(s.launches, s.whole)}, nil
}

// SuggestFacts executes launches of one kernel, with other data, other arguments, another
// grid, and suggests as facts what all of them do. What the launches state themselves is
// left aside. Who relies on the facts answers for them: another input may do more.
func SuggestFacts(ctx context.Context, launches []*Launch, opt SuggestOptions) (*SuggestedFacts, error) {
	out := &SuggestedFacts{}
	m, err := machine(opt.GPU, DefaultGPU)
	if err != nil {
		return nil, err
	}
	if len(launches) == 0 {
		return nil, &OptionError{Option: "Launches", Msg: "no launch, expected at least one"}
	}
	tell := newTeller("executing launches", launches[0].Program(), opt.Progress)
	limits, err := tell.limits(opt.MaxInstructions)
	if err != nil {
		return nil, err
	}
	var list []analysis.Observed
	for _, l := range launches {
		on, _, err := l.on(m, DefaultGPU)
		if err != nil {
			return nil, err
		}
		list = append(list, analysis.Observed{Name: l.Path(), Source: source(on.Bare())})
		out.launches = append(out.launches, l.Path())
	}
	s, err := analysis.Suggest(ctx, list, m, limits)
	if err != nil {
		return nil, explainOf(launches[0].opened, err)
	}
	out.whole, out.NotCovered = s, s.NotCovered
	for i := range s.Loops {
		l := &s.Loops[i]
		f := launch.Fact{Kind: launch.LoopEntry, Places: []string{facts.PlaceName(s.Program, l.Head)}, Most: l.Entry.Most, AnyOrder: l.AnyOrder}
		out.Facts = append(out.Facts, f)
		if l.UseWarp {
			f.Kind, f.Most = launch.LoopWarp, l.Warp.Most
			out.Facts = append(out.Facts, f)
		}
	}
	return out, nil
}

// FlowFacts are the bounds on loops that hold for all inputs, as facts: those that were
// found, and within facts of the launch. They are there where AnalyzeOptions asks for
// loops.
func (a *Analysis) FlowFacts() []launch.Fact {
	var out []launch.Fact
	for i := range a.Loops {
		l := &a.Loops[i]
		if !l.AllInputs || l.Most < 0 {
			continue
		}
		place := l.Label
		if place == "" {
			place = fmt.Sprintf("%s:%d", l.Pos.File, l.Pos.Line)
		}
		out = append(out, launch.Fact{Kind: launch.LoopEntry, Places: []string{place}, Most: l.Most})
	}
	return out
}
