package warpbound

import (
	"context"
	"errors"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/report"
)

// simulate sets simulations beside the bound.
func (a *assessor) simulate(ctx context.Context) {
	if a.doc.Verdict == report.VerdictFailed || a.doc.Verdict == report.VerdictInput || ctx.Err() != nil {
		return
	}
	model, err := plainModel("", a.gpu.machine.Desc)
	if err != nil {
		a.remark("simulations: %v", err)
		return
	}
	var slowest *Simulation
	for _, name := range a.opt.policiesOf(a.file, a.of) {
		s, err := a.launch.Simulate(ctx, SimulateOptions{GPU: a.gpu.machine, Policy: name, Model: model, KeepBlocks: true})
		var kernel *KernelError
		switch {
		case s != nil:
			a.simulated("simulated", s)
		case ctx.Err() != nil:
			return
		case errors.As(err, &kernel):
			a.failed(err)
			return
		default:
			a.remark("the simulation under %s: %v", name, err)
			continue
		}
		if slowest == nil || s.Cycles > slowest.Cycles {
			slowest = s
		}
	}
	if slowest == nil {
		return
	}
	if doc, form, err := slowest.forms(); err == nil {
		doc.Result.BlockTimes = nil // of every block: more than anybody reads
		a.doc.Simulation = doc
		a.doc.SetSimulation(form)
	}
	a.timeline(ctx, slowest)
	a.caches(ctx, slowest.Policy)
}

// simulated sets a simulation beside the bound and the budget.
func (a *assessor) simulated(what string, s *Simulation) {
	d := &a.doc
	row := report.FigureRow{What: what + ", " + s.Policy, Policy: s.Policy, Model: s.Model, Cycles: s.Cycles, Nanoseconds: nanoseconds(s.Cycles, a.khz())}
	if d.Budget != nil {
		row.Share = shareOf(s.Cycles, *d.Budget)
		if s.Cycles > *d.Budget {
			f := a.find(report.RuleSimulatedOver, report.LevelError, a.costly(), "%s on %s: %s under %s it takes %d cycles, and the budget of %s allows %d: no bound can be within it", d.Kernel, d.GPU, what, s.Policy, s.Cycles, d.Stated, *d.Budget)
			if b := a.of.Budget; b != nil {
				f.Related = append([]report.Place{report.PlaceAt(b.Pos)}, f.Related...)
			}
		}
	}
	if a.analysis != nil && len(a.analysis.Scopes) > 0 {
		p, err := parsePolicy("Policies", s.Policy)
		if err != nil {
			a.remark("%v", err)
			return
		}
		got := a.analysis.whole.Beside(s.whole, p)
		// No bound of these is one with caches.
		got.Claimed = got.Claimed && s.L1Order == L1None
		if got.Refused == "" {
			row.Overestimation, row.Claimed, row.Violation = &got.Overestimation, got.Claimed, got.Violation()
			a.above(what, &got, p.WorkConserving())
		}
	}
	d.Figures = append(d.Figures, row)
}

// above says that a simulation takes longer than the bound. Where it is one that the
// assumptions of the bound allow but for what its model has and the bound has not, it
// shows that they do not hold of the GPU as it is described: whoever accepts them has to
// know.
func (a *assessor) above(what string, row *analysis.Row, workConserving bool) {
	const text = "%s on %s: the bound by %s is %d cycles, and %s under %s, model %s, it takes %d"
	about := []any{a.doc.Kernel, a.doc.GPU, a.doc.Method, row.BoundCycles, what, row.Policy, row.Model, row.SimulatedCycles}
	switch {
	case row.Violation():
		a.find(report.RuleViolated, report.LevelError, a.entry(), text, about...)
	case !row.Safe || row.SimulatedCycles <= row.BoundCycles:
	case workConserving && row.AllInputs:
		a.find(report.RuleAbove, report.LevelError, a.entry(), text+": what the bound assumes does not hold in this model of the GPU", about...)
	default:
		a.find(report.RuleAbove, report.LevelWarning, a.entry(), text+": the bound does not claim to cover it", about...)
	}
}

// costly is the costliest line, or the entry where nothing was bounded.
func (a *assessor) costly() conf.Pos {
	if a.analysis == nil {
		return a.entry()
	}
	return a.costliest()
}

// timeline notes what the warps of the slowest block did.
func (a *assessor) timeline(ctx context.Context, s *Simulation) {
	if len(s.BlockTimes) == 0 {
		return
	}
	slowest := s.BlockTimes[0]
	for _, b := range s.BlockTimes[1:] {
		if b.EndCycle-b.StartCycle > slowest.EndCycle-slowest.StartCycle {
			slowest = b
		}
	}
	again, err := a.launch.Simulate(ctx, SimulateOptions{
		GPU: a.gpu.machine, Policy: s.Policy, Model: s.Model, Gantt: true, From: slowest.StartCycle, To: slowest.EndCycle, noted: &slowest.Block,
	})
	if again == nil {
		if ctx.Err() == nil {
			a.remark("timeline of the slowest block: %v", err)
		}
		return
	}
	intervals := again.chart.Intervals()
	t := &report.TimelineDocument{Policy: s.Policy, Block: slowest.Block, SM: int64(slowest.SM), Start: slowest.StartCycle, End: slowest.EndCycle, States: []report.StateCycle{}}
	t.Add(intervals)
	a.doc.Timeline = t
	path := a.launch.Path()
	a.doc.SetTimeline(func() ([]byte, error) {
		return report.BlockTimeline(path, slowest.Block, a.gpu.machine, again.whole, again.chart)
	})
}

// caches simulates with the caches that the bounds are not of, and counts hits and misses.
func (a *assessor) caches(ctx context.Context, policy string) {
	m := a.gpu.machine
	if noCaches(L1Dynamic, m.Desc) != "" {
		return
	}
	model, err := plainModel("", m.Desc)
	if err != nil {
		return
	}
	s, err := a.launch.Simulate(ctx, SimulateOptions{GPU: m, Policy: policy, Model: model, L1Order: L1Dynamic})
	if s == nil {
		a.left(ctx, "a simulation with caches", err)
	} else if doc, form, err := s.forms(); err == nil {
		a.simulated("simulated with caches", s)
		a.doc.Memory = doc
		a.doc.SetMemory(form)
	}
	c, err := a.launch.Cache(ctx, CacheOptions{GPU: m, MaxInstructions: a.limit})
	if c == nil {
		a.left(ctx, "hits and misses", err)
	} else if doc, form, err := c.forms(false); err == nil {
		a.doc.Cache = doc
		a.doc.SetCache(form)
	}
}

// left says what is left out.
func (a *assessor) left(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		a.remark("%s: %v", what, err)
	}
}
