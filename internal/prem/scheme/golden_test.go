package scheme

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

// The text of kernels, for review; UPDATE_GOLDEN=1 writes the files anew.
func TestGolden(t *testing.T) {
	const programs = "../../../examples/prem/programs/"
	for _, c := range []struct {
		file string
		s    device.Scheme
		spm  int64
		name string
		opt  Options
	}{
		{file: programs + "gemm.c", s: device.SDMA, spm: 1 << 10, name: "gemm_sdma_packed", opt: Options{Pack: true}},
		{file: programs + "gemm.c", s: device.Base, spm: 48 << 10, name: "gemm_base"},
		{file: programs + "gemm.c", s: device.CMPT, spm: 1 << 10, name: "gemm_cmpt"},
		{file: programs + "gemm.c", s: device.DAE, spm: 1 << 10, name: "gemm_dae"},
		{file: programs + "gemm.c", s: device.SDMA, spm: 1 << 10, name: "gemm_sdma"},
		{file: programs + "gemm.c", s: device.SDMA, spm: 48 << 10, name: "gemm_sdma_large"},
		{file: programs + "jacobi2d.c", s: device.SDMA, spm: 48 << 10, name: "jacobi2d_sdma"},
		{file: programs + "reduce.c", s: device.SDMA, spm: 48 << 10, name: "reduce_sdma"},
		{file: programs + "seidel2d.c", s: device.SDMA, spm: 48 << 10, name: "seidel2d_sdma"},
		{file: "testdata/triangle.c", s: device.SDMA, spm: 600, name: "triangle_sdma"},
		{file: "testdata/conditions.c", s: device.DAE, spm: 48 << 10, name: "conditions_dae"},
		{file: "testdata/shared.c", s: device.SDMA, spm: 1 << 10, name: "shared_sdma"},
		{file: "testdata/steps.c", s: device.SDMA, spm: 4 << 10, name: "steps_sdma"},
		{file: "testdata/unplanned.c", s: device.SDMA, spm: 4 << 10, name: "unplanned_sdma"},
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
			k, err := buildWith(c.opt, parse(t, filepath.Base(c.file), string(text), defines), c.s, planned(c.spm))
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, "testdata/golden/"+c.name+".txt", strings.TrimPrefix(k.text(), "\n"))
		})
	}
}
