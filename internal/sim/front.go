package sim

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/fifo"
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// frontSM is one SM of the frontend model (Crouzet2024, Section IV): the units,
// queues, registers and barriers of abstractSM behind a fetch stage, an
// instruction cache and an instruction queue for each warp. An instruction issues
// only from the head of its warp's queue. The stages of a cycle, in order:
//
//	activate  warps whose time has come get a queue
//	arrive    lines are put into the instruction cache
//	resolve   control instructions redirect their warps
//	issue     a warp issues the head of its queue
//	dispatch  units start instructions
//	fetch     an instruction of some warp is requested
//
// docs/frontend.md has the rules.
type frontSM struct {
	abstractSM
	end      *gpu.FrontEnd
	swas     bool // one scheduler for issue and fetch
	separate bool // fetch selects by itself
	stall    bool // fetch waits behind each instruction and for control instructions
	nops     bool // gaps are filled with NOPs
	size     int32
	delay    int64 // from a request that hits to the first cycle of its issue

	front   []frontWarp
	entries []queueEntry // rings of size entries, by warp
	icache  instructionCache

	// Sets of warp slots.
	full      []uint64 // the queue has no room
	nowhere   []uint64 // there is no instruction to fetch
	suspended []uint64 // the line of the instruction to fetch is on its way
	held      []uint64 // kind stall: no fetch yet
	nopHead   []uint64 // the head of the queue is a NOP
	head      []uint64 // the head of the queue can be issued

	due         []int32 // by cycle: the warp whose entry can be issued from then on, -1 none
	dueDone     int64   // cycle up to which due has been looked at
	activations []activation
	resolutions fifo.Queue[resolution]
	refetches   fifo.Queue[refetch]
	begun       int64 // warps activated so far

	view         frontView
	side         []issueSide // by scheduler
	fetchPolicy  frontPicker
	real, intend []uint64 // scratch: who can issue, and who could with instructions at hand
	may, excused []uint64 // scratch
	able         []uint64 // scratch: of slots
	still        int      // cycles in which nothing moved and nothing will by itself
	use          frontCounters
	frontWatch   []FrontObserver
}

// issueSide is the issue stage of one scheduler, which selects among its own warps.
type issueSide struct {
	view   frontView // active: of its own warps; the rest is that of all
	mine   []uint64  // its slots; nil where all are
	policy frontPicker
	oracle [2]frontPicker // osched1, osched2
}

// frontWarp is the front end of a warp.
type frontWarp struct {
	fetchPC    int32
	first      int32 // of its ring of entries
	generation int32 // of what is in the slot: resolutions of earlier ones are void
	repeated   bool  // the next request repeats one that missed, and hits
	control    bool  // kind stall: the last request was for a control instruction not resolved
	requested  int64 // cycle of the last request
	line       int64 // that the suspended warp waits for
	missed     int64 // cycle of the last miss
	redirected int64 // cycle in which a control instruction last redirected the warp
}

// queueEntry is an instruction, or a NOP, and the cycle from which it can be
// issued.
type queueEntry struct {
	available int64
	pc        int32 // nop for a NOP
}

const nop = int32(-1)

// longAgo is before every window of time.
const longAgo = -never

type activation struct {
	cycle      int64
	warp       int32
	generation int32
}

type resolution struct {
	cycle      int64
	warp       int32
	generation int32
	pc, next   int32
}

type refetch struct {
	cycle int64
	warp  int32
}

// frontCounters are the statistics of a front end.
type frontCounters struct {
	discrepancies, errors, nops, discarded, hits, misses, broken int64
}

func newFrontSM(p *plan, sm int) *frontSM {
	c := &p.cfg.front
	f := c.end
	s := &frontSM{
		end: f, swas: c.swas, separate: !c.swas || c.ablation.separate, stall: f.Kind == gpu.Stall, nops: c.swas && !c.ablation.noNOPs,
		size: int32(c.entries), delay: f.FetchCycles + 1, icache: newInstructionCache(p, f), dueDone: -1,
		fetchPolicy: newFrontPicker(c.fetch),
	}
	s.init(p, s, sm)
	s.resolveCycles = f.BranchResolveCycles
	s.front = make([]frontWarp, p.slots)
	s.entries = make([]queueEntry, p.slots*int(s.size))
	words := (p.slots + 63) / 64
	for _, set := range []*[]uint64{&s.full, &s.nowhere, &s.suspended, &s.held, &s.nopHead, &s.head, &s.view.active, &s.real, &s.intend, &s.may, &s.excused, &s.able} {
		*set = make([]uint64, words)
	}
	s.view.age, s.view.issued, s.view.entries = make([]int64, p.slots), make([]int64, p.slots), make([]int32, p.slots)
	s.side = make([]issueSide, p.schedulers)
	for i := range s.side {
		d := &s.side[i]
		d.policy, d.view = newFrontPicker(c.issue), s.view
		d.oracle = [2]frontPicker{d.policy, d.policy}
		if p.schedulers > 1 {
			d.view.active, d.mine = make([]uint64, words), make([]uint64, words)
			for slot := i; slot < p.slots; slot += p.schedulers {
				setBit(d.mine, int32(slot))
			}
		}
	}
	s.due = make([]int32, s.delay+1)
	for i := range s.due {
		s.due[i] = -1
	}
	for i := range s.front {
		s.deactivate(int32(i))
	}
	for _, o := range p.cfg.Observers {
		if w, ok := o.(FrontObserver); ok {
			s.frontWatch = append(s.frontWatch, w)
		}
	}
	return s
}

// start implements core.
func (s *frontSM) start(t int64, slot int, b simt.Block) error {
	for j, w := range b.Warps() {
		i := int32(slot*s.warps + j)
		s.front[i].generation++
		s.view.issued[i] = 0
		if w.Status() == simt.Ready {
			s.schedule(i, t+s.startDelay+int64(j)*s.startGap)
		}
	}
	return s.smBase.start(t, slot, b)
}

// activated implements model: the instruction that started the warp acts when it
// is resolved.
func (s *frontSM) activated(i int32, t int64) {
	s.warp[i].resolved = t + s.resolveCycles
	s.schedule(i, t+s.resolveCycles)
}

// schedule has warp i activated in a cycle, warps of one cycle in their order.
func (s *frontSM) schedule(i int32, cycle int64) {
	a := activation{cycle, i, s.front[i].generation}
	s.activations = append(s.activations, a)
	at := len(s.activations) - 1
	for ; at > 0 && (s.activations[at-1].cycle > cycle || s.activations[at-1].cycle == cycle && s.activations[at-1].warp > i); at-- {
		s.activations[at] = s.activations[at-1]
	}
	s.activations[at] = a
}

// settle implements core. Policies that go on in cycles in which nothing happens
// catch up.
func (s *frontSM) settle(t int64) []endedBlock {
	if skipped := t - s.now - 1; skipped > 0 {
		for i := range s.side {
			d := s.of(i)
			d.policy.idle(&d.view, s.selectable(d), skipped)
			d.oracle[0].idle(&d.view, d.view.active, skipped)
			d.oracle[1].idle(&d.view, s.selectable(d), skipped)
		}
		if s.separate {
			s.fetchPolicy.idle(&s.view, s.view.active, skipped)
		}
	}
	ended := s.smBase.settle(t)
	for _, e := range ended {
		for i := e.slot * s.warps; i < (e.slot+1)*s.warps; i++ {
			s.front[i].generation++
			s.deactivate(int32(i))
		}
	}
	return ended
}

// step implements core.
func (s *frontSM) step(t int64) (int64, error) {
	if s.mem != nil {
		s.mem.receive(t)
		if err := s.goOn(t); err != nil {
			return 0, err
		}
	}
	s.events(t)
	slot := -1
	for i := range s.side {
		issued, err := s.issueFront(i, t)
		if err != nil {
			return 0, err
		}
		slot = max(slot, issued) // which is asked for only where there is one scheduler
	}
	for u := range s.unit {
		if s.unit[u].waiting > 0 {
			if err := s.dispatchStage(u, t); err != nil {
				return 0, err
			}
		}
	}
	if s.mem != nil {
		if err := s.mem.step(t); err != nil {
			return 0, err
		}
		if err := s.goOn(t); err != nil {
			return 0, err
		}
	}
	moved := slot >= 0
	if s.separate || !moved && !s.nops {
		slot = s.fetchPick()
	}
	if slot >= 0 {
		s.request(int32(slot), t)
		moved = true
	}
	if s.swas {
		for k, m := range s.view.active {
			s.use.broken += int64(bits.OnesCount64(m &^ s.full[k]))
		}
	}
	n := s.following(t, moved)
	if s.mem != nil {
		n = min(n, s.mem.nextEvent(t))
	}
	return n, nil
}

// events takes what was due by cycle t: entries that can be issued, activations,
// lines, resolutions.
func (s *frontSM) events(t int64) {
	for c := max(s.dueDone+1, t-s.delay); c <= t; c++ {
		if at := &s.due[c%(s.delay+1)]; *at >= 0 {
			s.setHead(*at, t)
			s.explain(*at, t)
			*at = -1
		}
	}
	s.dueDone = t
	n := 0
	for ; n < len(s.activations) && s.activations[n].cycle <= t; n++ {
		if a := s.activations[n]; a.generation == s.front[a.warp].generation {
			s.begin(a.warp, t)
		}
	}
	s.activations = append(s.activations[:0], s.activations[n:]...)
	for !s.icache.coming.Empty() && s.icache.coming.First().cycle <= t {
		s.arrive(s.icache.coming.First().line, t)
		s.icache.coming.Pop()
	}
	for !s.resolutions.Empty() && s.resolutions.First().cycle <= t {
		r := *s.resolutions.First()
		s.resolutions.Pop()
		if r.generation == s.front[r.warp].generation {
			s.resolve(&r, t)
		}
	}
	for !s.refetches.Empty() && s.refetches.First().cycle <= t {
		r := *s.refetches.First()
		s.refetches.Pop()
		if f := &s.front[r.warp]; !f.control && t >= f.requested+s.end.RefetchCycles {
			clearBit(s.held, r.warp)
		}
	}
}

// following is the next cycle in which something can happen, after what moved or
// did not in cycle t.
func (s *frontSM) following(t int64, moved bool) int64 {
	n := min(s.wheel.nextEvent(), s.endMin)
	if len(s.activations) > 0 {
		n = min(n, s.activations[0].cycle)
	}
	if !s.icache.coming.Empty() {
		n = min(n, s.icache.coming.First().cycle)
	}
	if !s.resolutions.Empty() {
		n = min(n, s.resolutions.First().cycle)
	}
	if !s.refetches.Empty() {
		n = min(n, s.refetches.First().cycle)
	}
	for u := range s.unit {
		if f := s.unit[u].firstFree(); f > t || s.unit[u].waiting > 0 {
			n = min(n, f)
		}
	}
	if moved || n != never || s.mem != nil && (s.mem.outstanding > 0 || s.mem.nextEvent(t) != never) {
		s.still = 0
	}
	readyN := 0
	for i := range s.sched {
		readyN += s.sched[i].readyN
	}
	if readyN == 0 && !slotset.Any(s.nopHead) && !s.fetchable() {
		return max(t+1, n)
	}
	// Somebody could issue or be fetched for, if the policies come to it.
	if s.still++; s.still > s.slots+int(s.delay)+1 {
		return never
	}
	return t + 1
}

// of is the issue side of scheduler i, with its active warps as they are now.
func (s *frontSM) of(i int) *issueSide {
	d := &s.side[i]
	for k, m := range d.mine {
		d.view.active[k] = s.view.active[k] & m
	}
	return d
}

// bySlot turns a set of warps of scheduler i, by their place in it, into one of
// slots. Valid until it is called again.
func (s *frontSM) bySlot(i int, set []uint64) []uint64 {
	if s.schedulers == 1 || set == nil {
		return set
	}
	clear(s.able)
	for k, m := range set {
		for ; m != 0; m &= m - 1 {
			setBit(s.able, int32((k<<6+bits.TrailingZeros64(m))*s.schedulers+i))
		}
	}
	return s.able
}

// selectable is the warps that strict policies may select for issue. Valid until
// it is called again.
func (s *frontSM) selectable(d *issueSide) []uint64 {
	if !s.swas {
		return d.view.active
	}
	for k, m := range d.view.active {
		s.may[k] = m &^ s.suspended[k]
	}
	return s.may
}

// check implements core.
func (s *frontSM) check() error {
	errs := []error{s.abstractSM.check()}
	if slotset.Any(s.view.active) || slotset.Any(s.nopHead) || len(s.activations) != 0 {
		errs = append(errs, fmt.Errorf("%d active warps, %d of them with a NOP, %d to activate", slotset.Count(s.view.active), slotset.Count(s.nopHead), len(s.activations)))
	}
	if s.swas && s.cfg.front.ablation == (ablation{}) && s.use.broken != 0 {
		errs = append(errs, fmt.Errorf("queues were not full in %d cycles of warps", s.use.broken))
	}
	return errors.Join(errs...)
}

// stalled implements model.
func (s *frontSM) stalled(i int) Reason {
	c := &s.sched[i]
	if c.withheld {
		return Withheld
	}
	for _, set := range c.sets {
		set = s.bySlot(i, set)
		for k, m := range set {
			if m &= s.view.active[k] & s.head[k] &^ s.nopHead[k]; s.swas {
				m &^= s.suspended[k]
			}
			if set[k]&m != 0 {
				return UnitBusy
			}
		}
	}
	return c.waitReason()
}

// wake implements model.
func (s *frontSM) wake(i int32, t int64) {
	s.abstractSM.wake(i, t)
	s.explain(i, t)
}

// evaluate implements model.
func (s *frontSM) evaluate(i int32, t int64) {
	s.abstractSM.evaluate(i, t)
	s.explain(i, t)
}

// explain says what warp i waits for if all it lacks is its instruction.
func (s *frontSM) explain(i int32, t int64) {
	w := &s.warp[i]
	if w.state != ready {
		return
	}
	r := Selected
	switch {
	case s.hasHead(i):
	case slotset.Has(s.suspended, int(i)):
		r = ICacheMiss
	case t-s.front[i].redirected < s.delay:
		r = Refetch
	default:
		r = Fetching
	}
	if w.reason != r {
		s.setReason(i, r, max(t, w.since))
	}
}

// hasHead tells whether the front end lets warp i issue.
func (s *frontSM) hasHead(i int32) bool {
	return slotset.Has(s.head, int(i)) && !(s.swas && slotset.Has(s.suspended, int(i)))
}

func setBit(set []uint64, i int32)   { set[i>>6] |= 1 << (i & 63) }
func clearBit(set []uint64, i int32) { set[i>>6] &^= 1 << (i & 63) }

func putBit(set []uint64, i int32, on bool) {
	if on {
		setBit(set, i)
		return
	}
	clearBit(set, i)
}

// deactivate empties what the front end has for warp i.
func (s *frontSM) deactivate(i int32) {
	f := &s.front[i]
	f.fetchPC, f.redirected = isa.NoPC, longAgo
	for _, set := range [...][]uint64{s.view.active, s.full, s.suspended, s.held, s.nopHead, s.head} {
		clearBit(set, i)
	}
	setBit(s.nowhere, i)
	s.view.entries[i] = 0
}
