// Package patches holds the planted faults as data: what each does to the code that
// computes bounds. The code itself knows nothing of them. An overlay for the go command
// has all of them at once, each behind fault.On, so that one build serves every fault:
//
//	go run ./internal/verify/fault/overlay -o build/_faults/overlay.json
//	go test -overlay build/_faults/overlay.json -tags warpbound_faults -run Planted ./internal/...
//
// # Files of patches
//
// There is one file for each package with faults, named after the package. Its first line
// that is neither empty nor a comment says which package it is for, as a path from the
// root of the module. Patches follow, each a head and the lines of the edit:
//
//	package internal/method/multiphase
//
//	@ paths.go path-issue-edge-free
//	 			v++
//	+			if fault.On(fault.PathIssueEdgeFree) {
//	+				v--
//	+			}
//
// The head names the file of the package and the faults of the patch, as package fault
// lists them. Lines are marked as in a diff: ' ' for one that stays, '-' for one that
// goes, '+' for one that comes. Those that stay or go stand next to one another in the
// file, in this order, and at only one place. Nothing is counted, so code around them can
// change freely. An empty line or one that starts with '#' ends a patch.
//
// A patch is for one fault; several share one where they edit the same line. It names
// every fault that it asks fault.On about. A patch that asks about none is the other half
// of one that does: a variable or an import that it needs.
//
// # To plant a fault
//
// Add it to a list of package fault and write its patch here. Where a change of the code
// moves a line that a patch names, the tests of this package say which patch to mend.
package patches
