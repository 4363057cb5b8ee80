// Package prem holds the example programs of the predictable execution model for processors with an accelerator
// (Forsberg2021, section 4.1): C99 functions with OpenMP target loops, and for each a host reference in Go that computes
// the same, bit for bit.
//
// It is neither a compiler nor a runner: it does not translate the programs, and it knows nothing of tiles, phases or
// tokens. Whoever transforms a program takes its text from [Benchmark.Source], its parameters from [Benchmark.Params], the
// arguments from [Benchmark.Inputs], and compares what comes out with what [Benchmark.Run] computes, by [Benchmark.Compare].
//
// # Main types
//
//   - [Benchmark] is one function: its name, the algorithm of the suite it computes, and its parameters.
//   - [Param] is a parameter: an array with its shape, or a scalar, its element type and its initial contents.
//   - [Init] is the formula of initial contents, a function of the element's index and of nothing else.
//   - [Memory] holds the arguments of one call, in the order of the parameters.
//
// # The programs
//
// The paper's workload is the PolyBench-ACC suite. The algorithms here are the 21 of its GPU versions and eleven more,
// among them the suite's seidel-2d, which the paper singles out; the code is our own, written from the mathematics.
// Every program is one file below programs/, with one function kernel_NAME. Every parallel loop carries
//
//	#pragma omp target teams distribute parallel for num_teams(t) num_threads(h) map(...) schedule(static)
//
// and, where they apply, collapse, reduction and firstprivate. Where loops share arrays over several target regions, some
// programs wrap them in a target data region, and arrays that never leave the device are mapped alloc. Trip counts are
// static: bounds are macros with small defaults, which -D changes, and subscripts are affine in the loop variables. What
// goes beyond one rectangular nest of parallel loops:
//
//   - bounds that depend on an enclosing loop variable: cholesky, corr, gramschmidt, lu, symm, trisolv, trmm
//   - sequential loops on the host around target regions: adi, cholesky, fdtd2d, floydwarshall, gramschmidt, heat3d,
//     jacobi1d, jacobi2d, lu, redblack, seidel2d
//   - loops that count down (adi), step by two (redblack), or walk an array with stride two (downsample, redblack)
//   - a guard on affine conditions: seidel2d (inequalities), floydwarshall (!=)
//   - a subscript in two variables with a negative coefficient: seidel2d
//   - a store under a condition on the data: floydwarshall
//   - reductions: gramschmidt (sum), reduce (sum, maximum and minimum at once)
//   - calls of sqrt: cholesky, corr, gramschmidt
//   - elements that are double (adi, cholesky, covar, gemver, heat3d, mm3, redblack) or int (floydwarshall)
//
// # Order of operations
//
// A reference repeats the C program's operations in the order of the sequential program, with pragmas ignored, and rounds
// every product before it is added, as C does with contraction off. A reduction that runs in parallel adds in another order
// and need not agree bit for bit; no other program's result depends on how iterations are spread over threads. The
// references know the default sizes only.
//
// The tests compile the programs where gcc or clang is on PATH and compare every result with the reference's, run the
// loops in parallel where there is a runtime for it, and on a device of its own memory where clang has one, which is
// what tests the map clauses. Without a compiler they compare the references with digests of results that the compiled
// programs computed, and with linear algebra done otherwise.
package prem
