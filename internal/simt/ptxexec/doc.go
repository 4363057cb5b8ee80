// Package ptxexec executes PTX kernels warp by warp: it lowers the syntax tree
// of package ptx to a static program for analyses (isa.Program) and a compact
// one for itself, and implements simt.Kernel, Block and Warp on top.
//
//	Lower      a kernel of a module, with the functions it can call -> Code
//	NewKernel  Code bound to a LaunchConfig -> Kernel, ready to run
//	Kernel     blocks, buffers to read back, taints
//	Follower   classes of blocks that take the path of one of them
//
// Execution follows the PTX ISA. Lanes that part at a branch meet again at its
// immediate post-dominator, the taken side first. Blocks and warps run in the
// order their caller steps them, lanes of an atomic in lane order; nothing is
// concurrent and nothing random, so results are the same everywhere. Memory is
// sequentially consistent: fences and cache operators have no effect, an
// asynchronous copy is done when it is issued. What PTX leaves open comes out in
// one way here; Options.Vary makes it come out in others, and taint mode says what
// depends on it.
//
// What a kernel does wrong is a *simt.RuntimeError with block, thread,
// instruction and position. What PTX leaves undefined is an error where it
// would make results depend on the machine, and documented at the instruction
// where it is not.
//
// A warp that waits for another one by spinning on memory, not at a barrier,
// does not end where its caller runs one warp at a time (simt.RunBlock): it
// reaches the instruction limit. So do lanes that wait for others of their warp.
//
// There is no time in here: the clocks count instructions. Textures of three
// dimensions, clusters and bulk copies are not executed; a kernel that
// contains one is refused by Lower.
//
// Source: NVIDIA, "Parallel Thread Execution ISA", versions 1.4 to 9.x.
package ptxexec
