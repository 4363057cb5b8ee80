// Package trace writes a simulation as a timeline: what every scheduler, warp, unit,
// L1D, DRAM bank, front end and CPU core did when (docs/trace.md has all tracks). It sees
// a run as any other observer does, and changes nothing.
//
// Details are slices and instants of single instructions, waits, requests and transfers.
// They can be limited to a window of time and to blocks; without a limit they end after
// so many slices as viewers are known to open. Whatever is limited, the slices of blocks
// and the counters cover the whole run. Counters are means and sums over windows, which
// get longer as the run does, so that memory and their size in the file are bounded.
//
// The trace says itself what was left out: the arguments of the slice of the launch, the
// names of groups, and an instant where details end.
package trace
