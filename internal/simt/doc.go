// Package simt is the contract between functional execution and its two
// readers, analyses and the cycle-level simulator: warps of up to 32 lanes that
// execute one instruction at a time and say what happened.
//
//	Kernel  a launch ready to run: program, geometry, block factory
//	Block   the warps of one thread block and the barrier state they share
//	Warp    executes one instruction a Step
//	Step    what that instruction did: masks, next PC, addresses
//	Taint   an instruction whose effect on the path depends on input data
//	BlockClass  blocks that take the path of one of them, moved
//
// A simulator steps a warp when it issues the instruction; an analysis steps it
// in a block runner that respects barriers ([RunBlock]). Front ends implement
// Kernel, Block and Warp: internal/simt/ptxexec for PTX. There are no cycles here.
package simt
