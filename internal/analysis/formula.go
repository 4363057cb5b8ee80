package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
)

// NoFormulaError says why a bound is not one.
type NoFormulaError struct{ Reason string }

func (e *NoFormulaError) Error() string { return "no formula: " + e.Reason }

// Formula is the bound on the launch by sum as a formula in the arguments that the question
// names (docs/soundness/formulas.md, theorem 46 (formulas)); nil where it names none. Other
// arguments may be anything in their ranges.
func (r *Report) Formula(ctx context.Context) (*formula.Formula, error) {
	names := r.Question.Parametric
	if len(names) == 0 {
		return nil, nil
	}
	scalars := slices.DeleteFunc(slices.Clone(r.Ranges), func(x simt.Range) bool { return x.Buffer })
	var arguments []formula.Argument
	chosen := make([]int, len(scalars)) // index in arguments plus 1
	for _, name := range names {
		i := slices.IndexFunc(scalars, func(x simt.Range) bool { return x.Name == name })
		if i < 0 || chosen[i] > 0 {
			var known []string
			for _, x := range scalars {
				known = append(known, x.Name)
			}
			if len(known) == 0 {
				known = []string{"none, since none has a range"}
			}
			return nil, &NoFormulaError{fmt.Sprintf("%q is no scalar argument with a range, or is named twice; expected some of %s", name, strings.Join(known, ", "))}
		}
		arguments = append(arguments, formula.Argument{Name: name, Min: scalars[i].Min, Max: scalars[i].Max})
		chosen[i] = len(arguments)
	}
	switch {
	case r.Question.Machine() != method.Plain:
		return nil, &NoFormulaError{"it is of a machine without front end, policy and order of accesses"}
	case !r.AllInputs() || !r.Closed:
		return nil, &NoFormulaError{"the launch is not covered in closed form: " + r.NotCovered}
	case r.Irregular() != nil:
		return nil, &NoFormulaError{r.Irregular().Reason}
	case r.Best == nil:
		return nil, &NoFormulaError{"no method gives a bound"}
	}
	counts := make([]formula.Count, len(r.Path.Counts))
	for i := range counts {
		counts[i] = r.formulaCount(&r.Path.Counts[i], scalars, chosen, len(arguments))
	}
	l, err := multiphase.Of(r.Facts)
	if err != nil {
		return nil, err
	}
	var vars []formula.Variable
	form, err := l.Form(ctx, func(tag int32, per int64) formula.Var {
		v := formula.Variable{Count: int(tag) - 1, Per: per}
		at := slices.Index(vars, v)
		if at < 0 {
			at = len(vars)
			vars = append(vars, v)
		}
		return formula.Var(at)
	})
	if err != nil {
		return nil, &NoFormulaError{err.Error()}
	}
	f, err := formula.New(arguments, counts, vars, form, r.Best.Cycles)
	if err != nil {
		return nil, &NoFormulaError{err.Error()}
	}
	return f, nil
}

// formulaCount is a count in the arguments chosen; others are where it is largest.
func (r *Report) formulaCount(c *path.LoopCount, scalars []simt.Range, chosen []int, arguments int) formula.Count {
	in := &r.Program.Instructions[c.Head]
	at := in.Pos
	if in.Source.Line > 0 {
		at = in.Source
	}
	out := formula.Count{Name: fmt.Sprintf("ways back to %s (%s)", facts.PlaceName(r.Program, c.Head), at), Most: c.Most}
	for _, test := range c.Tests {
		var list []formula.Quotient
		depends := false
		for _, q := range test {
			to := formula.Quotient{Constant: q.Constant, Factors: make([]int64, arguments), Divisor: q.Divisor}
			fits := true
			for i, n := range q.Factors {
				switch {
				case n == 0:
				case chosen[i] > 0:
					to.Factors[chosen[i]-1], depends = n, true
				default:
					fits = fits && to.AddLargest(n, scalars[i].Min, scalars[i].Max)
				}
			}
			if !fits {
				depends = false
				break
			}
			list = append(list, to)
		}
		if depends {
			out.Tests = append(out.Tests, list)
		}
	}
	return out
}
