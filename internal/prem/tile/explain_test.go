package tile_test

import (
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// indirect has a subscript that reads memory.
const indirect = `void f(const int at[restrict 64], const float A[restrict 64], float B[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(to: at[0:64], A[0:64]) map(from: B[0:64])
    for (int i = 0; i < 64; i++) {
        B[i] = A[at[i]];
    }
}
`

// TestExplain compares explanations with files, which UPDATE_GOLDEN=1 rewrites.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		name, program, size string
		kernel              int
		spm                 int64
	}{
		{"gemm", "gemm", "512", 0, 4 << 10},
		{"conv2d", "conv2d", "", 0, 48 << 10},
		{"symm", "symm", "", 0, 2 << 10},
		{"trisolv", "trisolv", "512", 0, 8 << 10},
		{"reduce", "reduce", "", 0, 2 << 10},
		{"corr", "corr", "200", 3, 16 << 10},
		{"syrk", "syrk", "200", 0, 16 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			defines := map[string]string{}
			if c.size != "" {
				defines = sizes(c.size)
			}
			explained(t, c.name, tile.Explain(plan(t, example(t, c.program, defines), c.kernel, tile.Options{SPMBytes: c.spm})))
		})
	}
	t.Run("indirect", func(t *testing.T) {
		explained(t, "indirect", tile.Explain(plan(t, parse(t, "indirect.c", indirect, nil), 0, tile.Options{SPMBytes: 4 << 10})))
	})
}

func explained(t *testing.T, name, got string) {
	t.Helper()
	golden.File(t, filepath.Join("testdata", "explain", name+".txt"), got)
}
