package graham

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
)

// costs are the cycles of the bound on the launch by instruction: those of the longest block,
// and an even share of those of all others, each rounded down. What rounding leaves belongs
// to no instruction.
func costs(ctx context.Context, f *method.Facts, path method.PathOf) ([]method.Cost, error) {
	shared, err := multiphase.Of(f)
	if err != nil {
		return nil, err
	}
	a, err := shared.With(multiphase.Methods()...)
	if err != nil {
		return nil, err
	}
	var blocks []Blocks
	var each [][]method.Cost
	longest := 0
	for i, c := range f.Classes() {
		r, err := a.Block(ctx, c.Block)
		if err != nil {
			return nil, err
		}
		b := r.BestBound()
		if b == nil {
			return nil, &r.Refused[0]
		}
		of, err := a.Costs(ctx, []method.BlockClass{{Block: c.Block, Count: 1}}, 1, b.Method, path)
		if err != nil {
			return nil, err
		}
		blocks, each = append(blocks, Blocks{Count: c.Count, Cycles: b.Cycles}), append(each, of)
		if b.Cycles > blocks[longest].Cycles {
			longest = i
		}
	}
	sms := f.Machine.Desc.SM.Count
	share, _, err := List(blocks, sms)
	if err != nil {
		return nil, err
	}
	all, total := map[method.Cost]int64{}, map[method.Cost]int64{}
	for i, of := range each {
		count := blocks[i].Count
		if i == longest {
			count--
		}
		for _, c := range of {
			n := c.Cycles
			c.Cycles, c.Part = 0, bound.BlocksInSequence
			if n > 0 && count > (math.MaxInt64-all[c])/n {
				return nil, bound.ErrOverflow
			}
			all[c] += count * n
			if c.Part = bound.LastBlock; i == longest {
				total[c] += n
			}
		}
	}
	for c, n := range all {
		total[c] += n / sms
		share -= n / sms
	}
	total[method.Cost{Part: bound.BlocksInSequence, Kind: method.Undivided, Symbol: -1}] += share
	var out []method.Cost
	for _, c := range slices.SortedFunc(maps.Keys(total), method.CompareCosts) {
		if n := total[c]; n != 0 {
			c.Cycles = n
			out = append(out, c)
		}
	}
	return out, nil
}
