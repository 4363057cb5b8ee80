package examples

import "slices"

func basicExamples() []Example {
	const suite = "basic"
	return slices.Concat(
		launches(suite, "saxpy", saxpy, "saxpy", "saxpy-1warp"),
		launches(suite, "vecadd", vecadd, "vecadd", "vecadd-1block", "vecadd-1warp"),
		launches(suite, "reduce", reduce, "reduce", "reduce-1block"),
	)
}

func saxpy(s *state) {
	n, a := s.count("n"), s.f32("a")
	x, y := s.f32s("x", n), s.f32s("y", n)
	for i := range n {
		y[i] = fma32(a, x[i], y[i])
	}
}

func vecadd(s *state) {
	n := s.count("n")
	a, b, c := s.f32s("a", n), s.f32s("b", n), s.f32s("c", n)
	for i := range min(n, s.grid[0]*s.block[0]) {
		c[i] = a[i] + b[i]
	}
}

func reduce(s *state) {
	n := s.count("n")
	in, out := s.u32s("in", n), s.u32s("out", s.grid[0])
	clear(out[:s.grid[0]])
	for i := range n {
		out[i/s.threads%s.grid[0]] += in[i]
	}
}
