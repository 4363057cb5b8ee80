package study

import (
	"slices"

	"github.com/warpbound/warpbound/internal/premtime/budget"
	"github.com/warpbound/warpbound/internal/premtime/schedule"
)

// Phases are a kernel's worst-case phases, in nanoseconds, and the schedules that
// cover them, all launches together.
//
// A launch is its setup, intervals of a memory phase and a compute phase each, and a
// last memory phase, which only stores: the launch ends in it, so that no timer has
// to. Budgets cover it; a schedule's sums do not hold it, nor the setups.
type Phases struct {
	MemNanos  int64 // the longest, last ones included
	CompNanos int64
	Intervals int64
	WorkNanos int64 // all phases but the setups, each with its own time
	// SetupNanos are the setups, LastNanos the last memory phases.
	SetupNanos, LastNanos int64
	// WaitNanos is the time at the synchronisation wall: what is left of the timer's
	// response at the end of a phase of an interval, summed over all that are shorter.
	WaitNanos int64
	// Best, Fair and Share are the schedules; Share is nil where none was asked for.
	Best  schedule.Schedule
	Fair  schedule.Schedule
	Share *schedule.Schedule
}

// AloneNanos is the kernel with the synchronisations of its intervals, at which the
// timer is waited for, where phases end as soon as they can (Forsberg2021, Fig. 7).
// CodeNanos of it are code, SyncNanos are the rest.
func (p *Phases) AloneNanos() int64 { return p.CodeNanos() + p.SyncNanos() }

// CodeNanos is what the phases and the setups take.
func (p *Phases) CodeNanos() int64 { return p.SetupNanos + p.WorkNanos }

// SyncNanos is what two synchronisations an interval and the wall take.
func (p *Phases) SyncNanos() int64 { return int64(p.Best.SyncTotal) + p.WaitNanos }

// TotalNanos is the kernel under one of its schedules, no budget below the timer's
// response (Forsberg2021, Fig. 8).
func (p *Phases) TotalNanos(s *schedule.Schedule) int64 {
	return p.SetupNanos + int64(s.WallTotal) + p.LastNanos
}

// intervals collects those of all launches of a kernel, equal ones together.
type intervals struct {
	list                 []schedule.Interval
	index                map[schedule.Interval]int // with Count 0
	setup, last, longest schedule.Time             // longest is of the last ones
}

// add appends the phases of a launch.
func (v *intervals) add(spans []budget.Span, hertz int64) error {
	for len(spans) > 0 && spans[0].Kind == budget.Setup {
		t, err := schedule.FromCycles(spans[0].Cycles, hertz)
		if err != nil {
			return err
		}
		v.setup += t
		spans = spans[1:]
	}
	if n := len(spans) - 1; n >= 0 && spans[n].Kind == budget.Memory {
		t, err := schedule.FromCycles(spans[n].Cycles, hertz)
		if err != nil {
			return err
		}
		v.last += t
		v.longest = max(v.longest, t)
		spans = spans[:n]
	}
	in, err := budget.Input(spans, hertz)
	if err != nil {
		return err
	}
	if v.index == nil {
		v.index = map[schedule.Interval]int{}
	}
	for _, i := range in.Intervals {
		key := schedule.Interval{Mem: i.Mem, Comp: i.Comp}
		at, known := v.index[key]
		if !known {
			at = len(v.list)
			v.index[key] = at
			v.list = append(v.list, key)
		}
		v.list[at].Count += max(1, i.Count)
	}
	return nil
}

// phases makes the schedules.
func (s *study) phases(v *intervals) (Phases, error) {
	timer := schedule.Time(s.opt.Costs.TimerNanos)
	in := schedule.Input{Intervals: v.list, LastMem: v.longest, SyncTime: schedule.Time(s.opt.Costs.SyncNanos), TimerTime: timer}
	out := Phases{MemNanos: int64(v.longest), SetupNanos: int64(v.setup), LastNanos: int64(v.last), WorkNanos: int64(v.last)}
	busy := func(i schedule.Interval) bool { return i.Mem > 0 || i.Comp > 0 }
	if len(v.list) == 0 || v.longest == 0 && !slices.ContainsFunc(v.list, busy) { // never launched, or with nothing to do
		return out, nil
	}
	var err error
	if out.Best, err = schedule.BestCase(in); err != nil {
		return out, err
	}
	if out.Fair, err = schedule.Fair(in); err != nil {
		return out, err
	}
	if s.opt.Share != nil {
		share, err := schedule.WithShare(in, *s.opt.Share)
		if err != nil {
			return out, err
		}
		out.Share = &share
	}
	out.MemNanos, out.CompNanos = int64(out.Best.WorstMem), int64(out.Best.WorstComp)
	out.Intervals = out.Best.Intervals
	out.WorkNanos += int64(out.Best.WorkTotal)
	for _, i := range v.list {
		out.WaitNanos += i.Count * int64(max(0, timer-i.Mem)+max(0, timer-i.Comp))
	}
	return out, nil
}
