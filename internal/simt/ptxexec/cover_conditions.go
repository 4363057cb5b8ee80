package ptxexec

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/ptx"
)

// predicate is what is known of a predicate that is not known itself.
type predicate struct {
	lanes   uint32 // in which it is known
	uniform bool   // it is the same in all of them
	// follows is what holds in a lane in which it is false, and in which it is true.
	follows [2][]condition
	// name is that by which all warps of the block know it; empty for none.
	name string
}

// condition says how two integers compare: a - b, as integers, with 0.
type condition struct {
	cmp    ptx.Cmp
	diff   *affine // nil where the integers are not known
	a, b   *affine // patterns of so many bits
	width  uint8
	signed bool
}

// opposite is the comparison that holds where cmp does not.
func opposite(cmp ptx.Cmp) ptx.Cmp {
	switch cmp {
	case ptx.CmpEQ:
		return ptx.CmpNE
	case ptx.CmpNE:
		return ptx.CmpEQ
	case ptx.CmpLT:
		return ptx.CmpGE
	case ptx.CmpGE:
		return ptx.CmpLT
	case ptx.CmpLE:
		return ptx.CmpGT
	}
	return ptx.CmpLE
}

// mirrored is the comparison of b with a.
func mirrored(cmp ptx.Cmp) ptx.Cmp {
	switch cmp {
	case ptx.CmpLT:
		return ptx.CmpGT
	case ptx.CmpLE:
		return ptx.CmpGE
	case ptx.CmpGT:
		return ptx.CmpLT
	case ptx.CmpGE:
		return ptx.CmpLE
	}
	return cmp
}

// compared keeps what is known of the outcome of an instruction on predicates; it runs
// behind it. Before is what was known of the predicates that it reads.
func (w *coverWarp) compared(in *instr, m, unsure uint32, before [2]*predicate) {
	c := w.closed
	if c == nil || unsure != 0 || m == 0 {
		return
	}
	var q predicate
	switch in.group {
	case gSetp:
		q = w.compareAffine(in, m)
	case gPred:
		if in.boolOp == boolMov || in.boolOp == boolNot {
			q = before[0].negated(in.aNeg != (in.boolOp == boolNot))
			q.lanes &= m
			c.setPred(in.pd, w, q, m)
			return
		}
		q = before[0].negated(in.aNeg)
		if in.pa >= 0 && w.taint().preds[in.pa]&m == 0 && in.pa != in.pd {
			q = predicate{lanes: m, uniform: w.agreed(in.pa, m), name: w.namedPredicate(in.pa, m)}
		}
	default:
		return
	}
	q.lanes &= m
	other := q.opposite()
	if in.boolOp != boolNone {
		with := before[1].negated(in.cNeg)
		if in.pc >= 0 && in.pc != in.pd && in.pc != in.pq && w.taint().preds[in.pc]&m == 0 {
			with = predicate{lanes: m, uniform: w.agreed(in.pc, m), name: w.namedPredicate(in.pc, m)}
		}
		q, other = q.and(with, in.boolOp), other.and(with, in.boolOp)
	}
	c.setPred(in.pd, w, q, m)
	c.setPred(in.pq, w, other, m)
}

// setPred keeps what is known of a predicate in the lanes of m.
func (c *closed) setPred(p int32, w *coverWarp, q predicate, m uint32) {
	if p >= 0 && m&^q.lanes == 0 {
		c.preds[p] = &q
	}
}

func (q *predicate) negated(by bool) predicate {
	switch {
	case q == nil:
		return predicate{}
	case by:
		return q.opposite()
	}
	return *q
}

func (q predicate) opposite() predicate {
	return predicate{lanes: q.lanes, uniform: q.uniform, follows: [2][]condition{q.follows[1], q.follows[0]}, name: negatedName(q.name)}
}

// maxConditions is how many conditions of a predicate are kept: each holds by itself, and
// one that is combined with itself again and again would have more and more.
const maxConditions = 16

// and combines with another one: of a conjunction that is true both are, of a
// disjunction that is false neither.
func (q predicate) and(with predicate, op uint8) predicate {
	out := predicate{lanes: q.lanes & with.lanes, uniform: q.uniform && with.uniform, name: joinedNames(q.name, with.name, op)}
	// One of the two may say something where the other says nothing.
	if all := q.lanes | with.lanes; out.lanes != all {
		out.lanes, out.uniform, out.name = all, false, ""
		for _, x := range []*predicate{&q, &with} {
			if x.lanes != all {
				x.follows = [2][]condition{}
			}
		}
	}
	both := func(side int) []condition {
		all := append(append([]condition(nil), q.follows[side]...), with.follows[side]...)
		return all[:min(len(all), maxConditions)]
	}
	switch op {
	case boolAnd:
		out.follows[1] = both(1)
	case boolOr:
		out.follows[0] = both(0)
	}
	return out
}

// compareAffine is what is known of the outcome of a comparison, the predicate that it
// is combined with aside.
func (w *coverWarp) compareAffine(in *instr, m uint32) predicate {
	out := predicate{lanes: m}
	a, b := w.affine(in.a, m), w.affine(in.b, m)
	u := &w.closed.unknowns
	out.uniform = u.uniform(a) && u.uniform(b) && in.open == nil
	if in.pq < 0 { // pairs of halves have two outcomes
		out.name = w.namedComparison(in, m, nil)
	}
	if in.lin.op != linCompare {
		return out
	}
	readings := []bool{in.lin.signed}
	switch in.lin.cmp {
	case ptx.CmpEQ, ptx.CmpNE:
		readings = []bool{true, false} // any will do
	case ptx.CmpLT, ptx.CmpLE, ptx.CmpGT, ptx.CmpGE:
	default:
		return out
	}
	var c condition
	for _, signed := range readings {
		x, _, _, ok := u.read(a, in.lin.from, signed)
		y, _, _, also := u.read(b, in.lin.from, signed)
		if !ok || !also {
			continue
		}
		if diff, fits := x.less(y); fits {
			c = condition{cmp: in.lin.cmp, diff: diff, width: in.lin.from, signed: signed}
			break
		}
	}
	if c.diff == nil {
		c = condition{cmp: in.lin.cmp, width: in.lin.from, signed: readings[0]}
	}
	c.a, c.b = a, b
	out.uniform = out.uniform || c.diff != nil && u.uniform(c.diff)
	out.name = w.namedComparison(in, m, c.diff)
	no := c
	no.cmp = opposite(c.cmp)
	out.follows = [2][]condition{{no}, {c}}
	if in.boolOp == boolNone && in.pq < 0 && c.diff != nil {
		w.settleComparison(in, m, c)
	}
	return out
}

// settleComparison makes the outcome of a comparison known in the lanes in which it follows from
// where the difference lies.
func (w *coverWarp) settleComparison(in *instr, m uint32, c condition) {
	lo, hi, ok := w.closed.unknowns.part(c.diff)
	if !ok {
		return
	}
	for left := m & w.taint().preds[in.pd]; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		x, fits := addInt(c.diff.off[i], lo)
		y, also := addInt(c.diff.off[i], hi)
		if !fits || !also {
			continue
		}
		yes, decided := decided(c.cmp, x, y)
		if !decided {
			continue
		}
		for _, t := range w.taints {
			t.preds[in.pd] &^= 1 << i
		}
		w.preds[in.pd] &^= 1 << i
		if yes {
			w.preds[in.pd] |= 1 << i
		}
	}
}

// decided is the outcome of the comparison of a number from lo to hi with 0, if it is
// the same for all.
func decided(cmp ptx.Cmp, lo, hi int64) (yes, ok bool) {
	switch cmp {
	case ptx.CmpLT, ptx.CmpGE:
		yes, ok = hi < 0, hi < 0 || lo >= 0
		return yes == (cmp == ptx.CmpLT), ok
	case ptx.CmpLE, ptx.CmpGT:
		yes, ok = hi <= 0, hi <= 0 || lo > 0
		return yes == (cmp == ptx.CmpLE), ok
	}
	yes = lo == 0 && hi == 0
	return yes == (cmp == ptx.CmpEQ), yes || lo > 0 || hi < 0
}

// suppose narrows the ranges of unknowns by what holds in the lanes of m, of which some
// are there.
func (c *closed) suppose(q *predicate, holds bool, m uint32) {
	if q == nil || m&^q.lanes != 0 {
		return
	}
	side := 0
	if holds {
		side = 1
	}
	some := false
	for i := range q.follows[side] {
		if of := &q.follows[side][i]; of.diff != nil {
			c.narrow(of, m)
			some = true
		}
	}
	if some {
		c.narrowQuotients()
	}
}

// narrowQuotients narrows unknowns that are quotients to those of where what is divided lies.
func (c *closed) narrowQuotients() {
	for i := range c.unknowns {
		if q := c.unknowns[i].quotient; q != nil {
			lo, hi := q.within(c.unknowns, c.unknowns[i].lo, c.unknowns[i].hi)
			c.unknowns[i].set(lo, hi)
		}
	}
}

func (c *closed) narrow(of *condition, m uint32) {
	d := of.diff
	least, most := int64(math.MaxInt64), int64(math.MinInt64) // of the offsets
	for left := m; left != 0; left &= left - 1 {
		x := d.off[bits.TrailingZeros32(left)&31]
		least, most = min(least, x), max(most, x)
	}
	for _, t := range d.terms {
		rest := d.without(func(of int32) bool { return of == t.of })
		lo, hi, ok := c.unknowns.part(rest)
		if !ok {
			continue
		}
		lo, fits := addInt(lo, least)
		hi, also := addInt(hi, most)
		if !fits || !also {
			continue
		}
		// factor * unknown + (lo to hi) cmp 0
		switch of.cmp {
		case ptx.CmpLT:
			c.atMost(t, -1, lo)
		case ptx.CmpLE:
			c.atMost(t, 0, lo)
		case ptx.CmpGT:
			c.atLeast(t, 1, hi)
		case ptx.CmpGE:
			c.atLeast(t, 0, hi)
		case ptx.CmpEQ:
			c.atMost(t, 0, lo)
			c.atLeast(t, 0, hi)
		case ptx.CmpNE:
			if lo == hi && lo != math.MinInt64 && lo%t.factor == 0 {
				c.exclude(t.of, -lo/t.factor)
			}
		}
	}
}

// atMost narrows an unknown by factor * unknown + rest <= limit for the least rest.
func (c *closed) atMost(t term, limit, rest int64) {
	x, ok := addInt(limit, -rest)
	if rest == math.MinInt64 || !ok {
		return
	}
	u := &c.unknowns[t.of]
	if t.factor > 0 {
		u.set(u.lo, min(u.hi, floorDiv(x, t.factor)))
	} else if t.factor != math.MinInt64 {
		u.set(max(u.lo, -floorDiv(x, -t.factor)), u.hi)
	}
}

// atLeast narrows an unknown by factor * unknown + rest >= limit for the greatest rest.
func (c *closed) atLeast(t term, limit, rest int64) {
	if rest == math.MinInt64 || t.factor == math.MinInt64 || limit == math.MinInt64 {
		return
	}
	c.atMost(term{t.of, -t.factor}, -limit, -rest)
}

func (c *closed) exclude(of int32, x int64) {
	u := &c.unknowns[of]
	switch {
	case u.lo == u.hi:
	case u.lo == x:
		u.lo++
	case u.hi == x:
		u.hi--
	}
}

// set narrows the range, unless nothing would be left: then nobody is there, and any
// range is right.
func (u *unknown) set(lo, hi int64) {
	if lo <= hi {
		u.lo, u.hi = lo, hi
	}
}
