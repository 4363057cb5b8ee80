// Package device is the representation of generated GPU kernels: what the
// predictable execution model's schemes are made into, and what the back ends
// (CUDA C++, OpenCL C, PTX) write.
//
// Expressions are those of package loop. Statements are structured and add what
// a GPU has: the thread's and the team's number, shared arrays in the scratchpad,
// barriers, and the calls of the guard that separate memory from compute phases.
//
//	concept                    type or function
//	launch                     Entry, with Reduction
//	statement                  For, If, Assign, Decl, Barrier, Sync
//	invariants                 Check
//	its trees                  WalkStmts, Entry.Phased
//
// Package deviceexec executes a kernel without a back end or a machine, as an
// oracle for the tests, and prints it.
//
// Source: Forsberg2021, sections 3.2.2 and 3.2.3.
package device
