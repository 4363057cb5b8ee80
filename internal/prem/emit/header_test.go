package emit

import (
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
)

// A kernel that has no separate phases says why, and a directive that is cut short
// says that there is more of it.
func TestKernelHeaders(t *testing.T) {
	for _, c := range []struct{ directive, quoted string }{
		{"num_teams(2) num_threads(32)", "num_teams(2) num_threads(32)"},
		{"num_teams(2) \\\n num_threads(32)", "num_teams(2) ..."},
		{"num_teams(2) num_threads(32) map(to: B[0:64]) map(to: C[0:64])", "num_teams(2) num_threads(32) m ..."},
	} {
		source := "void f(const int B[restrict 64], float A[restrict 64], const float C[restrict 64]) {\n" +
			"#pragma omp target teams distribute parallel for map(tofrom: A[0:64]) " + c.directive + "\n" +
			"for (int i = 0; i < 64; i++) A[i] += C[B[i]];\n}\n"
		p, err := cfront.Parse("f.c", source, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range schemes {
			m := generated(t, p, []byte(source), s, small)
			for _, f := range []func(...Module) (string, error){CUDA, OpenCL} {
				text, err := f(m)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(text, "//   #pragma omp target teams distribute parallel for map(tofrom: A[0:64]) "+c.quoted+"\n") {
					t.Errorf("no %q in\n%s", c.quoted, text)
				}
				want := s == device.DAE || s == device.SDMA
				if strings.Contains(text, "\n// No separate phases, as under cmpt: f.c:") != want {
					t.Errorf("%s: no reason, or one too many, in\n%s", s, text)
				}
			}
		}
	}
}
