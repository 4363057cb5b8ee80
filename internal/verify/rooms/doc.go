// Package rooms holds the imports of every package against the table of rooms in
// docs/architecture.md: a package imports its own room and those above it in the table.
// The page is what the test reads, so that page and test cannot disagree.
//
// What commands may import is a list of its own on the page, and held as well.
//
// It looks at imports only. What a room must not hold for other reasons, the page says in
// words.
package rooms
