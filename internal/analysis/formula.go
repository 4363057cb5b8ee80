package analysis

import (
	"context"
	"fmt"
	"math"
	"reflect"
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

// Formula is the bound on the launch by sum as a formula in the arguments and extents of the
// grid that the question names (docs/soundness/formulas.md, theorem 46 (formulas)); nil where
// it names none. Others may be anything in their ranges.
func (r *Report) Formula(ctx context.Context) (*formula.Formula, error) {
	names := r.Question.Parametric
	if len(names) == 0 {
		return nil, nil
	}
	p, err := r.parameters(names)
	if err != nil {
		return nil, err
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
		counts[i] = r.formulaCount(&r.Path.Counts[i], p)
		counts[i].Fit(p.arguments)
	}
	l, err := multiphase.Of(r.Facts)
	if err != nil {
		return nil, err
	}
	var vars []formula.Variable
	variable := func(v formula.Variable) formula.Var {
		at := slices.Index(vars, v)
		if at < 0 {
			at = len(vars)
			vars = append(vars, v)
		}
		return formula.Var(at)
	}
	over := multiphase.Variables{
		Count: func(tag int32, per int64) formula.Var {
			return variable(formula.Variable{Count: int(tag) - 1, Per: per})
		},
		Total: func(tag int32, of formula.Var) (formula.Var, bool) {
			count, ok := r.totalCount(p, counts, int(tag)-1, vars[of])
			if !ok {
				return 0, false
			}
			at := slices.IndexFunc(counts, func(c formula.Count) bool { return c.Total != nil && reflect.DeepEqual(c, count) })
			if at < 0 {
				at = len(counts)
				counts = append(counts, count)
			}
			return variable(formula.Variable{Count: at, Per: 1}), true
		},
		AtMost: func(a, b formula.Var) bool { return vars[a].AtMost(vars[b], counts) },
	}
	if len(p.axes) > 0 {
		over.Blocks = func(b multiphase.BlockCount) formula.Var {
			count := p.blockCount(b)
			count.Fit(p.arguments)
			counts = append(counts, count)
			return variable(formula.Variable{Count: len(counts) - 1, Per: 1})
		}
	}
	form, err := l.Form(ctx, over)
	if err != nil {
		return nil, &NoFormulaError{err.Error()}
	}
	f, err := formula.New(p.arguments, counts, vars, form, r.Best.Cycles)
	if err != nil {
		return nil, &NoFormulaError{err.Error()}
	}
	return f, nil
}

// parameters are what a formula is in.
type parameters struct {
	ranges    []simt.Range // of all scalar arguments and extents of the grid
	chosen    []int        // of these, the index in arguments plus 1
	arguments []formula.Argument
	axes      []int // indices of extents of the grid in arguments
	others    int64 // the product of the other extents, each the largest
}

// parameters finds those that are named.
func (r *Report) parameters(names []string) (*parameters, error) {
	p := &parameters{ranges: slices.DeleteFunc(slices.Clone(r.Ranges), func(x simt.Range) bool { return x.Buffer }), others: r.Blocks}
	p.chosen = make([]int, len(p.ranges))
	for _, name := range names {
		i := slices.IndexFunc(p.ranges, func(x simt.Range) bool { return x.Name == name })
		if i < 0 || p.chosen[i] > 0 {
			var known []string
			for _, x := range p.ranges {
				known = append(known, x.Name)
			}
			if len(known) == 0 {
				known = []string{"none, since none has a range"}
			}
			return nil, &NoFormulaError{fmt.Sprintf("%q is no scalar argument or extent of the grid with a range, or is named twice; expected some of %s", name, strings.Join(known, ", "))}
		}
		if p.ranges[i].Axis > 0 {
			p.axes = append(p.axes, len(p.arguments))
			p.others /= p.ranges[i].Max
		}
		p.arguments = append(p.arguments, formula.Argument{Name: name, Min: p.ranges[i].Min, Max: p.ranges[i].Max})
		p.chosen[i] = len(p.arguments)
	}
	return p, nil
}

// blockCount is a number that follows from how many blocks there are.
func (p *parameters) blockCount(b multiphase.BlockCount) formula.Count {
	out := formula.Count{Name: b.Name, Most: b.Most}
	if b.Multiple > math.MaxInt64/p.others {
		return out
	}
	q := formula.Quotient{Constant: b.Constant, Divisor: b.Divisor}
	if len(p.axes) == 1 {
		q.Factors = make([]int64, len(p.arguments))
		q.Factors[p.axes[0]] = b.Multiple * p.others
	} else {
		q.Multiple, q.Product = b.Multiple*p.others, p.axes
	}
	out.Tests = [][]formula.Quotient{{q}}
	return out
}

// formulaCount is a count in the arguments chosen; others are where it is largest.
func (r *Report) formulaCount(c *path.LoopCount, p *parameters) formula.Count {
	in := &r.Program.Instructions[c.Head]
	at := in.Pos
	if in.Source.Line > 0 {
		at = in.Source
	}
	out := formula.Count{Name: fmt.Sprintf("ways back to %s (%s)", facts.PlaceName(r.Program, c.Head), at), Most: c.Most}
	for _, test := range c.Tests {
		var list []formula.Quotient
		depends := false
		for i := range test {
			q, of, fits := p.quotient(&test[i])
			if !fits {
				depends = false
				break
			}
			depends = depends || of
			list = append(list, q)
		}
		if depends {
			out.Tests = append(out.Tests, list)
		}
		if list, ok := r.lastIteration(test, p); ok {
			out.Tests = append(out.Tests, list)
		}
	}
	return out
}

// lastIteration is a test whose quotient grows with the number of the iteration of a loop
// around, which is from 0 to the count of that loop, if that is a sum of arguments.
func (r *Report) lastIteration(test []simt.Quotient, p *parameters) (list []formula.Quotient, ok bool) {
	if len(test) != 1 || test[0].Around == simt.NoLoop || test[0].Step <= 0 || slices.Contains(r.Path.Uncounted, test[0].Around) {
		return nil, false
	}
	first := test[0]
	first.Constant = first.First
	ends := []simt.Quotient{first}
	for i := range r.Path.Counts {
		c := &r.Path.Counts[i]
		if c.Head != first.Around {
			continue
		}
		at := slices.IndexFunc(c.Tests, func(list []simt.Quotient) bool {
			return len(list) == 1 && list[0].Divisor == 1 && len(list[0].Per) == 0 && list[0].Around == simt.NoLoop
		})
		if at < 0 {
			return nil, false
		}
		last, ok := first.Plus(first.Step, &c.Tests[at][0])
		if !ok {
			return nil, false
		}
		ends = append(ends, last)
	}
	depends := false
	for i := range ends {
		q, of, fits := p.quotient(&ends[i])
		if !fits {
			return nil, false
		}
		depends = depends || of
		list = append(list, q)
	}
	return list, depends
}

// quotient is a quotient in the arguments chosen, and whether it depends on them; fits is
// false where it may be beyond 64 bits.
func (p *parameters) quotient(q *simt.Quotient) (to formula.Quotient, depends, fits bool) {
	to = formula.Quotient{Constant: q.Constant, Factors: make([]int64, len(p.arguments)), Divisor: q.Divisor}
	fits = true
	for i, n := range q.Factors {
		switch {
		case n == 0:
		case p.chosen[i] > 0:
			to.Factors[p.chosen[i]-1], depends = n, true
		default:
			fits = fits && to.AddLargest(n, p.ranges[i].Min, p.ranges[i].Max)
		}
	}
	for i, n := range q.Per {
		switch {
		case n == 0:
		case p.chosen[i] > 0:
			if to.Per == nil {
				to.Per = make([]int64, len(p.arguments))
			}
			to.Per[p.chosen[i]-1], depends = n, true
		default:
			fits = fits && to.AddLeast(n, p.ranges[i].Min, p.ranges[i].Max)
		}
	}
	return to, depends, fits
}

// totalCount is the sum of a variable over the iterations of the loop of a count: a quotient
// that moves with the number of the iteration.
func (r *Report) totalCount(p *parameters, counts []formula.Count, around int, v formula.Variable) (formula.Count, bool) {
	if v.Count >= len(r.Path.Counts) {
		return formula.Count{}, false // of blocks, or a total
	}
	of, loop := &r.Path.Counts[v.Count], &r.Path.Counts[around]
	for _, test := range of.Tests {
		if len(test) != 1 || test[0].Around != loop.Head {
			continue
		}
		q := test[0]
		q.Constant = q.First
		to, _, fits := p.quotient(&q)
		if !fits || !to.DividedBy(v.Per) {
			continue
		}
		per := (of.Most-1)/v.Per + 1
		if of.Most <= 0 || per > math.MaxInt64/(loop.Most+1) {
			continue
		}
		total := &formula.Total{Of: around, Quotient: to, Step: q.Step}
		if !total.Fits(p.arguments, loop.Most) {
			continue
		}
		return formula.Count{
			Name:  fmt.Sprintf("%s, in all iterations of %s", counts[v.Count].Name, facts.PlaceName(r.Program, loop.Head)),
			Most:  per * (loop.Most + 1),
			Total: total,
		}, true
	}
	return formula.Count{}, false
}
