// Command evaluation repeats the evaluations of papers and writes docs/results: the
// measurements as CSV files, the figures, and the tables of docs/results.md between
// its markers.
//
//	go run ./evaluation                  measure everything, write files, figures and tables
//	go run ./evaluation jeanmougin2025   measure one (section 4)
//	go run ./evaluation huangfu2017      (section V)
//	go run ./evaluation crouzet2024      (section VI)
//	go run ./evaluation forsberg2021     (section 4)
//	go run ./evaluation inputs           (no paper: bounds for every input, on all examples)
//	go run ./evaluation -tables          write figures and tables from the files
//
// It is run at the root of the module. What it writes depends on the source only,
// not on the machine or the time. Each paper is a folder, whose tests measure a part
// again and compare; the test here holds page and figures to the files. Folder
// fullsize bounds examples at the benchmarks' own problem sizes.
package main
