// Package bound holds what every method of bounding a kernel's time has in
// common: the Bound, its breakdown, and the ledger of assumptions it rests on.
//
// It computes nothing; methods are elsewhere (docs/methods.md). A Bound says how many
// cycles, for which scope (one warp, one block, one SM, the whole kernel), by which
// method and theorem, whether it is safe, and which assumptions make it so. A Result is
// the bounds of one scope by all methods, and why others give none. Times are integer
// cycles.
//
// The assumptions have stable ids (A1, A2, ...), so that reports, the simulator
// and readers speak of the same thing; Catalogue lists them. The theory behind
// them is docs/soundness.md.
package bound
