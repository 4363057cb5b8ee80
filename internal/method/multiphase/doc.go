// Package multiphase bounds the time of warps, blocks and grids from their
// instruction sequences and the initiation and latency of each instruction.
//
// It starts from the multi-phase model of Jeanmougin2025: one warp alone gives a
// profile of execution phases (some unit initiates) and idle phases. The
// published block bound (GUB, Definition 10) is computed, and marked unsafe
// unless the condition of docs/soundness/blocks.md, theorem 1 (published bound), holds:
// it is not safe in general. The bounds SUM, FUA, BURST, PATH, REF and CHAIN are safe
// under stated conditions on the hardware (theorems 2 (one block) to 9 (one slot) and 13
// (CHAIN)); a method whose conditions do not hold is refused with the reason.
//
// The package knows nothing of PTX, of GPU description files or of a simulator.
//
// Main types: Op (a static instruction), Stream (one warp's barrier sections,
// folded), Block (warps by class), Hardware (the facts the theorems need),
// Analyzer (all computations and their caches), Result (bounds, refusals,
// profiles). Times are cycles in int64; whatever does not fit is an error,
// never a wrapped number.
//
// Loops are not unrolled. Every quantity is computed by a machine over a vector
// of times; fold.go jumps over iterations once they repeat, exactly.
package multiphase
