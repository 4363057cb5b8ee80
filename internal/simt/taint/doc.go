// Package taint keeps what executions that follow the flow of data know of memory: which
// bytes depend on data that an analysis must not rely on, and which warps and blocks have
// read and written them, in so far as an order that the schedule chooses matters. The
// functional machines for PTX and RISC-V programs share it.
//
//	Who       who accesses memory: a warp of a block, between two barriers
//	Access    what the warps of a block did with a granule
//	Granule   that, what blocks did with it, and which of its bytes are tainted
//	Whole     who relied on any part of a memory, and who may have changed any
//	Clashes   the lanes of a store of which it is open which comes last
//	Log       what was seen to depend on data, by instruction
//
// docs/soundness/paths.md, section 22 (what a path depends on), has the rules and
// theorem 38 (all inputs), which rests on them.
package taint
