// Package ptxgen generates PTX from the kernels of package device: the back end
// that needs no compiler.
//
//	Generate        kernels -> the text of a module, one entry a kernel
//	Options         with the guard's protocol or without; approximations
//	Params          what an entry takes, in order
//	BarrierMemory   the numbers by which phases are recognised
//
// A kernel's float operations keep the rounding that package loop gives them,
// operation by operation: nothing is contracted, reordered or approximated. Its
// memory accesses stay in program order, one instruction an element, but for the
// copies that Options.Unroll brings together.
//
// # The code
//
// Loops test before they begin and again at the end of each iteration. What does
// not change in a loop and reads no memory is computed before it, the outermost
// possible, and once: addresses, conditions, conversions. An address that is affine
// in a loop's variable is a register that the loop steps; addresses of the same
// form share it and differ in the offset of the instruction. All shared arrays lie
// in one variable, so that they can share, too. Such an address also ends the loop,
// and where nothing else needs the variable there is none. Conditions that always
// or never hold, by the range of the thread's number and of constant loop bounds,
// are not tested, and a loop with at most one iteration a thread is none. Branches
// over at most four instructions are guards on these instead. A local that is
// assigned in the list of statements that declares it is a name for one value
// after the other.
//
// So the innermost loop of a matrix product in the scratchpad has eleven
// instructions an iteration: three loads, a store, three operations, two addresses,
// the comparison and the branch. A copy loop has six an element, and three where
// four iterations are made one.
//
// Where barriers stand, all threads of a team meet: package device checks that.
// EnterMem and EnterComp are barriers with numbers of their own.
//
// # The guard
//
// With Options.Guard, a Sync is the barrier, then the protocol of package guard
// executed by the team's first thread, then the barrier again. Teams of a launch
// count themselves in a word of the token (ArrivalBytes): the last one to arrive
// speaks for all, as the protocol has it, and a team that leaves counts itself out.
// All teams have to be resident at once.
//
// # What it is not
//
// It allocates no registers and schedules nothing: PTX has as many registers as a
// kernel wants. It does not keep elements of arrays in registers over iterations.
//
// Source: Forsberg2021, sections 3.2.3 and 3.3; NVIDIA, "Parallel Thread Execution
// ISA", version 6.0.
package ptxgen
