package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// drawMemoryKernel draws a kernel that is nearly all global accesses: loads,
// stores and atomics of many shapes, by all lanes, some or none, with uses,
// barriers and loops between them.
func drawMemoryKernel(t *testing.T, r *rand.Rand) *load.Opened {
	t.Helper()
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	line("ld.param.u64 %%rd0, [p];")
	line("mov.u32 %%r0, %%tid.x;")
	line("mov.u32 %%r1, %%ctaid.x;")
	line("mad.lo.u32 %%r1, %%r1, 64, %%r0;")
	line("setp.lt.u32 %%p0, %%r0, 0;")
	line("setp.lt.u32 %%p1, %%r0, %d;", 1+r.IntN(100))
	line("mov.u32 %%r20, 0;")
	const bases = 4
	for i := 1; i <= bases; i++ {
		line("mul.lo.u32 %%r2, %%r%d, %d;", r.IntN(2), []int{0, 1, 1, 2, 8, 32, 33, 96}[r.IntN(8)])
		line("add.u32 %%r2, %%r2, %d;", r.IntN(4096))
		line("and.b32 %%r2, %%r2, 4095;")
		line("mul.wide.u32 %%rd%d, %%r2, 4;", i)
		line("add.u64 %%rd%d, %%rd0, %%rd%d;", i, i)
	}
	loops := 0
	var body func(n, depth int)
	body = func(n, depth int) {
		for range n {
			guard := pick("", "", "", "@%p0 ", "@%p1 ")
			at := fmt.Sprintf("[%%rd%d+%d]", 1+r.IntN(bases), 4*r.IntN(64)*r.IntN(128))
			value := fmt.Sprintf("%%r%d", 10+r.IntN(4))
			switch k := r.IntN(14); {
			case k < 6:
				line("%sld.global.u32 %s, %s;", guard, value, at)
			case k < 8:
				line("%sst.global.u32 %s, %s;", guard, at, value)
			case k == 8:
				line("%satom.global.add.u32 %s, %s, 1;", guard, value, at)
			case k < 11:
				line("%sadd.u32 %%r14, %%r14, %s;", guard, value)
			case k == 11:
				line("%sdiv.u32 %%r14, %%r14, 7;", guard)
			case k == 12:
				line("bar.sync 0;")
			case depth < 2:
				loops++
				label, count := fmt.Sprintf("L%d", loops), fmt.Sprintf("%%r%d", 20+loops%8)
				line("mov.u32 %s, 0;", count)
				fmt.Fprintf(&b, "%s:\n", label)
				body(1+r.IntN(5), 2)
				line("add.u32 %s, %s, 1;", count, count)
				line("setp.lt.u32 %%p3, %s, %d;", count, 2+r.IntN(4))
				line("@%%p3 bra %s;", label)
			}
		}
	}
	body(4+r.IntN(24), 0)
	dir := t.TempDir()
	files := map[string]string{
		"k.ptx": ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" +
			"\t.reg .b64 %rd<8>;\n\t.reg .b32 %r<30>;\n\t.reg .pred %p<4>;\n" + b.String() + "\tret;\n}\n",
		"k.toml": fmt.Sprintf("kernel = \"k.ptx\"\ngrid = [%d]\nblock = [%d]\n[[args]]\nname = \"p\"\ntype = \"u32\"\ncount = 16384\n", 1+r.IntN(7), 16+r.IntN(150)),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return open(t, filepath.Join(dir, "k.toml"))
}

// drawCaches draws a machine whose caches and memory are short of everything.
func drawCaches(r *rand.Rand) (name string, set []string) {
	name = []string{"gtx480", "rtx3070"}[r.IntN(2)]
	add := func(key string, values ...any) {
		if r.IntN(2) == 0 {
			set = append(set, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
		}
	}
	set = append(set, fmt.Sprintf("sm.count=%d", 1+r.IntN(3)), fmt.Sprintf("sm.max_blocks=%d", 1+r.IntN(3)))
	if name == "gtx480" {
		add("l1d.ways", 1, 2, 4)
		add("l1d.write", `"through"`, `"evict"`)
	} else {
		add("l1d.ways", 1, 2, 16)
		add("l1d.banks", 1, 2, 8)
		add("l1d.write_allocate", "true", "false")
		add("sm.schedulers", 1, 4)
	}
	add("l1d.mshrs", 32, 40, 64)
	add("l1d.mshr_merges", 1, 2, 8)
	add("l1d.hit_latency_cycles", 1, 60)
	add("l1d.write_latency_cycles", 0, 200)
	add("ldst_path.channel_entries", 1, 2, 10)
	add("l2.slices", 16, 32)
	add("l2.sets", 1, 4)
	add("l2.ways", 1, 2)
	add("l2.latency_cycles", 1, 500)
	add("l2.access_cycles", 1, 9)
	add("l2.response_cycles", 1, 20)
	add("l2.response_latency_cycles", 1, 30)
	add("dram.channels", 1, 2)
	add("dram.banks", 1, 3)
	add("dram.row_bytes", 256, 4096)
	add("dram.row_miss_cycles", 0, 90)
	add("dram.latency_cycles", 1, 400)
	add("dram.bytes_per_kilocycle", 333, 1500, 100000)
	add("barrier.draining", "true", "false")
	add("barrier.delay_cycles", 0, 11)
	add("block_dispatch.start_delay_cycles", 0, 13)
	add("queue.slots", 1, 3)
	add("issue.dependency_depth_cycles", 0, 9)
	add("l2.arbitration", "round-robin", "round-robin", "fifo")
	return name, set
}

// Random kernels on random machines: no run exceeds a bound, of the launch or of a
// block alone.
func TestOrderedBoundsHoldAtRandom(t *testing.T) {
	seeds, first := settings.Cases(t, 60), settings.Seed(t, 0)
	runs, refused := 0, map[bound.ID]int{}
	least, sum := 1e9, 0.0
	for seed := first; seed < first+seeds; seed++ {
		rng := rand.New(rand.NewPCG(uint64(seed), 21))
		l := drawMemoryKernel(t, rng)
		name, set := drawCaches(rng)
		m := gpus.Preset(t, name, set...)
		r, err := Run(context.Background(), cacheLaunch(l), m, method.Question{Reordered: true, StagesOnly: seed%2 == 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Best == nil {
			refused[r.Scopes[0].Refused[0].Assumption]++
			continue
		}
		for k, scheduling := range []string{"lrr", "gto", "oldest", fmt.Sprintf("random:%d", seed)} {
			var order policy.DispatchOrder
			if k > 1 {
				order = policy.DispatchOrder{Name: "random", Seed: uint64(seed)}
			}
			for s, block := range []int64{int64(seed+k) % r.Blocks, -1} {
				cycles := simulateOrdered(t, l, r, scheduling, order, block)
				runs++
				for _, b := range r.Scopes[s].Bounds {
					if b.Cycles < cycles {
						t.Errorf("seed %d, %s %v, %s, block %d: %d cycles, %s bound %d", seed, name, set, scheduling, block, cycles, b.Method, b.Cycles)
					}
				}
				ratio := float64(r.Scopes[s].BestBound().Cycles) / float64(cycles)
				least, sum = min(least, ratio), sum+ratio
			}
		}
	}
	if runs < 6*seeds {
		t.Errorf("%d runs of %d launches: the kernels are refused", runs, seeds)
	}
	t.Logf("%d runs, bound over simulation at least %.2f, %.2f on average; refused: %v", runs, least, sum/float64(runs), refused)
}
