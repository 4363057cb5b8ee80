package volume

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/path"
)

// Table is the method of this package.
var Table = []*method.Method{{
	Name: Method, Doc: "the volume of what the warps execute, for kernels without latencies (Berezovskyi2012)", Theorems: []int{9, 11, 14},
	Machine: method.Plain, Need: method.Sections, Scopes: []bound.Scope{bound.Warp, bound.Block, bound.SM, bound.Kernel}, Unsafe: true,
	OnRequest: late,
	Run: func(_ context.Context, f *method.Facts, part method.Part) (*bound.Bound, error) {
		v, err := method.Once(f, volumesKey{}, func() (*volumes, error) { return newVolumes(f) })
		if err != nil {
			return nil, err
		}
		b, no, err := v.part(part)
		if no != nil {
			return nil, no
		}
		return b, err
	},
}}

type volumesKey struct{}

// late says whether anything executed has a latency.
func late(f *method.Facts) bool {
	return slices.ContainsFunc(f.Path.Symbols, func(s path.Symbol) bool { return f.Timing[s.PC].LatencyCycles > 0 })
}

// part bounds a warp or a block alone, or the launch.
func (v *volumes) part(p method.Part) (*bound.Bound, *bound.Refusal, error) {
	switch {
	case p.Whole():
		return v.launch(p.Scope)
	case p.Scope == bound.Warp && p.Index != method.Slowest:
		return v.warp(v.f.Alone()[p.Index])
	case p.Scope == bound.Warp:
		warps := v.f.Alone()
		return v.longest(len(warps), func(i int) (*bound.Bound, *bound.Refusal, error) { return v.warp(warps[i]) })
	case p.Index != method.Slowest:
		return v.block(v.f.Classes()[p.Index].Block, p.Scope)
	}
	return v.longestBlock(p.Scope)
}

// warp bounds a warp alone.
func (v *volumes) warp(p *method.Stream) (*bound.Bound, *bound.Refusal, error) {
	return v.block(&method.Block{Classes: []method.WarpClass{{Stream: p, Count: 1}}}, bound.Warp)
}

func (v *volumes) longestBlock(s bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	return v.longest(len(v.f.Classes()), func(i int) (*bound.Bound, *bound.Refusal, error) { return v.block(v.f.Classes()[i].Block, s) })
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
// (one slot) and 11 (even placement)), or blocks without barriers that all start at
// once, which are as one block wherever they are placed.
func (v *volumes) launch(s bound.Scope) (*bound.Bound, *bound.Refusal, error) {
	f := v.f
	wide, even := f.Spread(v.hw)
	switch {
	case f.Blocks == 1:
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
	for _, c := range f.Classes() {
		for _, w := range c.Block.Classes {
			if f.Blocks <= v.hw.SlotsPerSM && len(w.Stream.Sections) == 1 {
				continue
			}
			return nil, &bound.Refusal{
				Method: Method, Scope: s, Assumption: bound.AloneFromReset,
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
		err = add((v.f.Blocks-1)/v.hw.SMs+1, longest.Cycles)
	} else {
		for _, c := range v.f.Classes() {
			b, _, ofBlock := v.block(c.Block, s)
			if ofBlock != nil {
				return nil, nil, ofBlock
			}
			if err = add(c.Count, b.Cycles); err != nil {
				break
			}
		}
	}
	longest.Cycles, longest.Breakdown = cycles, []bound.Component{bound.Part(bound.BlocksInSequence, cycles)}
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
	for _, c := range v.f.Classes() {
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
