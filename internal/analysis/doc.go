// Package analysis takes a kernel and a machine to bounds: it resolves the
// timing of every instruction, records what the warps execute, hands the folded
// streams to internal/method/multiphase, internal/method/serial and internal/method/makespan for every scope, and
// fills the ledger of assumptions with what the recording proved.
//
//	Run        one launch on one machine: all bounds of all scopes
//	Report     what Run returns
//	Compare    bounds of a launch beside its simulation (compare.go)
//	RunOrdered, RunSegments
//	           bounds under a reordering unit, and under strict turns
//	           (ordered.go, segment.go); CompareTurns sets them beside simulations
//	RunCaches  hits and misses in L1 data caches (cache.go)
//	Makespans  a launch as instruction strings of Berezovskyi2012 (makespan.go)
//
// It formats nothing and knows no PTX.
package analysis
