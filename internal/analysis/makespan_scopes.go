package analysis

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/verify/fault"
)

// whenMakespan says when the makespan method is computed.
type whenMakespan int

const (
	makespanNever whenMakespan = iota
	makespanWhereSafe
	makespanAlways
)

// addMakespan adds the makespan bound of every scope, or why there is none.
func (r *Report) addMakespan(when whenMakespan, ledger []bound.Assumption) error {
	if when == makespanNever || when == makespanWhereSafe && r.late() && !fault.On(fault.RoadLatenciesOverlooked) {
		return nil
	}
	v, err := r.newVolumes(ledger)
	if err != nil {
		return fmt.Errorf("%s: %w", Makespan, err)
	}
	r.volumes = v
	for _, res := range r.Scopes {
		b, no, err := v.scope(res.Scope)
		if err != nil {
			return fmt.Errorf("%s: %w", Makespan, err)
		}
		addOutcome(res, b, no)
	}
	return nil
}

// late says whether anything executed has a latency.
func (r *Report) late() bool {
	return slices.ContainsFunc(r.Path.Symbols, func(s path.Symbol) bool { return r.Timing[s.PC].LatencyCycles > 0 })
}

// addOutcome adds a bound, or why there is none.
func addOutcome(res *bound.Result, b *bound.Bound, no *bound.Refusal) {
	if no != nil {
		res.Refused = append(res.Refused, *no)
		return
	}
	res.Add(*b)
}

// scope bounds the slowest warp alone, the slowest block alone, or the launch.
func (v *volumes) scope(s bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	switch s {
	case bound.Warp:
		return v.longest(len(v.r.alone), func(i int) (*bound.Bound, *bound.Refusal, error) { return v.warp(v.r.alone[i]) })
	case bound.Block:
		return v.longestBlock(s)
	}
	return v.launch(s)
}

// warp bounds a warp alone.
func (v *volumes) warp(p *method.Program) (*bound.Bound, *bound.Refusal, error) {
	return v.block(&method.Block{Classes: []method.WarpClass{{Program: p, Count: 1}}}, bound.Warp)
}

func (v *volumes) longestBlock(s bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	return v.longest(len(v.r.classes), func(i int) (*bound.Bound, *bound.Refusal, error) { return v.block(v.r.classes[i].Block, s) })
}

// longest is the largest of n bounds, the first of equals; one that is refused
// refuses all.
func (v *volumes) longest(n int, of func(int) (*bound.Bound, *bound.Refusal, error)) (*bound.Bound, *bound.Refusal, error) {
	var worst *bound.Bound
	for i := range n {
		b, no, err := of(i)
		if no != nil || err != nil {
			return nil, no, err
		}
		if worst == nil || b.Cycles > worst.Cycles {
			worst = b
		}
	}
	return worst, nil, nil
}

// launch bounds all blocks: one alone, blocks that never share an SM (theorems 9
// and 11), or blocks without barriers that all start at once, which are as one block
// wherever they are placed.
func (v *volumes) launch(s bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	r := v.r
	wide, even := spread(v.hw, r.Machine, r.Blocks)
	switch {
	case r.Blocks == 1:
		return v.longestBlock(s)
	case even && wide.SlotsPerSM == 1:
		b, no, err := v.longestBlock(s)
		if b != nil {
			b.Theorem += ", theorem 11"
		}
		return b, no, err
	case v.hw.SlotsPerSM == 1:
		return v.oneSlot(s)
	}
	for _, c := range r.classes {
		for _, w := range c.Block.Classes {
			if r.Blocks <= v.hw.SlotsPerSM && len(w.Program.Sections) == 1 {
				continue
			}
			return nil, &bound.Refusal{
				Method: Makespan, Scope: s, Assumption: bound.AloneFromReset,
				Reason: "several blocks can be resident on an SM, for which only blocks without barriers that all start at once are covered",
			}, nil
		}
	}
	return v.together(s)
}

// oneSlot is theorem 9: blocks one after the other on each SM.
func (v *volumes) oneSlot(s bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	longest, no, err := v.longestBlock(s)
	if no != nil || err != nil {
		return nil, no, err
	}
	cycles := int64(0)
	add := func(times, each int64) error {
		hi, lo := bits.Mul64(uint64(times), uint64(each))
		if hi > 0 || lo > uint64(math.MaxInt64-cycles) {
			return bound.ErrOverflow
		}
		cycles += int64(lo)
		return nil
	}
	if v.hw.SMs > 1 {
		err = add((v.r.Blocks-1)/v.hw.SMs+1, longest.Cycles)
	} else {
		for _, c := range v.r.classes {
			b, _, ofBlock := v.block(c.Block, s)
			if ofBlock != nil {
				return nil, nil, ofBlock
			}
			if err = add(c.Count, b.Cycles); err != nil {
				break
			}
		}
	}
	longest.Cycles, longest.Breakdown = cycles, []bound.Component{{Name: "blocks one after the other", Cycles: cycles}}
	longest.Theorem += ", theorem 9"
	return longest, nil, err
}

// together is all blocks as one, on one sub-core: which block gets which slot, and
// so which scheduler its warps belong to, is not known, and what is charged for a
// warp of the same sub-core is at least what is charged for another.
func (v *volumes) together(s bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	flat := v.sm
	flat.SubCores = 1
	var warps []makespan.SMWarps
	for _, c := range v.r.classes {
		l, err := v.work(c.Block, c.Count, true)
		if err != nil {
			return nil, nil, err
		}
		warps = append(warps, l.warps...)
	}
	x, err := flat.Bound(warps, nil)
	if err != nil {
		return nil, nil, err
	}
	return v.bound(x, s, false), nil, nil
}
