package reference

// Row is the exact makespan of a string for 1 to 8 warps, in cycles, with the
// capacities L and C of its kinds (σ_L and σ_C).
type Row struct {
	Text   string
	L, C   int64
	Cycles [8]int64
}

// Table has the exact makespans of seven strings under four pairs of capacities.
// They were computed by a prototype of the dynamic programme, independent of the
// packages here; the integer linear programme of Berezovskyi2012, Section 5, gives
// the same for the warps that it can solve.
func Table() []Row {
	return []Row{
		{"LLC", 1, 1, [8]int64{3, 5, 7, 9, 11, 13, 15, 17}},
		{"LLC", 1, 2, [8]int64{3, 5, 7, 9, 11, 13, 15, 17}},
		{"LLC", 2, 1, [8]int64{3, 4, 5, 7, 8, 10, 11, 13}},
		{"LLC", 2, 2, [8]int64{3, 3, 5, 6, 7, 8, 9, 10}},

		{"LLCLL", 1, 1, [8]int64{5, 9, 13, 17, 21, 25, 29, 33}},
		{"LLCLL", 1, 2, [8]int64{5, 9, 13, 17, 21, 25, 29, 33}},
		{"LLCLL", 2, 1, [8]int64{5, 6, 7, 10, 13, 15, 17, 19}},
		{"LLCLL", 2, 2, [8]int64{5, 5, 9, 10, 13, 15, 17, 19}},

		{"LCLCL", 1, 1, [8]int64{5, 6, 11, 14, 17, 20, 23, 26}},
		{"LCLCL", 1, 2, [8]int64{5, 6, 11, 14, 17, 20, 23, 26}},
		{"LCLCL", 2, 1, [8]int64{5, 6, 9, 11, 13, 15, 17, 19}},
		{"LCLCL", 2, 2, [8]int64{5, 5, 6, 6, 11, 12, 14, 15}},

		{"LLCLLCLL", 1, 1, [8]int64{8, 13, 20, 26, 32, 38, 44, 50}},
		{"LLCLLCLL", 1, 2, [8]int64{8, 13, 20, 26, 32, 38, 44, 50}},
		{"LLCLLCLL", 2, 1, [8]int64{8, 9, 10, 16, 20, 23, 26, 29}},
		{"LLCLLCLL", 2, 2, [8]int64{8, 8, 13, 16, 20, 23, 26, 29}},

		{"CLLCL", 1, 1, [8]int64{5, 8, 11, 14, 17, 20, 23, 26}},
		{"CLLCL", 1, 2, [8]int64{5, 8, 11, 14, 17, 20, 23, 26}},
		{"CLLCL", 2, 1, [8]int64{5, 6, 7, 11, 13, 15, 17, 19}},
		{"CLLCL", 2, 2, [8]int64{5, 5, 8, 9, 11, 12, 14, 15}},

		{"CCLLLC", 1, 1, [8]int64{6, 10, 14, 18, 22, 26, 30, 34}},
		{"CCLLLC", 1, 2, [8]int64{6, 9, 12, 16, 19, 23, 26, 30}},
		{"CCLLLC", 2, 1, [8]int64{6, 8, 11, 15, 18, 21, 24, 27}},
		{"CCLLLC", 2, 2, [8]int64{6, 6, 9, 11, 13, 15, 17, 19}},

		{"LCCCLLC", 1, 1, [8]int64{7, 11, 15, 19, 23, 27, 31, 35}},
		{"LCCCLLC", 1, 2, [8]int64{7, 9, 12, 15, 19, 22, 25, 28}},
		{"LCCCLLC", 2, 1, [8]int64{7, 11, 15, 19, 23, 27, 31, 35}},
		{"LCCCLLC", 2, 2, [8]int64{7, 7, 11, 12, 15, 17, 19, 21}},
	}
}

// Curve is a published curve of the estimate for many warps (Berezovskyi2012,
// Section 5.6): a point for every x from 1 on, in cycles, both capacities 1.
type Curve struct {
	Text   string
	Warps  int64
	Cycles []int64
}

// Figure6 is the curve of Fig. 6: the least estimate up to x.
func Figure6() Curve {
	return Curve{"LLCLL", 600, []int64{3000, 2700, 2600, 2550, 2520, 2500, 2494, 2475}}
}

// Figure7 is the curve of Fig. 7: the estimate from x alone.
func Figure7() Curve {
	return Curve{"LLCLLCLL", 420, []int64{3360, 2730, 2800, 2730, 2688, 2660, 2640, 2650}}
}
