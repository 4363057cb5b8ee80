// Package fault lists small unsound edits of the code that computes bounds, and switches
// them on and off one at a time, to measure whether the tests would notice them.
//
// The edits themselves are patches in the folder patches, which says how they are written.
// The code that they are for knows nothing of them, and nothing but tests imports this
// package. An overlay for the go command plants all faults in one build, in which Set says
// which of them is active:
//
//	go run ./internal/verify/fault/overlay -o build/_faults/overlay.json
//	go test -overlay build/_faults/overlay.json -tags warpbound_faults -run Planted -v ./internal/cache/static
//
// The overlay has the code as it was when it was written: after a change, write it anew.
// The tests that plant faults stand behind the build tag, since they fail without it.
//
// The lists describe each edit in words. What became of each is in
// docs/soundness/evidence.md, section "Planted faults".
package fault
