package warpbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/enforced"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/sim/attribution"
	"github.com/warpbound/warpbound/internal/sim/gantt"
	"github.com/warpbound/warpbound/internal/sim/policy"
	"github.com/warpbound/warpbound/internal/sim/soc"
	"github.com/warpbound/warpbound/internal/simt"
)

// The models of the simulator, in options named Model.
const (
	ModelAbstract = sim.Abstract // the SM that the bounds are of
	ModelPipeline = sim.Pipeline // fetch, collectors, ports, result buses; no bound claims to cover it
	ModelFrontend = sim.Frontend // fetch, instruction cache and queues before the units of the abstract SM
)

// SimulateOptions choose what Simulate simulates. The zero value is the launch on
// [DefaultGPU], with the model and the policy of its description.
type SimulateOptions struct {
	GPU    *gpu.Machine // nil for DefaultGPU
	Model  string       // ModelAbstract, ModelPipeline or ModelFrontend; "" for the description's
	Policy string       // of [Policies], which selects warps; "" for the description's
	// FrontEnd asks for ModelFrontend, which has no use for Policy.
	FrontEnd FrontEnd
	// L1Order is L1None, which is "" too, L1Dynamic or L1Reorder.
	L1Order string
	// Batches gives an SM its next blocks only when all its blocks have ended.
	Batches bool
	// Traffic is what the CPU cores of the GPU send to the DRAM that they share with it:
	// TrafficStress or TrafficRandom, settings behind it, or "" for nothing. It needs an
	// L1Order with caches.
	Traffic     string
	BlocksPerSM int // resident on an SM, 0 for as many as fit
	// MaxCycles ends the simulation with ErrMaxCycles; 0 for no limit.
	MaxCycles int64
	// KeepBlocks and KeepWarps fill Simulation.BlockTimes and BlockTime.Warps.
	KeepBlocks, KeepWarps bool
	// Gantt notes what warps do from cycle From until cycle To, 0 for the end, which is
	// then the picture of Simulation.Report, as an SVG.
	Gantt    bool
	From, To int64
	// Trace, if not nil, has what happens written as a timeline.
	Trace *TraceOptions
	// By asks for Simulation.Costs, the scheduler cycles by what they belong to: one of
	// CostsBy. Annotate is as that of AnalyzeOptions.
	By       string
	Annotate bool
	// Observe, if not nil, is told everything that happens, in order of time on each
	// SM, events of one cycle in the order of the stages. A simulation without it is
	// faster.
	Observe  func(Event)
	Progress func(Progress) // told now and then how far it is; may be nil

	noted *int64 // the block that Gantt notes, nil for all
}

// Simulation is what a simulation measured. Times are cycles from the start of the
// launch.
type Simulation struct {
	Kernel        string
	GPU           *gpu.Machine
	Model, Policy string // that were simulated
	L1Order       string

	Cycles             int64 // until the last instruction of the last block completed
	WarpInstructions   int64
	ThreadInstructions int64
	IPC                float64 // warp instructions a cycle, all SMs together

	Blocks      int64
	SMs         int // that could get a block
	Schedulers  int // of an SM
	BlocksPerSM int
	Occupancy   float64 // mean number of warps of an SM that have not ended

	// IssueCycles are the scheduler cycles that issued an instruction; with those of
	// Stalls, by reason, they make up Cycles x SMs x Schedulers.
	IssueCycles int64
	Stalls      map[string]int64
	Units       []UnitUse
	Barriers    int64 // that opened

	BlockTimes []BlockTime // empty unless asked for
	L1D        *L1DUse     // nil without caches
	Scheduling *Scheduling // nil without a front end

	// Costs are the scheduler cycles by what they belong to, where By asks for it.
	Costs *RunCosts

	Console []byte // what a RISC-V program wrote

	Trace *TraceSummary // nil unless asked for

	whole   *sim.Result
	path    string
	traffic string
	outcome *load.Outcome
	chart   *gantt.Recorder
	beside  string // the directory of the kernel

	annotate bool // the costs
}

// Report is the simulation as the command simulate prints it.
func (s *Simulation) Report() (*Report, error) {
	_, d, err := s.forms()
	if err != nil {
		return nil, err
	}
	return &Report{d}, nil
}

// forms are the JSON form of the simulation, and all its forms.
func (s *Simulation) forms() (*report.SimulationDocument, *report.Document, error) {
	d, err := report.Simulation(s.path, s.GPU, s.whole, s.traffic)
	if err != nil {
		return nil, nil, err
	}
	if s.Costs != nil {
		text := newLines(s.beside)
		d.AddCosts(s.Costs.of, text.text)
		if s.annotate {
			d.AnnotateCosts(s.Costs.of, text.all)
		}
	}
	return d, d.Document(s.GPU, s.whole, s.outcome, s.chart), nil
}

// UnitUse is the load of one kind of unit.
type UnitUse struct {
	Name             string
	Instructions     int64
	InitiationCycles int64
	Utilization      float64 // initiation cycles over the cycles of all such units
}

// BlockTime is when and where a block ran.
type BlockTime struct {
	Block                int64
	SM, Slot             int
	StartCycle, EndCycle int64
	Warps                []WarpTime // empty unless asked for
}

// WarpTime is when a warp executed its first instruction, when its last one
// completed, and how many it executed.
type WarpTime struct {
	StartCycle, EndCycle int64
	Instructions         int64
}

// L1DUse counts requests to the L1 data caches, one for each sector that a warp
// instruction touched.
type L1DUse struct {
	Accesses, Loads, Stores, Atomics int64 // Accesses are warp instructions
	LoadMisses, StoreMisses          int64
	// HitsReserved are the hits of loads whose sector was on its way already.
	HitsReserved int64
}

// Scheduling is what a front end did to the policy of its issue stage.
type Scheduling struct {
	Variant, FetchPolicy, IssuePolicy string
	// Discrepancies are the cycles in which another instruction was issued than the
	// policy would have selected with instructions always at hand, Errors those of
	// them that neither a cache miss nor a taken branch explains.
	Discrepancies, Errors    int64
	NOPs, Discarded          int64 // issued; fetched in vain
	ICacheHits, ICacheMisses int64
	ThreadIPC                float64
}

// Simulate executes a launch cycle by cycle, functionally exact. The same arguments
// give the same result on every machine.
//
// A kernel that fails is a [KernelError]. With an [ExitError], which a RISC-V program
// can cause, the Simulation is complete, too.
func (l *Launch) Simulate(ctx context.Context, opt SimulateOptions) (*Simulation, error) {
	on, m, err := l.on(opt.GPU, DefaultGPU)
	if err != nil {
		return nil, err
	}
	cfg, err := opt.config(m)
	if err != nil {
		return nil, err
	}
	around, err := opt.beside(m)
	if err != nil {
		return nil, err
	}
	k, err := on.Fresh()
	if err != nil {
		return nil, explainOf(on, err)
	}
	facts, err := method.Prepare(k, m, method.Question{BlocksPerSM: opt.BlocksPerSM})
	if err != nil {
		return nil, explainOf(on, err)
	}
	cfg.BlocksPerSM = int(facts.Occupancy.Blocks)
	cfg.Memory, err = sim.NamedMemory(opt.L1Order, func() (sim.AccessOrder, error) {
		return enforced.OrderOf(ctx, source(on), m.Desc.L1D.SectorBytes, simt.Limits{})
	}, around)
	if err != nil {
		return nil, explainOf(on, err)
	}
	tell := newTeller("simulating blocks", l.Program(), opt.Progress)
	if opt.Progress != nil {
		cfg.Progress = func(p sim.Progress) {
			tell.done(p.BlocksDone, p.Blocks)
			tell.simulated(p)
		}
	}
	if err := opt.Trace.check(k); err != nil {
		return nil, err
	}
	chart, traced := opt.chart(&cfg), opt.recorder(&cfg, k, facts.Timing)
	var costs *attribution.Recorder
	if opt.By != "" {
		costs = attribution.NewRecorder(k.Program())
		cfg.Observers = append(cfg.Observers, costs)
	}
	r, err := sim.Run(ctx, cfg, k, facts.Timing)
	if err != nil {
		return nil, explainOf(on, err)
	}
	if chart != nil && opt.From >= r.Cycles {
		return nil, &OptionError{Option: "From", Value: opt.From, Msg: fmt.Sprintf("expected a cycle before the end of the execution, %d", r.Cycles)}
	}
	out := newSimulation(m, r)
	out.whole, out.path, out.traffic, out.outcome, out.chart = r, on.File.Path, opt.Traffic, load.OutcomeOf(k), chart
	out.beside, out.annotate = filepath.Dir(on.File.Kernel), opt.Annotate
	if costs != nil {
		facts.Source = source(on)
		of, err := analysis.AttributeRun(ctx, facts, opt.By, costs.Costs())
		if err != nil {
			return nil, explainOf(on, err)
		}
		out.Costs = newRunCosts(of)
	}
	if out.outcome != nil {
		out.Console = out.outcome.Console
	}
	if out.Trace, err = opt.traced(traced, out); err != nil {
		return nil, err
	}
	return out, exit(on)
}

// config checks the options.
func (o *SimulateOptions) config(m *gpu.Machine) (sim.Config, error) {
	cfg := sim.Config{
		Machine: m, MaxCycles: o.MaxCycles, Checks: true, Placement: sim.Batched(o.Batches),
		KeepBlocks: o.KeepBlocks || o.KeepWarps, KeepWarps: o.KeepWarps,
	}
	var errModel, errBy error
	if o.By != "" {
		errBy = oneOf("By", o.By, analysis.CostsBy...)
	}
	if o.Model != "" {
		errModel = oneOf("Model", o.Model, ModelAbstract, ModelPipeline, ModelFrontend)
	}
	p, errPolicy := parsePolicy("Policy", o.Policy)
	err := errors.Join(
		atLeast("MaxCycles", o.MaxCycles, 0), atLeast("BlocksPerSM", int64(o.BlocksPerSM), 0), o.window(),
		errModel, errBy, checkAnnotate(o.Annotate, o.By), errPolicy, checkL1Order(cmp.Or(o.L1Order, L1None), m.Desc),
	)
	if err != nil {
		return cfg, err
	}
	if cfg.Model, err = o.model(m, p); err != nil {
		return cfg, err
	}
	if o.Observe != nil {
		cfg.Observers = append(cfg.Observers, &observer{tell: o.Observe, units: m.Units})
	}
	return cfg, nil
}

// model is the model with its policies. Options of a front end ask for one.
func (o *SimulateOptions) model(m *gpu.Machine, p policy.Policy) (sim.Model, error) {
	option, name := o.FrontEnd.given(), o.Model
	if option != "" && name == "" && m.Desc.FrontEnd != nil {
		name = ModelFrontend
	}
	switch is := cmp.Or(name, m.Desc.Model); {
	case is != ModelFrontend && option == "":
		return sim.NamedModel(name, p)
	case m.Desc.FrontEnd != nil && is != ModelFrontend:
		return nil, &OptionError{Option: option, With: "Model", Other: is, Msg: fmt.Sprintf("expected model %s, the only one with a front end", ModelFrontend)}
	case m.Desc.FrontEnd != nil && o.Policy != "":
		return nil, &OptionError{Option: "Policy", With: "Model", Other: ModelFrontend, Msg: "expected a policy for fetch and one for issue instead, as it has two schedulers"}
	}
	end, err := o.FrontEnd.on(m)
	if err != nil {
		return nil, err
	}
	return sim.FrontModel{Variant: end.Variant, FetchPolicy: end.FetchPolicy, IssuePolicy: end.IssuePolicy}, nil
}

// beside is what CPU cores send, nil where they send nothing.
func (o *SimulateOptions) beside(m *gpu.Machine) (*soc.Config, error) {
	if o.Traffic == "" {
		return nil, nil
	}
	traffic, err := parseTraffic("Traffic", o.Traffic, m.Desc)
	if err != nil {
		return nil, err
	}
	if cmp.Or(o.L1Order, L1None) == L1None {
		return nil, &OptionError{Option: "Traffic", Value: o.Traffic, With: "L1Order", Other: L1None, Msg: fmt.Sprintf("there is no DRAM to share without caches, expected %s or %s", L1Dynamic, L1Reorder)}
	}
	return &soc.Config{Traffic: traffic}, nil
}

// window checks the cycles that are drawn.
func (o *SimulateOptions) window() error {
	const nothing = "nothing is drawn, expected it with a picture only"
	switch {
	case !o.Gantt && o.From != 0:
		return &OptionError{Option: "From", Value: o.From, Msg: nothing}
	case !o.Gantt && o.To != 0:
		return &OptionError{Option: "To", Value: o.To, Msg: nothing}
	case o.To != 0 && o.To <= o.From:
		return &OptionError{Option: "To", Value: o.To, With: "From", Other: fmt.Sprint(o.From), Msg: "expected more"}
	}
	return atLeast("From", o.From, 0)
}

// chart notes what warps do, nil where nobody asks.
func (o *SimulateOptions) chart(cfg *sim.Config) *gantt.Recorder {
	if !o.Gantt {
		return nil
	}
	r := &gantt.Recorder{FromCycle: o.From, ToCycle: o.To}
	if o.noted != nil {
		cfg.Observers = append(cfg.Observers, &blockObserver{of: r, block: *o.noted})
	} else {
		cfg.Observers = append(cfg.Observers, r)
	}
	return r
}

// blockObserver lets a recorder see one block alone.
type blockObserver struct {
	sim.NopObserver
	of    *gantt.Recorder
	block int64
}

// Issue implements sim.Observer.
func (o *blockObserver) Issue(e sim.IssueEvent) {
	if e.Block == o.block {
		o.of.Issue(e)
	}
}

// Wait implements sim.Observer.
func (o *blockObserver) Wait(e sim.WaitEvent) {
	if e.Block == o.block {
		o.of.Wait(e)
	}
}

// checkL1Order checks an order against what a GPU has.
func checkL1Order(order string, d *gpu.Description) error {
	if err := oneOf("L1Order", order, L1None, L1Dynamic, L1Reorder); err != nil {
		return err
	}
	if why := noCaches(order, d); why != "" {
		return &OptionError{Option: "L1Order", Value: order, Msg: why}
	}
	return nil
}

// noCaches says what a GPU lacks for an order of accesses, "" where it lacks nothing.
func noCaches(order string, d *gpu.Description) string {
	switch {
	case order == L1None:
	case !d.HasCaches():
		return d.Name + " has no tables [l1d], [l2] and [dram], expected a GPU with caches such as gtx480 or rtx3070"
	case order == L1Reorder && d.LDSTPath == nil:
		return d.Name + " has no table [ldst_path], expected the channels of a reordering unit"
	}
	return ""
}

func newSimulation(m *gpu.Machine, r *sim.Result) *Simulation {
	out := &Simulation{
		Kernel: r.Kernel, GPU: m, Model: r.Model, Policy: r.Policy, L1Order: r.L1Order,
		Cycles: r.Cycles, WarpInstructions: r.WarpInstructions, ThreadInstructions: r.ThreadInstructions, IPC: r.IPC,
		Blocks: r.Blocks, SMs: r.SMs, Schedulers: r.Schedulers, BlocksPerSM: r.BlocksPerSM, Occupancy: r.Occupancy,
		IssueCycles: r.IssueCycles, Stalls: maps.Clone(r.Stalls), Barriers: r.Barriers,
	}
	for _, u := range r.Units {
		out.Units = append(out.Units, UnitUse(u))
	}
	for i := range r.BlockTimes {
		b := &r.BlockTimes[i]
		to := BlockTime{Block: b.Block, SM: b.SM, Slot: b.Slot, StartCycle: b.StartCycle, EndCycle: b.EndCycle}
		for _, w := range b.Warps {
			to.Warps = append(to.Warps, WarpTime(w))
		}
		out.BlockTimes = append(out.BlockTimes, to)
	}
	if r.Memory != nil {
		u := &r.Memory.L1D
		out.L1D = &L1DUse{
			Accesses: u.Accesses, Loads: u.Loads, Stores: u.Stores, Atomics: u.Atomics,
			LoadMisses: u.LoadMisses, StoreMisses: u.StoreMisses, HitsReserved: u.HitsReserved,
		}
	}
	if s := r.Scheduling; s != nil {
		out.Scheduling = scheduling(s)
	}
	return out
}

func scheduling(s *sim.SchedulingStats) *Scheduling {
	return &Scheduling{
		Variant: s.Variant, FetchPolicy: s.FetchPolicy, IssuePolicy: s.IssuePolicy, Discrepancies: s.Discrepancies, Errors: s.Errors,
		NOPs: s.NOPs, Discarded: s.Discarded, ICacheHits: s.ICacheHits, ICacheMisses: s.ICacheMisses, ThreadIPC: s.ThreadIPC,
	}
}
