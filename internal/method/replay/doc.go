// Package replay computes how long thread blocks take on an SM whose front end
// is described and whose policies are declared, by following the policies over
// what the warps execute (docs/soundness/frontends.md, theorem 32 (declared policies)).
// Where one scheduler serves the fetch and the issue stage (SWaS, Crouzet2024, Section
// IV) the order of issue is a function of the programs and the policy; with constant
// latencies so is the makespan, and it is exact: not one cycle more than the machine
// takes.
//
// It is not the simulator: nothing is executed, programs come as folded
// sequences, and repetitions of the machine's state are left out, so that the
// cost depends on how long it takes until the state repeats and not on trip
// counts or numbers of blocks. Nor is it a bound for any policy but the declared
// one, or for latencies that can be shorter than declared: both can change the
// order of issue, and a better start can make a worse end.
//
// The machine is the abstract machine of docs/soundness/model.md, section 1, with FIFO
// units and any kind of queue, in which an instruction can issue only at the head of its
// warp's queue. In each cycle, in this order: blocks leave and start, warps become
// active; lines arrive in the instruction cache; control instructions resolve; one warp
// issues; one warp requests an instruction.
//
//   - An executed instruction that its neighbour does not follow is a control
//     instruction, whatever its kind: warps change their place where their lanes
//     reconverge, too.
//   - A warp takes part until its last instruction is resolved, or its block has
//     left. A strict policy selects warps at barriers, and not (with SWaS) those
//     that wait for a line of the instruction cache.
//   - A line that is on its way is not requested again; who misses it waits for
//     its arrival. The request that is repeated then hits, and changes the
//     cache only where it still holds the line.
//   - A warp that is started by another is active from the resolution of the
//     instruction that starts it, with a queue as at the start of a block. One that
//     waits for the end of all others is inactive like one that has ended.
//   - Whoever takes the slot of a warp is not the warp that was selected last.
//
// Beside it is a bound for every work-conserving policy under SWaS, on declared
// times as upper bounds (theorem 33 (SWaS, every policy)): SUM of
// internal/method/multiphase over ops that wait for control instructions, and what NOPs
// and lines on their way take ([Extension]).
//
// Main types: [Core], what is on the SM; [Input], what the warps execute;
// [Run], which gives a [Result]; Result.Bound, with the ledger of assumptions.
package replay
