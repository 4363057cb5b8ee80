// Package kernels searches for violated bounds along the whole road: random
// structured PTX kernels, executed, analysed and simulated on random machines.
//
// Each case draws a kernel (loops, divergence, calls, predicates, barriers of
// the whole block and of parts of it, early exits, shared memory, atomics,
// branches and addresses that depend on data; in some matrices, textures, memory
// barrier objects, indirect calls, pairs of halves and SIMD video instructions; in
// some paths and places that depend on the block, on grids of up to 16 blocks, so
// that blocks fall into classes of which one is executed), a launch, a machine (a preset
// with queues, dispatch order, barriers, sub-cores, shared and multiple units,
// transactions, SMs, delays changed) and runs the cycle-level simulator under
// several policies, with latencies and initiations as declared and shortened at
// random. Every bound that calls itself safe must be at least what the simulator
// measures in its scope.
//
// The recorded paths are held to plain execution (paths.go): folding must not
// change them, and where the analysis says that they hold for all inputs, other
// contents of the buffers and another order of blocks and warps must not either.
//
//	Run     drawn and directed cases, each a start for hill climbing (climb.go)
//	Draw    the case of a seed
//
// A violation is reduced (shrink.go) and prints as a PTX file, a launch and
// overrides that reproduce it. Random instruction programs against exact worst
// cases are the business of package soundness.
package kernels
