// Package loop is the intermediate representation of annotated loop nests: what
// the predictable execution model's analysis (footprint, tiling) and code
// generation read, and what the C front end internal/prem/cfront writes.
//
// A Unit holds file-scope arrays and constants and Funcs. A Func's body is
// host code; a Nest in it is one offloaded loop nest with its OpenMP clauses,
// whose outermost loop is the SIMT loop. The representation is structured: there
// are no jumps, every loop is a For with bounds fixed at entry and a constant
// step, and every access to memory is an Index with one subscript per dimension.
//
//	concept                    type
//	file, function, kernel     Unit, Func, Nest (with Map, Reduction)
//	storage                    Var (scalar), Array (rank, extents)
//	statement                  For, If, Assign, Decl, Block, *Nest
//	expression                 IntLit, FloatLit, Ref, Index, Unary, Binary, Cond, Call, Convert
//	affine form of a subscript Linear, from Affine
//
// Conversions are explicit: both operands of an arithmetic Binary have the type
// of its result, and the sides of an Assign have one type. Check verifies that
// and the other invariants; Invoke executes a function sequentially with the
// arithmetic of C on a 64-bit target (32-bit int, 64-bit long, float rounded at
// each operation, no contraction) and refuses what C leaves undefined: signed
// overflow, division by zero, an index outside its dimension, the read of an unset
// local.
//
// What it is not: Check does not prove that iterations of a SIMT loop are
// independent, and Invoke orders them as the sequential program does, so a reduction
// is summed from the first iteration to the last. Invoke moves no data between a
// host and a device: it reports neither a missing map clause nor the value an
// unmapped array would have on a device. exp, log, pow and the trigonometric functions are
// those of Go's math package (rounded to float for the f forms), which no C
// library promises to equal in the last bit; sqrt, fabs, fmin, fmax, floor and
// ceil are exact.
//
// Source: Forsberg2021, section 3.2 (annotated loop nests, SIMT loop, loop-variant
// accesses); ISO C99, sections 6.3 and 6.5, for types and operators.
package loop
