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
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// randomOps draws a table of instructions over a few registers, so that loops
// carry values.
func randomOps(rng *rand.Rand, n, units int) []method.Op {
	ops := make([]method.Op, n)
	maxInit, maxLat := 1+rng.IntN(5), 1+rng.IntN(60)
	regs := 1 + rng.IntN(5)
	for i := range ops {
		ops[i] = method.Op{Unit: rng.IntN(units), InitCycles: 1 + rng.Int64N(int64(maxInit)), LatencyCycles: rng.Int64N(int64(maxLat))}
		for range rng.IntN(3) {
			ops[i].Reads = append(ops[i].Reads, int32(rng.IntN(regs)))
		}
		for range rng.IntN(3) {
			ops[i].Writes = append(ops[i].Writes, int32(rng.IntN(regs)))
		}
	}
	return ops
}

func randomLoops(rng *rand.Rand, ops, depth int, counts int64) *seq.Seq {
	var items []seq.Item
	for range 1 + rng.IntN(3) {
		if depth > 0 && rng.IntN(2) == 0 {
			items = append(items, seq.Repeat(rng.Int64N(counts), randomLoops(rng, ops, depth-1, counts)))
			continue
		}
		run := make([]int32, 1+rng.IntN(5))
		for i := range run {
			run[i] = int32(rng.IntN(ops))
		}
		items = append(items, seq.Run(run...))
	}
	return seq.Must(items...)
}

// quantities is everything the analysis computes of a section, as text.
func quantities(a *Analyzer, p *method.Stream) (string, error) {
	ctx := context.Background()
	sec, err := a.section(p, 0)
	if err != nil || sec == nil {
		return "", err
	}
	var b strings.Builder
	for kind := range isoKinds {
		iso, err := a.isolated(ctx, sec, kind)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "iso%d %d/%d ", kind, iso.end, iso.exec)
	}
	fmt.Fprintf(&b, "n %d %v %d %v ", sec.count, sec.insts, sec.sum, sec.loads)
	g := newGroups(sec.used, 10)
	ref := a.refundFacts([]member{{sec: sec, count: 1}})
	for mask := range 1 << len(g.sets) {
		plain, err := a.walk(ctx, sec, g.units(mask))
		if err != nil {
			return "", err
		}
		refunded, err := a.refWalk(ctx, sec, g.units(mask), ref, ref.key())
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "C%d %d %d ", mask, plain, refunded)
	}
	paths, err := a.pathsOf(ctx, sec, &g)
	fmt.Fprint(&b, "PL ", paths)
	return b.String(), err
}

func newTestAnalyzer(t testing.TB, h method.Hardware) *Analyzer {
	t.Helper()
	a, err := NewAnalyzer(h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestFoldingEqualsUnrolling is the exactness of loop folding: every quantity of
// a folded section is that of the unrolled one.
func TestFoldingEqualsUnrolling(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	cases := 6000
	if testing.Short() {
		cases = 1000
	}
	for i := range cases {
		units := 1 + rng.IntN(3)
		ops := randomOps(rng, 1+rng.IntN(6), units)
		h := unbounded(units)
		if rng.IntN(2) == 0 {
			h.Units = make([]method.UnitFact, units)
			for _, op := range ops {
				h.Units[op.Unit].MaxInitCycles = max(h.Units[op.Unit].MaxInitCycles, op.InitCycles)
			}
		}
		counts := int64(40)
		if i%3 == 0 {
			counts = 12
		}
		folded := randomLoops(rng, len(ops), 1+rng.IntN(3), counts)
		if folded.Len() > 20000 {
			continue
		}
		flat := seq.Must(seq.Run(slices.Collect(folded.All())...))
		a := newTestAnalyzer(t, h)
		if i%8 == 0 {
			a.maxLog = 20 + rng.IntN(2000)
		}
		got, err := quantities(a, &method.Stream{Ops: ops, Sections: []*seq.Seq{folded}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := quantities(a, &method.Stream{Ops: ops, Sections: []*seq.Seq{flat}})
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("case %d: %s over %+v\nfolded   %s\nunrolled %s", i, folded, ops, got, want)
		}
	}
}

// TestSteadyLoops checks against closed forms where the trip count rules out
// unrolling.
func TestSteadyLoops(t *testing.T) {
	const n = int64(1_000_000_000_000)
	for _, c := range []struct {
		name      string
		ops       []method.Op
		loop      string
		iso, exec int64
	}{
		{"one op", []method.Op{{Unit: 0, InitCycles: 1, LatencyCycles: 3}}, "(0)*1000000000000", n + 3, n},
		{"chain", []method.Op{{Unit: 0, InitCycles: 2, LatencyCycles: 5, Reads: []int32{0}, Writes: []int32{0}}}, "(0)*1000000000000", 7 * n, 2 * n},
		// The backlog of the unit grows by 3 each iteration, without end.
		{"oversubscribed", []method.Op{{Unit: 0, InitCycles: 4, LatencyCycles: 1}, {Unit: 1, InitCycles: 1}}, "(0)*1000000000000", 4*n + 1, 4 * n},
		// Unit 1 starts far behind and is overtaken after 4·10^8 iterations.
		{"overtaken", []method.Op{
			{Unit: 0, InitCycles: 3}, {Unit: 1, InitCycles: 4_000_000_000}, {Unit: 1, InitCycles: 1},
		}, "1 (0 2)*1000000000000", 3*n + 1, 3*n + 1},
		{"nested", []method.Op{
			{Unit: 0, InitCycles: 2, LatencyCycles: 8, Reads: []int32{0}, Writes: []int32{0}}, {Unit: 1, InitCycles: 1, LatencyCycles: 30, Reads: []int32{0}, Writes: []int32{0}},
		}, "((0)*1000000 1)*1000000", 1_000_000 * (10*1_000_000 + 31), 1_000_000 * (2*1_000_000 + 1)},
	} {
		s, err := seq.Parse(c.loop)
		if err != nil {
			t.Fatal(err)
		}
		a := newTestAnalyzer(t, unbounded(2))
		r, err := a.Warp(context.Background(), &method.Stream{Ops: c.ops, Sections: []*seq.Seq{s}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if w := r.Warps[0]; w.IsoCycles != c.iso || w.ExecCycles != c.exec {
			t.Errorf("%s: iso/exec %d/%d, want %d/%d", c.name, w.IsoCycles, w.ExecCycles, c.iso, c.exec)
		}
	}
}

func TestOverflowIsAnError(t *testing.T) {
	a := newTestAnalyzer(t, unbounded(1))
	ops := []method.Op{{Unit: 0, InitCycles: 1 << 20, Reads: []int32{0}, Writes: []int32{0}, LatencyCycles: 1 << 20}}
	for _, loop := range []string{"(0)*9000000000000", "((0)*3000000000)*3000000000", "((0 0 0)*5 0)*9000000000000"} {
		s, err := seq.Parse(loop)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Warp(context.Background(), &method.Stream{Ops: ops, Sections: []*seq.Seq{s}}); !errors.Is(err, bound.ErrOverflow) {
			t.Errorf("%s: got %v, want ErrOverflow", loop, err)
		}
	}
	b := &method.Block{Classes: []method.WarpClass{{Stream: &method.Stream{Ops: ops, Sections: []*seq.Seq{seq.Must(seq.Run(0))}}, Count: 1 << 50}}}
	if _, err := a.Block(context.Background(), b); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("2^50 warps: got %v, want ErrOverflow", err)
	}
}

func TestStepLimitAndCancel(t *testing.T) {
	ops := []method.Op{{Unit: 0, InitCycles: 1}, {Unit: 0, InitCycles: 2}}
	run := make([]int32, 100_000)
	p := &method.Stream{Ops: ops, Sections: []*seq.Seq{seq.Must(seq.Run(run...))}}
	a, err := NewAnalyzer(unbounded(1), Options{MaxSteps: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Warp(context.Background(), p); !errors.Is(err, ErrSteps) {
		t.Errorf("got %v, want ErrSteps", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newTestAnalyzer(t, unbounded(1)).Warp(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

// TestCostDoesNotGrowWithCounts: nests of loops with up to 30,000 iterations each,
// backlogs of thousands of cycles included, become periodic within few
// instructions.
func TestCostDoesNotGrowWithCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	var steps []int64
	for range 1500 {
		units := 1 + rng.IntN(4)
		ops := randomOps(rng, 1+rng.IntN(8), units)
		if rng.IntN(2) == 0 {
			ops[0].InitCycles, ops[0].LatencyCycles = 1+rng.Int64N(5000), rng.Int64N(5000)
		}
		s := randomLoops(rng, len(ops), 1+rng.IntN(3), 30_000)
		p := newLowerer(ops).lower(s, units)
		g := newGroups(1<<units-1, 10)
		for _, m := range []machine{newIsoMachine(p, isoQueued), newIsoMachine(p, isoBlocking), newWalkMachine(p, 1<<units-1, nil), newPathMachine(p, &g)} {
			const limit = 20_000
			f := folder{ctx: t.Context(), m: m, steps: limit, maxLog: maxLog}
			err := f.seq(p.body)
			if err == nil {
				err = f.check()
			}
			if errors.Is(err, bound.ErrOverflow) {
				continue
			}
			if err != nil {
				t.Fatalf("%T: %s over %+v: %v", m, s, ops, err)
			}
			steps = append(steps, limit-f.steps)
		}
	}
	slices.Sort(steps)
	t.Logf("instructions executed: median %d, 99 %% at most %d, all at most %d", steps[len(steps)/2], steps[len(steps)*99/100], steps[len(steps)-1])
}
