// Package gpu holds hardware descriptions: what the bounds and the simulator
// must know of a GPU, as data with a source for every number.
//
// A description is a TOML file (docs/gpu-format.md); presets are embedded. The
// package knows no kernel: [Description.Resolve] maps the timing classes of a
// program to units, initiation intervals and latencies.
//
//	Description  the file, checked
//	Machine      what bounds and simulator read: units, queues, timing per class
//	Timing       unit, initiation and latency of one instruction class
package gpu
