package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// Observed is a launch whose executions facts are made of.
type Observed struct {
	Name   string
	Source method.Source // without facts
}

// SuggestedLoop is a loop that needs a bound, with what was observed of it.
type SuggestedLoop struct {
	facts.Loop
	// Entry and Warp are the most ways back for an entry and in all by a warp, with the
	// launches that made them, by index; UseWarp says that the second makes paths fewer.
	Entry, Warp     facts.Seen
	EntryIn, WarpIn int
	UseWarp         bool
	// AnyOrder says that the end of the loop depends on when other warps are executed.
	AnyOrder bool
	Decides  string // as of LoopBound
}

// Suggestion is what was observed of launches of one kernel.
type Suggestion struct {
	Program *isa.Program
	Loops   []SuggestedLoop
	// NotCovered says of each launch why it is not covered within the facts, "" where it
	// is.
	NotCovered []string
}

// Suggest executes launches of one kernel, and makes facts of what they do: for each loop
// without which a launch is not covered.
func Suggest(ctx context.Context, launches []Observed, m *gpu.Machine, limits simt.Limits) (*Suggestion, error) {
	s := suggester{out: &Suggestion{NotCovered: make([]string, len(launches))}, byHead: map[int32]int{}, closed: map[int]bool{}}
	for i := range launches {
		if err := s.observe(ctx, i, &launches[i], m, limits); err != nil {
			return nil, err
		}
	}
	for {
		found := false
		for i, r := range s.reports {
			more, err := s.missing(ctx, i, r)
			if err != nil {
				return nil, err
			}
			found = found || more
		}
		if !found {
			break
		}
	}
	return s.out, s.warps(ctx)
}

// suggester is a suggestion in the making.
type suggester struct {
	out     *Suggestion
	reports []*Report
	// Of each loop of the program what all launches do, and which of them does most.
	seen            []facts.LoopSeen
	entryIn, warpIn []int
	byHead          map[int32]int // loops of the program
	facts           []facts.Fact
	closed          map[int]bool // launches that are covered in closed form only
}

// observe executes a launch.
func (s *suggester) observe(ctx context.Context, i int, l *Observed, m *gpu.Machine, limits simt.Limits) error {
	k, err := l.Source.Tainted()
	if err != nil {
		return err
	}
	r := &Report{}
	if r.Facts, err = method.Prepare(k, m, method.Question{Limits: limits, Loops: true}); err != nil {
		return err
	}
	r.Source = l.Source
	if err := r.record(ctx, k, 0); err != nil {
		return err
	}
	if i == 0 {
		s.out.Program = r.Program
		s.seen, s.entryIn, s.warpIn = make([]facts.LoopSeen, len(r.Seen.Loops)), make([]int, len(r.Seen.Loops)), make([]int, len(r.Seen.Loops))
		for j := range r.Seen.Loops {
			s.byHead[r.Seen.Loops[j].Head] = j
		}
	}
	if !sameKernel(s.out.Program, r.Program) {
		return &conf.Error{Pos: conf.Pos{File: l.Name}, Msg: fmt.Sprintf("the kernel is %s, expected %s of %s, as of the launch named first", r.Program.Name, s.out.Program.Name, s.out.Program.Instructions[0].Pos.File)}
	}
	for j := range r.Seen.Seen {
		now, was := &r.Seen.Seen[j], &s.seen[j]
		if now.PerEntry.Most > was.PerEntry.Most {
			was.PerEntry, s.entryIn[j] = now.PerEntry, i
		}
		if now.PerWarp.Most > was.PerWarp.Most {
			was.PerWarp, s.warpIn[j] = now.PerWarp, i
		}
	}
	s.reports = append(s.reports, r)
	return nil
}

// sameKernel says whether two programs are of one kernel of one file.
func sameKernel(a, b *isa.Program) bool {
	return a == b || a.Name == b.Name && slices.EqualFunc(a.Instructions, b.Instructions, func(x, y isa.Instruction) bool {
		return x.Opcode == y.Opcode && x.Pos == y.Pos
	})
}

// missing adds the loops without a bound that end the covering execution of a launch.
func (s *suggester) missing(ctx context.Context, i int, r *Report) (found bool, _ error) {
	if r.AllInputs() {
		return false, nil
	}
	for len(s.facts) < mostMissing {
		s.out.NotCovered[i] = ""
		_, _, err := r.covered(ctx, r.Source.With(s.facts), false, r.Question.Limits)
		if err == nil {
			return found, nil
		}
		if _, _, closed := r.covered(ctx, r.Source.With(s.facts), true, r.Question.Limits); closed == nil {
			s.closed[i] = true
			return found, nil
		}
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		s.out.NotCovered[i] = err.Error()
		var not *simt.NotCovered
		if !errors.As(err, &not) || not.Loop == isa.NoPC || slices.ContainsFunc(s.facts, func(f facts.Fact) bool { return f.Head == not.Loop }) {
			return found, nil
		}
		found = true
		if err := s.add(r, not.Loop); err != nil {
			return found, err
		}
	}
	return found, nil
}

// add adds a loop.
func (s *suggester) add(r *Report, head int32) error {
	at := s.byHead[head]
	l := SuggestedLoop{Loop: r.Seen.Loops[at], Entry: s.seen[at].PerEntry, Warp: s.seen[at].PerWarp, EntryIn: s.entryIn[at], WarpIn: s.warpIn[at]}
	k, err := r.Source.Tainted()
	if err != nil {
		return err
	}
	if d, ok := k.(decider); ok {
		l.Decides = r.decides(&l.Loop, d, true)
	}
	if o, ok := k.(interface{ Ordered(l *facts.Loop) bool }); ok {
		l.AnyOrder = o.Ordered(&l.Loop)
	}
	s.out.Loops = append(s.out.Loops, l)
	slices.SortFunc(s.out.Loops, func(a, b SuggestedLoop) int { return int(a.Head - b.Head) })
	s.facts = append(s.facts, facts.Fact{Kind: facts.PerEntry, Head: head, Most: l.Entry.Most, AnyOrder: true})
	return nil
}

// warps finds the loops of which what warps do in all says more than the bounds on
// entries.
func (s *suggester) warps(ctx context.Context) error {
	list := slices.Clone(s.facts)
	for i := range s.out.Loops {
		l := &s.out.Loops[i]
		list = append(list, facts.Fact{Kind: facts.PerWarp, Head: l.Head, Most: l.Warp.Most, AnyOrder: true})
	}
	for i, r := range s.reports {
		if r.AllInputs() || s.out.NotCovered[i] != "" || s.closed[i] {
			continue
		}
		covered, _, err := r.covered(ctx, r.Source.With(list), false, r.Question.Limits)
		if err != nil {
			return err
		}
		known := &choice.Limits{Limits: covered.Limits}
		for _, class := range covered.Classes {
			for _, w := range class.Warps {
				binds, err := known.Binds(w.Warp.WholeChoice)
				if err != nil {
					return err
				}
				for j := range known.Limits {
					at := slices.IndexFunc(s.out.Loops, func(l SuggestedLoop) bool { return l.Head == list[known.Limits[j].ID].Head })
					s.out.Loops[at].UseWarp = s.out.Loops[at].UseWarp || binds[j]
				}
			}
		}
	}
	return nil
}
