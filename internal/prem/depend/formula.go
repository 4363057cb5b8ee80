package depend

import (
	"slices"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// maxAlternatives is the number of conjunctions beyond which a condition is
// forgotten.
const maxAlternatives = 32

// formula is a condition in disjunctive form. The choice of one empty conjunction
// is true, that of none is false. Where exact is not set, the formula is true in
// more cases than the condition.
type formula struct {
	any   choice
	exact bool
}

func always(exact bool) formula { return formula{choice{nil}, exact} }

// atom is l >= 0, or l == 0.
func atom(l loop.Linear, eq bool) formula {
	switch {
	case len(l.Terms) > 0:
		return formula{choice{{{l, eq}}}, true}
	case l.Const == 0 || l.Const > 0 && !eq:
		return always(true)
	}
	return formula{exact: true}
}

func (f formula) or(g formula) formula {
	if len(f.any)+len(g.any) > maxAlternatives {
		return always(false)
	}
	return formula{slices.Concat(f.any, g.any), f.exact && g.exact}
}

func (f formula) and(g formula) formula {
	exact := f.exact && g.exact
	if len(f.any)*len(g.any) > maxAlternatives {
		// One side alone still holds wherever both do.
		f.exact = false
		return f
	}
	out := formula{exact: exact}
	for _, a := range f.any {
		for _, b := range g.any {
			out.any = append(out.any, slices.Concat(a, b))
		}
	}
	return out
}

// affineFunc gives an expression as a linear form, as loop.Affine does.
type affineFunc func(loop.Expr) (loop.Linear, bool)

// both is the conjunction of all.
func both(all []formula) formula {
	out := always(true)
	for _, f := range all {
		out = out.and(f)
	}
	return out
}

// condition gives the condition that e is true (nonzero) or, if not truth, false,
// as a conjunction. Parts that are not affine, such as those that read memory, are
// forgotten.
func condition(e loop.Expr, truth bool, affine affineFunc) []formula {
	switch e := e.(type) {
	case *loop.Unary:
		if e.Op == loop.Not {
			return condition(e.X, !truth, affine)
		}
	case *loop.Convert:
		// A conversion that keeps every value keeps whether it is 0.
		if e.T.IsInteger() && e.X.Type().IsInteger() && e.T.Size() >= e.X.Type().Size() {
			return condition(e.X, truth, affine)
		}
	case *loop.Binary:
		switch {
		case e.Op == loop.LAnd || e.Op == loop.LOr:
			x, y := condition(e.X, truth, affine), condition(e.Y, truth, affine)
			if (e.Op == loop.LAnd) == truth {
				return slices.Concat(x, y)
			}
			return []formula{both(x).or(both(y))}
		case e.Op >= loop.Lt && e.Op <= loop.Ne:
			return []formula{comparison(e, truth, affine)}
		}
	}
	l, ok := affine(e)
	if !ok {
		return []formula{always(false)}
	}
	return []formula{compare(loop.Ne, truth, l, loop.Linear{})}
}

func comparison(e *loop.Binary, truth bool, affine affineFunc) formula {
	x, ok := affine(e.X)
	y, ok2 := affine(e.Y)
	if !ok || !ok2 {
		return always(false)
	}
	return compare(e.Op, truth, x, y)
}

var negated = map[loop.Op]loop.Op{loop.Lt: loop.Ge, loop.Le: loop.Gt, loop.Gt: loop.Le, loop.Ge: loop.Lt, loop.Eq: loop.Ne, loop.Ne: loop.Eq}

func compare(op loop.Op, truth bool, x, y loop.Linear) formula {
	if !truth {
		op = negated[op]
	}
	switch op {
	case loop.Gt, loop.Ge:
		x, y = y, x
	}
	var f formula
	switch op {
	case loop.Lt, loop.Gt:
		f = below(x, y, 1)
	case loop.Le, loop.Ge:
		f = below(x, y, 0)
	case loop.Eq:
		d, ok := minus(y, x, 0)
		if !ok {
			return always(false)
		}
		f = atom(d, true)
	default:
		f = below(x, y, 1).or(below(y, x, 1))
	}
	return f
}

// below is x + k <= y.
func below(x, y loop.Linear, k int64) formula {
	d, ok := minus(y, x, k)
	if !ok {
		return always(false)
	}
	return atom(d, false)
}
