package method

import (
	"cmp"
	"context"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
)

// CostKind says why cycles of a bound belong to an instruction, or to none.
type CostKind int

// The kinds of costs.
const (
	// Issue: on the longest chain, the warp issues the next instruction behind this one.
	Issue CostKind = iota
	// Occupied: on the longest chain, the next instruction on the unit waits for this one to
	// start.
	Occupied
	// Awaited: on the longest chain, the next instruction waits for what this one completes,
	// or nothing does: it is the last.
	Awaited
	// Charged: another warp, or block, may start this one first.
	Charged
	// Held: nothing is issued until this one is, which waits for the front end, its unit or a
	// barrier.
	Held
	// Delay is that of a barrier or of a block's start; it belongs to no instruction.
	Delay
	// Joined is what a bound on several paths has beyond the path that stands for them; it
	// belongs to no instruction. Below 0 it is what facts take from that path, which does not
	// respect them.
	Joined
	// Undivided is a part of a bound by a method that does not say what its cycles belong to.
	Undivided
	costKinds
)

var costNames = [costKinds]string{"issue", "occupied", "awaited", "charged", "held", "delay", "joined", "undivided"}

func (k CostKind) String() string { return costNames[k] }

// OfInstruction tells whether cycles of the kind belong to an instruction.
func (k CostKind) OfInstruction() bool { return k <= Held }

// Cost is cycles of a bound that belong to an instruction.
type Cost struct {
	Part   bound.PartID // of the bound
	Kind   CostKind
	Symbol int32 // of the launch; -1 for no instruction
	Cycles int64
}

// CompareCosts orders costs by part, instruction and kind.
func CompareCosts(a, b Cost) int {
	return cmp.Or(cmp.Compare(a.Part, b.Part), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.Kind, b.Kind))
}

// PathOf is a path of an expression that stands for all: one that takes long.
type PathOf func(ctx context.Context, s *Stream, section int) (*choice.Expr, error)

// UndividedCosts are the parts of a bound, which belong to no instruction.
func UndividedCosts(b *bound.Bound) []Cost {
	var out []Cost
	for _, p := range b.Breakdown {
		if p.Cycles != 0 {
			out = append(out, Cost{Part: p.ID, Kind: Undivided, Symbol: -1, Cycles: p.Cycles})
		}
	}
	return out
}
