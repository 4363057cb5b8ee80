// Package makespan is the model of Berezovskyi2012: W identical warps run one
// instruction string on one SM, and the question is the longest makespan that a
// work-conserving scheduler can produce.
//
// An Instance holds the string, reduced to letters of unit kinds with a capacity
// per cycle each (Section 3); closed.go has the figures in closed form: the
// published pessimistic one (Section 4), which is not always a bound, the safe
// one of ours, and the published estimate for many warps (Section 5.6), which is
// not a bound either. A Schedule is a witness: who executes what in which cycle,
// with a checker that knows nothing of how it was found.
//
// The exact methods are packages below this one: makespan/dp (dynamic
// programming), makespan/ilp (the integer linear programmes of Section 5) and
// makespan/potential (a certificate that bounds any number of warps, and the
// search it guides).
//
// The package models no latency, no cache, no issue width and no barrier: an
// instruction takes one cycle, and every kind of unit is fed independently of the
// others. Where a kernel and a GPU fit that model is decided elsewhere.
package makespan
