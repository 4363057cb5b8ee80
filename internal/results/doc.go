// Command results reproduces the evaluation of Jeanmougin2025 (section 4) and
// writes docs/results: the measurements as CSV files, and the tables of
// docs/results.md between its markers.
//
//	go run ./internal/results          measure everything, write files and tables
//	go run ./internal/results -tables  write the tables from the files
//
// It is run at the root of the module. What it writes depends on the source
// only, not on the machine or the time; a test measures a part again and
// compares, and holds the tables to the files.
//
//	measure.go  the experiments: launches, machines, policies
//	data.go     the CSV files
//	tables.go   the tables, the paper's figures beside ours (paper.go)
//	page.go     the markers of docs/results.md
package main
