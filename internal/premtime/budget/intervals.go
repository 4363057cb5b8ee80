package budget

import "github.com/warpbound/warpbound/internal/premtime/schedule"

// Span is a phase with its time, however that was found.
type Span struct {
	Kind   Kind
	Cycles int64
}

// Spans lists the phases of the launch in their order, the setup first.
func (r *Result) Spans() []Span {
	out := make([]Span, len(r.Order))
	for i, p := range r.Order {
		out[i] = Span{r.Phases[p].Kind, r.Phases[p].Cycles}
	}
	return out
}

// Hertz is the clock of the cycles.
func (r *Result) Hertz() int64 { return 1000 * r.coreKHz }

// Input is the launch for internal/premtime/schedule, in nanoseconds rounded up. Its costs of
// synchronisation are for the caller to set.
func (r *Result) Input() (schedule.Input, error) { return Input(r.Spans(), r.Hertz()) }

// Input makes intervals of phases in their order, in nanoseconds rounded up of a
// clock: an interval is a memory phase, which stores what the interval before has
// computed and loads for the next one, and the compute phase behind it. The last
// memory phase, which only stores, is an interval without one. The setup belongs
// to the launch, not to an interval.
func Input(spans []Span, hertz int64) (schedule.Input, error) {
	var in schedule.Input
	for i := 0; i < len(spans); {
		var mem, comp int64
		switch spans[i].Kind {
		case Setup:
			i++
			continue
		case Memory:
			mem = spans[i].Cycles
			i++
		}
		if i < len(spans) && spans[i].Kind == Compute {
			comp = spans[i].Cycles
			i++
		}
		x := schedule.Interval{Count: 1}
		var err error
		if x.Mem, err = schedule.FromCycles(mem, hertz); err != nil {
			return in, err
		}
		if x.Comp, err = schedule.FromCycles(comp, hertz); err != nil {
			return in, err
		}
		if n := len(in.Intervals); n > 0 && in.Intervals[n-1].Mem == x.Mem && in.Intervals[n-1].Comp == x.Comp {
			in.Intervals[n-1].Count++
			continue
		}
		in.Intervals = append(in.Intervals, x)
	}
	return in, nil
}
