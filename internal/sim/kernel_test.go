package sim_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/gantt"
	"github.com/warpbound/warpbound/internal/sim/instr"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/ptxexec"
	"github.com/warpbound/warpbound/isa"
)

// kernelRun is a kernel of the reference on a GPU with one SM unless told
// otherwise, two blocks resident.
func kernelRun(t testing.TB, kernel string, grid, block [3]int, name string, set ...string) (sim.Config, *ptxexec.Kernel, []gpu.Timing) {
	t.Helper()
	l := launchOf(kernel)
	k, err := ptxexec.NewKernel(program(t, "all.ptx", l.entry), ptxexec.LaunchConfig{Grid: grid, Block: block, Args: l.args()})
	if err != nil {
		t.Fatal(err)
	}
	d, err := gpu.Open(name, append([]string{"sm.count=1"}, set...))
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Machine()
	if err != nil {
		t.Fatal(err)
	}
	timing, err := m.Resolve(k.Program())
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Machine: m, BlocksPerSM: 2, Checks: true}, k, timing
}

// saxpyRun is the saxpy kernel: 2 blocks of 4 warps.
func saxpyRun(t testing.TB, name string, set ...string) (sim.Config, *ptxexec.Kernel, []gpu.Timing) {
	t.Helper()
	return kernelRun(t, "saxpy", [3]int{2, 1, 1}, [3]int{128, 1, 1}, name, set...)
}

// slowMemory is a memory that serves one segment at a time and remembers.
type slowMemory struct {
	requests, segments int
	kinds              map[isa.Kind]int
	last               int64
	busyUntil          int64
}

func (m *slowMemory) Access(r *sim.Request) (int64, int64) {
	if r.Cycle < m.last {
		panic("requests are not in order of time")
	}
	m.last = r.Cycle
	m.requests++
	m.segments += len(r.Segments)
	m.kinds[r.Kind]++
	m.busyUntil = max(m.busyUntil, r.Cycle) + int64(len(r.Segments))
	return 1, m.busyUntil - r.Cycle + 50
}

// The memory stage sees every access with its segments and decides its time.
func TestMemoryStage(t *testing.T) {
	for _, model := range []string{sim.Abstract, sim.Pipeline} {
		cfg, k, timing := saxpyRun(t, "rtx3070")
		cfg.Model = sim.ModelNamed(model)
		m := &slowMemory{kinds: map[isa.Kind]int{}}
		cfg.Memory = sim.FixedTimes{Stage: m}
		r, err := sim.Run(context.Background(), cfg, k, timing)
		if err != nil {
			t.Fatal(err)
		}
		// 8 warps run 16 iterations of 2 loads and a store, 4 sectors each. The
		// parameters are read from memory too, one segment a load.
		iterations := 8 * 16
		wantStores, wantLoads := iterations, 2*iterations+4*8
		if m.kinds[isa.Store] != wantStores || m.kinds[isa.Load] != wantLoads || m.requests != wantStores+wantLoads {
			t.Errorf("%s: %d stores and %d loads of %d requests, want %d and %d", model, m.kinds[isa.Store], m.kinds[isa.Load], m.requests, wantStores, wantLoads)
		}
		if want := 12*iterations + 4*8; m.segments != want {
			t.Errorf("%s: %d segments, want %d", model, m.segments, want)
		}
		if r.Cycles < int64(m.segments) {
			t.Errorf("%s: %d cycles for %d segments, one at a time", model, r.Cycles, m.segments)
		}
	}
}

// counter counts events.
type counter struct {
	sim.NopObserver
	issued, dispatched, completed, started, ended int64
	stalled                                       map[string]int64
	lastComplete                                  int64
}

func (c *counter) Issue(sim.IssueEvent)       { c.issued++ }
func (c *counter) Dispatch(sim.DispatchEvent) { c.dispatched++ }
func (c *counter) BlockStart(sim.BlockEvent)  { c.started++ }
func (c *counter) BlockEnd(sim.BlockEvent)    { c.ended++ }
func (c *counter) Stall(e sim.StallEvent)     { c.stalled[e.Reason.String()] += e.ToCycle - e.FromCycle }
func (c *counter) Complete(e sim.CompleteEvent) {
	c.completed++
	if e.Cycle < c.lastComplete {
		panic("completions are not in order of time")
	}
	c.lastComplete = e.Cycle
}

// Events and statistics tell the same story, and observing changes nothing.
func TestObserversAgreeWithStatistics(t *testing.T) {
	for _, model := range []string{sim.Abstract, sim.Pipeline} {
		cfg, k, timing := saxpyRun(t, "rtx3070")
		cfg.Model = sim.ModelNamed(model)
		unseen, err := sim.Run(context.Background(), cfg, k, timing)
		if err != nil {
			t.Fatal(err)
		}
		c := &counter{stalled: map[string]int64{}}
		cfg.Observers = []sim.Observer{c, &gantt.Recorder{}}
		r, err := sim.Run(context.Background(), cfg, k, timing)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(unseen, r); d != "" {
			t.Errorf("%s: observed, the result differs:\n%s", model, d)
		}
		if c.issued != r.WarpInstructions || c.dispatched != r.WarpInstructions || c.completed != r.WarpInstructions || c.started != 2 || c.ended != 2 {
			t.Errorf("%s: %+v for %d instructions", model, c, r.WarpInstructions)
		}
		if d := cmp.Diff(r.Stalls, c.stalled); d != "" {
			t.Errorf("%s: stalls by statistics and by events:\n%s", model, d)
		}
	}
}

// The figures of Jeanmougin2025, example 2, under GTO.
func TestStatistics(t *testing.T) {
	k, err := instr.NewKernel(instr.MustParse("2x F0/2/6 F1/3/4 F1/3/4 F2/2/4(0)"), 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := sim.Run(context.Background(), sim.Config{Machine: k.Machine(), Model: sim.OwnModel{Policy: policy.Policy{Name: "gto"}}, BlocksPerSM: 1, Checks: true, KeepWarps: true}, k, k.Timing())
	if err != nil {
		t.Fatal(err)
	}
	want := &sim.Result{
		Model: sim.Abstract, Policy: "gto", GPU: "program", Kernel: "program", L1Order: sim.L1None,
		Cycles: 17, WarpInstructions: 8, ThreadInstructions: 256, IPC: 8.0 / 17, Blocks: 1, SMs: 1, Schedulers: 1, BlocksPerSM: 1,
		IssueCycles: 8, Stalls: map[string]int64{"data": 4, "drain": 5},
		Units: []sim.UnitUse{
			{Name: "F0", Instructions: 2, InitiationCycles: 4, Utilization: 4.0 / 17},
			{Name: "F1", Instructions: 4, InitiationCycles: 12, Utilization: 12.0 / 17},
			{Name: "F2", Instructions: 2, InitiationCycles: 4, Utilization: 4.0 / 17},
		},
		// Warp 0 issues until cycle 8, warp 1 until cycle 11.
		Occupancy: 21.0 / 17, ResidentWarpCycles: 21,
		Block:       sim.Spread{MinCycles: 17, MaxCycles: 17, MeanCycles: 17},
		BlockTimes:  []sim.BlockTime{{EndCycle: 17, Warps: []sim.WarpTime{{EndCycle: 14, Instructions: 4}, {StartCycle: 3, EndCycle: 17, Instructions: 4}}}},
		BlocksOnSMs: []int64{1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The pipeline model starts one block a cycle and SM.
func TestPipelineBlockStarts(t *testing.T) {
	cfg, k, timing := saxpyRun(t, "rtx3070")
	cfg.Model, cfg.KeepBlocks = sim.PipelineModel{}, true
	r, err := sim.Run(context.Background(), cfg, k, timing)
	if err != nil {
		t.Fatal(err)
	}
	starts := map[int64]int64{}
	for _, b := range r.BlockTimes {
		starts[b.Block] = b.StartCycle
	}
	if d := cmp.Diff(map[int64]int64{0: 0, 1: 1}, starts); d != "" {
		t.Error(d)
	}
	cfg, k, timing = saxpyRun(t, "rtx3070", "sm.count=2")
	cfg.Model, cfg.KeepBlocks = sim.PipelineModel{}, true
	if r, err = sim.Run(context.Background(), cfg, k, timing); err != nil {
		t.Fatal(err)
	}
	for _, b := range r.BlockTimes {
		if b.StartCycle != 0 || int64(b.SM) != b.Block {
			t.Errorf("two SMs: %+v", b)
		}
	}
}

func TestPipelineNeedsItsTable(t *testing.T) {
	k, err := instr.NewKernel(instr.MustParse("F0/1/0"), 1)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Machine: k.Machine(), Model: sim.PipelineModel{}, BlocksPerSM: 1}
	pp := func(change func(*gpu.Pipeline)) *gpu.Pipeline {
		p := &gpu.Pipeline{FetchWidth: 2, FetchPerCycle: 2, CollectorOrder: []string{"F0"}, CollectorSteps: 1, RegisterBanks: 1, ResultBuses: 1, LoadStoreUnit: "F0", SegmentsPerCycle: 1, MemoryLatencyCycles: 1,
			CollectorPools: []gpu.CollectorPool{{Units: []string{"*"}, Count: 1, Dispatches: 1}}}
		change(p)
		return p
	}
	for name, p := range map[string]*gpu.Pipeline{
		"no table":        nil,
		"load/store unit": pp(func(p *gpu.Pipeline) { p.LoadStoreUnit = "LSU" }),
		"banks":           pp(func(p *gpu.Pipeline) { p.RegisterBanks = 65 }),
		"collectors":      pp(func(p *gpu.Pipeline) { p.CollectorPools[0].Count = 65 }),
		"pool":            pp(func(p *gpu.Pipeline) { p.CollectorPools[0].Units = []string{"F1"} }),
		"no pool":         pp(func(p *gpu.Pipeline) { p.CollectorPools = nil }),
		"order":           pp(func(p *gpu.Pipeline) { p.CollectorOrder = nil }),
		"order of others": pp(func(p *gpu.Pipeline) { p.CollectorOrder = []string{"F1"} }),
		"issue ports":     pp(func(p *gpu.Pipeline) { p.SubCores = true; p.IssuePorts = map[string]int{"F0": 2} }),
	} {
		cfg.Machine.Desc.Pipeline = p
		if _, err := sim.Run(context.Background(), cfg, k, k.Timing()); !errors.Is(err, sim.ErrConfig) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	cfg.Machine.Desc.Pipeline = pp(func(*gpu.Pipeline) {})
	if _, err := sim.Run(context.Background(), cfg, k, k.Timing()); err != nil {
		t.Errorf("a complete table: %v", err)
	}
	cfg.Model = sim.PipelineModel{Policy: policy.Policy{Name: "script"}}
	if _, err := sim.Run(context.Background(), cfg, k, k.Timing()); !errors.Is(err, sim.ErrConfig) {
		t.Errorf("a script: error %v", err)
	}
}

// A run that is cancelled half way stops, and progress never goes back.
func TestProgressAndCancel(t *testing.T) {
	for _, model := range []string{sim.Abstract, sim.Pipeline} {
		cfg, k, timing := kernelRun(t, "sgemm", [3]int{4, 4, 1}, [3]int{16, 16, 1}, "rtx3070")
		cfg.Model = sim.ModelNamed(model)
		var last sim.Progress
		calls := 0
		cfg.Progress = func(p sim.Progress) {
			calls++
			if p.Cycles < last.Cycles || p.WarpInstructions < last.WarpInstructions || p.Blocks != 16 {
				t.Errorf("%s: progress from %+v to %+v", model, last, p)
			}
			last = p
		}
		r, err := sim.Run(context.Background(), cfg, k, timing)
		if err != nil {
			t.Fatal(err)
		}
		if calls < 3 || last.BlocksDone != 16 || last.Cycles != r.Cycles || last.WarpInstructions != r.WarpInstructions {
			t.Errorf("%s: %d progress calls, the last %+v", model, calls, last)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cfg.Progress = func(sim.Progress) { cancel() }
		if _, err = sim.Run(ctx, cfg, k, timing); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", model, err)
		}
		cancel()
	}
}

// A kernel's own error carries the place in its source.
func TestKernelError(t *testing.T) {
	for _, model := range []string{sim.Abstract, sim.Pipeline} {
		cfg, k, timing := kernelRun(t, "alu", [3]int{9, 1, 1}, [3]int{256, 1, 1}, "rtx3070")
		cfg.Model = sim.ModelNamed(model)
		_, err := sim.Run(context.Background(), cfg, k, timing)
		var re *simt.RuntimeError
		if !errors.As(err, &re) || !errors.Is(err, simt.ErrOutOfBounds) || re.Block != 8 {
			t.Errorf("%s: a store beyond the buffer: %v", model, err)
		}
	}
}
