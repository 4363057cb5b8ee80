package dp

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// levels goes forward from the start through the states that can be reached, one
// level after another: the states of a level have the same number of instructions
// executed by all warps together. All choices of a cycle execute equally many, so
// a state's successors are of one level, at most Σσ further on, and only as many
// levels need be kept. A state's value is the longest time to get there, in cycles.
type levels struct {
	*worker[uint32] // for its choices; it sweeps nothing
	ring            []*table
	kept            []*table // every level so far, where a walk is to follow
	allowed         int64    // bytes
	used, peak      int64
	states          int64
	scratch         []int
}

// errMemory tells that the tables of the levels do not fit.
var errMemory = errors.New("the levels do not fit the memory")

// newLevels needs a space from the start on.
func newLevels(s *space, allowed int64, walk bool) *levels {
	// Numbers as if every slice were in memory.
	l := newLayout(s, math.MaxInt64, true)
	sw := &sweep[uint32]{space: s, layout: l, height: s.heights(l.base)}
	v := &levels{worker: newWorker(sw), allowed: allowed, scratch: make([]int, len(s.code))}
	reach := 1 // the level itself
	for _, c := range s.capacity {
		reach = min(s.warps+1, reach+c)
	}
	v.ring = make([]*table, reach)
	if walk {
		v.kept = make([]*table, s.warps*len(s.code)+1)
	}
	return v
}

// run gives the longest time from the start to the end.
func (v *levels) run(ctx context.Context, progress func(states int64)) (int64, error) {
	defer context.AfterFunc(ctx, func() { v.stop.Store(true) })()
	start := 0
	for i := range v.code {
		start += v.height[i][0]
	}
	if err := v.arrive(0, uint64(start), 0); err != nil {
		return 0, err
	}
	last := v.warps * len(v.code)
	for level := range last {
		t := v.ring[level%len(v.ring)]
		if t == nil || t.count == 0 {
			continue
		}
		for i, k := range t.keys {
			if k == 0 {
				continue
			}
			if v.stop.Load() {
				return 0, context.Cause(ctx)
			}
			if v.states++; v.states&0xfff == 0 {
				progress(v.states)
			}
			if err := v.expand(level, k-1, t.times[i]+1); err != nil {
				return 0, err
			}
		}
		if v.kept != nil {
			v.kept[level] = t
			v.ring[level%len(v.ring)] = nil
		} else {
			t.clear()
		}
	}
	end := v.ring[last%len(v.ring)]
	v.states++
	progress(v.states)
	for i, k := range end.keys {
		if k != 0 {
			return int64(end.times[i]), nil
		}
	}
	return 0, nil
}

// expand reaches the successors of a state at a time.
func (v *levels) expand(level int, number uint64, time uint32) error {
	n := v.scratch
	v.state(int64(number), n)
	for k := range v.queue {
		v.queue[k] = v.queue[k][:0]
		v.ready[k] = 0
	}
	before := v.warps
	for i, c := range n {
		if c < before {
			v.push(i, before, c)
		}
		before = c
	}
	v.moves = append(v.moves[:0], 0)
	executed := 0
	for k, ready := range v.ready {
		if ready > 0 {
			amount := min(v.capacity[k], ready)
			executed += amount
			v.last = v.spread(v.last[:0], v.queue[k], ready, amount, 0)
			v.moves, v.others = combine(v.others[:0], v.moves, v.last), v.moves
		}
	}
	for _, m := range v.moves {
		if err := v.arrive(level+executed, number+uint64(m), time); err != nil {
			return err
		}
	}
	return nil
}

// arrive notes that a state of a level is reached at a time.
func (v *levels) arrive(level int, number uint64, time uint32) error {
	slot := &v.ring[level%len(v.ring)]
	if *slot == nil {
		*slot = &table{}
	}
	t := *slot
	if t.full() {
		size := max(64, 2*len(t.keys))
		if v.used+int64(size)*entryBytes > v.allowed {
			return errMemory
		}
		v.used += int64(size-len(t.keys)) * entryBytes
		v.peak = max(v.peak, v.used+int64(len(t.keys))*entryBytes)
		t.grow(size)
	}
	t.put(number+1, time)
	return nil
}

// state finds the n of a number. It counts down from the largest n[i] possible, over
// all i together at most as often as there are warps.
func (v *levels) state(number int64, n []int) {
	c := v.warps
	for v.base[c] > number {
		c--
	}
	n[0] = c
	rest := number - v.base[c]
	for i := 1; i < len(n); i++ {
		first := v.first[i]
		rest += first[v.least(i, c)]
		for first[c] > rest {
			c--
		}
		n[i] = c
		rest -= first[c]
	}
}

// walk gives a path of that many cycles to the end, in counts by instruction. It
// goes backwards, and of several predecessors takes the first in a fixed order.
func (v *levels) walk(cycles int64) ([][]int32, error) {
	moves := make([][]int32, cycles)
	n := make([]int, len(v.code))
	for i := range n {
		n[i] = v.warps
	}
	p := &predecessors{levels: v, level: v.warps * len(v.code), before: make([]int, len(n)), done: make([]int, len(v.capacity))}
	for t := cycles - 1; t >= 0; t-- {
		p.n, p.time = n, uint32(t)
		if !p.from(0, 0) {
			return nil, fmt.Errorf("no predecessor of state %v at %d cycles", n, t)
		}
		row := make([]int32, len(n))
		for i := range n {
			row[i] = int32(n[i] - p.before[i])
			p.level -= n[i] - p.before[i]
		}
		moves[t] = row
		copy(n, p.before)
		clear(p.done)
	}
	return moves, nil
}

// predecessors looks for a state from which a cycle leads to n, reached at a time.
type predecessors struct {
	*levels
	n      []int
	level  int // of n
	time   uint32
	before []int // the state looked at
	done   []int // by kind: how many the cycle executes
}

// from tries all states that differ from n from instruction i on; sum instructions
// before i are executed. It leaves the state found in before.
func (p *predecessors) from(i, sum int) bool {
	if i == len(p.n) {
		return p.matches(sum)
	}
	k := p.code[i]
	// Those who execute i wait for the next instruction in n.
	most := p.n[i]
	if i+1 < len(p.n) {
		most -= p.n[i+1]
	}
	for x := 0; x <= min(most, p.capacity[k]-p.done[k]); x++ {
		p.before[i] = p.n[i] - x
		p.done[k] += x
		if p.from(i+1, sum+x) {
			return true
		}
		p.done[k] -= x
	}
	return false
}

// matches says that before was reached at the time and that executing done there is
// work-conserving.
func (p *predecessors) matches(sum int) bool {
	ready := make([]int, len(p.done))
	above, number := p.warps, 0
	for i, v := range p.before {
		if i > 0 && v < p.least(i, above) {
			return false // outside the space: it has no number
		}
		ready[p.code[i]] += above - v
		number += p.height[i][v]
		above = v
	}
	for k, r := range ready {
		if p.done[k] != min(r, p.capacity[k]) {
			return false
		}
	}
	time, ok := p.kept[p.level-sum].get(uint64(number) + 1)
	return ok && time == p.time
}
