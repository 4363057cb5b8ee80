package frontend

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/fifo"
	"github.com/warpbound/warpbound/internal/sim/slotset"
	"github.com/warpbound/warpbound/isa"
)

// SM is what a front end asks of the SM that it is part of. Warps are named by their slots.
type SM interface {
	// PC is the instruction that a warp executes next.
	PC(warp int32) int32
	// Changed is called when what a warp can issue from its queue may be something else
	// from cycle t on (Lacks).
	Changed(warp int32, t int64)
}

// Events sees what a front end does.
type Events interface {
	// Fetched is a request to the instruction cache. available is the first cycle in
	// which the instruction, or the NOP in its place, can be issued; negative where a
	// miss puts nothing into the queue.
	Fetched(warp int32, t int64, pc int32, miss bool, available int64)
	// NOP is one that takes an issue slot.
	NOP(warp int32, t int64)
	// Redirected is a control instruction that is resolved and not followed by its
	// neighbour but by next, isa.NoPC where the warp has ended.
	Redirected(warp int32, t int64, next int32, discarded int)
	// Discrepancy is a cycle in which the issue stage did not select what one of the
	// oracles does; -1 where nothing is selected.
	Discrepancy(t int64, selected, intended, expected int)
}

// FrontEnd is the front end of one SM.
type FrontEnd struct {
	sm       SM
	events   Events // nil where nobody looks
	cfg      *Config
	swas     bool // one scheduler for issue and fetch
	separate bool // fetch selects by itself
	stall    bool // fetch waits behind each instruction and for control instructions
	nops     bool // gaps are filled with NOPs
	size     int32
	delay    int64  // from a request that hits to the first cycle of its issue
	control  []bool // by instruction: may redirect its warp

	warps   []warp
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

	view         view
	side         []issueSide // by scheduler
	fetchPolicy  picker
	real, intend []uint64 // scratch: who can issue, and who could with instructions at hand
	may, excused []uint64 // scratch
	able         []uint64 // scratch: of slots
	use          Use
}

// issueSide is the issue stage of one scheduler, which selects among its own warps.
type issueSide struct {
	view   view     // active: of its own warps; the rest is that of all
	mine   []uint64 // its slots; nil where all are
	policy picker
	oracle [2]picker // osched1, osched2
}

// warp is the front end of a warp.
type warp struct {
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
const longAgo = -clock.Never

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

// Use counts what a front end did.
type Use struct {
	Discrepancies, Errors    int64 // of the issue stage and the oracles (oracle.go)
	NOPs                     int64 // issued
	Discarded                int64 // instructions fetched in vain, NOPs not counted
	ICacheHits, ICacheMisses int64
	BrokenQueueCycles        int64 // with gpu.SWaS: after which the queue of an active warp was not full, over all warps
}

// New makes the front end of an SM with some slots for warps and some schedulers, slot i
// being of scheduler i mod schedulers. events may be nil.
func New(sm SM, events Events, c *Config, prog *isa.Program, slots, schedulers int) *FrontEnd {
	f := c.end
	e := &FrontEnd{
		sm: sm, events: events, cfg: c,
		swas: c.swas, separate: !c.swas || c.ablation.Separate, stall: f.Kind == gpu.Stall, nops: c.swas && !c.ablation.NoNOPs,
		size: int32(c.entries), delay: f.FetchCycles + 1, icache: newInstructionCache(prog, f), dueDone: -1,
		fetchPolicy: newPicker(c.fetch),
	}
	for pc := range prog.Instructions {
		e.control = append(e.control, f.Control(&prog.Instructions[pc]))
	}
	e.warps = make([]warp, slots)
	e.entries = make([]queueEntry, slots*int(e.size))
	words := (slots + 63) / 64
	for _, set := range []*[]uint64{&e.full, &e.nowhere, &e.suspended, &e.held, &e.nopHead, &e.head, &e.view.active, &e.real, &e.intend, &e.may, &e.excused, &e.able} {
		*set = make([]uint64, words)
	}
	e.view.age, e.view.issued, e.view.entries = make([]int64, slots), make([]int64, slots), make([]int32, slots)
	e.side = make([]issueSide, schedulers)
	for i := range e.side {
		d := &e.side[i]
		d.policy, d.view = newPicker(c.issue), e.view
		d.oracle = [2]picker{d.policy, d.policy}
		if schedulers > 1 {
			d.view.active, d.mine = make([]uint64, words), make([]uint64, words)
			for slot := i; slot < slots; slot += schedulers {
				slotset.Add(d.mine, int32(slot))
			}
		}
	}
	e.due = make([]int32, e.delay+1)
	for i := range e.due {
		e.due[i] = -1
	}
	for i := range e.warps {
		e.deactivate(int32(i))
	}
	return e
}

// Restart makes slot i that of another warp, which has issued nothing.
func (e *FrontEnd) Restart(i int32) {
	e.warps[i].generation++
	e.view.issued[i] = 0
}

// End empties slot i, of a warp whose block has ended.
func (e *FrontEnd) End(i int32) {
	e.warps[i].generation++
	e.deactivate(i)
}

// Activate gives warp i a queue in a cycle to come, warps of one cycle in their order.
func (e *FrontEnd) Activate(i int32, cycle int64) {
	a := activation{cycle, i, e.warps[i].generation}
	e.activations = append(e.activations, a)
	at := len(e.activations) - 1
	for ; at > 0 && (e.activations[at-1].cycle > cycle || e.activations[at-1].cycle == cycle && e.activations[at-1].warp > i); at-- {
		e.activations[at] = e.activations[at-1]
	}
	e.activations[at] = a
}

// Resolve ends in a cycle to come the control instruction at pc, which warp i has just
// executed; next is what it executes after it, isa.NoPC for nothing. The calls come
// in the order of the cycles.
func (e *FrontEnd) Resolve(i int32, cycle int64, pc, next int32) {
	e.resolutions.Push(resolution{cycle: cycle, warp: i, generation: e.warps[i].generation, pc: pc, next: next})
}

// Skip says that nothing happened in some cycles. Policies that go on in such cycles catch
// up.
func (e *FrontEnd) Skip(cycles int64) {
	for i := range e.side {
		d := e.of(i)
		d.policy.idle(&d.view, e.selectable(d), cycles)
		d.oracle[0].idle(&d.view, d.view.active, cycles)
		d.oracle[1].idle(&d.view, e.selectable(d), cycles)
	}
	if e.separate {
		e.fetchPolicy.idle(&e.view, e.view.active, cycles)
	}
}

// Advance takes what was due by cycle t: entries that can be issued, activations,
// lines, resolutions.
func (e *FrontEnd) Advance(t int64) {
	for c := max(e.dueDone+1, t-e.delay); c <= t; c++ {
		if at := &e.due[c%(e.delay+1)]; *at >= 0 {
			e.setHead(*at, t)
			e.sm.Changed(*at, t)
			*at = -1
		}
	}
	e.dueDone = t
	n := 0
	for ; n < len(e.activations) && e.activations[n].cycle <= t; n++ {
		if a := e.activations[n]; a.generation == e.warps[a.warp].generation {
			e.begin(a.warp, t)
		}
	}
	e.activations = append(e.activations[:0], e.activations[n:]...)
	for !e.icache.coming.Empty() && e.icache.coming.First().cycle <= t {
		e.arrive(e.icache.coming.First().line, t)
		e.icache.coming.Pop()
	}
	for !e.resolutions.Empty() && e.resolutions.First().cycle <= t {
		r := *e.resolutions.First()
		e.resolutions.Pop()
		if r.generation == e.warps[r.warp].generation {
			e.resolve(&r, t)
		}
	}
	for !e.refetches.Empty() && e.refetches.First().cycle <= t {
		r := *e.refetches.First()
		e.refetches.Pop()
		if f := &e.warps[r.warp]; !f.control && t >= f.requested+e.cfg.end.RefetchCycles {
			slotset.Remove(e.held, r.warp)
		}
	}
}

// NextEvent is the next cycle in which something happens by itself: an activation, a
// line, a resolution, a refetch.
func (e *FrontEnd) NextEvent() int64 {
	n := clock.Never
	if len(e.activations) > 0 {
		n = min(n, e.activations[0].cycle)
	}
	if !e.icache.coming.Empty() {
		n = min(n, e.icache.coming.First().cycle)
	}
	if !e.resolutions.Empty() {
		n = min(n, e.resolutions.First().cycle)
	}
	if !e.refetches.Empty() {
		n = min(n, e.refetches.First().cycle)
	}
	return n
}

// Busy tells whether there is a NOP to issue or an instruction to fetch, if the policies
// come to it.
func (e *FrontEnd) Busy() bool { return slotset.Any(e.nopHead) || e.fetchable() }

// Patience is how many cycles in which nothing moves it takes until the policies have come
// to every warp.
func (e *FrontEnd) Patience() int { return len(e.warps) + int(e.delay) + 1 }

// of is the issue side of scheduler i, with its active warps as they are now.
func (e *FrontEnd) of(i int) *issueSide {
	d := &e.side[i]
	for k, m := range d.mine {
		d.view.active[k] = e.view.active[k] & m
	}
	return d
}

// bySlot turns a set of warps of scheduler i, by their place in it, into one of
// slots. Valid until it is called again.
func (e *FrontEnd) bySlot(i int, set []uint64) []uint64 {
	if len(e.side) == 1 || set == nil {
		return set
	}
	clear(e.able)
	for k, m := range set {
		for ; m != 0; m &= m - 1 {
			slotset.Add(e.able, int32((k<<6+bits.TrailingZeros64(m))*len(e.side)+i))
		}
	}
	return e.able
}

// selectable is the warps that strict policies may select for issue. Valid until
// it is called again.
func (e *FrontEnd) selectable(d *issueSide) []uint64 {
	if !e.swas {
		return d.view.active
	}
	for k, m := range d.view.active {
		e.may[k] = m &^ e.suspended[k]
	}
	return e.may
}

// Use is what the front end did.
func (e *FrontEnd) Use() *Use { return &e.use }

// Check verifies that nothing is left over after a complete run.
func (e *FrontEnd) Check() error {
	if slotset.Any(e.view.active) || slotset.Any(e.nopHead) || len(e.activations) != 0 {
		return fmt.Errorf("%d active warps, %d of them with a NOP, %d to activate", slotset.Count(e.view.active), slotset.Count(e.nopHead), len(e.activations))
	}
	if e.swas && e.cfg.ablation == (Ablation{}) && e.use.BrokenQueueCycles != 0 {
		return fmt.Errorf("queues were not full in %d cycles of warps", e.use.BrokenQueueCycles)
	}
	return nil
}

// deactivate empties what the front end has for warp i.
func (e *FrontEnd) deactivate(i int32) {
	f := &e.warps[i]
	f.fetchPC, f.redirected = isa.NoPC, longAgo
	for _, set := range [...][]uint64{e.view.active, e.full, e.suspended, e.held, e.nopHead, e.head} {
		slotset.Remove(set, i)
	}
	slotset.Add(e.nowhere, i)
	e.view.entries[i] = 0
}
