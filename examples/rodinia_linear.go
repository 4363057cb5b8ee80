package examples

func fan1(s *state) {
	size, t := s.count("size"), s.count("t")
	m, a := s.f32s("m", size*size), s.f32s("a", size*size)
	for row := t + 1; row < size; row++ {
		m[size*row+t] = a[size*row+t] / a[size*t+t]
	}
}

func fan2(s *state) {
	size, t := s.count("size"), s.count("t")
	m, a, b := s.f32s("m", size*size), s.f32s("a", size*size), s.f32s("b", size)
	for row := t + 1; row < size; row++ {
		factor := m[size*row+t]
		for column := t; column < size; column++ {
			a[size*row+column] = fma32(-factor, a[size*t+column], a[size*row+column])
		}
		b[row] = fma32(-factor, b[t], b[row])
	}
}

// ludTile is the side of a tile of the LU kernels.
const ludTile = 16

// ludMatrix returns the matrix, its side, and the first row and column of the current step.
func ludMatrix(s *state) (m []float32, n, offset int) {
	n, offset = s.count("n"), s.count("offset")
	return s.f32s("m", n*n), n, offset
}

// ludDiagonal eliminates column by column (the kernel goes along rows of one factor and columns of
// the other): every element gets the same subtractions in the same order.
func ludDiagonal(s *state) {
	m, n, offset := ludMatrix(s)
	end := offset + ludTile
	for k := offset; k < end; k++ {
		for i := k + 1; i < end; i++ {
			m[i*n+k] /= m[k*n+k]
			for j := k + 1; j < end; j++ {
				m[i*n+j] = fma32(-m[i*n+k], m[k*n+j], m[i*n+j])
			}
		}
	}
}

// ludPerimeter solves with the unit lower factor for the tiles on the right, with the upper one for those below.
func ludPerimeter(s *state) {
	m, n, offset := ludMatrix(s)
	end := offset + ludTile
	for far := end; far < end+ludTile*s.grid[0]; far++ {
		for i := offset; i < end; i++ {
			for j := offset; j < i; j++ {
				m[i*n+far] = fma32(-m[i*n+j], m[j*n+far], m[i*n+far])
				m[far*n+i] = fma32(-m[far*n+j], m[j*n+i], m[far*n+i])
			}
			m[far*n+i] /= m[i*n+i]
		}
	}
}

func ludInternal(s *state) {
	m, n, offset := ludMatrix(s)
	end := offset + ludTile
	for y := end; y < end+ludTile*s.grid[1]; y++ {
		for x := end; x < end+ludTile*s.grid[0]; x++ {
			var sum float32
			for k := offset; k < end; k++ {
				sum = fma32(m[y*n+k], m[k*n+x], sum)
			}
			m[y*n+x] -= sum
		}
	}
}
