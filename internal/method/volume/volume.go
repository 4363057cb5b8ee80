// Package volume puts the volume bound of internal/method/makespan on a launch: the
// method called makespan.
package volume

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
)

// Method is the name of the method that bounds kernels without latencies by the volume of
// what their warps execute (docs/soundness/makespan.md, theorem 14 (volume)), the model
// of Berezovskyi2012 put on the described machine. Asked for by name, its figure is
// given for every kernel and marked unsafe where an instruction has a latency; among all
// methods it is given where it is safe.
const Method = "makespan"

// volumes computes the method for one launch.
type volumes struct {
	f       *method.Facts
	hw      method.Hardware
	sm      makespan.SM
	late    lateness
	ledger  []bound.Assumption
	counts  map[*seq.Seq][]int64 // instructions by unit
	scratch []int64              // by symbol
}

// maxCount keeps sums of counts, and their products with small numbers, in int64.
const maxCount = int64(1) << 60

// lateness says what of the kernel has a latency.
type lateness struct {
	first        path.Symbol // in program order
	sites, all   int         // static instructions executed
	times, total int64       // executions
}

func (l *lateness) none() bool { return l.sites == 0 }

func newVolumes(f *method.Facts) (*volumes, error) {
	hw := method.HardwareOf(f.Machine, f.Occupancy.Blocks)
	v := &volumes{
		f: f, hw: hw, ledger: f.Ledger(), counts: map[*seq.Seq][]int64{}, scratch: make([]int64, len(f.Path.Symbols)),
		sm: makespan.SM{
			Units: make([]makespan.SMUnit, len(f.Machine.Units)), SubCores: hw.SubCores, Width: int64(hw.IssueWidth),
			Queueless: hw.Queue == method.NoQueue, FIFO: hw.FIFO, Draining: hw.DrainingBarriers,
			BarrierDelayCycles: hw.BarrierDelayCycles, BlockStartDelayCycles: hw.BlockStartDelayCycles,
		},
	}
	for i := range v.sm.Units {
		v.sm.Units[i] = makespan.SMUnit{Servers: int64(f.Machine.Units[i].Count), Shared: hw.Units[i].Shared && hw.SubCores > 1}
	}
	executed := make([]int64, len(f.Path.Symbols))
	for _, c := range f.Path.Classes {
		for _, wc := range c.Warps {
			if wc.Count > maxCount/c.Blocks {
				return nil, fmt.Errorf("%d blocks of %d equal warps: %w", c.Blocks, wc.Count, bound.ErrOverflow)
			}
			if err := wc.Warp.Whole.Counts(wc.Count*c.Blocks, executed); err != nil {
				return nil, err
			}
		}
	}
	v.look(executed)
	return v, nil
}

// look finds the latencies, and how long units are occupied, in what is executed.
func (v *volumes) look(executed []int64) {
	seen := map[int32]bool{}
	for i, n := range executed {
		if n == 0 {
			continue
		}
		s := v.f.Path.Symbols[i]
		t := &v.f.Timing[s.PC]
		u := &v.sm.Units[t.Unit]
		u.LongestInitiationCycles = max(u.LongestInitiationCycles, t.Initiation(int(s.Transactions)))
		l := &v.late
		l.total += n // at most Path.Instructions
		known := seen[s.PC]
		seen[s.PC] = true
		if !known {
			l.all++
		}
		if t.LatencyCycles == 0 {
			continue
		}
		l.times += n
		if !known {
			l.sites++
		}
		if l.sites == 1 && !known || s.PC < l.first.PC {
			l.first = s
		}
	}
}

// reason says how many instructions break A21, and where the first one is.
func (v *volumes) reason() string {
	l := &v.late
	in, t := &v.f.Program.Instructions[l.first.PC], &v.f.Timing[l.first.PC]
	return fmt.Sprintf("%s %s fails: %d of the kernel's %d instructions executed (%d of %d executions) have a latency, first %s at %s on %s, initiation %d, latency %d cycles beyond it",
		bound.SingleCycle, bound.Assume(bound.SingleCycle, bound.Assumed, "").Name, l.sites, l.all, l.times, l.total, in.Opcode, in.Pos, v.f.Machine.Units[t.Unit].Name, t.Initiation(int(l.first.Transactions)), t.LatencyCycles)
}

// units counts what a section makes each unit do, in cycles of one server.
func (v *volumes) units(s *seq.Seq) ([]int64, error) {
	if s.Len() == 0 {
		return nil, nil
	}
	if n, ok := v.counts[s]; ok {
		return n, nil
	}
	clear(v.scratch)
	if err := s.Counts(1, v.scratch); err != nil {
		return nil, err
	}
	out := make([]int64, len(v.sm.Units))
	for i, n := range v.scratch {
		if n == 0 {
			continue
		}
		x := v.f.Path.Symbols[i]
		t := &v.f.Timing[x.PC]
		each := t.Initiation(int(x.Transactions))
		hi, lo := bits.Mul64(uint64(n), uint64(each))
		if hi > 0 || lo > uint64(maxCount-out[t.Unit]) {
			return nil, fmt.Errorf("unit %s: %w", v.f.Machine.Units[t.Unit].Name, bound.ErrOverflow)
		}
		out[t.Unit] += int64(lo)
	}
	v.counts[s] = out
	return out, nil
}

// blockWork is the warps of a block in the terms of the theorem. Sections in which every
// class of warps executes the same are listed once, with how often they occur.
type blockWork struct {
	warps    []makespan.SMWarps
	times    []int64
	sections int
}

// work states the warps of a block, times over; on one sub-core where flat.
func (v *volumes) work(b *method.Block, times int64, flat bool) (*blockWork, error) {
	out := &blockWork{}
	for _, c := range b.Classes {
		if times > maxCount/c.Count {
			return nil, fmt.Errorf("%d blocks of %d equal warps: %w", times, c.Count, bound.ErrOverflow)
		}
		w := makespan.SMWarps{Warps: c.Count * times, SubCore: c.SubCore}
		if flat {
			w.SubCore = 0
		}
		out.warps = append(out.warps, w)
		out.sections = max(out.sections, len(c.Stream.Sections))
	}
	at := map[string]int{}
	ids := map[*seq.Seq]int64{}
	var key []byte
	for k := range out.sections {
		key = key[:0]
		for _, c := range b.Classes {
			id := int64(-1) // nothing
			if k < len(c.Stream.Sections) && c.Stream.Sections[k].Len() > 0 {
				s := c.Stream.Sections[k]
				if _, ok := ids[s]; !ok {
					ids[s] = int64(len(ids))
				}
				id = ids[s]
			}
			key = binary.AppendVarint(key, id)
		}
		if i, ok := at[string(key)]; ok {
			out.times[i]++
			continue
		}
		at[string(key)] = len(out.times)
		out.times = append(out.times, 1)
		for i, c := range b.Classes {
			var counts []int64
			if k < len(c.Stream.Sections) {
				var err error
				if counts, err = v.units(c.Stream.Sections[k]); err != nil {
					return nil, err
				}
			}
			out.warps[i].Sections = append(out.warps[i].Sections, counts)
		}
	}
	return out, nil
}

// block bounds a block alone.
func (v *volumes) block(b *method.Block, scope bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	l, err := v.work(b, 1, false)
	if err != nil {
		return nil, nil, err
	}
	if no := v.refuse(scope, l.sections); no != nil {
		return nil, no, nil
	}
	x, err := v.sm.Bound(l.warps, l.times)
	if err != nil {
		return nil, nil, err
	}
	return v.bound(x, scope, l.sections > 1), nil, nil
}

// refuse says why sections do not add up, nil if they do.
func (v *volumes) refuse(scope bound.Scope, sections int) *bound.Refusal {
	switch {
	case v.f.Path.Irregular != "":
		return v.f.Irregular()
	case sections > 1 && !v.sm.SectionsAddUp():
		return &bound.Refusal{Method: Method, Scope: scope, Assumption: bound.BarrierKind, Reason: makespan.ErrSections.Error() + "; sections do not add up"}
	}
	return nil
}

func (v *volumes) bound(x makespan.SMBound, scope bound.Scope, barriers bool) *bound.Bound {
	b := &bound.Bound{
		Cycles: x.Cycles(), Scope: scope, Method: Method, Safe: v.late.none(), Theorem: "docs/soundness.md, theorem 14",
		Breakdown: []bound.Component{
			bound.Part(bound.LastWarp, x.OwnCycles),
			bound.Part(bound.OthersInTheWay, x.BlockedCycles),
			bound.Part(bound.BarrierDelays, x.BarrierDelayCycles),
			bound.Part(bound.BlockStartDelay, x.BlockStartDelayCycles),
		},
		Assumptions: v.assumptions(scope, barriers),
	}
	if !b.Safe {
		b.UnsafeReason = v.reason()
		b.Theorem = "none: " + b.Theorem + ", is for kernels without latencies"
	}
	return b
}

// assumptions is the ledger, in the order of the ids.
func (v *volumes) assumptions(scope bound.Scope, barriers bool) []bound.Assumption {
	order, kind, capacity := "any order", "not draining", "one server each"
	if v.hw.FIFO {
		order = "FIFO"
	}
	if v.hw.DrainingBarriers {
		kind = "draining"
	}
	for _, u := range v.sm.Units {
		if u.Servers > 1 {
			capacity = "several servers"
		}
	}
	single := bound.Assume(bound.SingleCycle, bound.Proved, "no instruction executed has a latency")
	if !v.late.none() {
		single = bound.Assume(bound.SingleCycle, bound.Assumed, "broken: "+v.reason())
	}
	out := []bound.Assumption{
		bound.Assume(bound.InterferenceFree, bound.Assumed, ""),
		bound.Assume(bound.NoDataCache, bound.Assumed, ""),
		bound.Assume(bound.BuffersNeverEmpty, bound.Assumed, ""),
		bound.Assume(bound.WorkConserving, bound.Assumed, ""),
		bound.Assume(bound.QueueKind, bound.Enforced, v.hw.Queue.String()),
		bound.Assume(bound.DispatchOrder, bound.Enforced, order),
	}
	if barriers {
		out = append(out, bound.Assume(bound.BarrierKind, bound.Enforced, kind))
	}
	out = append(out,
		bound.Assume(bound.Registers, bound.Assumed, ""),
		bound.Assume(bound.PathCovers, bound.Assumed, ""),
		bound.Assume(bound.PrivateDispatchPorts, bound.Enforced, ""))
	if scope == bound.SM || scope == bound.Kernel {
		out = append(out,
			bound.Assume(bound.GreedyBlocks, bound.Assumed, ""),
			bound.Assume(bound.SlotRule, bound.Enforced, fmt.Sprintf("%d slot(s) on each of %d SM(s)", v.hw.SlotsPerSM, v.hw.SMs)))
	}
	out = append(out,
		bound.Assume(bound.WorstTimings, bound.Assumed, ""),
		bound.Assume(bound.AloneFromReset, bound.Assumed, ""),
		bound.Assume(bound.Delays, bound.Enforced, ""),
		bound.Assume(bound.EqualClocks, bound.Assumed, ""),
		single,
		bound.Assume(bound.IssueWidth, bound.Enforced, fmt.Sprintf("%d per cycle on each of %d sub-core(s)", v.hw.IssueWidth, v.hw.SubCores)),
		bound.Assume(bound.UnitCapacity, bound.Enforced, capacity))
	return bound.Overlay(out, v.ledger)
}
