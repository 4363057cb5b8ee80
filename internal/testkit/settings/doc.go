// Package settings holds what a run of the tests may be asked for by the environment: more
// random cases, other ones, everything instead of a selection. There are no test flags, so
// that one command line suits all packages:
//
//	WARPBOUND_CASES=20000 WARPBOUND_SEED=7 go test ./internal/verify/premtest -run Nests
//
// [All] is the list; CONTRIBUTING.md shows it, and tests here hold the page and the code
// against it. A value that cannot be read fails the test that asks for it.
package settings
