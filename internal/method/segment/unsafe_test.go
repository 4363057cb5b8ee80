package segment

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/ordered"
	"github.com/warpbound/warpbound/internal/seq"
)

// TestCounterexamples has the instances of docs/soundness/order.md, section 17, that
// exceed the published figure, each with times as declared.
func TestCounterexamples(t *testing.T) {
	type op = method.Op
	warp := func(symbols ...int32) [][]int32 { return [][]int32{symbols} }
	for _, c := range []struct {
		name         string
		p            program
		sched        Scheduler
		method       string
		figure, ends int64
		reason       string
	}{
		{
			"S1: an initiation is one slot",
			program{ops: []op{{InitCycles: 3}, {InitCycles: 2}}, warps: [][][]int32{warp(0), warp(1)}},
			SegmentTurns, CountMethod, 4, 5, "one issue slot",
		},
		{
			"S2: segments run into one another",
			program{ops: []op{{InitCycles: 1, Writes: []int32{0}}, {InitCycles: 1, Reads: []int32{0}}, {InitCycles: 1, LatencyCycles: 1}}, warps: [][][]int32{warp(0, 1), warp(2)}},
			GreedyTurns, Method, 3, 4, "loses its turn",
		},
		{
			"S3: turns of one instruction",
			program{ops: []op{{InitCycles: 1}, {InitCycles: 1, LatencyCycles: 1}}, warps: [][][]int32{warp(0, 1), warp(0)}},
			InstructionTurns, Method, 3, 4, "after each instruction",
		},
		{
			"S4: a turn lost inside a segment",
			program{ops: []op{
				{InitCycles: 1, LatencyCycles: 3, Writes: []int32{1}},
				{InitCycles: 1, LatencyCycles: 10, Writes: []int32{2}},
				{InitCycles: 1, LatencyCycles: 20, Writes: []int32{3}},
				{InitCycles: 1, Reads: []int32{1}},
				{InitCycles: 1, Reads: []int32{2}},
				{InitCycles: 1, LatencyCycles: 100, Reads: []int32{3}, Writes: []int32{4}},
				{InitCycles: 1, Reads: []int32{4}},
				{InitCycles: 1, LatencyCycles: 100, Reads: []int32{1}, Writes: []int32{4}},
			}, warps: [][][]int32{warp(0, 1, 2, 3, 4, 5, 6), warp(0, 7, 6)}},
			GreedyTurns, Method, 128, 211, "loses its turn",
		},
	} {
		b := figuresOf(t, &c.p, machine(method.Unbounded, false), c.sched)[c.method]
		end := simulate(&c.p, c.sched, method.Unbounded, false, declared)
		if b.Cycles != c.figure || end != c.ends || b.Safe || !strings.Contains(b.UnsafeReason, c.reason) {
			t.Errorf("%s: the run takes %d cycles, want %d; %+v", c.name, end, c.ends, b)
		}
	}
}

func TestMemory(t *testing.T) {
	m := Memory{CoalMax: 4, HitCycles: 30, BaseCycles: 400, ConflictCycles: 14, Misses: 1, Accesses: 4}
	if got := m.UnknownCycles(); got != 4+400+4*14 {
		t.Errorf("eq. 3: %d", got)
	}
	if got := m.EstimateCycles(); got != 4+456/4 {
		t.Errorf("eq. 4: %d", got)
	}
	m.Misses, m.Accesses = 0, 0
	if m.EstimateCycles() != m.UnknownCycles() {
		t.Error("without a miss rate, eq. 4 is not eq. 3")
	}
	for _, c := range []struct {
		hits, requests int
		want           int64
	}{{3, 0, 3 + 30}, {2, 1, 3 + 400 + 14}, {0, 4, 4 + 400 + 4*14}} {
		if got := m.ClassCycles(&ordered.Access{Hits: c.hits, Requests: c.requests}); got != c.want {
			t.Errorf("%d hits, %d requests: %d cycles, want %d", c.hits, c.requests, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		m := Memory{CoalMax: r.Int64N(maxLines + 1), BaseCycles: r.Int64N(maxCycles + 1), ConflictCycles: r.Int64N(maxCycles + 1), Accesses: 1 + r.Int64N(maxTime)}
		m.Misses = r.Int64N(m.Accesses + 1)
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		q, rest := new(big.Int), new(big.Int)
		q.Mul(big.NewInt(m.BaseCycles+m.CoalMax*m.ConflictCycles), big.NewInt(m.Misses))
		q.DivMod(q, big.NewInt(m.Accesses), rest)
		want := m.CoalMax + q.Int64()
		if rest.Sign() > 0 {
			want++
		}
		if got := m.EstimateCycles(); got != want {
			t.Fatalf("%+v: %d, want %d", m, got, want)
		}
	}
}

// withOrder is two warps of an access and its consumer, and an order.
func withOrder() (*ordered.Input, *Memory) {
	in := &ordered.Input{
		Ops: []method.Op{
			{Unit: 1, InitCycles: 1, Writes: []int32{1}},
			{InitCycles: 1, LatencyCycles: 4, Reads: []int32{1}},
		},
		Accesses: []bool{true, false},
	}
	for range 2 {
		in.Warps = append(in.Warps, ordered.Warp{Sections: []*seq.Seq{seq.Must(seq.Run(0, 1))}})
	}
	in.Order = func(yield func(ordered.Access, error) bool) {
		for w := range 2 {
			a := ordered.Access{Warp: w, TagCycles: 1, Entries: 1, Hits: 1 - w, Requests: w, Fills: w, WaitsFor: ordered.NoEarlier, FilledBy: ordered.NoEarlier}
			if !yield(a, nil) {
				return
			}
		}
	}
	return in, &Memory{CoalMax: 1, HitCycles: 3, BaseCycles: 20, ConflictCycles: 2, Misses: 1, Accesses: 2}
}

func TestAccesses(t *testing.T) {
	in, mem := withOrder()
	m := machine(method.Unbounded, false)
	m.HitCycles, m.MissCycles, m.ServiceCycles = 3, 20, 2
	r, err := Compute(context.Background(), m, in, mem, SegmentTurns, []bound.Assumption{bound.Assume(bound.PathCovers, bound.Proved, "tested")})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		Method:         25 + 1 + 4, // eq. 3: 1+20+2 = 23; T_01 = 24, T_11 = 25
		CountMethod:    0,
		EstimateMethod: 0,
		ClassMethod:    0,
		// The second access passes the tags at 3, is answered at 25 and used then.
		ordered.TurnsMethod: 25 + 1 + 4,
	}
	got := map[string]bound.Bound{}
	for _, b := range r.Bounds {
		got[b.Method] = b
		if n := want[b.Method]; n != 0 && n != b.Cycles {
			t.Errorf("%s is %d, want %d", b.Method, b.Cycles, n)
		}
		if safe := b.Method == ordered.TurnsMethod; b.Safe != safe {
			t.Errorf("%s: safe is %v: accesses wait for other warps", b.Method, b.Safe)
		}
		proved := false
		for _, a := range b.Assumptions {
			proved = proved || a.ID == bound.PathCovers && a.Status == bound.Proved
		}
		if !proved {
			t.Errorf("%s: the ledger's entry was not used", b.Method)
		}
	}
	if len(got) != len(want) || got[EstimateMethod].Cycles >= got[Method].Cycles || got[ClassMethod].Cycles > got[Method].Cycles {
		t.Errorf("%+v", got)
	}
	if len(r.Refusals) != 1 || r.Refusals[0].Method != StrictMethod {
		t.Errorf("refusals %+v, want one of the strict bound", r.Refusals)
	}

	// Without the unit the figure is a bound, and eq. 4 still an estimate.
	in.Order = nil
	r, err = Compute(context.Background(), m, in, mem, SegmentTurns, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Bounds {
		if b.Safe != (b.Method != EstimateMethod) {
			t.Errorf("%s: safe is %v", b.Method, b.Safe)
		}
	}
	for sched, refused := range map[Scheduler]int{GreedyTurns: 1, InstructionTurns: 0, Loose: 2} {
		if r, err := Compute(context.Background(), m, in, mem, sched, nil); err != nil || len(r.Refusals) != refused {
			t.Errorf("%s: %+v, %v, want %d refusals", sched, r, err, refused)
		}
	}
	m.FIFO = false
	r, err = Compute(context.Background(), m, in, mem, SegmentTurns, nil)
	if err != nil || len(r.Refusals) != 1 || r.Refusals[0].Assumption != bound.DispatchOrder || r.Bounds[0].Safe {
		t.Errorf("any dispatch order: %+v, %v", r, err)
	}
}

func TestBadInput(t *testing.T) {
	for name, edit := range map[string]func(*ordered.CachedSM, *ordered.Input, *Memory, *Scheduler){
		"machine":     func(m *ordered.CachedSM, _ *ordered.Input, _ *Memory, _ *Scheduler) { m.MSHRs = 0 },
		"memory":      func(_ *ordered.CachedSM, _ *ordered.Input, mem *Memory, _ *Scheduler) { mem.CoalMax = -1 },
		"miss rate":   func(_ *ordered.CachedSM, _ *ordered.Input, mem *Memory, _ *Scheduler) { mem.Misses = mem.Accesses + 1 },
		"scheduler":   func(_ *ordered.CachedSM, _ *ordered.Input, _ *Memory, s *Scheduler) { *s = 9 },
		"no warps":    func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) { in.Warps = nil },
		"marks":       func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) { in.Accesses = in.Accesses[:1] },
		"initiation":  func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) { in.Ops[0].InitCycles = 0 },
		"register":    func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) { in.Ops[0].Reads = []int32{-1} },
		"nil section": func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) { in.Warps[1].Sections[0] = nil },
		"symbol": func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) {
			in.Warps[1].Sections[0] = seq.Must(seq.Run(2))
		},
		"short order": func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) {
			in.Order = func(func(ordered.Access, error) bool) {}
		},
		"broken order": func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) {
			in.Order = func(yield func(ordered.Access, error) bool) { yield(ordered.Access{}, errors.New("broken")) }
		},
		"order of no warp": func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) {
			in.Order = func(yield func(ordered.Access, error) bool) { yield(ordered.Access{Warp: 2}, nil) }
		},
		"lines": func(_ *ordered.CachedSM, in *ordered.Input, _ *Memory, _ *Scheduler) {
			in.Order = func(yield func(ordered.Access, error) bool) { yield(ordered.Access{Hits: math.MaxInt32}, nil) }
		},
	} {
		in, mem := withOrder()
		m, sched := machine(method.Unbounded, false), SegmentTurns
		edit(m, in, mem, &sched)
		if r, err := Compute(context.Background(), m, in, mem, sched, nil); err == nil {
			t.Errorf("%s: accepted, %+v", name, r)
		}
	}
}

func TestNoWrapping(t *testing.T) {
	in, mem := withOrder()
	in.Order = nil
	for f := range figures {
		p := newPass(context.Background(), machine(method.Unbounded, false), in, mem)
		p.clock[f] = maxTime
		if err := p.run(in); !errors.Is(err, bound.ErrOverflow) {
			t.Errorf("figure %d: %v, want ErrOverflow", f, err)
		}
	}
	p := newPass(context.Background(), machine(method.Unbounded, false), in, mem)
	p.warps[0].next = maxTime
	if err := p.run(in); !errors.Is(err, bound.ErrOverflow) {
		t.Errorf("chain: %v, want ErrOverflow", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in.Warps[0].Sections[0] = seq.Must(seq.Repeat(1<<30, seq.Must(seq.Run(0))))
	if _, err := Compute(ctx, machine(method.Unbounded, false), in, mem, SegmentTurns, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

// BenchmarkPass has 48 warps in a loop of ten instructions in two segments; the
// figure is per instruction.
func BenchmarkPass(b *testing.B) {
	in := &ordered.Input{}
	body := []int32{}
	for i := range int32(10) {
		op := method.Op{Unit: int(i % 2), InitCycles: 1, LatencyCycles: 4, Writes: []int32{i}}
		if i%5 == 0 {
			op.Reads = []int32{(i + 9) % 10}
		}
		in.Ops = append(in.Ops, op)
		body = append(body, i)
	}
	rounds := int64(b.N/480 + 1)
	for range 48 {
		in.Warps = append(in.Warps, ordered.Warp{Sections: []*seq.Seq{seq.Must(seq.Repeat(rounds, seq.Must(seq.Run(body...))))}})
	}
	p := newPass(context.Background(), machine(method.Unbounded, false), in, &Memory{})
	b.ReportAllocs()
	b.ResetTimer()
	if err := p.run(in); err != nil {
		b.Fatal(err)
	}
}
