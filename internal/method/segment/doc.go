// Package segment computes the segment WCET of Huangfu2017 (Section IV, eq. 1
// to 4) and says where it is a bound.
//
// A warp's instructions are cut into segments: a new one starts before an
// instruction that reads a register written in the current one. Segments are
// issued in strict round robin between warps, each once its warp's previous
// segment is complete. The published figure is a bound only for a scheduler
// that keeps to these segments, and only if multi-cycle initiations are counted
// in full (docs/soundness/order.md, theorem 19 (turns)); elsewhere it is returned with
// the reason why it is not safe. Eq. 4 weights latencies by a mean and is an estimate on
// any hardware. The proven figures beside them are the fixed sequence of package ordered
// (theorem 19) and, for any strict round robin, the sum of initiations and of each
// warp's longest chain of latencies.
//
// The package decides no hits and misses and knows no simulator. Sequences are
// walked, not unfolded; the time needed is proportional to the instructions
// executed. Times are cycles in int64.
package segment
