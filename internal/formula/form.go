package formula

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// ErrOverflow reports a coefficient or a value beyond 63 bits.
var ErrOverflow = errors.New("a figure of the formula does not fit 63 bits")

// Var is a variable, an integer of at least 0, by its index in the Vars of a Formula.
type Var int32

// Term is a positive multiple of a product of variables.
type Term struct {
	Coefficient int64
	Vars        []Var // ascending; a variable that is squared comes twice
}

// Sum is a constant, at least 0, and terms, each with other variables.
type Sum struct {
	Constant int64
	Terms    []Term // ascending by their variables
}

// Form is the largest of sums, of which none is everywhere at most another. The empty Form
// is 0.
type Form []Sum

// mostSums is how many sums a form may have. Where there are more, a single one takes
// their place, with the largest of their coefficients.
const mostSums = 12

// Calc computes with forms. Once something does not fit, results mean nothing, and Err
// says so.
type Calc struct {
	// AtMost says that a variable is never above another one; nil where nothing is known
	// of them.
	AtMost func(a, b Var) bool
	over   bool
}

// Err is ErrOverflow where something did not fit.
func (c *Calc) Err() error {
	if c.over {
		return ErrOverflow
	}
	return nil
}

func (c *Calc) add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		c.over = true
		return 0
	}
	return a + b
}

func (c *Calc) mul(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		c.over = true
		return 0
	}
	return a * b
}

// Constant is a number; one below 0 does not fit.
func (c *Calc) Constant(n int64) Form {
	if n < 0 {
		c.over = true
	}
	if n == 0 {
		return nil
	}
	return Form{{Constant: n}}
}

// Add is the sum of forms.
func (c *Calc) Add(forms ...Form) Form {
	out := Form(nil)
	for _, f := range forms {
		switch {
		case len(f) == 0:
		case len(out) == 0:
			out = f
		default:
			var all Form
			for i := range out {
				for j := range f {
					all = append(all, c.sum(&out[i], &f[j], c.add))
				}
			}
			out = c.few(c.pruned(all))
		}
	}
	return out
}

// Max is the largest of forms.
func (c *Calc) Max(forms ...Form) Form {
	var all Form
	for _, f := range forms {
		all = append(all, f...)
	}
	return c.few(c.pruned(all))
}

// Times is n times a form, n at least 0.
func (c *Calc) Times(n int64, f Form) Form {
	if n < 0 {
		c.over = true
	}
	if n <= 0 {
		return nil
	}
	return c.each(f, func(t Term) Term { return Term{c.mul(n, t.Coefficient), t.Vars} })
}

// Less is a form without n of the cycles that each of its sums has at least.
func (c *Calc) Less(f Form, n int64) Form {
	if n == 0 {
		return f
	}
	out := make(Form, 0, len(f))
	for _, s := range f {
		if s.Constant < n {
			c.over = true
			return nil
		}
		s.Constant -= n
		out = append(out, s)
	}
	return out
}

// TimesVar is a form times a variable.
func (c *Calc) TimesVar(v Var, f Form) Form {
	return c.each(f, func(t Term) Term {
		vars := append(slices.Clone(t.Vars), v)
		slices.Sort(vars)
		return Term{t.Coefficient, vars}
	})
}

// TimesTotals is no less than the sum of a form over v iterations, in each of which some
// variables may be others: those for which total has their sum over all.
func (c *Calc) TimesTotals(v Var, f Form, total func(Var) (Var, bool)) Form {
	some := false
	sum := func(t Term) Term {
		for i, of := range t.Vars {
			if all, ok := total(of); ok {
				vars := slices.Clone(t.Vars)
				vars[i], some = all, true
				slices.Sort(vars)
				return Term{t.Coefficient, vars}
			}
		}
		vars := append(slices.Clone(t.Vars), v)
		slices.Sort(vars)
		return Term{t.Coefficient, vars}
	}
	out := c.each(f, sum)
	if !some {
		return out
	}
	if len(f) > 1 {
		// Which sum is the largest may differ from one iteration to another.
		out = c.each(c.one(f), sum)
	}
	for i := range out {
		out[i].Terms = c.joined(out[i].Terms)
	}
	return out
}

// joined adds terms of the same product, which stand next to one another.
func (c *Calc) joined(terms []Term) []Term {
	var out []Term
	for _, t := range terms {
		if n := len(out); n > 0 && byVars(out[n-1], t) == 0 {
			out[n-1].Coefficient = c.add(out[n-1].Coefficient, t.Coefficient)
		} else {
			out = append(out, t)
		}
	}
	return out
}

// each is a form with each of its terms, constants included, replaced.
func (c *Calc) each(f Form, by func(Term) Term) Form {
	out := make(Form, len(f))
	for i := range f {
		terms := f[i].Terms
		if f[i].Constant > 0 {
			terms = append([]Term{{Coefficient: f[i].Constant}}, terms...)
		}
		for _, t := range terms {
			if t = by(t); len(t.Vars) == 0 {
				out[i].Constant = t.Coefficient
			} else {
				out[i].Terms = append(out[i].Terms, t)
			}
		}
		slices.SortFunc(out[i].Terms, byVars)
	}
	return out
}

func byVars(a, b Term) int {
	return cmp.Or(cmp.Compare(len(a.Vars), len(b.Vars)), slices.Compare(a.Vars, b.Vars))
}

// sum merges two sums, coefficient by coefficient.
func (c *Calc) sum(a, b *Sum, merge func(x, y int64) int64) Sum {
	out := Sum{Constant: merge(a.Constant, b.Constant)}
	x, y := a.Terms, b.Terms
	for len(x)+len(y) > 0 {
		order := -1
		switch {
		case len(x) == 0:
			order = 1
		case len(y) > 0:
			order = byVars(x[0], y[0])
		}
		switch {
		case order < 0:
			out.Terms, x = append(out.Terms, x[0]), x[1:]
		case order > 0:
			out.Terms, y = append(out.Terms, y[0]), y[1:]
		default:
			out.Terms = append(out.Terms, Term{merge(x[0].Coefficient, y[0].Coefficient), x[0].Vars})
			x, y = x[1:], y[1:]
		}
	}
	return out
}

// atMost says that no coefficient of a is larger than that of b.
func atMost(a, b *Sum) bool {
	if a.Constant > b.Constant {
		return false
	}
	y := b.Terms
	for _, t := range a.Terms {
		for len(y) > 0 && byVars(y[0], t) < 0 {
			y = y[1:]
		}
		if len(y) == 0 || byVars(y[0], t) != 0 || t.Coefficient > y[0].Coefficient {
			return false
		}
	}
	return true
}

// pruned leaves out sums that are at most others.
func (c *Calc) pruned(all Form) Form {
	var out Form
	for i := range all {
		needed := true
		for j := range all {
			if i != j && c.atMost(&all[i], &all[j]) && (j < i || !c.atMost(&all[j], &all[i])) {
				needed = false
				break
			}
		}
		if needed {
			out = append(out, all[i])
		}
	}
	return out
}

// few takes a single sum for many.
func (c *Calc) few(f Form) Form {
	if len(f) <= mostSums {
		return f
	}
	return c.one(f)
}

// one is a single sum with the largest coefficients.
func (c *Calc) one(f Form) Form {
	one := f[0]
	for i := range f[1:] {
		one = c.sum(&one, &f[i+1], func(x, y int64) int64 { return max(x, y) })
	}
	return Form{one}
}

// At is the value where the variables have these values, none below 0.
func (f Form) At(values []int64) (int64, error) {
	var c Calc
	most := int64(0)
	for _, s := range f {
		total := s.Constant
		for _, t := range s.Terms {
			product := t.Coefficient
			for _, v := range t.Vars {
				product = c.mul(product, values[v])
			}
			total = c.add(total, product)
		}
		most = max(most, total)
	}
	return most, c.Err()
}

// renamed is a form with other variables; which has to keep their order.
func (f Form) renamed(which func(Var) Var) Form {
	out := make(Form, len(f))
	for i := range f {
		out[i].Constant = f[i].Constant
		for _, t := range f[i].Terms {
			vars := make([]Var, len(t.Vars))
			for j, v := range t.Vars {
				vars[j] = which(v)
			}
			out[i].Terms = append(out[i].Terms, Term{t.Coefficient, vars})
		}
	}
	return out
}
