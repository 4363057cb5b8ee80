// Package scheme makes GPU kernels from offloaded loop nests: the refactoring and
// transformation steps of the predictable execution model, from the plan of
// package tile to the kernels of package device.
//
//	scheme   Generate's kernel
//	Base     iterations dealt to all threads of all teams in turn; no phases
//	CMPT     the plan's tiles and intervals, each wholly in a memory phase
//	DAE      stripping: the tile's control flow with only its loads, then its
//	         statements on the scratchpad, then the control flow with only its stores
//	SDMA     SoftDMA: copy loops over the boxes (Algorithm 3) around the same statements
//
// # Skeleton
//
// A phased kernel enters the memory phase and deals tiles of the SIMT space to
// teams round robin. An interval is the load code, Sync(Compute), the statements,
// Sync(Memory), the store code and, where there is any, a barrier: the load code of
// the next interval may read what it stored and overwrites the scratchpad. Walks
// and tiled loops run over the plan's bounds, which are the same for all threads;
// what a thread executes of them is limited by its own bounds, and threads outside
// the SIMT space take part in copies and barriers only. Nothing is reordered within
// a thread. Locals that several nodes use are declared around them.
//
// # Places
//
// An access at subscript s of a box that starts at lo with stride k lies at
// (s - lo)/k, which has to be exact in the numbers of its linear form, so that
// nothing is divided at run time; loop variables are replaced by first value plus
// step times number where that needs it, the number being counted in a local. An
// access whose form does not divide is an error.
//
// # Loads and stores
//
// SoftDMA spreads a box's last dimension of several elements over the threads and
// walks the others; the plan's Begin and End limit these loops. Elements that an
// earlier box of the array holds are copied from it after a barrier. A box that may
// be written in part has marks, cleared in the load phase, set with each store, and
// asked in the store phase.
//
// Stripping keeps conditions on loop variables and parameters. Others are left
// out: what they guard is loaded if its place exists, and stored if it is marked,
// too. A transfer that is certain to have been made by an earlier statement of the
// same straight line is not repeated; other duplicates stay, as the source has them.
//
// # Reductions
//
// Every thread accumulates from the operator's identity (0, 1, and for min and max
// the greatest and least value, infinities for floating types). At the end thread 0
// of a team combines the team's accumulators in the order of the threads and stores
// one partial result a team, which the host combines in the order of the teams onto
// the variable's value: device.Entry.Reductions. Min and max keep the left operand
// unless the right one is strictly better.
//
// # Parameters
//
// Kernel.Params are what the body uses: the function's parameters in their order,
// then file-scope arrays in theirs, then other scalars (host loop variables and
// locals) by number, then the arrays of partial results. Arrays and scalars are the
// program's own objects, by which a host binds arguments; extents that name
// parameters make these parameters of the kernel.
//
// # What it is not
//
// It plans nothing and proves nothing about independence: a wrong plan is refused
// where that shows (an access without a box, bounds that differ between threads,
// boxes on one another), and packages depend and tile answer for the rest. Where
// bounds are not constant it expects that a loop variable up to a tile beyond its
// last value fits its type; in constant SIMT spaces this is checked. The iterations
// of a collapsed space are counted in a long where they may not fit an int.
//
// Source: Forsberg2021, sections 3.2.2 and 3.2.3, Algorithm 3.
package scheme
