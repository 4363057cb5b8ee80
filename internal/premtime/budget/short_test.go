package budget

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// drawShort draws a kernel with the guard whose memory phases are short or empty, on a
// machine whose caches and memory are short of everything: what a phase takes is then
// much of it the hand-over before.
func drawShort(t *testing.T, seed uint64) *drawn {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 37))
	c := &drawn{size: 1 + r.IntN(64)}
	sms, slots := 1+r.IntN(2), 1+r.IntN(2)
	if r.IntN(2) == 0 {
		sms, slots = 1, 1
	}
	c.grid, c.shares = sms*slots, slots > 1
	if r.IntN(4) == 0 {
		c.name, c.set = drawCaches(r)
	} else {
		c.name, c.set = "gtx480", append([]string{}, quick...)
		channels := 1 << r.IntN(3)
		c.set = append(c.set, fmt.Sprintf("l2.sets=%d", 1<<r.IntN(3)), fmt.Sprintf("l2.ways=%d", 1<<r.IntN(3)), "l2.replacement="+[]string{`"lru"`, `"fifo"`, `"plru"`}[r.IntN(3)],
			fmt.Sprintf("l2.slices=%d", channels), fmt.Sprintf("dram.channels=%d", channels), fmt.Sprintf("dram.row_miss_cycles=%d", []int{0, 20, 90, 400}[r.IntN(4)]), "dram.row_bytes=256",
			fmt.Sprintf("dram.bytes_per_kilocycle=%d", []int{333, 3000, 1000000}[r.IntN(3)]), "l1d.write="+[]string{`"back"`, `"through"`}[r.IntN(2)], "l1d.write_allocate=true")
		if r.IntN(3) > 0 {
			c.set = append(c.set, `dram.scheduling="fr-fcfs"`, fmt.Sprintf("dram.queue_entries=%d", 2+r.IntN(8)), fmt.Sprintf("dram.row_hit_cap=%d", 1+r.IntN(8)))
		}
		if r.IntN(3) == 0 {
			c.set = append(c.set, "dram.refresh_interval_cycles=900", fmt.Sprintf("dram.refresh_cycles=%d", 1+r.IntN(450)))
		}
	}
	c.set = append(c.set, fmt.Sprintf("sm.count=%d", sms))
	c.m = gpus.Preset(t, c.name, c.set...)
	for _, guard := range []bool{false, true} {
		w := &writer{r: rand.New(rand.NewPCG(seed, 38)), guard: guard}
		w.setup()
		w.sync(EnterMem)
		for range w.r.IntN(60) {
			w.line("st.global.u32 [%%rd%d+%d], %%r0;", 1+w.r.IntN(bases), 128*w.r.IntN(128))
		}
		for range 2 + w.r.IntN(6) {
			w.sync(EnterComp)
			if w.r.IntN(3) == 0 {
				w.local(1+w.r.IntN(3), 1)
			}
			w.sync(EnterMem)
			if w.r.IntN(2) == 0 {
				w.global(1+w.r.IntN(2), 2)
			}
		}
		w.leave()
		if l := launched(t, w.String(), c.grid, c.size); guard {
			c.guarded = l
		} else {
			c.l = l
		}
	}
	return c
}

// The end of a short memory phase, with what the L2 writes back, is not later than its
// bound, whatever the hand-over before has left.
func TestBoundsHoldInShortPhases(t *testing.T) {
	first, n := settings.Seed(t, 0), settings.Cases(t, 60)
	count := 0
	for seed := first; seed < first+n; seed++ {
		ratios, wrong := drawShort(t, uint64(seed)).check(t, uint64(seed), true)
		if wrong != "" {
			t.Error(wrong)
		}
		count += len(ratios[Memory])
	}
	if count < n {
		t.Errorf("%d memory phases of %d launches", count, n)
	}
	t.Logf("%d memory phases", count)
}
