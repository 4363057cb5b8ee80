// Package conformance holds the tests that write the generated parts of the
// README: the screen of its first command and its conformance table. They fail
// when a part is stale; UPDATE_GOLDEN=1 writes it.
package conformance
