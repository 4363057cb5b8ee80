package replay

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/seq"
)

// twoWarps runs a program of ops in sequence on two warps.
func twoWarps(t *testing.T, m *Core, ops ...Op) (order string, cycles int64) {
	t.Helper()
	var symbols []int32
	for i := range ops {
		symbols = append(symbols, int32(i))
	}
	s := seq.Must(seq.Run(symbols...))
	in := Input{Ops: ops, Code: code(len(ops), int32(len(ops)-1)), Blocks: []Block{{Warps: []*seq.Seq{s, s}}}, Order: []Stretch{{0, 1}}}
	var issues []string
	res, err := Run(context.Background(), m, &in, Options{Issue: func(cycle int64, slot int, pc, _ int32) {
		issues = append(issues, fmt.Sprintf("%d:w%d.%d", cycle, slot, pc))
	}})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(issues, " "), res.Cycles
}

// Two schedulers: the order of issue, and the makespan, depend on the policy of
// the fetch stage although that of the issue stage is the same
// (docs/soundness/frontends.md, theorem 32 (declared policies)).
func TestOrderDependsOnFetch(t *testing.T) {
	for _, c := range []struct {
		latency int64
		fetch   Policy
		want    string
		cycles  int64
	}{
		{0, Policy{}, "2:w0.0 3:w1.0 4:w0.1 5:w1.1", 6},
		{0, Policy{Oldest, Greedy, 0}, "2:w0.0 3:w0.1 4:w1.0 5:w1.1", 6},
		{1, Policy{}, "2:w0.0 3:w1.0 4:w0.1 5:w1.1", 6},
		{1, Policy{Oldest, Greedy, 0}, "2:w0.0 4:w1.0 5:w0.1 6:w1.1", 7},
	} {
		m := small(false, 2, 1, Policy{})
		m.Front.Fetch = c.fetch
		order, cycles := twoWarps(t, m, op(0, c.latency), op(1, 0, 0))
		if order != c.want || cycles != c.cycles {
			t.Errorf("latency %d, fetch %s: %s in %d cycles, want %s in %d", c.latency, c.fetch, order, cycles, c.want, c.cycles)
		}
	}
}

// One scheduler: a shorter latency makes the whole slower, because it changes the
// order of issue (docs/soundness/frontends.md, theorem 32 (declared policies)).
func TestShorterLatencyIsSlower(t *testing.T) {
	m := small(true, 2, 1, Policy{})
	m.Servers = []int{1, 1}
	for _, c := range []struct {
		latency int64
		want    string
		cycles  int64
	}{
		{2, "4:w0.0 5:w1.0 8:w0.1 9:w0.2 10:w1.1 11:w1.2", 13},
		{1, "4:w0.0 5:w1.0 7:w0.1 9:w1.1 10:w0.2 11:w1.2", 14},
	} {
		first, last := op(0, c.latency), op(2, 0, 1)
		first.InitCycles, last.InitCycles, last.Unit = 2, 2, 1
		order, cycles := twoWarps(t, m, first, op(1, 0, 0), last)
		if order != c.want || cycles != c.cycles {
			t.Errorf("latency %d: %s in %d cycles, want %s in %d", c.latency, order, cycles, c.want, c.cycles)
		}
	}
}

// The bound says what it rests on, and is called a simulation where the order of
// issue is not a function of the programs and the policy.
func TestBound(t *testing.T) {
	loose, strict := Policy{}, Policy{Category: Strict}
	for _, c := range []struct {
		swas         bool
		fetch, issue Policy
		safe         bool
	}{
		{true, loose, loose, true},
		{true, strict, strict, true},
		{false, strict, strict, true},
		{false, Policy{Oldest, Strict, 0}, strict, true},
		{false, loose, strict, false},
		{false, strict, loose, false},
		{false, strict, Policy{Category: GreedyStrict}, false},
		{false, Policy{ICount, Strict, 0}, strict, false},
	} {
		m := small(c.swas, 2, 1, c.issue)
		m.Front.Fetch = c.fetch
		r := Result{Cycles: 20, Stats: Stats{Instructions: 7, NOPs: 4}}
		b := r.Bound(bound.SM, m, []bound.Assumption{bound.Assume(bound.PathCovers, bound.Proved, "known")})
		if b.Safe != c.safe || (b.UnsafeReason == "") != c.safe || b.Cycles != 20 || b.Theorem != Theorem {
			t.Errorf("%+v: %+v", c, b)
		}
		sum := int64(0)
		for _, x := range b.Breakdown {
			sum += x.Cycles
		}
		if sum != b.Cycles {
			t.Errorf("breakdown %+v of %d", b.Breakdown, b.Cycles)
		}
		status := map[bound.ID]bound.Status{}
		for i, a := range b.Assumptions {
			if i > 0 && len(a.ID) == len(b.Assumptions[i-1].ID) && a.ID <= b.Assumptions[i-1].ID {
				t.Errorf("%s after %s", a.ID, b.Assumptions[i-1].ID)
			}
			status[a.ID] = a.Status
		}
		for _, id := range []bound.ID{bound.DeclaredPolicies, bound.ExactTimings, bound.FrontEndAsDescribed, bound.ICacheAtStart, bound.GreedyBlocks} {
			if _, ok := status[id]; !ok {
				t.Errorf("no %s", id)
			}
		}
		if _, ok := status[bound.WorstTimings]; ok || status[bound.PathCovers] != bound.Proved {
			t.Errorf("ledger %+v", b.Assumptions)
		}
	}
}

func TestPolicyNames(t *testing.T) {
	want := strings.Fields("lrr lo licount srr so sicount gtlrr gtlo gtlicount gsrr atlrr:3 atlo:2")
	for i, p := range policies {
		if p.String() != want[i] || gpuPolicy(p).String() != want[i] {
			t.Errorf("%s, %s, want %s", p, gpuPolicy(p), want[i])
		}
	}
}

func TestBadInput(t *testing.T) {
	good := func() (*Core, *Input) {
		return small(true, 2, 1, Policy{}), &Input{
			Ops: []Op{op(0, 0), op(1, 0)}, Code: code(2, 1), Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(0, 1))}}}, Order: []Stretch{{0, 1}},
		}
	}
	for want, change := range map[string]func(m *Core, in *Input){
		"no units":                        func(m *Core, _ *Input) { m.Servers = nil },
		"0 servers":                       func(m *Core, _ *Input) { m.Servers[0] = 0 },
		"queue kind 9":                    func(m *Core, _ *Input) { m.Queue = 9 },
		"queues of 0 slots":               func(m *Core, _ *Input) { m.Queue = 1 },
		"0 block slots":                   func(m *Core, _ *Input) { m.BlockSlots = 0 },
		"stops at control":                func(m *Core, _ *Input) { m.Front.Stall = true },
		"expected 2":                      func(m *Core, _ *Input) { m.Front.QueueEntries = 3 },
		"queues of 0 entries":             func(m *Core, _ *Input) { m.Front.SWaS, m.Front.QueueEntries = false, 0 },
		"resolution in 0":                 func(m *Core, _ *Input) { m.Front.ResolveCycles = 0 },
		"requests 0 cycles apart":         func(m *Core, _ *Input) { m.Front.SWaS, m.Front.Stall = false, true },
		"delay of -1":                     func(m *Core, _ *Input) { m.Front.StartGapCycles = -1 },
		"policy 7 of category 0":          func(m *Core, _ *Input) { m.Front.Issue.Algorithm = 7 },
		"instruction cache of 0 sets":     func(m *Core, _ *Input) { m.Front.ICache = ICache{Ways: 1, MissCycles: 5} },
		"misses of 1 cycles":              func(m *Core, _ *Input) { m.Front.ICache = ICache{Sets: 1, Ways: 1, MissCycles: 1} },
		"op 0: unit 1 of 1":               func(_ *Core, in *Input) { in.Ops[0].Unit = 1 },
		"op 1: initiation 0":              func(_ *Core, in *Input) { in.Ops[1].InitCycles = 0 },
		"op 1: instruction 5 of 2":        func(_ *Core, in *Input) { in.Ops[1].PC = 5 },
		"synchronisation 77":              func(_ *Core, in *Input) { in.Ops[0].Sync = 77 },
		"barrier 0 of 0 warps":            func(_ *Core, in *Input) { in.Ops[0].Sync = Await },
		"starts warp 4":                   func(_ *Core, in *Input) { in.Ops[0].Wakes = []int{4} },
		"no blocks":                       func(_ *Core, in *Input) { in.Order = nil },
		"executes nothing":                func(_ *Core, in *Input) { in.Blocks[0].Warps[0] = seq.Must() },
		"symbol 2 is outside":             func(_ *Core, in *Input) { in.Blocks[0].Warps[0] = seq.Must(seq.Run(0, 2)) },
		"0 blocks of class 0":             func(_ *Core, in *Input) { in.Order[0].Count = 0 },
		"says of 2 of 1 warps":            func(_ *Core, in *Input) { in.Blocks[0].Asleep = make([]bool, 2) },
		"which does not wait for it":      func(_ *Core, in *Input) { in.Ops[0].Sync, in.Ops[0].Wakes = Spawn, []int{0} },
		"a barrier of 2 warps on a machi": func(m *Core, in *Input) { m.DrainingBarriers, in.Ops[0].Sync, in.Ops[0].Count = true, Await, 2 },
	} {
		m, in := good()
		change(m, in)
		if res, err := Run(context.Background(), m, in, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", want, res, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m, in := good()
	if _, err := Run(ctx, m, in, Options{}); err == nil {
		t.Error("a cancelled context was not heeded")
	}
}

// A block whose warps end while one of them is still to be started is not what
// was recorded.
func TestNobodyStartsAWarp(t *testing.T) {
	m := small(true, 2, 1, Policy{})
	sleep := op(0, 0)
	sleep.Sync = Sleep
	in := &Input{
		Ops: []Op{sleep, op(1, 0)}, Code: code(2, 0, 1), Order: []Stretch{{0, 1}},
		Blocks: []Block{{Warps: []*seq.Seq{seq.Must(seq.Run(1)), seq.Must(seq.Run(0, 1))}, Asleep: []bool{false, true}}},
	}
	if res, err := Run(context.Background(), m, in, Options{}); err == nil || !strings.Contains(err.Error(), "warp 1, which nobody starts") {
		t.Errorf("%+v, %v", res, err)
	}
}
