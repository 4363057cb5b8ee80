// Package ordered bounds the time of the blocks that are resident together on
// one SM when a reordering unit in front of the L1 data cache lets global
// accesses pass in one order fixed in advance (Huangfu2017, Section III-E).
//
// The order makes every access a known hit or miss, and it makes accesses wait
// for accesses of other warps, which no theorem about work-conserving machines
// covers. The bound is docs/soundness/order.md, theorem 21 (ORDER): each warp runs alone
// on a clock of its own; the accesses in their order, the memory behind the cache and
// barriers lift the clocks; and everything that other warps initiate is charged, as in
// SUM. Theorem 20 (everything one after the other), everything one after the other, is
// computed in the same pass.
//
// The package knows nothing of PTX, of cache models or of a simulator. It does
// not decide hits and misses: Access says what the cache model found. It does
// not compose batches: blocks that start only when all others have retired are
// a call of their own, and the times add up.
//
// The memory behind the cache is one resource (theorem 22 (interference)), or stages of
// places that serve the SMs in turn, each with a clock of its own (theorem 29 (in
// turn)).
//
// Main types: CachedSM (what the theorems ask of the SM), Input (instructions,
// warps, and the order as an iterator), Access (one access in the order), Result
// (both bounds). ComputeAll makes one pass over the order and executes every
// instruction of every warp once; the memory it needs is that of the warps'
// registers, whatever the length of the order. Times are cycles in int64;
// whatever does not fit is an error.
package ordered
