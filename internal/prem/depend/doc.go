// Package depend tells whether the iterations of a kernel's SIMT loops are
// independent of one another, and whether two accesses can touch one element.
//
// The predictable execution model spreads the iterations over teams and threads and
// moves their data in boxes, before and after they run. Both are right only if no
// iteration writes what another reads or writes, and if boxes that are kept apart
// share no written element. An OpenMP directive promises the first; here it is
// proved, or refused with the two accesses at fault.
//
//	concept                                  type
//	constraints over integers                System, a solution of it Point
//	accesses of a kernel                     Accesses, from Collect
//	one execution of an access               Instance
//	independence of SIMT iterations          Kernel, Accesses.Check
//	common elements of two accesses          Accesses.MayOverlap
//
// Two executions of a kernel's accesses make a system: the variables of the loops
// around each are unknowns of its own, with their bounds, steps (v = lo + step*n)
// and the affine conditions around the access; parameters and the variables of
// loops around the kernel are unknowns that both share; and all subscripts are
// equal. The SIMT iterations differ at the first loop in which their variables do.
//
// # How a system is decided
//
// Equalities are removed by unimodular changes of variables, which keep the integer
// solutions as they are; a divisor that the constant lacks is a contradiction.
// Inequalities are then combined as by Fourier and Motzkin, with constants rounded to
// the integers; opposite ones that leave a single value become equalities again. If
// no contradiction comes out, the unknowns are given values from the last to the
// first between the bounds that are left: a solution proves a dependence, and a
// search through all values proves that there is none. A condition with != or || is
// a choice, and all ways through the choices are taken. Beyond fixed limits of rows,
// ways and values, or where a number leaves the range of int64, nothing is known.
//
// # What is proved
//
// "No solution" and "no overlap" are always proofs. A dependence is called proved
// only if nothing about it was left out; the error then has parameters and two
// iterations that have it. Otherwise it cannot be excluded: a subscript, a bound or a
// condition is not affine (it depends on data, divides, multiplies variables), or a
// limit was met. Two iterations are named then only where conditions around the two
// accesses are all that was left out.
//
// The proofs rest on what C and the directives promise: no signed overflow, no
// access outside its array, and restrict parameters that do not alias. A local
// scalar counts as affine where it is set once, by its declaration, to an affine
// value, and so does an integer in firstprivate.
//
// What it is not: no dependence between iterations of sequential loops is reported,
// since their order is never changed; scalars and reductions are the business of
// loop.Check; a flattened subscript with a symbolic stride (A[i*m+j]) is not affine.
//
// Source: Forsberg2021, section 3.2 (SIMT loops are parallel); the methods are those
// of the literature on dependence tests: the GCD test, Fourier-Motzkin elimination,
// Kohler's rule for rows that others imply, and the elimination of equalities of
// Pugh's Omega test.
package depend
