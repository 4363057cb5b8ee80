package makespan

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/bound"
)

// Published is the pessimistic figure of Berezovskyi2012, Section 4, eq. 5-7:
// Σ_u ceil(W/σ_u)·I_u, in cycles.
//
// It is not a bound where a capacity is above 1: LL with capacity 2 and 4 warps
// has a schedule of 5 cycles and a figure of 4 (docs/makespan.md). PublishedSafe
// says whether it is one.
func (in *Instance) Published() (int64, error) {
	var sum int64
	for _, k := range in.Kinds {
		perInstruction := (in.Warps-1)/k.Capacity + 1
		if err := addProduct(&sum, perInstruction, k.Count); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// PublishedSafe says whether Published is a bound: every capacity is 1, and then
// it equals Safe.
func (in *Instance) PublishedSafe() bool {
	for _, k := range in.Kinds {
		if k.Capacity != 1 {
			return false
		}
	}
	return true
}

// Safe is I + Σ_u floor((W−1)·I_u/σ_u) cycles, a bound for any instance
// (docs/soundness/makespan.md, theorem 14 (volume)).
func (in *Instance) Safe() (int64, error) {
	sum := in.Length
	for _, k := range in.Kinds {
		hi, lo := bits.Mul64(uint64(in.Warps-1), uint64(k.Count))
		if hi >= uint64(k.Capacity) {
			return 0, bound.ErrOverflow
		}
		q, _ := bits.Div64(hi, lo, uint64(k.Capacity))
		if q > math.MaxInt64 || int64(q) > math.MaxInt64-sum {
			return 0, bound.ErrOverflow
		}
		sum += int64(q)
	}
	return sum, nil
}

// Estimate is a point of the published estimate.
type Estimate struct {
	// X is the number of warps whose exact makespan Exact is used (x).
	X     int64 `json:"x"`
	Exact int64 `json:"exact_cycles"`
	// Raw is T^(W,x) = ceil(W/x)·T(x), Least the smallest of the raw ones up to x
	// (Berezovskyi2012, Section 5.6, eq. 42-43).
	Raw   int64 `json:"raw_cycles"`
	Least int64 `json:"least_cycles"`
}

// Estimates computes the published estimate for W warps from the exact makespans
// of 1, 2, ... warps, in cycles. It is not a bound: for LCL with capacities 1 the
// estimate of 4 warps from 2 is 8, the exact makespan 9 (docs/makespan.md).
func Estimates(warps int64, exact []int64) ([]Estimate, error) {
	out := make([]Estimate, 0, len(exact))
	least := int64(math.MaxInt64)
	for i, t := range exact {
		x := int64(i) + 1
		var raw int64
		if err := addProduct(&raw, (warps-1)/x+1, t); err != nil {
			return nil, err
		}
		least = min(least, raw)
		out = append(out, Estimate{X: x, Exact: t, Raw: raw, Least: least})
	}
	return out, nil
}

func addProduct(sum *int64, a, b int64) error {
	if b != 0 && a > (math.MaxInt64-*sum)/b {
		return bound.ErrOverflow
	}
	*sum += a * b
	return nil
}
