package loop

import (
	"fmt"
	"strconv"
	"strings"
)

var opNames = [...]string{"", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
	"<", "<=", ">", ">=", "==", "!=", "&&", "||", "-", "!", "~"}

func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

func (k MapKind) String() string { return [...]string{"tofrom", "to", "from", "alloc"}[k&3] }

func (o RedOp) String() string { return [...]string{"+", "*", "min", "max"}[o&3] }

// ExprString writes an expression, fully parenthesised.
func ExprString(e Expr) string { return exprString(e, true) }

// ExprText is ExprString without the marks of subscripts.
func ExprText(e Expr) string { return exprString(e, false) }

func exprString(e Expr, mark bool) string {
	switch e := e.(type) {
	case *IntLit:
		if e.T == Ulong {
			return strconv.FormatUint(uint64(e.Value), 10) + "ul"
		}
		return strconv.FormatInt(e.Value, 10) + map[Type]string{Uint: "u", Long: "l"}[e.T]
	case *FloatLit:
		if e.T == Float {
			return formatFloat(e.Value, 32) + "f"
		}
		return formatFloat(e.Value, 64)
	case *Ref:
		return e.Var.Name
	case *Index:
		var b strings.Builder
		b.WriteString(e.Array.Name)
		for _, s := range e.Subs {
			b.WriteByte('[')
			if _, ok := Affine(s); !ok && mark {
				b.WriteByte('?')
			}
			b.WriteString(exprString(s, mark) + "]")
		}
		return b.String()
	case *Unary:
		return e.Op.String() + "(" + exprString(e.X, mark) + ")"
	case *Binary:
		return "(" + exprString(e.X, mark) + " " + e.Op.String() + " " + exprString(e.Y, mark) + ")"
	case *Cond:
		return "(" + exprString(e.If, mark) + " ? " + exprString(e.Then, mark) + " : " + exprString(e.Else, mark) + ")"
	case *Call:
		var args []string
		for _, a := range e.Args {
			args = append(args, exprString(a, mark))
		}
		return e.Fn.Name + "(" + strings.Join(args, ", ") + ")"
	case *Convert:
		if e.Implicit {
			return e.T.String() + "~(" + exprString(e.X, mark) + ")"
		}
		return e.T.String() + "(" + exprString(e.X, mark) + ")"
	}
	return "?"
}

func formatFloat(v float64, bits int) string {
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}
