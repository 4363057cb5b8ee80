package ptxexec

import (
	"fmt"

	"github.com/warpbound/warpbound/internal/simt"
)

// A launch may have any grid from a least to a largest one. A covering execution in closed
// form has the coordinates of blocks of the largest one, and extents that are unknowns as
// scalar arguments in ranges are. Nothing else executes such a launch for all its grids.

// rangeGrid takes over the least grid.
func (k *Kernel) rangeGrid(least [3]int) error {
	for i, n := range least {
		if n == 0 {
			n = k.grid[i]
		}
		if n < 1 || n > k.grid[i] {
			return fmt.Errorf("grid %c is %d to %d, want a range of numbers from 1", "xyz"[i], n, k.grid[i])
		}
		k.leastGrid[i] = n
	}
	return nil
}

// grids are the ranges of the extents that have one.
func (k *Kernel) grids() []simt.Range {
	var out []simt.Range
	for i, least := range k.leastGrid {
		if least < k.grid[i] {
			out = append(out, simt.Range{Name: "grid." + "xyz"[i:i+1], Min: int64(least), Max: int64(k.grid[i]), Axis: i + 1})
		}
	}
	return out
}

// startGrid makes unknowns of the extents of the grid that have a range, behind those of
// arguments.
func (w *coverWarp) startGrid() {
	k := w.blk.k
	for _, r := range k.grids() {
		of := w.closed.unknowns.declare(r.Min, r.Max, true)
		w.name(of, fmt.Sprintf("g%d:", r.Axis))
		w.closed.ranged = append(w.closed.ranged, of)
		for _, sr := range k.prog.specials {
			if sr.extent == r.Axis {
				w.startUnknown(sr.reg, of)
			}
		}
	}
}
