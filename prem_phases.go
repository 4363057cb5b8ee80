package warpbound

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/premtime/soc"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/internal/sim"
)

// PremGuardRun is one launch with the guard, phase by phase.
type PremGuardRun struct {
	Kernel, Scheme string
	Cycles         int64
	// MemoryBudgetCycles and ComputeBudgetCycles are how long a phase lasts at least.
	MemoryBudgetCycles, ComputeBudgetCycles int64
	Phases                                  []PremPhase
}

// PremPhase is a phase as the guard granted it: from its grant to the next one.
type PremPhase struct {
	// Kind is "launch", "memory", "compute" or "join", as guard.Kind has them.
	Kind   string
	Number int64 // of the token
	// GrantCycle is when the phase was granted, RequestCycle when the GPU asked for the
	// next one, and EndCycle when that was granted; the latter two are -1 where the run was
	// over before.
	GrantCycle, RequestCycle, EndCycle int64
	Misses                             int64 // how often the timer came and the phase was not over
}

// premWatch looks at the launch that is watched: its phases, and its trace if somebody wants
// that, too.
type premWatch struct {
	trace *premTrace // nil where nothing is written
	of    study.Watched
	run   *PremGuardRun
}

// Begin implements study.Watcher.
func (p *premWatch) Begin(x study.Watched) (sim.Observer, error) {
	p.of = x
	if p.trace == nil {
		return sim.NopObserver{}, nil
	}
	return p.trace.Begin(x)
}

// End implements study.Watcher.
func (p *premWatch) End(r *sim.Result, phases []soc.Phase) error {
	b := &p.of.Budgets
	p.run = &PremGuardRun{Kernel: p.of.Name, Scheme: p.of.Scheme.String(), Cycles: r.Cycles, MemoryBudgetCycles: b.MemoryNanos, ComputeBudgetCycles: b.ComputeNanos}
	for _, x := range phases {
		p.run.Phases = append(p.run.Phases, PremPhase{
			Kind: fmt.Sprint(x.Token.Kind()), Number: int64(x.Token.Seq()), GrantCycle: x.GrantCycle, RequestCycle: x.RequestCycle, EndCycle: x.EndCycle, Misses: x.Misses,
		})
	}
	if p.trace == nil {
		return nil
	}
	return p.trace.End(r, phases)
}

// summary is what was written as a trace, nil where nothing was.
func (p *premWatch) summary() *TraceSummary {
	if p.trace == nil {
		return nil
	}
	return p.trace.summary
}
