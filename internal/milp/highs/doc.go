// Package highs solves mixed-integer and linear programmes with HiGHS, compiled
// to WebAssembly and run in process by wazero: no cgo, no program to install.
//
// It is not a binding of HiGHS: one model goes in through the C API, one answer
// comes out, and the instance is thrown away. The WebAssembly module, its
// licence (MIT, LICENSE) and the table of its minified names come from the npm
// package highs; go generate fetches them again and checks the package's hash.
//
// The module is compiled at the first Solve of a process (3 s) and the machine
// code (20 MB) kept in warpbound/highs of the user's cache directory, from where
// a later process loads it in about 0.1 s; without a usable cache directory it
// is compiled each time. Every Solve has its own instance and memory, so solves
// may run concurrently; each is single-threaded and, time limit apart,
// deterministic.
//
// A cancelled solve is asked to stop by moving the sandbox's clock beyond its
// time limit, which lets HiGHS return the incumbent and the dual bound; one
// that does not stop within milp.Grace is broken off: Solve returns, and the
// abandoned instance ends when it next reads the clock.
//
// Limits: HiGHS's own tolerances (see package milp for what is trusted), and
// 2 GiB of memory an instance. The memory is Go's, up to twice as much while it
// grows: where the machine has less, set Options.MemoryBytes, since Go ends the
// process when the system refuses memory.
package highs
