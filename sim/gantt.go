package sim

import "cmp"

// Interval is a time during which a warp did one thing.
type Interval struct {
	Block     int64  `json:"block"`
	Warp      int    `json:"warp"`
	SM        int    `json:"sm"`
	FromCycle int64  `json:"from_cycle"`
	ToCycle   int64  `json:"to_cycle"`
	State     string `json:"state"` // "issue", or the name of a Reason
}

// Issuing is the State of an interval in which a warp issues.
const Issuing = "issue"

// Recorder is an observer that keeps, for every warp, when it issued and what
// it waited for in between: the data of a Gantt chart. Consecutive issues make
// one interval.
type Recorder struct {
	NopObserver
	MaxIntervals int // 0 means 100,000; further ones are counted in Dropped
	Dropped      int64

	intervals []Interval
	open      map[recorderKey]int // the last interval of a warp, by index
}

type recorderKey struct {
	block int64
	warp  int
}

const defaultIntervals = 100_000

// Issue implements Observer.
func (r *Recorder) Issue(e IssueEvent) {
	if !e.NotIssued {
		r.add(e.Place, e.Cycle, e.Cycle+1, Issuing)
	}
}

// Wait implements Observer.
func (r *Recorder) Wait(e WaitEvent) { r.add(e.Place, e.FromCycle, e.ToCycle, e.Reason.String()) }

func (r *Recorder) add(p Place, from, to int64, state string) {
	if r.open == nil {
		r.open = map[recorderKey]int{}
	}
	key := recorderKey{p.Block, p.Warp}
	if i, ok := r.open[key]; ok {
		if last := &r.intervals[i]; last.State == state && last.ToCycle == from {
			last.ToCycle = to
			return
		}
	}
	if len(r.intervals) >= cmp.Or(r.MaxIntervals, defaultIntervals) {
		r.Dropped++
		delete(r.open, key)
		return
	}
	r.open[key] = len(r.intervals)
	r.intervals = append(r.intervals, Interval{Block: p.Block, Warp: p.Warp, SM: p.SM, FromCycle: from, ToCycle: to, State: state})
}

// Intervals are the intervals recorded, in the order in which they began to be
// reported: a wait is reported when it ends. The slice is the recorder's own.
func (r *Recorder) Intervals() []Interval { return r.intervals }
