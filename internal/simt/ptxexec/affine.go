package ptxexec

import (
	"math"
	"math/bits"
	"slices"
)

// An affine value is what a covering execution knows of a register whose value it does
// not know: in each lane a known number plus known multiples of unknown integers,
//
//	pattern = offset + sum of factor * unknown, modulo two to the register's width.
//
// Unknowns are integers of which a range is known. Some are the same in all lanes of the
// warp: the coordinates of the block, the number of an iteration, scalar arguments.
type affine struct {
	lanes uint32 // in which it holds
	terms []term // ascending by unknown, no factor 0
	off   [32]int64
}

// term is a multiple of an unknown.
type term struct {
	of     int32
	factor int64
}

// unknown is an integer that a covering execution does not know.
type unknown struct {
	lo, hi  int64
	zeros   uint8 // low bits that are 0
	uniform bool  // it is the same in all lanes that execute together
	common  int32 // by which all warps of the block know it; 0 for none
	// declared says that the range is that of a coordinate, or one that the launch declares.
	declared bool
	// quotient is how it came about, where that is known: in each lane that made it.
	quotient *quotient
	// low is what it is left of in a division, where a mask gave it.
	low *lowBits
}

// unknowns are those of a warp.
type unknowns []unknown

// declare makes an unknown from lo to hi that is a coordinate, or that the launch declares.
func (u *unknowns) declare(lo, hi int64, uniform bool) int32 {
	*u = append(*u, unknown{lo: lo, hi: hi, uniform: uniform, declared: true})
	return int32(len(*u) - 1)
}

// any makes an unknown from lo to hi.
func (u *unknowns) any(lo, hi int64, uniform bool) int32 {
	*u = append(*u, unknown{lo: lo, hi: hi, uniform: uniform})
	return int32(len(*u) - 1)
}

// numbers is a register that is known in the lanes of m.
func numbers(v *lanes, m uint32) *affine {
	a := &affine{lanes: m}
	for i, x := range v {
		a.off[i] = int64(x)
	}
	return a
}

// onlyUnknown is an unknown, the same offset in all lanes.
func onlyUnknown(of int32, factor, off int64, m uint32) *affine {
	a := &affine{lanes: m, terms: []term{{of, factor}}}
	for i := range a.off {
		a.off[i] = off
	}
	return a
}

// combine is x*a + y*b.
func (a *affine) combine(x int64, b *affine, y int64) *affine {
	out := &affine{lanes: a.lanes & b.lanes}
	for i := range out.off {
		out.off[i] = a.off[i]*x + b.off[i]*y
	}
	add := func(of int32, factor int64) {
		if n := len(out.terms); n > 0 && out.terms[n-1].of == of {
			factor += out.terms[n-1].factor
			out.terms = out.terms[:n-1]
		}
		if factor != 0 {
			out.terms = append(out.terms, term{of, factor})
		}
	}
	s, t := a.terms, b.terms
	for len(s)+len(t) > 0 {
		if len(t) == 0 || len(s) > 0 && s[0].of <= t[0].of {
			add(s[0].of, s[0].factor*x)
			s = s[1:]
		} else {
			add(t[0].of, t[0].factor*y)
			t = t[1:]
		}
	}
	return out
}

// less is a - b, both read as integers; ok is false where that may be beyond 64 bits.
func (a *affine) less(b *affine) (*affine, bool) {
	for _, x := range []*affine{a, b} {
		for m := x.lanes; m != 0; m &= m - 1 {
			if absolute(x.off[bits.TrailingZeros32(m)&31]) >= 1<<62 {
				return nil, false
			}
		}
		for _, t := range x.terms {
			if absolute(t.factor) >= 1<<62 {
				return nil, false
			}
		}
	}
	return a.combine(1, b, -1), true
}

// times is x*a.
func (a *affine) times(x int64) *affine { return a.combine(x, a, 0) }

// plus is a moved by the same number in all lanes.
func (a *affine) plus(x int64) *affine {
	out := *a
	for i := range out.off {
		out.off[i] += x
	}
	return &out
}

// known says that no unknown is part of it.
func (a *affine) known() bool { return len(a.terms) == 0 }

// constant is the number of all lanes, if it is one and known.
func (a *affine) constant() (int64, bool) {
	if !a.known() {
		return 0, false
	}
	return a.level()
}

// level is the offset of all lanes, if it is one.
func (a *affine) level() (int64, bool) {
	first := a.off[bits.TrailingZeros32(a.lanes)&31]
	for m := a.lanes; m != 0; m &= m - 1 {
		if a.off[bits.TrailingZeros32(m)&31] != first {
			return 0, false
		}
	}
	return first, true
}

// together says that all its unknowns are the same in all lanes.
func (u unknowns) together(a *affine) bool {
	for _, t := range a.terms {
		if !u[t.of].uniform {
			return false
		}
	}
	return true
}

// uniform says that a is the same in all its lanes.
func (u unknowns) uniform(a *affine) bool {
	_, ok := a.level()
	return ok && u.together(a)
}

// zeros is how many low bits of the unknown part are 0.
func (u unknowns) zeros(a *affine) uint8 {
	out := 63
	for _, t := range a.terms {
		out = min(out, bits.TrailingZeros64(uint64(t.factor))+int(u[t.of].zeros))
	}
	return uint8(min(out, 63))
}

// multiple says that n, above 0, divides every factor.
func (a *affine) multiple(n int64) bool {
	for _, t := range a.terms {
		if t.factor%n != 0 {
			return false
		}
	}
	return true
}

// part is where the unknown part of a lies, as integers. ok is false where that is
// beyond 64 bits.
func (u unknowns) part(a *affine) (lo, hi int64, ok bool) {
	for _, t := range a.terms {
		x, y := u[t.of].lo, u[t.of].hi
		if t.factor < 0 {
			x, y = y, x
		}
		x, fits := mulInt(x, t.factor)
		y, also := mulInt(y, t.factor)
		if !fits || !also {
			return 0, 0, false
		}
		if lo, fits = addInt(lo, x); !fits {
			return 0, 0, false
		}
		if hi, fits = addInt(hi, y); !fits {
			return 0, 0, false
		}
	}
	return lo, hi, true
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(absolute(a), absolute(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func absolute(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

// floorDiv is a/b rounded down, for b above 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// read is a as the integers that its patterns of so many bits stand for: the same affine
// value, with multiples of two to the width added to the offsets, and where the integers
// of all lanes lie. ok is false where, in some lane, they would wrap around in between.
func (u unknowns) read(a *affine, width uint8, signed bool) (out *affine, lo, hi int64, ok bool) {
	least, most, fits := u.part(a)
	if !fits || width > 64 || width < 64 && uint64(most)-uint64(least) >= 1<<width {
		return nil, 0, 0, false
	}
	r := *a
	lo, hi = math.MaxInt64, math.MinInt64
	for m := a.lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x, fits := addInt(r.off[i], least)
		y, also := addInt(r.off[i], most)
		if !fits || !also {
			return nil, 0, 0, false
		}
		if width < 64 {
			size := int64(1) << width
			from := int64(0)
			if signed {
				from = -size / 2
			}
			// The multiple that brings x into the range.
			up := floorDiv(x-from, size) * size
			x, y = x-up, y-up
			r.off[i] -= up
			if y >= from+size || y < from {
				return nil, 0, 0, false
			}
		} else if !signed && x < 0 {
			return nil, 0, 0, false
		}
		lo, hi = min(lo, x), max(hi, y)
	}
	return &r, lo, hi, true
}

// same says that a and b are equal in the lanes of m, modulo two to the width.
func (a *affine) same(b *affine, m uint32, width uint8) bool {
	d := a.combine(1, b, -1)
	return d.known() && d.allZero(m, width)
}

func (a *affine) allZero(m uint32, width uint8) bool {
	mask := widthMask(int(width))
	for ; m != 0; m &= m - 1 {
		if uint64(a.off[bits.TrailingZeros32(m)&31])&mask != 0 {
			return false
		}
	}
	return true
}

// moved is the distance from a to b, if it is the same known number in all lanes of m,
// as a signed number of so many bits.
func (a *affine) moved(b *affine, m uint32, width uint8) (int64, bool) {
	d := b.combine(1, a, -1)
	d.lanes = m
	if !d.known() || m == 0 {
		return 0, false
	}
	by := signExtend(uint64(d.off[bits.TrailingZeros32(m)&31])&widthMask(int(width)), int(width))
	if !d.plus(-by).allZero(m, width) {
		return 0, false
	}
	return by, true
}

// without is a without the terms of unknowns for which drop is true.
func (a *affine) without(drop func(of int32) bool) *affine {
	out := *a
	out.terms = slices.DeleteFunc(slices.Clone(a.terms), func(t term) bool { return drop(t.of) })
	return &out
}
