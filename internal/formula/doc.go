// Package formula holds bounds as formulas: the largest of several sums of products of
// counts, where a count is at most a quotient of an affine expression of integer arguments
// (docs/parametric.md, docs/soundness/formulas.md, theorem 46 (formulas)).
//
// All is exact in 64-bit integers; what does not fit is ErrOverflow. A Formula evaluates
// itself, and writes itself as text and as functions in C and Go.
//
// It knows nothing of kernels, hardware or time. Main types: Form, a maximum of sums over
// variables; Formula, a Form with what its variables are.
package formula
