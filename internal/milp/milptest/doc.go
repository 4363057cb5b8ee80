// Package milptest holds the problems that every solver must get right, and an
// independent way to solve small ones: enumeration. It is used by tests only
// and shares no arithmetic with the checks of package milp.
//
// Main entry points: Conformance, Random, Enumerate, MarketSplit.
package milptest
