// Package analysis takes a launch and a machine to bounds. It is the driver over
// the methods, which are packages of their own:
//
//	Table      every method, in the order of reports; a new one is a line there
//	Run        a question about a launch on a machine: record what the warps
//	           execute, run the methods of that machine, name the smallest safe bound
//	Report     what Run returns: the facts, and the bounds of every scope
//	Compare    bounds of a launch beside its simulation (compare.go); CompareTurns
//	           for turns and enforced orders, ComparePairs for pairs of policies,
//	           CompareSchemes for caches
//	RunCaches  hits and misses in L1 data caches (cache.go)
//	Makespans  a launch as instruction strings of Berezovskyi2012 (makespan.go)
//
// It formats nothing and knows no PTX.
package analysis
