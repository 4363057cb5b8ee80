package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/warpbound/warpbound/internal/cache"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/isa"
)

// drawMemKernel draws a kernel whose warps run the same instructions on
// addresses of their own, some lanes off.
func drawMemKernel(t *rapid.T) *memKernel {
	n := rapid.IntRange(1, 8).Draw(t, "length")
	kinds := make([]string, n)
	for i := range kinds {
		kinds[i] = rapid.SampledFrom([]string{"l", "l", "l", "s", "a", "c", "u", "p", "|"}).Draw(t, "kind")
	}
	var warps []string
	for range rapid.IntRange(1, 4).Draw(t, "warps") {
		var words []string
		for _, k := range kinds {
			switch {
			case k == "u" || k == "p" || k == "|":
				words = append(words, k)
			case k == "l" && rapid.IntRange(0, 5).Draw(t, "off") == 0:
				words = append(words, "n")
			default:
				words = append(words, fmt.Sprintf("%s%d/%d", k, 32*rapid.IntRange(0, 40).Draw(t, "sector"), rapid.SampledFrom([]int{0, 4, 4, 8, 32, 128}).Draw(t, "stride")))
			}
		}
		warps = append(warps, strings.Join(words, " "))
	}
	shift := rapid.SampledFrom([]uint64{0, 64, 128, 4096}).Draw(t, "shift")
	return newMemKernel(t, rapid.IntRange(1, 7).Draw(t, "blocks"), shift, strings.Join(warps, ";"))
}

// drawCaches draws settings of small caches, which miss, wait and evict.
func drawCaches(t *rapid.T) []string {
	write := rapid.SampledFrom([]string{"through", "evict", "back"}).Draw(t, "write")
	return []string{
		fmt.Sprintf("sm.count=%d", rapid.IntRange(1, 3).Draw(t, "SMs")),
		fmt.Sprintf("l1d.sets=%d", 1<<rapid.IntRange(0, 2).Draw(t, "sets")),
		fmt.Sprintf("l1d.ways=%d", rapid.IntRange(1, 3).Draw(t, "ways")),
		fmt.Sprintf("l1d.sector_bytes=%d", rapid.SampledFrom([]int{32, 128}).Draw(t, "sector size")),
		"l1d.index=linear", "l1d.write=" + write,
		fmt.Sprintf("l1d.write_allocate=%t", write != "evict" && rapid.Bool().Draw(t, "allocate")),
		fmt.Sprintf("l1d.mshrs=%d", rapid.IntRange(1, 6).Draw(t, "MSHRs")),
		fmt.Sprintf("l1d.mshr_merges=%d", rapid.IntRange(1, 3).Draw(t, "merges")),
		fmt.Sprintf("l1d.banks=%d", 1<<rapid.IntRange(0, 2).Draw(t, "banks")),
		fmt.Sprintf("l2.slices=%d", rapid.IntRange(1, 3).Draw(t, "slices")),
		fmt.Sprintf("l2.sets=%d", 1<<rapid.IntRange(0, 2).Draw(t, "L2 sets")),
		"l2.ways=1", "dram.channels=1",
		fmt.Sprintf("ldst_path.channel_entries=%d", rapid.IntRange(1, 3).Draw(t, "entries")),
	}
}

// sequence is what reached the L1Ds, by SM, without times and without telling
// hits apart.
func (l *memLog) sequence() map[int][]string {
	s := map[int][]string{}
	for _, e := range l.accesses {
		class := e.Class
		if class == HitReserved {
			class = Hit
		}
		s[e.SM] = append(s[e.SM], fmt.Sprintf("%d.%d.%d.%d %s %d %s", e.Block, e.Warp, e.Index, e.Request, e.Kind, e.Address, class))
	}
	return s
}

var testPolicies = []string{"lrr", "gto", "oldest", "random:1", "random:2"}

// With the reordering unit and batches, what reaches the tags and what hits
// depends on no policy, seed or model, and is what a cache makes of the order.
func TestReorderedSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawMemKernel(t)
		m := gpus.Open(t, "gtx480", drawCaches(t)...)
		blocks := rapid.IntRange(1, 3).Draw(t, "resident")
		var want map[int][]string
		for _, model := range []string{Abstract, Pipeline} {
			for _, name := range testPolicies {
				policy, err := policy.Parse(name)
				if err != nil {
					t.Fatal(err)
				}
				order := newPointOrder(k)
				_, l := mustRunMem(t, Config{Machine: m, Model: ModelNamed(model, policy), BlocksPerSM: blocks, Memory: Caches{Order: order}, Placement: InBatches}, k)
				got := l.sequence()
				if want == nil {
					want = replay(t, k, m.Desc.L1D.SectorBytes, m.Desc.SM.Count, blocks, cache.OfL1D(m.Desc.L1D))
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatal(model, name, d)
				}
			}
		}
	})
}

// replay is the sequence without a simulator: the order, batch by batch, through
// a cache.
func replay(t *rapid.T, k *memKernel, sector int, sms int64, resident int, cfg cache.Config) map[int][]string {
	want := map[int][]string{}
	n := int(min(sms, int64(k.blocks)))
	for sm := range n {
		tags, err := cache.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for batch := int64(0); ; batch++ {
			blocks := Batch(int64(k.blocks), n, resident, sm, batch)
			if len(blocks) == 0 {
				break
			}
			order := newPointOrder(k)
			for _, b := range blocks {
				if err := order.Admit(sm, b); err != nil {
					t.Fatal(err)
				}
			}
			for {
				b, warp, index, ok, _ := order.Next(sm)
				if !ok {
					break
				}
				at := order.point(sm)
				if err := order.Sent(sm); err != nil {
					t.Fatal(err)
				}
				want[sm] = append(want[sm], k.meet(at, b, warp, index, sector, tags)...)
			}
		}
	}
	return want
}

// point is the instruction of the access that is sent next.
func (o *pointOrder) point(sm int) int32 {
	b, w := o.next(sm)
	return o.kernel.entries[int(b.block)%len(o.kernel.entries)][w] + int32(b.points[w][0])
}

// meet says what an access meets in a cache.
func (k *memKernel) meet(pc int32, block int64, warp int, index int64, sector int, tags *cache.Cache) []string {
	op := &k.ops[pc]
	var segs []uint64
	for lane := range uint64(32) {
		a := (op.address + lane*op.stride + uint64(block)*k.shift) &^ uint64(sector-1)
		if !slices.Contains(segs, a) {
			segs = append(segs, a)
		}
	}
	kind := k.program.Instructions[pc].Kind
	var out []string
	for i, a := range segs {
		class := Passed
		if kind != isa.Atomic {
			to := cache.Load
			if kind == isa.Store {
				to = cache.Store
			}
			switch r := tags.Access(a, to); {
			case r.Hit:
				class = Hit
			case r.SectorMiss:
				class = SectorMiss
			default:
				class = Miss
			}
		}
		out = append(out, fmt.Sprintf("%d.%d.%d.%d %s %d %s", block, warp, index, i, kind, a, class))
	}
	return out
}

// Skipping idle cycles changes nothing, and two runs are the same.
func TestCachesSkipIdleCycles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawMemKernel(t)
		cfg := Config{Machine: gpus.Open(t, rapid.SampledFrom([]string{"gtx480", "rtx3070"}).Draw(t, "GPU"), drawCaches(t)...), BlocksPerSM: 2}
		cfg.Model = ModelNamed(rapid.SampledFrom([]string{Abstract, Pipeline}).Draw(t, "model"))
		reordered := rapid.Bool().Draw(t, "reordered")
		cfg.Placement = Batched(rapid.Bool().Draw(t, "batches"))
		run := func(stepIdle bool) (*Result, *memLog) {
			c := cfg
			c.stepIdle = stepIdle
			order := &eventOrder{t: t, open: map[string]int64{}}
			defer order.end()
			c.Observers = []Observer{order}
			c.Memory = Caches{}
			if reordered {
				c.Memory = Caches{Order: newPointOrder(k)}
			}
			return mustRunMem(t, c, k)
		}
		r1, l1 := run(false)
		r2, l2 := run(false)
		r3, l3 := run(true)
		if d := cmp.Diff(r1, r2) + cmp.Diff(l1.accesses, l2.accesses); d != "" {
			t.Fatal("again:", d)
		}
		if d := cmp.Diff(r1, r3) + cmp.Diff(l1.accesses, l3.accesses); d != "" {
			t.Fatal("every cycle:", d)
		}
	})
}

// eventOrder checks that what is issued is started and then completes, and that a completion known at the start holds.
type eventOrder struct {
	NopObserver
	t    *rapid.T
	open map[string]int64
}

func (o *eventOrder) key(p Place, index int64) string {
	return fmt.Sprint(p.Block, p.Warp, index, p.SM)
}

func (o *eventOrder) Issue(e IssueEvent) {
	if !e.NotIssued {
		o.open[o.key(e.Place, e.Index)] = -2
	}
}

func (o *eventOrder) Dispatch(e DispatchEvent) {
	k := o.key(e.Place, e.Index)
	if before, ok := o.open[k]; !ok || before != -2 || e.CompleteCycle != Unknown && e.CompleteCycle < e.Cycle {
		o.t.Fatalf("%+v after %d", e, before)
	}
	o.open[k] = e.CompleteCycle
}

func (o *eventOrder) Complete(e CompleteEvent) {
	k := o.key(e.Place, e.Index)
	if before, ok := o.open[k]; !ok || before != Unknown && before != e.Cycle {
		o.t.Fatalf("%+v after %d", e, before)
	}
	delete(o.open, k)
}

func (o *eventOrder) end() {
	if len(o.open) > 0 {
		o.t.Fatalf("not complete: %v", o.open)
	}
}

// One warp alone is not slowed down by the reordering unit.
func TestReorderAlone(t *testing.T) {
	for _, model := range []string{Abstract, Pipeline} {
		k := newMemKernel(t, 1, 0, "l0/128 u l0/4 l64 s0/128 u p l4096 u")
		m := gpus.Open(t, "gtx480")
		dynamic, _ := mustRunMem(t, Config{Machine: m, Model: ModelNamed(model), Memory: Caches{}}, k)
		reordered, _ := mustRunMem(t, Config{Machine: m, Model: ModelNamed(model), Memory: Caches{Order: newPointOrder(k)}}, k)
		if dynamic.Cycles != reordered.Cycles {
			t.Errorf("%s: %d cycles, reordered %d", model, dynamic.Cycles, reordered.Cycles)
		}
	}
}

// listOrder expects accesses in a given order on SM 0.
type listOrder struct {
	list []string // "block.warp.index"; "none" for no access, "fail" for an error
	at   int
	fail string // the call that fails
}

var errOrder = errors.New("the order fails")

func (o *listOrder) failing(call string) error {
	if o.fail == call {
		return errOrder
	}
	return nil
}

func (o *listOrder) Admit(int, int64) error  { return o.failing("admit") }
func (o *listOrder) Retire(int, int64) error { return o.failing("retire") }
func (o *listOrder) Sent(int) error {
	o.at++
	return o.failing("sent")
}

func (o *listOrder) Next(int) (block int64, warp int, index int64, ok bool, err error) {
	if o.at == len(o.list) {
		return 0, 0, 0, false, o.failing("next")
	}
	if _, err := fmt.Sscanf(o.list[o.at], "%d.%d.%d", &block, &warp, &index); err != nil {
		return 0, 0, 0, false, err
	}
	return block, warp, index, true, o.failing("next")
}

// A given order is kept, also within a warp.
func TestGivenOrder(t *testing.T) {
	for _, list := range []string{"0.0.0 0.0.1 0.1.0 0.1.1", "0.1.1 0.0.1 0.0.0 0.1.0", "0.1.0 0.0.0 0.1.1 0.0.1"} {
		for _, model := range []string{Abstract, Pipeline} {
			k := newMemKernel(t, 1, 0, "l0 l128 p;l256 l384 p")
			_, l := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480"), Model: ModelNamed(model), Memory: Caches{Order: &listOrder{list: strings.Fields(list)}}}, k)
			var got []string
			for _, e := range l.accesses {
				got = append(got, fmt.Sprintf("%d.%d.%d", e.Block, e.Warp, e.Index))
			}
			if strings.Join(got, " ") != list {
				t.Errorf("%s: %v, want %s", model, got, list)
			}
		}
	}
}

// Orders that cannot be kept end the run with the channel, the access and who
// waits.
func TestDeadlocks(t *testing.T) {
	for _, c := range []struct {
		name, program, list, fail string
		set                       []string
		want                      []string
	}{
		{
			"a warp's accesses in an order that its data does not allow", "l0 u l128", "0.0.1 0.0.0", "", nil,
			[]string{"deadlock: channel 0 has to bring access 1 of block 0, warp 0, which waits at pc 1 (turn); channel 0, block 0, warp 0: 1 waiting, the first is access 0"},
		},
		{
			"an access after a barrier before one that the barrier waits for", "l0 u | p;p p | l128", "0.1.0 0.0.0", "", nil,
			[]string{"channel 1 has to bring access 0 of block 0, warp 1, which waits at a barrier; channel 0, block 0, warp 0: 1 waiting"},
		},
		{"an access that the warp does not make", "l0;p", "0.1.0 0.0.0", "", nil, []string{"channel 1 has to bring access 0 of block 0, warp 1, which has ended after 0; channel 0,"}},
		{"an access that is over", "l0 u l128;p", "0.0.0 0.0.0", "", nil, []string{"channel 0 has to bring access 0 of block 0, warp 0, which was sent before"}},
		{"none expected", "l0", "", "", nil, []string{"channel 0 holds access 0 of block 0, warp 0, and the order expects none"}},
		{"a block that is not there", "l0", "3.0.0", "", nil, []string{"expects access 0 of block 3, warp 0, which is not resident"}},
		{"a warp that is not there", "l0", "0.7.0", "", nil, []string{"expects access 0 of block 0, warp 7, which is not resident"}},
		{
			"a full channel that holds up the unit", "p p p p p l0;l128 l256 l384", "0.0.0 0.1.0 0.1.1 0.1.2", "",
			[]string{"ldst_path.full_channel=stall-unit", "ldst_path.channel_entries=1"},
			[]string{"channel 0 has to bring access 0 of block 0, warp 0, which waits for a load/store unit", "channel 1, block 0, warp 1: 1 waiting, the first is access 0", "access 1 of channel 1 keeps a load/store unit, its channel is full"},
		},
		{"an order that fails", "l0", "0.0.0", "next", nil, []string{"the order fails"}},
		{"an order that fails", "l0", "0.0.0", "sent", nil, []string{"the order fails"}},
		{"an order that fails", "l0", "0.0.0", "admit", nil, []string{"the order fails"}},
		{"an order that fails", "l0", "0.0.0", "retire", nil, []string{"the order fails"}},
	} {
		for _, model := range []string{Abstract, Pipeline} {
			k := newMemKernel(t, 1, 0, c.program)
			cfg := Config{Machine: gpus.Open(t, "gtx480", c.set...), Model: ModelNamed(model), Memory: Caches{Order: &listOrder{list: strings.Fields(c.list), fail: c.fail}}}
			r, _, err := runMem(t, cfg, k)
			if !errors.Is(err, ErrAccessOrder) {
				t.Errorf("%s, %s: %v, %v", c.name, model, r, err)
				continue
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s: %v, want %q", c.name, model, err, want)
				}
			}
		}
	}
}

// A policy that waits for its turn can wait for a warp that waits for another:
// the report says so.
func TestDeadlockOfPolicy(t *testing.T) {
	k := newMemKernel(t, 1, 0, "l0 u p;p p l128 p")
	for _, model := range []string{Abstract, Pipeline} {
		cfg := Config{Machine: gpus.Open(t, "gtx480", "sm.schedulers=1"), Model: ModelNamed(model, policy.Policy{Name: "srr"}), Memory: Caches{Order: &listOrder{list: []string{"0.1.0", "0.0.0"}}}}
		want := "channel 1 has to bring access 0 of block 0, warp 1, which is ready at pc 4, but policy srr holds the turn for another warp"
		if _, _, err := runMem(t, cfg, k); !errors.Is(err, ErrAccessOrder) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
}

// A warp whose channel is full waits before it issues, so that others pass it,
// and the wait shows.
func TestFullChannels(t *testing.T) {
	program := "h u l0 u;l128 l256 l384 l512 l640 l768"
	list := "0.0.0 0.1.0 0.1.1 0.1.2 0.1.3 0.1.4 0.1.5"
	for _, model := range []string{Abstract, Pipeline} {
		k := newMemKernel(t, 1, 0, program)
		cfg := Config{Machine: gpus.Open(t, "gtx480", "ldst_path.channel_entries=2", "sm.schedulers=1"), Model: ModelNamed(model), Memory: Caches{Order: &listOrder{list: strings.Fields(list)}}}
		waits := &waitLog{}
		cfg.Observers = []Observer{waits}
		r, _ := mustRunMem(t, cfg, k)
		if waits.cycles[ChannelFull] == 0 || r.Memory.L1D.ChannelMost != 2 {
			t.Errorf("%s: waits %v, %d entries", model, waits.cycles, r.Memory.L1D.ChannelMost)
		}
		if r.Stalls["channel_full"] == 0 {
			t.Errorf("%s: stalls %v", model, r.Stalls)
		}
	}
	// An entry comes free for one access, not for more.
	k := newMemKernel(t, 1, 0, "h u l0 u l4096;l128 l256 l384 l512 l640 l768")
	for _, model := range []string{Abstract, Pipeline} {
		cfg := Config{Machine: gpus.Open(t, "gtx480", "ldst_path.channel_entries=2", "sm.schedulers=1"), Model: ModelNamed(model), Memory: Caches{Order: &listOrder{list: strings.Fields("0.0.0 0.1.0 0.0.1 0.1.1 0.1.2 0.1.3 0.1.4 0.1.5")}}}
		if r, _ := mustRunMem(t, cfg, k); r.Memory.L1D.ChannelMost != 2 {
			t.Errorf("%s: %d entries", model, r.Memory.L1D.ChannelMost)
		}
	}
	// A load whose turn has not come makes its warp wait for the turn.
	k = newMemKernel(t, 1, 0, "p p p p p p p p p p p p p p p p p p p p l0;l128 u")
	for _, model := range []string{Abstract, Pipeline} {
		waits := &waitLog{}
		mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480"), Model: ModelNamed(model), Memory: Caches{Order: &listOrder{list: []string{"0.0.0", "0.1.0"}}}, Observers: []Observer{waits}}, k)
		if waits.cycles[AwaitsTurn] == 0 || waits.cycles[MemoryRAW] == 0 {
			t.Errorf("%s: waits %v", model, waits.cycles)
		}
	}
	// A channel that holds up its unit: here the expected access is in it.
	k = newMemKernel(t, 1, 0, "l0/128 l4096/128 l8192/128 u")
	set := []string{"ldst_path.full_channel=stall-unit", "ldst_path.channel_entries=1", "l1d.mshrs=4"}
	for _, model := range []string{Abstract, Pipeline} {
		r, _ := mustRunMem(t, Config{Machine: gpus.Open(t, "gtx480", set...), Model: ModelNamed(model), Memory: Caches{Order: newPointOrder(k)}}, k)
		if r.Memory.L1D.ChannelFullCycles == 0 || r.Memory.L1D.ChannelMost != 1 {
			t.Errorf("%s: %+v", model, r.Memory.L1D)
		}
	}
}

// waitLog adds up what warps waited for.
type waitLog struct {
	NopObserver
	cycles [NumReasons]int64
}

func (l *waitLog) Wait(e WaitEvent) { l.cycles[e.Reason] += e.ToCycle - e.FromCycle }

// Batches deal every block to one SM once, in rounds, and runs keep to them.
func TestBatches(t *testing.T) {
	if got, want := fmt.Sprint(Batch(10, 2, 2, 0, 0), Batch(10, 2, 2, 1, 0), Batch(10, 2, 2, 0, 1), Batch(10, 2, 2, 0, 2), Batch(10, 2, 2, 1, 2), Batch(10, 2, 2, 1, 3)), "[0 2] [1 3] [4 6] [8] [9] []"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		k := drawMemKernel(t)
		resident := rapid.IntRange(1, 3).Draw(t, "resident")
		m := gpus.Open(t, "gtx480", fmt.Sprintf("sm.count=%d", rapid.IntRange(1, 3).Draw(t, "SMs")))
		r, _ := mustRunMem(t, Config{Machine: m, Model: ModelNamed(rapid.SampledFrom([]string{Abstract, Pipeline}).Draw(t, "model")), Memory: Caches{}, BlocksPerSM: resident, Placement: InBatches, KeepBlocks: true}, k)
		for sm := range r.SMs {
			end := int64(0)
			for batch := int64(0); ; batch++ {
				blocks := Batch(int64(k.blocks), r.SMs, resident, sm, batch)
				if len(blocks) == 0 {
					break
				}
				ends := end
				for _, b := range blocks {
					i := slices.IndexFunc(r.BlockTimes, func(x BlockTime) bool { return x.Block == b })
					if i < 0 || r.BlockTimes[i].SM != sm || r.BlockTimes[i].StartCycle < end {
						t.Fatalf("block %d of batch %d of SM %d, which begins at %d: %+v", b, batch, sm, end, r.BlockTimes)
					}
					ends = max(ends, r.BlockTimes[i].EndCycle)
				}
				end = ends
			}
		}
	})
}
