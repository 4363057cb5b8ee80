package ptxexec

import (
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/ptx"
)

// span is where the bit patterns of a register lie, as unsigned numbers, in the lanes in
// which its value is not known: lo <= pattern <= hi.
type span struct{ lo, hi uint64 }

// anywhere is the span of a register of which nothing is known.
var anywhere = span{0, ^uint64(0)}

// with is the least span that holds both.
func (s span) with(o span) span { return span{min(s.lo, o.lo), max(s.hi, o.hi)} }

// only says that the span holds a single number.
func (s span) only() bool { return s.lo == s.hi }

// within is the span of what a register of so many bits holds.
func (s span) within(width uint8) span {
	if most := widthMask(int(width)); s.hi > most {
		return span{0, most}
	}
	return s
}

// positive says that no number of the span is negative in so many bits.
func (s span) positive(width uint8) bool { return s.hi < 1<<(width-1) }

// forgetSpans makes all registers anywhere, at the start.
func (w *coverWarp) forgetSpans() {
	for i := range w.spans {
		w.spans[i] = anywhere
	}
}

// operand is where a register lies in the lanes of m.
func (w *coverWarp) operand(r int32, m uint32) span {
	unknown := w.taint().vals[r] & m
	out := w.spans[r]
	if unknown == 0 {
		out = span{^uint64(0), 0}
	} else if w.closed != nil {
		out = w.closed.within(out, r, unknown, w.widthOf(r))
	}
	if known := m &^ unknown; known != 0 {
		if w.st[r]&uniform != 0 {
			x := w.vals[r][0]
			return out.with(span{x, x})
		}
		v := w.src(r)
		for ; known != 0; known &= known - 1 {
			x := v[bits.TrailingZeros32(known)&31]
			out = out.with(span{x, x})
		}
	}
	return out
}

// noteSpan keeps where the results of an instruction lie that the lanes of m have
// executed and those of unsure may have; now is where, in these lanes.
func (w *coverWarp) noteSpan(in *instr, m, unsure uint32, now span) {
	for _, r := range in.wv {
		w.setSpan(r, m|unsure, now)
	}
}

// setSpan keeps where a register lies that the lanes of m have written.
func (w *coverWarp) setSpan(r int32, m uint32, now span) {
	t := w.taint()
	unknown := t.vals[r] & m
	switch {
	case unknown == 0:
	case t.vals[r]&^unknown != 0:
		w.spans[r] = now.with(w.spans[r])
	default:
		w.spans[r] = now
	}
}

// resultSpan is where the result of an instruction will lie in the lanes of m, which
// execute it, and of unsure, which may and otherwise keep what they have.
func (w *coverWarp) resultSpan(in *instr, m, unsure uint32) span {
	if len(in.wv) != 1 || !w.taint().reads(in, m|unsure) && unsure == 0 {
		return anywhere
	}
	now := w.spanOf(in, m|unsure)
	if unsure != 0 {
		now = now.with(w.operand(in.wv[0], unsure))
	}
	return now
}

// loaded is where what a load gives lies.
func loaded(mi *memInfo) span {
	if mi.sext != 0 || mi.width > 8 {
		return anywhere
	}
	return span{0, widthMask(int(8 * mi.width))}
}

// spanOf is where the result of an instruction on values lies in the lanes of m.
func (w *coverWarp) spanOf(in *instr, m uint32) span {
	if m == 0 {
		return anywhere
	}
	a := w.operand(in.a, m)
	switch in.group {
	case gSelp:
		return a.with(w.operand(in.b, m))
	case gPure:
	default:
		return anywhere
	}
	l := &in.lin
	switch l.op {
	case linMove:
		// A copy, or an address moved from one space to another.
		lo, hi := in.f(a.lo, 0, 0), in.f(a.hi, 0, 0)
		if hi-lo == a.hi-a.lo && hi >= lo {
			return span{lo, hi}
		}
		return anywhere
	case linCvt:
		return convertSpan(a, l)
	case linNone, linNot, linNeg, linCompare:
		return anywhere
	}
	b := w.operand(in.b, m)
	c := span{}
	if l.add {
		c = w.operand(in.c, m)
	}
	return arithmeticSpan(l, a, b, c)
}

// convertSpan is where integers converted to another type lie.
func convertSpan(a span, l *linear) span {
	a = a.within(l.from)
	if l.signed && !a.positive(l.from) {
		return anywhere.within(max(l.register, l.bits))
	}
	if a.hi > widthMask(int(l.bits)) || l.toSigned && !a.positive(l.bits) {
		return anywhere.within(max(l.register, l.bits))
	}
	return a
}

// arithmeticSpan is where the result of an integer instruction lies.
func arithmeticSpan(l *linear, a, b, c span) span {
	most := widthMask(int(l.bits))
	all := span{0, most}
	a, b = a.within(l.from), b.within(l.from)
	positive := !l.signed || a.positive(l.from) && b.positive(l.from)
	switch l.op {
	case linAdd:
		return sumSpan(a, b, most)
	case linSub:
		// a - b = a + (2^w - b)
		lo, less := bits.Sub64(a.lo, b.hi, 0)
		hi, alsoLess := bits.Sub64(a.hi, b.lo, 0)
		if less == alsoLess {
			return span{lo & most, hi & most}
		}
	case linMul, linWide:
		if !positive {
			return all
		}
		over, hi := bits.Mul64(a.hi, b.hi)
		if over != 0 || hi > most {
			return all
		}
		p := span{a.lo * b.lo, hi}
		if l.add {
			return sumSpan(p, c.within(l.bits), most)
		}
		return p
	case linShl:
		if b.only() && b.lo < uint64(l.bits) && a.hi<<b.lo>>b.lo == a.hi && a.hi<<b.lo <= most {
			return span{a.lo << b.lo, a.hi << b.lo}
		}
	case linShr:
		if b.only() && positive {
			return span{a.lo >> b.lo, a.hi >> b.lo}
		}
	case linDiv:
		if b.only() && b.lo > 0 && positive {
			return span{a.lo / b.lo, a.hi / b.lo}
		}
	case linRem:
		if b.only() && b.lo > 0 && positive {
			return span{0, min(a.hi, b.lo-1)}
		}
	case linAnd:
		return span{0, min(a.hi, b.hi)}
	case linOr:
		return span{0, 1<<bits.Len64(a.hi|b.hi) - 1}
	case linMin:
		if positive {
			return span{min(a.lo, b.lo), min(a.hi, b.hi)}
		}
	case linMax:
		switch {
		case positive:
			return span{max(a.lo, b.lo), max(a.hi, b.hi)}
		case a.positive(l.from) || b.positive(l.from):
			// The larger one is not below what is not negative.
			least := a.lo
			if !a.positive(l.from) {
				least = b.lo
			}
			return span{least, most >> 1}
		}
	}
	return all
}

// sumSpan is where sums lie, modulo most + 1.
func sumSpan(a, b span, most uint64) span {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, alsoCarry := bits.Add64(a.hi, b.hi, 0)
	if most != ^uint64(0) {
		carry, alsoCarry = lo/(most+1), hi/(most+1)
	}
	if carry != alsoCarry {
		return span{0, most}
	}
	return span{lo & most, hi & most}
}

// decide makes the outcome of a comparison known where it follows from where the
// operands lie. It runs behind the comparison.
func (w *coverWarp) decide(in *instr, m uint32) {
	unknown := w.taint().preds[in.pd] & m
	if in.pd < 0 || in.pq >= 0 || in.boolOp != boolNone || in.lin.op != linCompare || unknown == 0 {
		return
	}
	a, b := w.operand(in.a, unknown).within(in.lin.from), w.operand(in.b, unknown).within(in.lin.from)
	if in.lin.signed {
		half := uint64(1) << (in.lin.from - 1)
		mask := widthMask(int(in.lin.from))
		for _, s := range []*span{&a, &b} {
			if s.lo < half && s.hi >= half {
				return
			}
			// In the order of signed numbers.
			s.lo, s.hi = (s.lo+half)&mask, (s.hi+half)&mask
		}
	}
	var yes bool
	switch in.lin.cmp {
	case ptx.CmpLT, ptx.CmpGE:
		yes = a.hi < b.lo
		if !yes && a.lo < b.hi {
			return
		}
		if in.lin.cmp == ptx.CmpGE {
			yes = !yes
		}
	case ptx.CmpGT, ptx.CmpLE:
		yes = a.lo > b.hi
		if !yes && a.hi > b.lo {
			return
		}
		if in.lin.cmp == ptx.CmpLE {
			yes = !yes
		}
	case ptx.CmpEQ, ptx.CmpNE:
		if a.hi >= b.lo && b.hi >= a.lo {
			return
		}
		yes = in.lin.cmp == ptx.CmpNE
	default:
		return
	}
	for _, t := range w.taints {
		t.preds[in.pd] &^= unknown
	}
	w.preds[in.pd] &^= unknown
	if yes {
		w.preds[in.pd] |= unknown
	}
}

// joinSpan makes the span of a register that behind two sides: first are the lanes of
// the one that is kept in one, second those of the other.
func (w *coverWarp) joinSpan(one *state, r int, first, second uint32) {
	last := len(w.taints) - 1
	a, b := one.taints[last].vals[r]&first, w.taints[last].vals[r]&second
	now := span{^uint64(0), 0}
	if a != 0 {
		now = now.with(one.spans[r])
	}
	if b != 0 {
		now = now.with(w.spans[r])
	}
	values := func(v *lanes, st uint8, known uint32) {
		for ; known != 0; known &= known - 1 {
			x := v[0]
			if st&filled != 0 {
				x = v[bits.TrailingZeros32(known)&31]
			}
			now = now.with(span{x, x})
		}
	}
	if w.taints[last].vals[r]&w.live&^(first|second) != 0 {
		now = now.with(w.spans[r]) // of lanes that wait elsewhere
	}
	values(&one.vals[r], one.st[r], first&^a)
	values(&w.vals[r], w.st[r], second&^b)
	if now.lo <= now.hi {
		w.spans[r] = now
	}
}

// addressSpan is where the lanes of may access memory, nil where that is not known.
func (w *coverWarp) addressSpan(in *instr, may uint32) *simt.Spread {
	mi := in.mem
	if mi.space != isa.Global && mi.space != isa.Shared && mi.space != isa.Const {
		return nil
	}
	a := w.operand(in.a, may)
	lo, carry := bits.Add64(a.lo, mi.off, 0)
	hi, alsoCarry := bits.Add64(a.hi, mi.off, 0)
	if mi.mask != ^uint64(0) {
		if a.hi > mi.mask {
			return nil
		}
		carry, alsoCarry = lo/(mi.mask+1), hi/(mi.mask+1)
	}
	if carry != alsoCarry {
		return nil
	}
	lo, hi = lo&mi.mask, hi&mi.mask
	if hi > hi+mi.total() {
		return nil
	}
	return &simt.Spread{Low: lo, High: hi + mi.total() - 1}
}

// asked is what an instruction that chooses sees of its operands: the lanes in which
// each is not known, and predicates as they are negated.
type asked struct {
	first, second, predicate uint32 // not known
	firstTrue, predicateTrue uint32
}

// operands is asked of an instruction on predicates, or of one that chooses.
func (w *coverWarp) operands(in *instr) asked {
	t := w.taint()
	var out asked
	switch in.group {
	case gPred:
		out.firstTrue = w.getPred(in.pa, in.aNeg)
		if in.pa >= 0 {
			out.first = t.preds[in.pa]
		}
	case gSelp:
		out.first, out.second = t.vals[in.a], t.vals[in.b]
	case gSetp:
	default:
		return out
	}
	if in.pc >= 0 {
		out.predicate, out.predicateTrue = t.preds[in.pc], w.getPred(in.pc, in.cNeg)
	}
	return out
}

// settled makes results known that one operand settles whatever the other one is: a
// conjunction with what is false, a disjunction with what is true, and what is chosen
// by a predicate that is known. It runs behind the instruction.
func (w *coverWarp) settled(in *instr, m uint32, of asked) {
	var known uint32
	result := in.pd
	switch in.group {
	case gSelp:
		chosen := of.first&of.predicateTrue | of.second&^of.predicateTrue
		known = m &^ of.predicate &^ chosen
		for _, t := range w.taints {
			t.vals[in.d] &^= known
		}
		return
	case gPred:
		switch in.boolOp {
		case boolAnd:
			known = ^(of.first | of.firstTrue)
		case boolOr:
			known = of.firstTrue &^ of.first
		}
		fallthrough
	case gSetp:
		if in.pc < 0 || in.pq >= 0 {
			break
		}
		switch in.boolOp {
		case boolAnd:
			known |= ^(of.predicate | of.predicateTrue)
		case boolOr:
			known |= of.predicateTrue &^ of.predicate
		}
	default:
		return
	}
	if result < 0 {
		return
	}
	for _, t := range w.taints {
		t.preds[result] &^= known & m
	}
}
