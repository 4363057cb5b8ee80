package emit

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/examples/prem"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/testkit/golden"
)

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
		golden.File(t, filepath.Join("testdata", x.name+".cu"), text)
		if text, err = OpenCL(x.m); err != nil {
			t.Fatal(err)
		}
		golden.File(t, filepath.Join("testdata", x.name+".cl"), text)
	}
	// What a harness adds to its fixed part, kernels included by name.
	text, err := Harness(awkwardModule(t, device.SDMA), HarnessOptions{Include: "kernels.cu", Args: []Argument{{Name: "new", Init: Init{Off: 24}}}})
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join("testdata", "awkward_host.cu"), strings.Replace(strings.Replace(text, harnessHead, "", 1), harnessGuard, "", 1))
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
