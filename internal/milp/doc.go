// Package milp states mixed-integer and linear programmes, writes them in
// CPLEX LP format, re-checks their solutions exactly, and defines the
// interface behind which a solver sits.
//
// It is not a solver: internal/milp/highs holds HiGHS (WebAssembly, always
// there), internal/milp/external drives CBC and GLPK where they are installed,
// internal/milp/solvers finds one by name. It is not a modelling language
// either: callers build rows from column indices.
//
// # Numbers
//
// Coefficients, bounds and costs are float64, so that the same Problem serves
// small linear programmes with fractional data. An integer programme keeps
// integers of magnitude up to 2^53 in them, which float64 holds exactly:
// CheckInteger refuses anything else and then computes in int64 with overflow
// detection, so a solution it accepts satisfies every row and bound exactly.
//
// # What is trusted
//
// A solver computes in floating point with tolerances. Two claims come out of
// it. A point is not trusted at all: CheckInteger recomputes it. A dual bound
// (and an answer "infeasible") cannot be recomputed from what solvers return;
// IntegerBound takes it as true up to a stated error and rounds it to the weak
// side. What remains trusted is that the solver discarded no part of the
// search space that holds a better integer point, beyond that error.
// Where a limit stops a solver, the answer to the question "how large can the
// objective get" is the dual bound; the incumbent is only a witness of how
// large it does get. Certify returns both, each under its own name, for a
// problem whose columns are all integer.
//
// # Main types
//
// Problem (columns, rows, objective), Solution with its Status, Options,
// Solver, IntegerPoint and Certificate.
package milp
