package ptxexec

import (
	"math"
	"math/bits"

	"github.com/warpbound/warpbound/ptx"
)

// How often lanes can stay in a loop being closed: what its tests let them, by how the
// numbers that they compare move in an iteration (docs/soundness/closed.md, number of
// iterations).

// test keeps how often lanes can stay at a branch that may leave the loop.
func (w *coverWarp) test(in *instr, m uint32) {
	c := w.closed
	if c == nil || len(c.passes) == 0 {
		return
	}
	p := c.passes[len(c.passes)-1]
	stays, ok := p.loop.tests[w.top.pc]
	if !ok || len(w.frames) != p.frames {
		return
	}
	of := p.most[w.top.pc]
	if of == nil {
		of = &[32]int64{}
		for i := range of {
			of[i] = -1
		}
		p.most[w.top.pc] = of
	}
	side := 0
	if stays != in.guardNeg {
		side = 1
	}
	q := c.preds[in.guard]
	p.pass(w.top.pc, q, side)
	if q != nil {
		for j := range q.follows[side] {
			p.limit(c.unknowns, &q.follows[side][j], m)
		}
	}
	for left := m; left != 0; left &= left - 1 {
		i := bits.TrailingZeros32(left) & 31
		most := int64(math.MaxInt64)
		least := counted{ranged: len(c.ranged), around: c.passes[:len(c.passes)-1]}
		if q != nil && q.lanes>>i&1 != 0 {
			for j := range q.follows[side] {
				of := &q.follows[side][j]
				most = min(most, least.take(c.unknowns.stays(of, p, i, &least)), w.progresses(p, of, i))
			}
		}
		p.count(w.top.pc, i, most, &least)
		of[i] = max(of[i], most)
	}
}

// ways is how often lanes can go back to the head, at most.
func (w *coverWarp) ways(p *pass) int64 {
	out := int64(0)
	for left := p.arrived.lanes; left != 0; left &= left - 1 {
		most := int64(math.MaxInt64)
		for _, of := range p.most {
			if n := of[bits.TrailingZeros32(left)&31]; n >= 0 {
				most = min(most, n)
			}
		}
		out = max(out, most)
	}
	return out
}

// stays is for how many iterations a condition can hold in a lane, one after the other
// from the first: of two numbers one moves by a distance in each, up to the other.
func (u unknowns) stays(of *condition, p *pass, lane int, formula *counted) int64 {
	a, b, cmp := of.a, of.b, of.cmp
	f, g := p.moves(a, of.width), p.moves(b, of.width)
	if f == 0 && g == 0 {
		return u.strided(of, p, lane, formula)
	}
	if f == 0 {
		a, b, f, g, cmp = b, a, g, f, mirrored(cmp)
	}
	if f == 0 || g != 0 {
		return math.MaxInt64
	}
	a = a.without(func(of int32) bool { return of == p.iter })
	a.lanes = 1 << lane
	limit := *b
	limit.lanes = 1 << lane
	for _, t := range a.terms {
		if int(t.of) >= p.made {
			return math.MaxInt64 // not the same in every iteration
		}
	}
	if cmp == ptx.CmpEQ || cmp == ptx.CmpNE {
		for _, t := range b.terms {
			if int(t.of) >= p.made {
				return math.MaxInt64
			}
		}
	}
	signed := of.signed
	x, _, _, ok := u.read(a, of.width, signed)
	y, least, most, also := u.read(&limit, of.width, signed)
	if cmp == ptx.CmpNE && (!ok || !also) {
		signed = !signed // equality is the same
		x, _, _, ok = u.read(a, of.width, signed)
		y, least, most, also = u.read(&limit, of.width, signed)
	}
	if !ok || !also {
		return math.MaxInt64
	}
	d, ok := x.less(y)
	if !ok {
		return math.MaxInt64
	}
	lo, hi, ok := u.part(d)
	lo, fits := addInt(lo, d.off[lane])
	hi, also = addInt(hi, d.off[lane])
	ok = ok && !u.unlimited(d)
	if !ok || !fits || !also || f == math.MinInt64 || lo == math.MinInt64 {
		return math.MaxInt64
	}
	formula.of(u, d, cmp, f, lane)
	from, to := limitsOf(of.width, signed)
	// In the order of the numbers, the one that moves does not wrap around before it
	// passes the limit.
	upTo := func(by int64) bool { s, fits := addInt(most, by); return fits && s <= to }
	downTo := func(by int64) bool { s, fits := addInt(least, by); return fits && s >= from }
	switch cmp {
	case ptx.CmpLT:
		if f > 0 && upTo(f-1) {
			return atLeast0(lo >= 0, func() int64 { return floorDiv(-lo-1, f) + 1 })
		}
	case ptx.CmpLE:
		if f > 0 && upTo(f) {
			return atLeast0(lo > 0, func() int64 { return floorDiv(-lo, f) + 1 })
		}
	case ptx.CmpGT:
		if f < 0 && downTo(f+1) {
			return atLeast0(hi <= 0, func() int64 { return floorDiv(hi-1, -f) + 1 })
		}
	case ptx.CmpGE:
		if f < 0 && downTo(f) {
			return atLeast0(hi < 0, func() int64 { return floorDiv(hi, -f) + 1 })
		}
	case ptx.CmpNE:
		step := f
		if step < 0 {
			step = -step
		}
		if exact := d.multiple(step) || step&(step-1) == 0 && u.zeros(d) >= uint8(bits.TrailingZeros64(uint64(step))); !exact || d.off[lane]%step != 0 {
			return math.MaxInt64
		}
		switch {
		case f > 0 && hi <= 0:
			return -lo / step
		case f < 0 && lo >= 0:
			return hi / step
		}
	case ptx.CmpEQ:
		return 1
	}
	return math.MaxInt64
}

// unlimitedRange is the length from which on a range is taken to be that of a type.
const unlimitedRange = 1 << 30

// unlimited says that a difference depends on an unknown of which nothing is known but its
// type, or next to nothing: what data are is no limit to a loop then, and somebody has to say
// how often it goes on.
func (u unknowns) unlimited(d *affine) bool {
	for _, t := range d.terms {
		x := &u[t.of]
		if !x.declared && (x.lo < x.hi-unlimitedRange || x.hi < math.MinInt64+unlimitedRange) || x.quotient != nil && u.unlimited(x.quotient.of) {
			return true
		}
	}
	return false
}

// moves is how far a value moves in an iteration, as a signed number of so many bits.
func (p *pass) moves(a *affine, width uint8) int64 {
	for _, t := range a.terms {
		if t.of == p.iter {
			return signExtend(uint64(t.factor)&widthMask(int(width)), int(width))
		}
	}
	return 0
}
