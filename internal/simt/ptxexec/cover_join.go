package ptxexec

import (
	"math"
	"math/bits"
)

// joinClosed makes what is known of registers that behind two sides: one, and what the
// warp has now. Exclusive sides are taken by all lanes alike.
func (w *coverWarp) joinClosed(before, one *state, first, second uint32, exclusive bool) {
	c := w.closed
	if c == nil {
		return
	}
	a := one.closed
	w.joinSlots(a, first&one.live, second&w.live, exclusive, a.unknowns)
	for r := range c.values {
		c.values[r] = w.joinAffine(one, int32(r), a.values[r], c.values[r], first&one.live, second&w.live, exclusive)
	}
	for p := range c.preds {
		if a.preds[p] != c.preds[p] && first&one.live != 0 && second&w.live != 0 {
			c.preds[p] = nil
		} else if second&w.live == 0 {
			c.preds[p] = a.preds[p]
		}
	}
	// What was loaded on a side is known as it is there.
	c.elements = c.elements[:len(before.closed.elements)]
	// Ranges are what they were before, and those of unknowns made on the first side what
	// they were there: what the second supposes says nothing of its lanes.
	n := copy(c.unknowns, before.closed.unknowns)
	copy(c.unknowns[n:], a.unknowns[n:])
}

// joinAffine joins a register whose values are x behind the first side and y behind the
// second; it runs before the values of the warp are joined.
func (w *coverWarp) joinAffine(one *state, r int32, x, y *affine, first, second uint32, exclusive bool) *affine {
	last := len(w.taints) - 1
	if x == y && (x != nil || w.st[r]&one.st[r]&uniform != 0 && w.vals[r][0] == one.vals[r][0]) {
		return x
	}
	if x == nil || first&^x.lanes != 0 {
		x = nil
		if one.taints[last].vals[r]&first == 0 {
			v := one.vals[r]
			if one.st[r]&filled == 0 {
				for i := range v {
					v[i] = v[0]
				}
			}
			x = numbers(&v, first)
		}
	}
	if y == nil || second&^y.lanes != 0 {
		y = nil
		if w.taint().vals[r]&second == 0 {
			y = numbers(w.src(r), second)
		}
	}
	switch {
	case first == 0:
		return y
	case second == 0:
		return x
	case x == nil || y == nil:
		return nil
	}
	return w.closed.joined(x, y, first, second, w.blk.k.prog.regBits[r], exclusive, one.closed.unknowns)
}

// joined is a value that is x in the lanes of first, with the unknowns as they are there, and
// y in those of second; nil where that is not known.
func (c *closed) joined(x, y *affine, first, second uint32, width uint8, exclusive bool, there unknowns) *affine {
	apart := x.combine(1, y, -1)
	if apart.known() {
		// The unknown part is the same on both sides.
		if out := *x; apart.allZero(first&second, width) {
			for left := second &^ first; left != 0; left &= left - 1 {
				i := bits.TrailingZeros32(left) & 31
				out.off[i] = y.off[i]
			}
			out.lanes = first | second
			return &out
		}
	}
	if !exclusive || first != second {
		return nil
	}
	return c.either(x, y, first, width, there)
}

// either is a value that is x in all lanes of m, with the unknowns as they are there, or y
// in all of them. It is nil where these do not differ by the same number in all lanes.
func (c *closed) either(x, y *affine, m uint32, width uint8, there unknowns) *affine {
	u := &c.unknowns
	if !u.together(x) || !u.together(y) {
		return nil
	}
	i := bits.TrailingZeros32(m) & 31
	base := x.off[i]
	shape := *x
	shape.terms, shape.lanes = nil, m
	for j := range shape.off {
		shape.off[j] -= base
	}
	d := y.combine(1, &affine{lanes: m, off: shape.off}, -1)
	d.terms = nil
	d.lanes = m
	if !d.plus(-d.off[i]).allZero(m, width) {
		return nil
	}
	lo, hi, ok := there.part(x)
	lo2, hi2, also := u.part(y)
	if !ok || !also {
		lo, hi, lo2, hi2 = math.MinInt64, math.MaxInt64, 0, 0
	} else {
		var fits [4]bool
		lo, fits[0] = addInt(lo, base)
		hi, fits[1] = addInt(hi, base)
		lo2, fits[2] = addInt(lo2, y.off[i])
		hi2, fits[3] = addInt(hi2, y.off[i])
		if fits != [4]bool{true, true, true, true} {
			lo, hi, lo2, hi2 = math.MinInt64, math.MaxInt64, 0, 0
		}
	}
	zeros := min(u.zeros(x), u.zeros(y), uint8(bits.TrailingZeros64(uint64(base))), uint8(bits.TrailingZeros64(uint64(y.off[i]))))
	of := c.unknowns.any(min(lo, lo2), max(hi, hi2), true)
	c.unknowns[of].zeros = min(zeros, 63)
	shape.terms = []term{{of, 1}}
	return &shape
}
