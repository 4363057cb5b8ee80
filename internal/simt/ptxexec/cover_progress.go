package ptxexec

import (
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/ptx"
)

// How often lanes can stay in a loop whose counter is multiplied, shifted or divided in each
// iteration: a progression says what becomes of it, and how far it can have come after so
// many iterations is computed one by one (docs/soundness/closed.md, number of iterations).

// quotient is how an unknown came about: an integer divided by a number above 1.
type quotient struct {
	of     *affine // the integer, as patterns of so many bits
	width  uint8
	signed bool
	by     int64
	floor  bool // rounded down, else towards 0
}

// step is what a value goes through: (factor*x + plus) / by, which does not decrease in x.
type step struct {
	factor, plus, by int64
	floor            bool
}

// progression is what a register holds where lanes come back to the head, from what it held
// at the head, both read as integers.
type progression struct {
	signed bool
	steps  []step
}

// mostProgress is for how many iterations it is computed how far a progression comes.
const mostProgress = 1 << 10

// quotientOf is how the result of a shift to the right or a division comes about, in the lanes
// of m; nil for others.
func (w *coverWarp) quotientOf(in *instr, m uint32) *quotient {
	l := &in.lin
	if in.group != gPure || l.op != linShr && l.op != linDiv || w.blk.k.prog.regBits[in.d] != l.bits {
		return nil
	}
	q := &quotient{of: w.affine(in.a, m), width: l.from, signed: l.signed}
	by := w.affine(in.b, m)
	if l.op == linShr {
		n, ok := by.constant()
		if !ok || n < 1 || n > 61 || n >= int64(l.bits) {
			return nil
		}
		q.by, q.floor = 1<<n, true
		return q
	}
	n, ok := w.closed.unknowns.divisor(by, l)
	if !ok || n < 2 {
		return nil
	}
	q.by = n
	return q
}

// within narrows where the quotient lies by where what is divided does.
func (q *quotient) within(u unknowns, lo, hi int64) (int64, int64) {
	_, least, most, ok := u.read(q.of, q.width, q.signed)
	if !ok {
		return lo, hi
	}
	s := step{1, 0, q.by, q.floor}
	least, most = max(lo, s.apply(least)), min(hi, s.apply(most))
	if least > most {
		return lo, hi
	}
	return least, most
}

// apply is what becomes of a number; beyond 64 bits the last one of 64 bits.
func (s step) apply(x int64) int64 {
	product, fits := mulInt(x, s.factor)
	if !fits {
		product = math.MaxInt64
		if (x < 0) != (s.factor < 0) {
			product = math.MinInt64
		}
	}
	sum, fits := addInt(product, s.plus)
	if !fits {
		sum = math.MaxInt64
		if s.plus < 0 {
			sum = math.MinInt64
		}
	}
	if s.floor {
		return floorDiv(sum, s.by)
	}
	return sum / s.by
}

// through is what becomes of a number in all steps.
func through(steps []step, x int64) int64 {
	for _, s := range steps {
		x = s.apply(x)
	}
	return x
}

// headRegister is what a register holds at the head of a loop, read as integers.
type headRegister struct {
	now    *affine
	width  uint8
	signed bool
}

// steps are those from the register at the head to a value in a lane, both read as integers.
func (h *headRegister) steps(u unknowns, x *affine, width uint8, signed bool, lane int) ([]step, bool) {
	there := *x
	there.lanes = 1 << lane
	now := *h.now
	now.lanes = 1 << lane
	r, _, _, ok := u.read(&there, width, signed)
	if !ok {
		// Whatever the register holds is read as the same integer.
		return nil, width == h.width && signed == h.signed && there.same(&now, 1<<lane, width)
	}
	if len(r.terms) != 1 || r.terms[0].factor < 1 {
		return nil, false
	}
	t, plus := r.terms[0], r.off[lane]
	if t.of == now.terms[0].of {
		from, _, _, ok := u.read(&now, h.width, h.signed)
		if !ok {
			return nil, false
		}
		// factor*unknown + plus, and the register holds unknown + off.
		less, ok := mulInt(t.factor, from.off[lane])
		if !ok || less == math.MinInt64 {
			return nil, false
		}
		plus, ok = addInt(plus, -less)
		return []step{{t.factor, plus, 1, true}}, ok
	}
	q := u[t.of].quotient
	if q == nil || q.of.lanes>>lane&1 == 0 {
		return nil, false
	}
	out, ok := h.steps(u, q.of, q.width, q.signed, lane)
	return append(out, step{1, 0, q.by, q.floor}, step{t.factor, plus, 1, true}), ok
}

// progressions supposes how registers change that are not what they were, or not at a
// constant distance, and says whether the iteration confirms it. It runs where all else is
// confirmed.
func (w *coverWarp) progressions(p *pass) bool {
	ok := true
	for i := range p.values {
		v := &p.values[i]
		if v.irregular || v.is != movesTogether && v.is != isOwn {
			continue
		}
		found := p.arrived.progression(v, p.arrived.values[i], w.widthOf(v.r))
		switch {
		case v.by == nil && found != nil:
			v.by, ok = found, false
		case v.by != nil && (found == nil || found.signed != v.by.signed || !slices.Equal(found.steps, v.by.steps)):
			v.by, v.irregular, ok = nil, true, false
		}
	}
	return ok
}

// progression is how a register that is x at the end has changed, the same in all lanes that
// arrive; nil where that is not known, or it has not been multiplied or divided.
func (a *arrival) progression(v *headValue, x *affine, width uint8) *progression {
	var out *progression
	for _, signed := range []bool{true, false} {
		h := &headRegister{v.now, width, signed}
		steps, ok := a.sameSteps(h, x)
		if !ok || !slices.ContainsFunc(steps, func(s step) bool { return s.factor > 1 || s.by > 1 }) {
			continue
		}
		_, _, _, known := a.outside.read(v.base, width, signed)
		if out == nil || known {
			out = &progression{signed, steps}
		}
		if known {
			break
		}
	}
	return out
}

// sameSteps are the steps from the register at the head to x, the same in all lanes that
// arrive.
func (a *arrival) sameSteps(h *headRegister, x *affine) ([]step, bool) {
	var out []step
	for m := a.lanes; m != 0; m &= m - 1 {
		steps, ok := h.steps(a.unknowns, x, h.width, h.signed, bits.TrailingZeros32(m)&31)
		if !ok || m != a.lanes && !slices.Equal(steps, out) {
			return nil, false
		}
		out = steps
	}
	return out, out != nil
}

// progresses is for how many iterations a condition can hold in a lane, one after the other
// from the first: of two numbers one comes from a register with a progression.
func (w *coverWarp) progresses(p *pass, of *condition, lane int) int64 {
	out := int64(math.MaxInt64)
	for i := range p.values {
		v := &p.values[i]
		if v.by == nil {
			continue
		}
		width := w.widthOf(v.r)
		out = min(out, p.progress(w.closed.unknowns, v, width, of.a, of.b, of.cmp, of, lane))
		out = min(out, p.progress(w.closed.unknowns, v, width, of.b, of.a, mirrored(of.cmp), of, lane))
	}
	return out
}

// progress is progresses for the register of v, from which a comes. Where everything is
// known at the beginning, iterations are better executed one by one.
func (p *pass) progress(u unknowns, v *headValue, width uint8, a, b *affine, cmp ptx.Cmp, of *condition, lane int) int64 {
	if v.base.known() && b.known() {
		return math.MaxInt64
	}
	readings := []bool{of.signed}
	if cmp == ptx.CmpNE || cmp == ptx.CmpEQ {
		readings = []bool{of.signed, !of.signed} // equality is the same
	}
	limit := *b
	limit.lanes = 1 << lane
	h := &headRegister{v.now, width, v.by.signed}
	for _, signed := range readings {
		test, ok := h.steps(u, a, of.width, signed, lane)
		_, least, most, also := u.read(&limit, of.width, signed)
		if !ok || !also {
			continue
		}
		base := *v.base
		base.lanes = 1 << lane
		return v.by.count(p.before.closed.unknowns, &base, width, test, cmp, least, most)
	}
	return math.MaxInt64
}

// count is for how many iterations a number that began as base can compare with one from
// least to most, when it has gone through the steps of the test.
func (g *progression) count(u unknowns, base *affine, width uint8, test []step, cmp ptx.Cmp, least, most int64) int64 {
	from, to := limitsOf(width, g.signed)
	_, lo, hi, ok := u.read(base, width, g.signed)
	n := int64(0)
	switch {
	case ok:
	case g.signed || width < 64:
		lo, hi = from, to
	case g.steps[0].factor == 1 && g.steps[0].plus == 0 && g.steps[0].by > 1:
		// Beyond what has 64 bits and a sign in the first iteration only.
		lo, hi, n = 0, through(g.steps[1:], int64(math.MaxUint64/uint64(g.steps[0].by))), 1
	default:
		return math.MaxInt64
	}
	for ; n < mostProgress; n++ {
		if never(cmp, through(test, lo), through(test, hi), least, most) {
			return n
		}
		nextLo, nextHi := max(from, through(g.steps, lo)), min(to, through(g.steps, hi))
		if nextLo > nextHi {
			return n + 1
		}
		if nextLo == lo && nextHi == hi {
			break
		}
		lo, hi = nextLo, nextHi
	}
	return math.MaxInt64
}

// never says that no number from x to y compares so with one from least to most.
func never(cmp ptx.Cmp, x, y, least, most int64) bool {
	switch cmp {
	case ptx.CmpLT:
		return x >= most
	case ptx.CmpLE:
		return x > most
	case ptx.CmpGT:
		return y <= least
	case ptx.CmpGE:
		return y < least
	case ptx.CmpEQ:
		return x > most || y < least
	case ptx.CmpNE:
		return x == y && least == most && x == least
	}
	return false
}

// maxLimits is how many limits of a loop are kept.
const maxLimits = 16

// limit keeps how far a number that is compared can come while lanes stay.
func (p *pass) limit(u unknowns, of *condition, m uint32) {
	for _, side := range []struct {
		b   *affine
		cmp ptx.Cmp
	}{{of.b, of.cmp}, {of.a, mirrored(of.cmp)}} {
		b := *side.b
		b.lanes &= m
		_, least, most, ok := u.read(&b, of.width, of.signed)
		if !ok || b.lanes == 0 {
			continue
		}
		var at int64
		switch side.cmp {
		case ptx.CmpLT:
			at, ok = addInt(most, -1)
		case ptx.CmpLE:
			at = most
		case ptx.CmpGT:
			at, ok = addInt(least, 1)
		case ptx.CmpGE:
			at = least
		default:
			continue
		}
		if ok && len(p.limits) < maxLimits && !slices.Contains(p.limits, at) {
			p.limits = append(p.limits, at)
		}
	}
}
