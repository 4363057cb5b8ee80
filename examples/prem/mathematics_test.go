package prem

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// dense returns a copy of a one- or two-dimensional argument as a matrix, a vector as a column.
func dense(t *testing.T, p Benchmark, m Memory, name string) *mat.Dense {
	t.Helper()
	q, v := args{p.Params, m}.find(name)
	rows, columns := q.Dims[0], q.Len()/q.Dims[0]
	d := mat.NewDense(rows, columns, nil)
	for e := range q.Len() {
		switch v := v.(type) {
		case []float32:
			d.Set(e/columns, e%columns, float64(v[e]))
		case []float64:
			d.Set(e/columns, e%columns, v[e])
		default:
			t.Fatalf("%s is no array of numbers", name)
		}
	}
	return d
}

// triangle returns the lower triangle with that value on the diagonal, or with the matrix's own where it is NaN; mirrored
// says that the upper triangle is its mirror image and not zero.
func triangle(m *mat.Dense, diagonal float64, mirrored bool) *mat.Dense {
	n, _ := m.Dims()
	d := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i {
			d.Set(i, j, m.At(i, j))
			if mirrored {
				d.Set(j, i, m.At(i, j))
			}
		}
		d.Set(i, i, diagonal)
		if math.IsNaN(diagonal) {
			d.Set(i, i, m.At(i, i))
		}
	}
	return d
}

// sum is a*x + b*y, product the product of all factors.
func sum(a float64, x mat.Matrix, b float64, y mat.Matrix) mat.Matrix {
	var s, ax, by mat.Dense
	ax.Scale(a, x)
	by.Scale(b, y)
	s.Add(&ax, &by)
	return &s
}

func times(factors ...mat.Matrix) mat.Matrix {
	var d mat.Dense
	d.Product(factors...)
	return &d
}

// TestReferencesAgainstLinearAlgebra checks the references against gonum, which computes in float64 and another order, or
// by the property that defines the result.
func TestReferencesAgainstLinearAlgebra(t *testing.T) {
	type get func(string) *mat.Dense
	own := math.NaN()
	for _, c := range []struct {
		program  string
		identity func(in, out get) (got, want mat.Matrix)
	}{
		{"mm2", func(in, out get) (mat.Matrix, mat.Matrix) {
			return out("D"), sum(1.3, times(in("A"), in("B"), in("C")), 0.7, in("D"))
		}},
		{"mm3", func(in, out get) (mat.Matrix, mat.Matrix) { return out("G"), times(in("A"), in("B"), in("C"), in("D")) }},
		{"atax", func(in, out get) (mat.Matrix, mat.Matrix) { return out("y"), times(in("A").T(), in("A"), in("x")) }},
		{"bicg", func(in, out get) (mat.Matrix, mat.Matrix) { return out("q"), times(in("A"), in("p")) }},
		{"bicg", func(in, out get) (mat.Matrix, mat.Matrix) { return out("s"), times(in("A").T(), in("r")) }},
		{"corr", func(in, out get) (mat.Matrix, mat.Matrix) {
			var c mat.SymDense
			stat.CorrelationMatrix(&c, in("X"), nil)
			return out("C"), &c
		}},
		{"covar", func(in, out get) (mat.Matrix, mat.Matrix) {
			var c mat.SymDense
			stat.CovarianceMatrix(&c, in("X"), nil)
			return out("C"), &c
		}},
		{"gemm", func(in, out get) (mat.Matrix, mat.Matrix) {
			return out("C"), sum(1.1, times(in("A"), in("B")), 0.9, in("C"))
		}},
		{"gemver", func(in, out get) (mat.Matrix, mat.Matrix) {
			a := sum(1, in("A"), 1, sum(1, times(in("u1"), in("v1").T()), 1, times(in("u2"), in("v2").T())))
			x := sum(1, sum(1, in("x"), 1.2, times(a.T(), in("y"))), 1, in("z"))
			return out("w"), sum(1.5, times(a, x), 0, x)
		}},
		{"gesummv", func(in, out get) (mat.Matrix, mat.Matrix) {
			return out("y"), sum(1.5, times(in("A"), in("x")), 1.2, times(in("B"), in("x")))
		}},
		{"gramschmidt", func(in, out get) (mat.Matrix, mat.Matrix) { return times(out("Q"), out("R")), in("A") }},
		{"gramschmidt", func(in, out get) (mat.Matrix, mat.Matrix) {
			return times(out("Q").T(), out("Q")), triangle(mat.NewDense(20, 20, nil), 1, false)
		}},
		{"lu", func(in, out get) (mat.Matrix, mat.Matrix) {
			l := triangle(out("A"), 1, false)
			u := sum(1, out("A"), -1, triangle(out("A"), 0, false))
			return times(l, u), in("A")
		}},
		{"mvt", func(in, out get) (mat.Matrix, mat.Matrix) {
			return out("x1"), sum(1, in("x1"), 1, times(in("A"), in("y1")))
		}},
		{"mvt", func(in, out get) (mat.Matrix, mat.Matrix) {
			return out("x2"), sum(1, in("x2"), 1, times(in("A").T(), in("y2")))
		}},
		{"syr2k", func(in, out get) (mat.Matrix, mat.Matrix) {
			ab := times(in("A"), in("B").T())
			return out("C"), sum(1.5, sum(1, ab, 1, ab.T()), 1.2, in("C"))
		}},
		{"syrk", func(in, out get) (mat.Matrix, mat.Matrix) {
			return out("C"), sum(1.5, times(in("A"), in("A").T()), 1.2, in("C"))
		}},
		{"cholesky", func(in, out get) (mat.Matrix, mat.Matrix) {
			return times(out("L"), out("L").T()), triangle(in("A"), own, true)
		}},
		{"symm", func(in, out get) (mat.Matrix, mat.Matrix) {
			return out("C"), sum(1.5, times(triangle(in("A"), own, true), in("B")), 1.2, in("C"))
		}},
		{"trisolv", func(in, out get) (mat.Matrix, mat.Matrix) {
			return times(triangle(in("L"), own, false), out("X")), in("B")
		}},
		{"trmm", func(in, out get) (mat.Matrix, mat.Matrix) {
			p := times(triangle(in("A"), 1, false), in("B"))
			return out("C"), sum(1.5, p, 0, p)
		}},
	} {
		p, ok := Lookup(c.program)
		if !ok {
			t.Fatalf("no program %s", c.program)
		}
		before, after := p.Inputs(), p.Inputs()
		if err := p.Run(after); err != nil {
			t.Fatal(err)
		}
		got, want := c.identity(
			func(name string) *mat.Dense { return dense(t, p, before, name) },
			func(name string) *mat.Dense { return dense(t, p, after, name) },
		)
		if scale := math.Max(1, mat.Max(want)); !mat.EqualApprox(got, want, 2e-5*scale) {
			t.Errorf("%s: got\n%.4v\nwant\n%.4v", c.program, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// TestUniformFieldsStay checks that the relaxations and the heat equation leave a uniform field as it is, as their
// equations say; sums of the 0.33333 of jacobi1d fall short of 1 by 1e-5 a step.
func TestUniformFieldsStay(t *testing.T) {
	for _, name := range []string{"adi", "heat3d", "jacobi1d", "jacobi2d", "redblack", "seidel2d"} {
		p, _ := Lookup(name)
		m := p.Inputs()
		for i, q := range p.Params {
			for e := range q.Len() {
				switch v := m[i].(type) {
				case []float32:
					v[e] = 3
				case []float64:
					if q.Result {
						v[e] = 3
					}
				}
			}
		}
		if err := p.Run(m); err != nil {
			t.Fatal(err)
		}
		for i, q := range p.Params {
			for e := range q.Len() {
				v := 3.0
				switch m := m[i].(type) {
				case []float32:
					v = float64(m[e])
				case []float64:
					v = m[e]
				}
				if inner := name != "adi" || q.Name == "U"; q.Result && inner && math.Abs(v-3) > 2e-4 {
					t.Errorf("%s: %s%v is %v, want 3", name, q.Name, q.subscripts(e), v)
					break
				}
			}
		}
	}
}

// TestShortestPaths checks that no distance is above a detour, and that every one is a road or a detour.
func TestShortestPaths(t *testing.T) {
	p, _ := Lookup("floydwarshall")
	before, after := p.Inputs(), p.Inputs()
	if err := p.Run(after); err != nil {
		t.Fatal(err)
	}
	roads, d := cut(before[0].([]int32), 32), cut(after[0].([]int32), 32)
	for i := range d {
		for j := range d {
			best := roads[i][j]
			for k := range d {
				if k != i && k != j {
					best = min(best, d[i][k]+d[k][j])
				}
			}
			if i != j && d[i][j] != best {
				t.Errorf("from %d to %d: %d, the best detour or road is %d", i, j, d[i][j], best)
			}
		}
	}
}

// TestAnImpulseShowsTheMask checks that the convolutions of a single one are the mask, reversed.
func TestAnImpulseShowsTheMask(t *testing.T) {
	for name, side := range map[string]int{"conv2d": 1, "conv3d": 3} {
		p, _ := Lookup(name)
		m := p.Inputs()
		w, a := m[0].([]float32), m[1].([]float32)
		clear(a)
		dims := p.Params[1].Dims
		inner := dims[len(dims)-1]
		plane := inner * dims[len(dims)-2]
		centre := 5*inner + 5
		if side == 3 {
			centre += 5 * plane
		}
		a[centre] = 1
		if err := p.Run(m); err != nil {
			t.Fatal(err)
		}
		b := m[2].([]float32)
		for e, want := range w {
			offset := e%3 - 1 + (e/3%3-1)*inner
			if side == 3 {
				offset += (e/9 - 1) * plane
			}
			if got := b[centre-offset]; got != want {
				t.Errorf("%s: element %d of the mask is %v, want %v", name, e, got, want)
			}
		}
	}
}
