package budget

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// slow are settings that make one thing of the quick memory slow.
var slow = [][]string{
	{"l1d.mshr_merges=1"}, {"l1d.mshr_merges=2"}, {"l1d.mshrs=1"}, {"l1d.mshrs=4"}, {"l2.latency_cycles=500"}, {"l2.access_cycles=100"}, {"l2.response_cycles=100"},
	{"dram.bytes_per_kilocycle=333"}, {"dram.row_bytes=256", "dram.row_miss_cycles=90"}, {"dram.row_bytes=256", "dram.row_miss_cycles=90", "dram.banks=4"},
	{"dram.latency_cycles=500"}, {`l1d.write="evict"`, "l1d.write_allocate=false"}, {`l1d.write="back"`, "l1d.write_allocate=true"}, {"l1d.sets=32", "l1d.ways=1", `l1d.index="linear"`},
	{`l1d.replacement="plru"`, "l1d.ways=2"}, {`l1d.replacement="fifo"`, "l1d.ways=2"}, {"l1d.sector_bytes=32", "l1d.ways=2"},
	{"l2.sets=1", "l2.ways=1"}, {"l2.sets=2", "l2.ways=2", `l2.replacement="fifo"`}, {"l2.sets=1", "l2.ways=4", `l2.replacement="plru"`}, {"l2.sector_bytes=32"},
	{"dram.refresh_interval_cycles=400", "dram.refresh_cycles=150"}, {"dram.refresh_interval_cycles=900", "dram.refresh_cycles=700"},
	{`dram.scheduling="fr-fcfs"`, "dram.queue_entries=8", "dram.row_hit_cap=3"}, {`dram.scheduling="fr-fcfs"`, "dram.queue_entries=2", "dram.row_hit_cap=1"},
	{`l2.arbitration="round-robin"`}, {"l2.slices=2", "dram.channels=2"}, {"l1d.write_latency_cycles=200"}, {"l1d.banks=4"},
}

// drawSlow draws a kernel of mostly independent accesses on a quick memory of which
// some things are slow, so that the bound is not far from the simulation.
func drawSlow(t *testing.T, seed uint64) *drawn {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 36))
	sms := 1 + r.IntN(2)
	c := &drawn{name: "gtx480", set: append([]string{}, quick...), grid: sms, size: []int{1, 32, 64, 96}[r.IntN(4)]}
	robin, ready := false, false
	for range 1 + r.IntN(4) {
		s := slow[r.IntN(len(slow))]
		// The two orders of service exclude each other.
		robin, ready = robin || s[0] == `l2.arbitration="round-robin"`, ready || s[0] == `dram.scheduling="fr-fcfs"`
		if robin && ready {
			break
		}
		c.set = append(c.set, s...)
	}
	c.set = append(c.set, fmt.Sprintf("sm.count=%d", sms))
	c.m = gpus.Preset(t, c.name, c.set...)
	w := &writer{r: r}
	w.line("ld.param.u64 %%rd0, [p];")
	w.line("mov.u32 %%r0, %%tid.x;")
	w.line("mov.u32 %%r1, %%ctaid.x;")
	for i := 1; i <= bases; i++ {
		w.line("mul.wide.u32 %%rd%d, %%r%d, %d;", i, r.IntN(2), []int{0, 0, 4, 32, 128, 256, 512}[r.IntN(7)])
		w.line("add.u64 %%rd%d, %%rd%d, %%rd0;", i, i)
	}
	w.line("bar.sync 0;")
	w.line("bar.sync 1;")
	step := []int{0, 4, 32, 128, 256, 512, 1024}[r.IntN(7)]
	stores := r.IntN(4)
	for i := range 10 + r.IntN(40) {
		at := fmt.Sprintf("[%%rd%d+%d]", 1+r.IntN(bases), i*step%32768)
		switch k := r.IntN(10); {
		case k < stores:
			w.line("st.global.u32 %s, %%r0;", at)
		case k == 9 && r.IntN(4) == 0:
			w.line("atom.global.add.u32 %%r%d, %s, 1;", 10+i%50, at)
		default:
			w.line("ld.global.u32 %%r%d, %s;", 10+i%50, at)
		}
	}
	w.line("bar.sync 2;")
	c.l = launched(t, w.String(), c.grid, c.size)
	return c
}

// Kernels of accesses on memories of which a few things are slow.
func TestBoundsHoldOnSlowMemories(t *testing.T) {
	first, n := settings.Seed(t, 0), settings.Cases(t, 60)
	least, sum, count, near := 1e9, 0.0, 0, 0
	for seed := first; seed < first+n; seed++ {
		ratios, wrong := drawSlow(t, uint64(seed)).check(t, uint64(seed), true)
		if wrong != "" {
			t.Error(wrong)
		}
		for _, x := range ratios[Memory] {
			least, sum, count = min(least, x), sum+x, count+1
			if x < 1.2 {
				near++
			}
		}
	}
	if count < n {
		t.Errorf("%d phases of %d launches", count, n)
	}
	t.Logf("%d memory phases, bound over simulation at least %.3f, %.2f on average, %d below 1.2", count, least, sum/float64(count), near)
}
