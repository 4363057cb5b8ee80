package soc

import "github.com/warpbound/warpbound/guard"

// A Phase is what happened between two grants.
type Phase struct {
	Token      guard.Word // number and kind
	GrantCycle int64
	// RequestCycle is when the GPU asked for the next phase, and EndCycle when that
	// was granted; -1 where the run was over before.
	RequestCycle, EndCycle int64
	// Misses is how often the handler looked in vain.
	Misses int64
}

// WorkCycles is how long the GPU took from the grant to its request, the time to
// see the grant included; 0 where it made none.
func (p *Phase) WorkCycles() int64 { return max(0, p.RequestCycle-p.GrantCycle) }

// IdleCycles is how long it waited for the next grant; 0 where it made no request
// or got none.
func (p *Phase) IdleCycles() int64 {
	if p.RequestCycle < 0 || p.EndCycle < 0 {
		return 0
	}
	return p.EndCycle - p.RequestCycle
}

// Stats are sums over the phases of a run.
type Stats struct {
	// HandOvers counts requests that were found, Misses the phases whose timer fired
	// before the GPU had asked for the next, once each.
	HandOvers, Misses int64
	// Launch is the phase before the first one, Memory and Compute those of the kernel.
	Launch, Memory, Compute PhaseStats
}

// PhaseStats are the phases of one kind that had a request.
type PhaseStats struct {
	Phases int64
	// WorkCycles and IdleCycles are the sums of Phase.WorkCycles and Phase.IdleCycles,
	// MostWorkCycles the longest.
	WorkCycles, IdleCycles int64
	MostWorkCycles         int64
}

// IdleCycles is how long the GPU waited for grants in all phases.
func (s *Stats) IdleCycles() int64 {
	return s.Launch.IdleCycles + s.Memory.IdleCycles + s.Compute.IdleCycles
}

func (s *Stats) of(k guard.Kind) *PhaseStats {
	switch k {
	case guard.Launch:
		return &s.Launch
	case guard.Memory:
		return &s.Memory
	case guard.Compute:
		return &s.Compute
	}
	return nil
}

// granted closes the phase that is open and opens the one of a token.
func (g *Guard) granted(w guard.Word, t int64) {
	if g.open.Token != 0 {
		g.open.EndCycle = t
		g.close()
	}
	g.open = Phase{Token: w, GrantCycle: t, RequestCycle: -1, EndCycle: -1}
}

// close counts the phase that is open.
func (g *Guard) close() {
	p := &g.open
	if s := g.stats.of(p.Token.Kind()); s != nil && p.RequestCycle >= 0 {
		s.Phases++
		s.WorkCycles += p.WorkCycles()
		s.IdleCycles += p.IdleCycles()
		s.MostWorkCycles = max(s.MostWorkCycles, p.WorkCycles())
	}
	if g.config.KeepPhases {
		g.phases = append(g.phases, *p)
	}
	*p = Phase{RequestCycle: -1, EndCycle: -1}
}

// Stats returns what has been counted. Of a run that is over, the phase that was
// open at its end is counted too, without idle time.
func (g *Guard) Stats() Stats {
	if g.open.Token != 0 {
		g.close()
	}
	return g.stats
}

// Phases lists the phases in order, with Config.KeepPhases. As Stats, it is for
// runs that are over.
func (g *Guard) Phases() []Phase {
	if g.open.Token != 0 {
		g.close()
	}
	return g.phases
}
