package emit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

// largeModule has a kernel whose scratchpad cannot be declared.
func largeModule(t *testing.T) Module {
	t.Helper()
	p, err := cfront.Parse("large.c", premtest.LargeScratchpad, nil)
	if err != nil {
		t.Fatal(err)
	}
	return generated(t, p, []byte(premtest.LargeScratchpad), device.SDMA, 96<<10)
}

// The host asks for a scratchpad that the kernel cannot declare, and gives it.
func TestLargeScratchpads(t *testing.T) {
	m := largeModule(t)
	n := m.Kernels[0].DynamicBytes()
	if n != 96<<10 {
		t.Fatalf("%d bytes", n)
	}
	for _, guard := range []bool{false, true} {
		m.Guard = guard
		text, err := Harness(m, HarnessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			fmt.Sprintf("WB_CUDA(cudaFuncSetAttribute((const void *)large_0_sdma, cudaFuncAttributeMaxDynamicSharedMemorySize, %d));", n),
			fmt.Sprintf("large_0_sdma<<<1, 64, %d>>>(", n), "large_1_sdma<<<1, 64>>>(", "extern __shared__ __align__(8) unsigned char wb_spm[];",
		} {
			if strings.Count(text, want) != 1 {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
		if strings.Count(text, "cudaFuncSetAttribute") != 1 {
			t.Error("an attribute for the other kernel, too")
		}
	}
}

// nvcc makes a program of it, and NVIDIA's assembler takes what clang makes.
func TestLargeScratchpadsCompile(t *testing.T) {
	m := largeModule(t)
	t.Run("nvcc", func(t *testing.T) {
		nvcc := optional.Path(t, optional.NVCC)
		text, err := Harness(m, HarnessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "k.cu")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if msg, err := command(t, nvcc, append(optional.HostFlags(t, nvcc), "-arch=sm_70", "-c", "-o", file+".o", file)...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, msg)
		}
	})
	optional.Each(t, optional.Clangs(), func(t *testing.T, path string) {
		a := ptxas.Need(t)
		text, err := CUDA(m)
		if err != nil {
			t.Fatal(err)
		}
		ptx, err := ClangPTX(t.Context(), path, text)
		if err != nil {
			t.Fatal(err)
		}
		if complaints, err := a.Check("sm_70", ptx); err != nil || len(complaints) > 0 {
			t.Errorf("%v, %v", complaints, err)
		}
	})
}
