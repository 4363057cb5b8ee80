// Package device is the representation of generated GPU kernels: what the
// predictable execution model's schemes are made into, and what the back ends
// (CUDA C++, OpenCL C, PTX) write.
//
// Expressions are those of package loop. Statements are structured and add what
// a GPU has: the thread's and the team's number, shared arrays in the scratchpad,
// barriers, and the calls of the guard that separate memory from compute phases.
//
//	concept                    type or function
//	launch                     Kernel, with Reduction
//	statement                  For, If, Assign, Decl, Barrier, Sync
//	invariants                 Check
//	text                       Print
//	execution                  Run, or Compile and Code.Run, with Arg, Options
//	what execution shows       Access
//
// Run is independent of the back ends and of any machine: it computes with the
// arithmetic of package loop, so that a kernel's result can be compared bit for
// bit with that of the loop nest it was made from. It refuses what the nest's own
// execution refuses and what only a kernel can do wrong: a race, a barrier not met
// by all threads, the read of scratchpad contents that nobody wrote, an access to
// global memory in a compute phase.
//
// What it is not: Run knows no time, no warps and no caches, and it executes teams
// one after the other, so that it sees neither what another team writes meanwhile
// nor the guard's protocol, of which a Sync is only the place. A team that reads an
// element which another team writes is no error: the copy of a bounding box may do
// so and leave the value unused.
//
// Source: Forsberg2021, sections 3.2.2 and 3.2.3.
package device
