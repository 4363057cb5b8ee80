package crouzet2024

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/evaluation/internal/kit"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/method/replay"
	"github.com/warpbound/warpbound/internal/sim"
)

// fronted is a simulation of a kernel of Crouzet2024 behind a front end.
type fronted struct {
	GPU, Caches, Launch    string // Caches is "yes" where accesses go through the data caches
	Variant, Fetch, Issue  string
	Cycles                 int64
	Warp, Thread           int64 // instructions committed, of warps and of threads
	Discrepancies, Errors  int64
	NOPs, Discarded, Taken int64 // Taken are the branches that were not followed by their neighbour
	ICacheMisses, Broken   int64 // Broken are cycles of warps whose queue was not full under swas

	// Cycles that issued nothing, by what the front end or the units lacked.
	UnitBusy, Operands, Instructions, OtherStalls int64

	// Errors by what the warp lacked that should have issued.
	LackAfterBranch, LackFetch, LackFlight, LackNothing int64

	Loads, LoadCycles int64 // LoadCycles are summed, from issue to results
	// IdleAfter is the number of cycles without an instruction among the
	// afterBranchCycles after each taken branch, summed.
	IdleAfter int64

	// Replay is the exact replay of the policies, AnyPolicy the bound for every
	// policy of swas, and Without the smallest bound of the machine without a front
	// end, by Method; 0 where there is none.
	Replay, AnyPolicy, Without int64
	Method                     string
}

// ipc is the committed thread instructions a cycle.
func (r *fronted) ipc() float64 { return float64(r.Thread) / float64(r.Cycles) }

func (r *fronted) errorRate() float64 { return float64(r.Errors) / float64(r.Cycles) }

func (r *fronted) latency() float64 { return float64(r.LoadCycles) / float64(max(r.Loads, 1)) }

// numbers are what was measured, in the order of the file.
func (r *fronted) numbers() []*int64 {
	return []*int64{
		&r.Cycles, &r.Warp, &r.Thread, &r.Discrepancies, &r.Errors, &r.NOPs, &r.Discarded, &r.Taken, &r.ICacheMisses, &r.Broken,
		&r.UnitBusy, &r.Operands, &r.Instructions, &r.OtherStalls,
		&r.LackAfterBranch, &r.LackFetch, &r.LackFlight, &r.LackNothing, &r.Loads, &r.LoadCycles, &r.IdleAfter, &r.Replay, &r.AnyPolicy, &r.Without,
	}
}

// vortex is the machine of Crouzet2024.
const vortex = "vortex-32x32"

// frontKernels are the kernels of Crouzet2024, in the order of its tables.
var frontKernels = []string{"blackscholes", "hotspot", "hotspot3d", "kmeans", "psort", "sgemm"}

// Forms of a kernel.
const (
	elf = ""
	ptx = "-ptx"
)

func kernelFile(name, form string) string {
	return "vortex/kernels/" + name + "/" + name + form + ".toml"
}

// frontShape is an experiment with one kernel.
type frontShape struct {
	gpu    string
	caches bool
	form   string
	pairs  []analysis.Pair
}

// bestPair is the one with the highest IPC in Crouzet2024, and worstPair that with
// the largest loss of swas.
var (
	bestPair  = analysis.Pair{Fetch: "lrr", Issue: "gtlrr"}
	worstPair = analysis.Pair{Fetch: "lrr", Issue: "gtlo"}
)

// fourLanes is the load/store unit of Vortex in early 2024: four lanes a cycle,
// and no access combines different words.
const fourLanes = vortex + " timing.memory.initiation_cycles=8 memory.segment_bytes=4"

// The data cache of the machine has 256 sets of one way, and a row of its DRAM
// takes ten cycles to open.
const (
	allWays  = vortex + " l1d.sets=1 l1d.ways=256"
	fastRows = vortex + " dram.row_miss_cycles=1"
)

// frontFactors are changes of the machine that may matter to swas.
var frontFactors = []kit.Factor{
	{Name: "as described", GPU: vortex},
	{Name: "load/store unit of four lanes, no coalescing", GPU: fourLanes},
	{Name: "fetch 1 cycle, queues of 2", GPU: vortex + " front_end.fetch_cycles=1 front_end.queue_entries=2"},
	{Name: "fetch 7 cycles, queues of 8", GPU: vortex + " front_end.fetch_cycles=7 front_end.queue_entries=8"},
	{Name: "branches resolved after 5 cycles instead of 9", GPU: vortex + " front_end.branch_resolve_cycles=5"},
	{Name: "branches resolved after 30 cycles", GPU: vortex + " front_end.branch_resolve_cycles=30"},
	{Name: "dependent instructions 12 cycles farther apart", GPU: vortex + " issue.dependency_depth_cycles=24"},
	{Name: "ALU accepts every second cycle", GPU: vortex + " timing.alu.initiation_cycles=2"},
	{Name: "no misses of the instruction cache", GPU: vortex + " front_end.icache.perfect=true"},
}

// frontShapes are all experiments: the figures without and with data caches, the
// PTX forms, and the factors.
func frontShapes() []frontShape {
	out := []frontShape{
		{gpu: vortex, pairs: analysis.Pairs()},
		{gpu: vortex, caches: true, pairs: analysis.Pairs()},
		{gpu: vortex, form: ptx, pairs: []analysis.Pair{bestPair, worstPair}},
	}
	for _, m := range []string{fastRows, allWays} {
		out = append(out, frontShape{gpu: m, caches: true, pairs: []analysis.Pair{bestPair, worstPair}})
	}
	for _, f := range frontFactors[1:] {
		out = append(out, frontShape{gpu: f.GPU, pairs: []analysis.Pair{bestPair, worstPair}})
	}
	return out
}

// frontends simulates kernels in each shape: under its pairs of policies, and
// under swas with the issue policy of each.
func (b *bench) frontends(shapes []frontShape, kernels []string) ([]fronted, error) {
	var out []fronted
	for _, s := range shapes {
		for _, name := range kernels {
			var policies []string
			var uses []method.FrontEnd
			for _, p := range s.pairs {
				uses = append(uses, method.FrontEnd{Variant: gpu.Baseline, FetchPolicy: p.Fetch, IssuePolicy: p.Issue})
				if !slices.Contains(policies, p.Issue) {
					policies = append(policies, p.Issue)
				}
			}
			for _, p := range policies {
				uses = append(uses, method.FrontEnd{Variant: gpu.SWaS, FetchPolicy: p, IssuePolicy: p})
			}
			for _, use := range uses {
				row, err := b.front(kernelFile(name, s.form), s, use)
				if err != nil {
					return nil, fmt.Errorf("%s%s on %s, %s, policies %s and %s: %w", name, s.form, s.gpu, use.Variant, use.FetchPolicy, use.IssuePolicy, err)
				}
				out = append(out, row)
			}
		}
	}
	return out, nil
}

// front simulates one kernel and replays its policies.
func (b *bench) front(launch string, s frontShape, use method.FrontEnd) (fronted, error) {
	ctx := context.Background()
	row := fronted{GPU: s.gpu, Launch: launch, Variant: use.Variant, Fetch: use.FetchPolicy, Issue: use.IssuePolicy}
	m, err := b.Machine(s.gpu)
	if err != nil {
		return row, err
	}
	l, err := b.Open(launch)
	if err != nil {
		return row, err
	}
	if err := l.On(m.Desc); err != nil {
		return row, err
	}
	k, err := l.Fresh()
	if err != nil {
		return row, err
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		return row, err
	}
	watch := newFrontWatch(m.Desc, k.Program())
	cfg := sim.Config{
		Machine: m, Model: sim.FrontModel{Variant: use.Variant, FetchPolicy: use.FetchPolicy, IssuePolicy: use.IssuePolicy},
		BlocksPerSM: 1, Checks: true, Observers: []sim.Observer{watch},
	}
	if s.caches {
		row.Caches, cfg.Memory = "yes", sim.Caches{}
	}
	got, err := sim.Run(ctx, cfg, k, timing)
	if err != nil {
		return row, err
	}
	row.count(got, watch)
	if s.caches {
		return row, nil // a replay is of constant latencies
	}
	tainted, err := l.Kernel(true)
	if err != nil {
		return row, err
	}
	r, err := analysis.Run(ctx, analysis.Of(tainted), m, method.Question{FrontEnd: &use})
	if err != nil {
		return row, err
	}
	least := int64(math.MaxInt64)
	for _, x := range r.Scopes[len(r.Scopes)-1].Bounds {
		switch {
		case x.Method == replay.Method:
			row.Replay = x.Cycles
		case x.Method == replay.AnyPolicy:
			row.AnyPolicy = x.Cycles
		// The published bound is not safe here even without a front end.
		case x.Method != multiphase.GUB && x.Cycles < least:
			least, row.Without, row.Method = x.Cycles, x.Cycles, x.Method
		}
	}
	return row, nil
}

// count fills in what a simulation measured.
func (r *fronted) count(got *sim.Result, w *frontWatch) {
	n := got.Scheduling
	r.Cycles, r.Warp, r.Thread = got.Cycles, got.WarpInstructions, got.ThreadInstructions
	r.Discrepancies, r.Errors, r.NOPs, r.Discarded = n.Discrepancies, n.Errors, n.NOPs, n.Discarded
	r.ICacheMisses, r.Broken = n.ICacheMisses, n.BrokenQueueCycles
	stalled := func(why ...sim.Reason) int64 {
		sum := int64(0)
		for _, w := range why {
			sum += got.Stalls[w.String()]
		}
		return sum
	}
	r.UnitBusy, r.Operands = stalled(sim.UnitBusy), stalled(sim.MemoryRAW, sim.DataRAW)
	r.Instructions = stalled(sim.Fetching, sim.Refetch, sim.ICacheMiss, sim.BranchUnresolved)
	r.OtherStalls = r.Cycles - got.IssueCycles - r.UnitBusy - r.Operands - r.Instructions
	r.Taken, r.Loads, r.LoadCycles, r.IdleAfter = w.taken, w.loads, w.loadCycles, w.idleAfter()
	r.LackAfterBranch, r.LackFetch, r.LackFlight, r.LackNothing = w.afterBranch, w.notRequested, w.inFlight, w.nothing
}

const frontFile = "frontend.csv"

var frontHeader = append([]string{"gpu", "caches", "launch", "variant", "fetch", "issue"}, append(strings.Fields(`
	cycles warp_instructions thread_instructions discrepancies errors nops discarded taken icache_misses broken_queue_cycles
	unit_busy operands instructions other lack_after_branch lack_fetch lack_in_flight lack_nothing loads load_cycles idle_after_branches replay_cycles any_policy_cycles without_front_end_cycles`), "without_front_end_method")...)

func encodeFronted(rows []fronted) []byte {
	records := [][]string{frontHeader}
	for i := range rows {
		r := &rows[i]
		cells := []string{r.GPU, r.Caches, r.Launch, r.Variant, r.Fetch, r.Issue}
		for _, n := range r.numbers() {
			cells = append(cells, kit.Number(*n))
		}
		records = append(records, append(cells, r.Method))
	}
	return kit.Encode(records)
}

func decodeFronted(f *kit.Fields) fronted {
	r := fronted{GPU: f.Text(), Caches: f.Text(), Launch: f.Text(), Variant: f.Text(), Fetch: f.Text(), Issue: f.Text()}
	for _, n := range r.numbers() {
		*n = f.Number()
	}
	r.Method = f.Text()
	return r
}
