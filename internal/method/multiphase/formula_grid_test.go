package multiphase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/method"
)

// value is what a count of blocks is for n of them.
func (b *BlockCount) value(n int64) int64 {
	x := b.Multiple*n + b.Constant
	if x <= 0 {
		return 0
	}
	return min(b.Most, (x+b.Divisor-1)/b.Divisor)
}

// blocksGap compares the form in the number of blocks with the bound for each number. Where
// no count of a loop is a variable both are the same.
func blocksGap(seed uint64) error {
	hw, blocks := countedGrid(seed, nil)
	counts := []int64{2, 5, 3}
	_, known := countedGrid(seed, counts)
	rng := rand.New(rand.NewPCG(seed, 48))
	hw.SMs, hw.SlotsPerSM = 1+rng.Int64N(4), 1+rng.Int64N(4)
	even := hw.SMs > 1 && rng.IntN(2) == 0
	const most = 40
	for _, b := range []*method.Block{blocks[0].Block, known[0].Block} {
		a, err := NewAnalyzer(hw, Options{Methods: []string{SUM}})
		if err != nil {
			return err
		}
		var loops []formula.Variable
		var of []BlockCount
		kind := map[formula.Var]int{} // index in loops, or -1 minus that in of
		next := func(i int) formula.Var {
			v := formula.Var(len(kind))
			kind[v] = i
			return v
		}
		f, err := newForms(a, Variables{Count: func(tag int32, per int64) formula.Var {
			loops = append(loops, formula.Variable{Count: int(tag) - 1, Per: per})
			return next(len(loops) - 1)
		}, Blocks: func(c BlockCount) formula.Var {
			of = append(of, c)
			return next(-len(of))
		}}).grid(context.Background(), []method.BlockClass{{Block: b, Count: most}}, hw.SMs, even)
		if err != nil {
			return err
		}
		for n := int64(1); n <= most; n++ {
			values := make([]int64, len(kind))
			for v, i := range kind {
				if i < 0 {
					values[v] = of[-i-1].value(n)
				} else {
					values[v] = (counts[loops[i].Count] + loops[i].Per - 1) / loops[i].Per
				}
			}
			got, err := f.At(values)
			if err != nil {
				return err
			}
			at := hw
			if share := (n + hw.SMs - 1) / hw.SMs; even && share <= hw.SlotsPerSM {
				at.SMs, at.SlotsPerSM = n, share
			}
			if a, err = NewAnalyzer(at, Options{Methods: []string{SUM}}); err != nil {
				return err
			}
			r, err := a.several(context.Background(), []method.BlockClass{{Block: known[0].Block, Count: n}}, bound.Kernel, at.SMs)
			if err != nil {
				return err
			}
			if want := r.Bound(SUM).Cycles; got < want || got > want && len(loops) == 0 {
				return fmt.Errorf("seed %d: %d SMs of %d slots, even %v: the formula %v of %+v is %d for %d blocks, the bound is %d", seed, hw.SMs, hw.SlotsPerSM, even, f, of, got, n, want)
			}
		}
	}
	return nil
}

// TestFormsInBlocks: a formula in the number of blocks is the bound for each number of them,
// and no less where counts of loops are variables, too.
func TestFormsInBlocks(t *testing.T) {
	for seed := range uint64(scale(300, 3000)) {
		if err := blocksGap(seed); err != nil {
			t.Fatal(err)
		}
	}
}
