package exhaust

import (
	"errors"
	"fmt"
	"slices"
)

// Grid is blocks on SMs with slots. One schedule of it is run by Run, with every
// free choice made by a Chooser.
type Grid struct {
	Machine    Rules
	Blocks     []System
	SlotsPerSM int
	SMs        int
	// SubCores issue independently and have units of their own; warp w of a block
	// is on sub-core w mod SubCores.
	SubCores int
	// Shared lists units of which there is one for all sub-cores of an SM.
	Shared []bool
	// BarrierDelay and StartDelay are spent in full at each barrier and start.
	BarrierDelay, StartDelay int
}

// Ref names one instruction of a grid.
type Ref struct{ Block, Warp, Instr int }

// Chooser makes the choices the model leaves open. Each method returns an index
// into the options it is given.
type Chooser interface {
	Issue(cycle int, ready []Ref) int
	Dispatch(cycle int, waiting []Ref) int
	Slot(cycle int, sms []int) int
	// Shorten returns the initiation and latency of one execution.
	Shorten(in *Instr) (init, lat int)
}

// Trace is the times of each instruction, indexed by block, warp, instruction.
type Trace struct {
	Issue, Dispatch, Complete [][][]int
	End                       int
}

// warp in progress.
type gridWarp struct {
	block, index int
	sm, core     int
	next         int
	open         int // no issue before this cycle: start and barrier delays
	section      int // sections up to this one are open
	issued       int // cycle of the last issue
	waiting      int // issued, not dispatched
	latest       int // latest completion of what was dispatched
	offered      int // the last dispatch in which an instruction of the warp was looked at
	p            Sequence
}

// drained tells whether everything issued has completed by cycle t.
func (w *gridWarp) drained(t int) bool { return w.waiting == 0 && w.latest <= t }

type gridUnit struct {
	free  int // end of the initiation in progress
	queue []Ref
}

type gridRun struct {
	g     *Grid
	c     Chooser
	t     int
	units [][][]gridUnit // SM, sub-core, unit
	warps []*gridWarp
	tr    *Trace
	slots []int         // free per SM
	first int           // next block to start
	live  map[int]int   // block -> its SM
	byRef [][]*gridWarp // block, warp
	open  []int         // per block, sections below this one have been passed

	undone []bool // per block, of retire
	// What issue and dispatch choose from; choosers do not keep it.
	ready     []Ref
	readyWarp []*gridWarp
	place     []int
	choice    int // number of the dispatch in hand, counted from 1
}

// ErrNoProgress reports a schedule longer than any valid one.
var ErrNoProgress = errors.New("no progress")

// Run executes the grid under the chooser.
func (g *Grid) Run(c Chooser) (*Trace, error) {
	if g.SlotsPerSM < 1 || g.SMs < 1 || g.SubCores < 1 || len(g.Blocks) == 0 {
		return nil, fmt.Errorf("%d blocks, %d SMs, %d slots, %d sub-cores: expected at least 1 of each", len(g.Blocks), g.SMs, g.SlotsPerSM, g.SubCores)
	}
	r := &gridRun{g: g, c: c, tr: &Trace{}, live: map[int]int{}, byRef: make([][]*gridWarp, len(g.Blocks)),
		open: make([]int, len(g.Blocks)), undone: make([]bool, len(g.Blocks))}
	limit, units := 1, 0
	for i := range g.Blocks {
		if err := g.Blocks[i].Validate(); err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
		units = max(units, g.Blocks[i].Units())
		limit += g.StartDelay + g.Blocks[i].Sections()*(g.BarrierDelay+1)
		var a, b, d [][]int
		for _, w := range g.Blocks[i].Warps {
			a, b, d = append(a, make([]int, len(w))), append(b, make([]int, len(w))), append(d, make([]int, len(w)))
			for _, in := range w {
				limit += 2 * (in.Init + in.Lat + 1)
			}
		}
		r.tr.Issue, r.tr.Dispatch, r.tr.Complete = append(r.tr.Issue, a), append(r.tr.Dispatch, b), append(r.tr.Complete, d)
	}
	r.units = make([][][]gridUnit, g.SMs)
	for sm := range r.units {
		r.units[sm] = make([][]gridUnit, g.SubCores)
		for k := range r.units[sm] {
			r.units[sm][k] = make([]gridUnit, units)
		}
		r.slots = append(r.slots, g.SlotsPerSM)
	}
	for ; r.t <= limit; r.t++ {
		r.retire()
		r.start()
		if r.first == len(g.Blocks) && len(r.live) == 0 {
			return r.tr, nil
		}
		for sm := range r.units {
			for i := range g.SubCores {
				r.issue(sm, (r.t+i)%g.SubCores)
			}
		}
		for sm := range r.units {
			for core := range r.units[sm] {
				for f := range r.units[sm][core] {
					r.dispatch(&r.units[sm][core][f])
				}
			}
		}
	}
	return nil, ErrNoProgress
}

// complete is whether an issued instruction has completed by now.
func (r *gridRun) complete(b, w, i int) bool {
	d := r.tr.Complete[b][w][i]
	return d > 0 && d <= r.t
}

// unit is the unit f that a sub-core uses.
func (r *gridRun) unit(sm, core, f int) *gridUnit {
	if f < len(r.g.Shared) && r.g.Shared[f] {
		core = 0
	}
	return &r.units[sm][core][f]
}

// retire frees the slots of blocks that have completed, in block order.
func (r *gridRun) retire() {
	clear(r.undone)
	done := 0
	for _, w := range r.warps {
		if w.next < len(w.p) || !w.drained(r.t) {
			r.undone[w.block] = true
		} else {
			done++
		}
	}
	if done == 0 {
		return
	}
	kept := r.warps[:0]
	for _, w := range r.warps {
		if r.undone[w.block] {
			kept = append(kept, w)
			continue
		}
		if sm, ok := r.live[w.block]; ok {
			r.slots[sm]++
			delete(r.live, w.block)
		}
		r.tr.End = max(r.tr.End, w.latest)
	}
	r.warps = kept
}

// start gives free slots to the next blocks.
func (r *gridRun) start() {
	for r.first < len(r.g.Blocks) {
		var free []int
		for sm, n := range r.slots {
			if n > 0 {
				free = append(free, sm)
			}
		}
		if len(free) == 0 {
			return
		}
		sm := free[r.c.Slot(r.t, free)]
		r.slots[sm]--
		r.live[r.first] = sm
		for i, p := range r.g.Blocks[r.first].Warps {
			w := &gridWarp{block: r.first, index: i, sm: sm, core: i % r.g.SubCores, p: p, open: r.t + r.g.StartDelay}
			r.warps = append(r.warps, w)
			r.byRef[r.first] = append(r.byRef[r.first], w)
		}
		r.first++
	}
}

// issue chooses among the ready warps of a sub-core.
func (r *gridRun) issue(sm, core int) {
	ready, who := r.ready[:0], r.readyWarp[:0]
	for _, w := range r.warps {
		if w.sm == sm && w.core == core && r.canIssue(w) {
			ready = append(ready, Ref{w.block, w.index, w.next})
			who = append(who, w)
		}
	}
	r.ready, r.readyWarp = ready, who
	if len(ready) == 0 {
		return
	}
	i := r.c.Issue(r.t, ready)
	w, ref := who[i], ready[i]
	r.tr.Issue[ref.Block][ref.Warp][ref.Instr] = r.t
	u := r.unit(sm, core, w.p[w.next].Unit)
	u.queue = append(u.queue, ref)
	w.next++
	w.waiting++
	w.issued = r.t
}

func (r *gridRun) canIssue(w *gridWarp) bool {
	if w.next == len(w.p) {
		return false
	}
	in := &w.p[w.next]
	for ; w.section < in.Section && r.passed(w.block, w.section); w.section++ {
		w.open = max(w.open, r.t+r.g.BarrierDelay)
	}
	if w.section < in.Section || r.t < w.open {
		return false
	}
	for _, b := range in.Src {
		if !r.complete(w.block, w.index, b) {
			return false
		}
	}
	return r.accepts(w.sm, w.core, in.Unit)
}

// passed tells whether every warp of the block has issued, or completed, its
// sections up to k before this cycle. Nobody issues behind k earlier.
func (r *gridRun) passed(block, k int) bool {
	if k < r.open[block] {
		return true
	}
	for _, v := range r.warps {
		if v.block != block {
			continue
		}
		if v.next < len(v.p) && v.p[v.next].Section <= k {
			return false
		}
		if v.next > 0 && (v.issued == r.t || (r.g.Machine.Draining && !v.drained(r.t))) {
			return false
		}
	}
	r.open[block] = k + 1
	return true
}

func (r *gridRun) accepts(sm, core, f int) bool {
	m := r.g.Machine
	if m.Slots < 0 {
		return true
	}
	waiting := func(u *gridUnit) int {
		if u.free <= r.t && len(u.queue) > 0 {
			return len(u.queue) - 1
		}
		return len(u.queue)
	}
	if !m.Pooled {
		u := r.unit(sm, core, f)
		return (u.free <= r.t && len(u.queue) == 0) || waiting(u) < m.Slots
	}
	sum := 0
	for i := range r.units[sm][core] {
		sum += waiting(r.unit(sm, core, i))
	}
	return sum < m.Slots
}

// dispatch lets a free unit serve one waiting instruction.
func (r *gridRun) dispatch(u *gridUnit) {
	if u.free > r.t || len(u.queue) == 0 {
		return
	}
	at := 0
	if !r.g.Machine.FIFO {
		options, places := r.ready[:0], r.place[:0]
		r.choice++
		for i, ref := range u.queue {
			if r.g.Machine.OwnOrder {
				w := r.byRef[ref.Block][ref.Warp]
				if w.offered == r.choice { // an earlier one of the warp is in the queue
					continue
				}
				w.offered = r.choice
			}
			options, places = append(options, ref), append(places, i)
		}
		r.ready, r.place = options, places
		at = places[r.c.Dispatch(r.t, options)]
	}
	ref := u.queue[at]
	u.queue = slices.Delete(u.queue, at, at+1)
	in := &r.g.Blocks[ref.Block].Warps[ref.Warp][ref.Instr]
	init, lat := r.c.Shorten(in)
	u.free = r.t + init
	r.tr.Dispatch[ref.Block][ref.Warp][ref.Instr] = r.t
	r.tr.Complete[ref.Block][ref.Warp][ref.Instr] = r.t + init + lat
	w := r.byRef[ref.Block][ref.Warp]
	w.waiting--
	w.latest = max(w.latest, r.t+init+lat)
}
