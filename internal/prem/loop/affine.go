package loop

import (
	"math"
	"slices"
)

// Linear is Const + the sum of Coef*Var over Terms, which are ordered by Var.ID
// and have nonzero coefficients. Variables are inductions and parameters.
type Linear struct {
	Const int64
	Terms []Term
}

// Term is one variable of a linear form.
type Term struct {
	Var  *Var
	Coef int64
}

// Coef is the coefficient of v, 0 where v does not occur.
func (l Linear) Coef(v *Var) int64 {
	for _, t := range l.Terms {
		if t.Var == v {
			return t.Coef
		}
	}
	return 0
}

// Affine gives e as a linear form, or false: for products of variables,
// divisions, array elements (A[B[i]]), locals, unsigned arithmetic (which wraps)
// and forms whose constants leave the range of int64. The form equals e wherever
// evaluating e is defined; the caller has to know that parameters keep their value.
func Affine(e Expr) (Linear, bool) {
	switch e := e.(type) {
	case *IntLit:
		return Linear{Const: e.Value}, e.T.IsSigned()
	case *Ref:
		if e.Var.Kind == Local || !e.Var.Type.IsSigned() {
			return Linear{}, false
		}
		return Linear{Terms: []Term{{e.Var, 1}}}, true
	case *Convert:
		// Only widening keeps every value.
		if !e.T.IsSigned() || !e.X.Type().IsSigned() || e.T.Size() < e.X.Type().Size() {
			return Linear{}, false
		}
		return Affine(e.X)
	case *Unary:
		if e.Op != Neg {
			return Linear{}, false
		}
		x, ok := Affine(e.X)
		if !ok {
			return Linear{}, false
		}
		return scale(x, -1)
	case *Binary:
		return affineBinary(e)
	}
	return Linear{}, false
}

func affineBinary(e *Binary) (Linear, bool) {
	if e.Op != Add && e.Op != Sub && e.Op != Mul {
		return Linear{}, false
	}
	x, ok := Affine(e.X)
	if !ok {
		return Linear{}, false
	}
	y, ok := Affine(e.Y)
	if !ok {
		return Linear{}, false
	}
	switch {
	case e.Op == Mul && len(x.Terms) == 0:
		return scale(y, x.Const)
	case e.Op == Mul && len(y.Terms) == 0:
		return scale(x, y.Const)
	case e.Op == Mul:
		return Linear{}, false
	case e.Op == Sub:
		if y, ok = scale(y, -1); !ok {
			return Linear{}, false
		}
	}
	return sum(x, y)
}

func scale(l Linear, k int64) (Linear, bool) {
	c, ok := mulInt64(l.Const, k)
	if !ok {
		return Linear{}, false
	}
	out := Linear{Const: c}
	if k == 0 {
		return out, true
	}
	for _, t := range l.Terms {
		c, ok := mulInt64(t.Coef, k)
		if !ok {
			return Linear{}, false
		}
		out.Terms = append(out.Terms, Term{t.Var, c})
	}
	return out, true
}

func sum(a, b Linear) (Linear, bool) {
	c, ok := addInt64(a.Const, b.Const)
	if !ok {
		return Linear{}, false
	}
	out := Linear{Const: c, Terms: slices.Clone(a.Terms)}
	for _, t := range b.Terms {
		i, found := slices.BinarySearchFunc(out.Terms, t, func(x, y Term) int { return x.Var.ID - y.Var.ID })
		if !found {
			out.Terms = slices.Insert(out.Terms, i, t)
			continue
		}
		c, ok := addInt64(out.Terms[i].Coef, t.Coef)
		if !ok {
			return Linear{}, false
		}
		if out.Terms[i].Coef = c; c == 0 {
			out.Terms = slices.Delete(out.Terms, i, i+1)
		}
	}
	return out, true
}

func addInt64(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func mulInt64(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	if a == math.MinInt64 && b == -1 || b == math.MinInt64 && a == -1 {
		return 0, false
	}
	p := a * b
	return p, p/b == a
}
