package kernels

import (
	"fmt"
	"math/rand/v2"
)

// Case is one drawn kernel, launch and machine.
type Case struct {
	Seed     uint64
	PTX      string
	Grid     int
	Block    int
	Known    bool     // the input buffer's contents may be relied on
	Base     string   // preset
	Set      []string // overrides
	Policies []string
	Order    string // dispatch order where queues serve in any order
	Shorten  bool

	source *source
	// ordered says that values depend on the order of warps (atomics): where the
	// path follows them, the simulation may take another than the one analysed.
	ordered bool
}

// base is a preset and what overrides may change in it.
type base struct {
	name  string
	slots bool // has queue.slots, so that only kinds with slots can be asked for
	units []string
	rules []string // timing rules
	// banks and segments are the rules of memory instructions, whose transactions
	// can be counted.
	banks, segments string
}

// bases are presets of different shapes: one scheduler and several, memory that
// counts transactions and memory that does not, shared units, pools.
var bases = []base{
	{"ecrts2025-5", false, []string{"INT", "SP", "LSU", "MEM"}, []string{"int", "f32", "lsu", "memory"}, "lsu", "memory"},
	{"ecrts2025-10", false, []string{"INT", "SP", "LSU", "MEM"}, []string{"int", "f32", "lsu", "memory"}, "lsu", "memory"},
	{"ecrts2025-50", false, []string{"INT", "SP", "LSU", "MEM"}, []string{"int", "f32", "lsu", "memory"}, "lsu", "memory"},
	{"example", true, []string{"ALU", "SFU", "LSU"}, []string{"mul", "memory", "shared"}, "shared", "memory"},
	{"rtx3070", true, []string{"INT", "SP", "SFU", "LSU"}, []string{"int", "global", "shared"}, "shared", "global"},
	{"gtx480", true, []string{"SP", "SFU", "LSU"}, []string{"add", "global", "shared"}, "shared", "global"},
	{"tx1", false, []string{"ALU", "SFU", "LSU"}, []string{"f32", "global", "shared"}, "shared", "global"},
	{"orin", true, []string{"INT", "SP", "SFU", "LSU"}, []string{"int", "global", "shared"}, "shared", "global"},
	{"vortex-32x32", true, []string{"ALU", "FPU", "LSU"}, []string{"mul", "float", "memory"}, "", "memory"},
}

// Draw makes the case of a seed.
func Draw(seed uint64) Case {
	rng := rand.New(rand.NewPCG(seed, 0x6b65726e656c73))
	coin := func(n int) bool { return rng.IntN(n) == 0 }
	has := features{data: coin(2), atomics: coin(3), calls: coin(4), rare: coin(2)}
	// A counted barrier never opens once a warp has ended.
	if has.named = coin(6); !has.named {
		has.exits = coin(4)
	}
	further := rand.New(rand.NewPCG(seed, 0x6d6f7265))
	has.further(further)
	c := Case{Seed: seed, Known: coin(3), ordered: has.atomics}
	c.source = generate(rng, 10+rng.IntN(60), has)
	c.PTX = c.source.text()
	c.Grid = 1 + rng.IntN(6)
	c.Block = []int{1, 20, 32, 33, 64, 96, 100, 128}[rng.IntN(8)]
	if has.recent {
		c.Block = 32 * (1 + further.IntN(4))
	}
	if has.blocks {
		c.Grid = 4 + further.IntN(13)
	}
	on := bases[rng.IntN(3)]
	if coin(2) {
		on = bases[3+rng.IntN(len(bases)-3)]
	}
	c.Base, c.Set = on.name, drawOverrides(rng, on)
	c.Order = []string{"oldest", "newest", "random", "starve"}[rng.IntN(4)]
	c.Policies = []string{"lrr", "gto", "oldest", fmt.Sprintf("random:%d", seed), fmt.Sprintf("starve:%d", rng.IntN(4)), "ahead", "behind", "two-level:2"}
	rng.Shuffle(len(c.Policies), func(i, j int) { c.Policies[i], c.Policies[j] = c.Policies[j], c.Policies[i] })
	c.Policies = c.Policies[:3]
	c.Shorten = coin(2)
	return c
}

// drawOverrides changes a preset: queues, dispatch, barriers, delays, sizes,
// timing.
func drawOverrides(rng *rand.Rand, on base) []string {
	var out []string
	set := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	coin := func(n int) bool { return rng.IntN(n) == 0 }
	kinds := []string{"slots", "pooled", "unbounded", "unbounded", "none"}
	if on.slots {
		kinds = kinds[:2]
	}
	kind := kinds[rng.IntN(len(kinds))]
	set("queue.kind=%s", kind)
	if kind == "slots" || kind == "pooled" {
		set("queue.slots=%d", 1+rng.IntN(4))
	}
	if coin(3) {
		set("queue.order=any")
		set("queue.keeps_warp_order=%t", !coin(3))
	} else {
		set("queue.keeps_warp_order=true")
		set("queue.order=fifo")
	}
	if coin(3) {
		set("barrier.draining=true")
	}
	if coin(3) {
		set("barrier.delay_cycles=%d", 1+rng.IntN(9))
	}
	if coin(3) {
		set("block_dispatch.start_delay_cycles=%d", 1+rng.IntN(20))
	}
	if coin(3) {
		set("block_dispatch.placement=%s", []string{"breadth-first", "any"}[rng.IntN(2)])
	}
	set("sm.count=%d", 1+rng.IntN(3))
	set("sm.max_blocks=%d", 1+rng.IntN(3))
	set("sm.schedulers=%d", []int{1, 1, 1, 2, 3, 4}[rng.IntN(6)])
	for _, u := range on.units {
		if coin(4) {
			set("units.%s.shared=%t", u, coin(2))
		}
		if coin(6) {
			set("units.%s.count=2", u)
		}
	}
	for _, r := range on.rules {
		if coin(3) {
			set("timing.%s.initiation_cycles=%d", r, 1+rng.IntN(6))
		}
		if coin(4) {
			set("timing.%s.latency_cycles=%d", r, 1+rng.IntN(12))
		}
	}
	count := func(rule, how string) {
		if rule != "" && coin(3) {
			set("timing.%s.transactions=%s", rule, how)
			set("timing.%s.transaction_cycles=%d", rule, 1+rng.IntN(3))
		}
	}
	count(on.banks, "banks")
	count(on.segments, "segments")
	if coin(3) {
		set("issue.dependency_depth_cycles=%d", rng.IntN(8))
	}
	if coin(4) {
		set("issue.interlock_waw=%t", coin(2))
	}
	if coin(4) {
		set("memory.segment_bytes=%d", 32<<rng.IntN(3))
		set("memory.shared_banks=%d", 8<<rng.IntN(3))
	}
	return out
}
