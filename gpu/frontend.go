package gpu

import "github.com/warpbound/warpbound/isa"

// FrontEnd describes how instructions reach the issue stage of an SM: fetch with
// a scheduler of its own, instruction cache, decode, and an instruction queue for
// each warp (Crouzet2024, Section IV; docs/frontend.md). The simulator's
// `frontend` model and package internal/method/replay read it; every other model and bound
// takes instructions as always at hand.
type FrontEnd struct {
	// Kind is what fetch does behind a control instruction: "predict" goes on in
	// sequence and discards what was fetched where the branch is taken; "stall"
	// waits for its resolution.
	Kind string `toml:"kind" oneof:"predict,stall"`
	// Variant is "baseline", two schedulers, or "swas", one for both stages and
	// queues that are always full.
	Variant     string `toml:"variant" oneof:"baseline,swas"`
	FetchPolicy string `toml:"fetch_policy"` // of the baseline, see FrontPolicy
	IssuePolicy string `toml:"issue_policy"` // of the baseline's issue stage, and of swas for both
	// QueueEntries are the entries of a warp's queue, those in flight included.
	QueueEntries int `toml:"queue_entries" range:"1..256"`
	// FetchCycles is the hit latency of the instruction cache, t_F; decode takes
	// one cycle more.
	FetchCycles int64 `toml:"fetch_cycles" range:"1..255"`
	// RefetchCycles is, with kind "stall", how long after a request a warp makes
	// its next one: when the instruction has been decoded.
	RefetchCycles int64 `toml:"refetch_cycles,omitempty" range:"1..1024"`
	// BranchResolveCycles is from the issue of a control instruction to its
	// resolution.
	BranchResolveCycles int64 `toml:"branch_resolve_cycles" range:"1..1024"`
	// StartGapCycles is how long after one another the warps of a block become
	// active.
	StartGapCycles int64 `toml:"start_gap_cycles" range:"0..1024"`
	// InstructionBytes is the size of an instruction in memory, where the program
	// does not say (isa.Program.InstructionBytes).
	InstructionBytes int64  `toml:"instruction_bytes" range:"1..64"`
	ICache           ICache `toml:"icache"`
	Source           string `toml:"source"`
}

// ICache is the instruction cache of an SM, with LRU replacement.
type ICache struct {
	Perfect   bool  `toml:"perfect"`               // every request hits
	Sets      int   `toml:"sets" range:"1..65536"` // a power of two
	Ways      int   `toml:"ways" range:"1..256"`
	LineBytes int64 `toml:"line_bytes" range:"4..4096"` // a power of two
	// MissCycles is from a request that misses to the arrival of its line. A miss
	// is known one cycle after the request.
	MissCycles int64  `toml:"miss_cycles" range:"2..1000000"`
	Source     string `toml:"source"`
}

// The words of FrontEnd.Kind and FrontEnd.Variant.
const (
	Predict  = "predict"
	Stall    = "stall"
	Baseline = "baseline"
	SWaS     = "swas"
)

// SWaSEntries is the number of entries of a queue of variant swas: with that
// many, the instruction requested when the first one is issued can be issued
// right after the last one.
func (f *FrontEnd) SWaSEntries() int { return int(f.FetchCycles) + 1 }

// Line is the number of the instruction-cache line that holds instruction pc of a
// program whose first instruction lies at the start of a line.
func (f *FrontEnd) Line(p *isa.Program, pc int32) int64 {
	bytes := f.InstructionBytes
	if p.InstructionBytes > 0 {
		bytes = p.InstructionBytes
	}
	return int64(pc) * bytes / f.ICache.LineBytes
}

// Control tells whether fetch takes an instruction for one that may change the
// warp's PC or stop it.
func (f *FrontEnd) Control(in *isa.Instruction) bool {
	return in.Kind.Control() || f.Kind == Stall && in.StopsFetch
}

// frontEnd checks [front_end].
func (c *checker) frontEnd() {
	f := c.d.FrontEnd
	if f == nil {
		if c.d.Model == "frontend" {
			c.errs.Addf(c.pos("model"), "model is \"frontend\" but there is no [front_end], expected the table or model = \"abstract\"")
		}
		return
	}
	bad := func(key, format string, args ...any) {
		c.errs.Addf(c.pos("front_end", key), "front_end."+key+" is "+format, args...)
	}
	if f.Variant == SWaS && f.QueueEntries != f.SWaSEntries() {
		bad("queue_entries", "%d, expected fetch_cycles + 1 = %d for variant = \"swas\"", f.QueueEntries, f.SWaSEntries())
	}
	if f.Kind == Stall {
		if f.RefetchCycles == 0 {
			c.errs.Addf(c.pos("front_end"), "no key \"refetch_cycles\" in front_end, expected one for kind = \"stall\"")
		}
		if f.Variant == SWaS {
			bad("variant", "\"swas\", expected \"baseline\" for kind = \"stall\"")
		}
	} else if f.RefetchCycles != 0 {
		bad("refetch_cycles", "%d, expected none for kind = %q", f.RefetchCycles, f.Kind)
	}
	for _, p := range [...]struct{ key, policy string }{{"fetch_policy", f.FetchPolicy}, {"issue_policy", f.IssuePolicy}} {
		if _, err := ParseFrontPolicy(p.policy); err != nil {
			c.errs.Addf(c.pos("front_end", p.key), "front_end.%s: %v", p.key, err)
		}
	}
	if c.d.Model == "frontend" && c.d.Issue.PerCycle != 1 {
		c.errs.Addf(c.pos("model"), "model is \"frontend\" with schedulers that issue %d instructions a cycle, expected one each", c.d.Issue.PerCycle)
	}
	if f.Variant == SWaS && c.d.SM.Schedulers != 1 {
		bad("variant", "\"swas\" with %d schedulers, expected one for both stages", c.d.SM.Schedulers)
	}
	i := &f.ICache
	badCache := func(key string, value int64, format string, args ...any) {
		c.errs.Addf(c.pos("front_end", "icache", key), "front_end.icache.%s is %d, "+format, append([]any{key, value}, args...)...)
	}
	if !powerOfTwo(int64(i.Sets)) {
		badCache("sets", int64(i.Sets), "expected a power of two")
	} else if i.Sets > maxCacheLines/i.Ways {
		badCache("sets", int64(i.Sets), "with %d ways, expected at most %d lines", i.Ways, maxCacheLines)
	}
	if !powerOfTwo(i.LineBytes) {
		badCache("line_bytes", i.LineBytes, "expected a power of two")
	} else if i.LineBytes < f.InstructionBytes {
		badCache("line_bytes", i.LineBytes, "expected at least instruction_bytes = %d", f.InstructionBytes)
	}
}
