// Package schedule sizes the phases of a PREM kernel on a system whose memory is
// held by the GPU and the CPU in turn (Forsberg2021, Section 3.3.1).
//
// A kernel is a sequence of intervals (tiles); an interval is a memory phase, in
// which the GPU holds the memory token, and a compute phase, in which the CPU
// holds it. Both end with a synchronisation that a timer on the CPU starts. A
// kernel has two timer values, the budgets E_mem and E_comp, that all of its
// intervals share. From the worst-case times T_mem and T_comp of the phases and
// the share p_mem : p_comp this package gives the budgets (equation 2), the idle
// time of an interval (equation 3), the length of an interval
// (E_mem + E_comp + 2S), the sums over the kernel, and what stands at the
// synchronisation wall: phases shorter than the timer's response R_timer.
//
//	Input      the intervals' worst-case times, S and R_timer
//	Interval   one tile, or Count equal ones
//	Share      p_mem : p_comp as two whole numbers; ParseShare reads one
//	BestCase   E = T
//	Fair       E_mem = E_comp = max(T_mem, T_comp)
//	WithShare  equation 2
//	Schedule   budgets, idle time, lengths, totals
//	Ratio      exact quotients: idle shares, slowdowns
//	Warning    a phase at the synchronisation wall
//
// # Units
//
// A Time is a whole number of cycles or of nanoseconds; all times of an Input are
// in one unit, which is the caller's. FromCycles and FromNanoseconds go from one
// to the other, rounding up. Whatever does not fit in 64 bits is an error that
// wraps ErrOverflow, never a wrapped number.
//
// # Rounding
//
// Equation 2 yields fractions. E_comp is rounded up and E_mem down. Both budgets
// still cover their worst-case times: the phase that sets the pace has its own,
// whole, time as budget; the other one's exact budget is at least its worst-case
// time, which is whole, and so is not cut below it by rounding down. And the GPU
// never holds memory for more than its share, E_mem*p_comp <= E_comp*p_mem, with
// less than one unit of time between the budget and the exact one. Rounding E_mem
// up would cover the memory phase no better and take time from the CPU.
//
// The closed form is E_mem = max(T_mem, floor(p_mem*T_comp/p_comp)) and
// E_comp = max(T_comp, ceil(p_comp*T_mem/p_mem)): budgets never shrink when a
// worst-case time grows, E_mem never shrinks and E_comp never grows with p_mem.
//
// # What it is not
//
// Worst-case times are taken as given: a schedule is no safer than they are, and
// a hand-over is missed where a phase takes longer than its budget, which the
// protocol at run time has to count. What the GPU takes to see a grant and to make
// its request is no part of a phase: it belongs to S, and a timer has to leave room
// for it. A timer is taken to end a phase at its budget
// where that is at least R_timer, and at R_timer where it is not; then the GPU may
// hold memory for more than its share (WallMemShare), unless RaiseToTimer is set.
// R_timer is a bound only where it is one; the published figures are percentiles
// of a measurement (10.7 us for 95 %, 17 us for 99.9 %, outliers up to 97 us), so
// totals at the wall that rest on them hold with no more certainty than that. The
// published R_timer includes S; the lengths here count S beside it, which can only
// make them longer. The share is one of E_mem + E_comp; the 2S of an interval
// belong to neither side. Totals begin with the kernel's first memory phase:
// waiting for the token before it, and the offload itself, are not in them.
package schedule
