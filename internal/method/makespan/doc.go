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
// The volume bound (VolumeBound, docs/soundness/makespan.md, theorem 14 (volume)) is for
// warps that differ, with or without a limit on what issues in a cycle; SM.Bound is the
// same on an SM with sub-cores, sections and units of several servers.
//
// The methods for identical warps are packages below this one: makespan/dp (exact,
// dynamic programming), makespan/ilp (exact, the integer linear programmes of
// Section 5), makespan/potential (certificates that bound any number of warps, and
// the search they guide) and makespan/study (all of them side by side).
//
// The model of the paper has no latency, no cache, no issue width and no barrier:
// an instruction takes one cycle, and every kind of unit is fed independently of
// the others. Where a kernel and a GPU fit it is decided by package analysis.
package makespan
