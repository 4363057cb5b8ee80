// Package kernels searches for violated bounds along the whole road: random
// structured PTX kernels, executed, analysed and simulated on random machines.
//
// Each case draws a kernel (loops, divergence, barriers, shared memory), a
// launch, a machine (queues, dispatch order, barriers, sub-cores, SMs, delays)
// and runs the cycle-level simulator under several policies, with latencies and
// initiations as declared and shortened at random. Every bound that calls itself
// safe must be at least what the simulator measures in its scope.
//
// A case follows from its seed alone; a violation prints as a PTX file, a launch
// and overrides that reproduce it. Random instruction programs against exact
// worst cases are the business of package soundness.
package kernels
