package budget

import (
	"fmt"
	"maps"
	"slices"

	"github.com/warpbound/warpbound/bound"
)

// ledger joins the assumptions of the bounds in use and adds those about phases.
func (b *budgeter) ledger() []bound.Assumption {
	d := b.rep.Machine.Desc
	known := map[bound.ID]bound.Assumption{}
	for _, s := range b.used() {
		for _, a := range s {
			// Of two grounds the weaker one counts.
			if old, ok := known[a.ID]; !ok || a.Status < old.Status {
				known[a.ID] = a
			}
		}
	}
	set := func(id bound.ID, status bound.Status, note string) { known[id] = bound.Assume(id, status, note) }
	placed := bound.Assumed
	if d.Dispatch.Placement == "breadth-first" {
		placed = bound.Enforced
	}
	set(bound.GreedyBlocks, placed, fmt.Sprintf("all %d blocks start at once, block i on SM i mod %d", b.out.Teams, b.out.SMs))
	set(bound.AloneFromReset, bound.Assumed, "nothing but the blocks of the launch occupies the SMs")
	set(bound.PhasesInStep, bound.Assumed, "the guard sees to it")
	delete(known, bound.SlotRule)
	if b.cache != nil {
		set(bound.InterferenceFree, bound.Enforced, "of what does not go through the caches; accesses of global memory wait for one another as described")
		delete(known, bound.NoDataCache)
		set(bound.MemoryResponse, bound.Enforced, "no place of the memory idles while a request waits for it; nothing is known of what the caches hold")
		set(bound.MemoryForGPUAlone, bound.Assumed, "the guard keeps the CPU off it")
	}
	var out []bound.Assumption
	for _, e := range bound.Catalogue() {
		if a, ok := known[e.ID]; ok {
			out = append(out, a)
		}
	}
	return out
}

// used are the ledgers of the bounds in use, in a fixed order.
func (b *budgeter) used() [][]bound.Assumption {
	var out [][]bound.Assumption
	add := func(s *sections) {
		for _, k := range slices.Sorted(maps.Keys(s.ledgers)) {
			out = append(out, s.ledgers[k])
		}
	}
	add(b.plain)
	if b.cache != nil {
		add(b.cache.access)
		add(b.cache.present)
	}
	return out
}
