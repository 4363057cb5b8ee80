package study

import (
	"cmp"
	"context"
	"fmt"

	"github.com/warpbound/warpbound/guard"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/premtime/soc"
	"github.com/warpbound/warpbound/internal/sim"
	simsoc "github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// Guarded are runs of a kernel with the guard: its protocol in the kernel, timers
// and throttled cores beside it, best-case budgets.
type Guarded struct {
	// Budgets, from the longest phases of the simulation without the guard, raised
	// in Raises runs to the longest phases that were seen, until no hand-over was
	// missed in isolation.
	MemCycles, CompCycles int64
	Raises                int
	Isolation             Outcome
	// Interference are the runs beside the kinds of traffic asked for.
	Interference []Outcome
	// Bounded is a run in isolation with the bounds of the phases as budgets, nil where
	// Options.GuardBounds does not ask for it.
	Bounded *Outcome
}

// Outcome is one run, all launches added up.
type Outcome struct {
	Cycles                  int64
	HandOvers, Misses       int64
	MemIdleCycles           int64 // the GPU waited with the token
	CompIdleCycles          int64 // and without
	MemWorkCycles           int64
	CompWorkCycles          int64
	LongestMem, LongestComp int64
}

// maxRaises is how often budgets are raised before misses are left as they are.
const maxRaises = 4

// guarded runs a scheme with the guard.
func (s *study) guarded(ctx context.Context, scheme device.Scheme) error {
	m, err := s.compile(scheme, true)
	if err != nil {
		return err
	}
	runs := make([]Guarded, len(m.Kernels))
	for n := range runs {
		at := s.at(n, scheme)
		if at == nil {
			return fmt.Errorf("%s has to be run without the guard, too", scheme)
		}
		if runs[n].MemCycles, err = s.cycles(at.Simulated.MemNanos); err != nil {
			return err
		}
		if runs[n].CompCycles, err = s.cycles(at.Simulated.CompNanos); err != nil {
			return err
		}
	}
	for raises := 0; ; raises++ {
		s.progress("%s with the guard", scheme)
		out, err := s.guardedRun(ctx, m, ofSimulation(runs), nil, nil)
		if err != nil {
			return err
		}
		missed := false
		for n := range runs {
			g := &runs[n]
			g.Isolation = out[n]
			if out[n].Misses > 0 && raises < maxRaises {
				missed = true
				g.Raises++
				g.MemCycles = max(g.MemCycles, raised(out[n].LongestMem))
				g.CompCycles = max(g.CompCycles, raised(out[n].LongestComp))
			}
		}
		if !missed {
			break
		}
	}
	for _, traffic := range s.opt.Traffic {
		s.progress("%s with the guard under interference", scheme)
		out, err := s.guardedRun(ctx, m, ofSimulation(runs), traffic, nil)
		if err != nil {
			return err
		}
		for n := range runs {
			runs[n].Interference = append(runs[n].Interference, out[n])
		}
	}
	if err := s.watch(ctx, m, ofSimulation(runs)); err != nil {
		return err
	}
	if s.opt.GuardBounds {
		if err := s.guardedByBounds(ctx, m, scheme, runs); err != nil {
			return err
		}
	}
	for n := range runs {
		s.at(n, scheme).Guarded = &runs[n]
	}
	return nil
}

// budgets are a kernel's timers: how long a phase lasts at least, and what the CPU
// takes from the timer to the grant.
type budgets struct {
	mem, comp int64
	// handOver says that the GPU's part of a synchronisation, to see a grant and to
	// ask for the next one, has to fit S beside the phase: the timer comes S later, and
	// the CPU's part takes no more.
	handOver bool
}

func ofSimulation(runs []Guarded) []budgets {
	var out []budgets
	for n := range runs {
		out = append(out, budgets{mem: runs[n].MemCycles, comp: runs[n].CompCycles})
	}
	return out
}

// guardedByBounds runs the kernels with the bounds of their phases.
func (s *study) guardedByBounds(ctx context.Context, m *exec.Module, scheme device.Scheme, runs []Guarded) error {
	b := make([]budgets, len(runs))
	for n := range b {
		p := s.at(n, scheme).Bounded
		if p == nil {
			return fmt.Errorf("phases of %s are not bounded", scheme)
		}
		var err error
		if b[n].mem, err = s.cycles(p.MemNanos); err != nil {
			return err
		}
		if b[n].comp, err = s.cycles(p.CompNanos); err != nil {
			return err
		}
		b[n].handOver = true
	}
	s.progress("%s with the guard and bounds as budgets", scheme)
	out, err := s.guardedRun(ctx, m, b, nil, nil)
	if err != nil {
		return err
	}
	for n := range runs {
		runs[n].Bounded = &out[n]
	}
	return nil
}

// raised is a budget for a phase that took so long: a little more, since phases are
// not equally long where the refreshes of the memory meet them elsewhere.
func raised(cycles int64) int64 { return cycles + cycles/256 + 1 }

// at is what was found of kernel n under a scheme.
func (s *study) at(n int, scheme device.Scheme) *Scheme {
	for i := range s.result.Kernels[n].Schemes {
		if x := &s.result.Kernels[n].Schemes[i]; x.Scheme == scheme {
			return x
		}
	}
	return nil
}

// guardedRun calls the function once. A phase lasts for its budget, and at least
// until the timer can respond; a synchronisation comes on top. With an observer the
// call ends with errWatched after the first launch.
func (s *study) guardedRun(ctx context.Context, m *exec.Module, of []budgets, traffic []simsoc.Traffic, watch func(Watched) (sim.Observer, error)) ([]Outcome, error) {
	sync, err := s.cycles(s.opt.Costs.SyncNanos)
	if err != nil {
		return nil, err
	}
	timer, err := s.cycles(s.opt.Costs.TimerNanos)
	if err != nil {
		return nil, err
	}
	out := make([]Outcome, len(of))
	return out, s.call(ctx, m, func(ctx context.Context, l *exec.Offload) (*ptxexec.Kernel, error) {
		k, err := l.Fresh(false)
		if err != nil {
			return nil, err
		}
		cfg, timing, err := s.config(k)
		if err != nil {
			return nil, err
		}
		teams := k.Grid()[0]
		if err := s.resident(k, &cfg); err != nil {
			return nil, err
		}
		t, o := of[l.Kernel.Number], &out[l.Kernel.Number]
		after, cost := int64(0), sync
		if t.handOver {
			after, cost = sync, 0
		}
		b := guard.Budgets{
			LaunchNanos: max(timer, 1) + after, MemoryNanos: max(t.mem, timer, 1) + after, ComputeNanos: max(t.comp, timer, 1) + after, RetryNanos: max(timer, 1),
		}
		g, err := soc.NewGuard(k.Buffer(exec.Token), soc.Config{Budgets: b, SyncCycles: cost, Teams: teams, KeepPhases: watch != nil})
		if err != nil {
			return nil, err
		}
		cfg.Memory = sim.Caches{SoC: &simsoc.Config{Traffic: traffic, Agents: []simsoc.Agent{g}}}
		if watch != nil {
			o, err := watch(Watched{Name: s.result.Kernels[l.Kernel.Number].Name, Scheme: m.Options.Scheme, Kernel: k, Timing: timing, Budgets: b})
			if err != nil {
				return nil, err
			}
			cfg.Observers = append(cfg.Observers, o)
		}
		r, err := sim.Run(ctx, cfg, k, timing)
		if err != nil {
			return nil, err
		}
		if watch != nil {
			return nil, cmp.Or(s.opt.Watch.End(r, g.Phases()), errWatched)
		}
		st := g.Stats()
		o.Cycles += r.Cycles
		o.HandOvers += st.HandOvers
		o.Misses += st.Misses
		o.MemIdleCycles += st.Memory.IdleCycles
		o.CompIdleCycles += st.Compute.IdleCycles
		o.MemWorkCycles += st.Memory.WorkCycles
		o.CompWorkCycles += st.Compute.WorkCycles
		o.LongestMem = max(o.LongestMem, st.Memory.MostWorkCycles)
		o.LongestComp = max(o.LongestComp, st.Compute.MostWorkCycles)
		return k, nil
	})
}
