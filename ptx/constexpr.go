package ptx

import (
	"math"
	"strconv"
)

// warpSize is what WARP_SZ stands for.
const warpSize = 32

// value is a constant: an integer of 64 bits, signed or not, or a float.
type value struct {
	kind     Kind // KindInt, KindF32, KindF64
	unsigned bool
	bits     uint64
}

func (v value) operand(pos Pos) Operand {
	return Operand{Kind: v.kind, Unsigned: v.unsigned, Pos: pos, Imm: v.bits}
}

func (v value) float() float64 {
	switch {
	case v.kind == KindF64:
		return math.Float64frombits(v.bits)
	case v.kind == KindF32:
		return float64(math.Float32frombits(uint32(v.bits)))
	case v.unsigned:
		return float64(v.bits)
	}
	return float64(int64(v.bits))
}

func intValue(i int64) value     { return value{kind: KindInt, bits: uint64(i)} }
func floatValue(f float64) value { return value{kind: KindF64, bits: math.Float64bits(f)} }

func boolValue(b bool) value {
	if b {
		return intValue(1)
	}
	return intValue(0)
}

// literal takes the value of a number token.
func literal(s string) (v value, ok bool) {
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'f', 'F':
			b, err := strconv.ParseUint(s[2:], 16, 32)
			return value{kind: KindF32, bits: b}, err == nil && len(s) == 10 && hexOnly(s[2:])
		case 'd', 'D':
			b, err := strconv.ParseUint(s[2:], 16, 64)
			return value{kind: KindF64, bits: b}, err == nil && len(s) == 18 && hexOnly(s[2:])
		}
	}
	digits, base := s, 10
	unsigned := false
	if n := len(s) - 1; s[n] == 'U' {
		digits, unsigned = s[:n], true
	}
	if len(digits) > 1 && digits[0] == '0' {
		switch digits[1] {
		case 'x', 'X':
			digits, base = digits[2:], 16
		case 'b', 'B':
			digits, base = digits[2:], 2
		default:
			digits, base = digits[1:], 8
		}
	}
	if len(digits) > 0 && charClass[digits[0]]&ccHex != 0 {
		if b, err := strconv.ParseUint(digits, base, 64); err == nil {
			return value{kind: KindInt, unsigned: unsigned || b > math.MaxInt64, bits: b}, true
		}
	}
	if !decimalFloat(s) {
		return v, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return floatValue(f), err == nil
}

func hexOnly(s string) bool {
	for i := range len(s) {
		if charClass[s[i]]&ccHex == 0 {
			return false
		}
	}
	return true
}

// decimalFloat reports whether s has only digits, a dot or an exponent: strconv
// accepts more than PTX does.
func decimalFloat(s string) bool {
	dotted := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.', c == 'e', c == 'E':
			dotted = true
		case c == '+' || c == '-':
			if i == 0 || s[i-1] != 'e' && s[i-1] != 'E' {
				return false
			}
		case charClass[c]&ccDigit == 0:
			return false
		}
	}
	return dotted
}

// constExpr parses a constant expression.
func (p *parser) constExpr() (value, bool) {
	v, ok := p.unary()
	if !ok {
		return v, false
	}
	if v, ok = p.binary(v, 0); ok && p.is('?') {
		return p.ternary(v)
	}
	return v, ok
}

// ternary parses "? a : b" behind a condition.
func (p *parser) ternary(cond value) (value, bool) {
	if !p.enter() {
		return cond, false
	}
	defer p.leave()
	p.advance()
	a, ok := p.constExpr()
	if !ok || !p.want(':', "':' in the conditional expression") {
		return a, false
	}
	b, ok := p.constExpr()
	if cond.float() != 0 {
		return a, ok
	}
	return b, ok
}

// unary parses a literal, an expression in parentheses, a cast, or one of
// these behind a sign.
func (p *parser) unary() (value, bool) {
	if !p.enter() {
		return value{}, false
	}
	defer p.leave()
	pos, op := p.tok.pos, p.tok.kind
	switch op {
	case tokNumber:
		v, ok := literal(p.text())
		if !ok {
			p.errorf(pos, "malformed number %s, expected an integer or a float such as 0x1F or 0f3F800000", p.describe())
			return v, false
		}
		p.advance()
		return v, true
	case tokDot:
		if s := p.text(); charClass[s[1]]&ccDigit != 0 && decimalFloat(s) {
			f, err := strconv.ParseFloat(s, 64)
			if err == nil {
				p.advance()
				return floatValue(f), true
			}
		}
	case tokIdent:
		if p.text() == "WARP_SZ" {
			p.advance()
			return intValue(warpSize), true
		}
	case '+', '-', '!', '~':
		p.advance()
		v, ok := p.unary()
		if !ok {
			return v, false
		}
		return p.apply(pos, op, v)
	case '(':
		p.advance()
		if p.isDot("s64") || p.isDot("u64") {
			unsigned := p.isDot("u64")
			p.advance()
			if !p.want(')', "')' after the cast") {
				return value{}, false
			}
			v, ok := p.unary()
			if ok && v.kind != KindInt {
				p.errorf(pos, "cast of a float, expected an integer")
				return v, false
			}
			v.unsigned = unsigned
			return v, ok
		}
		v, ok := p.constExpr()
		if !ok || !p.want(')', "')' after the expression") {
			return v, false
		}
		return v, true
	}
	p.expected("a constant")
	return value{}, false
}

// apply applies a unary operator.
func (p *parser) apply(pos Pos, op tokenKind, v value) (value, bool) {
	switch {
	case op == '+':
		return v, true
	case op == '!':
		return boolValue(v.float() == 0), true
	case op == '-' && v.kind == KindInt:
		v.bits = -v.bits
		return v, true
	case op == '-' && v.kind == KindF32:
		v.bits ^= 1 << 31
		return v, true
	case op == '-':
		v.bits ^= 1 << 63
		return v, true
	case op == '~' && v.kind == KindInt:
		v.bits = ^v.bits
		return v, true
	}
	p.errorf(pos, "'~' of a float, expected an integer")
	return v, false
}

// Precedences of the binary operators, low to high.
const (
	precLOr = iota + 1
	precLAnd
	precOr
	precXor
	precAnd
	precEq
	precRel
	precShift
	precAdd
	precMul
)

func precedence(k tokenKind) int {
	switch k {
	case tokLOr:
		return precLOr
	case tokLAnd:
		return precLAnd
	case '|':
		return precOr
	case '^':
		return precXor
	case '&':
		return precAnd
	case tokEQ, tokNE:
		return precEq
	case '<', '>', tokLE, tokGE:
		return precRel
	case tokShl, tokShr:
		return precShift
	case '+', '-':
		return precAdd
	case '*', '/', '%':
		return precMul
	}
	return 0
}

// binary parses the operators that bind at least as tightly as least, and
// their right operands. Its recursion is bounded by the number of levels.
func (p *parser) binary(v value, least int) (value, bool) {
	for {
		p.splitPercent()
		op, prec, pos := p.tok.kind, precedence(p.tok.kind), p.tok.pos
		if prec == 0 || prec < least {
			return v, true
		}
		p.advance()
		w, ok := p.unary()
		if !ok {
			return v, false
		}
		if w, ok = p.binary(w, prec+1); !ok {
			return v, false
		}
		if v, ok = p.combine(pos, op, v, w); !ok {
			return v, false
		}
	}
}

// splitPercent makes the operator '%' of a token such as "%3": behind a
// constant it cannot be a register.
func (p *parser) splitPercent() {
	if p.is(tokIdent) && p.lex.src[p.tok.start] == '%' {
		p.tok.kind, p.tok.end = '%', p.tok.start+1
		p.lex.pos = p.tok.end
	}
}

// combine applies a binary operator as C does, on 64 bits.
func (p *parser) combine(pos Pos, op tokenKind, a, b value) (value, bool) {
	if a.kind != KindInt || b.kind != KindInt {
		return p.combineFloat(pos, op, a.float(), b.float())
	}
	u := a.unsigned || b.unsigned
	v := value{kind: KindInt, unsigned: u}
	switch op {
	case '+':
		v.bits = a.bits + b.bits
	case '-':
		v.bits = a.bits - b.bits
	case '*':
		v.bits = a.bits * b.bits
	case '/', '%':
		if b.bits == 0 {
			p.errorf(pos, "division by zero, expected another divisor")
			return v, false
		}
		switch {
		case u && op == '/':
			v.bits = a.bits / b.bits
		case u:
			v.bits = a.bits % b.bits
		case op == '/':
			v.bits = uint64(int64(a.bits) / int64(b.bits))
		default:
			v.bits = uint64(int64(a.bits) % int64(b.bits))
		}
	case '&':
		v.bits = a.bits & b.bits
	case '|':
		v.bits = a.bits | b.bits
	case '^':
		v.bits = a.bits ^ b.bits
	case tokShl:
		v.bits, v.unsigned = a.bits<<min(b.bits, 64), a.unsigned
	case tokShr:
		v.unsigned = a.unsigned
		if a.unsigned {
			v.bits = a.bits >> min(b.bits, 64)
		} else {
			v.bits = uint64(int64(a.bits) >> min(b.bits, 63))
		}
	case tokLAnd:
		return boolValue(a.bits != 0 && b.bits != 0), true
	case tokLOr:
		return boolValue(a.bits != 0 || b.bits != 0), true
	default:
		return boolValue(compareInt(op, a.bits, b.bits, u)), true
	}
	return v, true
}

func compareInt(op tokenKind, a, b uint64, unsigned bool) bool {
	if !unsigned { // order-preserving map of signed onto unsigned
		a, b = a^1<<63, b^1<<63
	}
	switch op {
	case '<':
		return a < b
	case '>':
		return a > b
	case tokLE:
		return a <= b
	case tokGE:
		return a >= b
	case tokEQ:
		return a == b
	}
	return a != b
}

func (p *parser) combineFloat(pos Pos, op tokenKind, a, b float64) (value, bool) {
	switch op {
	case '+':
		return floatValue(a + b), true
	case '-':
		return floatValue(a - b), true
	case '*':
		return floatValue(a * b), true
	case '/':
		return floatValue(a / b), true
	case '<':
		return boolValue(a < b), true
	case '>':
		return boolValue(a > b), true
	case tokLE:
		return boolValue(a <= b), true
	case tokGE:
		return boolValue(a >= b), true
	case tokEQ:
		return boolValue(a == b), true
	case tokNE:
		return boolValue(a != b), true
	case tokLAnd:
		return boolValue(a != 0 && b != 0), true
	case tokLOr:
		return boolValue(a != 0 || b != 0), true
	}
	p.errorf(pos, "integer operator on a float, expected integers")
	return value{}, false
}
