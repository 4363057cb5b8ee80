package emit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/testkit/optional"
	"github.com/warpbound/warpbound/internal/testkit/ptxas"
	"github.com/warpbound/warpbound/internal/verify/premtest"
)

// severalSource has structures of one tag in several functions, one with the name
// of a kernel, and a scratchpad that is declared beside one that is not.
const severalSource = premtest.LargeScratchpad + premtest.Results + `
struct pt { float x; int n; };
struct f_0_dae { double x; };
void f(struct pt p[restrict 64], struct f_0_dae q[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) map(tofrom: p[0:64]) map(to: q[0:64])
    for (int i = 0; i < 64; i++)
        p[i].x = p[i].x * q[i].x;
}
void g(int n, const struct pt p[restrict 64], float a[restrict n])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) map(to: p[0:64])
    for (int i = 0; i < n; i++)
        a[i] = p[i].n / 3.0f;
}
`

// several are the modules of all functions.
func several(t *testing.T, scheme int) []Module {
	t.Helper()
	p, err := cfront.Parse("several.c", severalSource, nil)
	if err != nil {
		t.Fatal(err)
	}
	var ms []Module
	for _, f := range p.Funcs {
		spm := int64(96 << 10)
		if f.Name == "g" {
			spm = small
		}
		ms = append(ms, generatedFunc(t, p, f, []byte(severalSource), schemes[scheme], spm))
	}
	return ms
}

// A text holds the kernels of all functions, and what they share once.
func TestSeveralFunctions(t *testing.T) {
	for scheme := range schemes {
		for _, guard := range []bool{false, true} {
			ms := several(t, scheme)
			for i := range ms {
				ms[i].Guard = guard
				if ms[i].Func.Name == "g" {
					ms[i].Scalars = map[string]int64{"n": 64}
				}
			}
			for _, f := range []func(...Module) (string, error){CUDA, OpenCL} {
				text, err := f(ms...)
				if err != nil {
					t.Fatal(err)
				}
				if n := strings.Count(text, "struct pt {"); n != 1 {
					t.Errorf("structure pt is defined %d times", n)
				}
				if n := strings.Count(text, fixedMark); n > 1 || n == 1 && !strings.Contains(text, fixedMark+"n = 64 of g: ") {
					t.Errorf("%d notes on values:\n%.1000s", n, text)
				}
				if !strings.HasPrefix(text, "// large, least, bits, steps, product, last, peak, total, nothing, f, g of several.c, as generated kernels.\n") {
					t.Errorf("it begins %.100q", text)
				}
				for _, m := range ms {
					for _, k := range m.Kernels {
						if n := strings.Count(text, "\n"+k.Name+"(") + strings.Count(text, "\nvoid "+k.Name+"("); n != 1 {
							t.Errorf("kernel %s is defined %d times", k.Name, n)
						}
					}
				}
			}
		}
	}
	ms := several(t, 0)
	ms[1].Guard = true
	for what, list := range map[string][]Module{"no module": nil, "with the guard and without": ms, "is taken": {ms[0], ms[0]}} {
		if _, err := CUDA(list...); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %s", err, what)
		}
	}
	ms[1].Guard, ms[1].Program = false, &loop.Unit{}
	if _, err := OpenCL(ms...); err == nil || !strings.Contains(err.Error(), "different programs") {
		t.Errorf("%v", err)
	}
}

// clang and nvcc take the texts, and NVIDIA's assembler what clang makes of them.
func TestSeveralFunctionsCompile(t *testing.T) {
	t.Run("nvcc", func(t *testing.T) {
		nvcc := optional.Path(t, optional.NVCC)
		text, err := CUDA(several(t, 3)...)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "k.cu")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if msg, err := command(t, nvcc, append(optional.HostFlags(t, nvcc), "-arch=sm_70", "-cubin", "-o", file+".cubin", file)...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, msg)
		}
	})
	scheme := 0
	optional.Each(t, optional.Clangs(), func(t *testing.T, path string) {
		a := ptxas.Need(t)
		scheme = (scheme + 1) % len(schemes)
		ms := several(t, scheme)
		for i := range ms {
			ms[i].Guard = scheme%2 == 0
		}
		text, err := CUDA(ms...)
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
		if text, err = OpenCL(ms...); err != nil {
			t.Fatal(err)
		}
		if err := checkOpenCL(t, path, text); err != nil {
			t.Error(err)
		}
	})
}
