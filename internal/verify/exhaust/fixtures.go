package exhaust

// Fixture is a reference instance with its exact numbers. Bounds are, in this
// order: GUB, SUM, FUA, BURST, PATH, REF.
type Fixture struct {
	Name, Text string
	Iso, Exec  []int64
	// Exact, Short and Any are the worst makespans with FIFO dispatch, with
	// shortened latencies too, and with any-order dispatch and shortened latencies.
	Exact, Short, Any int
	Bounds            [6]int64
}

// Fixtures are the reference instances of docs/soundness.md for the machine with
// unbounded queues.
func Fixtures() []Fixture {
	return []Fixture{
		{"I1", "F0/3/0 F0/3/0 F1/3/0 F2/1/0(2) ; F0/3/0 F1/3/0 F2/1/0(0)", []int64{6, 4}, []int64{6, 4}, 11, 11, 11, [6]int64{10, 14, 14, 11, 11, 11}},
		{"I2", "2× F2/3/0 F2/3/0 F1/2/0 F1/2/0 F0/2/0(0,2)", []int64{6, 6}, []int64{6, 6}, 13, 13, 13, [6]int64{12, 18, 18, 14, 14, 14}},
		{"I3", "F0/1/0 F1/1/0(0) F0/1/0 ; F0/1/0 F2/1/2 F2/1/2(1)", []int64{3, 7}, []int64{3, 3}, 10, 10, 10, [6]int64{10, 10, 10, 10, 10, 10}},
		{"I4", "F0/2/0 F1/1/0 ; F1/1/0 F1/1/0", []int64{2, 2}, []int64{2, 2}, 4, 4, 4, [6]int64{4, 5, 4, 4, 4, 4}},
		{"I5", "2× F0/2/0 F1/1/0", []int64{2, 2}, []int64{2, 2}, 4, 4, 4, [6]int64{4, 5, 5, 4, 4, 4}},
		{"I6", "F0/2/0 F1/1/1 ; F0/2/0 F0/2/0", []int64{3, 4}, []int64{2, 4}, 6, 6, 6, [6]int64{7, 7, 7, 7, 6, 6}},
		{"I7", "2× F0/2/0 F1/1/0(0)", []int64{3, 3}, []int64{3, 3}, 5, 5, 5, [6]int64{6, 6, 6, 6, 6, 5}},
		{"I8", "F0/1/0 F1/2/0 F0/1/0(0) ; F1/2/0 F0/1/0", []int64{3, 2}, []int64{3, 2}, 5, 5, 5, [6]int64{5, 6, 6, 6, 6, 5}},
		{"I9", "F0/2/1 F1/3/2 ; F1/3/0 F2/3/3 F0/1/1(0)", []int64{6, 7}, []int64{4, 4}, 9, 9, 9, [6]int64{11, 13, 12, 11, 10, 9}},
		{"I10", "F0/2/0 F1/2/1(0) ; F0/2/0 F0/2/0(0)", []int64{5, 4}, []int64{4, 4}, 7, 7, 9, [6]int64{9, 9, 9, 9, 9, 9}},
		{"I11", "2× F0/1/1 F1/1/0(0)", []int64{3, 3}, []int64{2, 2}, 4, 5, 5, [6]int64{5, 5, 5, 5, 5, 5}},
		{"I12", "F0/1/1 F0/1/1 ; F0/1/1 F1/2/0 ; F0/1/1 F0/1/1", []int64{3, 3, 3}, []int64{2, 3, 2}, 7, 7, 7, [6]int64{8, 8, 7, 7, 7, 7}},
	}
}
