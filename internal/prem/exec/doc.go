// Package exec runs a whole C function whose target loops are kernels of one
// scheme, compiled to PTX: the host's statements in the interpreter of package
// loop, the kernels wherever a Runner takes them.
//
//	Compile     a function -> a Module: plans, kernels, PTX, executable programs
//	PTX         the kernels of several modules in one text
//	Module.Run  one call of the function, every launch given to a Runner;
//	            Module.Invoke gives its result, too
//	Offload     one launch: which kernel, which of the run's, with its memory
//	Runner      who executes it: Functional, or a caller's simulator or recorder
//	Functional  the functional machine, which checks phases and counts accesses
//
// CPU and GPU share their memory: a launch finds the buffers as the host and the
// launches before it left them, and map clauses copy nothing. Partial results of a
// reduction are combined on the host in the order of the teams, so that results do
// not depend on who executes a launch.
//
// What it is not: it knows no time. A Runner that simulates or bounds a launch
// takes as many fresh copies of it as it needs (Offload.Fresh).
//
// Source: Forsberg2021, section 3.2.
package exec
