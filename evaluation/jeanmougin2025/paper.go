package jeanmougin2025

// figures are a row of a table of overestimations, in percent.
type figures struct{ mean, max, weighted, stddev float64 }

// paperTable3 is Jeanmougin2025, table 3: the published bound over their
// simulator on 583 kernel calls, by memory latency and policy; "" is a single
// warp.
var paperTable3 = map[int]map[string]figures{
	400: {"lrr": {8.21, 33.45, 11.35, 4.73}, "gto": {10.68, 34.84, 13.87, 3.66}, "": {0.03, 0.8, 0.07, 0.09}},
	200: {"lrr": {12.31, 40.34, 16.83, 6.07}, "gto": {15.37, 40.06, 20.16, 5.31}, "": {0.04, 0.8, 0.12, 0.1}},
	100: {"lrr": {16.70, 44.97, 22.44, 6.96}, "gto": {19.83, 44.37, 26.21, 7.89}, "": {0.05, 0.8, 0.16, 0.12}},
	50:  {"lrr": {19.97, 69.83, 26.05, 7.88}, "gto": {25.56, 70.56, 31.52, 9.16}, "": {0.06, 0.9, 0.21, 0.13}},
	25:  {"lrr": {21.81, 72.47, 26.84, 8.32}, "gto": {27.88, 60.12, 31.83, 8.26}, "": {0.07, 1.14, 0.24, 0.14}},
	10:  {"lrr": {23.46, 49.77, 27.86, 8.58}, "gto": {29.32, 46.36, 31.96, 7.58}, "": {0.07, 1.37, 0.26, 0.15}},
	5:   {"lrr": {26.00, 46.38, 28.17, 6.81}, "gto": {27.04, 46.67, 30.82, 5.91}, "": {0.08, 1.47, 0.26, 0.15}},
}

// paperWarps are the columns of table 4.
var paperWarps = [4]int{32, 16, 8, 4}

// paperTable4 is Jeanmougin2025, table 4: overestimation of the published bound
// on the two SGEMM variants, in percent, by memory latency and warps.
var paperTable4 = map[string]map[int][4]float64{
	"naive": {
		400: {5.96, 8.67, 11.84, 9.36},
		200: {6.57, 10.29, 15.56, 13.49},
		100: {6.93, 11.36, 18.47, 17.32},
		50:  {7.11, 11.97, 20.37, 20.18},
		25:  {7.00, 12.31, 21.45, 22.00},
		10:  {6.16, 12.06, 22.04, 23.24},
		5:   {5.87, 11.50, 22.03, 23.69},
	},
	"double": {
		400: {11.15, 19.19, 33.08, 58.21},
		200: {8.51, 14.12, 23.37, 40.40},
		100: {8.44, 14.11, 23.57, 41.08},
		50:  {8.39, 14.06, 23.65, 41.42},
		25:  {8.35, 14.01, 23.59, 41.54},
		10:  {8.33, 13.98, 23.57, 41.59},
		5:   {8.32, 13.97, 23.59, 41.60},
	},
}
