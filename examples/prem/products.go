package prem

// The references of the matrix and vector products. Every product is rounded by a conversion before it is added, so that
// no compiler fuses the two.

func mm2(a args) {
	alpha, beta := scalar[float32](a, "alpha"), scalar[float32](a, "beta")
	t, ma, mb, mc, md := grid[float32](a, "T"), grid[float32](a, "A"), grid[float32](a, "B"), grid[float32](a, "C"), grid[float32](a, "D")
	for i := range t {
		for j := range t[i] {
			sum := float32(0)
			for k := range mb {
				sum += float32(alpha * ma[i][k] * mb[k][j])
			}
			t[i][j] = sum
		}
	}
	for i := range md {
		for l := range md[i] {
			sum := float32(beta * md[i][l])
			for j := range mc {
				sum += float32(t[i][j] * mc[j][l])
			}
			md[i][l] = sum
		}
	}
}

func mm3(a args) {
	e, f, g := grid[float64](a, "E"), grid[float64](a, "F"), grid[float64](a, "G")
	product(e, grid[float64](a, "A"), grid[float64](a, "B"))
	product(f, grid[float64](a, "C"), grid[float64](a, "D"))
	product(g, e, f)
}

// product is dst = x*y.
func product(dst, x, y [][]float64) {
	for i := range dst {
		for j := range dst[i] {
			sum := 0.0
			for k := range y {
				sum += float64(x[i][k] * y[k][j])
			}
			dst[i][j] = sum
		}
	}
}

func atax(a args) {
	m, x, y, t := grid[float32](a, "A"), vec[float32](a, "x"), vec[float32](a, "y"), vec[float32](a, "t")
	timesRows(t, m, x)
	timesColumns(y, m, t)
}

func bicg(a args) {
	m := grid[float32](a, "A")
	timesColumns(vec[float32](a, "s"), m, vec[float32](a, "r"))
	timesRows(vec[float32](a, "q"), m, vec[float32](a, "p"))
}

// timesRows is dst = m*v.
func timesRows(dst []float32, m [][]float32, v []float32) {
	for i := range dst {
		sum := float32(0)
		for j := range v {
			sum += float32(m[i][j] * v[j])
		}
		dst[i] = sum
	}
}

// timesColumns is dst = transpose(m)*v.
func timesColumns(dst []float32, m [][]float32, v []float32) {
	for j := range dst {
		sum := float32(0)
		for i := range v {
			sum += float32(m[i][j] * v[i])
		}
		dst[j] = sum
	}
}

func doitgen(a args) {
	ma, mb, s := cube[float32](a, "A"), grid[float32](a, "B"), cube[float32](a, "S")
	for r := range ma {
		for q := range ma[r] {
			timesColumns(s[r][q], mb, ma[r][q])
			copy(ma[r][q], s[r][q])
		}
	}
}

func gemm(a args) {
	alpha, beta := scalar[float32](a, "alpha"), scalar[float32](a, "beta")
	ma, mb, mc := grid[float32](a, "A"), grid[float32](a, "B"), grid[float32](a, "C")
	for i := range mc {
		for j := range mc[i] {
			mc[i][j] *= beta
			for k := range mb {
				mc[i][j] += float32(alpha * ma[i][k] * mb[k][j])
			}
		}
	}
}

func gemver(a args) {
	alpha, beta, m := scalar[float64](a, "alpha"), scalar[float64](a, "beta"), grid[float64](a, "A")
	u1, v1, u2, v2 := vec[float64](a, "u1"), vec[float64](a, "v1"), vec[float64](a, "u2"), vec[float64](a, "v2")
	x, y, z, w := vec[float64](a, "x"), vec[float64](a, "y"), vec[float64](a, "z"), vec[float64](a, "w")
	for i := range m {
		for j := range m[i] {
			m[i][j] = m[i][j] + float64(u1[i]*v1[j]) + float64(u2[i]*v2[j])
		}
	}
	for i := range x {
		sum := x[i]
		for j := range y {
			sum += float64(beta * m[j][i] * y[j])
		}
		x[i] = sum + z[i]
	}
	for i := range w {
		sum := 0.0
		for j := range x {
			sum += float64(alpha * m[i][j] * x[j])
		}
		w[i] = sum
	}
}

func gesummv(a args) {
	alpha, beta := scalar[float32](a, "alpha"), scalar[float32](a, "beta")
	ma, mb, x, y := grid[float32](a, "A"), grid[float32](a, "B"), vec[float32](a, "x"), vec[float32](a, "y")
	for i := range y {
		first, second := float32(0), float32(0)
		for j := range x {
			first += float32(ma[i][j] * x[j])
			second += float32(mb[i][j] * x[j])
		}
		y[i] = float32(alpha*first) + float32(beta*second)
	}
}

func mvt(a args) {
	m := grid[float32](a, "A")
	x1, y1, x2, y2 := vec[float32](a, "x1"), vec[float32](a, "y1"), vec[float32](a, "x2"), vec[float32](a, "y2")
	for i := range x1 {
		for j := range y1 {
			x1[i] += float32(m[i][j] * y1[j])
			x2[i] += float32(m[j][i] * y2[j])
		}
	}
}

func syr2k(a args) {
	alpha, beta := scalar[float32](a, "alpha"), scalar[float32](a, "beta")
	ma, mb, mc := grid[float32](a, "A"), grid[float32](a, "B"), grid[float32](a, "C")
	for i := range mc {
		for j := range mc[i] {
			sum := float32(mc[i][j] * beta)
			for k := range ma[i] {
				sum += float32(alpha * ma[i][k] * mb[j][k])
				sum += float32(alpha * mb[i][k] * ma[j][k])
			}
			mc[i][j] = sum
		}
	}
}

func syrk(a args) {
	alpha, beta := scalar[float32](a, "alpha"), scalar[float32](a, "beta")
	ma, mc := grid[float32](a, "A"), grid[float32](a, "C")
	for i := range mc {
		for j := range mc[i] {
			mc[i][j] *= beta
			for k := range ma[i] {
				mc[i][j] += float32(alpha * ma[i][k] * ma[j][k])
			}
		}
	}
}

func symm(a args) {
	alpha, beta := scalar[float32](a, "alpha"), scalar[float32](a, "beta")
	ma, mb, mc := grid[float32](a, "A"), grid[float32](a, "B"), grid[float32](a, "C")
	for i := range mc {
		for j := range mc[i] {
			sum := float32(0)
			for k := range mb {
				sum += float32(ma[max(i, k)][min(i, k)] * mb[k][j])
			}
			mc[i][j] = float32(alpha*sum) + float32(beta*mc[i][j])
		}
	}
}

func trmm(a args) {
	alpha := scalar[float32](a, "alpha")
	ma, mb, mc := grid[float32](a, "A"), grid[float32](a, "B"), grid[float32](a, "C")
	for i := range mc {
		for j := range mc[i] {
			sum := mb[i][j]
			for k := range i {
				sum += float32(ma[i][k] * mb[k][j])
			}
			mc[i][j] = alpha * sum
		}
	}
}
