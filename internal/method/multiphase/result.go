package multiphase

import (
	"context"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
)

// profiles describes the classes of a block. Of a section that has choices each
// figure is the largest of any path, but execution cycles and phases, which are of
// one path, are left out.
func (a *Analyzer) profiles(ctx context.Context, b *method.Block) ([]bound.WarpProfile, error) {
	b, err := a.recordedBlock(b)
	if err != nil {
		return nil, err
	}
	out := make([]bound.WarpProfile, len(b.Classes))
	for i, class := range b.Classes {
		w := &out[i]
		w.Class, w.Warps = i, class.Count
		w.UnitInitCycles, w.UnitInstructions = make([]int64, a.hw.NumUnits), make([]int64, a.hw.NumUnits)
		at := map[int32]int{}
		var c calc
		// most is what sections come to, where each has a figure.
		most := func(to *int64, k int, figure int64) {
			if st := class.Stream.Stages; st != nil {
				n, err := st.MaxWeight(func(s int32) int64 {
					if int(s) == k {
						return figure
					}
					return 0
				})
				c.over = c.over || err != nil
				figure = n
			}
			*to = c.add(*to, figure)
		}
		for k := range class.Stream.Len() {
			sec, err := a.section(class.Stream, k)
			if err != nil {
				return nil, err
			}
			if sec == nil {
				continue
			}
			iso, err := a.isolated(ctx, sec, a.hw.matched())
			if err != nil {
				return nil, err
			}
			j, seen := at[sec.id]
			if !seen {
				j = len(w.Sections)
				at[sec.id] = j
				w.Sections = append(w.Sections, bound.SectionProfile{First: int64(k), IsoCycles: iso.end, ExecCycles: iso.exec, Phases: iso.phases})
			}
			most(&w.Sections[j].Count, k, 1)
			most(&w.Instructions, k, sec.count)
			most(&w.IsoCycles, k, iso.end)
			most(&w.ExecCycles, k, iso.exec)
			most(&w.IdleCycles, k, iso.idle())
			for u := range sec.loads {
				most(&w.UnitInitCycles[u], k, sec.loads[u])
				most(&w.UnitInstructions[u], k, sec.insts[u])
			}
		}
		if err := c.err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
