// Package instr turns instruction strings, the notation of docs/soundness.md,
// into kernels: every instruction names its unit, initiation, latency and the
// earlier instructions it needs. It serves fixtures, counterexamples and random
// programs; nothing is computed when such a kernel runs.
//
//	F0/3/0 F0/3/0 F1/3/0 F2/1/0(2) ; F0/3/0 F1/3/0 F2/1/0(0)
//
// is two warps: unit/initiation/latency(sources), sources counted from 0 within
// the warp, barriers between sections written "|", "2x" or "2×" in front of a
// warp for copies of it.
//
//	Warps    the warps of a block; Parse reads one, String prints one
//	Kernel   a simt.Kernel whose blocks all run the program, with its timing table
package instr
