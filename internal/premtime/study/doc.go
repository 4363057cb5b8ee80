// Package study measures the schemes of the predictable execution model side by
// side: a C function whose target loops run in the simulator as OpenMP would run
// them (BASE) and as compatible intervals, by stripping and by SoftDMA (CMPT, DAE,
// SDMA), in isolation and beside CPU cores that use memory, with and without the
// guard.
//
//	Run       one function: a Result with KernelTimes for each target loop
//	Scheme    a kernel under one scheme: its phases as simulated and as bounded,
//	          and the schedules that follow
//	Guarded   the kernel with the guard's protocol, timers and throttled cores
//	Classify  groups A, B and C of the published evaluation, by rule
//
// Worst-case times of phases come from two sources, which are kept apart: bounds
// (package budget), on which a schedule can be built, and the longest phase of
// a simulation, which is what a measurement on a board would give.
//
// What it is not: it has no opinion on inputs. A function is called with the
// arguments that the caller makes, and what depends on data holds for these.
//
// Source: Forsberg2021, section 4.
package study
