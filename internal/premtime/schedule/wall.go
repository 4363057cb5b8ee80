package schedule

import (
	"fmt"
	"strconv"
)

// Phase is one of the two phases of an interval.
type Phase uint8

const (
	MemoryPhase Phase = iota
	ComputePhase
)

// String gives the name that a report prints.
func (p Phase) String() string {
	switch p {
	case MemoryPhase:
		return "memory"
	case ComputePhase:
		return "compute"
	}
	return "phase " + strconv.Itoa(int(p))
}

// Warning is a phase at the synchronisation wall (Forsberg2021, Section 4.2.1):
// T < R_timer, so that the timer and not the work says when it ends.
type Warning struct {
	Phase  Phase
	Worst  Time // T
	Budget Time // E
	Timer  Time // R_timer
	// Wait is R_timer - T, what the GPU waits for the timer in every interval, at
	// least. Lost is max(0, R_timer - E), what of it the budget does not hold: by so
	// much the phase is longer than the schedule says.
	Wait, Lost Time
}

// String tells a person; it holds times without their unit.
func (w Warning) String() string {
	text := fmt.Sprintf("synchronisation wall: the %s phase needs %d, the timer %d to respond; waits %d an interval",
		w.Phase, w.Worst, w.Timer, w.Wait)
	if w.Lost > 0 {
		return text + fmt.Sprintf(", %d of it beyond the budget of %d", w.Lost, w.Budget)
	}
	return text + fmt.Sprintf(", within the budget of %d", w.Budget)
}

// Warnings tells the phases at the synchronisation wall, memory first.
func (s Schedule) Warnings() []Warning {
	var out []Warning
	for _, p := range [2]Warning{
		{Phase: MemoryPhase, Worst: s.WorstMem, Budget: s.BudgetMem},
		{Phase: ComputePhase, Worst: s.WorstComp, Budget: s.BudgetComp},
	} {
		if p.Worst >= s.TimerTime {
			continue
		}
		p.Timer = s.TimerTime
		p.Wait = s.TimerTime - p.Worst
		p.Lost = max(0, s.TimerTime-p.Budget)
		out = append(out, p)
	}
	return out
}
