package loop

// Fold replaces an operator or a conversion on integer constants by its value,
// unless C leaves it undefined; then, and for other expressions, it gives e itself.
func Fold(e Expr) Expr {
	lit := func(x Expr) (*IntLit, bool) { l, ok := x.(*IntLit); return l, ok }
	var bits uint64
	var fault string
	switch e := e.(type) {
	case *Convert:
		x, ok := lit(e.X)
		if !ok || !e.T.IsInteger() {
			return e
		}
		bits, fault = convert(e.T, x.T, uint64(x.Value))
	case *Unary:
		x, ok := lit(e.X)
		if !ok {
			return e
		}
		bits, fault = unary(e.Op, x.T, uint64(x.Value))
	case *Binary:
		x, ok := lit(e.X)
		y, ok2 := lit(e.Y)
		if !ok || !ok2 || e.Op == LAnd || e.Op == LOr {
			return e
		}
		bits, fault = binary(e.Op, x.T, y.T, uint64(x.Value), uint64(y.Value))
	default:
		return e
	}
	if fault != "" {
		return e
	}
	return &IntLit{At: e.Position(), T: e.Type(), Value: int64(bits)}
}
