// Package gpu holds hardware descriptions: what the bounds and the simulator
// must know of a GPU, as data with a source for every number.
//
// A description is a TOML file (docs/gpu-format.md), read strictly: what does
// not load has an error with file, line and column. Presets are embedded, and
// files may build on them.
//
//	Description  the file, checked; Load, Preset and Open make one
//	Machine      what bounds and simulator read: units, queues, timing per class
//	Timing       unit, initiation and latency of one instruction class
//	Occupancy    how many blocks an SM holds, and what limits them
//
// The package knows no kernel: [Machine.Resolve] maps the timing classes of a
// program (isa.Class) to units, initiation intervals and latencies, and
// [Machine.Occupancy] takes what a block needs as numbers. It simulates nothing.
//
// Sources: Jeanmougin2025, sections 2 and 4, for the machine of the bounds and
// the presets ecrts2025-*; the presets name theirs.
package gpu
