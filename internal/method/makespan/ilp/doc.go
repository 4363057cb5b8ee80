// Package ilp computes the worst-case makespan by integer linear programming
// (Berezovskyi2012, Section 5), with any solver of internal/milp.
//
// Three forms state the same problem. Short and Long are the paper's, over
// binaries x_w1_i2_t3 (warp 1 executes instruction 2 in cycle 3): work
// conservation is one constraint per warp, instruction and cycle (34), (37), or
// one per warp, kind and cycle (33), (36). Counts is ours: identical warps need
// no names, so its variables past_i2_t3 count the warps that have executed
// instruction 2 by cycle 3. It is far smaller and free of the W! symmetry.
//
// # Two departures from the paper
//
// The horizon of the paper is its pessimistic figure, which can be below the
// optimum where a capacity is above 1: LL with capacity 2 and 4 warps has an
// optimum of 5 cycles, and within the published horizon of 4 a solver proves 4
// "optimal". The horizon here is Instance.Safe; Options.Horizon can set another,
// and a Result within a shorter one is never Exact. The paper's variables LS and
// CC are one x, because every instruction has one kind.
//
// # What is trusted
//
// A solution is rounded, checked in integer arithmetic against every row
// (milp.Certify), read as a schedule, and that is checked by
// makespan.Schedule.Check: that the value is attained does not rest on a solver.
// That nothing exceeds it rests on the solver's dual bound, which is a floating
// point result; it is rounded to the weak side and never above Instance.Safe.
// Where a limit stops the solver, Result.Cycles is the dual bound and not what
// was found by then. Package makespan/dp computes the same value in integers
// throughout.
//
// The solvers search; they know nothing of the problem's structure. A handful of
// warps is what the paper's forms can do in minutes (docs/makespan.md).
//
// Main types: Form, Options, Result, HorizonError; Solve and Write.
package ilp
