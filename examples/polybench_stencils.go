package examples

// conv2DFilter is the filter of conv2d, row by row.
var conv2DFilter = [9]float32{0.2, -0.3, 0.4, 0.5, 0.6, 0.7, -0.8, -0.9, 0.1}

func conv2D(s *state) {
	rows, columns := s.count("rows"), s.count("columns")
	in, out := s.f32s("in", rows*columns), s.f32s("out", rows*columns)
	for i := 1; i < rows-1; i++ {
		for j := 1; j < columns-1; j++ {
			var sum float32
			for k, weight := range conv2DFilter {
				sum = fma32(weight, in[(i+k/3-1)*columns+j+k%3-1], sum)
			}
			out[i*columns+j] = sum
		}
	}
}

func conv3D(s *state) {
	ni, nj, nk, i := s.count("ni"), s.count("nj"), s.count("nk"), s.count("i")
	in, out := s.f32s("in", ni*nj*nk), s.f32s("out", ni*nj*nk)
	if i < 1 || i >= ni-1 {
		return
	}
	// The weights of plane i-1, i and i+1.
	weights := [3]float32{2, 5, 4}
	for j := 1; j < nj-1; j++ {
		for k := 1; k < nk-1; k++ {
			at := func(di, dj, dk int) float32 { return in[((i+di)*nj+j+dj)*nk+k+dk] }
			sum := 6 * at(0, 0, 0)
			for corner := range 4 {
				for plane, weight := range weights {
					sum = fma32(weight, at(plane-1, corner/2*2-1, corner%2*2-1), sum)
				}
			}
			sum = fma32(weights[0], at(-1, 0, 0), sum)
			out[(i*nj+j)*nk+k] = fma32(weights[2], at(1, 0, 0), sum)
		}
	}
}

func fdtdEy(s *state) {
	nx, ny, t := s.count("nx"), s.count("ny"), s.count("t")
	source, ey, hz := s.f32s("source", t+1), s.f32s("ey", nx*ny), s.f32s("hz", nx*ny)
	for at := range nx * ny {
		if at < ny {
			ey[at] = source[t]
		} else {
			ey[at] = fma32(-0.5, hz[at]-hz[at-ny], ey[at])
		}
	}
}

func fdtdEx(s *state) {
	nx, ny := s.count("nx"), s.count("ny")
	ex, hz := s.f32s("ex", nx*(ny+1)), s.f32s("hz", nx*ny)
	for i := range nx {
		for j := 1; j < ny; j++ {
			ex[i*(ny+1)+j] = fma32(-0.5, hz[i*ny+j]-hz[i*ny+j-1], ex[i*(ny+1)+j])
		}
	}
}

func fdtdHz(s *state) {
	nx, ny := s.count("nx"), s.count("ny")
	ex, ey, hz := s.f32s("ex", nx*(ny+1)), s.f32s("ey", (nx+1)*ny), s.f32s("hz", nx*ny)
	for i := range nx {
		for j := range ny {
			x, y := i*(ny+1)+j, i*ny+j
			hz[y] = fma32(-0.7, ex[x+1]-ex[x]+ey[y+ny]-ey[y], hz[y])
		}
	}
}

// inner calls f with the index of every inner point of an n x n grid.
func inner(n int, f func(at int)) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			f(i*n + j)
		}
	}
}

func jacobiSweep(s *state) {
	n := s.count("n")
	a, b := s.f32s("a", n*n), s.f32s("b", n*n)
	inner(n, func(at int) { b[at] = 0.2 * (a[at] + a[at-1] + a[at+1] + a[at+n] + a[at-n]) })
}

func jacobiCopy(s *state) {
	n := s.count("n")
	a, b := s.f32s("a", n*n), s.f32s("b", n*n)
	inner(n, func(at int) { a[at] = b[at] })
}
