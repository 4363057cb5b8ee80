package warpbound

import (
	"fmt"
	"go/token"

	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/version"
)

// Formula is a bound on a launch, in cycles, as a function of scalar arguments and extents
// of the grid and the block (docs/parametric.md). It holds for every input with arguments in its ranges.
type Formula struct {
	of    *formula.Table
	about []string
}

// FormulaArgument is an argument of a formula and the range for which it is valid.
type FormulaArgument struct {
	Name     string
	Min, Max int64
	Step     int64 // between values from Min on, which not every combination of block extents has; 0 for all
}

func newFormula(of *formula.Table, a *Analysis) *Formula {
	block := fmt.Sprint(a.Block)
	if n := len(a.Sizes); n > 0 {
		block = fmt.Sprintf("%v to %v (%d sizes)", a.Sizes[0].Block, a.Sizes[n-1].Block, n)
	}
	return &Formula{of: of, about: []string{
		"",
		fmt.Sprintf("kernel %s, grid %v, block %s, on %s, by warpbound %s", a.Kernel, a.Grid, block, a.GPU.Desc.Name, version.Get().Version),
		"with what the analysis assumes: warpbound analyze --explain lists it",
	}}
}

// Arguments are those of the formula, in order.
func (f *Formula) Arguments() []FormulaArgument {
	var out []FormulaArgument
	for _, a := range f.of.Arguments {
		out = append(out, FormulaArgument(a))
	}
	return out
}

// Cycles is the bound for arguments; an error where one is out of its range.
func (f *Formula) Cycles(arguments ...int64) (int64, error) { return f.of.At(arguments) }

// String is the formula as text, in several lines.
func (f *Formula) String() string { return f.of.Text() }

// C is a function of the formula in C99, with 64-bit integers only: int64_t
// bound_cycles(int64_t, ...), which is INT64_MAX where an argument is out of its range.
func (f *Formula) C() string { return f.of.C(f.about) }

// Go is a file of a package of that name with the same function in Go, BoundCycles.
func (f *Formula) Go(pkg string) (string, error) {
	if !token.IsIdentifier(pkg) {
		return "", &OptionError{Option: "pkg", Value: pkg, Msg: "expected an identifier"}
	}
	return f.of.Go(pkg, f.about)
}
