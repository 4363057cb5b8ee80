package exhaust

import (
	"errors"
	"fmt"
)

// Sizes the explorer can hold.
const (
	maxInstrs = 16
	maxWarps  = 4
	maxUnits  = 4
	maxCycles = 250 // initiation + latency of one instruction
)

// ErrStates reports a system with more states than allowed.
var ErrStates = errors.New("too many states")

// state is an SM at the start of a cycle. Times are relative to it.
type state struct {
	// stage of each instruction: 0 not issued or complete, 1 waiting for its unit,
	// k ≥ 2 complete in k-1 cycles.
	stage [maxInstrs]uint8
	// queue lists waiting instructions +1, by unit; within a unit in issue order
	// (FIFO) or by index.
	queue [maxInstrs]uint8
	next  [maxWarps]uint8 // instructions issued per warp
	busy  [maxUnits]uint8 // cycles of initiation left per unit
}

// Explorer finds exact worst makespans. It keeps its memory between systems; one
// goroutine may use it at a time.
type Explorer struct {
	// MaxStates limits the states of one system; 0 means 4 million.
	MaxStates int

	m     Rules
	sys   *System
	flat  []Instr
	base  [maxWarps]int
	warps int
	units int
	worst map[state]int16
	over  bool
}

// Worst returns the largest makespan of the system on the machine over all
// schedules.
func (e *Explorer) Worst(sys *System, m Rules) (int, error) {
	if err := e.load(sys, m); err != nil {
		return 0, err
	}
	t := e.value(state{})
	if e.over {
		return 0, ErrStates
	}
	return t, nil
}

func (e *Explorer) load(sys *System, m Rules) error {
	if err := sys.Validate(); err != nil {
		return err
	}
	e.m, e.sys, e.warps, e.units, e.over = m, sys, len(sys.Warps), sys.Units(), false
	if m.FIFO && !m.OwnOrder {
		return errors.New("FIFO keeps the order of a warp")
	}
	if m.Pooled && m.Slots < 1 {
		return fmt.Errorf("a pool of %d places", m.Slots)
	}
	if sys.Len() > maxInstrs || e.warps > maxWarps || e.units > maxUnits {
		return fmt.Errorf("%d instructions, %d warps, %d units: more than %d, %d, %d", sys.Len(), e.warps, e.units, maxInstrs, maxWarps, maxUnits)
	}
	e.flat = e.flat[:0]
	for i, w := range sys.Warps {
		e.base[i] = len(e.flat)
		for _, in := range w {
			if in.Init+in.Lat > maxCycles {
				return fmt.Errorf("initiation %d and latency %d exceed %d cycles", in.Init, in.Lat, maxCycles)
			}
			e.flat = append(e.flat, in)
		}
	}
	if e.worst == nil {
		e.worst = map[state]int16{}
	}
	clear(e.worst)
	return nil
}

// value is the largest time from s to the completion of everything.
func (e *Explorer) value(s state) int {
	if v, ok := e.worst[s]; ok {
		return int(v)
	}
	limit := e.MaxStates
	if limit == 0 {
		limit = 4 << 20
	}
	if len(e.worst) >= limit {
		e.over = true
		return 0
	}
	best := 0
	ready := false
	for w := range e.warps {
		if e.ready(&s, w) {
			ready = true
			best = max(best, e.dispatch(e.issue(s, w), 0, true))
		}
	}
	if !ready {
		best = e.dispatch(s, 0, false)
	}
	e.worst[s] = int16(best)
	return best
}

// ready tells whether warp w may issue its next instruction.
func (e *Explorer) ready(s *state, w int) bool {
	p := e.sys.Warps[w]
	k := int(s.next[w])
	if k == len(p) {
		return false
	}
	in := &p[k]
	for _, b := range in.Src {
		if s.stage[e.base[w]+b] != 0 {
			return false
		}
	}
	return e.open(s, in.Section) && e.accepts(s, in.Unit)
}

// open tells whether the barriers before a section are open.
func (e *Explorer) open(s *state, section int) bool {
	for v, p := range e.sys.Warps {
		k := int(s.next[v])
		if k < len(p) && p[k].Section < section {
			return false
		}
		if !e.m.Draining {
			continue
		}
		for j := range k {
			if p[j].Section < section && s.stage[e.base[v]+j] != 0 {
				return false
			}
		}
	}
	return true
}

// accepts tells whether the waiting places let an instruction for unit f issue.
// Places whose instruction a free unit takes in this very cycle count as free. A
// private queue is not needed by an instruction its unit takes at once; a pooled
// place is.
func (e *Explorer) accepts(s *state, f int) bool {
	if e.m.Slots < 0 {
		return true
	}
	waiting, own, taken := 0, 0, 0
	for _, q := range s.queue {
		if q == 0 {
			break
		}
		waiting++
		if e.flat[q-1].Unit == f {
			own++
		}
	}
	if !e.m.Pooled {
		if s.busy[f] == 0 {
			own--
		}
		return own < e.m.Slots
	}
	for u := range e.units {
		if s.busy[u] == 0 && e.waits(s, u) {
			taken++
		}
	}
	return waiting-taken < e.m.Slots
}

func (e *Explorer) waits(s *state, f int) bool {
	for _, q := range s.queue {
		if q == 0 {
			return false
		}
		if e.flat[q-1].Unit == f {
			return true
		}
	}
	return false
}

// issue moves the next instruction of w to the queue of its unit.
func (e *Explorer) issue(s state, w int) state {
	i := e.base[w] + int(s.next[w])
	s.next[w]++
	s.stage[i] = 1
	f := e.flat[i].Unit
	at := 0
	for at < maxInstrs && s.queue[at] != 0 {
		q := int(s.queue[at]) - 1
		if e.flat[q].Unit > f || (!e.m.FIFO && e.flat[q].Unit == f && q > i) {
			break
		}
		at++
	}
	copy(s.queue[at+1:], s.queue[at:maxInstrs-1])
	s.queue[at] = uint8(i + 1)
	return s
}

// dispatch tries everything unit f and those after it can serve in this cycle,
// and returns the largest time to completion. acted tells whether something was
// issued or dispatched in it.
func (e *Explorer) dispatch(s state, f int, acted bool) int {
	for f < e.units && (s.busy[f] != 0 || !e.waits(&s, f)) {
		f++
	}
	if f == e.units {
		return e.advance(s, acted)
	}
	best := 0
	for at, q := range s.queue {
		if q == 0 {
			break
		}
		i := int(q) - 1
		if e.flat[i].Unit != f {
			continue
		}
		if e.m.OwnOrder && !e.m.FIFO && e.earlierWaits(&s, i) {
			continue
		}
		best = max(best, e.serve(s, at, i, f))
		if e.m.FIFO {
			break
		}
	}
	return best
}

// earlierWaits tells whether an earlier instruction of the same warp waits for
// the same unit as i.
func (e *Explorer) earlierWaits(s *state, i int) bool {
	w, _ := e.owner(i)
	for j := e.base[w]; j < i; j++ {
		if s.stage[j] == 1 && e.flat[j].Unit == e.flat[i].Unit {
			return true
		}
	}
	return false
}

// serve starts instruction i, at place at of the queue, with every allowed
// shortening, and goes on to the next unit.
func (e *Explorer) serve(s state, at, i, f int) int {
	copy(s.queue[at:], s.queue[at+1:])
	s.queue[maxInstrs-1] = 0
	in := &e.flat[i]
	inits, lats := e.shortest(i)
	best := 0
	for init := inits; init <= in.Init; init++ {
		for lat := lats; lat <= in.Lat; lat++ {
			s.busy[f] = uint8(init)
			s.stage[i] = uint8(init + lat + 1)
			best = max(best, e.dispatch(s, f+1, true))
		}
	}
	return best
}

// advance moves to the next cycle, or over all cycles in which nothing happens.
func (e *Explorer) advance(s state, acted bool) int {
	next, step := tick(s, acted)
	if step == 0 {
		return 0
	}
	return step + e.value(next)
}

// tick is the state at the next cycle or, if nothing was done in this one, at the
// next one in which something ends; 0 cycles if nothing is in progress.
func tick(s state, acted bool) (state, int) {
	step := uint8(1)
	if !acted {
		step = 255
		for _, x := range s.stage {
			if x > 1 {
				step = min(step, x-1)
			}
		}
		for _, b := range s.busy {
			if b > 0 {
				step = min(step, b)
			}
		}
		if step == 255 {
			return s, 0
		}
	}
	for i, x := range s.stage {
		if x > 1 {
			s.stage[i] = x - step
			if s.stage[i] == 1 {
				s.stage[i] = 0
			}
		}
	}
	for i, b := range s.busy {
		if b > 0 {
			s.busy[i] = b - step
		}
	}
	return s, int(step)
}
