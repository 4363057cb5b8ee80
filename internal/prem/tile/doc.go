// Package tile decides how an annotated loop nest is cut into intervals whose data
// fit a scratchpad: which elements an interval touches (Forsberg2021, algorithm 1),
// how many iterations an interval has (algorithm 2), and where in the scratchpad
// its data lie. Make gives the Plan, Explain says how it was made; other packages
// generate code from it.
//
//	concept                                          type
//	plan of a kernel, SIMT loops, tiles of them      Plan, Dim
//	intervals, loops around them                     Node: Walk, Interval, Plain
//	tiled inner loop, tileDim                        TileLoop
//	range of elements in the scratchpad              Box, BoxDim
//	steps of the search                              Decision
//
// Order. No loop is interchanged and no iteration of a thread changes its place.
// A block iteration that does not fit is divided in program order: as many
// statements to an interval as fit; of a loop that does not fit, as many iterations
// as fit; and where one is too many, the loop is walked and its body divided.
//
// Footprints. The range of a subscript is bounded by affine forms in what is fixed
// while an interval executes (parameters, loops of the host, Origins, walked
// loops): the variable of the innermost loop is replaced by its bounds first, so
// that bounds which depend on outer variables (triangular loops) widen the box to
// all threads and iterations of the tile. The sizes of a box are constants: the
// maximum over everything that the fixed variables can be; a dimension of which
// that is not known takes its array's extent, and without a constant there the
// loop has to be tiled. Conditions do not narrow a box.
//
// Boxes. Accesses to one array share a box if one of them writes and it is not
// proven (package depend) that they never touch the same element in an interval,
// and if their common box takes no more bytes than two: A[i-1], A[i] and A[i+1] of
// n threads hold n+2 elements. Boxes that are only read may overlap: Box.After.
// A box is stored whole only where one unconditional write covers all of it, which
// is proven (Box.Exact); otherwise the elements written are marked as they are
// written.
//
// Tiles of the SIMT space hold the most block iterations that fit, but no more than
// a team's share of them, so that no team idles for a larger tile. They grow along
// the innermost dimension first. Sizes are found by bisection: one more than the
// result does not fit. A footprint that shrinks again farther on, where boxes
// merge, is not looked for.
//
// Make relies on the promise of the directive that SIMT iterations are independent
// (depend.Kernel checks it): boxes may load elements that other teams are writing,
// which no iteration then uses.
//
// What it is not: there is no loop transformation beyond tiling, no search over the
// order of dimensions, and subscripts through locals are not followed; a kernel
// with a subscript or an inner bound that is not affine has no phases (Compatible).
package tile
