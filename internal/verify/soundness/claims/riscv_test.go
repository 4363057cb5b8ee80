package claims

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/serial"
	"github.com/warpbound/warpbound/internal/rv"
	"github.com/warpbound/warpbound/internal/simt/rvexec"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
	"github.com/warpbound/warpbound/launch"
)

// What is said of RISC-V programs to hold for all inputs does, in so many drawn ones.
func TestClaimsOfProgramsHold(t *testing.T) {
	n := settings.Cases(t, 4000)
	if testing.Short() {
		n = min(n, 500)
	}
	s, err := RunPrograms(t.Context(), Config{Seed: 1, Cases: n, StopAfter: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Violations {
		t.Errorf("%v", &s.Violations[i])
	}
	t.Logf("%d programs: %d claimed, %d went wrong, %d executions", s.Cases, s.Claimed, s.Wrong, s.Executions)
	if s.Claimed < n/10 || s.Wrong > n/20 {
		t.Errorf("of %d programs %d claimed, %d wrong", s.Cases, s.Claimed, s.Wrong)
	}
}

// What is said to hold for all inputs of the Vortex programs of the examples does: with
// other contents of every buffer that is not known, of registers and memory that nobody
// has written, in other orders of warps.
func TestClaimsOfExamplesHold(t *testing.T) {
	files, err := filepath.Glob("../../../../examples/vortex/kernels/*/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	claimed := 0
	for _, file := range files {
		f, err := launch.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if f.RISCV == nil {
			continue
		}
		data, err := os.ReadFile(f.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		img, err := rv.Load(f.Kernel, data)
		if err != nil {
			t.Fatal(err)
		}
		argument, buffers, err := f.Place()
		if err != nil {
			t.Fatal(err)
		}
		kernel := func(rng *rand.Rand) *rvexec.Kernel {
			l := rvexec.LaunchConfig{Cores: f.RISCV.Cores, Warps: f.RISCV.Warps, Threads: f.RISCV.Threads, Argument: argument, Taint: rng == nil, Vary: rng}
			if f.RISCV.Variant == launch.Feb2024 {
				l.Variant = rvexec.Feb2024
			}
			for _, b := range buffers {
				r := rvexec.Region{Addr: b.Addr, Data: b.Data, Known: b.Arg.Known}
				if rng != nil && !r.Known {
					r.Data = make([]byte, len(b.Data))
					for i := range r.Data {
						r.Data[i] = byte(rng.Uint32())
					}
				}
				l.Memory = append(l.Memory, r)
			}
			k, err := rvexec.NewKernel(img, l)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		r, err := analysis.Run(t.Context(), analysis.Of(kernel(nil)), gpus.Preset(t, "vortex-32x32"), method.Question{Methods: []string{serial.Method}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.AllInputs() {
			continue
		}
		claimed++
		recorded := Folded(r.Path)
		e := &Executor{Timing: r.Timing, Memory: r.Machine.Desc.Memory, Limit: 1 << 20}
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 5))
			got, err := e.AnyOrder(t.Context(), kernel(rng), rng)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if _, warp, differ := Differ(recorded, got); differ {
				t.Errorf("%s: warp %d takes another path", file, warp)
			}
		}
	}
	if claimed < 12 {
		t.Errorf("%d examples are claimed, expected 12 at least", claimed)
	}
}
