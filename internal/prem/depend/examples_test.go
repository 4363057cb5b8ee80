package depend_test

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/depend"
)

func TestExamplesAreIndependent(t *testing.T) {
	kernels := 0
	for _, p := range programs(t) {
		for _, f := range p.Funcs {
			for _, k := range f.Kernels() {
				kernels++
				if err := depend.Kernel(p, k); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if kernels < 50 {
		t.Errorf("%d kernels in the examples", kernels)
	}
}

// Sizes do not matter: what is independent at the small ones is so at large ones.
func TestLargeExamplesAreIndependent(t *testing.T) {
	sizes := map[string]string{"N": "4000", "NI": "3000", "NJ": "2000", "NK": "1000", "NL": "1500", "NM": "1700", "NN": "900",
		"NX": "2500", "NY": "3500", "NR": "700", "NQ": "800", "NP": "600", "NB": "64", "NC": "256", "NF": "512", "TSTEPS": "100"}
	for _, e := range prem.All() {
		text, err := e.Source()
		if err != nil {
			t.Fatal(err)
		}
		p, err := cfront.Parse(e.File(), text, sizes)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Funcs {
			for _, k := range f.Kernels() {
				if err := depend.Kernel(p, k); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// One edit that makes iterations depend on one another is found in programs of every
// kind.
func TestSpoiledExamplesAreRefused(t *testing.T) {
	for _, c := range []struct{ program, old, new, want string }{
		{"adi", "for (int j = 1; j < N - 1; j++) {\n            P[0][j]", "for (int j = 1; j < N - 1; j++) {\n            P[0][j + 1]", "P[0][(j + 1)] writes"},
		{"cholesky", "A[i][j] -= L[i][k] * L[j][k]", "A[i][j] -= A[i - 1][j] * L[j][k]", "A[(i - 1)][j] at"},
		{"corr", "C[k][j] = sum;", "C[k][j + 1] = sum;", "output dependence"},
		{"floydwarshall", "i != k && j != k", "i != k || j != k", "cannot be excluded: a condition around D[i][j] is not affine"},
		{"gramschmidt", "A[i][j] -= Q[i][k] * sum", "A[i][j] -= A[i][j - 1] * sum", "depend on one another"},
		{"jacobi2d", "A[i][j] = B[i][j];", "A[i][j] = A[i + 1][j];", "anti dependence"},
		{"lu", "for (int j = k + 1; j < N; j++)", "for (int j = k; j < N; j++)", "depend on one another"},
		{"redblack", "for (int j = 2; j < N - 1; j += 2)", "for (int j = 2; j < N - 1; j += 1)", "depend on one another"},
		{"seidel2d", "w - 2 * i", "w - i", "depend on one another"},
		{"symm", "C[i][j] = alpha", "C[i][i] = alpha", "from i = 0, j = 0 to i = 0, j = 1"},
		{"trisolv", "X[j][c]", "X[j][c - 1]", "parallel loop over c"},
		{"downsample", "B[j][i] =", "B[j / 2][i] =", "subscript (j / 2) of B is not affine"},
	} {
		e, ok := prem.Lookup(c.program)
		if !ok {
			t.Fatalf("no program %s", c.program)
		}
		text, err := e.Source()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s does not contain %q", c.program, c.old)
		}
		p, err := cfront.Parse(e.File(), strings.ReplaceAll(text, c.old, c.new), nil)
		if err != nil {
			t.Fatal(err)
		}
		refused := ""
		for _, f := range p.Funcs {
			for _, k := range f.Kernels() {
				if err := depend.Kernel(p, k); err != nil {
					refused += err.Error() + "\n"
				}
			}
		}
		if !strings.Contains(refused, c.want) {
			t.Errorf("%s with %s: refused with %q, want %q", c.program, c.new, refused, c.want)
		}
	}
}
