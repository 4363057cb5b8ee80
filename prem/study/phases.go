package study

import (
	"github.com/warpbound/warpbound/prem/budget"
	"github.com/warpbound/warpbound/prem/schedule"
)

// Phases are a kernel's worst-case phases, in nanoseconds, and the schedules that
// cover them.
type Phases struct {
	MemNanos  int64 // the longest
	CompNanos int64
	Intervals int64
	WorkNanos int64 // all phases, each with its own time
	// Best, Fair and Share are the schedules; Share is nil where none was asked for.
	Best  schedule.Schedule
	Fair  schedule.Schedule
	Share *schedule.Schedule
}

// intervals collects those of all launches of a kernel, equal ones together.
type intervals struct {
	list  []schedule.Interval
	index map[schedule.Interval]int // with Count 0
}

// add appends the phases of a launch.
func (v *intervals) add(spans []budget.Span, hertz int64) error {
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
	in := schedule.Input{Intervals: v.list, SyncTime: schedule.Time(s.opt.Costs.SyncNanos), TimerTime: schedule.Time(s.opt.Costs.TimerNanos)}
	var out Phases
	if len(v.list) == 0 { // never launched
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
	out.Intervals, out.WorkNanos = out.Best.Intervals, int64(out.Best.WorkTotal)
	return out, nil
}
