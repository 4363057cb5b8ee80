package replay

import "fmt"

// Places where warps wait besides numbered barriers.
const (
	all   int32 = -1 // the barrier of all warps of a block
	alone int32 = -2 // until an earlier end is resolved
)

// synchronise follows what an instruction of warp i does to its block.
func (s *sm) synchronise(i int, op *Op) error {
	w := &s.warp[i]
	b := &s.block[w.slot]
	if w.next == none || op.Sync == Sleep {
		w.openAt, w.asleep = never, true
		b.live--
		return s.leave(w.slot)
	}
	switch op.Sync {
	case Arrive:
		w.openAt, w.barrier = never, all
		b.waiting++
		s.openAll(w.slot)
	case Await:
		w.openAt, w.barrier = never, op.Barrier
		if n := s.at(w.slot, op.Barrier); n >= op.Count {
			s.open(w.slot, op.Barrier, s.t+1)
		}
	case Spawn:
		return s.spawn(w.slot, op.Wakes)
	case SpawnAlone:
		if s.sleeps(w, op) {
			b.spawner, b.wakes = i-w.slot*s.warps, op.Wakes
			w.openAt, w.asleep = never, true
			b.live--
			return nil
		}
		return s.spawn(w.slot, op.Wakes)
	}
	return nil
}

// sleeps tells whether a warp has no next instruction for the time being after
// an instruction. A warp that waits for the end of all others is inactive, too,
// until they have ended.
func (s *sm) sleeps(w *warp, op *Op) bool {
	return op.Sync == Sleep || op.Sync == SpawnAlone && s.block[w.slot].live > 1
}

// leave follows the end of a warp, or its falling asleep.
func (s *sm) leave(slot int) error {
	b := &s.block[slot]
	switch {
	case b.live == 0 && b.spawner >= 0:
		if err := s.spawn(slot, []int{b.spawner}); err != nil {
			return err
		}
		b.spawner = -1
		return s.spawn(slot, b.wakes)
	case b.live == 0:
		for k := slot * s.warps; k < (slot+1)*s.warps; k++ {
			if s.warp[k].next != none {
				return fmt.Errorf("cycle %d: all warps of block %d have ended but warp %d, which nobody starts", s.t, b.number, k-slot*s.warps)
			}
		}
		b.end = b.maxComplete
	default:
		s.openAll(slot)
	}
	return nil
}

// spawn starts warps of a block that sleep, when the instruction of this cycle
// that starts them is resolved.
func (s *sm) spawn(slot int, wakes []int) error {
	at := s.t + s.m.Front.ResolveCycles
	for _, k := range wakes {
		i := slot*s.warps + k
		w := &s.warp[i]
		if !w.asleep || w.next == none {
			return fmt.Errorf("cycle %d: warp %d is started, which does not wait for it", s.t, k)
		}
		w.asleep, w.openAt = false, 0
		s.block[slot].live++
		if w.state == active {
			w.openAt, w.barrier, w.wakeAt = never, alone, at
			continue
		}
		w.state, w.activeAt = pending, at
	}
	return nil
}

// at is how many warps of a block wait at a barrier.
func (s *sm) at(slot int, barrier int32) int {
	n := 0
	for k := slot * s.warps; k < (slot+1)*s.warps; k++ {
		if u := &s.warp[k]; u.openAt == never && u.barrier == barrier && !u.asleep {
			n++
		}
	}
	return n
}

// openAll opens the barrier of all warps of a block if none is missing.
func (s *sm) openAll(slot int) {
	b := &s.block[slot]
	if b.waiting == 0 || b.waiting < b.live {
		return
	}
	at := s.t + 1
	if s.m.DrainingBarriers {
		at = max(at, b.maxComplete)
	}
	b.waiting = 0
	s.open(slot, all, at)
}

// open lets the warps at a barrier go.
func (s *sm) open(slot int, barrier int32, at int64) {
	s.stats.Barriers++
	for k := slot * s.warps; k < (slot+1)*s.warps; k++ {
		if u := &s.warp[k]; u.openAt == never && u.barrier == barrier && !u.asleep {
			u.openAt = at + s.m.BarrierDelayCycles
			s.refresh(k)
		}
	}
}
