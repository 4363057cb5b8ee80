// Package vortex holds programs for the Vortex GPU, an open RISC-V GPU, and the small runtime they are built with; it has no
// Go code of its own but its tests, and what builds the programs and checks that the threads of a warp take every branch
// together.
//
// Programs lie in kernels/, sources beside the ELF files that go generate makes of them with clang and LLD: the six kernels
// of Crouzet2024, Table I (our own code), each also as CUDA C++ and PTX with the same arithmetic, and a few basic ones for
// what is special to the machine. Their host references are with those of the other examples, in package examples.
//
// runtime/ holds the start code, a header with the SIMT instructions, with macros for control flow that the threads of a
// warp do not take together, and the link script. Two dated states of the machine are known to it: v2.2, where the argument
// block's address is in CSR mscratch, and February 2024, where the block is at a fixed address.
package vortex
