// Package budget bounds the phases of a PREM kernel: how long the GPU can need for
// the memory phases and for the compute phases of a launch, T_mem and T_comp of
// Forsberg2021, Section 3.3.1, from which internal/premtime/schedule makes budgets.
//
//	Phases     bounds of every phase of a launch, folded, and their maxima
//	Options    fixed latencies or the caches of the GPU, methods, limits
//	Result     distinct Phases and their order, Worst of a kind, Spans, ledger
//	Meter      the same phases as a simulation has them: a kernel around a
//	           kernel, and an observer
//	Measure    runs a simulation with a Meter
//	Input      intervals for internal/premtime/schedule, of bounds or of measurements
//	PhaseError where a kernel accesses memory outside its memory phases
//
// # Phases
//
// A kernel is an ordinary launch whose blocks (teams) are all resident. Barrier 1
// of the whole block begins a memory phase and barrier 2 a compute phase; barriers
// of other numbers lie inside a phase. A phase is what a team executes from one
// such barrier to the next, that barrier included. The k-th phases of all teams
// happen at the same time: the guard lets the teams into a phase when all of them
// have ended the one before, and all that they have begun has completed. What a
// team executes before its first phase is the setup.
//
// # Bounds
//
// A compute phase accesses no global memory, which is checked while the launch is
// executed once, functionally. The sections between its barriers are bounded by
// internal/method/multiphase and internal/method/serial, for all resident blocks of
// an SM; the slowest SM counts. So is a memory phase with fixed latencies (A2).
// With caches it is bounded by docs/soundness/phases.md, theorems 34 (lost cycles)
// and 35 (what a phase loses): the time that an SM would need if every access met
// an idle memory, plus the cycles in which the memory can keep the SM waiting,
// which are counted from the addresses of all SMs' requests in this phase and hold
// for any contents of the caches at its start, any scheduler and any order of
// service in which nothing idles while something waits. Teams that have ended a
// phase before others and poll the guard's token meanwhile are counted if
// Options.Guarded names the program with its guard, and so is what their requests
// for the phase have driven out of the L2 (theorem 36 (teams that wait)).
//
// # What it is not
//
// It says nothing of the cost of a synchronisation or of a timer, which
// internal/premtime/schedule adds, nor of a kernel whose memory others use in its memory phases.
// Nor is the GPU's side of a hand-over part of a phase: until a team has seen the
// grant, and until its request is there behind fences and atomics. With the guard a
// budget that is a bound is missed by that time, unless whoever looks at the request
// does so later by as much (ResponseCycles of package soc): some 700 cycles on a TX1.
// Where the path depends on data, a bound is one for this input.
package budget
