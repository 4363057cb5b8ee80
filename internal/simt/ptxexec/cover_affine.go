package ptxexec

import (
	"maps"
	"math"
	"math/bits"
	"slices"
)

// closed is what a closed covering execution keeps of a warp beside what others keep.
type closed struct {
	unknowns unknowns
	values   []*affine           // by value register; nil where nothing is known
	preds    []*predicate        // likewise
	passes   []*pass             // through the loops being closed, the outermost first
	did      []uint64            // in the innermost pass: instructions, lanes, and taints of results
	ranged   []int32             // the unknowns of arguments in ranges
	elements []loadedElement     // of buffers, loaded so far
	unrolled map[int32]unrolling // by head, of loops with barriers
	slots    []slot              // of local memory
}

// affine is a register in the lanes of m. What is not known of it becomes an unknown of
// each lane.
func (w *coverWarp) affine(r int32, m uint32) *affine {
	missing := w.taint().vals[r] & m
	if missing == 0 {
		return numbers(w.src(r), m)
	}
	c := w.closed
	if a := c.values[r]; a != nil && m&^a.lanes == 0 {
		out := *a
		out.lanes = m
		return &out
	}
	lo, hi := w.operand(r, m).integers(w.blk.k.prog.regBits[r])
	a := onlyUnknown(c.unknowns.any(lo, hi, false), 1, 0, m)
	if w.blk.k.prog.regInit[r] != initSpecial {
		c.values[r] = a
	} // a place or a clock may be another one the next time
	return a
}

// integers is a span as a range of integers whose patterns of so many bits lie in it.
func (s span) integers(width uint8) (lo, hi int64) {
	s = s.within(max(width, 1))
	full := s == span{0, widthMask(int(max(width, 1)))}
	switch {
	case full && width > 1:
		return -1 << (width - 1), 1<<(width-1) - 1
	case s.hi <= math.MaxInt64:
		return int64(s.lo), int64(s.hi)
	}
	return math.MinInt64, math.MaxInt64
}

// execute executes an instruction, or, if it may and one begins, a whole loop that can be
// closed.
func (w *coverWarp) execute(loops bool) error {
	if w.closed != nil && loops {
		w.returned()
		if done, err := w.back(); done || err != nil {
			return err
		}
		if l := w.closing(); l != nil {
			// Perhaps none of these lanes is there.
			if err := w.rest(); err != nil {
				return err
			}
			if done, err := w.close(l); done || err != nil {
				return err
			}
		}
	}
	return w.next()
}

// mostDone is how much an iteration that stands for others may do.
const mostDone = 1 << 22

// executed notes what an instruction did while a loop is being closed.
func (w *coverWarp) executed(in *instr, active uint32) error {
	c := w.closed
	if c == nil || len(c.passes) == 0 {
		return nil
	}
	if len(c.did) > mostDone {
		return w.refuse("an iteration that stands for others executes too many instructions")
	}
	c.did = append(c.did, uint64(w.run.step.PC), uint64(active)<<32|uint64(w.run.step.Exec))
	t := w.taint()
	for _, r := range in.wv {
		c.did = append(c.did, uint64(t.vals[r]))
	}
	for _, p := range in.wp {
		c.did = append(c.did, uint64(t.preds[p]))
	}
	return nil
}

// within narrows a span by what is known of a register in the lanes of m.
func (c *closed) within(s span, r int32, m uint32, width uint8) span {
	a := c.values[r]
	if a == nil || m&^a.lanes != 0 {
		return s
	}
	b := *a
	b.lanes = m
	_, lo, hi, ok := c.unknowns.read(&b, width, false)
	if !ok || uint64(lo) > s.hi || uint64(hi) < s.lo {
		return s
	}
	return span{max(s.lo, uint64(lo)), min(s.hi, uint64(hi))}
}

// affineBefore is what an instruction on values or predicates makes known, before it is
// executed: its result, and what was known of the predicates that it reads.
func (w *coverWarp) affineBefore(in *instr, m, unsure uint32, now span) (a *affine, preds [2]*predicate) {
	c := w.closed
	if c == nil {
		return nil, preds
	}
	switch {
	case unsure != 0:
	case w.taint().reads(in, m):
		a = w.affineResult(in, m, now)
	case in.open != nil && m != 0 && w.agree(in, m):
		// Of known operands, and yet not known.
		a = w.sameResult(in, m, now)
	}
	if in.group == gPred && in.pa >= 0 {
		preds[0] = c.preds[in.pa]
	}
	if (in.group == gPred || in.group == gSetp) && in.pc >= 0 {
		preds[1] = c.preds[in.pc]
	}
	return a, preds
}

// agrees says that all active lanes take a branch, or none does.
func (w *coverWarp) agrees(in *instr, active uint32) bool {
	return w.closed != nil && w.agreed(in.guard, active)
}

// affineResult is the result of an instruction on values in the lanes of m, which
// execute it, before it is executed; now is where it lies.
func (w *coverWarp) affineResult(in *instr, m uint32, now span) *affine {
	if m == 0 || len(in.wv) != 1 {
		return nil
	}
	if a := w.affineOf(in, m); a != nil {
		return a
	}
	u := &w.closed.unknowns
	lo, hi := now.integers(w.blk.k.prog.regBits[in.wv[0]])
	q, low := w.quotientOf(in, m), w.lowOf(in, m)
	if q != nil {
		lo, hi = q.within(*u, lo, hi)
	}
	if lo == hi {
		return (&affine{lanes: m}).plus(lo)
	}
	agree := w.agree(in, m)
	of := u.any(lo, hi, agree)
	(*u)[of].quotient, (*u)[of].low = q, low
	if agree {
		w.name(of, w.namedResult(in, m))
	}
	return onlyUnknown(of, 1, 0, m)
}

// sameResult is a result that is the same in all lanes of m.
func (w *coverWarp) sameResult(in *instr, m uint32, now span) *affine {
	lo, hi := now.integers(w.blk.k.prog.regBits[in.wv[0]])
	of := w.closed.unknowns.any(lo, hi, true)
	w.name(of, w.namedResult(in, m))
	return onlyUnknown(of, 1, 0, m)
}

// function says that the result of an instruction follows from its operands: PTX leaves
// nothing of it open, or what it leaves open is taken to be one function of them, whichever
// lane executes it and when (assumption A36).
func (w *coverWarp) function(in *instr) bool {
	return in.open == nil || w.run.functions != nil && in.group == gPure && len(in.wv) == 1 && !in.elects
}

// Functions lists the instructions with results that PTX leaves open that were taken to be
// functions of their operands.
func (c *coverer) Functions() []int32 { return slices.Sorted(maps.Keys(c.functions)) }

// agree says that an instruction gives the same result in all lanes of m.
func (w *coverWarp) agree(in *instr, m uint32) bool {
	if in.group != gPure && in.group != gSelp || !w.function(in) {
		return false
	}
	for _, r := range in.rv {
		if !w.closed.unknowns.uniform(w.affine(r, m)) {
			return false
		}
	}
	for _, p := range in.rp {
		if !w.agreed(p, m) {
			return false
		}
	}
	if in.open != nil {
		w.run.functions[w.top.pc] = true
	}
	return true
}

// agreed says that a predicate is the same in all lanes of m.
func (w *coverWarp) agreed(p int32, m uint32) bool {
	if p < 0 {
		return true
	}
	switch missing := w.taint().preds[p] & m; missing {
	case 0:
		set := w.preds[p] & m
		return set == 0 || set == m
	case m:
		q := w.closed.preds[p]
		return q != nil && q.uniform && m&^q.lanes == 0
	}
	return false
}

// affineOf is affineResult for the instructions whose result is affine; nil for others.
func (w *coverWarp) affineOf(in *instr, m uint32) *affine {
	u := &w.closed.unknowns
	if in.group == gSelp {
		return w.affineSelp(in, m)
	}
	if in.group != gPure {
		return nil
	}
	l := &in.lin
	if l.op == linNone || l.op != linCvt && w.blk.k.prog.regBits[in.d] != l.bits {
		return nil
	}
	a := w.affine(in.a, m)
	switch l.op {
	case linMove:
		if most := widthMask(int(l.bits)); in.f(0, 0, 0) == 0 && in.f(most, 0, 0) == most {
			return a
		}
		// An address moved from one space to another.
		_, lo, hi, ok := u.read(a, 64, false)
		if by := in.f(uint64(lo), 0, 0) - uint64(lo); ok && in.f(uint64(hi), 0, 0)-uint64(hi) == by {
			return a.plus(int64(by))
		}
		return nil
	case linNot:
		return a.times(-1).plus(-1)
	case linNeg:
		return a.times(-1)
	case linCvt:
		return u.convert(a, l)
	}
	b := w.affine(in.b, m)
	switch l.op {
	case linAdd:
		return a.combine(1, b, 1)
	case linSub:
		return w.difference(a, b, l.bits)
	case linMul, linWide:
		p := u.product(a, b, l)
		if p != nil && l.add {
			p = p.combine(1, w.affine(in.c, m), 1)
		}
		return p
	case linShl:
		if n, ok := b.constant(); ok && n >= 0 && n < int64(l.bits) {
			return a.times(1 << n)
		}
	case linShr:
		if n, ok := b.constant(); ok && n >= 0 && n < 62 && n < int64(l.bits) {
			return u.quotient(a, l, 1<<n, l.signed)
		}
	case linDiv:
		if n, ok := u.divisor(b, l); ok {
			return u.quotient(a, l, n, false)
		}
	case linRem:
		if n, ok := u.divisor(b, l); ok {
			return u.remainder(a, l, n)
		}
	case linAnd:
		if a.known() {
			a, b = b, a
		}
		if n, ok := b.constant(); ok {
			if out := u.masked(a, uint64(n), l.bits); out != nil {
				return out
			}
			return w.withoutLow(a, uint64(n)&widthMask(int(l.bits)), l.bits)
		}
	case linOr:
		if a.known() {
			a, b = b, a
		}
		if b.known() && u.apart(a, b) {
			return a.combine(1, b, 1)
		}
	}
	return nil
}

// affineSelp is what is chosen by a predicate.
func (w *coverWarp) affineSelp(in *instr, m uint32) *affine {
	a, b := w.affine(in.a, m), w.affine(in.b, m)
	width := w.blk.k.prog.regBits[in.d]
	if a.same(b, m, width) {
		return a
	}
	first := w.getPred(in.pc, in.cNeg)
	switch d := a.combine(1, b, -1); {
	case in.pc >= 0 && w.taint().preds[in.pc]&m != 0:
		return nil
	case m&^first == 0:
		return a
	case m&first == 0:
		return b
	case !d.known():
		return nil
	}
	// The unknown part is the same: lane by lane.
	out := *b
	for left := m & first; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		out.off[i] = a.off[i]
	}
	return &out
}

// convert is an integer converted to another type.
func (u unknowns) convert(a *affine, l *linear) *affine {
	if l.bits <= l.from && l.register <= l.bits {
		return a
	}
	r, lo, hi, ok := u.read(a, l.from, l.signed)
	if !ok {
		return nil
	}
	least, most := limitsOf(l.bits, l.toSigned)
	if l.register > l.bits || l.bits > l.from {
		// It has to be a number of the type to be extended as it is.
		if l.bits >= l.from && l.register <= l.bits {
			return r
		}
		if lo < least || hi > most {
			return nil
		}
	}
	return r
}

// limitsOf are the integers of a type.
func limitsOf(width uint8, signed bool) (lo, hi int64) {
	switch {
	case width >= 64 && signed:
		return math.MinInt64, math.MaxInt64
	case width >= 64:
		return 0, math.MaxInt64
	case signed:
		return -1 << (width - 1), 1<<(width-1) - 1
	}
	return 0, 1<<width - 1
}

// product is a product with a factor that is known and the same in all lanes.
func (u unknowns) product(a, b *affine, l *linear) *affine {
	if l.op == linWide {
		x, _, _, ok := u.read(a, l.from, l.signed)
		y, _, _, also := u.read(b, l.from, l.signed)
		if !ok || !also {
			return nil
		}
		a, b = x, y
	}
	if n, ok := b.constant(); ok {
		return a.times(n)
	}
	if n, ok := a.constant(); ok {
		return b.times(n)
	}
	return nil
}

// divisor is the number that the pattern of b stands for, if it is known, the same in all
// lanes and above 0.
func (u unknowns) divisor(b *affine, l *linear) (int64, bool) {
	r, _, _, ok := u.read(b, l.from, l.signed)
	if !ok {
		return 0, false
	}
	n, ok := r.constant()
	return n, ok && n > 0
}

// quotient is a divided by n: rounded down if floor, and where it is not negative.
func (u unknowns) quotient(a *affine, l *linear, n int64, floor bool) *affine {
	r, lo, _, ok := u.read(a, l.from, l.signed)
	if !ok || !floor && lo < 0 || !r.multiple(n) {
		return nil
	}
	out := affine{lanes: r.lanes, terms: make([]term, len(r.terms))}
	for i, t := range r.terms {
		out.terms[i] = term{t.of, t.factor / n}
	}
	for i, x := range r.off {
		out.off[i] = floorDiv(x, n)
	}
	return &out
}

// remainder is a modulo n, where it is not negative.
func (u unknowns) remainder(a *affine, l *linear, n int64) *affine {
	r, lo, _, ok := u.read(a, l.from, l.signed)
	if !ok || lo < 0 || !r.multiple(n) {
		return nil
	}
	out := affine{lanes: r.lanes}
	for i, x := range r.off {
		out.off[i] = x - floorDiv(x, n)*n
	}
	return &out
}

// masked is a and a mask of the low bits, or of all but the low ones.
func (u unknowns) masked(a *affine, mask uint64, width uint8) *affine {
	full := widthMask(int(width))
	mask &= full
	low, keep := mask, false
	if mask&(mask+1) != 0 {
		low, keep = ^mask&full, true
		if low&(low+1) != 0 {
			return nil
		}
	}
	if mask == full {
		return a
	}
	if 1<<u.zeros(a)-1 < low {
		return nil
	}
	out := affine{lanes: a.lanes}
	if keep {
		out.terms = a.terms
	}
	for i, x := range a.off {
		out.off[i] = int64(uint64(x) & mask)
		if keep {
			out.off[i] = int64(uint64(x) &^ low)
		}
	}
	return &out
}

// apart says that no bit of b, which is known, is one of a.
func (u unknowns) apart(a, b *affine) bool {
	var or, of uint64
	for m := a.lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		or |= uint64(b.off[i])
		of |= uint64(a.off[i])
	}
	low := uint64(1)<<bits.Len64(or) - 1
	return or < 1<<62 && 1<<u.zeros(a)-1 >= low && of&low == 0
}

// noteAffine keeps the result of an instruction, behind it. Where it has become known,
// it is written.
func (w *coverWarp) noteAffine(in *instr, m, unsure uint32, now *affine) {
	c := w.closed
	if c == nil {
		return
	}
	for _, r := range in.wv {
		c.write(r, m|unsure)
	}
	for _, p := range in.wp {
		c.preds[p] = nil
	}
	if m != 0 && unsure == 0 && len(in.wv) > 0 {
		w.setAffine(in.wv[0], m, now)
	}
}

// setAffine keeps what a register holds that the lanes of m have written. Where it has
// become known, it is written.
func (w *coverWarp) setAffine(r int32, m uint32, now *affine) {
	if now == nil {
		return
	}
	t := w.taint()
	if now.known() && t.vals[r]&m != 0 {
		mask := widthMask(int(w.blk.k.prog.regBits[r]))
		v := w.warp.part(r)
		for left := m; left != 0; left &= left - 1 {
			i := bits.TrailingZeros32(left) & 31
			v[i] = uint64(now.off[i]) & mask
		}
		for _, t := range w.taints {
			t.vals[r] &^= m
		}
	}
	if t.vals[r]&m == m {
		w.closed.values[r] = now
	}
}

// write forgets a register in the lanes of m.
func (c *closed) write(r int32, m uint32) {
	a := c.values[r]
	switch {
	case a == nil || a.lanes&m == 0:
	case a.lanes&^m == 0:
		c.values[r] = nil
	default:
		out := *a
		out.lanes &^= m
		c.values[r] = &out
	}
}

// clone copies what a fork keeps. Affine values and predicates are never changed.
func (c *closed) clone() *closed {
	if c == nil {
		return nil
	}
	out := &closed{elements: c.elements}
	out.unknowns = append(out.unknowns, c.unknowns...)
	out.values = append(out.values, c.values...)
	out.preds = append(out.preds, c.preds...)
	out.slots = append(out.slots, c.slots...)
	return out
}

// reset makes what is known of registers that of another state. Unknowns made since stay,
// and those that were there have the ranges they had.
func (c *closed) reset(to *closed) {
	if c == nil {
		return
	}
	copy(c.unknowns, to.unknowns)
	c.elements = c.elements[:len(to.elements)]
	copy(c.values, to.values)
	copy(c.preds, to.preds)
	c.slots = append(c.slots[:0], to.slots...)
}
