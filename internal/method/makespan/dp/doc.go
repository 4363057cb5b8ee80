// Package dp computes the exact worst-case makespan of Berezovskyi2012 without an
// integer linear programme, and a schedule that attains it.
//
// Warps are identical, so a state is how many warps wait for each instruction. One
// cycle leads from such a state to one of several others, and the makespan is the
// longest path. The states are numbered combinatorially and swept backwards, a
// value each in flat memory; the sweep gives the makespan of every smaller number
// of warps on its way. Only the slices that are still needed are kept, and a
// schedule is recovered by sweeping again what lies ahead of the last state known
// (sweep, walk).
//
// No state is left out unless it is proved that no schedule gets there
// (queueLimits), and no state stands for another: there are scheduling anomalies,
// and being further ahead can mean ending later.
//
// Where few of the states can be reached, as with capacities above 1, another engine
// goes forward through those only (levels). Both give the same makespans.
//
// Solve is the only entry point. Time grows with the states, C(W+I, I) for W warps
// and I instructions, times the choices of a cycle; memory with the states that
// have the same number of warps past the first instruction, C(W+I−1, I−1).
package dp
