package multiphase

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/seq"
)

// TestCostsAddUp: costs by every method add up to the bounds of drawn launches, and to each
// part of them; and the bound grows with what an instruction takes at least as they say.
func TestCostsAddUp(t *testing.T) {
	seen, err := costsAddUp(1, 3000)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range Methods() {
		for _, what := range []string{" bounds", " longer"} {
			if what == " longer" && (m == GUB || m == REF) {
				continue
			}
			if seen[m+what] < 100 {
				t.Errorf("%d%s by %s", seen[m+what], what, m)
			}
		}
	}
}

// drawnLaunch is blocks of warps without choices; blocks have an SM to themselves, or not.
type drawnLaunch struct {
	hw     method.Hardware
	ops    []method.Op
	blocks []method.BlockClass
}

func drawLaunch(rng *rand.Rand) drawnLaunch {
	units := 1 + rng.IntN(3)
	l := drawnLaunch{hw: anyHardware(rng, units), ops: randomOps(rng, 2+rng.IntN(4), units)}
	if rng.IntN(3) > 0 {
		l.hw.SlotsPerSM = 1
	}
	kinds := 1 + rng.IntN(3)
	streams := make([]*method.Stream, 1+rng.IntN(2))
	for i := range streams {
		streams[i] = &method.Stream{Ops: l.ops}
		var each []*seq.Seq
		for range kinds {
			each = append(each, randomLoops(rng, len(l.ops), rng.IntN(2), 1+rng.Int64N(9)))
		}
		for k := range kinds * (1 + rng.IntN(2)*rng.IntN(12)) {
			streams[i].Sections = append(streams[i].Sections, each[k%kinds])
		}
		if rng.IntN(2) == 0 { // which repeat behind others
			streams[i].Sections = slices.Insert(streams[i].Sections, 0, randomLoops(rng, len(l.ops), 0, 1), randomLoops(rng, len(l.ops), 0, 1))
		}
	}
	for range 1 + rng.IntN(2) {
		b := &method.Block{}
		for range 1 + rng.IntN(3) {
			b.Classes = append(b.Classes, method.WarpClass{Stream: streams[rng.IntN(len(streams))], Count: 1 + rng.Int64N(2), SubCore: rng.IntN(l.hw.SubCores)})
		}
		l.blocks = append(l.blocks, method.BlockClass{Block: b, Count: 1 + rng.Int64N(3)})
	}
	return l
}

// with is the launch with other instructions.
func (l *drawnLaunch) with(ops []method.Op) []method.BlockClass {
	streams := map[*method.Stream]*method.Stream{}
	var out []method.BlockClass
	for _, bc := range l.blocks {
		b := &method.Block{}
		for _, c := range bc.Block.Classes {
			if streams[c.Stream] == nil {
				streams[c.Stream] = &method.Stream{Ops: ops, Sections: c.Stream.Sections}
			}
			c.Stream = streams[c.Stream]
			b.Classes = append(b.Classes, c)
		}
		out = append(out, method.BlockClass{Block: b, Count: bc.Count})
	}
	return out
}

func (l *drawnLaunch) bounds(blocks []method.BlockClass) (*Analyzer, *bound.Result, error) {
	a, err := NewAnalyzer(l.hw, Options{})
	if err != nil {
		return nil, nil, err
	}
	r, err := a.several(context.Background(), blocks, bound.Kernel, l.hw.SMs)
	return a, r, err
}

func costsAddUp(seed uint64, cases int) (map[string]int, error) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(seed, 51))
	seen := map[string]int{}
	for range cases {
		l := drawLaunch(rng)
		a, r, err := l.bounds(l.blocks)
		if err != nil {
			return seen, err
		}
		op, latency := rng.IntN(len(l.ops)), rng.IntN(2) == 0
		longer := slices.Clone(l.ops)
		if latency {
			longer[op].LatencyCycles++
		} else {
			longer[op].InitCycles++
		}
		_, later, err := l.bounds(l.with(longer))
		if err != nil {
			return seen, err
		}
		for i := range r.Bounds {
			b := &r.Bounds[i]
			total, err := newCosts(a, b.Method, nil).launch(ctx, l.blocks, l.hw.SMs)
			if err != nil {
				return seen, fmt.Errorf("%+v: %s: %w", l, b.Method, err)
			}
			seen[b.Method+" bounds"]++
			if b.Method == CHAIN {
				each, err := NewAnalyzer(l.hw, Options{})
				if err != nil {
					return seen, err
				}
				each.chainPeriod = 0 // every section is executed
				slow, err := newCosts(each, b.Method, nil).launch(ctx, l.blocks, l.hw.SMs)
				if err != nil {
					return seen, err
				}
				if !maps.Equal(slow, total) {
					return seen, fmt.Errorf("%+v: costs %v, without jumps %v", l, total, slow)
				}
			}
			parts := map[bound.PartID]int64{}
			least := int64(0)
			for c, n := range total {
				parts[c.Part] += n
				if (c.Symbol >= 0) != c.Kind.OfInstruction() || c.Kind == method.Joined && n != 0 {
					return seen, fmt.Errorf("%+v: %s: %+v", l, b.Method, c)
				}
				if int(c.Symbol) != op {
					continue
				}
				each := l.ops[op]
				switch {
				case c.Kind == method.Awaited:
					least += n / (each.InitCycles + each.LatencyCycles)
				case c.Kind == method.Occupied && !latency:
					least += n / each.InitCycles
				case c.Kind == method.Charged && !latency && (b.Method == SUM || b.Method == CHAIN):
					least += n / each.InitCycles
				}
			}
			for _, p := range b.Breakdown {
				if parts[p.ID] != p.Cycles {
					return seen, fmt.Errorf("%+v: costs of %s add up to %d cycles, the bound by %s has %d", l, p.ID, parts[p.ID], b.Method, p.Cycles)
				}
			}
			if sum := total.total(); sum != b.Cycles {
				return seen, fmt.Errorf("%+v: costs add up to %d cycles, the bound by %s is %d", l, sum, b.Method, b.Cycles)
			}
			if b.Method == GUB || b.Method == REF {
				continue // they are no largest sums
			}
			if after := later.Bound(b.Method); after == nil || after.Cycles < b.Cycles+least {
				return seen, fmt.Errorf("%+v: op %d a cycle longer (latency %v): the bound by %s is %+v, not %d or more", l, op, latency, b.Method, after, b.Cycles+least)
			}
			if least > 0 {
				seen[b.Method+" longer"]++
			}
		}
	}
	return seen, nil
}

// TestChainCostsOfManySections is only possible because repetitions are jumped.
func TestChainCostsOfManySections(t *testing.T) {
	body := seq.Must(seq.Run(0, 1))
	p := &method.Stream{Ops: []method.Op{{Unit: 0, InitCycles: 2, LatencyCycles: 7, Writes: []int32{0}}, {Unit: 1, InitCycles: 1, Reads: []int32{0}}}}
	for range 1_000_000 {
		p.Sections = append(p.Sections, body)
	}
	h := unbounded(0)
	h.NumUnits = 2
	a, err := NewAnalyzer(h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := newCosts(a, CHAIN, nil).launch(t.Context(), []method.BlockClass{{Block: &method.Block{Classes: []method.WarpClass{{Stream: p, Count: 2}}}, Count: 1}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Each section waits 9 cycles for the first instruction and one behind the second; the
	// other warp starts both.
	want := map[method.Cost]int64{
		{Part: bound.LongestChain, Kind: method.Awaited, Symbol: 0}: 9_000_000,
		{Part: bound.LongestChain, Kind: method.Issue, Symbol: 1}:   999_999,
		{Part: bound.LongestChain, Kind: method.Awaited, Symbol: 1}: 1,
		{Part: bound.OtherWarps, Kind: method.Charged, Symbol: 0}:   2_000_000,
		{Part: bound.OtherWarps, Kind: method.Charged, Symbol: 1}:   1_000_000,
	}
	for c, n := range got {
		if n != 0 && want[c] != n {
			t.Errorf("%+v: %d cycles, expected %d", c, n, want[c])
		}
	}
	if got.total() != 13_000_000 {
		t.Errorf("%d cycles, expected 13,000,000", got.total())
	}
}
