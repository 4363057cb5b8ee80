// Command results reproduces the evaluations of Jeanmougin2025 (section 4),
// Huangfu2017 (section V), Crouzet2024 (section VI) and Forsberg2021 (section 4) and
// writes docs/results: the measurements as CSV files, the figures, and the tables of
// docs/results.md between its markers.
//
//	go run ./evaluation            measure everything, write files, figures and tables
//	go run ./evaluation -schemes   measure only Huangfu2017
//	go run ./evaluation -frontend  measure only Crouzet2024
//	go run ./evaluation -prem      measure only Forsberg2021
//	go run ./evaluation -tables    write figures and tables from the files
//
// It is run at the root of the module. What it writes depends on the source
// only, not on the machine or the time; a test measures a part again and
// compares, and holds the tables to the files.
//
//	measure.go   the experiments of Jeanmougin2025: launches, machines, policies
//	schemes.go   those of Huangfu2017: schemes and what their gain depends on
//	wcet.go      what is foretold of the time with the reordering unit
//	frontend.go  those of Crouzet2024: pairs of policies and one scheduler; what the
//	             simulations are asked is in frontend_watch.go
//	prem.go      those of Forsberg2021: programs, sizes, machines
//	data.go      the CSV files, with prem_data.go
//	tables.go    the tables, the papers' figures beside ours (paper.go), with
//	             schemes_tables.go, schemes_plots.go, wcet_tables.go,
//	             frontend_tables.go, frontend_plots.go, prem_tables.go,
//	             prem_memory.go and prem_plots.go
//	page.go      the markers of docs/results.md
package main
