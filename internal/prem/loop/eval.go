package loop

import "math"

// EvalUnary is the value of op on x of type t, in the encoding of Value.Bits, as
// Invoke computes it. The text is not empty where C leaves the value undefined.
func EvalUnary(op Op, t Type, x uint64) (uint64, string) { return unary(op, t, x) }

// EvalBinary is the value of op, which is not LAnd or LOr, on x of type t and y
// of type yt (t but for shifts), as EvalUnary.
func EvalBinary(op Op, t, yt Type, x, y uint64) (uint64, string) { return binary(op, t, yt, x, y) }

// EvalConvert is x converted from one type to another, as EvalUnary.
func EvalConvert(to, from Type, x uint64) (uint64, string) { return convert(to, from, x) }

// Truth reports whether x of type t is a condition that holds.
func Truth(t Type, x uint64) bool { return truth(t, x) }

// Compare is the comparison op on x and y of type t.
func Compare(op Op, t Type, x, y uint64) bool { return compare(op, t, x, y) }

// Combine is what a reduction makes of two values of type t, as EvalUnary.
func (o RedOp) Combine(t Type, x, y uint64) (uint64, string) {
	switch {
	case o == RedAdd:
		return binary(Add, t, t, x, y)
	case o == RedMul:
		return binary(Mul, t, t, x, y)
	case o == RedMin && compare(Lt, t, y, x), o == RedMax && compare(Gt, t, y, x):
		return y, ""
	}
	return x, ""
}

// Eval is the function's value in the encoding of Value.Bits; a function of one
// parameter ignores y.
func (f *MathFunc) Eval(x, y uint64) uint64 {
	a, b := f64(x), f64(y)
	if f.Type == Float {
		a, b = float64(f32(x)), float64(f32(y))
	}
	var r float64
	if f.f1 != nil {
		r = f.f1(a)
	} else {
		r = f.f2(a, b)
	}
	if f.Type == Float {
		return uint64(math.Float32bits(float32(r)))
	}
	return math.Float64bits(r)
}

// Bits is the literal in the encoding of Value.Bits.
func (e *FloatLit) Bits() uint64 {
	if e.T == Float {
		return uint64(math.Float32bits(float32(e.Value)))
	}
	return math.Float64bits(e.Value)
}

// CheckExpr verifies an expression of a generated kernel, in which vars and
// arrays are in scope, as Check does the expressions of a program; arrays of
// unknown first extent need no map clause. It gives an *Error for each breach.
func CheckExpr(e Expr, vars map[*Var]bool, arrays map[*Array]bool) []error {
	c := &checker{vars: vars, arrays: arrays, generated: true}
	c.expr(e)
	return c.errs
}

// OnlyFor is the loop that the statements consist of, blocks around it or not, or nil.
func OnlyFor(list []Stmt) *For {
	for len(list) == 1 {
		switch s := list[0].(type) {
		case *For:
			return s
		case *Block:
			list = s.Body
		default:
			return nil
		}
	}
	return nil
}

// WalkExpr calls f on each node of an expression, outer ones first.
func WalkExpr(e Expr, f func(Expr)) { walkExpr(e, f) }

// WalkStmts calls f on each statement of the trees, outer ones first.
func WalkStmts(list []Stmt, f func(Stmt)) { walkStmts(list, f) }

// WalkExprs calls f on each node of each expression of the statements, clauses of
// kernels left out.
func WalkExprs(list []Stmt, f func(Expr)) {
	walkStmts(list, func(s Stmt) {
		switch s := s.(type) {
		case *For:
			walkExpr(s.Lo, f)
			walkExpr(s.Hi, f)
		case *If:
			walkExpr(s.Cond, f)
		case *Assign:
			walkExpr(s.LHS, f)
			walkExpr(s.RHS, f)
		case *Decl:
			if s.Init != nil {
				walkExpr(s.Init, f)
			}
		case *Return:
			if s.Value != nil {
				walkExpr(s.Value, f)
			}
		}
	})
}
