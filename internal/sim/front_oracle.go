package sim

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
func (s *frontSM) judge(d *issueSide, t int64, slot int) {
	lacking := uint64(0)
	for k, m := range s.intend {
		if s.excused[k] = 0; m != s.real[k] {
			lacking |= s.excuse(k, m&^s.real[k], t)
		}
	}
	first := s.consult(d, 0, slot)
	if lacking != 0 {
		for k := range s.intend {
			s.intend[k] &^= s.excused[k]
		}
	}
	second := s.consult(d, 1, slot)
	if first == slot && second == slot {
		return
	}
	if first != slot {
		s.use.discrepancies++
	}
	if second != slot {
		s.use.errors++
	}
	for _, o := range s.frontWatch {
		o.Discrepancy(DiscrepancyEvent{SM: s.sm, Cycle: t, Slot: slot, Intended: first, Expected: second})
	}
}

// excuse finds out of a word of warps that lack their instruction those that may.
func (s *frontSM) excuse(word int, lacking uint64, t int64) uint64 {
	for m := lacking; m != 0; m &= m - 1 {
		i := word<<6 + bits.TrailingZeros64(m)
		f := &s.front[i]
		if t-f.missed < 1+s.icache.miss+s.end.FetchCycles || t-f.redirected < s.delay {
			s.excused[word] |= m & -m
		}
	}
	return s.excused[word]
}

// consult lets an oracle select.
func (s *frontSM) consult(d *issueSide, oracle, slot int) int {
	o := &d.oracle[oracle]
	may := d.view.active
	if oracle == 1 {
		may = s.selectable(d)
	}
	choice := o.pick(&d.view, s.intend, may)
	if choice != slot && o.stays() {
		*o = d.policy
	}
	return choice
}
