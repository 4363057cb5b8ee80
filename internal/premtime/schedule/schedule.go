package schedule

import "strconv"

// Time is a whole number of cycles or of nanoseconds; the unit is the caller's and
// the same throughout an Input.
type Time int64

// Interval holds the worst-case times of the phases of one tile, or of Count
// tiles with the same ones.
type Interval struct {
	Mem, Comp Time
	Count     int64
}

// Input is a kernel and the platform's two costs.
type Input struct {
	// Intervals in any order. Where they differ, the budgets are those of the
	// largest memory phase and the largest compute phase, since a kernel has two
	// timer values and not two an interval.
	Intervals []Interval
	// LastMem is the longest memory phase that is of no interval: the one behind a
	// launch's last compute phase, which only stores, and which the end of the launch
	// ends and not a timer. The budgets cover it; no sum holds it.
	LastMem Time
	// SyncTime is S, the cost of one synchronisation.
	SyncTime Time
	// TimerTime is R_timer: no phase is over before it. Zero leaves the wall out.
	TimerTime Time
	// RaiseToTimer puts max(T, R_timer) in place of T, so that the timers can keep
	// the budgets and the shares hold at the wall too. Without it budgets are
	// those of equation 2, and WallLength says what the wall adds.
	RaiseToTimer bool
}

// Method says where the budgets come from.
type Method uint8

const (
	MethodBestCase Method = iota // E = T
	MethodFair                   // E_mem = E_comp = max(T_mem, T_comp)
	MethodShare                  // equation 2
)

// String gives the name that a report prints.
func (m Method) String() string {
	switch m {
	case MethodBestCase:
		return "best-case"
	case MethodFair:
		return "fair"
	case MethodShare:
		return "share"
	}
	return "method " + strconv.Itoa(int(m))
}

// Rule says which inequality of equation 2 applied.
type Rule uint8

const (
	// RuleNone: the best case, in which no share is kept.
	RuleNone Rule = iota
	// RuleMemory: T_comp/T_mem <= p_comp/p_mem, the memory phase sets the pace.
	RuleMemory
	// RuleCompute: T_comp/T_mem > p_comp/p_mem, the compute phase sets the pace.
	RuleCompute
)

// String gives the inequality.
func (r Rule) String() string {
	switch r {
	case RuleNone:
		return "none"
	case RuleMemory:
		return "T_comp/T_mem <= p_comp/p_mem"
	case RuleCompute:
		return "T_comp/T_mem > p_comp/p_mem"
	}
	return "rule " + strconv.Itoa(int(r))
}

// Schedule is a kernel's two budgets and what follows from them.
type Schedule struct {
	Method Method
	Share  Share // what was asked for; 1:1 if fair, zero in the best case
	Rule   Rule

	WorstMem, WorstComp   Time // T_mem and T_comp, the largest of the intervals
	BudgetMem, BudgetComp Time // E_mem and E_comp
	Idle                  Time // I of equation 3, for an interval that needs T_mem + T_comp
	Length                Time // of an interval: E_mem + E_comp + 2S
	WallLength            Time // the same with no budget taken below R_timer

	Intervals  int64
	WorkTotal  Time // sum of the intervals' own worst-case times
	ShareIdle  Time // idle for the schedule's sake: Intervals * Idle
	SpreadIdle Time // idle since an interval needs less than the largest one
	SyncTotal  Time // Intervals * 2S
	Total      Time // Intervals * Length = WorkTotal + ShareIdle + SpreadIdle + SyncTotal
	WallTotal  Time // Intervals * WallLength

	SyncTime, TimerTime Time // S and R_timer
}

// BestCase sets E = T: the shortest schedule whose budgets hold the phases, without
// regard to the CPU's share (Forsberg2021, Section 4.2.2).
func BestCase(in Input) (Schedule, error) {
	k, err := in.kernel()
	if err != nil {
		return Schedule{}, err
	}
	return k.finish(Schedule{Method: MethodBestCase, BudgetMem: k.needMem, BudgetComp: k.needComp})
}

// Fair sets E_mem = E_comp = max(T_mem, T_comp), which is equation 2 with
// p_mem = p_comp = 1/2.
func Fair(in Input) (Schedule, error) {
	k, err := in.kernel()
	if err != nil {
		return Schedule{}, err
	}
	longest := max(k.needMem, k.needComp)
	rule := RuleMemory
	if k.needComp > k.needMem {
		rule = RuleCompute
	}
	return k.finish(Schedule{
		Method: MethodFair, Share: Share{1, 1}, Rule: rule, BudgetMem: longest, BudgetComp: longest,
	})
}

// WithShare sets the budgets by equation 2: E_comp rounded up, E_mem rounded down
// (see the package's documentation for why that is the safe side).
func WithShare(in Input, share Share) (Schedule, error) {
	k, err := in.kernel()
	if err != nil {
		return Schedule{}, err
	}
	if err := share.check("share"); err != nil {
		return Schedule{}, err
	}
	return k.withShare(share)
}

func (k kernel) withShare(share Share) (Schedule, error) {
	s := Schedule{Method: MethodShare, Share: share}
	// The inequality without divisions, so that T_mem = 0 needs no special case.
	if compareProducts(int64(k.needComp), share.Mem, share.Comp, int64(k.needMem)) <= 0 {
		comp, err := mulDivUp("compute budget", int64(k.needMem), share.Comp, share.Mem)
		if err != nil {
			return Schedule{}, err
		}
		s.Rule, s.BudgetMem, s.BudgetComp = RuleMemory, k.needMem, Time(comp)
		return k.finish(s)
	}
	mem, _, err := mulDiv("memory budget", int64(k.needComp), share.Mem, share.Comp)
	if err != nil {
		return Schedule{}, err
	}
	s.Rule, s.BudgetMem, s.BudgetComp = RuleCompute, Time(mem), k.needComp
	return k.finish(s)
}

// IdleOfBudgets is the part of the budgets, over the kernel, that no phase needs
// even at its worst: idle time for the schedule's sake, and that of intervals
// smaller than the largest one.
func (s Schedule) IdleOfBudgets() Ratio {
	return newRatio(s.ShareIdle+s.SpreadIdle, s.Total-s.SyncTotal)
}

// IdleOfTotal is the same idle time as a part of the kernel's Total, which holds
// the synchronisations too.
func (s Schedule) IdleOfTotal() Ratio {
	return newRatio(s.ShareIdle+s.SpreadIdle, s.Total)
}

// MemShare is E_mem/(E_mem + E_comp): the part of the budgets in which the GPU
// holds memory. It is never above the Share that was asked for.
func (s Schedule) MemShare() Ratio {
	return newRatio(s.BudgetMem, s.BudgetMem+s.BudgetComp)
}

// WallMemShare is the same with no budget taken below R_timer. It may be above the
// Share that was asked for, since the GPU keeps memory until the timer responds;
// with RaiseToTimer it is MemShare.
func (s Schedule) WallMemShare() Ratio {
	mem, comp := max(s.BudgetMem, s.TimerTime), max(s.BudgetComp, s.TimerTime)
	return newRatio(mem, mem+comp)
}

// Slowdown returns Total and WallTotal over the time of a base, for example that
// of the untransformed kernel in isolation. They are equal where no budget is
// below R_timer.
func (s Schedule) Slowdown(base Time) (total, wall Ratio, err error) {
	if base <= 0 {
		return Ratio{}, Ratio{}, &InputError{"base time", "is " + strconv.FormatInt(int64(base), 10) + ", expected a positive time"}
	}
	return newRatio(s.Total, base), newRatio(s.WallTotal, base), nil
}
