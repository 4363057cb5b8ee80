package ptxexec

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// A register may move, in each iteration of a loop, by a distance that is not known but the
// same in all iterations: the number of threads of a grid that has a range, or an argument.
// Its number at the head is an unknown in a range, which each iteration is seen to move by
// that distance; how often lanes stay in the loop then follows from the least distance
// (docs/soundness/closed.md, lemma S (strides)).

// stride is how such an unknown of a loop's head begins, and what each iteration adds.
type stride struct{ from, step *affine }

// stride notes the stride of the unknown of a head value. While the range of the unknown is
// that of all numbers it may wrap around.
func (p *pass) stride(v *headValue, of int32, width uint8) {
	if v.step == nil || v.full(width) {
		return
	}
	if p.strides == nil {
		p.strides = map[int32]*stride{}
	}
	first := bits.TrailingZeros32(v.base.lanes) & 31
	from := *v.base
	from.lanes, from.off = 1<<first, [32]int64{}
	p.strides[of] = &stride{from.plus(signExtend(uint64(v.base.off[first])&widthMask(int(width)), int(width))), v.step}
}

// passing is what holds in lanes that stay at a test.
type passing struct {
	conditions []condition
	lanes      uint32
	again      bool // other lanes, or the same ones, come to the test another time
}

// pass notes that lanes come to a test, and what holds in those that stay.
func (p *pass) pass(pc int32, q *predicate, side int) {
	switch at := p.passed[pc]; {
	case at != nil:
		at.again = true
		return
	case p.passed == nil:
		p.passed = map[int32]*passing{}
	}
	at := &passing{}
	if q != nil {
		at.lanes, at.conditions = q.lanes, q.follows[side]
	}
	p.passed[pc] = at
}

// conditions hold in each of the lanes of m, which come back to the head of the loop.
func (p *pass) conditions(m uint32) []condition {
	var out []condition
	for _, at := range p.passed {
		if !at.again && m&^at.lanes == 0 {
			out = append(out, at.conditions...)
		}
	}
	return out
}

// above is unknowns.above for lanes that have come back, by what they have passed, too.
func (a *arrival) above(x, base *affine, width uint8) (unknown, bool) {
	out, ok := a.unknowns.above(x, base, a.lanes, width)
	if !ok {
		return out, false
	}
	least, most := a.ends(x, base, width)
	if lo, hi := max(out.lo, least), min(out.hi, most); lo <= hi { // else nobody is there
		out.lo, out.hi = lo, hi
	}
	return out, true
}

// reach widens the range from lo to hi of a register with a stride to what the conditions
// leave, which its iterations come to one after the other.
func (a *arrival) reach(v *headValue, x *affine, lo, hi int64, width uint8) (int64, int64) {
	if v.step == nil {
		return lo, hi
	}
	from, to, ok := a.unknowns.between(v.step, 0)
	switch least, most := a.ends(x, v.base, width); {
	case !ok:
	case from > 0 && most != math.MaxInt64:
		hi = max(hi, most)
	case to < 0 && least != math.MinInt64:
		lo = min(lo, least)
	}
	return lo, hi
}

// ends is between which numbers x lies above the shape of base by what the lanes have passed.
func (a *arrival) ends(x, base *affine, width uint8) (least, most int64) {
	off := signExtend(uint64(x.combine(1, base.shape(), -1).off[bits.TrailingZeros32(a.lanes)&31])&widthMask(int(width)), int(width))
	least, most = math.MinInt64, math.MaxInt64
	for i := range a.passed {
		of := &a.passed[i]
		if of.diff == nil {
			continue
		}
		for _, c := range []condition{{cmp: of.cmp, diff: of.diff}, {cmp: mirrored(of.cmp), diff: of.diff.times(-1)}} {
			if n, ok := a.mostOf(x, off, c.diff, c.cmp); ok {
				most = min(most, n)
			}
			if n, ok := a.mostOf(x.times(-1), -off, c.diff, c.cmp); ok {
				least = max(least, -n)
			}
		}
	}
	return least, most
}

// mostOf is the most that off and the unknown part of x can be together where a difference
// is less than 0, or at most 0, in some lane that is there.
func (a *arrival) mostOf(x *affine, off int64, diff *affine, cmp ptx.Cmp) (int64, bool) {
	if cmp != ptx.CmpLT && cmp != ptx.CmpLE || off < -1<<60 || off > 1<<60 {
		return 0, false
	}
	if _, fits := diff.less(x); !fits {
		return 0, false
	}
	_, most, ok := a.unknowns.part(x.combine(1, diff, -1))
	worst := int64(math.MinInt64)
	for m := a.lanes; m != 0; m &= m - 1 {
		worst = max(worst, off-diff.off[bits.TrailingZeros32(m)&31])
	}
	if cmp == ptx.CmpLT {
		worst--
	}
	most, fits := addInt(most, worst)
	return most, ok && fits && most > math.MinInt64
}

// distance is how far a register that is x at the end has moved, where that is the same in
// all lanes and in all iterations, known but for unknowns from before the loop.
func (a *arrival) distance(v *headValue, x *affine, width uint8) *affine {
	d := x.combine(1, v.now, -1)
	for _, t := range d.terms {
		if int(t.of) >= len(a.outside) || !a.unknowns[t.of].uniform {
			return nil
		}
	}
	off := signExtend(uint64(d.off[bits.TrailingZeros32(a.lanes)&31])&widthMask(int(width)), int(width))
	d.lanes = a.lanes
	same := *d
	same.terms = nil
	if !same.plus(-off).allZero(a.lanes, width) {
		return nil
	}
	d.off = [32]int64{}
	return d.plus(off)
}

// strides says that a register which is x at the end has moved by its stride, if it has one.
func (a *arrival) strides(v *headValue, x *affine, width uint8) bool {
	if v.step == nil {
		return true
	}
	d := a.distance(v, x, width)
	return d != nil && d.same(v.step, a.lanes, 64)
}

// step supposes a stride of a register that has stayed the same until now, and none of one
// that has not moved by its stride.
func (a *arrival) step(v *headValue, x *affine, width uint8) {
	switch {
	case v.is == staysSame:
		v.step = a.distance(v, x, width)
	case !a.strides(v, x, width):
		v.step = nil
	}
}

// strided is for how many iterations a condition can hold in a lane, as unknowns.stays has
// it, where one of two numbers moves by a stride.
func (u unknowns) strided(of *condition, p *pass, lane int, formula *counted) int64 {
	a, b, cmp := of.a, of.b, of.cmp
	at := p.strider(a)
	if at < 0 {
		a, b, cmp = b, a, mirrored(cmp)
		if at = p.strider(a); at < 0 {
			return math.MaxInt64
		}
	}
	x, limit := *a, *b
	x.lanes, limit.lanes = 1<<lane, 1<<lane
	r, _, _, ok := u.read(&x, of.width, of.signed)
	y, _, _, also := u.read(&limit, of.width, of.signed)
	if !ok || !also {
		return math.MaxInt64
	}
	t := a.terms[at]
	s := p.strides[t.of]
	rest, ok := r.without(func(of int32) bool { return of == t.of }).scaled(1)
	first, also := s.from.scaled(t.factor)
	step, fits := s.step.scaled(t.factor)
	if !ok || !also || !fits {
		return math.MaxInt64
	}
	first.lanes |= 1 << lane
	d, ok := rest.combine(1, first, 1).less(y)
	if !ok {
		return math.MaxInt64
	}
	lo, hi, ok := u.between(d, lane)
	ok = ok && !u.unlimited(d)
	least, most, also := u.between(step, lane)
	if !ok || !also || lo == math.MinInt64 || most == math.MinInt64 {
		return math.MaxInt64
	}
	switch {
	case cmp == ptx.CmpLT && least > 0:
		formula.stride(u, d, cmp, step, lane)
		return atLeast0(lo >= 0, func() int64 { return floorDiv(-lo-1, least) + 1 })
	case cmp == ptx.CmpLE && least > 0:
		formula.stride(u, d, cmp, step, lane)
		return atLeast0(lo > 0, func() int64 { return floorDiv(-lo, least) + 1 })
	case cmp == ptx.CmpGT && most < 0:
		formula.stride(u, d, cmp, step, lane)
		return atLeast0(hi <= 0, func() int64 { return floorDiv(hi-1, -most) + 1 })
	case cmp == ptx.CmpGE && most < 0:
		formula.stride(u, d, cmp, step, lane)
		return atLeast0(hi < 0, func() int64 { return floorDiv(hi, -most) + 1 })
	}
	return math.MaxInt64
}

// strider is the only term of a that is not the same in all iterations, if it has a stride;
// -1 for none.
func (p *pass) strider(a *affine) int {
	at := -1
	for i, t := range a.terms {
		switch {
		case int(t.of) < p.made:
		case at >= 0 || p.strides[t.of] == nil:
			return -1
		default:
			at = i
		}
	}
	return at
}

// scaled is n times a, as integers; ok is false where that may be beyond 62 bits.
func (a *affine) scaled(n int64) (out *affine, ok bool) {
	const limit = 1 << 61
	fits := func(x int64) bool {
		y, ok := mulInt(n, x)
		return ok && absolute(y) < limit
	}
	for _, t := range a.terms {
		if !fits(t.factor) {
			return nil, false
		}
	}
	for m := a.lanes; m != 0; m &= m - 1 {
		if !fits(a.off[bits.TrailingZeros32(m)&31]) {
			return nil, false
		}
	}
	return a.times(n), true
}

// between is where a lies in a lane, as an integer.
func (u unknowns) between(a *affine, lane int) (lo, hi int64, ok bool) {
	lo, hi, ok = u.part(a)
	lo, fits := addInt(lo, a.off[lane])
	hi, also := addInt(hi, a.off[lane])
	return lo, hi, ok && fits && also
}

// stride is counted.of for a difference that moves by a stride: arguments stay in what is
// divided by, and other unknowns are where that is least.
func (c *counted) stride(u unknowns, d *affine, cmp ptx.Cmp, step *affine, lane int) {
	c.last = nil
	grows := cmp == ptx.CmpLT || cmp == ptx.CmpLE
	if !grows {
		step = step.times(-1)
	}
	q := &simt.Quotient{Divisor: step.off[lane]}
	for _, t := range step.terms {
		if int(t.of) < c.ranged {
			if q.Per == nil {
				q.Per = make([]int64, c.ranged)
			}
			q.Per[t.of] = t.factor
			continue
		}
		end := u[t.of].lo
		if t.factor < 0 {
			end = u[t.of].hi
		}
		part, ok := mulInt(t.factor, end)
		if ok {
			q.Divisor, ok = addInt(q.Divisor, part)
		}
		if !ok {
			return
		}
	}
	c.by(u, d, cmp, grows, q, lane)
}
