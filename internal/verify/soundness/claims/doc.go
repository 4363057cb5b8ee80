// Package claims searches for false claims that a path holds for all inputs
// (assumption A11, docs/soundness.md): kernels whose warps are said to execute the
// same whatever unknown buffers contain, in whatever order blocks and warps run,
// and whatever comes out where PTX leaves that open.
//
// A claim is tested by what it says: the kernel is executed again, with other
// contents of every buffer that is not known, other interleavings of its blocks
// and warps, and other outcomes of what is open (ptxexec.Options.Vary); what each
// warp executes must be the same, instruction by instruction and transaction by
// transaction. A claim but for open results (A35) is tested with those as recorded.
//
// The kernels drawn are short and dense: few registers, few addresses, several
// blocks and warps on them, and everything that taint has a rule for: known
// buffers that are written, unknown addresses, calls, parameters whose address is
// taken, asynchronous copies, stores of several lanes to one address, local and
// generic addresses, accesses of less than a word, atomics, shuffles and votes,
// reductions at barriers, special registers, approximate functions; in one of three
// matrices, memory barrier objects, textures, calls through addresses, pairs of
// halves and SIMD video instructions, too.
//
// RISC-V programs for Vortex are searched in the same way (rvexec.LaunchConfig.Vary):
// warps that one warp starts, once and again, on one core or two; threads that part at
// splits, predicates and masks; stacks, local memory, bytes, rounding modes and flags,
// mscratch, barriers of all warps and of a pair.
//
//	Run          drawn kernels
//	RunPrograms  drawn RISC-V programs
//	Draw         the kernel of a seed; DrawProgram the program
//	Executor     executions and their digests, for other searches, too
package claims
