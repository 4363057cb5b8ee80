package analysis

import (
	"context"
	"fmt"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/multiphase"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/verify/fault"
	"github.com/warpbound/warpbound/isa"
)

// TaintedKernel is a kernel that follows which values depend on buffers whose
// contents an analysis may not rely on.
type TaintedKernel interface {
	simt.Kernel
	// Taints lists the branches, addresses and barriers that were seen to depend
	// on such buffers, by PC.
	Taints() []simt.Taint
	// Open lists what was seen to depend on results that the instruction set leaves
	// open, beyond what Taints lists, and the instructions that gave such results.
	Open() (depend, results []simt.Taint)
}

// Options of Run. The zero value asks for every method.
type Options struct {
	Methods  []string // of Methods; nil means all, and Makespan where it is safe
	Limits   simt.Limits
	Progress func(done, total int64) // blocks recorded
	// FrontEnd, if not nil, asks for the replay of the declared policies
	// (docs/soundness.md, theorem 32). The other bounds are then marked as those of
	// a machine without a front end.
	FrontEnd *FrontEnd
}

// Report is what is known about the time of a launch on a machine.
type Report struct {
	Kernel      string
	Grid, Block [3]int
	Warps       int   // of a block
	Blocks      int64 // of the grid
	Machine     *gpu.Machine
	Occupancy   gpu.Occupancy
	// L1Order is sim.L1Reorder for a report of RunOrdered, else sim.L1None.
	L1Order string
	// Policy is the one that a report of RunSegments is for; other bounds hold for
	// every work-conserving policy.
	Policy string
	// FrontEnd is the one that Best is for, nil where the bounds are of a machine
	// without one. No field of it is empty.
	FrontEnd *FrontEnd
	// Registers is what a thread needs of the register file, in 32-bit registers,
	// and RegisterRule how they were counted.
	Registers    int
	RegisterRule string
	Timing       []gpu.Timing // by PC
	Path         *path.Launch
	// InputDependent are the observations that tie the recorded streams to the
	// contents of buffers not marked known; empty where they hold for all inputs.
	InputDependent []simt.Taint
	// OpenDependent are those that tie them to results that the instruction set
	// leaves open, and OpenResults the instructions that gave such results.
	OpenDependent, OpenResults []simt.Taint

	Scopes []*bound.Result // warp, block, then sm or kernel
	// Best is the smallest safe bound on the whole launch.
	Best *bound.Bound

	program      *isa.Program
	hardware     method.Hardware
	options      multiphase.Options
	analyzer     *multiphase.Analyzer // nil where barriers are irregular
	classes      []method.BlockClass
	alone        []*method.Program // of each distinct warp, as it runs alone
	aloneOf      map[*path.Warp]*method.Program
	slowestBlock int      // index in Path.Classes
	serial       bool     // the serial bound was asked for
	volumes      *volumes // nil where the makespan bound is not computed
}

// AllInputs says that the figures hold whatever the buffers not marked known
// contain, in every order of warps. Otherwise they are of the input that was
// recorded, and bound nothing else.
func (r *Report) AllInputs() bool { return len(r.InputDependent) == 0 && r.Path.Instructions > 0 }

// Scope returns the result for a scope, nil where there is none.
func (r *Report) Scope(s bound.Scope) *bound.Result {
	for _, x := range r.Scopes {
		if x.Scope == s {
			return x
		}
	}
	return nil
}

// Run analyses a launch. The kernel is executed as path.Record does it: one block
// of each class of blocks that provably take one path, or all blocks in order.
func Run(ctx context.Context, k TaintedKernel, m *gpu.Machine, opt Options) (*Report, error) {
	r, err := prepare(k, m)
	if err != nil {
		return nil, err
	}
	methods, err := selectMethods(opt.Methods)
	if err != nil {
		return nil, err
	}
	watch := newSpawnWatch(k)
	recorded := simt.Kernel(k)
	if opt.FrontEnd != nil {
		recorded = watch
	}
	r.Path, err = path.Record(ctx, recorded, m, r.Timing, path.Options{Limits: opt.Limits, Progress: opt.Progress})
	if err != nil {
		return nil, err
	}
	r.observe(k)
	if err := r.bound(ctx, methods); err != nil {
		return nil, err
	}
	if opt.FrontEnd != nil {
		r.FrontEnd = opt.FrontEnd.on(m.Desc)
		if err := r.addReplay(ctx, *opt.FrontEnd, watch.blocks); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func prepare(k simt.Kernel, m *gpu.Machine) (*Report, error) {
	if k.WarpSize() != m.Desc.SM.WarpSize {
		return nil, fmt.Errorf("kernel %s is executed in warps of %d lanes, expected %d as those of %s", k.Program().Name, k.WarpSize(), m.Desc.SM.WarpSize, m.Desc.Name)
	}
	p := k.Program()
	r := &Report{
		program: p, Registers: p.RegisterUnits, RegisterRule: p.RegisterRule, Kernel: p.Name, Grid: k.Grid(), Block: k.BlockDim(), Machine: m, L1Order: sim.L1None,
		Warps: simt.NumWarps(k.BlockDim(), k.WarpSize()), Blocks: simt.NumBlocks(k.Grid()),
	}
	var err error
	if r.Timing, err = m.Resolve(p); err != nil {
		return nil, err
	}
	r.Occupancy, err = m.Occupancy(gpu.OccupancyInput{
		RegistersPerThread: int64(p.RegisterUnits),
		SharedBytes:        k.SharedBytes(),
		ThreadsPerBlock:    int64(r.Block[0]) * int64(r.Block[1]) * int64(r.Block[2]),
	})
	return r, err
}

// observe takes from a kernel that was executed what ties its streams to data and
// to open results.
func (r *Report) observe(k TaintedKernel) {
	r.InputDependent = r.relevant(k.Taints())
	depend, results := k.Open()
	r.OpenDependent, r.OpenResults = r.relevant(depend), results
}

// relevant drops tainted addresses that timing does not depend on: those of
// accesses whose transactions are not counted.
func (r *Report) relevant(taints []simt.Taint) []simt.Taint {
	var out []simt.Taint
	if fault.On(fault.RoadTaintForgotten) {
		return nil
	}
	for _, t := range taints {
		if t.Kind == simt.TaintAddress && r.Timing[t.PC].Transactions == gpu.OneTransaction {
			continue
		}
		out = append(out, t)
	}
	return out
}

func (r *Report) bound(ctx context.Context, methods selection) error {
	hw := hardware(r.Machine, r.Occupancy.Blocks)
	ledger := r.ledger()
	r.makeBlocks()
	if r.Path.Irregular != "" {
		r.refuseIrregular()
	} else {
		r.hardware, r.options = hw, multiphase.Options{Methods: methods.multi, Ledger: ledger}
		var err error
		if r.analyzer, err = multiphase.NewAnalyzer(hw, r.options); err != nil {
			return err
		}
		if err := r.multiphase(ctx); err != nil {
			return err
		}
	}
	r.serial = methods.serial && !r.Path.Timed
	if r.serial {
		if err := r.addSerial(ledger); err != nil {
			return err
		}
	}
	if err := r.addMakespan(methods.makespan, ledger); err != nil {
		return err
	}
	if last := r.Scopes[len(r.Scopes)-1]; last.Best >= 0 {
		r.Best = &last.Bounds[last.Best]
	}
	return nil
}

func (r *Report) multiphase(ctx context.Context) error {
	a := r.analyzer
	warps := r.alone
	warp, _, err := slowest(len(warps), func(i int) (*bound.Result, error) { return a.Warp(ctx, warps[i]) })
	if err != nil {
		return fmt.Errorf("one warp: %w", err)
	}
	block, index, err := slowest(len(r.classes), func(i int) (*bound.Result, error) { return a.Block(ctx, r.classes[i].Block) })
	if err != nil {
		return fmt.Errorf("one block: %w", err)
	}
	r.slowestBlock = index
	all := a.Kernel
	switch hw, even := spread(r.hardware, r.Machine, r.Blocks); {
	case r.Machine.Desc.SM.Count == 1:
		all = a.SM
	case even:
		opt := r.options
		opt.Ledger = append([]bound.Assumption{
			bound.Assume(bound.GreedyBlocks, bound.Enforced, fmt.Sprintf("breadth-first: all %d blocks start at once, at most %d on an SM", r.Blocks, hw.SlotsPerSM)),
			bound.Assume(bound.SlotRule, bound.Enforced, fmt.Sprintf("%d slot(s) on each of %d SM(s)", r.hardware.SlotsPerSM, r.hardware.SMs)),
		}, opt.Ledger...)
		wide, err := multiphase.NewAnalyzer(hw, opt)
		if err != nil {
			return err
		}
		all = wide.Kernel
	}
	whole, err := all(ctx, r.classes)
	if err != nil {
		return fmt.Errorf("whole launch: %w", err)
	}
	r.Scopes = []*bound.Result{warp, block, whole}
	return nil
}

// slowest returns the result with the largest best bound, or the largest first
// bound where none is safe; the first of equals.
func slowest(n int, result func(int) (*bound.Result, error)) (*bound.Result, int, error) {
	cycles := func(r *bound.Result) int64 {
		switch {
		case r.Best >= 0:
			return r.Bounds[r.Best].Cycles
		case len(r.Bounds) > 0:
			return r.Bounds[0].Cycles
		}
		return -1
	}
	var worst *bound.Result
	index := 0
	for i := range n {
		r, err := result(i)
		if err != nil {
			return nil, 0, err
		}
		if worst == nil || cycles(r) > cycles(worst) {
			worst, index = r, i
		}
	}
	return worst, index, nil
}

// makeBlocks turns the recorded classes into those of internal/method/multiphase: symbols
// become ops, and warps of one class are split by scheduler.
func (r *Report) makeBlocks() {
	ops := r.ops()
	r.aloneOf = map[*path.Warp]*method.Program{}
	programs := map[*path.Warp]*method.Program{}
	schedulers := r.Machine.Desc.SM.Schedulers
	for _, c := range r.Path.Classes {
		b := &method.Block{}
		for _, wc := range c.Warps {
			p := programs[wc.Warp]
			if p == nil {
				p = &method.Program{Ops: ops, Sections: wc.Warp.Sections}
				alone := p
				if r.neverWaits() {
					alone = &method.Program{Ops: ops, Sections: []*seq.Seq{wc.Warp.Whole}}
				}
				programs[wc.Warp] = p
				r.aloneOf[wc.Warp] = alone
				r.alone = append(r.alone, alone)
			}
			if r.Warps == 1 {
				p = r.aloneOf[wc.Warp]
			}
			perCore := make([]int64, schedulers)
			for _, id := range wc.IDs {
				core := id % schedulers
				if fault.On(fault.RoadWarpsInHalves) {
					core = id * schedulers / r.Warps
				}
				perCore[core]++
			}
			for core, n := range perCore {
				if n > 0 {
					b.Classes = append(b.Classes, method.WarpClass{Program: p, Count: n, SubCore: core})
				}
			}
		}
		r.classes = append(r.classes, method.BlockClass{Block: b, Count: c.Blocks})
	}
}

// neverWaits says that a warp without companions passes its barriers as if they
// were plain instructions, so that they split it into no sections.
func (r *Report) neverWaits() bool {
	b := r.Machine.Desc.Barrier
	return !b.Draining && b.DelayCycles == 0
}

func (r *Report) ops() []method.Op {
	ops := make([]method.Op, len(r.Path.Symbols))
	for i, s := range r.Path.Symbols {
		ops[i] = r.op(s.PC, s.Transactions)
	}
	return ops
}

// op is what an instruction is to the bounds.
func (r *Report) op(pc, transactions int32) method.Op {
	t, in := &r.Timing[pc], &r.program.Instructions[pc]
	op := method.Op{Unit: int(t.Unit), InitCycles: t.Initiation(int(transactions)), LatencyCycles: t.LatencyCycles}
	for _, reg := range in.Reads {
		op.Reads = append(op.Reads, int32(reg))
	}
	for _, reg := range in.Writes {
		op.Writes = append(op.Writes, int32(reg))
	}
	if n := len(op.Reads); n > 0 && fault.On(fault.RoadLastSourceDropped) {
		op.Reads = op.Reads[:n-1]
	}
	if op.LatencyCycles > 0 && fault.On(fault.RoadLatencyOffByOne) {
		op.LatencyCycles--
	}
	if r.Machine.Desc.Issue.InterlockWAW && !fault.On(fault.RoadWAWDropped) {
		op = method.WithWAW(op)
	}
	return op
}
