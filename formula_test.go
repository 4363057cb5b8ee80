package warpbound_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
)

// formulaPTX is a kernel whose body counts by n and m.
func formulaPTX(body string) string {
	return ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 list, .param .u32 n, .param .s32 m) {\n" +
		".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<4>; .reg .f32 %f<4>;\n" +
		"ld.param.u64 %d0, [list]; ld.param.u32 %r0, [n]; ld.param.s32 %r1, [m]; mov.u32 %r2, %tid.x; mov.f32 %f0, 0f00000000; mov.f32 %f1, 0f3f800000;\n" +
		body + "\nst.global.f32 [%d0], %f0;\nret;\n}\n"
}

// formulaKernels count in different ways, over n from 1 to 700 and m from -5 to 60.
var formulaKernels = map[string]string{
	// As many iterations as n.
	"up": "mov.u32 %r3, 0; L: fma.rn.f32 %f0, %f0, %f1, %f1; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, %r0; @%p0 bra L;",
	// Every lane its own part of n, with data deciding what is done.
	"strided": "mov.u32 %r3, %r2; bra T; L: ld.global.u32 %r4, [%d0]; setp.gt.u32 %p1, %r4, 5; @%p1 bra B; fma.rn.f32 %f0, %f0, %f1, %f1; sqrt.rn.f32 %f0, %f0; bra E; B: add.u32 %r5, %r5, %r4; E: add.u32 %r3, %r3, 64; T: setp.lt.u32 %p0, %r3, %r0; @%p0 bra L;",
	// Down to 0, and not equal.
	"down":  "mov.u32 %r3, %r0; L: fma.rn.f32 %f0, %f0, %f1, %f1; sub.u32 %r3, %r3, 1; setp.ne.u32 %p0, %r3, 0; @%p0 bra L;",
	"at 0":  "mov.s32 %r3, %r1; bra T; L: fma.rn.f32 %f0, %f0, %f1, %f1; sub.s32 %r3, %r3, 3; T: setp.ge.s32 %p0, %r3, 0; @%p0 bra L;",
	"above": "mul.lo.s32 %r3, %r1, 3; L: fma.rn.f32 %f0, %f0, %f1, %f1; sub.s32 %r3, %r3, 2; setp.gt.s32 %p0, %r3, 0; @%p0 bra L;",
	// One in the other, and one behind.
	"nested": "mov.u32 %r3, 0; L: mov.s32 %r4, 0; bra T; M: ld.global.f32 %f2, [%d0]; fma.rn.f32 %f0, %f2, %f1, %f0; add.s32 %r4, %r4, 1; T: setp.le.s32 %p1, %r4, %r1; @%p1 bra M; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, %r0; @%p0 bra L;" +
		" mov.u32 %r3, %r2; bra V; W: sqrt.rn.f32 %f0, %f0; add.u32 %r3, %r3, 32; V: setp.lt.u32 %p0, %r3, %r0; @%p0 bra W;",
	// Ended by data before.
	"early": "mov.u32 %r3, 0; L: ld.global.u32 %r4, [%d0]; setp.eq.u32 %p1, %r4, 77; @%p1 bra X; add.u32 %r3, %r3, 2; setp.lt.u32 %p0, %r3, %r0; @%p0 bra L; X:",
	// In which n limits m.
	"both": "min.s32 %r5, %r1, 50; mov.s32 %r3, 0; bra T; L: fma.rn.f32 %f0, %f0, %f1, %f1; add.s32 %r3, %r3, 1; T: setp.lt.s32 %p0, %r3, %r1; setp.lt.u32 %p1, %r3, %r0; and.pred %p0, %p0, %p1; @%p0 bra L;",
	// Stores that fill the queue of the memory.
	"stores": "mov.u32 %r3, 0; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %d1, %d0; L: st.global.f32 [%d1], %f1; st.global.f32 [%d1+128], %f1; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, %r0; @%p0 bra L;",
	// Barriers in loops, tested at the end and at the beginning, and behind a branch.
	"tiles":  "mov.u32 %r3, 0; L: ld.global.f32 %f2, [%d0]; bar.sync 0; fma.rn.f32 %f0, %f2, %f1, %f0; fma.rn.f32 %f0, %f0, %f1, %f1; bar.sync 0; add.u32 %r3, %r3, 16; setp.lt.u32 %p0, %r3, %r0; @%p0 bra L;",
	"rounds": "mov.s32 %r3, 0; bra T; L: fma.rn.f32 %f0, %f0, %f1, %f1; bar.sync 0; sqrt.rn.f32 %f0, %f0; add.s32 %r3, %r3, 1; T: setp.lt.s32 %p0, %r3, %r1; @%p0 bra L; setp.gt.u32 %p1, %r0, 350; @%p1 bra E; bar.sync 0; fma.rn.f32 %f0, %f0, %f1, %f1; E:",
	// One side counts, the other does not.
	"sides": "mov.u32 %r3, 0; setp.gt.u32 %p1, %r2, 20; @%p1 bra S; L: fma.rn.f32 %f0, %f0, %f1, %f1; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, %r0; @%p0 bra L; bra E; S: mov.s32 %r4, %r1; M: sqrt.rn.f32 %f0, %f0; sub.s32 %r4, %r4, 1; setp.gt.s32 %p0, %r4, 0; @%p0 bra M; E:",
}

// formulaOf is the formula of a kernel, and the analysis of it with the arguments known.
func formulaOf(t *testing.T, gpu string, file string, o warpbound.KernelOptions, ranges, names []string) (*warpbound.Formula, func(args ...string) int64) {
	t.Helper()
	m, err := warpbound.GPU(gpu)
	if err != nil {
		t.Fatal(err)
	}
	analyse := func(args, names []string) *warpbound.Analysis {
		o := o
		o.Args = append(append([]string{}, o.Args...), args...)
		k, err := warpbound.OpenKernel(file, o)
		if err != nil {
			t.Fatal(err)
		}
		a, err := k.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m, Methods: []string{"sum"}, Parametric: names})
		if err != nil {
			t.Fatalf("%s, %v: %v", file, args, err)
		}
		return a
	}
	return analyse(ranges, names).Formula, func(args ...string) int64 { return analyse(args, nil).Best.Cycles }
}

// TestFormulas: a formula is no less than the bound with the arguments known, and close to it
// where they are large; simulations take no longer.
func TestFormulas(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 46))
	for _, name := range slices.Sorted(maps.Keys(formulaKernels)) {
		body := formulaKernels[name]
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, strings.ReplaceAll(name, " ", "")+".ptx")
			if err := os.WriteFile(file, []byte(formulaPTX(body)), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, gpu := range []string{"ecrts2025-200", "orin"} {
				o := warpbound.KernelOptions{Grid: [3]int{5 - 4*i}, Block: [3]int{96}}
				f, known := formulaOf(t, gpu, file, o, []string{"n=1..700", "m=-5..60"}, []string{"n", "m"})
				worst := 1.0
				for try := range 5 {
					n, m := 1+rng.Int64N(700), rng.Int64N(66)-5
					switch try {
					case 0:
						n, m = 1, -5
					case 1:
						n, m = 700, 60
					case 2:
						n = 1 + rng.Int64N(9)
					}
					got, err := f.Cycles(n, m)
					if err != nil {
						t.Fatal(err)
					}
					bound := known(fmt.Sprintf("n=%d", n), fmt.Sprintf("m=%d", m))
					if got < bound {
						t.Errorf("%s: the formula is %d for n = %d, m = %d, the bound is %d\n%s", gpu, got, n, m, bound, f)
					}
					if n > 300 && m > 20 {
						worst = max(worst, float64(got)/float64(bound))
					}
					if try == 0 || try == 2 || try == 4 && i == 0 {
						if took := simulated(t, gpu, dir, file, o, n, m); took > got {
							t.Errorf("%s: simulated in %d cycles for n = %d, m = %d, the formula is %d\n%s", gpu, took, n, m, got, f)
						}
					}
				}
				t.Logf("%s: at most %.3f times the bound for large arguments\n%s", gpu, worst, f)
				if worst > 1.05 {
					t.Errorf("%s: %.3f times the bound for large arguments\n%s", gpu, worst, f)
				}
			}
		})
	}
}

// simulated is how long a simulation of a kernel of formulaPTX takes.
func simulated(t *testing.T, gpu, dir, kernel string, o warpbound.KernelOptions, n, m int64) int64 {
	t.Helper()
	file := filepath.Join(dir, "launch.toml")
	text := fmt.Sprintf("kernel = %q\ngrid = [%d, %d]\nblock = [%d]\n[[args]]\nname = \"list\"\ntype = \"u32\"\ncount = 4096\ninit = { random = { seed = 1, low = 0, high = 11 } }\n[[args]]\nname = \"n\"\ntype = \"u32\"\nvalue = %d\n[[args]]\nname = \"m\"\ntype = \"s32\"\nvalue = %d\n", kernel, o.Grid[0], max(o.Grid[1], 1), o.Block[0], n, m)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := warpbound.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := warpbound.GPU(gpu)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Simulate(context.Background(), warpbound.SimulateOptions{GPU: machine})
	if err != nil {
		t.Fatal(err)
	}
	return s.Cycles
}

// Formulas of examples, in all their scalar arguments.
func TestFormulasOfExamples(t *testing.T) {
	for _, x := range []struct {
		entry, kernel string
		grid, block   [3]int
		fixed, names  []string
		low, high     []int64
		above         float64 // that the bound is multiplied by, at most
	}{
		{"", "polybench/gemm/gemm.ptx", [3]int{2, 8}, [3]int{32, 8}, []string{"3=1.5", "4=1.2", "5=64", "6=64"}, []string{"gemm_param_7"}, []int64{1}, []int64{4096}, 1},
		{"sgemm_naive_16", "sgemm/naive/naive.ptx", [3]int{4}, [3]int{32, 16}, []string{"4=128"}, []string{"sgemm_naive_16_param_3"}, []int64{600}, []int64{4096}, 1.06},
		{"", "basic/saxpy/saxpy.ptx", [3]int{40}, [3]int{128}, []string{"2=2"}, []string{"saxpy_param_3"}, []int64{200}, []int64{5000}, 1},
		{"mvt_rows", "polybench/mvt/mvt.ptx", [3]int{8}, [3]int{128}, nil, []string{"mvt_rows_param_3"}, []int64{1024}, []int64{100000}, 1},
		// How many segments a row of the matrix begins beside depends on its width.
		{"mvt_columns", "polybench/mvt/mvt.ptx", [3]int{8}, [3]int{128}, nil, []string{"mvt_columns_param_3"}, []int64{1024}, []int64{100000}, 1.4},
	} {
		var ranges []string
		for i, n := range x.names {
			ranges = append(ranges, fmt.Sprintf("%s=%d..%d", n, x.low[i], x.high[i]))
		}
		f, known := formulaOf(t, "gtx480", filepath.Join("examples", x.kernel), warpbound.KernelOptions{Entry: x.entry, Grid: x.grid, Block: x.block, Args: x.fixed}, ranges, x.names)
		rng := rand.New(rand.NewPCG(2, 46))
		for range 6 {
			var at []int64
			var args []string
			for i, n := range x.names {
				at = append(at, x.low[i]+rng.Int64N(x.high[i]-x.low[i]+1))
				args = append(args, fmt.Sprintf("%s=%d", n, at[i]))
			}
			got, err := f.Cycles(at...)
			if err != nil {
				t.Fatal(err)
			}
			want := known(args...)
			t.Logf("%s %v: %d, the bound is %d", x.kernel, at, got, want)
			if got < want || float64(got) > x.above*float64(want) {
				t.Errorf("%s: the formula is %d for %v, the bound is %d\n%s", x.kernel, got, at, want, f)
			}
		}
	}
}

// What has no formula is refused by name.
func TestNoFormula(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(file, []byte(formulaPTX(formulaKernels["up"])), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, names []string
		want        string
	}{
		{[]string{"n=1..9", "m=3"}, []string{"m"}, `"m" is no scalar argument or extent of the grid with a range, or is named twice; expected some of n`},
		{[]string{"n=1..9", "m=3"}, []string{"n", "n"}, `"n" is no scalar`},
		{[]string{"n=4", "m=3"}, []string{"n"}, "expected some of none, since none has a range"},
	} {
		k, err := warpbound.OpenKernel(file, warpbound.KernelOptions{Grid: [3]int{1}, Block: [3]int{32}, Args: c.args})
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.Analyze(context.Background(), warpbound.AnalyzeOptions{Parametric: c.names})
		var option *warpbound.OptionError
		if !errors.As(err, &option) || option.Option != "Parametric" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of %v: %v, expected %s", c.names, c.args, err, c.want)
		}
	}
	f, _ := formulaOf(t, "gtx480", file, warpbound.KernelOptions{Grid: [3]int{1}, Block: [3]int{32}}, []string{"n=1..9", "m=-1..1"}, []string{"n"})
	if a := f.Arguments(); len(a) != 1 || a[0] != (warpbound.FormulaArgument{Name: "n", Min: 1, Max: 9}) {
		t.Errorf("%+v", a)
	}
	if _, err := f.Cycles(10); err == nil {
		t.Error("a formula beyond its range")
	}
	if _, err := f.Cycles(); err == nil {
		t.Error("a formula of no argument")
	}
	if _, err := f.Go("not a name"); err == nil {
		t.Error("a package without a name")
	}
	if text, err := f.Go("admission"); err != nil || !strings.Contains(text, "func BoundCycles(n int64) int64 {") || !strings.Contains(f.C(), "int64_t bound_cycles(int64_t n) {") {
		t.Errorf("%s, %v", text, err)
	}
}
