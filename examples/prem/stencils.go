package prem

// The references of the stencils, convolutions and grid relaxations. Numbers of time steps are the programs' defaults.

func conv2d(a args) {
	w, ma, mb := grid[float32](a, "W"), grid[float32](a, "A"), grid[float32](a, "B")
	for i := 1; i < len(mb)-1; i++ {
		for j := 1; j < len(mb[i])-1; j++ {
			sum := float32(0)
			for p := range w {
				for q := range w[p] {
					sum += float32(w[p][q] * ma[i+p-1][j+q-1])
				}
			}
			mb[i][j] = sum
		}
	}
}

func conv3d(a args) {
	w, ma, mb := cube[float32](a, "W"), cube[float32](a, "A"), cube[float32](a, "B")
	for i := 1; i < len(mb)-1; i++ {
		for j := 1; j < len(mb[i])-1; j++ {
			for k := 1; k < len(mb[i][j])-1; k++ {
				sum := float32(0)
				for p := range w {
					for q := range w[p] {
						for r := range w[p][q] {
							sum += float32(w[p][q][r] * ma[i+p-1][j+q-1][k+r-1])
						}
					}
				}
				mb[i][j][k] = sum
			}
		}
	}
}

func convlayer(a args) {
	in, w, bias, out := four[float32](a, "IN"), four[float32](a, "W"), vec[float32](a, "bias"), four[float32](a, "OUT")
	for b := range out {
		for f := range out[b] {
			for y := range out[b][f] {
				for x := range out[b][f][y] {
					sum := bias[f]
					for c := range in[b] {
						for p := range w[f][c] {
							for q := range w[f][c][p] {
								sum += float32(in[b][c][y+p][x+q] * w[f][c][p][q])
							}
						}
					}
					out[b][f][y][x] = max(sum, 0)
				}
			}
		}
	}
}

func downsample(a args) {
	ma, mb := grid[float32](a, "A"), grid[float32](a, "B")
	for j := range mb {
		for i := range mb[j] {
			mb[j][i] = 0.25 * (ma[2*i][2*j] + ma[2*i][2*j+1] + ma[2*i+1][2*j] + ma[2*i+1][2*j+1])
		}
	}
}

func adi(a args) {
	weight := scalar[float64](a, "a")
	u, v, p, q := grid[float64](a, "U"), grid[float64](a, "V"), grid[float64](a, "P"), grid[float64](a, "Q")
	n := len(u)
	// eliminate is one step of the elimination: the row's P and Q from the row's before and its explicit side.
	eliminate := func(p, q, mid, left, right float64) (float64, float64) {
		pivot := 1.0 + float64(2.0*weight) - float64(weight*p)
		rhs := float64((1.0-float64(2.0*weight))*mid) + float64(weight*(left+right))
		return weight / pivot, (rhs + float64(weight*q)) / pivot
	}
	for range 4 {
		for j := 1; j < n-1; j++ {
			p[0][j], q[0][j] = 0, u[0][j]
			for i := 1; i < n-1; i++ {
				p[i][j], q[i][j] = eliminate(p[i-1][j], q[i-1][j], u[i][j], u[i][j-1], u[i][j+1])
			}
			v[n-1][j] = u[n-1][j]
			for i := n - 2; i > 0; i-- {
				v[i][j] = float64(p[i][j]*v[i+1][j]) + q[i][j]
			}
			v[0][j] = u[0][j]
		}
		for i := 1; i < n-1; i++ {
			p[i][0], q[i][0] = 0, u[i][0]
			for j := 1; j < n-1; j++ {
				p[i][j], q[i][j] = eliminate(p[i][j-1], q[i][j-1], v[i][j], v[i-1][j], v[i+1][j])
			}
			for j := n - 2; j > 0; j-- {
				u[i][j] = float64(p[i][j]*u[i][j+1]) + q[i][j]
			}
		}
	}
}

func fdtd2d(a args) {
	f, ex, ey, hz := vec[float32](a, "f"), grid[float32](a, "EX"), grid[float32](a, "EY"), grid[float32](a, "HZ")
	nx, ny := len(ex), len(ex[0])
	for t := range f {
		for j := range ny {
			ey[0][j] = f[t]
		}
		for i := 1; i < nx; i++ {
			for j := range ny {
				ey[i][j] -= float32(0.5 * (hz[i][j] - hz[i-1][j]))
			}
		}
		for i := range nx {
			for j := 1; j < ny; j++ {
				ex[i][j] -= float32(0.5 * (hz[i][j] - hz[i][j-1]))
			}
		}
		for i := range nx - 1 {
			for j := range ny - 1 {
				hz[i][j] -= float32(0.7 * (ex[i][j+1] - ex[i][j] + ey[i+1][j] - ey[i][j]))
			}
		}
	}
}

func jacobi1d(a args) {
	va, vb := vec[float32](a, "A"), vec[float32](a, "B")
	for range 6 {
		for i := 1; i < len(va)-1; i++ {
			vb[i] = 0.33333 * (va[i-1] + va[i] + va[i+1])
		}
		copy(va[1:len(va)-1], vb[1:])
	}
}

func jacobi2d(a args) {
	ma, mb := grid[float32](a, "A"), grid[float32](a, "B")
	n := len(ma)
	for range 4 {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				mb[i][j] = 0.2 * (ma[i][j] + ma[i][j-1] + ma[i][j+1] + ma[i-1][j] + ma[i+1][j])
			}
		}
		for i := 1; i < n-1; i++ {
			copy(ma[i][1:n-1], mb[i][1:])
		}
	}
}

func heat3d(a args) {
	c, ma, mb := scalar[float64](a, "c"), cube[float64](a, "A"), cube[float64](a, "B")
	for range 3 {
		heatStep(mb, ma, c)
		heatStep(ma, mb, c)
	}
}

func heatStep(dst, src [][][]float64, c float64) {
	second := func(left, mid, right float64) float64 { return float64(c * (right - float64(2.0*mid) + left)) }
	for i := 1; i < len(src)-1; i++ {
		for j := 1; j < len(src[i])-1; j++ {
			for k := 1; k < len(src[i][j])-1; k++ {
				mid := src[i][j][k]
				dst[i][j][k] = mid + second(src[i-1][j][k], mid, src[i+1][j][k]) +
					second(src[i][j-1][k], mid, src[i][j+1][k]) + second(src[i][j][k-1], mid, src[i][j][k+1])
			}
		}
	}
}

// seidel2d takes the elements in order, not by wavefronts: the result is the same.
func seidel2d(a args) {
	m := grid[float32](a, "A")
	n := len(m)
	for range 2 {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				m[i][j] = (m[i-1][j-1] + m[i-1][j] + m[i-1][j+1] + m[i][j-1] + m[i][j] + m[i][j+1] +
					m[i+1][j-1] + m[i+1][j] + m[i+1][j+1]) / 9
			}
		}
	}
}

// redblack takes each colour's elements in order of the rows: the result is the same.
func redblack(a args) {
	omega, m := scalar[float64](a, "omega"), grid[float64](a, "A")
	n := len(m)
	for range 3 {
		for colour := range 2 {
			for i := 1; i < n-1; i++ {
				for j := 1 + (i+1+colour)%2; j < n-1; j += 2 {
					mean := float64(0.25 * (m[i-1][j] + m[i+1][j] + m[i][j-1] + m[i][j+1]))
					m[i][j] += float64(omega * (mean - m[i][j]))
				}
			}
		}
	}
}
