// Package optional gives tests the programs that they use where they are installed: compilers and solvers that nobody needs
// to build or run warpbound, and that are independent witnesses of what it does.
//
// A test asks [Path] for one program, or [Each] for all of several; where a program is missing, the test, or its subtest for
// that program, is skipped and says which Debian package holds it. No test looks for a program or skips itself in another way
// (a test here reads all others), so that two variables of the environment speak for all of them:
//
//   - WARPBOUND_REQUIRE_TOOLS names programs, separated by commas, whose absence fails tests instead; a name such as clang
//     stands for all its versions.
//   - WARPBOUND_TOOLS_LOG names a file to which each test that asked appends a line: "ran" or "skipped", the program, the
//     package and the test. .ci/run counts them.
//
// It is for tests only: what warpbound itself looks for (internal/prem/emit, internal/milp/external) is found there.
package optional
