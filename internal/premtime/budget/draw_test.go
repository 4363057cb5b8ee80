package budget

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/testkit/gpus"
)

// drawn is a random kernel with phases on a random machine.
type drawn struct {
	l          *load.Opened
	m          *gpu.Machine
	name       string
	set        []string
	grid, size int
	shares     bool         // teams share SMs
	guarded    *load.Opened // the same kernel with its guard, nil where teams are not in step
}

// writer writes random kernels.
type writer struct {
	strings.Builder
	r     *rand.Rand
	loops int
	syncs int
	guard bool
}

// sync begins a phase, and leave ends the last one; with the guard they follow the
// protocol of package ptxgen.
func (w *writer) sync(number int) {
	w.line("bar.sync %d;", number)
	if !w.guard {
		return
	}
	w.syncs++
	n := w.syncs
	w.line("setp.ge.s32 %%p7, %%r0, 0;")
	w.line("@%%p6 bra DONE%d;", n)
	w.line("membar.sys;")
	w.line("add.u32 %%r50, %%r50, 1;")
	w.line("shl.b32 %%r51, %%r50, 3;")
	w.line("or.b32 %%r51, %%r51, %d;", number+1)
	w.line("atom.global.add.u32 %%r52, [%%rd15+384], 1;")
	w.line("and.b32 %%r53, %%r52, 65535;")
	w.line("add.u32 %%r53, %%r53, 1;")
	w.line("shr.u32 %%r54, %%r52, 16;")
	w.line("setp.ne.u32 %%p5, %%r53, %%r54;")
	w.line("@%%p5 bra SPIN%d;", n)
	w.line("neg.s32 %%r53, %%r53;")
	w.line("atom.global.add.u32 %%r52, [%%rd15+384], %%r53;")
	w.line("membar.sys;")
	w.line("st.volatile.global.u32 [%%rd15+128], %%r51;")
	fmt.Fprintf(w, "SPIN%d:\n", n)
	w.line("ld.volatile.global.u32 %%r55, [%%rd15+256];")
	w.line("setp.eq.u32 %%p7, %%r55, %%r51;")
	w.line("@!%%p7 bra SPIN%d;", n)
	w.line("membar.sys;")
	fmt.Fprintf(w, "DONE%d:\n", n)
	w.line("@!%%p7 trap;")
	w.line("bar.sync %d;", number)
}

func (w *writer) leave() {
	if !w.guard {
		return
	}
	w.line("bar.sync 0;")
	w.line("@%%p6 bra LEFT;")
	w.line("membar.sys;")
	w.line("atom.global.add.u32 %%r52, [%%rd15+384], -65536;")
	w.WriteString("LEFT:\n")
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+"\n", args...) }

func (w *writer) pick(from ...string) string { return from[w.r.IntN(len(from))] }

const bases = 4

// global writes n statements of a memory phase.
func (w *writer) global(n, depth int) {
	r := w.r
	for range n {
		guard := w.pick("", "", "", "@%p0 ", "@%p1 ")
		at := fmt.Sprintf("[%%rd%d+%d]", 1+r.IntN(bases), 4*r.IntN(64)*r.IntN(128))
		value := fmt.Sprintf("%%r%d", 10+r.IntN(4))
		pad := fmt.Sprintf("[%%r3+%d]", 4*r.IntN(512))
		switch k := r.IntN(16); {
		case k < 5:
			w.line("%sld.global.u32 %s, %s;", guard, value, at)
		case k < 7:
			w.line("%sst.global.u32 %s, %s;", guard, at, value)
		case k == 7:
			w.line("%satom.global.add.u32 %s, %s, 1;", guard, value, at)
		case k == 8:
			w.line("%sld.volatile.global.u32 %s, %s;", guard, value, at)
		case k == 9:
			w.line("%sst.shared.u32 %s, %s;", guard, pad, value)
		case k < 12:
			w.line("%sadd.u32 %%r14, %%r14, %s;", guard, value)
		case k == 12:
			w.line("%sdiv.u32 %%r14, %%r14, 7;", guard)
		case k == 13 && depth < 2:
			w.line("bar.sync 0;")
		default:
			w.loop(depth, func(n, d int) { w.global(n, d) })
		}
	}
}

// local writes n statements of a compute phase.
func (w *writer) local(n, depth int) {
	r := w.r
	for range n {
		guard := w.pick("", "", "", "@%p0 ", "@%p1 ")
		value := fmt.Sprintf("%%r%d", 10+r.IntN(5))
		pad := fmt.Sprintf("[%%r3+%d]", 4*r.IntN(512))
		switch r.IntN(12) {
		case 0, 1:
			w.line("%sld.shared.u32 %s, %s;", guard, value, pad)
		case 2:
			w.line("%sst.shared.u32 %s, %s;", guard, pad, value)
		case 3, 4:
			w.line("%smad.lo.u32 %s, %s, %%r1, %%r14;", guard, value, value)
		case 5:
			w.line("%sdiv.u32 %s, %s, 7;", guard, value, value)
		case 6, 7:
			w.line("%sfma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;", guard, r.IntN(8), r.IntN(8), r.IntN(8), r.IntN(8))
		case 8:
			w.line("%ssqrt.rn.f32 %%f%d, %%f%d;", guard, r.IntN(8), r.IntN(8))
		case 9:
			if depth < 2 {
				w.line("bar.sync 0;")
			}
		default:
			w.loop(depth, func(n, d int) { w.local(n, d) })
		}
	}
}

func (w *writer) loop(depth int, body func(n, depth int)) {
	if depth >= 2 {
		return
	}
	w.loops++
	label, count := fmt.Sprintf("L%d", w.loops), fmt.Sprintf("%%r%d", 20+w.loops%24)
	w.line("mov.u32 %s, 0;", count)
	fmt.Fprintf(w, "%s:\n", label)
	body(1+w.r.IntN(5), depth+1)
	w.line("add.u32 %s, %s, 1;", count, count)
	w.line("setp.lt.u32 %%p3, %s, %d;", count, 2+w.r.IntN(4))
	w.line("@%%p3 bra %s;", label)
}

// setup writes what comes before the first phase.
func (w *writer) setup() {
	r := w.r
	w.line("ld.param.u64 %%rd0, [p];")
	w.line("mov.u32 %%r0, %%tid.x;")
	w.line("mov.u32 %%r1, %%ctaid.x;")
	w.line("mad.lo.u32 %%r1, %%r1, 64, %%r0;")
	w.line("mov.u32 %%r3, pad;")
	w.line("shl.b32 %%r4, %%r0, %d;", r.IntN(6))
	w.line("and.b32 %%r4, %%r4, 4095;")
	w.line("and.b32 %%r4, %%r4, -4;")
	w.line("add.u32 %%r3, %%r3, %%r4;")
	w.line("setp.lt.u32 %%p0, %%r0, 0;")
	w.line("setp.lt.u32 %%p1, %%r0, %d;", 1+r.IntN(100))
	w.line("mov.u32 %%r20, 0;")
	if w.guard {
		w.line("ld.param.u64 %%rd15, [token];")
		w.line("setp.ne.u32 %%p6, %%r0, 0;")
		w.line("mov.u32 %%r50, 0;")
	}
	for i := 1; i <= bases; i++ {
		w.line("mul.lo.u32 %%r2, %%r%d, %d;", r.IntN(2), []int{0, 1, 1, 2, 8, 32, 33, 96}[r.IntN(8)])
		w.line("add.u32 %%r2, %%r2, %d;", r.IntN(8192))
		w.line("and.b32 %%r2, %%r2, 16383;")
		w.line("mul.wide.u32 %%rd%d, %%r2, 4;", i)
		w.line("add.u64 %%rd%d, %%rd0, %%rd%d;", i, i)
	}
}

// drawKernel draws a kernel. Without a guard a kernel of several teams has one
// memory phase, or one compute phase if teams share SMs, since nothing keeps them in
// step.
func drawKernel(t *testing.T, r *rand.Rand, c *drawn, inStep, guard bool) *load.Opened {
	t.Helper()
	w := &writer{r: r, guard: guard}
	w.setup()
	memory := func() {
		w.sync(EnterMem)
		w.global(2+r.IntN(20), 0)
		if r.IntN(2) == 0 {
			w.line("bar.sync 0;")
		}
	}
	compute := func() {
		w.sync(EnterComp)
		w.local(2+r.IntN(20), 0)
	}
	switch {
	case c.shares && !inStep && r.IntN(3) == 0:
		compute()
	case c.shares && !inStep:
		memory()
	case c.grid > 1 && !inStep:
		memory()
		compute()
	default:
		again := r.IntN(2) == 0
		if again {
			w.line("mov.u32 %%r45, 0;")
			w.WriteString("AGAIN:\n")
		}
		for range 1 + r.IntN(3) {
			memory()
			compute()
		}
		if again {
			w.line("add.u32 %%r45, %%r45, 1;")
			w.line("setp.lt.u32 %%p4, %%r45, %d;", 2+r.IntN(4))
			w.line("@%%p4 bra AGAIN;")
		}
		memory()
	}
	w.leave()
	return launched(t, w.String(), c.grid, c.size)
}

var fixedMachines = []string{"ecrts2025-5", "ecrts2025-100", "gtx480", "rtx3070", "tx1", "orin"}

// draw draws a kernel and a machine for it.
func draw(t *testing.T, seed uint64, caches bool) *drawn {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 34))
	c := &drawn{}
	sms, slots := 1+r.IntN(3), 1
	c.grid, c.size = 1, 16+r.IntN(150)
	switch r.IntN(3) {
	case 1:
		c.grid = sms
	case 2:
		slots = 2 + r.IntN(2)
		c.grid = sms * slots
		c.size = 16 + r.IntN(100)
		c.shares = true
	}
	c.name = fixedMachines[r.IntN(len(fixedMachines))]
	if caches {
		c.name, c.set = drawCaches(r)
	} else {
		c.set = drawFixed(r)
	}
	c.set = append(c.set, fmt.Sprintf("sm.count=%d", sms))
	c.m = gpus.Preset(t, c.name, c.set...)
	inStep := caches && seed%2 == 0
	c.l = drawKernel(t, rand.New(rand.NewPCG(seed, 35)), c, inStep, false)
	if inStep {
		c.guarded = drawKernel(t, rand.New(rand.NewPCG(seed, 35)), c, true, true)
	}
	return c
}

func drawFixed(r *rand.Rand) (set []string) {
	add := func(key string, values ...any) {
		if r.IntN(2) == 0 {
			set = append(set, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
		}
	}
	add("barrier.draining", "true", "false")
	add("barrier.delay_cycles", 0, 11)
	add("block_dispatch.start_delay_cycles", 0, 13)
	add("sm.schedulers", 1, 2, 4)
	return set
}

// drawCaches draws a machine whose caches and memory are short of everything.
func drawCaches(r *rand.Rand) (name string, set []string) {
	name = []string{"gtx480", "rtx3070", "tx1"}[r.IntN(3)]
	add := func(key string, values ...any) bool {
		if r.IntN(2) == 0 {
			set = append(set, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
			return true
		}
		return false
	}
	switch name {
	case "gtx480", "tx1":
		add("l1d.ways", 1, 2, 4)
		add("l1d.sets", 32, 64)
		add("l1d.replacement", `"lru"`, `"fifo"`, `"plru"`)
	default:
		add("l1d.ways", 1, 2, 16)
		add("l1d.sets", 1, 4)
		add("l1d.banks", 1, 2, 8)
		add("l1d.replacement", `"lru"`, `"fifo"`)
		add("sm.schedulers", 1, 4)
	}
	if add("l1d.write", `"back"`, `"through"`) || name == "rtx3070" {
		add("l1d.write_allocate", "true", "false")
	}
	add("l1d.mshrs", 1, 2, 8, 64)
	add("l1d.mshr_merges", 1, 2, 8)
	add("l1d.hit_latency_cycles", 1, 60)
	add("l1d.write_latency_cycles", 0, 200)
	add("l2.slices", 16, 32)
	add("l2.sets", 1, 4)
	add("l2.ways", 1, 2)
	add("l2.replacement", `"lru"`, `"fifo"`, `"plru"`)
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
	if name != "tx1" {
		add("queue.slots", 1, 3)
	}
	add("issue.dependency_depth_cycles", 0, 9)
	if name == "tx1" {
		// Its own refreshes, with its own queue or another.
		add("dram.queue_entries", 1, 3)
		add("dram.row_hit_cap", 1, 2)
		return name, set
	}
	switch r.IntN(3) {
	case 0:
		set = append(set, `l2.arbitration="round-robin"`)
	case 1:
		set = append(set, `dram.scheduling="fr-fcfs"`, fmt.Sprintf("dram.queue_entries=%d", 1+r.IntN(20)), fmt.Sprintf("dram.row_hit_cap=%d", 1+r.IntN(8)))
	}
	if r.IntN(2) == 0 {
		set = append(set, fmt.Sprintf("dram.refresh_interval_cycles=%d", 900+r.IntN(3000)), fmt.Sprintf("dram.refresh_cycles=%d", 1+r.IntN(300)))
	}
	return name, set
}
