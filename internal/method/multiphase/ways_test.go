package multiphase

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// maker makes expressions that are known to be good.
type maker struct{ *choice.Builder }

func newMaker() maker { return maker{choice.NewBuilder()} }

func (m maker) must(e *choice.Expr, err error) *choice.Expr {
	if err != nil {
		panic(err)
	}
	return e
}

func (m maker) run(symbols ...int32) *choice.Expr { return m.must(m.Run(symbols...)) }

// random draws an expression over n symbols.
func (m maker) random(rng *rand.Rand, n, depth int) *choice.Expr {
	if depth == 0 || rng.IntN(5) == 0 {
		run := make([]int32, rng.IntN(4))
		for i := range run {
			run[i] = int32(rng.IntN(n))
		}
		return m.run(run...)
	}
	parts := make([]*choice.Expr, 1+rng.IntN(3))
	for i := range parts {
		parts[i] = m.random(rng, n, depth-1)
	}
	switch rng.IntN(5) {
	case 0:
		return m.must(m.One(parts...))
	case 1:
		return m.must(m.Any(parts...))
	case 2:
		return m.must(m.Repeat(rng.Int64N(4), parts[0]))
	case 3:
		return m.must(m.AtMost(rng.Int64N(4), parts[0]))
	}
	return m.must(m.Concat(parts...))
}

// few returns all paths of an expression, or false where there are more than
// limit.
func few(e *choice.Expr, limit int) ([]*seq.Seq, bool) {
	var out []*seq.Seq
	seen := map[string]bool{}
	tried := 0
	for path := range e.Paths() {
		if tried++; tried > 20*limit {
			return nil, false
		}
		key := fmt.Sprint(path)
		if seen[key] {
			continue
		}
		seen[key] = true
		if len(out) == limit {
			return nil, false
		}
		out = append(out, seq.Must(seq.Run(slices.Clone(path)...)))
	}
	return out, true
}

func alone(a *Analyzer, ops []method.Op, s *seq.Seq, e *choice.Expr, kind isoKind) (int64, error) {
	p := &method.Stream{Ops: ops}
	if s != nil {
		p.Sections = []*seq.Seq{s}
	} else {
		p.Choices = []*choice.Expr{e}
	}
	sec, err := a.section(p, 0)
	if sec == nil || err != nil {
		return 0, err
	}
	iso, err := a.isolated(context.Background(), sec, kind)
	if err != nil {
		return 0, err
	}
	return iso.end, nil
}

// oneWay compares the evaluator with the isolated time of recorded sequences.
func oneWay(seed uint64, cases int) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range cases {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 1+rng.IntN(6), units)
		s := randomLoops(rng, len(ops), 1+rng.IntN(3), int64(1)<<(1+rng.IntN(14)))
		b := choice.NewBuilder()
		e, err := b.FromSeq(s)
		if err != nil {
			return err
		}
		a, err := NewAnalyzer(unbounded(units), Options{})
		if err != nil {
			return err
		}
		for kind := range isoKinds {
			want, err := alone(a, ops, s, nil, kind)
			if err != nil {
				return err
			}
			got, err := alone(a, ops, nil, e, kind)
			if err != nil {
				return err
			}
			if got != want {
				return fmt.Errorf("%s over %+v: kind %d is %d, as a sequence %d", s, ops, kind, got, want)
			}
		}
	}
	return nil
}

// TestOneWayIsTheIsolatedTime: without choice the evaluator is exact.
func TestOneWayIsTheIsolatedTime(t *testing.T) {
	if err := oneWay(71, scale(300, 3000)); err != nil {
		t.Fatal(err)
	}
}

// everyWay compares the isolated time of sets of paths with that of each of their
// paths: it is the largest of them.
func everyWay(seed uint64, cases int) error {
	rng := rand.New(rand.NewPCG(seed, 2))
	split := 0
	for range cases {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 2+rng.IntN(4), units)
		m := newMaker()
		e := m.random(rng, len(ops), 1+rng.IntN(3))
		if rng.IntN(2) == 0 {
			// What a part overwrites, and what reads it behind the part.
			symbol := func() int32 { return int32(rng.IntN(len(ops))) }
			e = m.must(m.Concat(m.run(symbol()), e, m.run(symbol(), symbol())))
		}
		paths, ok := few(e, 300)
		if !ok {
			continue
		}
		if len(paths) > 1 {
			split++
		}
		a, err := NewAnalyzer(unbounded(units), Options{})
		if err != nil {
			return err
		}
		for kind := range isoKinds {
			got, err := alone(a, ops, nil, e, kind)
			if err != nil {
				return err
			}
			want := int64(0)
			for _, s := range paths {
				one, err := alone(a, ops, s, nil, kind)
				if err != nil {
					return err
				}
				want = max(want, one)
			}
			if got != want {
				return fmt.Errorf("%s over %+v: kind %d is %d, the longest path takes %d", e, ops, kind, got, want)
			}
		}
	}
	if split < cases/4 {
		return fmt.Errorf("%d of %d expressions have several paths: too few to tell", split, cases)
	}
	return nil
}

func TestIsolatedTimeIsThatOfTheLongestPath(t *testing.T) {
	if err := everyWay(72, scale(600, 10000)); err != nil {
		t.Fatal(err)
	}
}

// TestLongLoopsOfWays: loops with alternatives inside, too long to be followed,
// against the same loops of fewer iterations, from where the time grows evenly.
func TestLongLoopsOfWays(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 3))
	const big = int64(1_000_000_000)
	for range scale(60, 400) {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 2+rng.IntN(4), units)
		m := newMaker()
		body := m.random(rng, len(ops), 2)
		for body.Len() == 0 {
			body = m.random(rng, len(ops), 2)
		}
		loop := m.Repeat
		if rng.IntN(2) == 0 {
			loop = m.AtMost
		}
		a := newTestAnalyzer(t, unbounded(units))
		for kind := range isoKinds {
			got, err := alone(a, ops, nil, m.must(loop(big, body)), kind)
			if err != nil {
				t.Fatal(err)
			}
			// 840 is a multiple of every period up to 8.
			short, err := alone(a, ops, nil, m.must(loop(840*10+big%840, body)), kind)
			if err != nil {
				t.Fatal(err)
			}
			more, err := alone(a, ops, nil, m.must(loop(840*11+big%840, body)), kind)
			if err != nil {
				t.Fatal(err)
			}
			if want := short + (more-short)*(big/840-10); got != want {
				t.Fatalf("%s, %d times over %+v: kind %d is %d, want %d", body, big, ops, kind, got, want)
			}
		}
	}
}

// TestNestedLoopsStayCheap: ten loops in one another, each around an alternative.
func TestNestedLoopsStayCheap(t *testing.T) {
	ops := []method.Op{
		{Unit: 0, InitCycles: 1, LatencyCycles: 7, Reads: []int32{0}, Writes: []int32{1}},
		{Unit: 1, InitCycles: 3, LatencyCycles: 2, Reads: []int32{1}, Writes: []int32{0}},
	}
	m := newMaker()
	e := m.run(0)
	for range 6 {
		e = m.must(m.AtMost(50, m.must(m.Concat(m.run(1), m.must(m.One(e, m.run(0, 1)))))))
	}
	a := newTestAnalyzer(t, unbounded(2))
	for kind := range isoKinds {
		got, err := alone(a, ops, nil, e, kind)
		if err != nil {
			t.Fatal(err)
		}
		// The chain 0, 1 takes 8 + 5 cycles, so every instruction at most 8.
		if got < e.Len() || got > 8*e.Len() {
			t.Errorf("kind %d: %d cycles for at most %d instructions", kind, got, e.Len())
		}
	}
}

// manyParts compares branches of so many or so long sides that not every order is
// followed by itself: the time is at least that of every order, and at most that of
// each side as often as there are sides.
func manyParts(seed uint64, cases int) error {
	rng := rand.New(rand.NewPCG(seed, 4))
	for i := range cases {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 8, units)
		m := newMaker()
		parts := make([]*choice.Expr, [3]int{2, 3 + rng.IntN(2), 7 + rng.IntN(3)}[i%3])
		for i := range parts {
			run := make([]int32, 1+rng.IntN(6))
			for j := range run {
				run[j] = int32(rng.IntN(len(ops)))
			}
			parts[i] = m.run(run...)
		}
		e := m.must(m.Any(parts...))
		a, err := NewAnalyzer(unbounded(units), Options{})
		if err != nil {
			return err
		}
		a.maxOrders = 0
		for kind := range isoKinds {
			got, err := alone(a, ops, nil, e, kind)
			if err != nil {
				return err
			}
			limit := int64(0)
			for _, p := range parts {
				one, err := alone(a, ops, nil, p, kind)
				if err != nil {
					return err
				}
				limit += one * int64(len(parts))
			}
			if got > limit {
				return fmt.Errorf("%s: kind %d is %d, all parts as often as there are parts take %d", e, kind, got, limit)
			}
			for range 20 {
				rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				order := m.must(m.Concat(parts[:rng.IntN(len(parts)+1)]...))
				one, err := alone(a, ops, nil, order, kind)
				if err != nil {
					return err
				}
				if one > got {
					return fmt.Errorf("%s: kind %d is %d, in the order %s it is %d", e, kind, got, order, one)
				}
			}
		}
	}
	return nil
}

func TestManyPartsInAnyOrder(t *testing.T) {
	if err := manyParts(74, scale(20, 200)); err != nil {
		t.Fatal(err)
	}
}

// lifted compares loops that are not followed until they are periodic with the same
// loops that are: they take no less.
func lifted(seed uint64, cases int) error {
	rng := rand.New(rand.NewPCG(seed, 6))
	longer := 0
	for range cases {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 2+rng.IntN(4), units)
		m := newMaker()
		e := m.must(m.AtMost(20+rng.Int64N(100), m.must(m.Concat(m.run(0), m.random(rng, len(ops), 1+rng.IntN(2))))))
		e = m.must(m.Concat(m.random(rng, len(ops), 2), m.must(m.Repeat(1+rng.Int64N(30), m.must(m.Concat(e, m.run(1)))))))
		exact, err := NewAnalyzer(unbounded(units), Options{})
		if err != nil {
			return err
		}
		lifting, err := NewAnalyzer(unbounded(units), Options{})
		if err != nil {
			return err
		}
		lifting.patience = 0 // at once
		for kind := range isoKinds {
			want, err := alone(exact, ops, nil, e, kind)
			if err != nil {
				return err
			}
			got, err := alone(lifting, ops, nil, e, kind)
			if err != nil {
				return err
			}
			if got < want || got > 3*want {
				return fmt.Errorf("%s over %+v: kind %d is %d, lifted %d", e, ops, kind, want, got)
			}
			if got > want {
				longer++
			}
		}
	}
	if longer == 0 {
		return errors.New("no loop came out longer: none was lifted")
	}
	return nil
}

func TestLiftedLoopsTakeNoLess(t *testing.T) {
	if err := lifted(76, scale(100, 2000)); err != nil {
		t.Fatal(err)
	}
}

// TestWaysOnlyForSumAndFua: what reads the one sequence of a warp is refused, and
// what has no choice is analysed as the sequence that it is.
func TestWaysOnlyForSumAndFua(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 2, LatencyCycles: 3, Writes: []int32{0}}, {Unit: 1, InitCycles: 1, LatencyCycles: 1, Reads: []int32{0}}}
	m := newMaker()
	a := newTestAnalyzer(t, unbounded(2))
	r, err := a.Warp(t.Context(), &method.Stream{Ops: ops, Choices: []*choice.Expr{m.must(m.AtMost(1, m.run(0, 1))), m.run(1)}})
	if err != nil {
		t.Fatal(err)
	}
	// 0 completes at 5, 1 at 7, or nothing; then 1 alone.
	if b := r.Bound(SUM); b == nil || b.Cycles != 9 || !strings.HasSuffix(b.Theorem, "theorem 41") {
		t.Errorf("SUM %+v, want 9 cycles by theorem 41", b)
	}
	if r.Bound(FUA) == nil {
		t.Error("FUA is not offered")
	}
	wantRefused(t, r, bound.PathCovers, GUB, BURST, PATH, REF, CHAIN)
	if w := r.Warps[0]; w.IsoCycles != 9 || w.Instructions != 3 || w.ExecCycles != 0 {
		t.Errorf("profile %+v", w)
	}

	p := &method.Stream{Ops: ops, Choices: []*choice.Expr{m.run(0, 1), m.run(1)}}
	got, err := a.Warp(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	want, err := a.Warp(t.Context(), &method.Stream{Ops: ops, Sections: []*seq.Seq{seq.Must(seq.Run(0, 1)), seq.Must(seq.Run(1))}})
	if err != nil {
		t.Fatal(err)
	}
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("without choice\n%s\nas sequences\n%s", g, w)
	}

	for text, s := range map[string]*method.Stream{
		"symbol 2 is outside":  {Ops: ops, Choices: []*choice.Expr{m.must(m.One(m.run(2), m.run(0)))}},
		"section 0 is nil":     {Ops: ops, Choices: []*choice.Expr{nil}},
		"sections and choices": {Ops: ops, Choices: []*choice.Expr{m.run(0)}, Sections: []*seq.Seq{seq.Must(seq.Run(0))}},
		"table of ops":         {Choices: []*choice.Expr{m.must(m.One(m.run(1), m.run(0)))}},
	} {
		if _, err := a.Warp(t.Context(), s); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v", text, err)
		}
	}
	huge := m.must(m.AtMost(1<<61, m.run(0, 1)))
	if _, err := a.Warp(t.Context(), &method.Stream{Ops: ops, Choices: []*choice.Expr{huge}}); err == nil {
		t.Error("a time beyond 63 bits is no error")
	}
}

// scale is fewer cases in short tests.
func scale(short, long int) int {
	if testing.Short() {
		return short
	}
	return long
}
