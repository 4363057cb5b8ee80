package warpbound_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound"
)

// TestBlockSizes: the bound on every size of block is the largest of the bounds for each, and
// a formula in the size is no less than the bound with size, grid and arguments known;
// simulations take no longer.
func TestBlockSizes(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 48))
	most, steps := [3]int{128}, [3]int{48}
	for _, name := range []string{"none", "stride", "before", "nested", "rows"} {
		file := filepath.Join(dir, name+".ptx")
		if err := os.WriteFile(file, []byte(formulaPTX(gridKernels[name])), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, gpu := range []string{"tx1", "gtx480"} {
			m, err := warpbound.GPU(gpu)
			if err != nil {
				t.Fatal(err)
			}
			o := warpbound.KernelOptions{LeastGrid: [3]int{1, 2}, Grid: [3]int{40, 2}, LeastBlock: [3]int{32}, Block: most, BlockStep: steps, Args: []string{"n=1..900", "m=1..9"}}
			k, err := warpbound.OpenKernel(file, o)
			if err != nil {
				t.Fatal(err)
			}
			a, err := k.Analyze(context.Background(), warpbound.AnalyzeOptions{GPU: m, Methods: []string{"sum"}, Parametric: []string{"n", "block.x", "grid.x"}})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Sizes) != 3 {
				t.Fatalf("%d sizes, expected 32, 80 and 128", len(a.Sizes))
			}
			if _, err := a.Formula.Cycles(100, 33, 4); err == nil {
				t.Error("the formula has a value for blocks of 33 threads")
			}
			for _, size := range a.Sizes {
				alone := analysedGrid(t, gpu, file, size.Block[0], o.LeastGrid, o.Grid, o.Args, nil)
				if size.Cycles != alone.Best.Cycles || size.Cycles > a.Best.Cycles || size.Cycles == a.Best.Cycles && a.Block[0] > size.Block[0] {
					t.Errorf("%s: %s: %d for %v, %d alone; %d for %v", gpu, name, size.Cycles, size.Block, alone.Best.Cycles, a.Best.Cycles, a.Block)
				}
				n, m, grid := 1+rng.Int64N(900), int64(1+rng.IntN(9)), [3]int{1 + rng.IntN(40), 2, 1}
				got, err := a.Formula.Cycles(n, int64(size.Block[0]), int64(grid[0]))
				if err != nil {
					t.Fatal(err)
				}
				if took := simulated(t, gpu, dir, file, warpbound.KernelOptions{Grid: grid, Block: size.Block}, n, m); took > got {
					t.Errorf("%s: %s: simulated in %d cycles for n = %d, block %v, grid %v, the formula is %d\n%s", gpu, name, took, n, size.Block, grid, got, a.Formula)
				}
				args := []string{"m=1..9", "n=" + strings.Repeat("1", int(1+n%3))}
				n = []int64{1, 11, 111}[n%3]
				if got, err = a.Formula.Cycles(n, int64(size.Block[0]), int64(grid[0])); err != nil {
					t.Fatal(err)
				}
				if bound := analysedGrid(t, gpu, file, size.Block[0], [3]int{}, grid, args, nil).Best.Cycles; got < bound {
					t.Errorf("%s: %s: the formula is %d for n = %d, block %v, grid %v, the bound %d\n%s", gpu, name, got, n, size.Block, grid, bound, a.Formula)
				}
			}
		}
	}
}

// TestBlockSizesOfSeveralDirections: sizes are every combination, and without a size named
// the formula is the largest.
func TestBlockSizesOfSeveralDirections(t *testing.T) {
	o := warpbound.KernelOptions{Grid: [3]int{8}, LeastBlock: [3]int{16, 1}, Block: [3]int{48, 4}, BlockStep: [3]int{16, 3}, Args: []string{"2=1.5", "3=1..5000"}}
	k, err := warpbound.OpenKernel("examples/basic/saxpy/saxpy.ptx", o)
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{{"saxpy_param_3"}, {"block.y"}, {"block.y", "saxpy_param_3", "block.x"}} {
		a, err := k.Analyze(context.Background(), warpbound.AnalyzeOptions{Parametric: names})
		if err != nil {
			t.Fatal(err)
		}
		var blocks [][3]int
		largest := map[int]int64{}
		for _, s := range a.Sizes {
			blocks = append(blocks, s.Block)
			largest[s.Block[1]] = max(largest[s.Block[1]], s.Cycles)
		}
		if want := [][3]int{{16, 1, 1}, {16, 4, 1}, {32, 1, 1}, {32, 4, 1}, {48, 1, 1}, {48, 4, 1}}; !slices.Equal(blocks, want) {
			t.Errorf("sizes %v, expected %v", blocks, want)
		}
		for _, s := range a.Sizes {
			at, want := []int64{int64(s.Block[1]), 5000, int64(s.Block[0])}, s.Cycles
			switch {
			case names[0] == "saxpy_param_3":
				at, want = at[1:2], a.Best.Cycles
			case len(names) == 1:
				at, want = at[:1], largest[s.Block[1]]
			}
			if got, err := a.Formula.Cycles(at...); err != nil || got != want {
				t.Errorf("%v at %v: %d, %v, expected %d", names, at, got, err, want)
			}
		}
		if _, err := a.Certificate(context.Background()); err == nil || !strings.Contains(err.Error(), "one size of block") {
			t.Errorf("certificate of several sizes: %v", err)
		}
	}
}

// What sizes and names of directions cannot be is an error.
func TestBlockSizesRefused(t *testing.T) {
	for _, c := range []struct {
		least, block, step [3]int
		option, names      string
		loops              bool
	}{
		{least: [3]int{64}, block: [3]int{32}, option: "LeastBlock"},
		{least: [3]int{-1}, block: [3]int{32}, option: "LeastBlock"},
		{least: [3]int{32}, block: [3]int{100}, step: [3]int{32}, option: "LeastBlock"},
		{least: [3]int{1, 1}, block: [3]int{256, 8}, option: "LeastBlock"},
		{least: [3]int{32}, block: [3]int{64}, step: [3]int{32}, names: "block.y", option: "Parametric"},
		{least: [3]int{32}, block: [3]int{64}, step: [3]int{32}, names: "block.x,block.x", option: "Parametric"},
		{least: [3]int{32}, block: [3]int{64}, step: [3]int{32}, loops: true, option: "Loops"},
	} {
		k, err := warpbound.OpenKernel("examples/basic/saxpy/saxpy.ptx", warpbound.KernelOptions{Grid: [3]int{4}, LeastBlock: c.least, Block: c.block, BlockStep: c.step, Args: []string{"2=1", "3=1"}})
		if err == nil {
			o := warpbound.AnalyzeOptions{Loops: c.loops}
			if c.names != "" {
				o.Parametric = strings.Split(c.names, ",")
			}
			_, err = k.Analyze(context.Background(), o)
		}
		var option *warpbound.OptionError
		if !errors.As(err, &option) || option.Option != c.option {
			t.Errorf("%+v: %v, expected an error of %s", c, err, c.option)
		}
	}
}
