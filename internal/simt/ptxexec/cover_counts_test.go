package ptxexec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
	"pgregory.net/rapid"
)

// stayed is how often a number that begins at d and moves by f compares with 0 as the
// condition to stay has it.
func stayed(d, f int64, cmp ptx.Cmp) int64 {
	for n := int64(0); ; n++ {
		holds := false
		switch cmp {
		case ptx.CmpLT:
			holds = d < 0
		case ptx.CmpLE:
			holds = d <= 0
		case ptx.CmpGT:
			holds = d > 0
		case ptx.CmpGE:
			holds = d >= 0
		case ptx.CmpNE:
			holds = d != 0
		}
		if !holds {
			return n
		}
		d += f
	}
}

// The quotient of a condition is no less than how often it holds, whatever the arguments and
// the other unknowns, and is that for some of the others.
func TestCountsOfLoops(t *testing.T) { countsOfLoops(t) }

func countsOfLoops(t rapid.TB) {
	rng := rand.New(rand.NewPCG(1, 46))
	exact := 0
	const cases = 3000
	for range cases {
		var u unknowns
		for range 2 {
			lo := rng.Int64N(9) - 4
			u.any(lo, lo+rng.Int64N(9), true)
		}
		cmp := []ptx.Cmp{ptx.CmpLT, ptx.CmpLE, ptx.CmpGT, ptx.CmpGE, ptx.CmpNE}[rng.IntN(5)]
		f := 1 + rng.Int64N(4)
		if cmp == ptx.CmpGT || cmp == ptx.CmpGE || cmp == ptx.CmpNE && rng.IntN(2) == 0 {
			f = -f
		}
		d := &affine{lanes: 1, off: [32]int64{rng.Int64N(21) - 10}}
		for i := range u {
			if factor := rng.Int64N(7) - 3; factor != 0 {
				d.terms = append(d.terms, term{int32(i), factor})
			}
		}
		c := counted{ranged: 1}
		c.of(u, d, cmp, f, 0)
		c.take(5)
		if len(d.terms) == 0 || d.terms[0].of != 0 {
			if c.least != nil {
				t.Fatalf("%+v: a quotient without an argument", d)
			}
			continue
		}
		q := c.least
		for n := u[0].lo; n <= u[0].hi; n++ {
			most := int64(0)
			for x := u[1].lo; x <= u[1].hi; x++ {
				at := d.off[0]
				for _, s := range d.terms {
					at += s.factor * []int64{n, x}[s.of]
				}
				if cmp == ptx.CmpNE && (at%f != 0 || at != 0 && (at > 0) == (f > 0)) {
					continue // it would wrap around, or does not hold its sign over the ranges
				}
				most = max(most, stayed(at, f, cmp))
			}
			got := max(0, int64(math.Ceil(float64(q.Constant+q.Factors[0]*n)/float64(q.Divisor))))
			if got < most {
				t.Fatalf("%+v of %+v, by %d: %+v is %d for %d, expected at least %d", d, u, f, q, got, n, most)
			}
			if got == most && cmp != ptx.CmpNE {
				exact++
			} else if cmp != ptx.CmpNE {
				t.Fatalf("%+v of %+v, by %d: %+v is %d for %d, expected %d", d, u, f, q, got, n, most)
			}
		}
	}
	if exact < cases {
		t.Errorf("%d exact", exact)
	}
}

// Of lanes the largest quotient counts, and a test that some lane does not take says nothing.
func TestCountsOfLanes(t *testing.T) { countsOfLanes(t) }

func countsOfLanes(t rapid.TB) {
	p := &pass{counts: map[int32]*[32][]simt.Quotient{}, arrived: arrival{lanes: 3}}
	by := func(constant int64) *counted {
		return &counted{ranged: 1, least: &simt.Quotient{Constant: constant, Factors: []int64{1}, Divisor: 2}}
	}
	p.count(7, 0, 99, by(4))
	p.count(7, 1, 99, by(6))
	p.count(8, 0, 99, by(1))
	p.count(9, 0, 99, &counted{ranged: 1})
	p.count(9, 1, 99, &counted{ranged: 1})
	got := p.formulas(99)
	if len(got) != 1 || len(got[0]) != 1 || got[0][0].Constant != 6 || got[0][0].Divisor != 2 || p.formulas(0) != nil {
		t.Errorf("%+v", got)
	}
	p.count(7, 1, 50, &counted{ranged: 1})
	if got := p.formulas(99); len(got) != 1 || len(got[0]) != 2 || got[0][1].Constant != 50 || got[0][1].Divisor != 1 {
		t.Errorf("%+v", got)
	}
}
