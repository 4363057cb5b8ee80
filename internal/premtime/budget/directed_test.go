package budget

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// quick is a memory in which nothing takes longer than a cycle or two; a case makes
// one thing slow.
var quick = []string{
	"sm.count=1", "sm.schedulers=1", "l1d.sets=32", "l1d.ways=16", "l1d.mshrs=1024", "l1d.mshr_merges=64", "l1d.hit_latency_cycles=1", "l1d.write_latency_cycles=0",
	"l2.slices=1", "l2.sets=1024", "l2.ways=16", "l2.latency_cycles=1", "l2.access_cycles=1", "l2.request_latency_cycles=1", "l2.response_latency_cycles=1", "l2.response_cycles=1",
	"dram.channels=1", "dram.banks=1", "dram.row_bytes=4096", "dram.row_miss_cycles=0", "dram.latency_cycles=1", "dram.bytes_per_kilocycle=1000000", "issue.dependency_depth_cycles=0",
}

// lines writes a text a number of times; # is the number of the time times step, and
// $ that number from 20 on.
func lines(n, step int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\t" + strings.NewReplacer("#", strconv.Itoa(i*step), "$", strconv.Itoa(20+i)).Replace(text) + "\n")
	}
	return b.String()
}

// directed are kernels whose time is that of one thing that the bound counts.
func directed(t *testing.T) map[string]*drawn {
	t.Helper()
	const begin = "\tld.param.u64 %rd0, [p];\n\tmov.u32 %r0, %tid.x;\n\tmov.u32 %r1, %ctaid.x;\n\tmul.wide.u32 %rd1, %r0, 128;\n\tadd.u64 %rd1, %rd1, %rd0;\n\tmul.wide.u32 %rd2, %r1, 32768;\n\tadd.u64 %rd2, %rd2, %rd0;\n\tadd.u64 %rd3, %rd0, 65536;\n"
	out := map[string]*drawn{}
	add := func(name string, grid, size int, set []string, body string) {
		c := &drawn{name: "gtx480", set: append(append([]string{}, quick...), set...), grid: grid, size: size}
		c.m = gpus.Preset(t, c.name, c.set...)
		c.shares = int64(grid) > c.m.Desc.SM.Count
		c.l = launched(t, begin+"\tbar.sync 1;\n"+body, grid, size)
		out[name] = c
	}
	// Hits of 32 sectors each.
	add("tags", 1, 32, nil, lines(30, 0, "ld.global.u32 %r2, [%rd1];"))
	// Two warps fetch the same sectors; the second finds no room to wait.
	add("lists", 1, 64, []string{"l1d.mshr_merges=1", "l2.latency_cycles=500"}, lines(30, 128, "ld.global.u32 %r$, [%rd0+#];"))
	// One fetch at a time.
	add("mshrs", 1, 32, []string{"l1d.mshrs=1", "l2.latency_cycles=500"}, lines(30, 128, "ld.global.u32 %r2, [%rd0+#];"))
	add("slices", 1, 32, []string{"l2.access_cycles=100"}, lines(30, 128, "ld.global.u32 %r2, [%rd0+#];"))
	add("bus", 1, 32, []string{"dram.bytes_per_kilocycle=333"}, lines(30, 128, "ld.global.u32 %r2, [%rd0+#];"))
	add("rows", 1, 32, []string{"dram.row_bytes=256", "dram.row_miss_cycles=90"}, lines(30, 256, "ld.global.u32 %r2, [%rd0+#];"))
	add("way in", 1, 32, []string{"l2.response_cycles=100"}, lines(30, 128, "ld.global.u32 %r2, [%rd0+#];"))
	add("refreshes", 1, 32, []string{"dram.refresh_interval_cycles=300", "dram.refresh_cycles=250"}, lines(60, 128, "ld.global.u32 %r2, [%rd0+#];\n\tadd.u32 %r3, %r3, %r2;"))
	// A store that takes its time, and an atomic that is waited for.
	add("stores", 1, 32, []string{"l2.latency_cycles=500"}, lines(1, 0, "st.global.u32 [%rd0], %r0;"))
	add("atomics", 1, 32, []string{"dram.latency_cycles=500"}, lines(1, 0, "atom.global.add.u32 %r2, [%rd0], 1;\n\tadd.u32 %r3, %r3, %r2;"))
	// Each load after a store that has removed its line.
	add("removed", 1, 32, []string{`l1d.write="evict"`, "l1d.mshrs=1", "l2.latency_cycles=500"}, lines(30, 0, "ld.global.u32 %r2, [%rd0];\n\tst.global.u32 [%rd0], %r0;"))
	// Two lines that drive each other out of both caches.
	thrash := []string{"l1d.sets=32", "l1d.ways=1", `l1d.index="linear"`, "l2.sets=1", "l2.ways=1", "dram.bytes_per_kilocycle=333"}
	add("crowded", 1, 32, thrash, lines(30, 0, "ld.global.u32 %r2, [%rd0];\n\tld.global.u32 %r3, [%rd0+65536];"))
	// Victims that have not come yet.
	add("victims", 1, 32, []string{"l1d.sets=32", "l1d.ways=1", `l1d.index="linear"`, "l2.latency_cycles=500"}, lines(15, 0, "ld.global.u32 %r2, [%rd0];\n\tld.global.u32 %r3, [%rd0+65536];"))
	// Loads behind the lines that stores have driven out.
	add("write-backs", 1, 32, []string{"l2.sets=1", "l2.ways=1", "dram.row_bytes=256", "dram.row_miss_cycles=90"},
		lines(30, 512, "st.global.u32 [%rd0+#], %r0;\n\tld.global.u32 %r2, [%rd3+#];\n\tadd.u32 %r3, %r3, %r2;"))
	add("write-back transfers", 1, 32, []string{"l2.sets=1", "l2.ways=1", "dram.bytes_per_kilocycle=333"},
		lines(30, 512, "st.global.u32 [%rd0+#], %r0;\n\tld.global.u32 %r2, [%rd3+#];\n\tadd.u32 %r3, %r3, %r2;"))
	// Three SMs at one slice, and one SM of two that has more to do.
	add("other SMs", 3, 32, []string{"sm.count=3", "l2.access_cycles=100"}, lines(30, 128, "ld.global.u32 %r2, [%rd2+#];"))
	add("slowest SM", 2, 32, []string{"sm.count=2", "l2.latency_cycles=500"}, "\tsetp.eq.u32 %p0, %r1, 0;\n\t@%p0 bra DONE;\n"+lines(20, 128, "ld.global.u32 %r2, [%rd0+#];\n\tadd.u32 %r3, %r3, %r2;")+"DONE:\n")
	add("two teams", 2, 64, []string{"sm.max_blocks=2"}, lines(100, 0, "fma.rn.f32 %f1, %f2, %f3, %f4;"))
	out["waiting teams"] = waitingTeams(t, 32, append(append([]string{}, quick...), "l2.latency_cycles=20")...)
	// Lines that the team's own hand-over drives out of the L2.
	for name, set := range map[string][]string{
		"bus": {"dram.bytes_per_kilocycle=333"}, "rows": {"dram.row_bytes=256", "dram.row_miss_cycles=90"},
		"refreshes": {"dram.bytes_per_kilocycle=333", "dram.refresh_interval_cycles=900", "dram.refresh_cycles=700"},
	} {
		for size, sets := range map[string][]string{"1x1": {"l2.sets=1", "l2.ways=1"}, "1x2": {"l2.sets=1", "l2.ways=2"}, "2x2": {"l2.sets=2", "l2.ways=2"}, "4x4": {"l2.sets=4", "l2.ways=4"}} {
			for places, more := range map[string][]string{"FCFS": nil, "channels": {"l2.slices=4", "dram.channels=4"}, "FR-FCFS": {`dram.scheduling="fr-fcfs"`, "dram.queue_entries=8", "dram.row_hit_cap=3"}} {
				all := slices.Concat(sets, set, more)
				what := fmt.Sprintf("hand-over, slow %s, L2 of %s, %s", name, size, places)
				out[what] = handedOver(t, "", all...)
				out[what+", loads"] = handedOver(t, lines(3, 4096, "ld.global.u32 %r2, [%rd0+#];"), all...)
			}
		}
	}
	// All warps of a team come by the protocol of their first thread.
	out["waiting warps"] = waitingTeams(t, 1024, "sm.count=1", "sm.schedulers=1", `l1d.write="through"`)
	return out
}

// handedOver is a kernel of one team whose memory phases do next to nothing, but for
// the first one, which leaves the L2 with dirty lines: what is written back behind the
// start of the others has been driven out by the words of the token.
func handedOver(t *testing.T, body string, set ...string) *drawn {
	t.Helper()
	c := &drawn{name: "gtx480", set: append(append([]string{}, quick...), set...), grid: 1, size: 32}
	c.m = gpus.Preset(t, c.name, c.set...)
	for _, guard := range []bool{false, true} {
		w := &writer{guard: guard}
		w.line("ld.param.u64 %%rd0, [p];")
		w.line("mov.u32 %%r0, %%tid.x;")
		if guard {
			w.line("ld.param.u64 %%rd15, [token];")
			w.line("setp.ne.u32 %%p6, %%r0, 0;")
			w.line("mov.u32 %%r50, 0;")
		}
		w.sync(EnterMem)
		w.WriteString(lines(64, 128, "st.global.u32 [%rd0+#], %r0;"))
		for range 3 {
			w.sync(EnterComp)
			w.sync(EnterMem)
			w.WriteString(body)
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

// waitingTeams is a kernel of two teams on an SM of which one has more to do, while
// the other polls.
func waitingTeams(t *testing.T, size int, set ...string) *drawn {
	t.Helper()
	c := &drawn{name: "tx1", set: set, grid: 2, size: size, shares: true}
	c.m = gpus.Preset(t, c.name, c.set...)
	for _, guard := range []bool{false, true} {
		w := &writer{guard: guard}
		w.line("ld.param.u64 %%rd0, [p];")
		w.line("mov.u32 %%r0, %%tid.x;")
		w.line("mov.u32 %%r1, %%ctaid.x;")
		if guard {
			w.line("ld.param.u64 %%rd15, [token];")
			w.line("setp.ne.u32 %%p6, %%r0, 0;")
			w.line("mov.u32 %%r50, 0;")
		}
		w.line("setp.eq.u32 %%p0, %%r1, 0;")
		w.line("setp.ge.u32 %%p1, %%r0, 32;")
		w.line("or.pred %%p0, %%p0, %%p1;")
		w.sync(EnterMem)
		w.sync(EnterComp)
		w.line("@%%p0 bra SHORT;")
		w.WriteString(lines(200, 0, "add.u32 %r2, %r3, %r4;\n\tadd.u32 %r5, %r6, %r7;\n\tadd.u32 %r8, %r9, %r10;\n\tadd.u32 %r11, %r12, %r13;\n\tadd.u32 %r14, %r15, %r16;\n\tadd.u32 %r17, %r18, %r19;\n\tadd.u32 %r20, %r21, %r22;"))
		w.WriteString("SHORT:\n")
		w.sync(EnterMem)
		w.leave()
		l := launched(t, w.String(), c.grid, c.size)
		if guard {
			c.guarded = l
		} else {
			c.l = l
		}
	}
	return c
}

// Kernels whose time is that of one thing keep their bounds.
func TestBoundsHoldWhereOneThingIsSlow(t *testing.T) {
	for name, c := range directed(t) {
		t.Run(name, func(t *testing.T) {
			ratios, wrong := c.check(t, 1, true)
			if wrong != "" {
				t.Error(wrong)
			}
			t.Logf("bound over simulation: setup %.2f, memory %.2f, compute %.2f", ratios[Setup], ratios[Memory], ratios[Compute])
		})
	}
}
