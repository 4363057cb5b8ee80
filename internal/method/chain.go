package method

import "github.com/warpbound/warpbound/bound"

// Chain is what a time is the sum of: cycles of an instruction, or of none, behind what they
// begin at. The nil Chain is the start. Chains share what they have in common.
type Chain struct {
	before *Chain
	kind   CostKind
	symbol int32
	cycles int64
}

// Then is a chain with cycles behind it; no longer one where there are none.
func (c *Chain) Then(kind CostKind, symbol int32, cycles int64) *Chain {
	if cycles == 0 {
		return c
	}
	return &Chain{c, kind, symbol, cycles}
}

// AddTo adds what a chain is the sum of to costs, as a part of a bound.
func (c *Chain) AddTo(to map[Cost]int64, part bound.PartID) {
	for ; c != nil; c = c.before {
		to[Cost{Part: part, Kind: c.kind, Symbol: c.symbol}] += c.cycles
	}
}
