// Package isa describes what timing needs to know of a kernel's static
// instructions, whatever instruction set they come from: the timing class, the
// registers read and written, the kind, the state space, the branch targets.
// It also holds the control-flow graph, post-dominators and the loop forest of
// a program.
//
// A front end (PTX, RISC-V, an instruction string) lowers its own
// representation to a [Program]; analyses and the cycle-level simulator read
// nothing else of a static instruction. The package knows no opcode of any
// front end and no semantics: executing instructions is the business of
// package simt.
//
//	Program       one kernel: instructions, registers, functions, positions
//	Instruction   one static instruction
//	Class         family x type x space: the key of a GPU's timing table
//	CFG           basic blocks, post-dominators, loops of one function
package isa
