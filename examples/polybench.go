package examples

import (
	"math"
	"slices"
)

func polybenchExamples() []Example {
	const suite = "polybench"
	return slices.Concat(
		launches(suite, "gemm", gemm, "gemm", "gemm-1block"),
		launches(suite, "2mm", mm2First, "mm2_first", "mm2_first-1block"),
		launches(suite, "2mm", mm2Second, "mm2_second", "mm2_second-1block"),
		launches(suite, "atax", ataxRows, "atax_rows", "atax_rows-1block"),
		launches(suite, "atax", ataxColumns, "atax_columns", "atax_columns-1block"),
		launches(suite, "bicg", bicgS, "bicg_s", "bicg_s-1block"),
		launches(suite, "bicg", bicgQ, "bicg_q", "bicg_q-1block"),
		launches(suite, "mvt", mvtRows, "mvt_rows", "mvt_rows-1block"),
		launches(suite, "mvt", mvtColumns, "mvt_columns", "mvt_columns-1block"),
		launches(suite, "gesummv", gesummv, "gesummv", "gesummv-1block"),
		launches(suite, "conv2d", conv2D, "conv2d", "conv2d-1block"),
		launches(suite, "conv3d", conv3D, "conv3d", "conv3d-1block"),
		launches(suite, "covariance", covarianceMean, "covariance_mean", "covariance_mean-1block"),
		launches(suite, "covariance", covarianceReduce, "covariance_reduce", "covariance_reduce-1block"),
		launches(suite, "covariance", covarianceCovar, "covariance_covar", "covariance_covar-1block"),
		launches(suite, "fdtd2d", fdtdEy, "fdtd_ey", "fdtd_ey-1block"),
		launches(suite, "fdtd2d", fdtdEx, "fdtd_ex", "fdtd_ex-1block"),
		launches(suite, "fdtd2d", fdtdHz, "fdtd_hz", "fdtd_hz-1block"),
		launches(suite, "jacobi2d", jacobiSweep, "jacobi_sweep", "jacobi_sweep-1block"),
		launches(suite, "jacobi2d", jacobiCopy, "jacobi_copy", "jacobi_copy-1block"),
	)
}

func gemm(s *state) {
	ni, nj, nk := s.count("ni"), s.count("nj"), s.count("nk")
	alpha, beta := s.f32("alpha"), s.f32("beta")
	a, b, c := s.f32s("a", ni*nk), s.f32s("b", nk*nj), s.f32s("c", ni*nj)
	for i := range ni {
		for j := range nj {
			sum := mul32(c[i*nj+j], beta)
			for k := range nk {
				sum = fma32(mul32(alpha, a[i*nk+k]), b[k*nj+j], sum)
			}
			c[i*nj+j] = sum
		}
	}
}

func mm2First(s *state) {
	multiply64(s, "a", "b", "ab", s.count("ni"), s.count("nj"), s.count("nk"))
}

func mm2Second(s *state) {
	multiply64(s, "ab", "c", "d", s.count("ni"), s.count("nl"), s.count("nj"))
}

// multiply64 is z = x*y, where x has rows x inner elements and y inner x columns.
func multiply64(s *state, xName, yName, zName string, rows, columns, inner int) {
	x, y, z := s.f64s(xName, rows*inner), s.f64s(yName, inner*columns), s.f64s(zName, rows*columns)
	for i := range rows {
		for j := range columns {
			sum := 0.0
			for k := range inner {
				sum = math.FMA(x[i*inner+k], y[k*columns+j], sum)
			}
			z[i*columns+j] = sum
		}
	}
}

// rowProduct is start + the product of row i of a, which has the given number of columns, with x.
func rowProduct(a, x []float32, i, columns int, start float32) float32 {
	for j := range columns {
		start = fma32(a[i*columns+j], x[j], start)
	}
	return start
}

// columnProduct is start + the product of column j of a, which is rows x columns, with x.
func columnProduct(a, x []float32, j, rows, columns int, start float32) float32 {
	for i := range rows {
		start = fma32(a[i*columns+j], x[i], start)
	}
	return start
}

func ataxRows(s *state)    { rowProducts(s, "x", "tmp") }
func ataxColumns(s *state) { columnProducts(s, "tmp", "y") }
func bicgS(s *state)       { columnProducts(s, "r", "s") }
func bicgQ(s *state)       { rowProducts(s, "p", "q") }

// rowProducts is out = a*x.
func rowProducts(s *state, xName, outName string) {
	rows, columns := s.count("rows"), s.count("columns")
	a, x, out := s.f32s("a", rows*columns), s.f32s(xName, columns), s.f32s(outName, rows)
	for i := range rows {
		out[i] = rowProduct(a, x, i, columns, 0)
	}
}

// columnProducts is out = a'*x.
func columnProducts(s *state, xName, outName string) {
	rows, columns := s.count("rows"), s.count("columns")
	a, x, out := s.f32s("a", rows*columns), s.f32s(xName, rows), s.f32s(outName, columns)
	for j := range columns {
		out[j] = columnProduct(a, x, j, rows, columns, 0)
	}
}

func mvtRows(s *state) {
	n := s.count("n")
	a, x, y := s.f32s("a", n*n), s.f32s("x1", n), s.f32s("y1", n)
	for i := range n {
		x[i] = rowProduct(a, y, i, n, x[i])
	}
}

func mvtColumns(s *state) {
	n := s.count("n")
	a, x, y := s.f32s("a", n*n), s.f32s("x2", n), s.f32s("y2", n)
	for i := range n {
		x[i] = columnProduct(a, y, i, n, n, x[i])
	}
}

func gesummv(s *state) {
	n, alpha, beta := s.count("n"), s.f32("alpha"), s.f32("beta")
	a, b, x, y := s.f32s("a", n*n), s.f32s("b", n*n), s.f32s("x", n), s.f32s("y", n)
	for i := range n {
		y[i] = fma32(alpha, rowProduct(a, x, i, n, 0), mul32(beta, rowProduct(b, x, i, n, 0)))
	}
}

func covarianceMean(s *state) {
	n, m := s.count("n"), s.count("m")
	data, mean := s.f32s("data", n*m), s.f32s("mean", m)
	for j := range m {
		var sum float32
		for i := range n {
			sum += data[i*m+j]
		}
		mean[j] = sum / float32(n)
	}
}

func covarianceReduce(s *state) {
	n, m := s.count("n"), s.count("m")
	data, mean := s.f32s("data", n*m), s.f32s("mean", m)
	for i := range n * m {
		data[i] -= mean[i%m]
	}
}

func covarianceCovar(s *state) {
	n, m := s.count("n"), s.count("m")
	data, cov := s.f32s("data", n*m), s.f32s("cov", m*m)
	for j1 := range m {
		for j2 := range m {
			var sum float32
			for i := range n {
				sum = fma32(data[i*m+j1], data[i*m+j2], sum)
			}
			cov[j1*m+j2] = sum
		}
	}
}
