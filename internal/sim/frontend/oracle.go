package frontend

import "math/bits"

// judge compares what the issue stage selected in cycle t with the two oracles
// of Crouzet2024, Section VI-A.
//
// osched1 selects by the policy among the warps that could issue if instructions
// were always at hand: with gpu.SWaS whatever is at the head of the queue, else
// the next instruction of the warp. osched2 does the same, but a warp that lacks
// its instruction may have none shortly after a miss of the instruction cache or
// a taken branch. With policies that keep a warp, an oracle that selected
// otherwise takes over the state of the stage; with others it goes on by itself.
func (e *FrontEnd) judge(d *issueSide, t int64, slot int) {
	lacking := uint64(0)
	for k, m := range e.intend {
		if e.excused[k] = 0; m != e.real[k] {
			lacking |= e.excuse(k, m&^e.real[k], t)
		}
	}
	first := e.consult(d, 0, slot)
	if lacking != 0 {
		for k := range e.intend {
			e.intend[k] &^= e.excused[k]
		}
	}
	second := e.consult(d, 1, slot)
	if first == slot && second == slot {
		return
	}
	if first != slot {
		e.use.Discrepancies++
	}
	if second != slot {
		e.use.Errors++
	}
	if e.events != nil {
		e.events.Discrepancy(t, slot, first, second)
	}
}

// excuse finds out of a word of warps that lack their instruction those that may.
func (e *FrontEnd) excuse(word int, lacking uint64, t int64) uint64 {
	for m := lacking; m != 0; m &= m - 1 {
		i := word<<6 + bits.TrailingZeros64(m)
		f := &e.warps[i]
		if t-f.missed < 1+e.icache.miss+e.cfg.end.FetchCycles || t-f.redirected < e.delay {
			e.excused[word] |= m & -m
		}
	}
	return e.excused[word]
}

// consult lets an oracle select.
func (e *FrontEnd) consult(d *issueSide, oracle, slot int) int {
	o := &d.oracle[oracle]
	may := d.view.active
	if oracle == 1 {
		may = e.selectable(d)
	}
	choice := o.pick(&d.view, e.intend, may)
	if choice != slot && o.stays() {
		*o = d.policy
	}
	return choice
}
