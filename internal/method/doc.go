// Package method holds what all methods of bounding a kernel's time share: their
// vocabulary and the facts they ask for.
//
//	Method    a method: name, proof, scopes, machine, when it applies, how it runs
//	Facts     a launch on a machine: timing, recorded path, ledger; shared results
//	Part      what of a launch a bound is on
//	Op, Stream, Block, Hardware
//	          the launch and the machine in the terms of the theorems
//
// Each method is a folder below this one and exports its Method values; the table
// of all of them is in package analysis, which drives them. A method package
// imports another only to compute with it.
package method
