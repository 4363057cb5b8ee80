package replay

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/bound"
)

// A jumper finds out that the state of the machine repeats and leaves
// repetitions out.
//
// The state at the end of a cycle t is everything that decides what happens
// from t+1 on: for each warp its place in its program, its queue, its registers
// and what holds it back; units, instruction cache, control instructions in
// flight, policies, blocks. Times in it are counted from t, and those that are
// not after t are equal: no comparison of the machine tells them apart from t+1
// on. Two states *agree* if they differ in nothing but, for each warp, the
// number of iterations of one repetition of its program, and in the number of
// blocks of the run in progress that have not started (docs/soundness/frontends.md,
// theorem 32 (declared policies)).
//
// If the states at t0 < t1 agree, what the machine reads of the programs between
// t0 and t1 it reads again from t1 on, as long as no warp leaves the repetition
// it is in: within P = t1−t0 cycles each warp executes the same instructions
// again, and every decision is the same. So the state at t1+P agrees with that at
// t1, and m such periods can be left out if m times the iterations of a period
// still fit in before the last iteration of each repetition ends, and m times
// the blocks started in a period are left in the run.
type jumper struct {
	s       *sm
	held    bool
	at      snapshot
	taken   int64 // snapshots
	limit   int64 // instructions to step before the snapshot is replaced
	begun   int64 // instructions stepped when it was taken
	skipped int64 // instructions left out so far
	jumps   int64
}

// leastKept is the smallest number of instructions for which a snapshot is kept.
// A period longer than that is not found, and while a snapshot is kept that will
// not recur, for example because a warp has left its loop, no other period is
// found. So the numbers follow a sequence in which each power of two times
// leastKept occurs half as often as the one before: 1 1 2 1 1 2 4 1 ...
const leastKept = 1 << 5

func newJumper(s *sm) *jumper { return &jumper{s: s} }

// keep is element i, from 0, of the sequence 1 1 2 1 1 2 4 1 ...
func keep(i int64) int64 {
	for {
		size := int64(1)<<bits.Len64(uint64(i+1)) - 1 // of the shortest beginning that holds element i and ends with a new power
		if i == size-1 {
			return (size + 1) / 2
		}
		i -= size / 2
	}
}

// snapshot is a copy of the state at the end of a cycle.
type snapshot struct {
	event   int
	t       int64
	warp    []warp
	block   []blockSlot
	order   []int32
	fetch   selector
	issue   selector
	units   units
	lines   []int64
	pending []fill
	control []resolution
	run     int
	left    int64
	started int64
	done    int64
	stats   Stats
}

// look is called at the end of a cycle with an event.
func (j *jumper) look() error {
	s := j.s
	stepped := s.stats.Instructions - j.skipped
	if j.held && j.at.event == s.event {
		if m := j.periods(); m > 0 {
			return j.jump(m)
		}
	}
	if !j.held || stepped-j.begun > j.limit {
		j.limit = leastKept * keep(j.taken)
		j.taken++
		j.take()
		j.begun = stepped
	}
	return nil
}

func (j *jumper) take() {
	s, c := j.s, &j.at
	c.event, c.t = s.event, s.t
	if c.warp == nil {
		c.warp = make([]warp, len(s.warp))
		for i := range c.warp {
			c.warp[i].queue, c.warp[i].regs = make([]entry, len(s.warp[i].queue)), make([]int64, len(s.warp[i].regs))
		}
		c.units.free, c.units.wait = make([][]int64, len(s.units.free)), make([][]int64, len(s.units.wait))
	}
	for i := range s.warp {
		from, to := &s.warp[i], &c.warp[i]
		cur, queue, regs := to.cur, to.queue, to.regs
		cur.copyFrom(&from.cur)
		copy(queue, from.queue)
		copy(regs, from.regs)
		*to = *from
		to.cur, to.queue, to.regs = cur, queue, regs
	}
	c.block = append(c.block[:0], s.block...)
	c.order = append(c.order[:0], s.v.order...)
	c.fetch, c.issue = s.fetch, s.issue
	for u := range s.units.free {
		c.units.free[u] = append(c.units.free[u][:0], s.units.free[u]...)
		c.units.wait[u] = append(c.units.wait[u][:0], s.units.wait[u]...)
	}
	c.lines = append(c.lines[:0], s.icache.lines...)
	c.pending = append(c.pending[:0], s.icache.pending...)
	c.control = append(c.control[:0], s.control...)
	c.run, c.left, c.started, c.done, c.stats = s.run, s.left, s.started, s.done, s.stats
	j.held = true
}

// since is how long after now a time is, 0 if it is not after it.
func since(at, now int64) int64 {
	if at == never {
		return never
	}
	return max(at-now, 0)
}

// periods compares the state with the snapshot. It returns how many more periods
// are certain to follow, 0 where the states do not agree.
func (j *jumper) periods() int64 {
	s, c := j.s, &j.at
	if s.run != c.run || !slices.Equal(s.v.order, c.order) || s.fetch != c.fetch || s.issue != c.issue {
		return 0
	}
	most := int64(math.MaxInt64)
	for i := range s.warp {
		m := j.sameWarp(i)
		if m == 0 {
			return 0
		}
		most = min(most, m)
	}
	if blocks := c.left - s.left; blocks > 0 {
		most = min(most, s.left/blocks)
	}
	if most == 0 || !j.sameRest() {
		return 0
	}
	return most
}

// sameWarp compares a warp with the snapshot. It returns how many periods it can
// go on, 0 where the states do not agree or it cannot.
func (j *jumper) sameWarp(i int) int64 {
	s, c := j.s, &j.at
	a, b := &s.warp[i], &c.warp[i]
	if a.state != b.state || a.next != b.next || a.fetchPC != b.fetchPC || a.n != b.n || a.repeated != b.repeated || a.stalled != b.stalled || a.asleep != b.asleep || a.openAt == never && a.barrier != b.barrier {
		return 0
	}
	if a.state == absent {
		return math.MaxInt64
	}
	x, y := &s.block[a.slot], &c.block[a.slot]
	if x.class != y.class {
		return 0
	}
	level, iterations, ok := a.cur.stride(&b.cur)
	if !ok || iterations != 0 && x.number != y.number {
		return 0
	}
	most := int64(math.MaxInt64)
	if iterations != 0 {
		if iterations < 0 {
			return 0
		}
		if most = a.cur.room(level, iterations); most == 0 {
			return 0
		}
	}
	for _, d := range [...][2]int64{{a.activeAt, b.activeAt}, {a.resumeAt, b.resumeAt}, {a.requestAt, b.requestAt}, {a.resolveAt, b.resolveAt}, {a.openAt, b.openAt}, {a.wakeAt, b.wakeAt}, {a.operandAt, b.operandAt}} {
		if since(d[0], s.t) != since(d[1], c.t) {
			return 0
		}
	}
	for k := range a.n {
		e, f := a.queue[(a.head+k)%len(a.queue)], b.queue[(b.head+k)%len(b.queue)]
		if e.pc != f.pc || since(e.avail, s.t) != since(f.avail, c.t) {
			return 0
		}
	}
	for r := range a.regs {
		if since(a.regs[r], s.t) != since(b.regs[r], c.t) {
			return 0
		}
	}
	return most
}

// sameRest compares everything but the warps and the blocks not started.
func (j *jumper) sameRest() bool {
	s, c := j.s, &j.at
	later := func(a, b int64) bool { return since(a, s.t) == since(b, c.t) }
	for i := range s.block {
		a, b := &s.block[i], &c.block[i]
		if (a.number < 0) != (b.number < 0) {
			return false
		}
		if a.number >= 0 && (a.class != b.class || a.live != b.live || a.waiting != b.waiting || a.spawner != b.spawner || a.spawner >= 0 && !slices.Equal(a.wakes, b.wakes) || !later(a.maxComplete, b.maxComplete) || !later(a.end, b.end)) {
			return false
		}
	}
	for u := range s.units.free {
		// Servers are alike: what counts is when each number of them is free.
		if !slices.EqualFunc(sorted(s.units.free[u], s.t), sorted(c.units.free[u], c.t), func(a, b int64) bool { return a == b }) {
			return false
		}
		if !slices.EqualFunc(waiting(s.units.wait[u], s.t), waiting(c.units.wait[u], c.t), later) {
			return false
		}
	}
	if !slices.EqualFunc(s.control, c.control, func(a, b resolution) bool {
		return a.warp == b.warp && a.successor == b.successor && a.taken == b.taken && later(a.at, b.at) && j.sameOwner(a, b)
	}) {
		return false
	}
	if !slices.EqualFunc(s.icache.pending, c.pending, func(a, b fill) bool { return a.line == b.line && later(a.at, b.at) }) {
		return false
	}
	if s.uses(Adaptive) && !j.sameLeads() {
		return false
	}
	return slices.Equal(s.icache.lines, c.lines)
}

// sorted is the times of servers counted from now, in order.
func sorted(free []int64, now int64) []int64 {
	out := make([]int64, len(free))
	for i, f := range free {
		out[i] = since(f, now)
	}
	slices.Sort(out)
	return out
}

// waiting leaves out what has started by now.
func waiting(wait []int64, now int64) []int64 {
	for len(wait) > 0 && wait[0] <= now {
		wait = wait[1:]
	}
	return wait
}

// sameOwner tells whether two control instructions both belong to the block that
// is still in their warp's slot, or both do not.
func (j *jumper) sameOwner(a, b resolution) bool {
	return (j.s.block[j.s.warp[a.warp].slot].number == a.block) == (j.at.block[j.at.warp[b.warp].slot].number == b.block)
}

// uses tells whether a stage selects by a category.
func (s *sm) uses(c Category) bool {
	return s.issue.Category == c || !s.m.Front.SWaS && s.fetch.Category == c
}

// sameLeads compares how many instructions more than the others the active warps
// have issued.
func (j *jumper) sameLeads() bool {
	s, c := j.s, &j.at
	for _, i := range s.v.order[:max(len(s.v.order)-1, 0)] {
		first := s.v.order[len(s.v.order)-1]
		if s.warp[i].issued-s.warp[first].issued != c.warp[i].issued-c.warp[first].issued {
			return false
		}
	}
	return true
}

// jump leaves out m periods.
func (j *jumper) jump(m int64) error {
	s, c := j.s, &j.at
	period := s.t - c.t
	if m == math.MaxInt64 {
		return fmt.Errorf("%w: the state of cycle %d is that of cycle %d", ErrStuck, s.t, c.t)
	}
	if m > (maxTime-s.t)/period {
		return bound.ErrOverflow
	}
	shift := m * period
	for i := range s.warp {
		a, b := &s.warp[i], &c.warp[i]
		if level, iterations, ok := a.cur.stride(&b.cur); ok && iterations > 0 {
			a.cur.levels[level].iter += m * iterations
			a.issued += m * (a.issued - b.issued)
			s.v.issued[i] = a.issued
		}
		for _, at := range [...]*int64{&a.activeAt, &a.resumeAt, &a.requestAt, &a.resolveAt, &a.openAt, &a.operandAt, &a.readyAt} {
			delay(at, shift)
		}
		if a.wakeAt > 0 {
			delay(&a.wakeAt, shift)
		}
		for k := range a.queue {
			delay(&a.queue[k].avail, shift)
		}
		for r := range a.regs {
			delay(&a.regs[r], shift)
		}
	}
	for i := range s.block {
		delay(&s.block[i].maxComplete, shift)
		delay(&s.block[i].end, shift)
	}
	for u := range s.units.free {
		for k := range s.units.free[u] {
			delay(&s.units.free[u][k], shift)
		}
		for k := range s.units.wait[u] {
			delay(&s.units.wait[u][k], shift)
		}
	}
	for k := range s.control {
		r := &s.control[k]
		delay(&r.at, shift)
		if slot := s.warp[r.warp].slot; s.block[slot].number == r.block {
			r.block += m * (r.block - c.block[slot].number)
		}
	}
	for k := range s.icache.pending {
		delay(&s.icache.pending[k].at, shift)
	}
	j.skipped += m * (s.stats.Instructions - c.stats.Instructions)
	s.stats.add(m, &c.stats)
	blocks := c.left - s.left
	s.left -= m * blocks
	s.started += m * blocks
	s.done += m * (s.done - c.done)
	for i := range s.block {
		if s.block[i].number >= 0 {
			s.block[i].number += m * (s.block[i].number - c.block[i].number)
		}
	}
	s.t += shift
	j.jumps++
	return nil
}

// delay moves a time.
func delay(at *int64, shift int64) {
	if *at != never {
		*at += shift
	}
}

// add counts m times what was counted since an earlier moment.
func (s *Stats) add(m int64, earlier *Stats) {
	s.Instructions += m * (s.Instructions - earlier.Instructions)
	s.NOPs += m * (s.NOPs - earlier.NOPs)
	s.Hits += m * (s.Hits - earlier.Hits)
	s.Misses += m * (s.Misses - earlier.Misses)
	s.Taken += m * (s.Taken - earlier.Taken)
	s.Barriers += m * (s.Barriers - earlier.Barriers)
}
