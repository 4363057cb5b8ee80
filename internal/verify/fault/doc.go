// Package fault plants small unsound edits in the bounds, to measure whether
// the tests would notice them. Without the build tag warpbound_faults, On is
// the constant false and every planted edit is compiled away. With the tag,
// one fault at a time is active.
//
// The list of faults (All) describes each edit in words. What became of each
// is in docs/soundness/evidence.md, section "Planted faults".
package fault
