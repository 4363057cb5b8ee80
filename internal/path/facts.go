package path

import (
	"slices"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// limits are what facts say of how often the symbols of a warp of so many lanes come
// (docs/soundness/covering.md, theorem 44 (facts)).
func limits(symbols []Symbol, list []facts.Fact, timing []gpu.Timing, lanes int) ([]choice.Limit, []choice.Exclusion) {
	var out []choice.Limit
	var pairs []choice.Exclusion
	for i := range list {
		f := &list[i]
		most := f.Most
		switch f.Kind {
		case facts.PerThread:
			// Every way back of a warp is one of at least one of its threads.
			if most > mostWays/int64(lanes) {
				continue
			}
			most *= int64(lanes)
		case facts.PerWarp:
		case facts.Counts:
			if slices.ContainsFunc(f.Places, func(p facts.Place) bool {
				return p.Factor < 0 && slices.ContainsFunc(p.PCs, func(pc int32) bool { return timing[pc].NotIssued })
			}) {
				continue // paths have no symbol of what makes the sum smaller
			}
		case facts.Exclusive:
			x := choice.Exclusion{ID: i, A: make([]bool, len(symbols)), B: make([]bool, len(symbols))}
			for s := range symbols {
				x.A[s] = slices.Contains(f.Places[0].PCs, symbols[s].PC)
				x.B[s] = slices.Contains(f.Places[1].PCs, symbols[s].PC)
			}
			pairs = append(pairs, x)
			continue
		default:
			continue
		}
		l := choice.Limit{ID: i, Factor: make([]int64, len(symbols)), Most: most}
		for s := range symbols {
			switch {
			case f.Kind != facts.Counts && symbols[s].Back && symbols[s].PC == f.Head:
				l.Factor[s] = 1
			case f.Kind == facts.Counts:
				for _, place := range f.Places {
					if slices.Contains(place.PCs, symbols[s].PC) {
						l.Factor[s] += place.Factor
					}
				}
			}
		}
		out = append(out, l)
	}
	return out, pairs
}

// mostWays is more ways back than any warp makes.
const mostWays = 1 << 62
