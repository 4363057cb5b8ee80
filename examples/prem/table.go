package prem

// The initial contents. Inputs have both signs and magnitudes near one; results that the program must write everywhere
// start as unset, a value none of them takes.
var (
	waveA = Init{Mul: 37, Add: 11, Mod: 211, Div: 97, Off: -1}
	waveB = Init{Mul: 53, Add: 5, Mod: 199, Div: 89, Off: -0.875}
	waveC = Init{Mul: 29, Add: 17, Mod: 227, Div: 103, Off: -1.25}
	waveD = Init{Mul: 71, Add: 3, Mod: 193, Div: 91, Off: -0.75}
	// heat is positive, as temperatures are.
	heat  = Init{Mul: 61, Add: 7, Mod: 223, Div: 47, Off: 0.5}
	unset = Init{Off: -12345}
	zero  = Init{}
	// roads has lengths of 1 to 997.
	roads = Init{Mul: 37, Mod: 997, Off: 1}
)

// dominant is a matrix whose diagonal outweighs its rows.
func dominant(diag float64) Init {
	f := waveA
	f.Diag = diag
	return f
}

func input(t Type, name string, f Init, dims ...int) Param {
	return Param{Name: name, Type: t, Init: f, Dims: dims}
}

func result(t Type, name string, f Init, dims ...int) Param {
	return Param{Name: name, Type: t, Init: f, Dims: dims, Result: true}
}

func value(t Type, name string, v float64) Param {
	return Param{Name: name, Type: t, Init: Init{Off: v}}
}

// table lists the 21 algorithms of the suite, then the others.
var table = []Benchmark{
	{"conv2d", "2DCONV", []Param{
		input(Float, "W", waveB, 3, 3), input(Float, "A", waveA, 40, 36), result(Float, "B", unset, 40, 36),
	}, conv2d},
	{"mm2", "2MM", []Param{
		value(Float, "alpha", 1.3), value(Float, "beta", 0.7), input(Float, "T", unset, 20, 24), input(Float, "A", waveA, 20, 28),
		input(Float, "B", waveB, 28, 24), input(Float, "C", waveC, 24, 16), result(Float, "D", waveD, 20, 16),
	}, mm2},
	{"conv3d", "3DCONV", []Param{
		input(Float, "W", waveB, 3, 3, 3), input(Float, "A", waveA, 12, 14, 16), result(Float, "B", unset, 12, 14, 16),
	}, conv3d},
	{"mm3", "3MM", []Param{
		input(Double, "E", unset, 16, 20), input(Double, "A", waveA, 16, 24), input(Double, "B", waveB, 24, 20),
		input(Double, "F", unset, 20, 18), input(Double, "C", waveC, 20, 22), input(Double, "D", waveD, 22, 18),
		result(Double, "G", unset, 16, 18),
	}, mm3},
	{"adi", "ADI", []Param{
		value(Double, "a", 0.4), result(Double, "U", heat, 24, 24), result(Double, "V", zero, 24, 24),
		input(Double, "P", zero, 24, 24), input(Double, "Q", zero, 24, 24),
	}, adi},
	{"atax", "ATAX", []Param{
		input(Float, "A", waveA, 40, 48), input(Float, "x", waveB, 48), result(Float, "y", unset, 48), result(Float, "t", unset, 40),
	}, atax},
	{"bicg", "BICG", []Param{
		input(Float, "A", waveA, 44, 36), input(Float, "r", waveB, 44), result(Float, "s", unset, 36),
		input(Float, "p", waveC, 36), result(Float, "q", unset, 44),
	}, bicg},
	{"corr", "CORR", []Param{
		value(Float, "eps", 0.1), result(Float, "X", waveA, 32, 24), result(Float, "mean", unset, 24),
		result(Float, "dev", unset, 24), result(Float, "C", unset, 24, 24),
	}, corr},
	{"covar", "COVAR", []Param{
		result(Double, "X", waveA, 28, 20), result(Double, "mean", unset, 20), result(Double, "C", unset, 20, 20),
	}, covar},
	{"doitgen", "DOITGEN", []Param{
		result(Float, "A", waveA, 10, 12, 16), input(Float, "B", waveB, 16, 16), input(Float, "S", unset, 10, 12, 16),
	}, doitgen},
	{"fdtd2d", "FDTD-2D", []Param{
		input(Float, "f", waveD, 5), result(Float, "EX", waveA, 24, 28), result(Float, "EY", waveB, 24, 28), result(Float, "HZ", waveC, 24, 28),
	}, fdtd2d},
	{"gemm", "GEMM", []Param{
		value(Float, "alpha", 1.1), value(Float, "beta", 0.9), input(Float, "A", waveA, 32, 24), input(Float, "B", waveB, 24, 28),
		result(Float, "C", waveC, 32, 28),
	}, gemm},
	{"gemver", "GEMVER", []Param{
		value(Double, "alpha", 1.5), value(Double, "beta", 1.2), result(Double, "A", waveA, 36, 36),
		input(Double, "u1", waveB, 36), input(Double, "v1", waveC, 36), input(Double, "u2", waveD, 36), input(Double, "v2", heat, 36),
		result(Double, "x", waveC, 36), input(Double, "y", waveB, 36), input(Double, "z", waveD, 36), result(Double, "w", unset, 36),
	}, gemver},
	{"gesummv", "GESUMMV", []Param{
		value(Float, "alpha", 1.5), value(Float, "beta", 1.2), input(Float, "A", waveA, 48, 48), input(Float, "B", waveB, 48, 48),
		input(Float, "x", waveC, 48), result(Float, "y", unset, 48),
	}, gesummv},
	{"gramschmidt", "GRAMSCHM", []Param{
		result(Float, "A", dominant(3), 28, 20), result(Float, "R", zero, 20, 20), result(Float, "Q", unset, 28, 20),
	}, gramschmidt},
	{"jacobi1d", "JACOBI1D", []Param{result(Float, "A", heat, 200), result(Float, "B", unset, 200)}, jacobi1d},
	{"jacobi2d", "JACOBI2D", []Param{result(Float, "A", heat, 32, 32), result(Float, "B", unset, 32, 32)}, jacobi2d},
	{"lu", "LU", []Param{result(Float, "A", dominant(30), 28, 28)}, lu},
	{"mvt", "MVT", []Param{
		input(Float, "A", waveA, 52, 52), result(Float, "x1", waveB, 52), input(Float, "y1", waveC, 52),
		result(Float, "x2", waveD, 52), input(Float, "y2", heat, 52),
	}, mvt},
	{"syr2k", "SYR2K", []Param{
		value(Float, "alpha", 1.5), value(Float, "beta", 1.2), input(Float, "A", waveA, 24, 20), input(Float, "B", waveB, 24, 20),
		result(Float, "C", waveC, 24, 24),
	}, syr2k},
	{"syrk", "SYRK", []Param{
		value(Float, "alpha", 1.5), value(Float, "beta", 1.2), input(Float, "A", waveA, 28, 24), result(Float, "C", waveC, 28, 28),
	}, syrk},

	{"cholesky", "", []Param{result(Double, "A", dominant(30), 24, 24), result(Double, "L", zero, 24, 24)}, cholesky},
	{"convlayer", "", []Param{
		input(Float, "IN", waveA, 2, 3, 12, 14), input(Float, "W", waveB, 4, 3, 3, 3), input(Float, "bias", waveC, 4),
		result(Float, "OUT", unset, 2, 4, 10, 12),
	}, convlayer},
	{"downsample", "", []Param{input(Float, "A", waveA, 48, 40), result(Float, "B", unset, 20, 24)}, downsample},
	{"floydwarshall", "", []Param{result(Int, "D", roads, 32, 32)}, floydwarshall},
	{"heat3d", "", []Param{
		value(Double, "c", 0.125), result(Double, "A", heat, 12, 12, 12), result(Double, "B", heat, 12, 12, 12),
	}, heat3d},
	{"redblack", "", []Param{value(Double, "omega", 1.4), result(Double, "A", heat, 26, 26)}, redblack},
	{"reduce", "", []Param{
		input(Float, "x", waveA, 300), input(Float, "y", waveB, 300), result(Float, "out", unset, 3),
	}, reduce},
	{"seidel2d", "", []Param{result(Float, "A", heat, 24, 24)}, seidel2d},
	{"symm", "", []Param{
		value(Float, "alpha", 1.5), value(Float, "beta", 1.2), input(Float, "A", waveA, 24, 24), input(Float, "B", waveB, 24, 28),
		result(Float, "C", waveC, 24, 28),
	}, symm},
	{"trisolv", "", []Param{
		input(Float, "L", dominant(6), 28, 28), input(Float, "B", waveB, 28, 40), result(Float, "X", unset, 28, 40),
	}, trisolv},
	{"trmm", "", []Param{
		value(Float, "alpha", 1.5), input(Float, "A", waveA, 24, 24), input(Float, "B", waveB, 24, 32), result(Float, "C", unset, 24, 32),
	}, trmm},
}
