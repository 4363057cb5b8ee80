package scheme

import (
	"fmt"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/verify/deviceexec"
	"github.com/warpbound/warpbound/internal/verify/loopkit"
)

// What stripping leaves out of a condition must not be what makes iterations
// independent, and what it keeps must have a value wherever it is then evaluated.
func TestConditionsThatAreStripped(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"sum and data", "if (i > 30 && B[i] > 2) A[i + 1] = B[i]; A[i] = B[i] + 1;"},
		{"data and sum", "if (B[i] > 2 && i > 30) A[i + 1] = B[i]; A[i] = B[i] + 1;"},
		{"other branch", "if (B[i] > 2 || i < 30) A[i] = 1; else A[i + 1] = B[i];"},
		{"negated", "if (!(i < 30 || B[i] > 2)) A[i + 1] = B[i]; A[i] = 2;"},
		{"both sides of or", "if (i > 30 && B[i] > 2 || i > 40 && B[i] > 1) A[i + 1] = B[i]; A[i] = 2;"},
		{"inside a loop", "for (int k = 0; k < 3; k++) if (k - i > 4 && B[i]) A[i + 1] = k; A[i] = 2;"},
		{"local", "int q = i - 30; int r = 2 * q + 1; if (r > 0) A[i + 1] = B[i]; A[i] = 2;"},
		{"local and data", "int q = i - 30; if (B[i] && q > 0) A[i + 1] = B[i]; A[i] = 2;"},
		{"local that changes", "int q = i - 3; q += 2; if (B[i] && q > 2) A[i] += 1; A[i] += q;"},
		{"operand", "A[i] = i > 30 && B[i] > 2 && A[i + 1] > 1 ? A[i + 1] : B[i];"},
		{"division", "if (B[i] > 1) { if (100 / i > 2) A[i] = B[i]; else A[i] = 1 + A[i]; }"},
		{"remainder", "if (B[i] > 1 && 100 % (i * n) > 2) A[i] = B[i];"},
		{"shift", "if (B[i] > 1) { if (1 << (i - 1) > 2) A[i] += B[i]; }"},
		{"division in an operand", "A[i] += B[i] > 1 && 12 / i == 4 ? B[i] : 3;"},
	} {
		p := parse(t, "f.c", fmt.Sprintf(`void f(int n, int A[restrict 32], int B[restrict 32])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8)
    for (int i = 0; i < 31; i++) { %s }
}
`, c.body), nil)
		args := func() loop.Args {
			a, b := make([]int32, 32), make([]int32, 32)
			for i := range a {
				a[i], b[i] = int32(3*i+1), int32(i%5+i%7+1)
			}
			x := loop.Args{Scalars: map[string]loop.Value{"n": loop.OfInt(1)}, Arrays: map[string]*loop.Buffer{}}
			for name, v := range map[string][]int32{"A": a, "B": b} {
				buf, err := loop.NewBuffer(loop.Int, 32)
				if err != nil {
					t.Fatal(err)
				}
				loopkit.Fill(buf, v)
				x.Arrays[name] = buf
			}
			return x
		}
		want := args()
		if err := loopkit.Run(p, "f", want); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, s := range schemes {
			k, err := build(p, s, planned(2048))
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, s, err)
				continue
			}
			got := args()
			got.OnKernel = func(kernel *loop.Nest, f *loop.Frame) (bool, error) {
				return true, k.launch(kernel, f, deviceexec.Options{Races: true})
			}
			if err := loopkit.Run(p, "f", got); err != nil {
				t.Errorf("%s, %s: %v", c.name, s, err)
			} else if d := differs(p, got, want); d != "" {
				t.Errorf("%s, %s: %s", c.name, s, d)
			}
		}
	}
}
