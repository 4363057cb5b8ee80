package analysis

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/cache/l1d"
	"github.com/warpbound/warpbound/internal/cache/static"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/enforced"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

func cacheLaunch(l *load.Opened) method.Source {
	return method.Source{Tainted: func() (simt.Tainted, error) { return l.Kernel(true) }, Fresh: l.Fresh}
}

// touching is a kernel whose warp w of each block touches line w of the buffer:
// two loads, a store and a load.
const touching = `	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd1, %rd0, %rd1;
	ld.global.u32 %r1, [%rd1];
	ld.global.u32 %r1, [%rd1];
	st.global.u32 [%rd1], %r0;
	ld.global.u32 %r1, [%rd1];
`

// By hand: the first load of a line misses, those of the other block hit; the
// first store evicts, so that the second misses, and the next load misses too.
func TestRunCaches(t *testing.T) {
	l := kernel(t, touching, "2", "64")
	m := gpus.Preset(t, "gtx480", "sm.count=1")
	r, err := RunCaches(context.Background(), cacheLaunch(l), m, CacheOptions{Simulate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Caches[0]
	want := cache.Counts{Loads: cache.Tally{Accesses: 12, Hits: 8}, Stores: cache.Tally{Accesses: 4, Hits: 2}}
	if d := cmp.Diff(want, c.Estimated.Total); d != "" {
		t.Errorf("estimate: %s", d)
	}
	if d := cmp.Diff(want, c.Reordered.Counts); d != "" {
		t.Errorf("simulation: %s", d)
	}
	if !c.Same || !r.Exact() || r.Wrong() || c.Config != cache.OfL1D(m.Desc.L1D) {
		t.Errorf("%+v", c)
	}
	// In some order the second load of a warp comes after the store of the other
	// block; of no access it is known that it misses, since the other block can come
	// first, but the first one to each line does.
	if a := c.AnyOrder; a.LeastMisses != 2 || a.MostMisses != 16 {
		t.Errorf("any order: %+v", a)
	}

	// One block alone: nobody else, but the GPU's collectors keep no order in a warp.
	// With one everything is known.
	one := kernel(t, touching, "1", "64")
	alone, err := RunCaches(context.Background(), cacheLaunch(one), m, CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a := alone.Caches[0].AnyOrder; a.LeastMisses != 2 || a.MostMisses != 8 {
		t.Errorf("any order of one block: %+v", a)
	}
	in, err := RunCaches(context.Background(), cacheLaunch(one), inOrder(t, m), CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a := in.Caches[0].AnyOrder; a.LeastMisses != 4 || a.MostMisses != 4 || a.Loads.AlwaysHit != 2 || a.Stores.AlwaysHit != 2 {
		t.Errorf("one block, in its warps' order: %+v", a)
	}
	if alone.Caches[0].Reordered != nil || alone.Wrong() {
		t.Errorf("simulated: %+v", alone.Caches[0])
	}
}

// inOrder is a machine of the abstract model whose units take the instructions of a
// warp in order.
func inOrder(t *testing.T, m *gpu.Machine) *gpu.Machine {
	t.Helper()
	d := *m.Desc
	d.Model, d.Pipeline, d.Queue.KeepsWarpOrder = "abstract", nil, true
	in, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// What is claimed holds however blocks come, under random schedulers: the same
// requests where the estimate is exact, and misses within those of any order.
func TestRunCachesWithManyBlocks(t *testing.T) {
	l := kernel(t, touching, "7", "64")
	same := 0
	for seed := range uint64(12) {
		m := gpus.Preset(t, "gtx480", "sm.count=2")
		opt := CacheOptions{
			Configs:     []cache.Config{{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128, WriteEvict: true}, cache.OfL1D(m.Desc.L1D)},
			BlocksPerSM: 1 + int(seed%3), Batches: seed%2 == 0, Simulate: true, Policy: policy.Policy{Name: "random", Seed: seed},
		}
		r, err := RunCaches(context.Background(), cacheLaunch(l), m, opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Wrong() || r.Exact() != opt.Batches {
			t.Errorf("seed %d: exact %v, %+v", seed, r.Exact(), r.Caches)
		}
		for i := range r.Caches {
			if r.Caches[i].Same {
				same++
			}
		}
	}
	if same < 12 {
		t.Errorf("%d sequences are the same", same)
	}
}

// What contradicts a claim is seen.
func TestWrong(t *testing.T) {
	r, err := RunCaches(context.Background(), cacheLaunch(kernel(t, touching, "2", "64")), gpus.Preset(t, "gtx480", "sm.count=1"), CacheOptions{Simulate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := &r.Caches[0]
	for _, spoil := range []func(){
		func() { c.Same = false },
		func() { c.AnyOrder = AnyOrder{MostMisses: 5} },
		func() { c.AnyOrder = AnyOrder{LeastMisses: 7, MostMisses: 16} },
	} {
		good := *c
		if spoil(); !r.Wrong() {
			t.Errorf("%+v is not seen", *c)
		}
		if *c = good; r.Wrong() {
			t.Errorf("%+v is wrong", *c)
		}
	}
}

// Which blocks share an SM is known in batches, or where all start at once, in turn
// or on the only SM.
func TestDealt(t *testing.T) {
	for _, c := range []struct {
		placement string
		r         l1d.Residency
		batches   bool
		want      bool
	}{
		{"any", l1d.Residency{Blocks: 3, SMs: 2, BlocksPerSM: 1}, true, true},
		{"breadth-first", l1d.Residency{Blocks: 3, SMs: 2, BlocksPerSM: 1}, false, false},
		{"breadth-first", l1d.Residency{Blocks: 3, SMs: 2, BlocksPerSM: 2}, false, true},
		{"any", l1d.Residency{Blocks: 3, SMs: 2, BlocksPerSM: 2}, false, false},
		{"any", l1d.Residency{Blocks: 3, SMs: 1, BlocksPerSM: 3}, false, true},
		{"any", l1d.Residency{Blocks: 3, SMs: 1, BlocksPerSM: 2}, false, false},
	} {
		m := gpus.Preset(t, "gtx480", "block_dispatch.placement="+c.placement)
		if got := dealt(m, c.r, c.batches); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestRunCachesRefuses(t *testing.T) {
	const unknown = "\tld.param.u64 %rd0, [p];\n\tld.global.u32 %r0, [%rd0];\n\tmul.wide.u32 %rd1, %r0, 4;\n\tadd.u64 %rd1, %rd0, %rd1;\n\tst.global.u32 [%rd1], %r0;\n"
	var refused *l1d.NotAnalysable
	if _, err := RunCaches(context.Background(), cacheLaunch(kernel(t, unknown, "1", "32")), gpus.Preset(t, "gtx480"), CacheOptions{}); !errors.As(err, &refused) {
		t.Errorf("an address from memory: %v", err)
	}
	l := cacheLaunch(kernel(t, touching, "1", "32"))
	small := cache.Config{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128}
	for _, c := range []struct {
		gpu  string
		opt  CacheOptions
		want string
	}{
		{"ecrts2025-5", CacheOptions{}, "no table [l1d]"},
		{"ecrts2025-5", CacheOptions{Configs: []cache.Config{small}, Simulate: true}, "no tables [l1d], [l2] and [dram]"},
		{"gtx480", CacheOptions{Configs: []cache.Config{small}, Simulate: true}, "stores of the configuration"},
		{"gtx480", CacheOptions{Configs: []cache.Config{{Sets: 3, Ways: 1, LineBytes: 128, SectorBytes: 128}}}, "sets = 3"},
		{"gtx480", CacheOptions{BlocksPerSM: 9}, "at most the 8 that fit"},
	} {
		if _, err := RunCaches(context.Background(), l, gpus.Preset(t, c.gpu), c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %+v: %v, want one with %q", c.gpu, c.opt, err, c.want)
		}
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RunCaches(gone, l, gpus.Preset(t, "gtx480"), CacheOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// anyOrderOf bounds the misses of a launch with a limit of lines.
func anyOrderOf(t *testing.T, l *load.Opened, configs []cache.Config, at l1d.Residency, dealt bool, limit int) []AnyOrder {
	t.Helper()
	ctx := context.Background()
	launch := cacheLaunch(l)
	follow, err := launch.Tainted()
	if err != nil {
		t.Fatal(err)
	}
	a, err := l1d.Analyse(ctx, follow, l1d.AnalyseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := launch.Fresh()
	if err != nil {
		t.Fatal(err)
	}
	o := newAnyOrder(configs, at, simt.NumWarps(k.BlockDim(), k.WarpSize()), dealt, static.ProgramOrder, func() (*l1d.Order, error) {
		return enforced.NewAccessOrder(ctx, a, launch, configs[0].SectorBytes, simt.Limits{})
	})
	o.limit = limit
	_, err = a.Estimate(ctx, launch.Fresh, at, configs, l1d.EstimateOptions{
		Observe: func(sm int, a *l1d.Access, _ [][]cache.Result) error { return o.add(ctx, sm, a) },
	})
	if err == nil {
		err = o.finish(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o.sums
}

// With fewer lines than there are the bounds are wider, and it is said so.
func TestAnyOrderWithLinesLeftOut(t *testing.T) {
	l := kernel(t, touching, "4", "64")
	configs := []cache.Config{
		{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128, WriteAllocate: true},
		{Sets: 16, Ways: 8, LineBytes: 128, SectorBytes: 128, Replacement: cache.FIFO},
	}
	at := l1d.Residency{Blocks: 4, SMs: 2, BlocksPerSM: 2}
	for _, dealt := range []bool{true, false} {
		before := anyOrderOf(t, l, configs, at, dealt, 0)
		for _, limit := range []int{2, 1} {
			got := anyOrderOf(t, l, configs, at, dealt, limit)
			for i, b := range got {
				if left := limit < 2; b.LinesLeftOut != left || (b == before[i]) == left {
					t.Errorf("limit of %d lines: %+v, without %+v", limit, b, before[i])
				}
				if b.LeastMisses > before[i].LeastMisses || b.MostMisses < before[i].MostMisses || b.Loads.Accesses != before[i].Loads.Accesses {
					t.Errorf("limit of %d lines: %+v, without %+v", limit, b, before[i])
				}
			}
		}
	}
}

// The bounds of several configurations at once are those of each alone.
func TestAnyOrderOfSeveral(t *testing.T) {
	l := kernel(t, touching, "6", "64")
	at := l1d.Residency{Blocks: 6, SMs: 2, BlocksPerSM: 2}
	configs := []cache.Config{
		{Sets: 1, Ways: 1, LineBytes: 128, SectorBytes: 128, WriteEvict: true},
		{Sets: 32, Ways: 4, LineBytes: 128, SectorBytes: 128},
		{Sets: 1, Ways: 2, LineBytes: 256, SectorBytes: 128, Replacement: cache.PLRU, WriteAllocate: true},
		{Sets: 1, Ways: 2, LineBytes: 128, SectorBytes: 128, WriteEvict: true},
	}
	for _, dealt := range []bool{true, false} {
		all := anyOrderOf(t, l, configs, at, dealt, 0)
		for i := range configs {
			if alone := anyOrderOf(t, l, configs[i:i+1], at, dealt, 0); alone[0] != all[i] {
				t.Errorf("%+v: %+v, alone %+v", configs[i], all[i], alone[0])
			}
			if all[i].Loads.Accesses != 36 || all[i].Stores.Accesses != 12 {
				t.Errorf("%+v: %+v", configs[i], all[i])
			}
		}
	}
}

// A sequence tells which SM, who, what and whether it hit, and the order.
func TestSequencesDiffer(t *testing.T) {
	type request struct {
		sm      int
		block   int64
		warp    int
		index   int64
		n       int
		address uint64
		hit     bool
	}
	sum := func(requests ...request) *sequence {
		s := newSequence(2)
		for _, r := range requests {
			s.add(r.sm, r.block, r.warp, r.index, r.n, r.address, r.hit)
		}
		return s
	}
	a, b := request{0, 1, 2, 3, 4, 512, true}, request{0, 2, 1, 3, 4, 512, true}
	good := sum(a, b)
	if !good.equal(sum(a, b)) {
		t.Error("a sequence is not itself")
	}
	for i, s := range []*sequence{
		sum(a), sum(b, a), sum(a, b, b), sum(a, request{1, 2, 1, 3, 4, 512, true}), sum(a, request{0, 3, 1, 3, 4, 512, true}),
		sum(a, request{0, 2, 0, 3, 4, 512, true}), sum(a, request{0, 2, 1, 4, 4, 512, true}), sum(a, request{0, 2, 1, 3, 5, 512, true}),
		sum(a, request{0, 2, 1, 3, 4, 640, true}), sum(a, request{0, 2, 1, 3, 4, 512, false}), newSequence(3),
	} {
		if good.equal(s) || s.equal(good) {
			t.Errorf("sequence %d is taken for another", i)
		}
	}
}
