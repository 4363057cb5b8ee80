package ptxexec

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// operand is a register in the lanes of an instruction in which it is known.
type operand struct {
	v  *lanes
	m  uint32
	of form
}

func (w *followedWarp) operand(r int32, m uint32) operand {
	return operand{v: w.src(r), m: m, of: w.forms[r]}
}

func (o operand) constant() bool { return o.of == form{} }

// uniform is the value of all lanes, if it is one.
func (o operand) uniform() (uint64, bool) {
	x := o.v[bits.TrailingZeros32(o.m)&31]
	for m := o.m; m != 0; m &= m - 1 {
		if o.v[bits.TrailingZeros32(m)&31] != x {
			return 0, false
		}
	}
	return x, true
}

// number reads a value of that many bits. ok is false where it is too large for
// arithmetic without wrapping around.
func number(x uint64, width uint8, signed bool) (n int64, ok bool) {
	if signed {
		n = signExtend(x, int(width))
		return n, n >= -simt.MaxReach && n <= simt.MaxReach
	}
	x &= widthMask(int(width))
	return int64(x), x <= simt.MaxReach
}

// limits are the range of numbers of that many bits, or the part of it that
// arithmetic can handle.
func limits(width uint8, signed bool) (low, high int64) {
	switch {
	case width >= 62 && signed:
		return -simt.MaxReach, simt.MaxReach
	case width >= 62:
		return 0, simt.MaxReach
	case signed:
		return -1 << (width - 1), 1<<(width-1) - 1
	}
	return 0, 1<<width - 1
}

// span is the least and the greatest number of an operand.
func (o operand) span(width uint8, signed bool) (low, high int64, ok bool) {
	low, high = math.MaxInt64, math.MinInt64
	for m := o.m; m != 0; m &= m - 1 {
		n, fits := number(o.v[bits.TrailingZeros32(m)&31], width, signed)
		if !fits {
			return 0, 0, false
		}
		low, high = min(low, n), max(high, n)
	}
	return low, high, true
}

// numeric makes the operand's numbers the affine ones in the whole class: they do
// not leave the range of their type. Where that cannot be proved, the operand is
// made constant.
func (w *followedWarp) numeric(o *operand, width uint8, signed bool) (low, high int64, ok bool) {
	low, high, ok = o.span(width, signed)
	if o.constant() {
		return low, high, ok
	}
	if !ok {
		w.freeze(o)
		return 0, 0, false
	}
	least, most := limits(width, signed)
	w.need(o.of, least-low, most-high)
	return low, high, true
}

// freeze makes an operand the same in the whole class.
func (w *followedWarp) freeze(o *operand) {
	w.fixed(o.of)
	o.of = form{}
}

// compute follows an instruction of value registers and predicates in the lanes
// of m, before it is executed.
func (w *followedWarp) compute(in *instr, m uint32) error {
	k := m
	for _, r := range in.rv {
		k &= w.known[r]
	}
	for _, p := range in.rp {
		k &= w.preds[p]
	}
	if k == 0 {
		w.forget(in, m)
		return nil
	}
	var of form
	switch in.group {
	case gSetp:
		w.compare(in, k)
		fallthrough
	case gPred:
		for _, p := range in.wp {
			w.preds[p] = w.preds[p]&^m | k
		}
		return nil
	case gSelp:
		of = w.choose(in, k, w.getPred(in.pc, in.cNeg))
	default:
		of = w.pureForm(in, k)
	}
	w.loop.reach(of)
	if _, _, ok := simt.Reach(w.blk.k.grid, w.f.rep, ofBlock(of)); !ok {
		return w.refuse("a value that grows too fast from block to block")
	}
	w.result(in.d, m, of, k)
	return nil
}

// choose is the form of what is a in some lanes and b in the others.
func (w *followedWarp) choose(in *instr, m, first uint32) form {
	a, b := w.forms[in.a], w.forms[in.b]
	switch {
	case m&^first == 0:
		return a
	case m&first == 0:
		return b
	}
	w.fixed(difference(a, b))
	return a
}

// pureForm is the form of the result of an instruction.
func (w *followedWarp) pureForm(in *instr, m uint32) form {
	a, b := w.operand(in.a, m), w.operand(in.b, m)
	l := &in.lin
	n := l.bits
	switch l.op {
	case linMove:
		return trim(a.of, n)
	case linAdd:
		return combineForms(a.of, 1, b.of, 1, n)
	case linSub:
		return combineForms(a.of, 1, b.of, -1, n)
	case linNot, linNeg:
		return combineForms(a.of, -1, form{}, 0, n)
	case linMul, linWide:
		if l.op == linWide {
			w.numeric(&a, l.from, l.signed)
			w.numeric(&b, l.from, l.signed)
		}
		of := w.product(l, a, b)
		if l.add {
			return combineForms(of, 1, w.forms[in.c], 1, n)
		}
		return trim(of, n)
	case linShl:
		if by, ok := b.uniform(); ok && b.constant() {
			if by&math.MaxUint32 >= uint64(n) {
				return form{}
			}
			return combineForms(a.of, 1<<(by&63), form{}, 0, n)
		}
	case linShr:
		if by, ok := b.uniform(); ok && b.constant() && by < 62 && by < uint64(n) {
			return w.quotient(a, l, 1<<by, false)
		}
	case linDiv, linRem:
		if by, ok := b.uniform(); ok && b.constant() {
			if d, fits := number(by, n, l.signed); fits && d > 0 {
				if low, _, ok := a.span(n, l.signed); ok && low >= 0 {
					return w.quotient(a, l, d, l.op == linRem)
				}
			}
		}
	case linAnd:
		if a.constant() {
			a, b = b, a
		}
		if mask, ok := b.uniform(); ok && b.constant() {
			return w.masked(a, l, mask&widthMask(int(n)))
		}
	case linOr:
		if a.constant() {
			a, b = b, a
		}
		if b.constant() && apart(a, b) {
			return a.of
		}
	case linMin, linMax:
		return w.extreme(in, a, b)
	case linCvt:
		return w.convert(l, a)
	}
	w.constants(in, m)
	return form{}
}

// trim reduces a form to the smallest one, by magnitude, modulo two to the
// width.
func trim(of form, width uint8) form {
	for i := range of {
		of[i] = signExtend(uint64(of[i]), int(width))
	}
	return of
}

func combineForms(a form, x int64, b form, y int64, width uint8) form {
	for i := range a {
		a[i] = a[i]*x + b[i]*y
	}
	return trim(a, width)
}

// product is the form of a product: one factor is made a constant, the same in
// all lanes.
func (w *followedWarp) product(l *linear, a, b operand) form {
	if a.constant() {
		a, b = b, a
	}
	if !b.constant() {
		w.freeze(&b)
	}
	if a.constant() {
		return form{}
	}
	x, ok := b.uniform()
	if !ok {
		w.freeze(&a)
		return form{}
	}
	if l.op == linWide && l.signed {
		x = uint64(signExtend(x, int(l.from)))
	} else if l.op == linWide {
		x &= widthMask(int(l.from))
	}
	return combineForms(a.of, int64(x), form{}, 0, l.bits)
}

// quotient is the form of a divided by d, rounded down, or of the remainder.
// Where d does not divide the form, the quotient is made a constant.
func (w *followedWarp) quotient(a operand, l *linear, d int64, remainder bool) form {
	if a.constant() {
		return form{}
	}
	least, _, ok := w.numeric(&a, l.from, l.signed)
	if !ok {
		return form{}
	}
	if l.op == linDiv || l.op == linRem {
		w.need(a.of, -least, math.MaxInt64) // they round towards zero
	}
	if a.of[0]%d == 0 && a.of[1]%d == 0 && a.of[2]%d == 0 && a.of[3]%d == 0 {
		if remainder {
			return form{}
		}
		return form{a.of[0] / d, a.of[1] / d, a.of[2] / d, a.of[3] / d}
	}
	low, high := int64(-math.MaxInt64), int64(math.MaxInt64)
	for m := a.m; m != 0; m &= m - 1 {
		n, _ := number(a.v[bits.TrailingZeros32(m)&31], l.from, l.signed)
		r := n % d
		if r < 0 {
			r += d
		}
		low, high = max(low, -r), min(high, d-1-r)
	}
	w.need(a.of, low, high)
	if remainder {
		return a.of
	}
	return form{}
}

// masked is the form of a and a mask: a remainder, or a without one, by a power of
// two.
func (w *followedWarp) masked(a operand, l *linear, mask uint64) form {
	if a.constant() {
		return form{}
	}
	full := widthMask(int(l.bits))
	switch {
	case mask == full:
		return a.of
	case mask&(mask+1) == 0 && mask < 1<<61: // the low bits
		if divides(mask+1, a.of) {
			return form{}
		}
		unsigned := *l
		unsigned.signed = false
		return w.quotient(a, &unsigned, int64(mask+1), true)
	case (^mask&full)&(^mask&full+1) == 0: // the high bits
		low := ^mask & full
		if divides(low+1, a.of) {
			return a.of
		}
		if low < 1<<61 {
			unsigned := *l
			unsigned.signed = false
			return w.quotient(a, &unsigned, int64(low+1), false)
		}
	}
	w.freeze(&a)
	return form{}
}

func divides(power uint64, of form) bool {
	return (uint64(of[0])|uint64(of[1])|uint64(of[2])|uint64(of[3]))&(power-1) == 0
}

// apart says that b is below a power of two that divides the form of a: whether
// bits are added or exclusive does not depend on the block.
func apart(a, b operand) bool {
	var or uint64
	for m := b.m; m != 0; m &= m - 1 {
		or |= b.v[bits.TrailingZeros32(m)&31]
	}
	return or < 1<<62 && divides(1<<bits.Len64(or), a.of)
}

// extreme is the form of a minimum or maximum.
func (w *followedWarp) extreme(in *instr, a, b operand) form {
	l := &in.lin
	_, _, fits := w.numeric(&a, l.from, l.signed)
	if _, _, ok := w.numeric(&b, l.from, l.signed); !ok || !fits {
		w.freeze(&a)
		w.freeze(&b)
		return form{}
	}
	cmp := ptx.CmpLE
	if l.op == linMax {
		cmp = ptx.CmpGE
	}
	first := w.decide(a, b, l.from, l.signed, cmp)
	switch {
	case a.m&^first == 0:
		return a.of
	case a.m&first == 0:
		return b.of
	}
	w.fixed(difference(a.of, b.of))
	return a.of
}

// compare makes the outcome of a comparison that of the representative.
func (w *followedWarp) compare(in *instr, m uint32) {
	l := &in.lin
	a, b := w.operand(in.a, m), w.operand(in.b, m)
	if a.constant() && b.constant() {
		return
	}
	if l.op != linCompare {
		w.freeze(&a)
		w.freeze(&b)
		return
	}
	_, _, fits := w.numeric(&a, l.from, l.signed)
	if _, _, ok := w.numeric(&b, l.from, l.signed); !ok || !fits {
		w.freeze(&a)
		w.freeze(&b)
		return
	}
	w.decide(a, b, l.from, l.signed, l.cmp)
}

// decide compares the numbers of two operands, which are affine in the class, and
// makes the outcome hold in it. It returns the lanes in which it is true.
func (w *followedWarp) decide(a, b operand, width uint8, signed bool, cmp ptx.Cmp) (holding uint32) {
	low, high := int64(-math.MaxInt64), int64(math.MaxInt64)
	for m := a.m; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x, _ := number(a.v[i], width, signed)
		y, _ := number(b.v[i], width, signed)
		d := x - y
		var holds bool
		from, to := int64(-math.MaxInt64), int64(math.MaxInt64)
		switch cmp {
		case ptx.CmpLT, ptx.CmpGE:
			if d < 0 {
				to = -1 - d
			} else {
				from = -d
			}
			holds = (d < 0) == (cmp == ptx.CmpLT)
		case ptx.CmpLE, ptx.CmpGT:
			if d <= 0 {
				to = -d
			} else {
				from = 1 - d
			}
			holds = (d <= 0) == (cmp == ptx.CmpLE)
		default:
			switch {
			case d == 0:
				from, to = 0, 0
			case d < 0:
				to = -1 - d
			default:
				from = 1 - d
			}
			holds = (d == 0) == (cmp == ptx.CmpEQ)
		}
		low, high = max(low, from), min(high, to)
		if holds {
			holding |= 1 << i
		}
	}
	if of := difference(a.of, b.of); of != (form{}) {
		w.need(of, low, high)
	}
	return holding
}

// convert is the form of an integer converted to another type.
func (w *followedWarp) convert(l *linear, a operand) form {
	if a.constant() {
		return form{}
	}
	if l.bits <= l.from && l.register <= l.bits {
		return trim(a.of, l.bits)
	}
	low, high, ok := w.numeric(&a, l.from, l.signed)
	if !ok {
		return form{}
	}
	if l.bits > l.from && l.register <= l.bits {
		return a.of
	}
	// Truncated, or read with the other sign, and extended to the register: the
	// number must be one of the result's type.
	least, most := limits(l.bits, l.toSigned)
	if low < least || high > most {
		w.freeze(&a)
		return form{}
	}
	w.need(a.of, least-low, most-high)
	return a.of
}
