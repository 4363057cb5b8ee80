package frontend

import (
	"math/bits"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim/clock"
	"github.com/warpbound/warpbound/internal/sim/slotset"
)

// view is what the policies of both stages may look at, by warp slot.
type view struct {
	active  []uint64 // takes part in the program
	age     []int64  // order of activation
	issued  []int64  // instructions issued, NOPs not counted
	entries []int32  // fetched and not issued, NOPs included
}

// picker is a policy of a stage with its state.
type picker struct {
	policy gpu.FrontPolicy
	last   int   // slot selected last, -1 none
	age    int64 // of the warp it held: a new warp in the slot is not the one selected
}

func newPicker(p gpu.FrontPolicy) picker { return picker{policy: p, last: -1} }

// pick selects a warp of the set ready; -1 where the stage idles. Strict policies
// select among the warps of may, which includes ready.
func (p *picker) pick(v *view, ready, may []uint64) int {
	choice := -1
	switch {
	case p.keeps(v, ready):
		return p.last
	case p.strict():
		choice = p.choose(v, may)
	default:
		choice = p.choose(v, ready)
	}
	if choice < 0 {
		return -1
	}
	p.last, p.age = choice, v.age[choice]
	if !slotset.Has(ready, choice) {
		return -1
	}
	return choice
}

// idle is pick in each of n cycles in which no warp is ready.
func (p *picker) idle(v *view, may []uint64, n int64) {
	if !p.strict() || n <= 0 {
		return
	}
	members := int64(slotset.Count(may))
	if members == 0 {
		return
	}
	if p.policy.Algorithm != gpu.RoundRobin {
		n = 1
	}
	for range (n-1)%members + 1 { // going round once leads back
		p.last = p.choose(v, may)
	}
	p.age = v.age[p.last]
}

func (p *picker) strict() bool {
	return p.policy.Category == gpu.Strict || p.policy.Category == gpu.GreedyStrict
}

// stays tells whether the policy lets a warp stay selected.
func (p *picker) stays() bool {
	switch p.policy.Category {
	case gpu.Greedy, gpu.GreedyStrict, gpu.Adaptive:
		return true
	}
	return false
}

// keeps tells whether the warp selected last stays selected.
func (p *picker) keeps(v *view, ready []uint64) bool {
	if !p.stays() || p.last < 0 || !slotset.Has(ready, p.last) || v.age[p.last] != p.age {
		return false
	}
	return p.policy.Category != gpu.Adaptive || v.issued[p.last]-leastOf(v.active, v.issued) <= p.policy.Lead
}

func (p *picker) choose(v *view, set []uint64) int {
	switch p.policy.Algorithm {
	case gpu.OldestFirst:
		return slotset.Least(set, v.age)
	case gpu.ICount:
		return slotset.Least(set, v.entries)
	}
	return slotset.First(set, p.last+1)
}

// leastOf is the least key of a set, 0 for the empty one.
func leastOf(set []uint64, key []int64) int64 {
	least := clock.Never
	for w, m := range set {
		for ; m != 0; m &= m - 1 {
			least = min(least, key[w<<6+bits.TrailingZeros64(m)])
		}
	}
	if least == clock.Never {
		return 0
	}
	return least
}
