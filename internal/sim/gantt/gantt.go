// Package gantt records what the warps of a simulation did when: the data of a Gantt
// chart. It sees a run as any other observer does. Package report draws the chart.
package gantt

import (
	"cmp"
	"math"
	"slices"

	"github.com/warpbound/warpbound/internal/sim"
)

// Interval is a time during which a warp did one thing. Where the recorder's
// quantum is above 1, Block and Warp are of one of those that were in the slot.
type Interval struct {
	Block     int64  `json:"block"`
	Warp      int    `json:"warp"`
	SM        int    `json:"sm"`
	Slot      int    `json:"slot"` // warp slot of the SM
	FromCycle int64  `json:"from_cycle"`
	ToCycle   int64  `json:"to_cycle"`
	State     string `json:"state"` // "issue", or the name of a sim.Reason
}

// Issuing is the State of an interval in which a warp issues.
const Issuing = "issue"

// Recorder is an observer that keeps, for every warp slot, when its warps issued
// and what they waited for in between: the data of a Gantt chart. Consecutive
// issues make one interval.
//
// Its memory is bounded, whatever the length of the execution. Where there are more
// intervals than it keeps, time is cut into pieces of a power of two of cycles, its
// quantum, and each piece is given to one of the states that occurred in it, so
// that over a slot's pieces every state has the time that it took.
type Recorder struct {
	sim.NopObserver
	FromCycle, ToCycle int64 // what is recorded; ToCycle 0 is the end
	MaxIntervals       int   // 0 means 32,000
	MaxSlots           int   // 0 means 128: the first by SM and slot

	quantum int64 // 0 and 1: exact
	slots   map[slotKey]*slotRecord
	keys    []slotKey // of slots, in order
	hidden  map[slotKey]struct{}
	kept    int // intervals
}

type slotKey struct{ sm, slot int }

func (k slotKey) compare(o slotKey) int {
	return cmp.Or(cmp.Compare(k.sm, o.sm), cmp.Compare(k.slot, o.slot))
}

// recordedStates are the reasons and, after them, issuing.
const recordedStates = int(sim.NumReasons) + 1

// slotRecord is what a slot did. The piece of time that is not over yet is from
// low to high, its cycles by state in open.
type slotRecord struct {
	runs      []run
	low, high int64
	open      [recordedStates]int64
	// owed is how many cycles a state had that its pieces do not have yet.
	owed  [recordedStates]int64
	block int64 // of the warp last seen
	warp  int
}

type run struct {
	from, to int64
	block    int64
	warp     int32
	state    uint8
}

const (
	defaultIntervals = 32_000
	defaultSlots     = 128
)

// Issue implements sim.Observer.
func (r *Recorder) Issue(e sim.IssueEvent) {
	if !e.NotIssued {
		r.add(e.Place, e.Cycle, e.Cycle+1, int(sim.NumReasons))
	}
}

// Wait implements sim.Observer.
func (r *Recorder) Wait(e sim.WaitEvent) { r.add(e.Place, e.FromCycle, e.ToCycle, int(e.Reason)) }

func (r *Recorder) add(p sim.Place, from, to int64, state int) {
	from = max(from, r.FromCycle)
	if r.ToCycle > 0 {
		to = min(to, r.ToCycle)
	}
	if from >= to {
		return
	}
	s := r.slot(slotKey{p.SM, p.Slot})
	if s == nil {
		return
	}
	s.block, s.warp = p.Block, p.Warp
	if r.quantum <= 1 {
		r.kept += s.emit(run{from, to, p.Block, int32(p.Warp), uint8(state)}, true)
	} else {
		r.kept += s.fill(from, to, state, r.quantum)
	}
	for most := cmp.Or(r.MaxIntervals, defaultIntervals); r.kept > most; {
		r.coarsen()
	}
}

// slot finds or begins the record of a slot, nil where it is not among the first.
func (r *Recorder) slot(key slotKey) *slotRecord {
	if s := r.slots[key]; s != nil {
		return s
	}
	if _, ok := r.hidden[key]; ok {
		return nil
	}
	if r.slots == nil {
		r.slots, r.hidden = map[slotKey]*slotRecord{}, map[slotKey]struct{}{}
	}
	at, _ := slices.BinarySearchFunc(r.keys, key, slotKey.compare)
	if len(r.keys) == cmp.Or(r.MaxSlots, defaultSlots) {
		if at == len(r.keys) {
			r.hidden[key] = struct{}{}
			return nil
		}
		last := r.keys[len(r.keys)-1]
		r.hidden[last] = struct{}{}
		r.kept -= len(r.slots[last].runs)
		delete(r.slots, last)
		r.keys = r.keys[:len(r.keys)-1]
	}
	r.keys = slices.Insert(r.keys, at, key)
	s := &slotRecord{}
	r.slots[key] = s
	return s
}

// coarsen doubles the quantum and records again what there is.
func (r *Recorder) coarsen() {
	r.quantum = 2 * max(r.quantum, 1)
	r.kept = 0
	for _, key := range r.keys {
		s := r.slots[key]
		old, open, low, high := s.runs, s.open, s.low, s.high
		s.runs, s.open, s.low, s.high = make([]run, 0, len(old)/2+1), [recordedStates]int64{}, 0, 0
		for _, x := range old {
			s.block, s.warp = x.block, int(x.warp)
			r.kept += s.fill(x.from, x.to, int(x.state), r.quantum)
		}
		if high == 0 {
			continue
		}
		// What was open is in one piece of the new quantum too.
		if s.high > 0 && s.low/r.quantum != low/r.quantum {
			r.kept += s.close()
		}
		if s.high == 0 {
			s.low = low
		}
		s.high = high
		for i, n := range open {
			s.open[i] += n
		}
	}
}

// fill adds cycles of a state to the pieces that they are in, and returns by how
// many the intervals became more.
func (s *slotRecord) fill(from, to int64, state int, quantum int64) int {
	more := 0
	for from < to {
		begin := from - from%quantum
		if s.high > 0 && s.low < begin {
			more += s.close()
		}
		if whole := to - to%quantum; s.high == 0 && from == begin && whole > from {
			// Pieces of one state need no account.
			more += s.emit(run{from, whole, s.block, int32(s.warp), uint8(state)}, false)
			from = whole
			continue
		}
		end := min(to, begin+quantum)
		if s.high == 0 {
			s.low = from
		}
		s.high = end
		s.open[state] += end - from
		from = end
	}
	return more
}

// close gives the open piece to the state that is owed most of those that occurred
// in it, the first of equals.
func (s *slotRecord) close() int {
	best, sum := -1, int64(0)
	for i, n := range s.open {
		if n == 0 {
			continue
		}
		sum += n
		s.owed[i] += n
		if best < 0 || s.owed[i] > s.owed[best] {
			best = i
		}
	}
	s.owed[best] -= sum
	more := s.emit(run{s.low, s.high, s.block, int32(s.warp), uint8(best)}, false)
	s.open, s.low, s.high = [recordedStates]int64{}, 0, 0
	return more
}

// emit appends an interval, or extends the last, and returns by how many they
// became more. Where exact, intervals of several warps stay apart.
func (s *slotRecord) emit(x run, exact bool) int {
	if n := len(s.runs); n > 0 {
		last := &s.runs[n-1]
		if last.state == x.state && last.to == x.from && (!exact || last.block == x.block && last.warp == x.warp) {
			last.to = x.to
			return 0
		}
	}
	s.runs = append(s.runs, x)
	return 1
}

// Quantum is the length in cycles of the pieces in which time is recorded; 1 where
// intervals are exact.
func (r *Recorder) Quantum() int64 { return max(r.quantum, 1) }

// Hidden is the number of slots that were used and are not recorded.
func (r *Recorder) Hidden() int { return len(r.hidden) }

// Intervals are the intervals recorded, by SM, slot and time. It ends the
// recording.
func (r *Recorder) Intervals() []Interval {
	var out []Interval
	for _, key := range r.keys {
		s := r.slots[key]
		if s.high > 0 {
			r.kept += s.close()
		}
		for _, x := range s.runs {
			state := Issuing
			if sim.Reason(x.state) < sim.NumReasons {
				state = sim.Reason(x.state).String()
			}
			out = append(out, Interval{Block: x.block, Warp: int(x.warp), SM: key.sm, Slot: key.slot, FromCycle: x.from, ToCycle: x.to, State: state})
		}
	}
	return out
}

// Coarsen gives intervals, by SM, slot and time, in pieces of a power of two of cycles, as
// a Recorder with that quantum would have recorded them.
func Coarsen(intervals []Interval, quantum int64) []Interval {
	r := &Recorder{MaxIntervals: math.MaxInt, MaxSlots: math.MaxInt, quantum: quantum}
	for i := range intervals {
		v := &intervals[i]
		r.add(sim.Place{SM: v.SM, Slot: v.Slot, Block: v.Block, Warp: v.Warp}, v.FromCycle, v.ToCycle, stateNumber(v.State))
	}
	return r.Intervals()
}

// stateNumber is the number of a State.
func stateNumber(state string) int {
	for r := range sim.NumReasons {
		if r.String() == state {
			return int(r)
		}
	}
	return int(sim.NumReasons)
}
