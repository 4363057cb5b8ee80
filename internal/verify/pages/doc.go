// Package pages holds the pages of documentation to the code. It is the index of
// docs/soundness.md as data: every theorem with its name, what it says in one
// sentence, what it needs, the code that computes with it, the tests that hold it
// and the planted faults that show that they would notice; every assumption, with
// where it is checked; every requirement of the README, with its test. Tests write
// the tables of the pages from it (UPDATE_GOLDEN=1), and fail where a page, a
// function, a test, a link or a cited theorem is missing.
//
// What it does not do: judge whether a proof is right.
package pages
