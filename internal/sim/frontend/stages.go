package frontend

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/sim/slotset"
)

// begin makes warp i active. A warp that has ended is still active if the step that
// ended it started it again.
func (e *FrontEnd) begin(i int32, t int64) {
	f := &e.warps[i]
	if slotset.Has(e.view.active, int(i)) {
		e.discard(i, t, e.sm.PC(i))
		e.deactivate(i)
	}
	*f = warp{fetchPC: e.sm.PC(i), generation: f.generation, requested: longAgo, missed: longAgo, redirected: longAgo}
	e.view.age[i] = e.begun
	e.begun++
	slotset.Add(e.view.active, i)
	e.setFetchPC(i, f.fetchPC)
	e.view.entries[i] = 0
	if e.swas {
		for range e.size {
			e.push(i, nop, t)
		}
	}
	e.setHead(i, t)
	e.sm.Changed(i, t)
}

// push puts an entry at the end of warp i's queue.
func (e *FrontEnd) push(i, pc int32, available int64) {
	n := e.view.entries[i]
	at := e.warps[i].first + n
	if at >= e.size {
		at -= e.size
	}
	e.entries[i*e.size+at] = queueEntry{available, pc}
	e.view.entries[i] = n + 1
	slotset.Put(e.full, i, n+1 >= e.size)
}

// pop takes the head of warp i's queue in cycle t.
func (e *FrontEnd) pop(i int32, t int64) (pc int32) {
	f := &e.warps[i]
	pc = e.entries[i*e.size+f.first].pc
	if f.first++; f.first == e.size {
		f.first = 0
	}
	e.view.entries[i]--
	slotset.Remove(e.full, i)
	e.setHead(i, t+1)
	return pc
}

// setHead notes what the head of warp i's queue is in cycle t.
func (e *FrontEnd) setHead(i int32, t int64) {
	if e.view.entries[i] == 0 {
		slotset.Remove(e.head, i)
		slotset.Remove(e.nopHead, i)
		return
	}
	first := &e.entries[i*e.size+e.warps[i].first]
	slotset.Put(e.head, i, first.available <= t)
	slotset.Put(e.nopHead, i, first.pc == nop)
}

func (e *FrontEnd) setFetchPC(i, pc int32) {
	e.warps[i].fetchPC = pc
	slotset.Put(e.nowhere, i, pc < 0 || int(pc) >= len(e.control))
}

// arrive puts a line into the instruction cache.
func (e *FrontEnd) arrive(line, t int64) {
	e.icache.insert(line)
	for i := slotset.First(e.suspended, 0); i >= 0; {
		if f := &e.warps[i]; f.line == line {
			slotset.Remove(e.suspended, int32(i))
			f.repeated = true
			e.sm.Changed(int32(i), t)
		}
		next := slotset.First(e.suspended, i+1)
		if next <= i {
			break
		}
		i = next
	}
}

// resolve ends a control instruction.
func (e *FrontEnd) resolve(r *resolution, t int64) {
	i := r.warp
	f := &e.warps[i]
	if f.control {
		f.control = false
		slotset.Put(e.held, i, t < f.requested+e.cfg.end.RefetchCycles)
	}
	if r.next == r.pc+1 {
		return
	}
	e.discard(i, t, r.next)
	if r.next < 0 {
		e.deactivate(i)
		return
	}
	if !e.nops {
		e.view.entries[i] = 0
		slotset.Remove(e.full, i)
	}
	f.redirected = t
	f.repeated = false
	slotset.Remove(e.suspended, i)
	e.setFetchPC(i, r.next)
	e.setHead(i, t)
	e.sm.Changed(i, t)
}

// discard makes NOPs of the instructions in warp i's queue, which goes on at next.
func (e *FrontEnd) discard(i int32, t int64, next int32) {
	f := &e.warps[i]
	discarded := 0
	for k := range e.view.entries[i] {
		at := f.first + k
		if at >= e.size {
			at -= e.size
		}
		if x := &e.entries[i*e.size+at]; x.pc != nop {
			x.pc = nop
			discarded++
		}
	}
	e.use.Discarded += int64(discarded)
	if e.events != nil {
		e.events.Redirected(i, t, next, discarded)
	}
}

// Choice is what the issue stage of a scheduler does in a cycle.
type Choice uint8

// The choices.
const (
	Idle        Choice = iota // no warp can issue
	Withheld                  // the policy holds the turn for another warp than those that can
	IssuedNOP                 // a warp has issued a NOP
	Instruction               // a warp issues the instruction at the head of its queue (Take)
)

// Select lets a scheduler select in cycle t among its warps. able are those whose next
// instruction can be issued, by their place in the scheduler; nil for none. slot is -1
// where none is selected.
func (e *FrontEnd) Select(scheduler int, t int64, able []uint64) (slot int, c Choice) {
	d := e.of(scheduler)
	able = e.bySlot(scheduler, able)
	candidates := uint64(0)
	for k, active := range d.view.active {
		m := e.nopHead[k]
		if able != nil {
			m |= able[k] & active
		}
		e.intend[k] = m
		if m &= e.head[k]; e.swas {
			m &^= e.suspended[k]
		}
		e.real[k] = m
		candidates |= m
	}
	slot = d.policy.pick(&d.view, e.real, e.selectable(d))
	e.judge(d, t, slot)
	switch {
	case slot < 0 && candidates == 0:
		return -1, Idle
	case slot < 0:
		return -1, Withheld
	case !slotset.Has(e.nopHead, slot):
		return slot, Instruction
	}
	i := int32(slot)
	e.use.NOPs++
	if e.events != nil {
		e.events.NOP(i, t)
	}
	e.pop(i, t)
	e.sm.Changed(i, t+1)
	return slot, IssuedNOP
}

// Take takes the instruction at the head of the selected warp's queue in cycle t.
func (e *FrontEnd) Take(i int32, t int64) (pc int32) {
	e.view.issued[i]++
	return e.pop(i, t)
}

// CanIssue tells whether a warp of a scheduler in one of the sets, by their place in the
// scheduler, has its next instruction at the head of its queue.
func (e *FrontEnd) CanIssue(scheduler int, sets [][]uint64) bool {
	for _, set := range sets {
		set = e.bySlot(scheduler, set)
		for k, m := range set {
			if m &= e.view.active[k] & e.head[k] &^ e.nopHead[k]; e.swas {
				m &^= e.suspended[k]
			}
			if set[k]&m != 0 {
				return true
			}
		}
	}
	return false
}

// Lack is what keeps the head of a warp's queue from issue.
type Lack uint8

// The lacks.
const (
	Nothing  Lack = iota
	Line          // the line of the next instruction is on its way
	Redirect      // a control instruction has redirected the warp lately
	Entry         // the queue is empty, or its head on the way
)

// Lacks is what warp i lacks in cycle t.
func (e *FrontEnd) Lacks(i int32, t int64) Lack {
	suspended := slotset.Has(e.suspended, int(i))
	switch {
	case slotset.Has(e.head, int(i)) && !(e.swas && suspended):
		return Nothing
	case suspended:
		return Line
	case t-e.warps[i].redirected < e.delay:
		return Redirect
	}
	return Entry
}

// Fetch is the fetch stage in cycle t, whose issue stages have selected the warp in a
// slot, -1 for none; which one matters only where there is one scheduler. It tells whether
// anything has moved in the cycle.
func (e *FrontEnd) Fetch(t int64, selected int) bool {
	moved := selected >= 0
	if e.separate || !moved && !e.nops {
		selected = e.fetchPick()
	}
	if selected >= 0 {
		e.request(int32(selected), t)
		moved = true
	}
	if e.swas {
		for k, m := range e.view.active {
			e.use.BrokenQueueCycles += int64(bits.OnesCount64(m &^ e.full[k]))
		}
	}
	return moved
}

// fetchable tells whether an instruction of some warp can be requested by a fetch
// stage of its own.
func (e *FrontEnd) fetchable() bool {
	if !e.separate && e.nops {
		return false
	}
	for k, active := range e.view.active {
		if active&^(e.full[k]|e.nowhere[k]|e.suspended[k]|e.held[k]) != 0 {
			return true
		}
	}
	return false
}

// fetchPick is the warp that the fetch stage selects, -1 if it idles.
func (e *FrontEnd) fetchPick() int {
	for k, active := range e.view.active {
		e.real[k] = active &^ (e.full[k] | e.nowhere[k] | e.suspended[k] | e.held[k])
	}
	return e.fetchPolicy.pick(&e.view, e.real, e.view.active)
}

// request requests the next instruction of warp i in cycle t.
func (e *FrontEnd) request(i int32, t int64) {
	f := &e.warps[i]
	available := t + e.delay
	if slotset.Has(e.nowhere, int(i)) {
		e.enqueue(i, nop, available)
		return
	}
	pc := f.fetchPC
	line := e.icache.line[pc]
	hit := e.icache.touch(line) || f.repeated
	if !hit {
		e.use.ICacheMisses++
		e.icache.request(line, t)
		f.line, f.missed = line, t
		slotset.Add(e.suspended, i)
		e.sm.Changed(i, t+1)
	} else {
		e.use.ICacheHits++
		f.repeated = false
	}
	if e.stall {
		f.requested = t
		f.control = hit && e.control[pc]
		slotset.Add(e.held, i)
		e.refetches.Push(refetch{t + e.cfg.end.RefetchCycles, i})
	}
	switch {
	case hit:
		e.enqueue(i, pc, available)
		e.setFetchPC(i, pc+1)
	case e.nops:
		e.enqueue(i, nop, available)
	default:
		available = -1
	}
	if e.events != nil {
		e.events.Fetched(i, t, pc, !hit, available)
	}
}

// enqueue puts an entry that is on its way at the end of warp i's queue.
func (e *FrontEnd) enqueue(i, pc int32, available int64) {
	e.push(i, pc, available)
	e.due[available%(e.delay+1)] = i
	if e.view.entries[i] == 1 {
		e.setHead(i, available-e.delay+1)
	}
}
