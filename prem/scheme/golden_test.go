package scheme

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/prem/device"
)

// The text of kernels, for review; UPDATE_GOLDEN=1 writes the files anew.
func TestGolden(t *testing.T) {
	const programs = "../../examples/prem/programs/"
	for _, c := range []struct {
		file string
		s    device.Scheme
		spm  int64
		name string
	}{
		{programs + "gemm.c", device.Base, 48 << 10, "gemm_base"},
		{programs + "gemm.c", device.CMPT, 1 << 10, "gemm_cmpt"},
		{programs + "gemm.c", device.DAE, 1 << 10, "gemm_dae"},
		{programs + "gemm.c", device.SDMA, 1 << 10, "gemm_sdma"},
		{programs + "gemm.c", device.SDMA, 48 << 10, "gemm_sdma_large"},
		{programs + "jacobi2d.c", device.SDMA, 48 << 10, "jacobi2d_sdma"},
		{programs + "reduce.c", device.SDMA, 48 << 10, "reduce_sdma"},
		{programs + "seidel2d.c", device.SDMA, 48 << 10, "seidel2d_sdma"},
		{"testdata/triangle.c", device.SDMA, 600, "triangle_sdma"},
		{"testdata/conditions.c", device.DAE, 48 << 10, "conditions_dae"},
		{"testdata/shared.c", device.SDMA, 1 << 10, "shared_sdma"},
		{"testdata/steps.c", device.SDMA, 4 << 10, "steps_sdma"},
		{"testdata/unplanned.c", device.SDMA, 4 << 10, "unplanned_sdma"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			defines := map[string]string{"N": "24"}
			if strings.HasPrefix(c.file, programs) {
				defines = nil
			}
			k, err := build(parse(t, filepath.Base(c.file), string(text), defines), c.s, planned(c.spm))
			if err != nil {
				t.Fatal(err)
			}
			golden, got := "testdata/golden/"+c.name+".txt", strings.TrimPrefix(k.text(), "\n")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s:\n%s", golden, got)
			}
		})
	}
}
