package replay

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
)

// maxCostSteps is how many cycles of a replay are stepped for its costs.
const maxCostSteps = 1 << 26

// replayed are the cycles of the replay by instruction. Each cycle in which an instruction is
// issued belongs to it. The others, in which a NOP is issued or nothing, belong to the next
// instruction that is issued, or to the one whose result that one still waits for; those
// behind the last issue to the instruction that completes last. A replay that is too long to
// be stepped is divided by part only.
func replayed(ctx context.Context, f *method.Facts, _ method.PathOf) ([]method.Cost, error) {
	l, err := of(f)
	if err != nil {
		return nil, err
	}
	b, order, err := l.slowestSM(ctx, f.WholeScope())
	if err != nil {
		return nil, err
	}
	one := *l.in
	one.Order = order
	t := newReplayCosts(&one, l.machine.BlockSlots*len(one.Blocks[0].Warps))
	res, err := Run(ctx, l.machine, &one, Options{Unfolded: true, MaxSteps: maxCostSteps, Issued: t.issued})
	switch {
	case errors.Is(err, ErrTooLong):
		return method.UndividedCosts(&b), nil
	case err != nil:
		return nil, err
	}
	t.gap(res.Cycles, t.last.complete, t.last.symbol, method.Cost{Symbol: -1, Kind: method.Delay})
	return t.list(), nil
}

// ofAnyPolicy are the costs of SUM on the ops that wait for the resolution of control
// instructions. What is added for the front end belongs to no instruction.
func ofAnyPolicy(ctx context.Context, f *method.Facts, path method.PathOf) ([]method.Cost, error) {
	l, err := of(f)
	if err != nil {
		return nil, err
	}
	b, err := l.anyPolicy(ctx, f.WholeScope())
	if err != nil {
		return nil, err
	}
	shared, err := multiphase.Of(f)
	if err != nil {
		return nil, err
	}
	a, err := shared.With(multiphase.SUM)
	if err != nil {
		return nil, err
	}
	costs, err := a.Costs(ctx, l.withControl(l.machine, l.in), 1, multiphase.SUM, path)
	if err != nil {
		return nil, err
	}
	for _, p := range method.UndividedCosts(&b) {
		switch p.Part {
		case bound.NOPs, bound.LinesOnTheirWay, bound.Activation:
			costs = append(costs, p)
		}
	}
	return costs, nil
}

// completion is when an instruction completes.
type completion struct {
	complete int64
	symbol   int32
}

// slotCosts is a warp slot.
type slotCosts struct {
	block     int64
	registers map[int32]completion
}

// replayCosts follows the issues of a replay.
type replayCosts struct {
	in    *Input
	slots []slotCosts
	total map[method.Cost]int64
	next  int64   // the first cycle that is not counted
	nops  []int64 // from then on
	last  completion
}

func newReplayCosts(in *Input, slots int) *replayCosts {
	t := &replayCosts{in: in, total: map[method.Cost]int64{}, slots: make([]slotCosts, slots)}
	for i := range t.slots {
		t.slots[i] = slotCosts{-1, map[int32]completion{}}
	}
	return t
}

func (t *replayCosts) issued(cycle int64, slot int, block int64, op int32, complete int64) {
	if op == none {
		t.nops = append(t.nops, cycle)
		return
	}
	o, w := &t.in.Ops[op], &t.slots[slot]
	if w.block != block {
		w.block = block
		clear(w.registers)
	}
	var source completion
	for _, r := range o.Reads {
		if c := w.registers[r]; c.complete > source.complete {
			source = c
		}
	}
	t.gap(cycle, source.complete, source.symbol, method.Cost{Symbol: o.Symbol, Kind: method.Held})
	t.total[method.Cost{Part: bound.InstructionsIssued, Kind: method.Issue, Symbol: o.Symbol}]++
	t.next = cycle + 1
	for _, r := range o.Writes {
		w.registers[r] = completion{complete, o.Symbol}
	}
	if complete > t.last.complete {
		t.last = completion{complete, o.Symbol}
	}
}

// gap counts the cycles up to one in which an instruction issues: up to a completion they
// are waited for it, and then they belong to somebody else.
func (t *replayCosts) gap(until, completes int64, awaited int32, otherwise method.Cost) {
	count := func(part bound.PartID, cycle, n int64) {
		before := min(max(completes-cycle, 0), n)
		if before > 0 {
			t.total[method.Cost{Part: part, Kind: method.Awaited, Symbol: awaited}] += before
		}
		if n > before {
			otherwise.Part = part
			t.total[otherwise] += n - before
		}
	}
	for _, nop := range t.nops {
		count(bound.NothingIssued, t.next, nop-t.next)
		count(bound.NOPsIssued, nop, 1)
		t.next = nop + 1
	}
	count(bound.NothingIssued, t.next, until-t.next)
	t.nops = t.nops[:0]
}

func (t *replayCosts) list() []method.Cost {
	var out []method.Cost
	for _, k := range slices.SortedFunc(maps.Keys(t.total), method.CompareCosts) {
		if n := t.total[k]; n != 0 {
			k.Cycles = n
			out = append(out, k)
		}
	}
	return out
}
