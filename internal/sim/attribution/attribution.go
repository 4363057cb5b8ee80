// Package attribution says of a simulation which instruction each scheduler cycle belongs to.
//
// A Recorder is an observer of a run (package sim). A cycle in which a scheduler issues
// belongs to the first instruction that it issues. One in which it does not (a stall, or a
// NOP of a front end) belongs to whatever keeps the scheduler from its next issue: the
// instruction whose result the one issued next still waits for then, the latest of several;
// the barrier that its warp waits at; or else that instruction itself, which its unit, its
// policy, a fence or the front end holds. While a block drains, cycles belong to the
// instruction that completes last of those issued by the scheduler. Cycles without a warp that
// could issue belong to none. What each stalled cycle is counted for (sim.Reason) is kept
// beside. The sum is that of all scheduler cycles of the run: cycles x SMs x schedulers.
//
// Costs, Kind and Cost are what comes out.
package attribution

import (
	"cmp"
	"maps"
	"slices"

	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/isa"
)

// Kind says why a scheduler cycle belongs to an instruction.
type Kind int

// The kinds.
const (
	Issued  Kind = iota // the scheduler issues it
	Awaited             // its result is waited for
	Held                // it is the next to be issued, or a barrier, and held by something else
	Nobody              // there is no warp that could issue; it belongs to no instruction
)

// NOP is what cycles are counted for in which a front end issues one, besides the reasons of
// package sim; in cycles of Issued it is "".
const NOP = "nop"

// Cost is scheduler cycles that belong to an instruction.
type Cost struct {
	PC     int32 // -1 for no instruction
	Kind   Kind
	Reason string // of sim.Reason, NOP, or "" for those that issue
	Cycles int64
}

// Recorder is a sim.FrontObserver. It is for one run.
type Recorder struct {
	sim.NopObserver
	program    *isa.Program
	schedulers map[at]*scheduler
	slots      map[at]*slot
	total      map[Cost]int64 // without cycles
}

// at is a scheduler or a warp slot of an SM.
type at struct{ sm, of int }

// scheduler is what is known of a scheduler.
type scheduler struct {
	pending []stall // since its last issue
	issued  int64   // the cycle of that
	last    write   // the instruction that completes last, of those known to complete
}

// stall is cycles without an issue.
type stall struct {
	from, to int64
	reason   string
}

// write is an instruction and when its results are there.
type write struct {
	pc       int32
	index    int64
	complete int64 // unknown until it is told
}

const unknown = -1

// slot is a warp slot.
type slot struct {
	block     int64
	registers map[isa.Reg]write
	last      int32 // the instruction issued last
	began     bool
}

// NewRecorder makes a recorder of a run of a program.
func NewRecorder(p *isa.Program) *Recorder {
	return &Recorder{program: p, schedulers: map[at]*scheduler{}, slots: map[at]*slot{}, total: map[Cost]int64{}}
}

func (r *Recorder) scheduler(sm, i int) *scheduler {
	s := r.schedulers[at{sm, i}]
	if s == nil {
		s = &scheduler{issued: -1, last: write{pc: -1}}
		r.schedulers[at{sm, i}] = s
	}
	return s
}

func (r *Recorder) slot(p sim.Place) *slot {
	w := r.slots[at{p.SM, p.Slot}]
	if w == nil {
		w = &slot{block: -1, registers: map[isa.Reg]write{}}
		r.slots[at{p.SM, p.Slot}] = w
	}
	if w.block != p.Block {
		clear(w.registers)
		w.block, w.began = p.Block, false
	}
	return w
}

// Stall implements sim.Observer.
func (r *Recorder) Stall(e sim.StallEvent) {
	if e.Reason == sim.Idle || e.Reason == sim.Inactive || e.Reason == sim.Starting {
		r.total[Cost{PC: -1, Kind: Nobody, Reason: e.Reason.String()}] += e.ToCycle - e.FromCycle
		return
	}
	s := r.scheduler(e.SM, e.Scheduler)
	s.pending = append(s.pending, stall{e.FromCycle, e.ToCycle, e.Reason.String()})
}

// NOP implements sim.FrontObserver.
func (r *Recorder) NOP(e sim.NOPEvent) {
	s := r.scheduler(e.SM, e.Scheduler)
	s.pending = append(s.pending, stall{e.Cycle, e.Cycle + 1, NOP})
}

// Fetch implements sim.FrontObserver.
func (*Recorder) Fetch(sim.FetchEvent) {}

// Redirect implements sim.FrontObserver.
func (*Recorder) Redirect(sim.RedirectEvent) {}

// Discrepancy implements sim.FrontObserver.
func (*Recorder) Discrepancy(sim.DiscrepancyEvent) {}

// Issue implements sim.Observer.
func (r *Recorder) Issue(e sim.IssueEvent) {
	w := r.slot(e.Place)
	in := &r.program.Instructions[e.PC]
	if !e.NotIssued {
		s := r.scheduler(e.SM, e.Scheduler)
		source := write{pc: -1}
		for _, regs := range [2][]isa.Reg{in.Reads, in.Writes} {
			for _, reg := range regs {
				if x := w.registers[reg]; x.complete > source.complete {
					source = x
				}
			}
		}
		held := e.PC
		if w.began && r.program.Instructions[w.last].Kind == isa.Barrier {
			held = w.last
		}
		r.settle(s, source, held)
		if s.issued != e.Cycle {
			s.issued = e.Cycle
			r.total[Cost{PC: e.PC, Kind: Issued}]++
		}
	}
	for _, reg := range in.Writes {
		w.registers[reg] = write{e.PC, e.Index, unknown}
	}
	w.last, w.began = e.PC, true
}

// settle says what the cycles since the last issue belong to.
func (r *Recorder) settle(s *scheduler, source write, held int32) {
	for _, x := range s.pending {
		if x.reason == sim.Draining.String() && s.last.pc >= 0 {
			r.total[Cost{PC: s.last.pc, Kind: Awaited, Reason: x.reason}] += x.to - x.from
			continue
		}
		awaited := min(max(source.complete-x.from, 0), x.to-x.from)
		if awaited > 0 {
			r.total[Cost{PC: source.pc, Kind: Awaited, Reason: x.reason}] += awaited
		}
		if rest := x.to - x.from - awaited; rest > 0 {
			kind := Held
			if held < 0 {
				kind = Nobody
			}
			r.total[Cost{PC: held, Kind: kind, Reason: x.reason}] += rest
		}
	}
	s.pending = s.pending[:0]
}

// Dispatch implements sim.Observer.
func (r *Recorder) Dispatch(e sim.DispatchEvent) {
	if e.CompleteCycle != sim.Unknown {
		r.completes(e.Place, e.PC, e.Index, e.CompleteCycle)
	}
}

// Complete implements sim.Observer.
func (r *Recorder) Complete(e sim.CompleteEvent) { r.completes(e.Place, e.PC, e.Index, e.Cycle) }

func (r *Recorder) completes(p sim.Place, pc int32, index, cycle int64) {
	s := r.scheduler(p.SM, p.Scheduler)
	if cycle > s.last.complete || s.last.pc < 0 {
		s.last = write{pc, index, cycle}
	}
	w := r.slots[at{p.SM, p.Slot}]
	if w == nil || w.block != p.Block {
		return
	}
	for _, reg := range r.program.Instructions[pc].Writes {
		if x := w.registers[reg]; x.index == index && x.pc == pc {
			w.registers[reg] = write{pc, index, cycle}
		}
	}
}

// Costs are the scheduler cycles of the run, which has ended.
func (r *Recorder) Costs() []Cost {
	for _, k := range slices.SortedFunc(maps.Keys(r.schedulers), func(a, b at) int {
		return cmp.Or(cmp.Compare(a.sm, b.sm), cmp.Compare(a.of, b.of))
	}) {
		s := r.schedulers[k]
		r.settle(s, s.last, s.last.pc)
	}
	var out []Cost
	for _, k := range slices.SortedFunc(maps.Keys(r.total), func(a, b Cost) int {
		return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Reason, b.Reason))
	}) {
		k.Cycles = r.total[k]
		out = append(out, k)
	}
	return out
}
