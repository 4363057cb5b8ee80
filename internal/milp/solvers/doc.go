// Package solvers lists the mixed-integer solvers and finds one by name. It
// holds no solver; see internal/milp for what a solver is and what of its
// answers is trusted.
//
// Main entry points: Solvers, All, ByName.
package solvers
