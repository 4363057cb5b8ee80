package serial

import (
	"context"
	"math"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
)

// costs are the cycles of the bound on the launch by instruction: where warps may take
// several paths, those of one that takes longest.
func costs(_ context.Context, f *method.Facts, _ method.PathOf) ([]method.Cost, error) {
	l := &launch{f: f, ledger: f.Ledger(), cycles: symbolCycles(f)}
	b, err := l.bound(f.WholeScope(), f.Path.Classes, 0)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(l.cycles))
	for _, c := range f.Path.Classes {
		for _, wc := range c.Warps {
			for _, s := range wc.Warp.Sections {
				if err := s.Counts(wc.Count*c.Blocks, counts); err != nil {
					return nil, err
				}
			}
			choices := wc.Warp.Choices
			if wc.Warp.Stages != nil {
				choices = []*choice.Expr{wc.Warp.WholeChoice}
			}
			for _, e := range choices {
				on, _, err := e.Heaviest(len(counts), func(symbol int32) int64 { return l.cycles[symbol] })
				if err != nil {
					return nil, err
				}
				for i, n := range on {
					if n > 0 && wc.Count*c.Blocks > (math.MaxInt64-counts[i])/n {
						return nil, bound.ErrOverflow
					}
					counts[i] += n * wc.Count * c.Blocks
				}
			}
		}
	}
	var out []method.Cost
	left := b.Breakdown[0].Cycles
	for i, n := range counts {
		if n == 0 || l.cycles[i] == 0 {
			continue
		}
		if n > math.MaxInt64/l.cycles[i] {
			return nil, bound.ErrOverflow
		}
		cost := method.Cost{Part: bound.AllInstructions, Kind: method.Awaited, Symbol: int32(i), Cycles: n * l.cycles[i]}
		left -= cost.Cycles
		out = append(out, cost)
	}
	if left != 0 {
		out = append(out, method.Cost{Part: bound.AllInstructions, Kind: method.Joined, Symbol: -1, Cycles: left})
	}
	for _, p := range b.Breakdown[1:] {
		if p.Cycles > 0 {
			out = append(out, method.Cost{Part: p.ID, Kind: method.Delay, Symbol: -1, Cycles: p.Cycles})
		}
	}
	return out, nil
}
