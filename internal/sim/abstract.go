package sim

import (
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/isa"
)

// abstractSM is one SM of the model the bounds are proved for
// (docs/soundness/model.md, section 1). A cycle has two stages, issue by each scheduler
// in order, then dispatch by each unit in order.
type abstractSM struct {
	smBase
	unit   []absUnit
	unitOf []int32 // first instance of a unit kind; private units have one per scheduler

	entries []entry // instructions issued and not dispatched, and free entries
	free    int32   // first free entry, linked by next

	choose    policy.Chooser
	cands     []int32 // candidates of a dispatch choice
	candSlots []int32
	seen      []uint64 // warps already among the candidates
	request   Request

	resolveCycles int64 // from the issue of a control instruction to its resolution (frontend)
}

type absUnit struct {
	freeAt     []int64 // by server
	head, tail int32   // waiting entries in issue order, -1 none
	waiting    int
	waitingOf  []int // by the scheduler that issued them
	kind       int32
}

type entry struct {
	warp, pc, unit, next int32
	index                int64
	access               int32 // global access that goes through the caches, -1 none
	initiation, latency  int64
	transactions         int32
	space                isa.Space
	segments             []uint64
}

func newAbstractSM(p *plan, sm int) *abstractSM {
	s := new(abstractSM)
	s.init(p, s, sm)
	return s
}

// init makes an SM that is part of model m.
func (s *abstractSM) init(p *plan, m model, sm int) {
	s.free, s.choose, s.seen = -1, p.cfg.dispatchOrder.Chooser(sm), make([]uint64, (p.slots+63)/64)
	units := p.cfg.Machine.Units
	sets := 1
	if p.cfg.Machine.Queue != gpu.Unbounded {
		sets = len(units)
	}
	s.smBase = newBase(p, m, sm, sets)
	for kind := range units {
		s.unitOf = append(s.unitOf, int32(len(s.unit)))
		n := p.schedulers
		if units[kind].Shared {
			n = 1
		}
		for range n {
			s.unit = append(s.unit, absUnit{freeAt: make([]int64, units[kind].Count), waitingOf: make([]int, p.schedulers), head: -1, tail: -1, kind: int32(kind)})
		}
	}
}

// activated implements model.
func (s *abstractSM) activated(int32, int64) {}

// wake implements model.
func (s *abstractSM) wake(i int32, t int64) { s.addReady(i, s.setOf(s.warp[i].pc), t) }

func (s *abstractSM) setOf(pc int32) int {
	if s.cfg.Machine.Queue == gpu.Unbounded {
		return 0
	}
	return int(s.timing[pc].Unit)
}

// step implements core.
func (s *abstractSM) step(t int64) (int64, error) {
	if s.mem != nil {
		s.mem.receive(t)
		if err := s.goOn(t); err != nil {
			return 0, err
		}
	}
	for i := range s.sched {
		if err := s.issueStage(i, t); err != nil {
			return 0, err
		}
	}
	for u := range s.unit {
		if s.unit[u].waiting > 0 {
			if err := s.dispatchStage(u, t); err != nil {
				return 0, err
			}
		}
	}
	if s.mem == nil {
		return s.nextEvent(t), nil
	}
	if err := s.mem.step(t); err != nil {
		return 0, err
	}
	if err := s.goOn(t); err != nil {
		return 0, err
	}
	return min(s.nextEvent(t), s.mem.nextEvent(t)), nil
}

// nextEvent is the next cycle at which something can happen.
func (s *abstractSM) nextEvent(t int64) int64 {
	limited := s.cfg.Machine.Queue != gpu.Unbounded
	n := never
	for i := range s.sched {
		c := &s.sched[i]
		if c.readyN == 0 {
			continue
		}
		if !limited {
			if !c.withheld {
				return t + 1
			}
			continue
		}
		for kind, set := range c.sets {
			if !slotset.Any(set) {
				continue
			}
			u := s.instance(int32(kind), i)
			if !s.accepts(u, i, t+1) {
				n = min(n, s.nextFree(u, t))
			} else if !c.withheld || c.offered&(1<<kind) == 0 {
				return t + 1
			}
		}
	}
	for u := range s.unit {
		if s.unit[u].waiting > 0 {
			n = min(n, s.unit[u].firstFree())
		}
	}
	return max(t+1, min(n, s.wheel.nextEvent(), s.endMin))
}

// nextFree is when unit u may accept again after refusing in cycle t+1.
func (s *abstractSM) nextFree(u int32, t int64) int64 {
	if s.cfg.Machine.Queue != gpu.Pooled {
		return s.unit[u].firstFree()
	}
	n := never
	for i := range s.unit {
		for _, f := range s.unit[i].freeAt {
			if f > t {
				n = min(n, f)
			}
		}
	}
	return n
}

func (s *abstractSM) instance(kind int32, sched int) int32 {
	u := s.unitOf[kind]
	if s.cfg.Machine.Units[kind].Shared {
		return u
	}
	return u + int32(sched)
}

func (u *absUnit) firstFree() int64 {
	f := u.freeAt[0]
	for _, x := range u.freeAt[1:] {
		f = min(f, x)
	}
	return f
}

func (u *absUnit) freeServers(t int64) int {
	n := 0
	for _, f := range u.freeAt {
		if f <= t {
			n++
		}
	}
	return n
}

// accepts tells whether scheduler i can issue an instruction to unit u in cycle
// t. Instructions that units start in that same cycle do not count as waiting. A
// private place is not needed by an instruction that its unit starts at once; a
// place of a pool is.
func (s *abstractSM) accepts(u int32, i int, t int64) bool {
	x := &s.unit[u]
	free := x.freeServers(t)
	switch s.cfg.Machine.Queue {
	case gpu.NoQueue:
		return x.waiting < free
	case gpu.Slots:
		return x.waiting < free+s.cfg.Machine.Slots
	case gpu.Pooled:
		return s.pooled(i, t) < s.cfg.Machine.Slots
	}
	return true
}

// pooled is how many instructions of scheduler i, each scheduler having a pool
// of its own, keep waiting after cycle t. Of the instructions that wait for a
// unit of all schedulers, those of the others count as going first.
func (s *abstractSM) pooled(i int, t int64) int {
	n := 0
	for u := range s.unit {
		if own := s.unit[u].waitingOf[i]; own > 0 {
			others := s.unit[u].waiting - own
			n += own - min(own, max(0, s.unit[u].freeServers(t)-others))
		}
	}
	return n
}

// check implements core.
func (s *abstractSM) check() error {
	var errs []error
	for i := range s.unit {
		if s.unit[i].waiting != 0 {
			errs = append(errs, fmt.Errorf("%d instructions wait for unit %s", s.unit[i].waiting, s.cfg.Machine.Units[s.unit[i].kind].Name))
		}
	}
	for i := range s.sched {
		c := &s.sched[i]
		ready := 0
		for _, set := range c.sets {
			ready += slotset.Count(set)
		}
		if ready != 0 || c.readyN != 0 || int(c.count[Idle]) != (s.slots-i+s.schedulers-1)/s.schedulers {
			errs = append(errs, fmt.Errorf("scheduler %d: %d ready warps, %d counted, %d idle slots", i, ready, c.readyN, c.count[Idle]))
		}
	}
	if s.mem != nil {
		errs = append(errs, s.mem.check())
	}
	if s.wheel.count != 0 {
		errs = append(errs, fmt.Errorf("%d warps still to wake", s.wheel.count))
	}
	freeEntries := 0
	for e := s.free; e >= 0; e = s.entries[e].next {
		freeEntries++
	}
	if freeEntries != len(s.entries) {
		errs = append(errs, fmt.Errorf("%d of %d queue entries returned", freeEntries, len(s.entries)))
	}
	return errors.Join(errs...)
}
