package multiphase

import (
	"context"

	"github.com/warpbound/warpbound/bound"
)

// Result is what an analysis of one scope gives.
type Result struct {
	Scope bound.Scope `json:"scope"`
	// Bounds are the offered methods in the order of Methods.
	Bounds []bound.Bound `json:"bounds"`
	// Refused says why the others are not.
	Refused []bound.Refusal `json:"refused,omitempty"`
	// Best is the index in Bounds of the smallest safe one, -1 if there is none.
	Best int `json:"best"`
	// Warps has one profile per class of warps (one block's, if blocks are equal).
	Warps []WarpProfile `json:"warps"`
	// Sections gives each method's value per section; empty where blocks share an
	// SM.
	Sections map[string][]SectionBound `json:"sections,omitempty"`
}

// BestBound is the smallest safe bound, nil if there is none.
func (r *Result) BestBound() *bound.Bound {
	if r.Best < 0 {
		return nil
	}
	return &r.Bounds[r.Best]
}

// Bound returns the bound by a method, nil if it is not offered.
func (r *Result) Bound(method string) *bound.Bound {
	for i := range r.Bounds {
		if r.Bounds[i].Method == method {
			return &r.Bounds[i]
		}
	}
	return nil
}

// pickBest sets Best; among equals, the method whose proof is simplest.
func (r *Result) pickBest() {
	r.Best = -1
	for i := range r.Bounds {
		b := &r.Bounds[i]
		if !b.Safe {
			continue
		}
		if r.Best < 0 || b.Cycles < r.Bounds[r.Best].Cycles ||
			(b.Cycles == r.Bounds[r.Best].Cycles && r.Bounds[r.Best].Method == GUB) {
			r.Best = i
		}
	}
}

// WarpProfile describes one class of warps alone on an SM, with the isolated time
// that the hardware's theorems use. Slices per unit have Hardware.NumUnits
// entries.
type WarpProfile struct {
	Class            int              `json:"class"`
	Warps            int64            `json:"warps"`
	Instructions     int64            `json:"instructions"`
	IsoCycles        int64            `json:"iso_cycles"`
	ExecCycles       int64            `json:"exec_cycles"`
	IdleCycles       int64            `json:"idle_cycles"`
	UnitInitCycles   []int64          `json:"unit_init_cycles"`
	UnitInstructions []int64          `json:"unit_instructions"`
	Sections         []SectionProfile `json:"sections"`
}

// SectionProfile is a section of a warp's profile; equal sections are listed
// once.
type SectionProfile struct {
	First      int64   `json:"first"`
	Count      int64   `json:"count"`
	IsoCycles  int64   `json:"iso_cycles"`
	ExecCycles int64   `json:"exec_cycles"`
	Phases     []Phase `json:"phases"`
}

// profiles describes the classes of a block.
func (a *Analyzer) profiles(ctx context.Context, b *Block) ([]WarpProfile, error) {
	out := make([]WarpProfile, len(b.Classes))
	for i, class := range b.Classes {
		w := &out[i]
		w.Class, w.Warps = i, class.Count
		w.UnitInitCycles, w.UnitInstructions = make([]int64, a.hw.NumUnits), make([]int64, a.hw.NumUnits)
		at := map[int32]int{}
		var c calc
		for k := range class.Program.Sections {
			sec, err := a.section(class.Program, k)
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
				w.Sections = append(w.Sections, SectionProfile{First: int64(k), IsoCycles: iso.end, ExecCycles: iso.exec, Phases: iso.phases})
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
