package soundness

import (
	"fmt"
	"strings"

	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/verify/exhaust"
)

// Violation is a bound that was exceeded, or two computations that must agree
// and do not.
type Violation struct {
	Kind    string `json:"kind"`   // how it was found
	Method  string `json:"method"` // whose bound it is
	Machine string `json:"machine"`
	System  string `json:"system"` // in the notation fu/init/lat(sources)
	// BoundCycles is exceeded by a schedule of Cycles.
	BoundCycles int64  `json:"bound_cycles"`
	Cycles      int64  `json:"cycles"`
	Detail      string `json:"detail,omitempty"` // a schedule, or what disagrees
}

// String is a reproducer.
func (v *Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s bound %d < %d cycles\n  machine: %s\n  system:  %s\n", v.Kind, v.Method, v.BoundCycles, v.Cycles, v.Machine, v.System)
	for line := range strings.Lines(v.Detail) {
		b.WriteString("  " + line)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Hardware is the description of a machine of the explorer, for units units on
// one SM with one slot.
func Hardware(m exhaust.Rules, units int) method.Hardware {
	h := method.Hardware{
		NumUnits: units, KeepsWarpOrder: m.OwnOrder, FIFO: m.FIFO, DrainingBarriers: m.Draining,
		SubCores: 1, IssueWidth: 1, SlotsPerSM: 1, SMs: 1,
	}
	switch {
	case m.Slots < 0:
		h.Queue = method.Unbounded
	case m.Pooled:
		h.Queue = method.Pooled
	case m.Slots == 0:
		h.Queue = method.NoQueue
	default:
		h.Queue, h.QueueSlots = method.Slots, m.Slots
	}
	return h
}

// stateFacts states each unit's largest initiation over the systems.
func stateFacts(h *method.Hardware, systems ...exhaust.System) {
	h.Units = make([]method.UnitFact, h.NumUnits)
	for _, s := range systems {
		for _, w := range s.Warps {
			for _, in := range w {
				u := &h.Units[in.Unit]
				u.MaxInitCycles = max(u.MaxInitCycles, int64(in.Init))
			}
		}
	}
}

// program turns a warp into a program with few registers. Each instruction writes
// a pair of them, its readers take one or the other in turn, and a pair is
// written again as soon as its value has no readers left.
func program(w exhaust.Sequence, sections int) *method.Stream {
	p := &method.Stream{Ops: make([]method.Op, len(w)), Sections: make([]*seq.Seq, sections)}
	runs := make([][]int32, sections)
	last := make([]int, len(w)) // the last reader of each value
	for j, in := range w {
		for _, b := range in.Src {
			last[b] = j
		}
	}
	var busy []int // pair -> the reader after which it is free
	pair := make([]int32, len(w))
	for j, in := range w {
		op := method.Op{Unit: in.Unit, InitCycles: int64(in.Init), LatencyCycles: int64(in.Lat)}
		for _, b := range in.Src {
			op.Reads = append(op.Reads, 2*pair[b]+int32(j%2))
		}
		at := 0
		for at < len(busy) && busy[at] > j {
			at++
		}
		if at == len(busy) {
			busy = append(busy, 0)
		}
		busy[at], pair[j] = max(last[j], j), int32(at)
		op.Writes = []int32{2 * pair[j], 2*pair[j] + 1}
		p.Ops[j] = op
		runs[in.Section] = append(runs[in.Section], int32(j))
	}
	for k, run := range runs {
		p.Sections[k] = seq.Must(seq.Run(run...))
	}
	return p
}

// Block turns a system into a block; warp w is on sub-core w mod subCores, and
// warps that share their Program slice and sub-core are one class.
func Block(s exhaust.System, subCores int) *method.Block {
	b := &method.Block{}
	type key struct {
		first *exhaust.Instr
		core  int
	}
	classes := map[key]int{}
	programs := map[*exhaust.Instr]*method.Stream{}
	for i, w := range s.Warps {
		if len(w) == 0 {
			continue
		}
		k := key{&w[0], i % subCores}
		if c, ok := classes[k]; ok {
			b.Classes[c].Count++
			continue
		}
		p, ok := programs[k.first]
		if !ok {
			p = program(w, s.Sections())
			programs[k.first] = p
		}
		classes[k] = len(b.Classes)
		b.Classes = append(b.Classes, method.WarpClass{Stream: p, Count: 1, SubCore: k.core})
	}
	return b
}
