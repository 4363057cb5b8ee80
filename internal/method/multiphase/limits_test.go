package multiphase

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// randomLimits draws limits that some path respects.
func randomLimits(rng *rand.Rand, ops int, paths []*seq.Seq) *choice.Limits {
	out := &choice.Limits{}
	counts := make([]int64, ops)
	_ = paths[rng.IntN(len(paths))].Counts(1, counts) // of a short path
	for range rng.IntN(3) {
		l := choice.Limit{Factor: make([]int64, ops)}
		lowest := int64(0)
		if rng.IntN(3) == 0 {
			lowest = -2
		}
		for s := range l.Factor {
			l.Factor[s] = lowest + rng.Int64N(3-lowest)
			l.Most += l.Factor[s] * counts[s]
		}
		if l.Most >= 0 {
			out.Limits = append(out.Limits, l)
		}
	}
	if a, b := rng.IntN(ops), rng.IntN(ops); a != b && (counts[a] == 0 || counts[b] == 0) {
		x := choice.Exclusion{A: make([]bool, ops), B: make([]bool, ops)}
		x.A[a], x.B[b] = true, true
		out.Exclusions = append(out.Exclusions, x)
	}
	return out
}

// respects says whether a path does.
func respects(l *choice.Limits, counts []int64) bool {
	for _, x := range l.Limits {
		sum := int64(0)
		for s, n := range counts {
			sum += x.Factor[s] * n
		}
		if sum > x.Most {
			return false
		}
	}
	for _, x := range l.Exclusions {
		var a, b bool
		for s, n := range counts {
			a, b = a || n > 0 && x.A[s], b || n > 0 && x.B[s]
		}
		if a && b {
			return false
		}
	}
	return true
}

// everyLimited compares what is known of sets of paths within limits with each path that
// respects them. It returns how many figures the limits made smaller.
func everyLimited(seed uint64, cases int) (smaller int, _ error) {
	rng := rand.New(rand.NewPCG(seed, 9))
	for range cases {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 2+rng.IntN(4), units)
		m := newMaker()
		e := m.random(rng, len(ops), 1+rng.IntN(3))
		paths, ok := few(e, 300)
		if !ok || e.Len() == 0 {
			continue
		}
		limits := randomLimits(rng, len(ops), paths)
		a, err := NewAnalyzer(unbounded(units), Options{})
		if err != nil {
			return 0, err
		}
		within := func(l *choice.Limits) (*section, error) {
			return a.section(&method.Stream{Ops: ops, Choices: []*choice.Expr{e}, Limits: l}, 0)
		}
		limited, err := within(limits)
		if err != nil {
			return 0, err
		}
		free, err := within(nil)
		if err != nil {
			return 0, err
		}
		if limited.sum < free.sum {
			smaller++
		}
		for _, s := range paths {
			counts := make([]int64, len(ops))
			if err := s.Counts(1, counts); err != nil {
				return 0, err
			}
			if s.Len() == 0 || !respects(limits, counts) {
				continue
			}
			one, err := a.section(&method.Stream{Ops: ops, Sections: []*seq.Seq{s}}, 0)
			if err != nil {
				return 0, err
			}
			wrong := func(what string, got, want int64) error {
				return fmt.Errorf("%s over %+v within %+v: %s is %d, that of the path %s is %d", e, ops, limits, what, got, s, want)
			}
			if limited.sum < one.sum || limited.count < one.count {
				return 0, wrong("the sum of initiations", limited.sum, one.sum)
			}
			for u := range units {
				if limited.loads[u] < one.loads[u] || limited.insts[u] < one.insts[u] {
					return 0, wrong("the load of a unit", limited.loads[u], one.loads[u])
				}
			}
			for kind := range isoKinds {
				got, err := a.isolated(context.Background(), limited, kind)
				if err != nil {
					return 0, err
				}
				want, err := a.isolated(context.Background(), one, kind)
				if err != nil {
					return 0, err
				}
				if got.end < want.end {
					return 0, wrong(fmt.Sprintf("the isolated time of kind %d", kind), got.end, want.end)
				}
			}
		}
		for kind := range isoKinds {
			got, err := a.isolated(context.Background(), limited, kind)
			if err != nil {
				return 0, err
			}
			most, err := a.isolated(context.Background(), free, kind)
			if err != nil {
				return 0, err
			}
			if got.end > most.end {
				return 0, fmt.Errorf("%s over %+v within %+v: the isolated time of kind %d is %d, without limits %d", e, ops, limits, kind, got.end, most.end)
			}
			if got.end < most.end {
				smaller++
			}
		}
	}
	return smaller, nil
}

// TestLimits: what respects limits is bounded, and by less than all paths.
func TestLimits(t *testing.T) {
	n := scale(600, 10000)
	smaller, err := everyLimited(76, n)
	if err != nil {
		t.Fatal(err)
	}
	if smaller < n/10 {
		t.Errorf("limits made %d figures of %d expressions smaller: too few to tell", smaller, n)
	}
}

// TestLimitOfALongLoop: a loop of many iterations, of which one side may be taken a few
// times only, takes hardly longer than the other side alone.
func TestLimitOfALongLoop(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 1, LatencyCycles: 1}, {Unit: 0, InitCycles: 50, LatencyCycles: 50, Reads: []int32{0}, Writes: []int32{0}}}
	m := newMaker()
	body := m.must(m.Concat(m.run(0), m.must(m.AtMost(1, m.run(1)))))
	e := m.must(m.Repeat(1_000_000, body))
	limits := &choice.Limits{Limits: []choice.Limit{{Factor: []int64{0, 1}, Most: 7}}}
	a := newTestAnalyzer(t, unbounded(1))
	sec, err := a.section(&method.Stream{Ops: ops, Choices: []*choice.Expr{e}, Limits: limits}, 0)
	if err != nil {
		t.Fatal(err)
	}
	iso, err := a.isolated(t.Context(), sec, isoQueued)
	if err != nil {
		t.Fatal(err)
	}
	if sec.sum != 1_000_000+7*50 || iso.end < 1_000_000+7*50 || iso.end > 1_000_000+7*100+100 {
		t.Errorf("sum %d, isolated %d", sec.sum, iso.end)
	}
}
