// Package external solves mixed-integer and linear programmes with CBC and
// GLPK where these programs are installed, through an LP file in a temporary
// directory and the solution file they write.
//
// It does not install, configure or trust them more than HiGHS: package milp
// says what is trusted of a solver. Both print their dual bound rounded, CBC to
// three decimals, GLPK to ten digits; Solution.BoundError carries that.
//
// A solve whose context ends, or that overshoots its time limit by milp.Grace,
// has its whole process group killed. An answer of "unbounded" or "infeasible
// or unbounded" is settled by a second run without objective.
//
// Main type: Solver, made by CBC and GLPK.
package external
