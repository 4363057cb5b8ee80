// Package choice holds sets of instruction sequences as expressions over
// symbols: what a warp may execute where its control is not known.
//
// An expression stands for a set of paths, each a sequence of symbols as in
// package seq: a run of symbols; one expression after another (Concat); exactly
// one of several (One: a branch that all lanes take alike); each of several at
// most once, in any order (Any: a branch at which lanes may part, whichever
// side goes first); a body exactly n times (Repeat) or at most n times
// (AtMost), each time along any path of it. A recorded path is the special case
// without choice (FromSeq).
//
// A Builder makes expressions in normal form and makes each only once: two
// expressions of one builder are equal if and only if their pointers are. So
// an expression is a graph whose nodes may be shared many times; no function
// here but Paths and String visits a shared node more than once.
//
// The package knows nothing of what a symbol means, of kernels, of time or of
// hardware.
//
// Main types: Expr, an immutable expression; Builder, which makes them.
package choice
