// Package reference is a second machine for RISC-V programs of SIMT cores, made
// to be compared with package rvexec in tests. It is written from the manual,
// not from rvexec, and prefers the obvious to the fast everywhere:
//
//   - numbers are exact (fractions of big.Int, square roots of such), and a
//     result is rounded by looking at its two neighbours; see real.go;
//   - instructions are taken apart bit by bit when they are executed, without
//     a table and without package rv; see decode.go;
//   - threads are executed one at a time, and memory is a map of bytes.
//
// [Emulator] executes programs: [Emulator.Step] one instruction of one warp, with
// an [Event] that says what it did or a [Fault] that says what was wrong. The
// functions [Add], [FMA], [Sqrt], ... are the arithmetic of the F extension on
// bit patterns.
//
// The tests of this package are those of rvexec, f32 and package rv against it.
// They are made to be short; WARPBOUND_TIMES=60 makes them sixty times as long,
// WARPBOUND_SEED=N other ones, and WARPBOUND_HARDWARE=FILE compares the exact
// arithmetic itself with a longer output of testdata/hardware.c.
//
// Where the manual leaves a choice (which warps a WSPAWN may start, what is
// outside of memory, registers that nothing needs) the machine follows what
// rvexec documents.
//
// It is not a simulator of timing and not meant for anything but tests: a few
// hundred thousand instructions a second.
//
// Sources: "The RISC-V Instruction Set Manual, Volume I: Unprivileged ISA",
// version 20191213 (RV32I 2.1, M 2.0, F 2.2, Zicsr 2.0) and Zicond 1.0; IEEE Std
// 754-2008; for the SIMT instructions the instruction set of Vortex 2.2.
package reference
