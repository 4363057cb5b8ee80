package ptxexec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/ptx"
	"pgregory.net/rapid"
)

// inLane is an affine value in a lane, for values of the unknowns.
func (a *affine) inLane(lane int, values []int64) int64 {
	out := a.off[lane]
	for _, t := range a.terms {
		out += t.factor * values[t.of]
	}
	return out
}

// drawnInLane draws an affine value in one lane, over some unknowns.
func drawnInLane(rng *rand.Rand, lane int, unknowns ...int32) *affine {
	a := &affine{lanes: 1 << lane}
	a.off[lane] = rng.Int64N(31) - 15
	for _, of := range unknowns {
		if factor := rng.Int64N(7) - 3; factor != 0 {
			a.terms = append(a.terms, term{of, factor})
		}
	}
	return a
}

// holds says whether a comparison with 0 is true.
func holds(cmp ptx.Cmp, x int64) bool {
	yes, _ := decided(cmp, x, x)
	return yes
}

// The count of a loop in which a number moves by a stride is no less than how often its
// condition holds, whatever the unknowns, and is that for some; so is its quotient for each
// of the arguments.
func TestStridesAreCounted(t *testing.T) { stridesAreCounted(t) }

func stridesAreCounted(t rapid.TB) {
	rng := rand.New(rand.NewPCG(1, 48))
	found, exact := 0, 0
	for range 6000 {
		const lane = 3
		var u unknowns
		for range 3 { // two arguments, and one other
			lo := rng.Int64N(9) - 3
			u.any(lo, lo+rng.Int64N(5), true)
		}
		p := &pass{made: len(u), iter: -1}
		head := u.any(-5000, 5000, true)
		p.strides = map[int32]*stride{head: {drawnInLane(rng, lane, 0, 2), drawnInLane(rng, 0, 1, 2)}}
		p.strides[head].step.off[lane] = p.strides[head].step.off[0]
		a, b := drawnInLane(rng, lane, 2), drawnInLane(rng, lane, 0, 1, 2)
		a.terms = append(a.terms, term{head, []int64{-2, -1, 1, 1, 3}[rng.IntN(5)]})
		cmp := []ptx.Cmp{ptx.CmpLT, ptx.CmpLE, ptx.CmpGT, ptx.CmpGE}[rng.IntN(4)]
		of := &condition{cmp: cmp, a: a, b: b, width: 32, signed: true}
		if rng.IntN(2) == 0 {
			of.a, of.b, of.cmp = b, a, mirrored(cmp)
		}
		c := counted{ranged: 2}
		most := u.stays(of, p, lane, &c)
		if most == math.MaxInt64 {
			continue
		}
		found++
		c.take(most)
		largest := int64(0)
		for x := u[0].lo; x <= u[0].hi; x++ {
			for y := u[1].lo; y <= u[1].hi; y++ {
				some := int64(0)
				for z := u[2].lo; z <= u[2].hi; z++ {
					values := []int64{x, y, z, 0}
					s := p.strides[head]
					step := s.step.inLane(lane, values)
					stays := int64(0)
					for values[head] = s.from.inLane(lane, values); holds(cmp, a.inLane(lane, values)-b.inLane(lane, values)); values[head] += step {
						if stays++; stays > most {
							t.Fatalf("%+v %+v %v of %+v, by %+v %+v: stays %d times for %v, expected at most %d", *of.a, *of.b, of.cmp, u, *s.from, *s.step, stays, values, most)
						}
					}
					some = max(some, stays)
				}
				largest = max(largest, some)
				if c.least == nil {
					continue
				}
				if got := quotientAt(c.least, x, y); got < some {
					t.Fatalf("%+v of %+v: %+v is %d for %d, %d, expected at least %d", of, u, c.least, got, x, y, some)
				}
			}
		}
		if largest == most {
			exact++
		}
	}
	if found < 500 || exact < found/3 {
		t.Errorf("%d counts, %d exact", found, exact)
	}
}

func quotientAt(q *simt.Quotient, x ...int64) int64 {
	over, by := q.Constant, q.Divisor
	for i, n := range q.Factors {
		over += n * x[i]
	}
	for i, n := range q.Per {
		by += n * x[i]
	}
	if over <= 0 {
		return 0
	}
	return (over-1)/by + 1
}

// What lanes have passed bounds a sum of unknowns better than the range of each, and excludes
// no value for which it holds.
func TestPassedConditionsExcludeNothing(t *testing.T) { passedConditions(t) }

func passedConditions(t rapid.TB) {
	rng := rand.New(rand.NewPCG(2, 48))
	narrowed := 0
	for range 4000 {
		a := &arrival{lanes: 1<<2 | 1<<5}
		for range 3 {
			lo := rng.Int64N(9) - 4
			a.unknowns.any(lo, lo+rng.Int64N(8), true)
		}
		draw := func(of ...int32) *affine {
			x := drawnInLane(rng, 2, of...)
			x.lanes, x.off[5] = a.lanes, rng.Int64N(31)-15
			return x
		}
		base := draw()
		x := draw(0, 1)
		x.off[5] = x.off[2] + base.off[5] - base.off[2] // of one shape
		diff := draw(0, 1, 2)
		cmp := []ptx.Cmp{ptx.CmpLT, ptx.CmpLE, ptx.CmpGT, ptx.CmpGE, ptx.CmpEQ, ptx.CmpNE}[rng.IntN(6)]
		wide, ok := a.above(x, base, 32)
		a.passed = []condition{{cmp: cmp, diff: diff}}
		narrow, also := a.above(x, base, 32)
		if !ok || !also {
			t.Fatalf("%+v is of no shape", x)
		}
		if narrow.lo > wide.lo || narrow.hi < wide.hi {
			narrowed++
		}
		off := x.off[2] - base.shape().off[2]
		values := make([]int64, 3)
		for values[0] = a.unknowns[0].lo; values[0] <= a.unknowns[0].hi; values[0]++ {
			for values[1] = a.unknowns[1].lo; values[1] <= a.unknowns[1].hi; values[1]++ {
				for values[2] = a.unknowns[2].lo; values[2] <= a.unknowns[2].hi; values[2]++ {
					sum := off + x.inLane(2, values) - x.off[2]
					there := holds(cmp, diff.inLane(2, values)) || holds(cmp, diff.inLane(5, values))
					if there && (sum < narrow.lo || sum > narrow.hi) {
						t.Fatalf("%+v %v 0: %+v is %d for %v, expected %d to %d", diff, cmp, x, sum, values, narrow.lo, narrow.hi)
					}
				}
			}
		}
	}
	if narrowed < 300 {
		t.Errorf("%d narrowed", narrowed)
	}
}

// A stride is one that every iteration moves by, and what lanes pass counts where they come
// to a test once.
func TestStridesAreConfirmed(t *testing.T) { stridesAreConfirmed(t) }

func stridesAreConfirmed(t rapid.TB) {
	a := &arrival{lanes: 1}
	for range 3 { // an argument, another unknown from before, and that of the head
		a.unknowns.any(1, 9, true)
	}
	a.outside = a.unknowns[:2]
	of := func(off int64, terms ...term) *affine {
		x := &affine{lanes: 1, terms: terms}
		x.off[0] = off
		return x
	}
	v := &headValue{is: movesTogether, now: of(0, term{2, 1}), step: of(4, term{0, 8})}
	for _, c := range []struct {
		x    *affine
		want bool
	}{
		{of(4, term{0, 8}, term{2, 1}), true},
		{of(4+1<<32, term{0, 8}, term{2, 1}), true},
		{of(5, term{0, 8}, term{2, 1}), false},
		{of(4, term{0, 4}, term{2, 1}), false},
		{of(4, term{0, 8}, term{1, 1}, term{2, 1}), false},
		{of(4, term{0, 8}, term{2, 2}), false},
	} {
		if got := a.strides(v, c.x, 32); got != c.want {
			t.Errorf("%+v moves by the stride: %v, expected %v", c.x.terms, got, c.want)
		}
	}
	p := &pass{}
	q := &predicate{lanes: 3, follows: [2][]condition{{{cmp: ptx.CmpGE}}, {{cmp: ptx.CmpLT}, {cmp: ptx.CmpLE}}}}
	p.pass(7, q, 1)
	p.pass(8, nil, 1)
	p.pass(9, q, 0)
	if n := len(p.conditions(1)); n != 3 {
		t.Errorf("%d conditions of lanes that have passed three tests, expected 3", n)
	}
	if n := len(p.conditions(5)); n != 0 {
		t.Errorf("%d conditions of a lane of which nothing is known, expected none", n)
	}
	p.pass(7, q, 1)
	if n := len(p.conditions(1)); n != 1 {
		t.Errorf("%d conditions where lanes came to a test twice, expected 1", n)
	}
}
