package multiphase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/internal/method"
)

// TestLinksAreOfAChain: the links of a section add up to its isolated time, and a chain goes
// through an instruction as often as they say: if it takes a cycle longer, to start or to
// complete, the section takes at least as many cycles longer.
func TestLinksAreOfAChain(t *testing.T) {
	if err := linksAreOfAChain(3000); err != nil {
		t.Fatal(err)
	}
}

func linksAreOfAChain(cases int) error {
	rng := rand.New(rand.NewPCG(1, 50))
	tried := [linkKinds]int{}
	for range cases {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 1+rng.IntN(6), units)
		s := randomLoops(rng, len(ops), 1+rng.IntN(3), 1+rng.Int64N(60))
		kind := isoKind(rng.IntN(int(isoKinds)))
		of := func(ops []method.Op) (links tally, end int64, err error) {
			a, err := NewAnalyzer(unbounded(units), Options{})
			if err != nil {
				return nil, 0, err
			}
			low := newLowerer(ops).lower(s, units)
			links, end, err = a.chainOf(context.Background(), low, kind)
			if err != nil {
				return nil, 0, err
			}
			iso, err := a.isolatedTime(context.Background(), low, kind)
			if err == nil && iso.end != end {
				err = fmt.Errorf("%v over %+v of kind %d: the chain ends at %d, the section at %d", s, ops, kind, end, iso.end)
			}
			return links, end, err
		}
		links, end, err := of(ops)
		if err != nil {
			return err
		}
		if sum := links.total(); sum != end {
			return fmt.Errorf("%v over %+v of kind %d: links add up to %d, expected %d", s, ops, kind, sum, end)
		}
		op := rng.IntN(len(ops))
		times, starts := int64(0), int64(0)
		for l, cycles := range links {
			if int(l.Symbol) != op {
				continue
			}
			tried[l.Kind]++
			switch l.Kind {
			case method.Occupied:
				starts += cycles / ops[op].InitCycles
			case method.Awaited:
				times += cycles / (ops[op].InitCycles + ops[op].LatencyCycles)
			}
		}
		longer := slices.Clone(ops)
		least := times
		if rng.IntN(2) == 0 {
			longer[op].LatencyCycles++
		} else {
			longer[op].InitCycles++
			least += starts
		}
		_, later, err := of(longer)
		if err != nil {
			return err
		}
		if later < end+least {
			return fmt.Errorf("%v over %+v of kind %d: op %d a cycle longer ends at %d, not at %d or later", s, ops, kind, op, later, end+least)
		}
	}
	for k, n := range tried {
		if n < cases/20 {
			return fmt.Errorf("%d links of kind %d", n, k)
		}
	}
	return nil
}
