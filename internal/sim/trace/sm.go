package trace

import (
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/timeline"
	"github.com/warpbound/warpbound/isa"
)

// The ranks of the groups of an SM.
const (
	rankBlocks = iota
	rankSchedulers
	rankWarps
	rankUnits
	rankL1D
	rankFrontEnd
	rankCounters
)

// smTracks is what a trace has of an SM. Tracks are made when something happens on them.
type smTracks struct {
	process *timeline.Track
	blocks  *timeline.Track
	block   []*timeline.Track // by slot
	started []int64           // by slot: the block, -1 where it has no slice

	schedulerGroup *timeline.Track
	scheduler      []schedulerTrack
	warpGroup      *timeline.Track
	warp           []*warpTrack
	unitGroup      *timeline.Track
	unit           [][]*timeline.Track // by kind and server
	l1d            *timeline.Track
	tags           *timeline.Track
	front          *timeline.Track
	fetch          *timeline.Track

	counters counters
}

// schedulerTrack is what a scheduler does: one slice for as long as it does the same.
type schedulerTrack struct {
	t        *timeline.Track
	from, to int64
	doing    *timeline.Label
}

// warpTrack is a warp slot.
type warpTrack struct {
	t     *timeline.Track
	start int64 // of the block in the slot
	// alive tells whether the warp in the slot has a slice.
	alive bool
	// load is, by register, the load that it comes from and that nothing has used yet.
	load []loaded
}

// loaded is a load by its place on the track and its instruction; ref is 0 for none.
type loaded struct {
	ref timeline.Ref
	pc  int32
}

// keepForFlows is how many events of a warp slot are held for flows: a load whose first
// use comes later has none.
const keepForFlows = 256

func (r *Recorder) sm(i int) *smTracks {
	for len(r.sms) <= i {
		r.sms = append(r.sms, nil)
	}
	if r.sms[i] == nil {
		s := &smTracks{process: r.w.Process(fmt.Sprintf("SM %d", i))}
		s.counters = newCounters(r)
		s.blocks = s.process.Track("blocks", rankBlocks)
		r.sms[i] = s
	}
	return r.sms[i]
}

// slotted is slot i of a list that grows.
func slotted[T any](list *[]T, i int, missing T) *T {
	for len(*list) <= i {
		*list = append(*list, missing)
	}
	return &(*list)[i]
}

// group makes a group of an SM when it is first needed.
func (r *Recorder) group(s *smTracks, at **timeline.Track, name string, rank int) *timeline.Track {
	if *at == nil {
		*at = s.process.Track(name+r.limits(), rank)
	}
	return *at
}

var (
	stateLabels = func() (l [sim.NumReasons]timeline.Label) {
		for i := range l {
			l[i] = timeline.Label{Name: sim.Reason(i).String(), Category: "wait"}
		}
		return l
	}()
	stallLabels = func() (l [sim.NumReasons]timeline.Label) {
		for i := range l {
			l[i] = timeline.Label{Name: sim.Reason(i).String(), Category: "stall"}
		}
		return l
	}()
	issueLabel = timeline.Label{Name: "issue", Category: "issue"}
)

// BlockStart implements sim.Observer.
func (r *Recorder) BlockStart(e sim.BlockEvent) {
	s := r.sm(e.SM)
	r.total.blocks++
	s.counters.warps.add(e.Cycle, int64(r.opt.Warps))
	r.total.warps.add(e.Cycle, int64(r.opt.Warps))
	for j := range r.opt.Warps {
		w := slotted(&s.warp, e.Slot*r.opt.Warps+j, nil)
		if *w == nil {
			*w = &warpTrack{}
		}
		(*w).start, (*w).alive = e.Cycle, false
		clear((*w).load)
	}
	open := slotted(&s.started, e.Slot, -1)
	if *open = -1; r.total.blocks > orDefault(r.opt.MostBlocks, defaultBlocks) {
		r.sum.BlocksLeftOut++
		return
	}
	*open = e.Block
	t := slotted(&s.block, e.Slot, nil)
	if *t == nil {
		*t = s.blocks.Track(fmt.Sprintf("block slot %d", e.Slot), e.Slot)
	}
	(*t).Begin(scale*e.Cycle, &timeline.Label{Name: fmt.Sprintf("block %d", e.Block), Category: "block"})
}

func orDefault(v, otherwise int64) int64 {
	if v == 0 {
		return otherwise
	}
	return v
}

// BlockEnd implements sim.Observer.
func (r *Recorder) BlockEnd(e sim.BlockEvent) {
	s := r.sm(e.SM)
	s.counters.warps.add(e.Cycle, -int64(r.opt.Warps))
	r.total.warps.add(e.Cycle, -int64(r.opt.Warps))
	for j := range r.opt.Warps {
		if w := s.warp[e.Slot*r.opt.Warps+j]; w.alive {
			w.t.End(scale * e.Cycle)
			w.alive = false
		}
	}
	if s.started[e.Slot] >= 0 {
		s.block[e.Slot].End(scale * e.Cycle)
		s.started[e.Slot] = -1
	}
}

// warpAt is the track of a warp, which gets the slice of the warp if it has none.
func (r *Recorder) warpAt(p sim.Place) *warpTrack {
	s := r.sm(p.SM)
	w := s.warp[p.Slot]
	if w.t == nil {
		w.t = r.group(s, &s.warpGroup, "warps", rankWarps).Track(fmt.Sprintf("warp slot %d", p.Slot), p.Slot)
		w.t.Keep(keepForFlows)
		w.load = make([]loaded, len(r.opt.Program.Registers))
	}
	if !w.alive {
		w.alive = true
		w.t.Begin(scale*w.start, &timeline.Label{Name: fmt.Sprintf("block %d, warp %d", p.Block, p.Warp), Category: "warp"})
	}
	return w
}

// Wait implements sim.Observer.
func (r *Recorder) Wait(e sim.WaitEvent) {
	r.sm(e.SM).counters.state[e.Reason].span(e.FromCycle, e.ToCycle, 1)
	from, to, ok := r.detail(e.Block, e.FromCycle, e.ToCycle)
	if !ok {
		return
	}
	r.warpAt(e.Place).t.Slice(scale*from, scale*to, &stateLabels[e.Reason])
	r.took(from)
}

// Issue implements sim.Observer.
func (r *Recorder) Issue(e sim.IssueEvent) {
	s := r.sm(e.SM)
	s.counters.instructions.count(e.Cycle, 1)
	r.total.issued.count(e.Cycle, 1)
	r.total.instructions++
	if !e.NotIssued {
		s.counters.state[sim.NumReasons].span(e.Cycle, e.Cycle+1, 1)
		s.counters.queue(int(r.unitOf[e.PC])).add(e.Cycle, 1)
		r.does(s, e.Scheduler, e.Cycle, e.Cycle+1, &issueLabel)
	}
	if _, _, ok := r.detail(e.Block, e.Cycle, e.Cycle+1); !ok {
		r.sum.LeftOut++
		return
	}
	w := r.warpAt(e.Place)
	lanes := timeline.Arg{Key: "lanes", Int: int64(bits.OnesCount32(uint32(e.Exec)))}
	index := timeline.Arg{Key: "instruction", Int: e.Index}
	var ref timeline.Ref
	if e.NotIssued {
		ref = w.t.Instant(scale*e.Cycle, &r.hiddenLabels[e.PC], index, lanes)
	} else {
		ref = w.t.Slice(scale*e.Cycle, scale*(e.Cycle+1), &r.issueLabels[e.PC], index, lanes)
	}
	r.flow(w, e.PC, ref, e.Exec != 0)
	r.took(e.Cycle)
}

// flow draws arrows to an instruction from the loads whose results it is the first to
// read, and remembers what it loads itself.
func (r *Recorder) flow(w *warpTrack, pc int32, ref timeline.Ref, executed bool) {
	in := &r.opt.Program.Instructions[pc]
	for _, x := range in.Reads {
		from := w.load[x]
		if from.ref == 0 {
			continue
		}
		w.t.Flow(from.ref, w.t)
		for _, y := range r.opt.Program.Instructions[from.pc].Writes { // a use of one is a use of all
			if w.load[y] == from {
				w.load[y] = loaded{}
			}
		}
	}
	loads := executed && (in.Kind == isa.Load || in.Kind == isa.Atomic)
	for _, x := range in.Writes {
		w.load[x] = loaded{}
		if loads {
			w.load[x] = loaded{ref, pc}
		}
	}
}

// Stall implements sim.Observer.
func (r *Recorder) Stall(e sim.StallEvent) {
	r.does(r.sm(e.SM), e.Scheduler, e.FromCycle, e.ToCycle, &stallLabels[e.Reason])
}

// does notes what a scheduler does, and writes what it did before if that was another
// thing.
func (r *Recorder) does(s *smTracks, scheduler int, from, to int64, l *timeline.Label) {
	from, to, ok := r.shared(from, to)
	if !ok {
		return
	}
	x := slotted(&s.scheduler, scheduler, schedulerTrack{})
	if x.doing != l {
		r.wrote(s, scheduler)
		x.from, x.doing = from, l
	}
	x.to = to
}

func (r *Recorder) wrote(s *smTracks, scheduler int) {
	x := &s.scheduler[scheduler]
	if x.doing == nil {
		return
	}
	if x.t == nil {
		x.t = r.group(s, &s.schedulerGroup, "schedulers", rankSchedulers).Track(fmt.Sprintf("scheduler %d", scheduler), scheduler)
	}
	x.t.Slice(scale*x.from, scale*x.to, x.doing)
	x.doing = nil
	r.took(x.from)
}

// Dispatch implements sim.Observer.
func (r *Recorder) Dispatch(e sim.DispatchEvent) {
	s := r.sm(e.SM)
	s.counters.queue(e.Unit).add(e.Cycle, -1)
	if e.CompleteCycle == sim.Unknown {
		s.counters.accesses.add(e.Cycle, 1)
	}
	if _, _, ok := r.detail(e.Block, e.Cycle, e.Cycle+1); !ok {
		return
	}
	servers := slotted(&s.unit, e.Unit, nil)
	t := slotted(servers, e.Server, nil)
	if *t == nil {
		*t = r.group(s, &s.unitGroup, "units", rankUnits).Track(fmt.Sprintf("%s %d", r.opt.Machine.Units[e.Unit].Name, e.Server), e.Unit<<10|e.Server)
	}
	args := [...]timeline.Arg{{Key: "block", Int: e.Block}, {Key: "warp", Int: int64(e.Warp)}, {Key: "instruction", Int: e.Index}, {Key: "complete_cycle", Int: e.CompleteCycle}}
	n := len(args)
	if e.CompleteCycle == sim.Unknown {
		n--
	}
	(*t).Slice(scale*e.Cycle, scale*(e.Cycle+e.InitiationCycles), &r.unitLabels[e.PC], args[:n]...)
	r.took(e.Cycle)
}

// Complete implements sim.Observer.
func (r *Recorder) Complete(sim.CompleteEvent) {}

// Barrier implements sim.Observer.
func (r *Recorder) Barrier(sim.BarrierEvent) {}

// Release implements sim.PathObserver.
func (r *Recorder) Release(e sim.ReleaseEvent) {
	s := r.sm(e.SM)
	if e.Unit < len(s.unit) && e.Server < len(s.unit[e.Unit]) && s.unit[e.Unit][e.Server] != nil {
		s.unit[e.Unit][e.Server].Extend(scale * e.Cycle)
	}
}

// finish writes what is known at the end only.
func (s *smTracks) finish(r *Recorder, cycles int64) {
	for i := range s.scheduler {
		r.wrote(s, i)
	}
	s.counters.write(r, s.process, cycles)
}
