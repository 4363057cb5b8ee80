// Package deviceexec executes the kernels of package device, as an oracle for what
// generates them and for the back ends that write them.
//
//	concept                    type or function
//	execution                  Run, or Compile and Code.Run, with Arg, Options
//	what execution shows       Access
//	text                       Print
//
// Run is independent of the back ends and of any machine: it computes with the
// arithmetic of package loop, so that a kernel's result can be compared bit for
// bit with that of the loop nest it was made from. It refuses what the nest's own
// execution refuses and what only a kernel can do wrong: a race, a barrier not met
// by all threads, the read of scratchpad contents that nobody wrote, an access to
// global memory in a compute phase. The tests of device.Check are here too, since
// what it accepts has to execute without these faults.
//
// What it is not: Run knows no time, no warps and no caches, and it executes teams
// one after the other, so that it sees neither what another team writes meanwhile
// nor the guard's protocol, of which a Sync is only the place. A team that reads an
// element which another team writes is no error: the copy of a bounding box may do
// so and leave the value unused.
package deviceexec
