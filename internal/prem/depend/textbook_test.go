package depend_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/depend"
	"github.com/warpbound/warpbound/internal/prem/loop"
)

const target = "\n#pragma omp target teams distribute parallel for "

// fataler is a test of either kind.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// parse reads a function and gives its first kernel.
func parse(t fataler, source string) (*loop.Unit, *loop.Nest) {
	t.Helper()
	p, err := cfront.Parse("t.c", source, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return p, p.Funcs[0].Kernels()[0]
}

// verdict asks whether the iterations of a function's first kernel are independent.
func verdict(t fataler, source string) error {
	t.Helper()
	p, k := parse(t, source)
	return depend.Kernel(p, k)
}

// one wraps statements in a parallel loop over i from 0 to 99, with arrays large
// enough for every subscript of the tests.
func one(body string) string {
	return "void f(int n, int m, float A[restrict 4000], float B[restrict 4000], int X[restrict 4000], float D[restrict 200][200]) {" + target + `
for (int i = 0; i < 100; i++) { ` + body + " } }"
}

// host wraps a kernel over i in sequential loops over k and w of the host.
func host(head, body string) string {
	return "void f(int n, int m, float A[restrict 4000], float D[restrict 200][200]) { for (int k = 0; k < 100; k++) for (int w = 0; w < 90; w++) {" + target +
		head + " { " + body + " } } }"
}

// both wraps statements in a parallel nest over i and j.
func both(body string) string {
	return "void f(int n, int m, float A[restrict 4000], float D[restrict 200][200]) {" + target + `collapse(2)
for (int i = 0; i < 50; i++) for (int j = 0; j < 60; j++) { ` + body + " } }"
}

const hostI = "\nfor (int i = 0; i < 100; i++)"

// The names are those of the classes in which dependence tests are taught: none,
// one or several index variables in a subscript pair (ZIV, SIV, MIV).
var textbook = []struct {
	name, source string
	want         string // "" where iterations are independent
}{
	{"ziv same", one("A[5] = 1.0f;"), "A[5] writes what A[5] at 3:33 writes (output dependence; for instance from i = 0 to i = 1)"},
	{"ziv different", one("A[200] = A[201];"), "A[200] writes"},
	{"ziv read", one("A[i] = B[5] + B[i + 1];"), ""},
	{"ziv apart from the loop", one("A[i] = A[100];"), ""},
	{"ziv in the loop", one("A[i] = A[99];"), "anti dependence; for instance from i = 0 to i = 99"},
	{"strong siv zero distance", one("A[i] = A[i] + 1.0f; A[i] += 2.0f;"), ""},
	{"strong siv flow", one("A[i + 1] = A[i];"), "flow dependence; for instance from i = 0 to i = 1"},
	{"strong siv anti", one("A[i] = A[i + 1];"), "anti dependence; for instance from i = 0 to i = 1"},
	{"strong siv output", one("A[i] = 0.0f; A[i + 7] = 1.0f;"), "output dependence; for instance from i = 0 to i = 7"},
	{"strong siv too far", one("A[i] = A[i + 100];"), ""},
	{"strong siv just near", one("A[i] = A[i + 99];"), "from i = 0 to i = 99"},
	{"strong siv not integer", one("A[2 * i] = A[2 * i + 1];"), ""},
	{"weak zero siv", one("A[i] = A[0];"), "dependence"},
	{"weak zero siv not integer", one("A[2 * i] = A[51];"), ""},
	{"weak crossing siv", one("A[i] = A[99 - i];"), "dependence"},
	{"weak crossing siv odd", one("A[2 * i] = A[199 - 2 * i];"), ""},
	{"weak crossing siv itself", one("if (i < 50) A[i] = A[99 - i];"), ""},
	{"weak crossing siv middle", one("if (i <= 50) A[i] = A[99 - i];"), "i = 50"},
	{"general siv", one("A[2 * i] = A[3 * i + 1];"), "dependence"},
	{"gcd", one("for (int j = 0; j < 9; j++) A[4 * i + 6 * j] = A[2 * j + 1 + 8 * i];"), "A[((4 * i) + (6 * j))] writes what"},
	{"gcd reads", one("for (int j = 0; j < 9; j++) { A[6 * i] = 0.0f; B[i] += A[3 * j * 2 + 1]; }"), ""},
	{"miv", one("for (int j = 0; j < 10; j++) A[10 * i + j] = 1.0f;"), ""},
	{"miv overlapping", one("for (int j = 0; j <= 10; j++) A[10 * i + j] = 1.0f;"), "from i = 0 to i = 1"},
	{"miv gcd and bounds", one("for (int j = 0; j < 3; j++) for (int l = 0; l < 2; l++) A[6 * i + 2 * j + l] = A[6 * i + 2 * j];"), ""},
	{"coupled", one("D[i][i] = D[i][99 - i + 100];"), ""},
	{"coupled crossing", one("for (int j = 0; j < 100; j++) D[i + j][i - j + 99] = 1.0f;"), ""},
	{"coupled parity", one("for (int j = 0; j < 50; j++) D[i + 1][2 * j] = D[i][2 * j + 1];"), ""},
	{"coupled dependent", one("for (int j = 0; j < 50; j++) D[i + 1][2 * j] = D[i][2 * j];"), "flow"},
	{"wavefront", host(hostI, "if (w - 2 * i >= 1 && w - 2 * i < 49 && i > 0) D[i][w - 2 * i] = D[i - 1][w - 2 * i + 1] + D[i + 1][w - 2 * i - 1] + D[i - 1][w - 2 * i - 1];"), ""},
	{"wavefront too steep", host(hostI, "if (w - i >= 1 && i > 0) D[i][w - i] = D[i - 1][w - i + 1] + D[i + 1][w - i];"), "dependence"},
	{"triangle", one("for (int j = i + 1; j < 100; j++) { D[i][j] = 1.0f; D[j][i] = 2.0f; }"), ""},
	{"triangle with the diagonal twice", one("for (int j = i; j < 100; j++) { D[i][j] = 1.0f; D[j][i] = 2.0f; }"), ""},
	{"square", one("for (int j = 0; j < 100; j++) { D[i][j] = 1.0f; D[j][i] = 2.0f; }"), "output"},
	{"cholesky update", host("\nfor (int i = k + 1; i < 100; i++)", "for (int j = k + 1; j <= i; j++) D[i][j] -= D[i][k] * D[j][k];"), ""},
	{"cholesky update from the row above", host("\nfor (int i = k + 1; i < 100; i++)", "for (int j = k + 1; j <= i; j++) D[i][j] -= D[i - 1][j];"), "with k = 0"},
	{"elimination including the pivot row", host("\nfor (int i = k; i < 100; i++)", "for (int j = k; j < 100; j++) D[i][j] -= D[k][j];"), "dependence"},
	{"elimination below the pivot row", host("\nfor (int i = k + 1; i < 100; i++)", "for (int j = k; j < 100; j++) D[i][j] -= D[k][j];"), ""},
	{"negative step", host("\nfor (int i = 99; i >= 0; i--)", "A[i + 1] = A[i];"), "anti dependence; for instance with k = 0, w = 0, from i = 1 to i = 0"},
	{"negative step two", host("\nfor (int i = 99; i > 0; i -= 2)", "A[i] = A[i - 1];"), ""},
	{"step two", host("\nfor (int i = k; i < 100; i += 2)", "A[i] = A[i + 1];"), ""},
	{"step two distance two", host("\nfor (int i = k; i < 100; i += 2)", "A[i] = A[i + 2];"), "anti"},
	{"step three parity of four", host("\nfor (int i = 0; i < 100; i += 3)", "A[i + 4] = A[i];"), ""},
	{"inner step", one("for (int j = 0; j < 100; j += 5) for (int l = 0; l < 5; l++) D[i][j + l] = D[i][j];"), ""},
	{"red and black", one("for (int j = 1; j < 99; j += 2) if (i > 0) D[2 * i][j] = D[2 * i - 1][j] + D[2 * i + 1][j] + D[2 * i][j - 1];"), ""},
	{"rows meet", one("for (int j = 1; j < 99; j += 2) if (i > 0) D[i][j] = D[i - 1][j];"), "flow"},
	{"collapsed", both("D[i][j] = D[i][j] + 1.0f;"), ""},
	{"collapsed inner", both("D[i][j + 1] = D[i][j];"), "parallel loop over j depend on one another"},
	{"collapsed outer", both("D[i + 1][j] = D[i][j];"), "parallel loop over i depend on one another"},
	{"collapsed row", both("D[i][0] = 1.0f;"), "from i = 0, j = 0 to i = 0, j = 1"},
	{"collapsed flattened", both("A[60 * i + j] = 1.0f;"), ""},
	{"collapsed flattened too tightly", both("A[59 * i + j] = 1.0f;"), "from i = 0, j = 59 to i = 1, j = 0"},
	{"guard ne", host("collapse(2)"+hostI+" for (int j = 0; j < 100; j++)", "if (i != k && j != k) D[i][j] = D[i][k] + D[k][j];"), ""},
	{"guard ne on one side", host("collapse(2)"+hostI+" for (int j = 0; j < 100; j++)", "if (i != k) D[i][j] = D[i][k] + D[k][j];"), "D[i][j] writes what D[i][k]"},
	{"guard else", one("if (i == 3) { A[3] = 1.0f; } else { B[i] = A[7]; }"), ""},
	{"guard not", one("if (!(i < 3 || i > 3)) A[9] = 1.0f;"), ""},
	{"guard not lt", one("if (!(i < 98)) A[9] = 1.0f;"), "from i = 98 to i = 99"},
	{"guard not lt alone", one("if (!(i < 99)) A[9] = 1.0f;"), ""},
	{"guard not le", one("if (!(i <= 97)) A[9] = 1.0f;"), "from i = 98 to i = 99"},
	{"guard not le alone", one("if (!(i <= 98)) A[9] = 1.0f;"), ""},
	{"guard not gt", one("if (!(i > 1)) A[9] = 1.0f;"), "from i = 0 to i = 1"},
	{"guard not gt alone", one("if (!(i > 0)) A[9] = 1.0f;"), ""},
	{"guard not ge", one("if (!(i >= 2)) A[9] = 1.0f;"), "from i = 0 to i = 1"},
	{"guard not ge alone", one("if (!(i >= 1)) A[9] = 1.0f;"), ""},
	{"guard not ne", one("if (!(i != 3)) A[9] = 1.0f;"), ""},
	{"guard not eq", one("if (!(i == 0)) A[i] = A[0];"), ""},
	{"guard never", one("if (n - n == 4 || n - n == -4) A[9] = 1.0f;"), ""},
	{"guard narrowed", one("if ((int)(4294967296l * i)) { B[i] = 1.0f; } else { A[9] = 1.0f; }"), "cannot be excluded: a condition around A[9] is not affine"},
	{"guard widened", one("if ((long)(i - 3)) { B[i] = 1.0f; } else { A[9] = 1.0f; }"), ""},
	{"guard truth of a number", one("if (i - 3) { B[i] = 1.0f; } else { A[9] = 1.0f; }"), ""},
	{"guard or", one("if (i == 3 || i == 4) A[9] = 1.0f;"), "from i = 3 to i = 4"},
	{"guard in an expression", one("A[i] = i > 0 ? A[0] * (i < 1) : 0.0f;"), "flow"},
	{"guard in an expression that excludes", one("A[i] = i < 1 ? A[0] : 0.0f;"), ""},
	{"guard in an expression, else", one("A[i] = i > 0 ? 0.0f : A[0];"), ""},
	{"read in a condition", one("if (A[i + 1] > 0.0f) A[i] = 1.0f;"), "A[i] writes what A[(i + 1)] at 3:37 reads"},
	{"read in a subscript", one("D[i][X[i + 1]] = 1.0f; X[i] = 3;"), "X[i] writes what X[(i + 1)] at"},
	{"read in an initialiser", one("float x = A[i + 1]; A[i] = x;"), "anti"},
	{"read in a call", "#include <math.h>\n" + one("A[i] = sqrtf(-A[i + 1]);"), "anti"},
	{"read in a conversion", one("X[i] = (int)A[i + 1]; A[i] = 0.0f;"), "anti"},
	{"short circuit", one("X[i] = i == 0 && X[0];"), ""},
	{"short circuit or", one("X[i] = i != 0 || X[0];"), ""},
	{"short circuit wrong way", one("X[i] = i != 0 && X[0];"), "flow"},
	{"parameter offset", one("A[i + n] = A[i + n] + 1.0f;"), ""},
	{"parameter distance", one("A[i] = A[i + n];"), "for instance with n = "},
	{"parameter distance bounded", one("if (n >= 100) A[i] = A[i + n];"), ""},
	{"parameter bound", "void f(int n, float A[restrict 100]) {" + target + "\nfor (int i = 0; i < n; i++) A[i] = A[0]; }", "with n = 2"},
	{"local", one("int t = 2 * i; int u = t + 1; A[t] = A[u];"), ""},
	{"local dependent", one("int t = i + 1; A[t] = A[i];"), "flow"},
	{"local assigned", one("int t = 2 * i; t = 4; A[t] = 1.0f;"), "subscript t of A is not affine"},
	{"firstprivate local", "void f(float A[restrict 100]) { int o = 3;" + target + "firstprivate(o)\nfor (int i = 0; i < 50; i++) A[i + o] = A[i + o] * 2.0f; }", ""},
	{"host condition", "void f(int n, float A[restrict 300]) { if (n > 99) {" + target + "\nfor (int i = 0; i < 100; i++) A[i] = A[i + n]; } }", ""},
	{"host else", "void f(int n, float A[restrict 300]) { if (n > 99) { A[0] = 1.0f; } else {" + target + "\nfor (int i = 0; i < 100; i++) A[i] = A[i + n]; } }", "dependence"},
	{"host loop before", "void f(int n, float A[restrict 300]) { for (int q = 0; q < 0; q++) A[q] = 0.0f;" + target + "\nfor (int i = 0; i < 100; i++) A[i] = A[i + 1]; }", "anti"},
	{"host loop that never runs", "void f(int n, float A[restrict 300]) { for (int q = 0; q < 0; q++) {" + target + "\nfor (int i = 0; i < 100; i++) A[i] = A[i + 1]; } }", ""},
	{"host condition before", "void f(int n, float A[restrict 300]) { if (n > 99) { A[0] = 1.0f; }" + target + "\nfor (int i = 0; i < 100; i++) A[i] = A[i + n]; }", "dependence; for instance with n = "},
	{"host condition on data", "void f(int n, float A[restrict 300]) { if (A[0] > 0.0f) {" + target + "\nfor (int i = 0; i < 100; i++) A[i] = A[i + 1]; } }", "cannot be excluded: a condition or a bound around the kernel, or an extent, is not affine)"},
	{"non-affine bound alone", "void f(int n, float A[restrict 300]) {" + target + "\nfor (int i = n / 2; i < n; i++) A[i] = A[0]; }", "cannot be excluded: a bound of the loop over i is not affine)"},
	{"non-affine bound that varies", one("for (int j = i / 2; j < 100; j += 1000) A[200 + i - 2 * j] = 1.0f;"), "cannot be excluded: a bound of the loop over j is not affine"},
	{"non-affine bound", "void f(int n, float A[restrict 300]) {" + target + "\nfor (int i = n / 2; i < n; i += 2) A[i] = A[i + 1]; }", ""},
	{"non-affine inner bound", one("for (int j = i / 2; j < 100; j++) D[i][j] = D[i][0];"), ""},
	{"non-affine read only", one("A[i] = B[X[i]] * D[i / 3][i * i % 5];"), ""},
	{"non-affine written", one("A[X[i]] = 1.0f;"), "may depend on one another: A[X[i]] writes what A[X[i]] at 3:33 writes (output dependence that cannot be excluded: subscript X[i] of A is not affine)"},
	{"non-affine read of a written array", one("A[i] = A[X[i]];"), "cannot be excluded: subscript X[i] of A is not affine)"},
	{"non-affine in a parameter", one("A[X[0] / 2 + i] = 1.0f;"), "A[((X[0] / 2) + i)] at 3:33 writes (output dependence that cannot be excluded: subscript ((X[0] / 2) + i) of A is not affine)"},
	{"non-affine beside an affine one", one("D[i][X[i]] = D[i][X[i + 1]];"), ""},
	{"data condition", one("if (B[i] > 0.0f) A[3] = 1.0f;"), "may depend on one another: A[3] writes what A[3] at 3:50 writes (output dependence that cannot be excluded: a condition around A[3] is not affine; for instance from i = 0 to i = 1)"},
	{"data condition on independent stores", one("if (B[i] > 0.0f) A[i] = 1.0f; else A[i] = A[i] + 2.0f;"), ""},
	{"proved after not excluded", one("if (B[i] > 0.0f) A[3] = 1.0f; D[i][0] = D[i + 1][0];"), "depend on one another: D[i][0] writes what D[(i + 1)][0] at 3:73 reads (anti dependence; for instance"},
	{"out of bounds alone", "void f(float A[restrict 100]) {" + target + "\nfor (int i = 0; i < 200; i++) if (i < 100) A[i] = 1.0f; else A[i - 100 + 100] = 2.0f; }", ""},
	{"dependence beyond the extent alone", "void f(int n, float A[restrict 100]) {" + target + "\nfor (int i = 0; i < 200; i++) if (i > 49) A[2 * i] = A[i + 51]; }", ""},
	{"beyond the extent by one", "void f(int n, float A[restrict 100]) {" + target + "\nfor (int i = 50; i < 100; i++) A[2 * i] = A[i + 49]; }", ""},
	{"at the extent", "void f(int n, float A[restrict 101]) {" + target + "\nfor (int i = 50; i < 100; i++) A[2 * i] = A[i + 49]; }", "from i = 50 to i = 51"},
	{"below zero", one("if (i < 50) A[i - 50] = A[i - 49];"), ""},
	{"at zero", one("if (i < 51) A[i - 49] = A[0] ;"), "i = 49"},
	{"parameter beyond its type", one("A[i] = A[i + (n - 2147484000l)];"), ""},
	{"parameter within its type", one("A[i] = A[i + (n - 2147483700l)];"), "with n = 21474836"},
	{"extent that is not affine", "void f(int n, float A[restrict n / 2]) {" + target + "\nfor (int i = 0; i < n; i++) A[i] = A[i + 1]; }", "an extent, is not affine"},
	{"extent of a map clause", "void f(int n, float A[restrict]) {" + target + "map(tofrom: A[0:n])\nfor (int i = 0; i < n; i++) A[i] = A[i + 1]; }", "anti dependence; for instance"},
	{"subscript of 32 bits", "void f(int n, float A[restrict 10]) {" + target + "\nfor (long i = 0; i < 3; i++) A[i + 4294967296l * n] = 1.0f; }", ""},
	{"numbers out of range", one("A[i * 4611686018427387904l * 3l] = 1.0f;"), "is not affine"},
}

func TestTextbookCases(t *testing.T) {
	for _, c := range textbook {
		err := verdict(t, c.source)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		var at *loop.Error
		if err != nil && (!errors.As(err, &at) || at.Pos.File != "t.c" || at.Pos.Line < 1) {
			t.Errorf("%s: error without a position: %v", c.name, err)
		}
	}
}
