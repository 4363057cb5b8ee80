// Package facts holds what a launch states of all its executions, flow facts, by the
// instructions of its program, and checks them on executions.
//
// A fact bounds how often threads go back to the head of a loop, for each time they come
// to it from outside or in all, how often a warp does, or a sum of executions of places;
// or says that all threads of a warp take a branch alike, or that no warp comes to two
// places. Covering executions and methods rely on facts (docs/soundness/covering.md); any
// other execution is held to them here, by the steps of its warps.
//
// Main types: Fact; Loop, a loop of a program; Tracker, which sees the steps of an
// execution, counts what loops do and notes which facts do not hold; Watch, which is a
// kernel around another one whose warps fail where a fact does not hold.
package facts
