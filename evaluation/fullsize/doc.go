// Package fullsize bounds the examples at the problem sizes of the benchmarks that
// they are like, and writes the table of docs/performance.md that says how long
// that takes.
package fullsize
