package fullsize

// Case is an example launch at the size of the benchmark it comes from.
type Case struct {
	Launch string // file below examples/, without .toml
	Size   string // for people
	Grid   [3]int
	Values map[string]int64 // integer scalars that differ from the example's
	Counts map[string]int64 // elements of buffers that differ from the example's
	Whole  bool             // every block is executed
}

// Lines and squares of the sizes used most, and what the suites give otherwise.
const (
	k1, k2, k4    = 1024, 2048, 4096
	q1, q2, q4    = k1 * k1, k2 * k2, k4 * k4
	kmeansPoints  = 494020
	pathColumns   = 100000
	cfdCells      = 97152
	nnRecords     = 42764
	frameWidth    = 640
	frameHeight   = 480
	backpropUnits = 65536
)

func values(of ...any) map[string]int64 {
	m := map[string]int64{}
	for i := 0; i < len(of); i += 2 {
		m[of[i].(string)] = int64(of[i+1].(int))
	}
	return m
}

// all gives buffers the same number of elements.
func all(count int64, names ...string) map[string]int64 {
	m := map[string]int64{}
	for _, n := range names {
		m[n] = count
	}
	return m
}

// Cases are the launches of the PolyBench- and Rodinia-like examples whose
// control does not depend on data.
var Cases = []Case{
	{"polybench/gemm/gemm", "4096 x 4096 x 4096", [3]int{k4 / 32, k4 / 8, 1}, values("ni", k4, "nj", k4, "nk", k4), all(q4, "a", "b", "c"), false},
	{"polybench/2mm/mm2_first", "2048 x 2048 x 2048", [3]int{k2 / 16, k2 / 16, 1}, values("ni", k2, "nj", k2, "nk", k2), all(q2, "a", "b", "ab"), false},
	{"polybench/2mm/mm2_second", "2048 x 2048 x 2048", [3]int{k2 / 16, k2 / 16, 1}, values("ni", k2, "nj", k2, "nl", k2), all(q2, "ab", "c", "d"), false},
	{"polybench/atax/atax_rows", "4096 x 4096", [3]int{k4 / 64, 1, 1}, values("rows", k4, "columns", k4), values("a", q4, "x", k4, "tmp", k4), false},
	{"polybench/atax/atax_columns", "4096 x 4096", [3]int{k4 / 64, 1, 1}, values("rows", k4, "columns", k4), values("a", q4, "tmp", k4, "y", k4), false},
	{"polybench/bicg/bicg_q", "4096 x 4096", [3]int{k4 / 64, 1, 1}, values("rows", k4, "columns", k4), values("a", q4, "p", k4, "q", k4), false},
	{"polybench/bicg/bicg_s", "4096 x 4096", [3]int{k4 / 64, 1, 1}, values("rows", k4, "columns", k4), values("a", q4, "r", k4, "s", k4), false},
	{"polybench/mvt/mvt_rows", "4096 x 4096", [3]int{k4 / 64, 1, 1}, values("n", k4), values("a", q4, "x1", k4, "y1", k4), false},
	{"polybench/mvt/mvt_columns", "4096 x 4096", [3]int{k4 / 64, 1, 1}, values("n", k4), values("a", q4, "x2", k4, "y2", k4), false},
	{"polybench/gesummv/gesummv", "4096 x 4096", [3]int{k4 / 64, 1, 1}, values("n", k4), values("a", q4, "b", q4, "x", k4, "y", k4), false},
	{"polybench/conv2d/conv2d", "4096 x 4096", [3]int{k4 / 32, k4 / 8, 1}, values("rows", k4, "columns", k4), all(q4, "in", "out"), false},
	{"polybench/conv3d/conv3d", "256 x 256 x 256", [3]int{256 / 32, 256 / 8, 1}, values("ni", 256, "nj", 256, "nk", 256), all(1<<24, "in", "out"), false},
	{"polybench/covariance/covariance_mean", "2048 x 2048", [3]int{k2 / 32, 1, 1}, values("n", k2, "m", k2), values("data", q2, "mean", k2), false},
	{"polybench/covariance/covariance_reduce", "2048 x 2048", [3]int{k2 / 32, k2 / 8, 1}, values("n", k2, "m", k2), values("data", q2, "mean", k2), false},
	{"polybench/covariance/covariance_covar", "2048 x 2048", [3]int{k2 / 32, 1, 1}, values("n", k2, "m", k2), all(q2, "data", "cov"), false},
	{"polybench/fdtd2d/fdtd_ex", "4096 x 4096", [3]int{k4 / 32, k4 / 8, 1}, values("nx", k4, "ny", k4), values("ex", q4+k4, "hz", q4), false},
	{"polybench/fdtd2d/fdtd_ey", "4096 x 4096", [3]int{k4 / 32, k4 / 8, 1}, values("nx", k4, "ny", k4), values("ey", q4+k4, "hz", q4), false},
	{"polybench/fdtd2d/fdtd_hz", "4096 x 4096", [3]int{k4 / 32, k4 / 8, 1}, values("nx", k4, "ny", k4), values("ex", q4+k4, "ey", q4+k4, "hz", q4), false},
	{"polybench/jacobi2d/jacobi_sweep", "4096 x 4096", [3]int{k4 / 32, k4 / 8, 1}, values("n", k4), all(q4, "a", "b"), false},
	{"polybench/jacobi2d/jacobi_copy", "4096 x 4096", [3]int{k4 / 32, k4 / 8, 1}, values("n", k4), all(q4, "a", "b"), false},

	{"rodinia/backprop/backprop_layerforward", "65536 inputs", [3]int{1, backpropUnits / 16, 1}, nil, values("input", backpropUnits+1, "weights", 17*(backpropUnits+1), "partial", backpropUnits), true},
	{"rodinia/backprop/backprop_adjust_weights", "65536 inputs", [3]int{1, backpropUnits / 16, 1}, nil, values("input", backpropUnits+1, "w", 17*(backpropUnits+1), "oldw", 17*(backpropUnits+1)), false},
	{"rodinia/cfd/cfd_step_factor", "97152 cells", [3]int{cfdCells / 64, 1, 1}, values("n", cfdCells), values("variables", 5*cfdCells, "areas", cfdCells, "step", cfdCells), false},
	{"rodinia/dwt2d/dwt_rows", "1024 x 1024 in lines of 128", [3]int{8 * k1, 1, 1}, nil, all(q1, "in", "out"), false},
	{"rodinia/dwt2d/dwt_columns", "1024 x 1024 in lines of 128", [3]int{8 * k1, 1, 1}, values("columns", 8*k1), all(q1, "in", "out"), false},
	{"rodinia/gaussian/fan1", "2048", [3]int{k2 / 64, 1, 1}, values("size", k2), all(q2, "m", "a"), false},
	{"rodinia/gaussian/fan2", "2048 x 2048", [3]int{k2 / 16, k2 / 16, 1}, values("size", k2), values("m", q2, "a", q2, "b", k2), false},
	{"rodinia/hotspot/hotspot", "1024 x 1024", [3]int{86, 86, 1}, values("columns", k1, "rows", k1), all(q1, "power", "in", "out"), false},
	{"rodinia/hotspot3d/hotspot3d", "512 x 512 x 8", [3]int{16, 128, 1}, values("nx", 512, "ny", 512, "nz", 8), all(512*512*8, "power", "in", "out"), false},
	{"rodinia/kmeans/kmeans_assign", "494020 points, 34 features", [3]int{(kmeansPoints + 255) / 256, 1, 1}, values("points", kmeansPoints, "dimensions", 34), values("features", 34*kmeansPoints, "centres", 34*5, "membership", kmeansPoints), false},
	{"rodinia/kmeans/kmeans_transpose", "494020 points, 34 features", [3]int{(kmeansPoints + 255) / 256, 1, 1}, values("points", kmeansPoints, "features", 34), all(34*kmeansPoints, "in", "out"), false},
	{"rodinia/leukocyte/gicov", "640 x 480", [3]int{20, 120, 1}, values("width", frameWidth, "height", frameHeight), all(frameWidth*frameHeight, "gradient_x", "gradient_y", "score"), false},
	{"rodinia/leukocyte/dilate", "640 x 480", [3]int{frameWidth * frameHeight / 128, 1, 1}, values("width", frameWidth, "height", frameHeight), all(frameWidth*frameHeight, "in", "out"), false},
	{"rodinia/lud/lud_diagonal", "2048", [3]int{1, 1, 1}, values("n", k2), all(q2, "m"), false},
	{"rodinia/lud/lud_perimeter", "2048, first step", [3]int{k2/16 - 1, 1, 1}, values("n", k2), all(q2, "m"), false},
	{"rodinia/lud/lud_internal", "2048 x 2048, first step", [3]int{k2/16 - 1, k2/16 - 1, 1}, values("n", k2), all(q2, "m"), false},
	{"rodinia/myocyte/myocyte", "16384 cells, 1000 steps", [3]int{16384 / 64, 1, 1}, values("steps", 1000, "cells", 16384), all(16384, "voltage", "recovery", "current"), false},
	{"rodinia/nn/nn", "42764 records", [3]int{84, 2, 1}, values("n", nnRecords), values("places", 2*nnRecords, "distances", nnRecords), false},
	{"rodinia/nw/needle_upper", "2048 x 2048, longest diagonal", [3]int{k2 / 16, 1, 1}, values("columns", k2+1, "diagonal", k2/16), all((k2+1)*(k2+1), "similarity", "score"), false},
	{"rodinia/nw/needle_lower", "2048 x 2048, longest diagonal", [3]int{k2/16 - 1, 1, 1}, values("columns", k2+1, "diagonal", k2/16-1, "tiles", k2/16), all((k2+1)*(k2+1), "similarity", "score"), false},
	{"rodinia/particlefilter/pf_normalize", "65536 particles", [3]int{1, 1, 1}, values("particles", 65536, "blocks", 512), values("weights", 65536, "block_sums", 512, "cdf", 65536, "u", 65536), false},
	{"rodinia/pathfinder/pathfinder", "100000 columns, 20 rows", [3]int{(pathColumns + 23) / 24, 1, 1}, values("rows", 20, "columns", pathColumns, "border", 20), values("wall", 22*pathColumns, "in", pathColumns, "out", pathColumns), false},
	{"rodinia/srad/srad1", "2048 x 2048", [3]int{k2 / 16, k2 / 16, 1}, values("columns", k2, "rows", k2), all(q2, "image", "dn", "ds", "dw", "de", "coefficient"), true},
	{"rodinia/srad/srad2", "2048 x 2048", [3]int{k2 / 16, k2 / 16, 1}, values("columns", k2, "rows", k2), all(q2, "image", "dn", "ds", "dw", "de", "coefficient"), true},
	{"sgemm/naive/sgemm_naive_32", "4096 x 4096 x 4096", [3]int{k4 / 32, k4 / 32, 1}, values("k", k4, "columns", k4), all(q4, "a", "b", "c"), false},
	{"sgemm/double/sgemm_double_32", "4096 x 4096 x 4096", [3]int{k4 / 32, k4 / 32, 1}, values("k", k4, "columns", k4), all(q4, "a", "b", "c"), false},
}
