// Package graham bounds a launch whose blocks never share an SM by list scheduling:
// an even share of what all blocks take, and the longest of them (Graham1969;
// docs/soundness/launches.md, theorem 39 (list scheduling)).
//
// It is smaller than an SM's number of blocks times the longest, which is theorem 9
// (one slot), where blocks differ, as those of triangular loops do; where they are
// equal it is less than one block larger.
package graham

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
)

// Method is the name of the bound in reports.
const Method = "graham"

// Table is the method of this package.
var Table = []*method.Method{{
	Name: Method, Doc: "blocks that each have an SM to themselves: an even share of all of them, and the longest (Graham1969)", Theorems: []int{39},
	Machine: method.Plain, Need: method.Sections, Scopes: []bound.Scope{bound.SM, bound.Kernel},
	OnRequest: func(*method.Facts) bool { return true },
	Costs:     costs,
	Applies: func(f *method.Facts, _ method.Part) *bound.Refusal {
		if f.Occupancy.Blocks > 1 && f.Blocks > 1 {
			return &bound.Refusal{Assumption: bound.SlotRule, Reason: fmt.Sprintf("%d blocks can be resident on an SM, and delay one another; the bound is for blocks that have an SM to themselves", f.Occupancy.Blocks)}
		}
		return f.Irregular()
	},
	Run: func(ctx context.Context, f *method.Facts, part method.Part) (*bound.Bound, error) {
		shared, err := multiphase.Of(f)
		if err != nil {
			return nil, err
		}
		a, err := shared.With(multiphase.Methods()...)
		if err != nil {
			return nil, err
		}
		var blocks []Blocks
		var assumptions []bound.Assumption
		for _, c := range f.Classes() {
			r, err := a.Block(ctx, c.Block)
			if err != nil {
				return nil, err
			}
			b := r.BestBound()
			if b == nil {
				return nil, &r.Refused[0]
			}
			blocks = append(blocks, Blocks{Count: c.Count, Cycles: b.Cycles})
			assumptions = union(assumptions, b.Assumptions)
		}
		sms := f.Machine.Desc.SM.Count
		share, longest, err := List(blocks, sms)
		if err != nil {
			return nil, err
		}
		return &bound.Bound{
			Cycles: share + longest, Scope: part.Scope, Method: Method, Safe: true, Theorem: "docs/soundness.md, theorem 39",
			Breakdown: []bound.Component{bound.Part(bound.BlocksInSequence, share), bound.Part(bound.LastBlock, longest)},
			Assumptions: union(assumptions, []bound.Assumption{
				bound.Assume(bound.GreedyBlocks, bound.Assumed, ""),
				bound.Assume(bound.SlotRule, bound.Enforced, fmt.Sprintf("1 slot(s) on each of %d SM(s)", sms)),
			}),
		}, nil
	},
}}

// most keeps the sum of both parts in int64.
const most = uint64(1) << 60

// Blocks are Count blocks of at most the given number of cycles each.
type Blocks struct{ Count, Cycles int64 }

// List bounds the time in which SMs that hold one block each execute blocks, each
// taking the next one when it is free: an even share of all but the longest, rounded
// down, and the longest.
func List(blocks []Blocks, sms int64) (share, longest int64, err error) {
	var hi, lo uint64
	for _, b := range blocks {
		if b.Count < 1 || b.Cycles < 0 || sms < 1 {
			return 0, 0, fmt.Errorf("%d blocks of %d cycles on %d SMs: expected at least one block, one SM and no negative time", b.Count, b.Cycles, sms)
		}
		longest = max(longest, b.Cycles)
		high, low := bits.Mul64(uint64(b.Count), uint64(b.Cycles))
		var carry uint64
		lo, carry = bits.Add64(lo, low, 0)
		if hi, carry = bits.Add64(hi, high, carry); carry > 0 {
			return 0, 0, bound.ErrOverflow
		}
	}
	lo, borrow := bits.Sub64(lo, uint64(longest), 0)
	hi -= borrow
	if hi >= uint64(sms) {
		return 0, 0, bound.ErrOverflow
	}
	quotient, _ := bits.Div64(hi, lo, uint64(sms))
	if quotient > most || uint64(longest) > most {
		return 0, 0, bound.ErrOverflow
	}
	return int64(quotient), longest, nil
}

// union is the assumptions of two lists in the order of their numbers; of two with
// one number the first.
func union(a, b []bound.Assumption) []bound.Assumption {
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.ContainsFunc(a, func(y bound.Assumption) bool { return y.ID == x.ID }) {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(x, y bound.Assumption) int { return cmp.Compare(number(x.ID), number(y.ID)) })
	return out
}

func number(id bound.ID) int {
	n, _ := strconv.Atoi(string(id[1:])) // the catalogue's ids are numbers behind a letter
	return n
}
