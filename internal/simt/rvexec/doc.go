// Package rvexec executes RISC-V programs (RV32IMF with Zicsr, Zicond and
// fences) with SIMT instructions on cores of the Vortex kind, warp by warp. A
// program comes from package rv.
//
//	LaunchConfig  cores, warps, threads, variant, argument, memory
//	NewKernel     an rv.Image bound to a LaunchConfig -> Kernel, ready to run
//	Kernel        implements simt.Kernel: a core is a block; console, exit code,
//	              memory to read back
//	Core          implements simt.Block: registers and masks to look at
//
// # Execution
//
// Cores and warps run in the order their caller steps them; within one
// instruction lanes access memory in ascending order, so of several stores to
// one address the highest lane's stays. Nothing is concurrent and nothing
// random. Memory is sequentially consistent, fences have no effect.
//
// All registers are 0 and local memory is clear when a core starts. A warp is
// active or inactive. Warp 0 starts with thread 0; WSPAWN makes others active, a
// thread mask of 0 makes a warp inactive. An inactive warp is simt.Waiting, with
// no next instruction, until it is spawned (again); when no warp of a core is
// active any more all of them are simt.Done. A step that lets waiting warps go,
// other than an arrival at a barrier, has BarrierOpened set and Barrier -1: a
// WSPAWN that makes warps active, and the end of a warp that a WSPAWN has waited
// for.
//
// A warp may wait for another by going round a loop. Reading the mask of active
// warps yields (simt.Step.Yield) where the answer is a matter of time: from the
// first WSPAWN that starts warps, in variant V22 until one that joins them all. So
// does a jump back of a warp that is what it was at a jump back before, register
// by register, while nothing that warps share has changed: it only goes round.
// Where every warp of a core waits or goes round, that is an ErrEndlessLoop;
// on several cores it is not, for another may write what ends it. Warps are looked
// at from their 4096th jump back on. A loop that counts, or stores, is not found:
// it reaches the instruction limit.
//
// # SIMT instructions
//
// Operands that are one value for the warp are those of the last (highest)
// active thread.
//
//   - TMC sets the thread mask; bits beyond the threads of a warp are ignored.
//   - WSPAWN is for warp 0; counts beyond the warps of a core mean all of them. In
//     variant V22 it waits until its warp is the only active one, also where it
//     spawns none ("wspawn 1, 0" joins all); in Feb2024 it does not wait, and a
//     warp that is active cannot be spawned. A spawned warp keeps its registers,
//     fcsr and stack of splits.
//   - SPLIT returns the number of open divergent splits, at most threads-1. Where
//     lanes disagree the larger part goes on (of equal parts the one whose
//     predicate holds), the other is left for JOIN.
//   - JOIN does nothing where its operand is the number of open splits. Where it
//     is one less, the first JOIN goes on behind the SPLIT with the other part,
//     the second with all lanes. Any other operand is an error.
//   - BAR is for warps of one core. A count of 1 does nothing, one of 0 or beyond
//     the warps of a core is an error, as is a count unlike that of the warps
//     that wait already. A barrier number with bit 31 set means barriers of
//     several cores: these are not executed; on one core, its count is of cores
//     and must be 1. BarrierFull is set where the count is that of all warps.
//   - PRED takes the lanes whose predicate holds from the mask; where none holds,
//     the mask becomes the second operand.
//   - ECALL ends its warp as TMC 0 does.
//
// Active lanes that disagree about a conditional branch, or about the target of
// an indirect jump, are an error.
//
// # Registers of control and status
//
// fflags and frm are one set for a warp; flags of all lanes gather in them. A
// write takes the operand of the last active thread, every active lane reads the
// old value. mscratch is one register of a core; it holds the argument's address
// at the start. There is no time in here: mcycle counts the warp instructions
// that the core has executed, the one reading it included; minstret counts
// thread instructions; the other performance counters are 0, 0xb01 and 0xb81
// among them, which Vortex reserves. These and the
// identification registers cannot be written. The machine's trap and protection
// registers read as 0 and ignore writes: nothing traps; misa, too, ignores them.
// Other numbers are illegal.
//
// # Memory
//
//	V22                       Feb2024
//	0x40                      0xff004000   console, 64 bytes
//	0x80                      0xff004040   performance-monitor dump, 256 bytes a core
//	0x88                      0xff004048   exit code
//	0x10000                   0x10000      user memory, to:
//	0xffff0000                0xff000000   local memory, 16 KiB a core; stacks end here
//
// Everything else is outside. User memory is shared by all cores, and zero where
// nothing was put. A store to the console writes the lowest byte of its value to
// the line of the thread its address stands for; lines reach the output whole.
// The console cannot be read. Stores to instruction memory are an error where
// its segment is not writable; an instruction that has been overwritten is an
// error when executed.
//
// Step.Space is Shared for local memory, with addresses counted from its start,
// and Global for all else. Where lanes of one instruction access both, it is
// Generic, with the addresses that the program has.
//
// # Errors
//
// What a program does wrong is a *simt.RuntimeError with the instruction, its
// address and its disassembly: ErrUnsupported for illegal instructions,
// ErrInvalid for divergent branches, reserved rounding modes, registers that
// cannot be written and misuse of splits, spawns and barriers, ErrMisaligned,
// ErrOutOfBounds (memory and jumps), ErrTrap for EBREAK, ErrDeadlock as soon as
// every active warp of a core waits, ErrEndlessLoop as above.
//
// # The flow of data
//
// With LaunchConfig.Taint a kernel follows which values depend on memory that the launch
// does not know, on time, on the order of warps and cores, or on the machine; Kernel.Taints
// lists where control and addresses do. docs/soundness/paths.md, section 22 (what a path
// depends on), has the rules and the proof.
//
// Kernel.Coverer executes a program once for all inputs; docs/soundness/covering.md has what it
// covers, and the proof.
//
// Source: "The RISC-V Instruction Set Manual, Volume I", version 20191213, and
// Volume II, version 20190608; Vortex 2.2 and its state of February 2024
// (github.com/vortexgpgpu/vortex) for the SIMT instructions, registers and the
// memory map; Crouzet2024 for the machine it modifies.
package rvexec
