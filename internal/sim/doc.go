// Package sim is the cycle-level simulator: SMs that execute the warps of a
// kernel functionally (package simt) at the cycle in which their instructions
// are issued.
//
// Three models share the launch, the block dispatcher, the issue policies, the
// statistics and the observers:
//
//	abstract   the SM model the bounds are proved for (docs/soundness.md,
//	           section 1), for every queue kind of a GPU description
//	pipeline   a pipeline in the manner of the field's reference simulator:
//	           instruction buffers, scoreboard, operand collectors, dispatch
//	           ports, result buses, load/store unit (docs/limits.md says what it
//	           leaves out and how well it fits)
//	frontend   the abstract model behind fetch, an instruction cache and
//	           instruction queues, with separate schedulers or one for both
//	           stages (Crouzet2024; docs/frontend.md; package frontend)
//
// An SM is a list of stages over hardware units. Stages report typed events
// with the reason of every stall to observers; nothing is printed here. Time is
// an integer number of cycles. Cycles in which nothing can happen are skipped,
// which changes no result, and warps that wait cost nothing while they wait.
//
//	Run        simulates a launch
//	Config     machine, model, memory, occupancy, observers, limits
//	Result     statistics
//	Observer   sees issues, dispatches, completions, stalls, waits, barriers
//	AccessOrder, AccessObserver, AccessesOnly, MemoryUse
//	           what belongs to runs with caches
//	DRAMObserver
//	           sees what the DRAM transfers
//	FrontObserver, SchedulingStats
//	           what belongs to the frontend model
//
// The order within a cycle is fixed: SMs release the blocks that ended, in SM
// order; free slots are filled, the next block going to the SM with most free
// slots, the lowest of equals; then each SM in order runs its stages. Ties
// between warps go to the lower slot.
//
// Memory has a fixed latency per timing class unless a run asks for caches
// (Caches). Then global accesses go from the load/store units of an SM,
// or through the channels and the reordering unit of Huangfu2017 (Section IV-A),
// to its L1D (ldst.go, reorder.go), and on to the network, the L2 and the DRAM that all
// SMs share (package memory). What hits depends on the order in which
// requests reach the tags and on nothing else. Memory events of a cycle come
// before the SMs, and requests of one cycle in the order of the SMs. Local
// memory, textures, parameters and constants keep their fixed latency.
//
// With Caches.SoC the cores of CPUs send requests of their own to the channels of
// the DRAM, and agents act beside the GPU (package soc). Only then do
// volatile loads pass the L1D, and do fences wait for the accesses of their block.
// FixedTimes.Stage is the place for any other memory.
//
// Which ready warp issues is decided in package policy, whatever the model. The
// functional semantics belong to simt, hardware figures to gpu.
package sim
