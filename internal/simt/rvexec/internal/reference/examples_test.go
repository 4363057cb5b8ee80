package reference_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/launch"
)

// TestExamples executes compiled programs: the first thousands of instructions
// of each, all of them where many cases are wanted.
func TestExamples(t *testing.T) {
	launches, err := filepath.Glob("../../../../../examples/vortex/kernels/*/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for _, path := range launches {
		l, err := launch.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if !l.IsELF() {
			continue
		}
		programs++
		t.Run(filepath.Base(path), func(t *testing.T) {
			r := random(t)
			p := examplePair(t, l)
			p.lowered = true
			fault, err := p.run(r, settings.Times(t)*1500)
			if fault != nil {
				t.Error(fault)
			}
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d instructions of warps, %d of threads, ended: %v", p.steps, p.lanes, p.machine.Ended(0))
		})
	}
	if programs == 0 {
		t.Error("no programs")
	}
}

func examplePair(t *testing.T, l *launch.Launch) *pair {
	t.Helper()
	data, err := os.ReadFile(l.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	img, err := rv.Load(l.Kernel, data)
	if err != nil {
		t.Fatal(err)
	}
	argument, buffers, err := l.Place()
	if err != nil {
		t.Fatal(err)
	}
	s := setup{cores: l.RISCV.Cores, warps: l.RISCV.Warps, threads: l.RISCV.Threads}
	if l.RISCV.Variant == launch.Feb2024 {
		s.variant = rvexec.Feb2024
	}
	of := rvexec.LaunchConfig{Cores: s.cores, Warps: s.warps, Threads: s.threads, Variant: s.variant, Argument: argument}
	memory := map[uint32]byte{}
	put(memory, rvexec.ArgumentAddr, argument)
	for _, b := range buffers {
		of.Memory = append(of.Memory, rvexec.Region{Addr: b.Addr, Data: b.Data})
		put(memory, b.Addr, b.Data)
	}
	k, err := rvexec.NewKernel(img, of)
	if err != nil {
		t.Fatal(err)
	}
	return pairOf(t, s, k, img, img.Entry, memory)
}
