// Package rv reads RISC-V programs for SIMT cores of the Vortex kind: RV32IMF
// with Zicsr, Zifencei and Zicond, plus the six SIMT instructions on the
// custom-0 opcode (vx_tmc, vx_wspawn, vx_split, vx_join, vx_bar, vx_pred).
//
//	Op, Inst      an operation, a decoded instruction
//	Decode        instruction word to Inst; Encode is the inverse
//	Disassemble   instruction word to text; Inst.Pseudo with pseudo-instructions
//	Load, Image   a statically linked ELF32 program: memory, code, functions, lines
//	Lower         an Image to the isa.Program that timing reads
//
// Instructions are one table: a row gives the bits that identify the
// instruction and its assembly syntax, whose letters also say where the
// operands are. Decoding, encoding, printing and docs/riscv-support.md all read
// this table.
//
// Encodings that the manuals reserve are errors, among them register fields of
// the SIMT instructions that ought to be zero. Reserved rounding modes decode
// and are left to the execution, since they are an error only there. fence and
// fence.i ignore the fields the manual says to ignore. fence.i is accepted but
// programs cannot change their own instructions: the text is read once, when
// the program is loaded.
//
// The package executes nothing: that is the business of internal/simt/rvexec. It does
// not read compressed, 64-bit, atomic, vector or double-precision
// instructions, nor object files and dynamically linked programs.
//
// Sources: The RISC-V Instruction Set Manual, Volumes I and II; the RISC-V ELF
// psABI specification; for the SIMT instructions and their registers the
// public sources of Vortex 2.2.
package rv
