package makespan

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/bound"
)

// Class is a number of warps that execute equally many instructions of each kind,
// in whatever order.
type Class struct {
	Warps int64
	// Counts are the instructions of one warp by kind of unit, an instruction that
	// occupies its unit for k cycles counted k times.
	Counts []int64
	// LatencyCycles is for how many more cycles at most the warp waits for its own
	// instructions, 0 in the model of Berezovskyi2012.
	LatencyCycles int64
}

// Volume is the bound on warps that need not be identical, in cycles.
type Volume struct {
	// Cycles is OwnCycles + BlockedCycles.
	Cycles int64
	// Class is the class of the warp that may end last.
	Class int
	// OwnCycles is what this warp executes, with its latencies; BlockedCycles bounds
	// the cycles in which it can be kept from executing.
	OwnCycles, BlockedCycles int64
}

// VolumeBound bounds the makespan of warps that share units: by the warp that ends
// last and the cycles in which the others can keep it waiting
// (docs/soundness/makespan.md, theorem 14 (volume)). capacities are the σ of the kinds,
// width is how many instructions issue in a cycle, 0 for no limit. Identical warps
// without a limit give Safe.
//
// It needs counts only and fails where they are negative, do not fit the kinds, or
// sum up to more than int64.
func VolumeBound(classes []Class, capacities []int64, width int64) (Volume, error) {
	return volume(classes, nil, capacities, width)
}

// volume is VolumeBound beside instructions of no warp in particular, by kind; nil
// is none.
func volume(classes []Class, beside, capacities []int64, width int64) (Volume, error) {
	var none Volume
	if len(classes) == 0 {
		return none, fmt.Errorf("no warps")
	}
	total, warps, err := sumClasses(classes, beside, len(capacities))
	if err != nil {
		return none, err
	}
	if width >= warps {
		width = 0 // every warp can issue in every cycle
	}
	var worst Volume
	others := make([]int64, len(total))
	for i, c := range classes {
		v := Volume{Class: i, OwnCycles: c.LatencyCycles}
		for u, n := range c.Counts {
			others[u] = total[u] - n
			v.OwnCycles += n // at most the total with the latencies, which fits
		}
		if v.BlockedCycles, err = Blocked(others, capacities, width); err != nil {
			return none, err
		}
		if v.OwnCycles > math.MaxInt64-v.BlockedCycles {
			return none, bound.ErrOverflow
		}
		v.Cycles = v.OwnCycles + v.BlockedCycles
		if i == 0 || v.Cycles > worst.Cycles {
			worst = v
		}
	}
	return worst, nil
}

// sumClasses adds up the instructions of all warps, and those beside, by kind; their
// sum over the kinds, with the latencies, fits int64 as well.
func sumClasses(classes []Class, beside []int64, kinds int) (total []int64, warps int64, err error) {
	total = make([]int64, kinds)
	all := int64(0)
	for u, n := range beside {
		if err := addProduct(&all, n, 1); err != nil {
			return nil, 0, err
		}
		total[u] = n
	}
	for i, c := range classes {
		if c.Warps < 1 || len(c.Counts) != kinds {
			return nil, 0, fmt.Errorf("class %d: %d warps with counts of %d kinds, expected at least 1 warp and %d kinds", i, c.Warps, len(c.Counts), kinds)
		}
		if warps > math.MaxInt64-c.Warps {
			return nil, 0, bound.ErrOverflow
		}
		warps += c.Warps
		if c.LatencyCycles < 0 {
			return nil, 0, fmt.Errorf("class %d: latencies of %d cycles", i, c.LatencyCycles)
		}
		if err := addProduct(&all, 1, c.LatencyCycles); err != nil {
			return nil, 0, err
		}
		for u, n := range c.Counts {
			if n < 0 {
				return nil, 0, fmt.Errorf("class %d: %d instructions of kind %d", i, n, u)
			}
			if err := addProduct(&all, c.Warps, n); err != nil {
				return nil, 0, err
			}
			total[u] += c.Warps * n
		}
	}
	return total, warps, nil
}

// Blocked is the largest number of cycles in which instructions of others, a given
// number of each kind, can keep a warp waiting: each such cycle takes σ of them of
// the one kind that the warp waits for, or, where at most width issue in a cycle,
// width of any kinds. No instruction serves twice. width 0 is no limit.
//
// Kinds with σ ≤ width are best spent by themselves, what is left over of them and
// all others together by width: this is the optimum of the integer programme, not
// an approximation (docs/soundness/makespan.md, theorem 14 (volume)).
func Blocked(counts, capacities []int64, width int64) (int64, error) {
	if len(counts) != len(capacities) || width < 0 {
		return 0, fmt.Errorf("%d counts for %d kinds, issue width %d", len(counts), len(capacities), width)
	}
	var cycles, rest uint64
	for u, n := range counts {
		sigma := capacities[u]
		if sigma < 1 || n < 0 {
			return 0, fmt.Errorf("kind %d: %d instructions, capacity %d", u, n, sigma)
		}
		q, r := uint64(0), uint64(n)
		if width == 0 || sigma <= width {
			q, r = uint64(n/sigma), uint64(n%sigma)
		}
		var carry1, carry2 uint64
		cycles, carry1 = bits.Add64(cycles, q, 0)
		rest, carry2 = bits.Add64(rest, r, 0)
		if carry1|carry2 != 0 {
			return 0, bound.ErrOverflow
		}
	}
	if width > 0 {
		var carry uint64
		if cycles, carry = bits.Add64(cycles, rest/uint64(width), 0); carry != 0 {
			return 0, bound.ErrOverflow
		}
	}
	if cycles > math.MaxInt64 {
		return 0, bound.ErrOverflow
	}
	return int64(cycles), nil
}
