package examples

import "slices"

func sgemmExamples() []Example {
	const suite = "sgemm"
	return slices.Concat(
		launches(suite, "naive", sgemm, "sgemm_naive_32", "sgemm_naive_16", "sgemm_naive_8", "sgemm_naive_4",
			"sgemm_naive_8-4blocks"),
		launches(suite, "double", sgemm, "sgemm_double_32", "sgemm_double_16", "sgemm_double_8", "sgemm_double_4",
			"sgemm_double_8-4blocks"),
	)
}

// sgemm is the plain product: tiles change where the operands wait, not the order of the additions.
func sgemm(s *state) {
	k, columns := s.count("k"), s.count("columns")
	rows := s.grid[1] * s.block[1]
	a, b, c := s.f32s("a", rows*k), s.f32s("b", k*columns), s.f32s("c", rows*columns)
	for i := range rows {
		for j := range columns {
			c[i*columns+j] = columnProduct(b, a[i*k:(i+1)*k], j, k, columns, 0)
		}
	}
}
