package schedule

import "fmt"

// kernel is a checked Input, summed up.
type kernel struct {
	syncTime, timerTime Time
	worstMem, worstComp Time // T_mem, T_comp
	needMem, needComp   Time // the same, raised to R_timer where that was asked for
	intervals           Time // a count; a Time since it only ever multiplies times
	work                Time
}

func (in Input) kernel() (kernel, error) {
	k := kernel{syncTime: in.SyncTime, timerTime: in.TimerTime}
	if in.SyncTime < 0 {
		return k, negative("sync time", in.SyncTime)
	}
	if in.TimerTime < 0 {
		return k, negative("timer time", in.TimerTime)
	}
	if in.LastMem < 0 {
		return k, negative("last memory phase", in.LastMem)
	}
	k.worstMem = in.LastMem
	if len(in.Intervals) == 0 {
		return k, &InputError{"intervals", "are none, expected at least one"}
	}
	for i, v := range in.Intervals {
		if err := k.include(i, v); err != nil {
			return k, err
		}
	}
	if k.worstMem == 0 && k.worstComp == 0 {
		return k, &InputError{"intervals", "have no worst-case time above 0, expected one at least"}
	}
	k.needMem, k.needComp = k.worstMem, k.worstComp
	if in.RaiseToTimer {
		k.needMem = max(k.needMem, in.TimerTime)
		k.needComp = max(k.needComp, in.TimerTime)
	}
	return k, nil
}

func (k *kernel) include(index int, v Interval) error {
	switch {
	case v.Mem < 0:
		return negative(fmt.Sprintf("intervals[%d].mem", index), v.Mem)
	case v.Comp < 0:
		return negative(fmt.Sprintf("intervals[%d].comp", index), v.Comp)
	case v.Count <= 0:
		return &InputError{fmt.Sprintf("intervals[%d].count", index), fmt.Sprintf("is %d, expected 1 or more", v.Count)}
	}
	one, err := add("work of an interval", v.Mem, v.Comp)
	if err != nil {
		return err
	}
	all, err := mul("work of the kernel", one, Time(v.Count))
	if err != nil {
		return err
	}
	if k.work, err = add("work of the kernel", k.work, all); err != nil {
		return err
	}
	if k.intervals, err = add("number of intervals", k.intervals, Time(v.Count)); err != nil {
		return err
	}
	k.worstMem = max(k.worstMem, v.Mem)
	k.worstComp = max(k.worstComp, v.Comp)
	return nil
}

func negative(field string, value Time) error {
	return &InputError{field, fmt.Sprintf("is %d, expected 0 or more", value)}
}

// finish fills in what follows from the budgets.
func (k kernel) finish(s Schedule) (Schedule, error) {
	s.WorstMem, s.WorstComp = k.worstMem, k.worstComp
	s.Intervals, s.WorkTotal = int64(k.intervals), k.work
	s.SyncTime, s.TimerTime = k.syncTime, k.timerTime

	syncs, err := mul("synchronisations of an interval", k.syncTime, 2)
	if err != nil {
		return Schedule{}, err
	}
	if s.Length, err = length(s.BudgetMem, s.BudgetComp, syncs); err != nil {
		return Schedule{}, err
	}
	s.WallLength, err = length(max(s.BudgetMem, k.timerTime), max(s.BudgetComp, k.timerTime), syncs)
	if err != nil {
		return Schedule{}, err
	}
	if s.WallTotal, err = mul("length of the kernel", s.WallLength, k.intervals); err != nil {
		return Schedule{}, err
	}
	// Everything below is a part of WallTotal, or the work of Intervals largest
	// intervals, which the budgets cover: it fits where WallTotal does.
	s.Total = s.Length * k.intervals
	s.SyncTotal = syncs * k.intervals
	s.Idle = s.BudgetMem + s.BudgetComp - (k.worstMem + k.worstComp)
	s.ShareIdle = s.Idle * k.intervals
	s.SpreadIdle = (k.worstMem+k.worstComp)*k.intervals - k.work
	return s, nil
}

func length(mem, comp, syncs Time) (Time, error) {
	both, err := add("length of an interval", mem, comp)
	if err != nil {
		return 0, err
	}
	return add("length of an interval", both, syncs)
}
