// Package study runs the methods for the makespan of identical warps
// (Berezovskyi2012) on one instance, within a budget of memory and time, and says
// of each figure what it is: exact, a safe bound, a published figure that is or is
// not safe for this instance, or the published estimate, which is no bound.
//
// Run gives a Study: a Row a method, the best safe bound, and the exact value with
// its witness where an exact method ended. Run trusts no method: a witness has to
// pass Schedule.Check, two exact values have to be equal, and no exact value may
// exceed a safe bound; otherwise Run ends in a *ContradictionError. Where a budget
// is exhausted the Study holds what was proved until then.
//
// Trace gives a Curve: the exact makespan for 1, 2, ... warps with the published
// estimate that follows from each (Figures 5 to 7).
//
// The package computes no bound of its own. The closed forms are package makespan,
// the other methods the packages below that.
package study
