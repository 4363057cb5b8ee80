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
			w.Sections[j].Count++
			w.Instructions = c.add(w.Instructions, sec.count)
			w.IsoCycles = c.add(w.IsoCycles, iso.end)
			w.ExecCycles = c.add(w.ExecCycles, iso.exec)
			w.IdleCycles = c.add(w.IdleCycles, iso.idle())
			for u := range sec.loads {
				w.UnitInitCycles[u] = c.add(w.UnitInitCycles[u], sec.loads[u])
				w.UnitInstructions[u] = c.add(w.UnitInstructions[u], sec.insts[u])
			}
		}
		if err := c.err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
