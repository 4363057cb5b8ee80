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

// gridKernels count by n, m and the extents of the grid, in different ways, over n from 1 to
// 900 and m from 1 to 9.
var gridKernels = map[string]string{
	// The grid matters to nothing.
	"none": "mov.u32 %r3, 0; L: fma.rn.f32 %f0, %f0, %f1, %f1; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, %r0; @%p0 bra L;",
	// Every thread of the grid its own part of n.
	"stride": strided("add.s32 %r3, %r3, %r5; setp.lt.s32 %p0, %r3, %r0; @%p0 bra L;"),
	// Until the end, and tested before.
	"before": "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.s32 %r3, %r4, %r5, %r2; mov.u32 %r6, %nctaid.x; mul.lo.s32 %r5, %r5, %r6; bra T; L: fma.rn.f32 %f0, %f0, %f1, %f1; add.s32 %r3, %r3, %r5; T: setp.le.s32 %p0, %r3, %r0; @%p0 bra L;",
	// Two rows at once, and a pointer beside.
	"rows": "mov.u32 %r4, %ctaid.y; shl.b32 %r3, %r4, 1; mov.u32 %r5, %nctaid.y; shl.b32 %r5, %r5, 1; mul.wide.s32 %d1, %r3, 4; add.s64 %d1, %d1, %d0; mul.wide.s32 %d2, %r5, 4; bra T; L: ld.global.f32 %f2, [%d1]; fma.rn.f32 %f0, %f2, %f1, %f0; add.s64 %d1, %d1, %d2; add.s32 %r3, %r3, %r5; T: setp.lt.s32 %p0, %r3, %r0; @%p0 bra L;",
	// Down, by an argument.
	"down": "mov.s32 %r3, %r0; bra T; L: fma.rn.f32 %f0, %f0, %f1, %f1; sub.s32 %r3, %r3, %r1; T: setp.gt.s32 %p0, %r3, 0; @%p0 bra L;",
	"at 0": "mov.u32 %r4, %ctaid.x; sub.s32 %r3, %r0, %r4; mov.u32 %r5, %nctaid.x; neg.s32 %r5, %r5; bra T; L: sqrt.rn.f32 %f0, %f0; add.s32 %r3, %r3, %r5; T: setp.ge.s32 %p0, %r3, 0; @%p0 bra L;",
	// By the grid and an argument together, and data that end it.
	"both": "mov.u32 %r5, %nctaid.x; mad.lo.s32 %r5, %r1, 3, %r5; mov.s32 %r3, 0; L: ld.global.u32 %r4, [%d0]; setp.eq.u32 %p1, %r4, 77; @%p1 bra X; add.s32 %r3, %r3, %r5; setp.lt.s32 %p0, %r3, %r0; @%p0 bra L; X:",
	// As often as there are blocks.
	"blocks": "mov.u32 %r4, %nctaid.x; mov.u32 %r3, 0; L: fma.rn.f32 %f0, %f0, %f1, %f1; add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, %r4; @%p0 bra L;",
	// A count in each iteration.
	"nested": strided("mov.s32 %r7, 0; M: sqrt.rn.f32 %f0, %f0; add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, %r1; @%p1 bra M; add.s32 %r3, %r3, %r5; setp.lt.s32 %p0, %r3, %r0; @%p0 bra L;"),
}

// strided is a loop over n by all threads of a grid in x, with an access in each iteration.
func strided(end string) string {
	return "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.s32 %r3, %r4, %r5, %r2; mov.u32 %r6, %nctaid.x; mul.lo.s32 %r5, %r5, %r6; setp.ge.s32 %p0, %r3, %r0; @%p0 bra X; L: mul.wide.s32 %d1, %r3, 4; add.s64 %d1, %d1, %d0; ld.global.f32 %f2, [%d1]; fma.rn.f32 %f0, %f2, %f1, %f0; " + end + " X:"
}

// analysedGrid is the analysis by sum of a kernel for a grid, or for all from the least.
func analysedGrid(t *testing.T, gpu, file string, block int, least, grid [3]int, args, names []string) *warpbound.Analysis {
	t.Helper()
	m, err := warpbound.GPU(gpu)
	if err != nil {
		t.Fatal(err)
	}
	k, err := warpbound.OpenKernel(file, warpbound.KernelOptions{LeastGrid: least, Grid: grid, Block: [3]int{block}, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	a, err := k.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m, Methods: []string{"sum"}, Parametric: names})
	if err != nil {
		t.Fatalf("%s, %v, %v: %v", file, grid, args, err)
	}
	return a
}

// TestFormulasInGrid: a formula in the grid and in arguments is no less than the bound with
// both known, and near it; simulations take no longer, nor than the bound for every grid.
func TestFormulasInGrid(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 47))
	least, most := [3]int{1, 2, 1}, [3]int{60, 3, 1}
	for _, name := range slices.Sorted(maps.Keys(gridKernels)) {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, strings.ReplaceAll(name, " ", "")+".ptx")
			if err := os.WriteFile(file, []byte(formulaPTX(gridKernels[name])), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, gpu := range []string{"ecrts2025-200", "tx1", "gtx480"} {
				block := 96 - 32*(i%2)
				a := analysedGrid(t, gpu, file, block, least, most, []string{"n=1..900", "m=1..9"}, []string{"n", "grid.y", "m", "grid.x"})
				worst := 1.0
				for try := range 5 {
					n, m, grid := 1+rng.Int64N(900), 1+rng.Int64N(9), [3]int{1 + rng.IntN(60), 2 + rng.IntN(2), 1}
					switch try {
					case 0:
						n, m, grid = 1, 9, least
					case 1:
						n, m, grid = 900, 1, most
					case 2:
						grid[0] = 1 + rng.IntN(4)
					}
					got, err := a.Formula.Cycles(n, int64(grid[1]), m, int64(grid[0]))
					if err != nil {
						t.Fatal(err)
					}
					args := []string{fmt.Sprintf("n=%d", n), fmt.Sprintf("m=%d", m)}
					bound := analysedGrid(t, gpu, file, block, [3]int{}, grid, args, nil).Best.Cycles
					if got < bound || a.Best.Cycles < got {
						t.Errorf("%s: the formula is %d for n = %d, m = %d, grid %v, the bound is %d, and %d for all\n%s", gpu, got, n, m, grid, bound, a.Best.Cycles, a.Formula)
					}
					if n >= int64(block*grid[0]) { // else blocks have nothing to do
						worst = max(worst, float64(got)/float64(bound))
					}
					if try == 2 {
						o := warpbound.KernelOptions{Grid: grid, Block: [3]int{block}}
						if took := simulated(t, gpu, dir, file, o, n, m); took > got {
							t.Errorf("%s: simulated in %d cycles for n = %d, m = %d, grid %v, the formula is %d\n%s", gpu, took, n, m, grid, got, a.Formula)
						}
					}
				}
				t.Logf("%s: at most %.3f times the bound\n%s", gpu, worst, a.Formula)
				if worst > 1.05 {
					t.Errorf("%s: %.3f times the bound", gpu, worst)
				}
			}
		})
	}
}

// triangles are kernels in which a loop goes on as long as the number of the iteration of one
// around says, by n up to 400.
var triangles = map[string]string{
	"rows":   "mov.s32 %r3, 0; L: mov.s32 %r4, %r3; bra T; M: fma.rn.f32 %f0, %f0, %f1, %f1; add.s32 %r4, %r4, 1; T: setp.lt.s32 %p1, %r4, %r0; @%p1 bra M; add.s32 %r3, %r3, 1; setp.lt.s32 %p0, %r3, %r0; @%p0 bra L;",
	"below":  "mov.s32 %r3, 0; L: mov.s32 %r4, 0; bra T; M: sqrt.rn.f32 %f0, %f0; add.s32 %r4, %r4, 3; T: setp.lt.s32 %p1, %r4, %r3; @%p1 bra M; add.s32 %r3, %r3, 2; setp.lt.s32 %p0, %r3, %r0; @%p0 bra L;",
	"middle": "mov.s32 %r3, 0; L: mul.lo.s32 %r4, %r3, 3; sub.s32 %r4, %r0, %r4; bra T; M: ld.global.f32 %f2, [%d0]; fma.rn.f32 %f0, %f2, %f1, %f0; sub.s32 %r4, %r4, 2; T: setp.gt.s32 %p1, %r4, 0; @%p1 bra M; add.s32 %r3, %r3, 1; setp.lt.s32 %p0, %r3, %r0; @%p0 bra L;",
}

// TestFormulasOfTriangles: a formula in which counts differ from one iteration to the next is
// no less than what simulations take, and for large arguments near the bound for these.
func TestFormulasOfTriangles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(triangles)) {
		file := filepath.Join(dir, name+".ptx")
		if err := os.WriteFile(file, []byte(formulaPTX(triangles[name])), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, gpu := range []string{"ecrts2025-200", "orin"} {
			grid := [3]int{2, 1, 1}
			f := analysedGrid(t, gpu, file, 64, grid, grid, []string{"n=1..400", "m=1"}, []string{"n"}).Formula
			for _, n := range []int64{1, 2, 3, 7, 30, 400} {
				got, err := f.Cycles(n)
				if err != nil {
					t.Fatal(err)
				}
				args := []string{fmt.Sprintf("n=%d", n), "m=1"}
				bound := analysedGrid(t, gpu, file, 64, grid, grid, args, nil).Best.Cycles
				if n == 400 && (got < bound || 20*got > 21*bound) {
					t.Errorf("%s: %s: the formula is %d for n = %d, the bound is %d\n%s", name, gpu, got, n, bound, f)
				}
				o := warpbound.KernelOptions{Grid: grid, Block: [3]int{64}}
				if n == 400 {
					continue
				}
				took := simulated(t, gpu, dir, file, o, n, 1)
				t.Logf("%s: %s, n = %d: the formula is %d, simulated in %d, the bound is %d", name, gpu, n, got, took, bound)
				if took > got {
					t.Errorf("%s: %s: simulated in %d cycles for n = %d, the formula is %d\n%s", name, gpu, took, n, got, f)
				}
			}
		}
	}
}

// A least grid is one up to the grid.
func TestLeastGrid(t *testing.T) {
	for _, least := range [][3]int{{5}, {-1}, {1, 2}} {
		_, err := warpbound.OpenKernel("examples/basic/saxpy/saxpy.ptx", warpbound.KernelOptions{LeastGrid: least, Grid: [3]int{4}, Block: [3]int{32}, Args: []string{"2=1", "3=1"}})
		var option *warpbound.OptionError
		if !errors.As(err, &option) || option.Option != "LeastGrid" {
			t.Errorf("%v: %v, expected an error of LeastGrid", least, err)
		}
	}
}
