package prem

import "math"

// The references of the decompositions, of the statistics, and of all other programs.

func corr(a args) {
	eps, x, c := scalar[float32](a, "eps"), grid[float32](a, "X"), grid[float32](a, "C")
	mean, dev := vec[float32](a, "mean"), vec[float32](a, "dev")
	n := float32(len(x))
	for j := range mean {
		sum := float32(0)
		for i := range x {
			sum += x[i][j]
		}
		mean[j] = sum / n
	}
	for j := range dev {
		sum := float32(0)
		for i := range x {
			sum += float32((x[i][j] - mean[j]) * (x[i][j] - mean[j]))
		}
		dev[j] = sqrtf(sum / n)
		if dev[j] <= eps {
			dev[j] = 1
		}
	}
	for i := range x {
		for j := range x[i] {
			x[i][j] = (x[i][j] - mean[j]) / float32(sqrtf(n)*dev[j])
		}
	}
	for j := range c {
		c[j][j] = 1
		for k := j + 1; k < len(c); k++ {
			sum := float32(0)
			for i := range x {
				sum += float32(x[i][j] * x[i][k])
			}
			c[j][k], c[k][j] = sum, sum
		}
	}
}

func covar(a args) {
	x, mean, c := grid[float64](a, "X"), vec[float64](a, "mean"), grid[float64](a, "C")
	for j := range mean {
		mean[j] = 0
		for i := range x {
			mean[j] += x[i][j]
		}
		mean[j] /= float64(len(x))
	}
	for i := range x {
		for j := range x[i] {
			x[i][j] -= mean[j]
		}
	}
	for j := range c {
		for k := range c[j] {
			sum := 0.0
			for i := range x {
				sum += float64(x[i][j] * x[i][k])
			}
			c[j][k] = sum / float64(len(x)-1)
		}
	}
}

func gramschmidt(a args) {
	m, r, q := grid[float32](a, "A"), grid[float32](a, "R"), grid[float32](a, "Q")
	for k := range r {
		square := float32(0)
		for i := range m {
			square += float32(m[i][k] * m[i][k])
		}
		r[k][k] = sqrtf(square)
		for i := range m {
			q[i][k] = m[i][k] / r[k][k]
		}
		for j := k + 1; j < len(r); j++ {
			r[k][j] = 0
			for i := range m {
				r[k][j] += float32(q[i][k] * m[i][j])
			}
			for i := range m {
				m[i][j] -= float32(q[i][k] * r[k][j])
			}
		}
	}
}

func lu(a args) {
	m := grid[float32](a, "A")
	for k := range m {
		for i := k + 1; i < len(m); i++ {
			m[i][k] /= m[k][k]
			for j := k + 1; j < len(m); j++ {
				m[i][j] -= float32(m[i][k] * m[k][j])
			}
		}
	}
}

func cholesky(a args) {
	m, l := grid[float64](a, "A"), grid[float64](a, "L")
	for k := range m {
		for i := k; i < len(m); i++ {
			l[i][k] = m[i][k] / math.Sqrt(m[k][k])
		}
		for i := k + 1; i < len(m); i++ {
			for j := k + 1; j <= i; j++ {
				m[i][j] -= float64(l[i][k] * l[j][k])
			}
		}
	}
}

func trisolv(a args) {
	l, b, x := grid[float32](a, "L"), grid[float32](a, "B"), grid[float32](a, "X")
	for c := range x[0] {
		for i := range x {
			rest := b[i][c]
			for j := range i {
				rest -= float32(l[i][j] * x[j][c])
			}
			x[i][c] = rest / l[i][i]
		}
	}
}

// floydwarshall takes row and column k along, which the C program leaves out: they do not change.
func floydwarshall(a args) {
	d := grid[int32](a, "D")
	for k := range d {
		for i := range d {
			for j := range d {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
}

func reduce(a args) {
	x, y, out := vec[float32](a, "x"), vec[float32](a, "y"), vec[float32](a, "out")
	out[0], out[1], out[2] = 0, x[0], y[0]
	for i := range x {
		out[0] += float32(x[i] * y[i])
		out[1], out[2] = max(out[1], x[i]), min(out[2], y[i])
	}
}
