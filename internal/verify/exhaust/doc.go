// Package exhaust finds the exact worst makespan of tiny blocks by trying every
// schedule the SM model of docs/soundness.md allows: every ready warp at every
// issue, every dispatch order, and every shortening of latencies and
// initiations. It also runs larger systems (several blocks, slots and SMs) under
// random and adversarial choices.
//
// It exists to judge the bounds, so it shares no code with them. It is not a
// simulator of hardware: sim is.
//
// Main types: Sequence and System (what runs), Rules (on what), Explorer (all
// schedules), Grid (one schedule of a larger system). ParseSystem reads and
// System.String prints the notation fu/init/lat(sources) used for
// counterexamples.
package exhaust
