// Package reference holds what the exact methods for makespans are tested
// against: published and earlier figures (table.go), and two computations of the
// exact makespan that are too slow to be useful but short enough to be read
// against the definition (Enumerate, Longest).
//
// It is for tests. Nothing here bounds its time or memory.
package reference
