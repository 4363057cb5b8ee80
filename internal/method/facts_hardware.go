package method

import (
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// QueueKinds are the kinds of issue queues by those of descriptions.
var QueueKinds = map[gpu.QueueKind]QueueKind{
	gpu.Unbounded: Unbounded,
	gpu.Slots:     Slots,
	gpu.NoQueue:   NoQueue,
	gpu.Pooled:    Pooled,
}

// HardwareOf states a machine in the terms of the theorems. slots is the number
// of resident blocks of an SM.
func HardwareOf(m *gpu.Machine, slots int64) Hardware {
	d := m.Desc
	hw := Hardware{
		NumUnits:              len(m.Units),
		Queue:                 QueueKinds[m.Queue],
		KeepsWarpOrder:        d.Queue.KeepsWarpOrder,
		FIFO:                  m.FIFO,
		DrainingBarriers:      d.Barrier.Draining,
		SubCores:              d.SM.Schedulers,
		IssueWidth:            d.Issue.PerCycle,
		BarrierDelayCycles:    d.Barrier.DelayCycles,
		BlockStartDelayCycles: d.Dispatch.StartDelayCycles,
		SlotsPerSM:            slots,
		SMs:                   d.SM.Count,
	}
	if m.Queue == gpu.Slots || m.Queue == gpu.Pooled {
		hw.QueueSlots = m.Slots
	}
	for _, u := range m.Units {
		hw.Units = append(hw.Units, UnitFact{Name: u.Name, MaxInitCycles: longestInitiation(d, u.Name), Shared: u.Shared})
	}
	return hw
}

// BreadthFirst places blocks on the SM that has fewest.
const BreadthFirst = "breadth-first"

// Spread is hw for a launch whose blocks all find a slot at once and are placed
// breadth first: no SM gets more than its even share of the blocks, and no block
// waits for a slot. Theorem 5 (grid) then holds with as many SMs as blocks, and
// that share as the slots of each.
func (f *Facts) Spread(hw Hardware) (Hardware, bool) {
	sms, slots, blocks := hw.SMs, hw.SlotsPerSM, f.Blocks
	if f.Machine.Desc.Dispatch.Placement != BreadthFirst || sms == 1 || (blocks+sms-1)/sms > slots {
		return hw, false
	}
	hw.SMs, hw.SlotsPerSM = blocks, (blocks+sms-1)/sms
	return hw, true
}

// longestInitiation is the longest initiation of anything that can run on a
// unit, whatever the kernel.
func longestInitiation(d *gpu.Description, unit string) int64 {
	longest := int64(0)
	for i := range d.Timing {
		t := &d.Timing[i]
		if t.Unit != unit {
			continue
		}
		cycles := t.InitiationCycles
		if t.Transactions != "" && t.Transactions != "none" {
			cycles += (simt.MaxTransactions - 1) * t.TransactionCycles
		}
		longest = max(longest, cycles)
	}
	return longest
}

// fences counts the memory fences of a program and says where the first is.
func fences(p *isa.Program) (first isa.Position, n int) {
	for i := range p.Instructions {
		if in := &p.Instructions[i]; in.Kind == isa.Fence && in.Class.Family == isa.FenceMem {
			if n == 0 {
				first = in.Pos
			}
			n++
		}
	}
	return first, n
}

// Ledger says what the description enforces and what the recording proved.
func (f *Facts) Ledger() []bound.Assumption {
	d := f.Machine.Desc
	waw := "the description interlocks write-after-write"
	if !d.Issue.InterlockWAW {
		waw = "the description has no write-after-write interlock"
	}
	registers := bound.Assume(bound.Registers, bound.Enforced, waw)
	if pos, n := fences(f.Program); n > 0 {
		registers = bound.Assume(bound.Registers, bound.Assumed, fmt.Sprintf(
			"%s; the kernel has %d memory fence(s), first at %s, and none is taken to wait for earlier accesses beyond its own latency", waw, n, pos))
	}
	path := bound.Assume(bound.PathCovers, bound.Proved, "no branch, barrier or timed address depends on a buffer that is not marked known")
	if n := len(f.InputDependent); n > 0 && f.ThisInput == nil {
		t := f.InputDependent[0]
		path = bound.Assume(bound.PathCovers, bound.Assumed, fmt.Sprintf(
			"for this input only, in the order recorded: %d instruction(s) depend on buffers not marked known or on what other warps did, first the %s at %s", n, t.Kind, t.Pos))
	}
	if f.ThisInput != nil || f.Unrecorded != "" {
		theorem := "42"
		if f.Closed {
			theorem = "45"
		}
		path = bound.Assume(bound.PathCovers, bound.Proved, "wherever a branch, an access or a guard depends on data, every way is covered (theorem "+theorem+")")
		if len(f.LoopBounds) > 0 {
			path = bound.Assume(bound.PathCovers, bound.Assumed, fmt.Sprintf("every way is covered (theorem %s), within the %s that the launch states: %s", theorem, f.FactsText(), strings.Join(f.LoopBounds, ", ")))
		}
	}
	if f.Closed && path.Status == bound.Proved && slices.ContainsFunc(f.Ranges, func(r simt.Range) bool { return r.Buffer }) {
		// What is in the ranges is for the user to see to.
		path = bound.Assume(bound.PathCovers, bound.Assumed, path.Note+", for "+f.Within())
	}
	ledger := []bound.Assumption{
		registers,
		path,
		bound.Assume(bound.Delays, bound.Enforced, fmt.Sprintf("barrier %d, block start %d cycles", d.Barrier.DelayCycles, d.Dispatch.StartDelayCycles)),
	}
	if note := f.openResults(); note != "" && f.ThisInput == nil {
		ledger = append(ledger, bound.Assume(bound.OpenResults, bound.Assumed, note))
	}
	if n := len(f.Functions); n > 0 && (f.ThisInput != nil || f.Unrecorded != "") {
		ledger = append(ledger, bound.Assume(bound.OpenFunctions, bound.Assumed, fmt.Sprintf("what is the same for all threads follows from %d instruction(s) whose results the instruction set leaves open, first at %s", n, f.Functions[0])))
	}
	return ledger
}

// openResults names the results that the instruction set leaves open and on which
// the recorded path may depend; "" where it depends on none.
func (f *Facts) openResults() string {
	n := len(f.OpenResults)
	if n == 0 || len(f.OpenDependent)+len(f.InputDependent) == 0 {
		return ""
	}
	first := f.OpenResults[0]
	note := fmt.Sprintf("%d instruction(s) with results that the instruction set leaves open, first %s at %s", n, f.Program.Instructions[first.PC].Opcode, first.Pos)
	if len(f.OpenDependent) > 0 {
		d := f.OpenDependent[0]
		return fmt.Sprintf("the %s at %s depends on them: %s", d.Kind, d.Pos, note)
	}
	return note + "; what depends on data may depend on them too"
}
