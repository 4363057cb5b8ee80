// Package premtest tests the compiler of the predictable execution model as a
// whole: C text through internal/prem/cfront, internal/prem/depend,
// internal/prem/tile and internal/prem/scheme to device kernels, which
// internal/prem/device executes in place of the loop nests of their
// function.
//
// Its reference is package loop's sequential execution of the untransformed
// program, which knows nothing of tiles, phases or threads. The kernels of every
// scheme have to compute the same, bit for bit, for large and small scratchpads,
// with the threads and teams in either order and without a race; under DAE and
// SDMA no compute phase may access global memory, exactly the elements that the
// program writes are written back, and SDMA moves each element once.
//
// The programs are those of examples/prem, also at larger sizes than their
// defaults, and random ones: Generate draws loop nests over one to three
// parallel loops, with inner loops that are rectangular or slanted and count in
// either direction, subscripts of any affine form and some of none, conditions,
// updates in place, private scalars and reductions. The tests take 300 of them, or as
// many as they are asked for, from the seed on that they are asked for:
//
//	WARPBOUND_CASES=20000 WARPBOUND_SEED=1000000 go test ./internal/verify/premtest -run RandomNests -v
//
// A nest that fails is made smaller before it is printed.
//
//	Choices, Seeded, Shrink    decisions of a generator: drawn, replayed, reduced
//	Generate, Nest             a random program with its arguments
//	Road, NewRoad              a function with device kernels
//
// Source: Forsberg2021, sections 3.2 and 4.
package premtest
