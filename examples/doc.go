// Package examples holds the host references of the example kernels: for every launch file below this directory a Go
// function that computes, from the arguments before the launch, what every buffer must hold after it.
//
// It is not a runner: it neither reads launch files nor executes kernels. Whoever executes a launch hands the arguments
// before and after to [Example.Check] as two [Buffers].
//
// The kernels are CUDA C++ of our own, after the algorithms of the Rodinia and PolyBench suites and the two SGEMM
// variants of Jeanmougin2025, section 4; README.md lists them. They are compiled without floating-point contraction and
// spell out their fused multiply-adds, so a reference that repeats the operations in the same order agrees bit for bit.
// Where a kernel uses an approximate instruction (ex2.approx, lg2.approx) or adds in an order PTX leaves open (atomics on
// floats), the comparison states a tolerance and why.
package examples
