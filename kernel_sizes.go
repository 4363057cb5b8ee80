package warpbound

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
)

// maxSizes is the most sizes of block that are analysed one by one.
const maxSizes = 1024

// BlockSize is what is known of a launch with one size of block.
type BlockSize struct {
	Block  [3]int
	Cycles int64 // the smallest safe bound
}

var blockAxes = [3]string{"block.x", "block.y", "block.z"}

// blockRanges are the directions in which blocks have several sizes.
func (o *KernelOptions) blockRanges() []formula.Argument {
	var out []formula.Argument
	for i, name := range blockAxes {
		if least := o.LeastBlock[i]; least > 0 && least < o.Block[i] {
			out = append(out, formula.Argument{Name: name, Min: int64(least), Max: int64(o.Block[i]), Step: int64(max(o.BlockStep[i], 1))})
		}
	}
	return out
}

// sizes are the sizes of block that are asked for, in ascending order.
func (o *KernelOptions) sizes() ([][3]int, error) {
	wrong := func(msg string) error {
		return &OptionError{Option: "LeastBlock", Msg: msg}
	}
	out := [][3]int{o.Block}
	for i, most := range o.Block {
		least, step := o.LeastBlock[i], max(o.BlockStep[i], 1)
		switch {
		case least == 0:
			continue
		case least < 0 || least > most:
			return nil, wrong(fmt.Sprintf("expected extents from 1, or 0, to those of Block, %v", o.Block))
		case (most-least)%step != 0:
			return nil, wrong(fmt.Sprintf("%s does not get from %d to %d by steps of %d", blockAxes[i], least, most, step))
		}
		if (most-least)/step >= maxSizes/len(out) {
			return nil, wrong(fmt.Sprintf("more than %d sizes of block, expected larger steps", maxSizes))
		}
		var more [][3]int
		for _, block := range out {
			for n := least; n <= most; n += step {
				block[i] = n
				more = append(more, block)
			}
		}
		out = more
	}
	return out, nil
}

// Analyze is [Launch.Analyze] for every input, of which none is given: front ends,
// policies and the order of an L1 data cache are for launches. Where no bound holds for
// every input, the error says why; with it the Analysis has no Scopes, and is nil but where
// AnalyzeOptions.Loops asks for the loops.
//
// Of several sizes of block the analysis is that of the slowest one, of which each other
// one's bound is no larger; Analysis.Sizes has them all.
func (k *Kernel) Analyze(ctx context.Context, opt AnalyzeOptions) (*Analysis, error) {
	scratch := new(ptxexec.Scratch) // one for all executions, of which each has its time
	with := func(l *Launch) *Launch {
		out := &Launch{opened: l.opened.Again()}
		out.opened.Scratch = scratch
		return out
	}
	if len(k.ranges) == 0 {
		return with(&k.sizes[0]).analyze(ctx, opt, true)
	}
	if opt.Loops {
		return nil, &OptionError{Option: "Loops", Msg: "loops differ from one size of block to the other, expected a single size"}
	}
	table := &formula.Table{}
	var of []int // of the axes that choose, the index in the block
	each := opt
	each.Parametric, each.By = nil, ""
	for _, name := range opt.Parametric {
		axis := slices.Index(blockAxes[:], name)
		if axis < 0 {
			each.Parametric = append(each.Parametric, name)
			table.Arguments = append(table.Arguments, formula.Argument{})
			continue
		}
		at := slices.IndexFunc(k.ranges, func(a formula.Argument) bool { return a.Name == name })
		if at < 0 || slices.Contains(of, axis) {
			return nil, &OptionError{Option: "Parametric", Value: name, Msg: "no formula: blocks have one extent in this direction, or it is named twice; expected a range"}
		}
		table.Chooses = append(table.Chooses, len(table.Arguments))
		table.Arguments = append(table.Arguments, k.ranges[at])
		of = append(of, axis)
	}
	var slowest *Analysis
	var sizes []BlockSize
	var ledger []bound.Assumption
	for i := range k.sizes {
		l := with(&k.sizes[i])
		_, block := l.Grid()
		if opt.Progress != nil {
			each.Progress = func(p Progress) {
				p.Detail = fmt.Sprintf("size %d of %d, %s", i+1, len(k.sizes), sizeText(block))
				opt.Progress(p)
			}
		}
		a, err := l.analyze(ctx, each, true)
		if err != nil {
			return nil, fmt.Errorf("blocks of %s threads: %w", sizeText(block), err)
		}
		if a.Best == nil {
			return a, nil // there is none for all of them
		}
		sizes = append(sizes, BlockSize{Block: block, Cycles: a.Best.Cycles})
		table.Cases = append(table.Cases, sizeCase(a, of))
		ledger = weakest(ledger, a.Best.Assumptions)
		if sum := a.Whole().Bound("sum"); sum != nil && len(opt.Parametric) > 0 {
			ledger = weakest(ledger, sum.Assumptions) // formulas are by sum
		}
		if slowest == nil || a.Best.Cycles > slowest.Best.Cycles {
			slowest = a
		}
	}
	if err := slowest.attribute(ctx, opt.By); err != nil {
		return nil, err
	}
	slowest.Best.Assumptions = weakest(slowest.Best.Assumptions, ledger)
	slowest.Sizes, slowest.sizeRanges, slowest.Formula = sizes, k.ranges, nil
	if len(opt.Parametric) > 0 {
		others := table.Cases[0].Formula.Arguments
		for i := range table.Arguments {
			if !slices.Contains(table.Chooses, i) {
				table.Arguments[i], others = others[0], others[1:]
			}
		}
		slowest.Formula = newFormula(table, slowest)
	}
	return slowest, nil
}

// sizeCase is the formula for one size of block, whose extents in some axes choose it.
func sizeCase(a *Analysis, axes []int) formula.Case {
	out := formula.Case{Values: []int64{}, Formula: formula.Always(a.Best.Cycles)}
	if a.Formula != nil {
		out.Formula = a.Formula.of.Cases[0].Formula
	}
	for _, axis := range axes {
		out.Values = append(out.Values, int64(a.Block[axis]))
	}
	return out
}

// weakest has each assumption of two ledgers, of one that is in both the entry with less
// ground, or the first.
func weakest(a, b []bound.Assumption) []bound.Assumption {
	out := slices.Clone(a)
	for _, x := range b {
		at := slices.IndexFunc(out, func(y bound.Assumption) bool { return y.ID == x.ID })
		switch {
		case at < 0:
			out = append(out, x)
		case x.Status < out[at].Status:
			out[at] = x
		}
	}
	return out
}

// sizeText is a size of block: its extents up to the last that is not 1.
func sizeText(block [3]int) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(block), " ", "x"), "[]")
	return strings.TrimSuffix(strings.TrimSuffix(text, "x1"), "x1")
}
