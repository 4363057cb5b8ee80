package ptxexec

import (
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
)

// How often lanes stay in a loop being closed is a quotient of a difference: for arguments in
// ranges, which are unknowns, it is kept as a function of them, with all other unknowns where
// the quotient is largest (docs/soundness/formulas.md, theorem 46 (formulas)).

// maxQuotients is how many quotients of a test are told apart.
const maxQuotients = 8

// counted is the formula of a count: that of the condition looked at last, and that of the
// least count so far.
type counted struct {
	ranged int     // unknowns below are arguments in ranges
	around []*pass // through loops around the one that is counted
	last   *simt.Quotient
	least  *simt.Quotient
	most   int64
}

// of keeps the formula for a difference d that moves by f in each iteration, while it
// compares with 0.
func (c *counted) of(u unknowns, d *affine, cmp ptx.Cmp, f int64, lane int) {
	c.last = nil
	if f == 0 || f == math.MinInt64 {
		return
	}
	c.by(u, d, cmp, f > 0, &simt.Quotient{Divisor: max(f, -f)}, lane)
}

// by is of for a difference that grows, or falls, by the divisor of a quotient.
func (c *counted) by(u unknowns, d *affine, cmp ptx.Cmp, grows bool, q *simt.Quotient, lane int) {
	c.last = nil
	side, more := int64(-1), int64(0)
	switch cmp {
	case ptx.CmpLT:
	case ptx.CmpLE:
		more = 1
	case ptx.CmpGT:
		side = 1
	case ptx.CmpGE:
		side, more = 1, 1
	case ptx.CmpNE:
		if !grows {
			side = 1
		}
	default:
		return
	}
	q.Factors, q.Around = make([]int64, c.ranged), simt.NoLoop
	var ok bool
	if q.Constant, ok = mulInt(side, d.off[lane]); ok {
		q.Constant, ok = addInt(q.Constant, more)
	}
	inTurn := int64(0) // the part of the loop around
	dependent := len(q.Per) > 0
	terms, more, fits := c.atMost(u, d, side, lane)
	if ok = ok && fits; ok {
		q.Constant, ok = addInt(q.Constant, more)
	}
	for _, t := range terms {
		factor := t.factor
		if !ok {
			return
		}
		if int(t.of) < c.ranged {
			q.Factors[t.of] += factor
			dependent = true
			continue
		}
		end := u[t.of].hi
		if factor < 0 {
			end = u[t.of].lo
		}
		var part int64
		if part, ok = mulInt(factor, end); ok {
			q.Constant, ok = addInt(q.Constant, part)
		}
		if head := c.loopOf(t.of); head != simt.NoLoop && q.Around == simt.NoLoop {
			q.Around, q.Step, inTurn = head, factor, part
			dependent = dependent || c.ranged > 0
		}
	}
	if ok && q.Around != simt.NoLoop {
		q.First, ok = addInt(q.Constant, -inTurn)
	}
	if ok && dependent {
		c.last = q
	}
}

// atMost is no less than side times the unknown part of d, in a lane: a quotient of what
// depends on an argument is at most that divided, and above it less what a division leaves.
func (c *counted) atMost(u unknowns, d *affine, side int64, lane int) (terms []term, more int64, ok bool) {
	for _, t := range d.terms {
		factor, fits := mulInt(side, t.factor)
		if !fits {
			return nil, 0, false
		}
		of := c.divided(u, t.of, factor, lane)
		if of == nil {
			terms = append(terms, term{t.of, factor})
			continue
		}
		each := factor / u[t.of].quotient.by
		rest := of.off[lane]
		if each < 0 {
			rest -= u[t.of].quotient.by - 1
		}
		part, fits := mulInt(each, rest)
		if more, ok = addInt(more, part); !fits || !ok {
			return nil, 0, false
		}
		for _, x := range of.terms {
			if x.factor, fits = mulInt(each, x.factor); !fits {
				return nil, 0, false
			}
			terms = append(terms, x)
		}
	}
	return terms, more, true
}

// divided is the integer that an unknown is the quotient of, if it depends on an argument and
// the divisor divides the factor; nil for others.
func (c *counted) divided(u unknowns, of int32, factor int64, lane int) *affine {
	q := u[of].quotient
	if q == nil || !q.floor || factor%q.by != 0 || q.of.lanes>>lane&1 == 0 {
		return nil
	}
	r, _, _, ok := u.read(q.of, q.width, q.signed)
	if !ok || absolute(r.off[lane]) > 1<<61 || !slices.ContainsFunc(r.terms, func(t term) bool { return int(t.of) < c.ranged }) {
		return nil
	}
	return r
}

// loopOf is the head of the loop around whose iterations an unknown counts.
func (c *counted) loopOf(of int32) int32 {
	for _, p := range c.around {
		if p.iter == of {
			return p.loop.head
		}
	}
	return simt.NoLoop
}

func atLeast0(none bool, n func() int64) int64 {
	if none {
		return 0
	}
	return n()
}

// take takes the formula of the condition that was looked at, which holds n times at most,
// and returns that number.
func (c *counted) take(n int64) int64 {
	if c.last != nil && n < math.MaxInt64 && (c.least == nil || n < c.most) {
		c.least, c.most = c.last, n
	}
	c.last = nil
	return n
}

// count notes the formula of a test that a lane passes most times at most.
func (p *pass) count(pc int32, lane int, most int64, of *counted) {
	lanes := p.counts[pc]
	if lanes == nil {
		lanes = &[32][]simt.Quotient{}
		p.counts[pc] = lanes
	}
	q := simt.Quotient{Constant: most, Factors: make([]int64, of.ranged), Divisor: 1, Around: simt.NoLoop}
	if of.least != nil {
		q = *of.least
	}
	lanes[lane] = append(lanes[lane], q)
}

// formulas are, of each test of a loop, how often lanes stay, by arguments in ranges, where
// that is less than what is known without.
func (p *pass) formulas(most int64) [][]simt.Quotient {
	if most == 0 {
		return nil
	}
	var out [][]simt.Quotient
	for _, pc := range slices.Sorted(maps.Keys(p.counts)) {
		var test []simt.Quotient
		every, dependent := true, false
		for left := p.arrived.lanes; left != 0; left &= left - 1 {
			list := p.counts[pc][bits.TrailingZeros32(left)&31]
			every = every && len(list) > 0
			for i := range list {
				test = larger(test, &list[i])
				dependent = dependent || len(list[i].Per) > 0 || list[i].Around != simt.NoLoop || slices.ContainsFunc(list[i].Factors, func(f int64) bool { return f != 0 })
			}
		}
		if every && dependent && len(test) <= maxQuotients {
			out = append(out, test)
		}
	}
	return out
}

// larger adds a quotient to those of which the largest counts.
func larger(list []simt.Quotient, q *simt.Quotient) []simt.Quotient {
	for i := range list {
		if list[i].Divisor == q.Divisor && slices.Equal(list[i].Factors, q.Factors) && slices.Equal(list[i].Per, q.Per) && list[i].Around == q.Around && list[i].Step == q.Step {
			list[i].First = max(list[i].First, q.First)
			list[i].Constant = max(list[i].Constant, q.Constant)
			return list
		}
	}
	return append(list, *q)
}
