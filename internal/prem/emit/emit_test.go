package emit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/device"
)

// golden compares text with a file of testdata, which UPDATE_GOLDEN=1 rewrites.
func golden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), text); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

func TestGolden(t *testing.T) {
	guarded := phased()
	guarded.Guard = true
	guarded.Sources = map[string][]byte{"dir/hand.c": []byte("1\n2\n#pragma omp target\n")}
	for _, x := range []struct {
		name string
		m    Module
	}{{"phased", phased()}, {"guarded", guarded}, {"particles", particles()}} {
		text, err := CUDA(x.m)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, x.name+".cu", text)
		if text, err = OpenCL(x.m); err != nil {
			t.Fatal(err)
		}
		golden(t, x.name+".cl", text)
	}
	// What a harness adds to its fixed part, kernels included by name.
	text, err := Harness(awkwardModule(t, device.SDMA), HarnessOptions{Include: "kernels.cu", Args: []Argument{{Name: "new", Init: Init{Off: 24}}}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "awkward_host.cu", strings.Replace(strings.Replace(text, harnessHead, "", 1), harnessGuard, "", 1))
}

func BenchmarkCUDA(b *testing.B) {
	e, ok := prem.Lookup("gemver")
	if !ok {
		b.Fatal("no such program")
	}
	m := example(b, e, device.SDMA, small)
	for b.Loop() {
		if _, err := CUDA(m); err != nil {
			b.Fatal(err)
		}
	}
}
