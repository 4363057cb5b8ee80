package method

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/choice"
	"github.com/warpbound/warpbound/internal/path"
	"github.com/warpbound/warpbound/internal/seq"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
)

// Source makes the kernels of one launch, each with its buffers as they are at the
// start.
type Source struct {
	Tainted func() (simt.Tainted, error)
	Fresh   func() (simt.Kernel, error)
	// Facts are what the launch states of all its executions, and With is the source of
	// the same launch with more facts; nil where there is none.
	Facts []facts.Fact
	With  func(more []facts.Fact) Source
}

// FrontEnd says how the front end of a machine is used; empty fields mean what
// the description says.
type FrontEnd struct {
	Variant     string // gpu.Baseline or gpu.SWaS
	FetchPolicy string // of the baseline, see gpu.ParseFrontPolicy
	IssuePolicy string // of the issue stage, and with gpu.SWaS of both
}

// On is what a front end is on a machine.
func (f *FrontEnd) On(d *gpu.Description) *FrontEnd {
	out := *f
	if of := d.FrontEnd; of != nil {
		out.Variant = cmp.Or(out.Variant, of.Variant)
		out.IssuePolicy = strings.ToLower(cmp.Or(out.IssuePolicy, of.IssuePolicy))
		out.FetchPolicy = strings.ToLower(cmp.Or(out.FetchPolicy, of.FetchPolicy))
	}
	if out.Variant == gpu.SWaS {
		out.FetchPolicy = out.IssuePolicy
	}
	return &out
}

// Question says what to bound of a launch on a machine, and on which variant of
// the machine. The zero value asks for every method of a plain machine.
type Question struct {
	// Methods of the plain machine; nil means all that need not be asked for by name.
	Methods []string
	// FrontEnd, if not nil, asks for the bounds of the machine with its front end
	// (docs/soundness/frontends.md, theorems 32 (declared policies) and 33 (SWaS, every
	// policy)).
	FrontEnd *FrontEnd
	// Policy, if not empty, names the policy that gives turns to warps: the figures of
	// Huangfu2017, Section IV-A, and the bounds for strict turns (theorems 19 (turns)
	// and 26 (several schedulers)).
	Policy string
	// Reordered asks for the machine with caches whose reordering unit enforces the
	// order of global accesses (theorems 20 (everything one after the other) and 21
	// (ORDER)).
	Reordered bool
	// BlocksPerSM is the number of resident blocks of an SM; 0 means as many as
	// fit.
	BlocksPerSM int
	// StagesOnly asks, where there is a bound of memory that serves SMs in turn, for
	// that one also if it is the larger.
	StagesOnly bool
	// Unrecorded allows for a report in which no input was executed, where executing one
	// takes long and all can be covered without.
	Unrecorded bool
	// NoInput says that no input is given.
	NoInput bool
	// Closed covers every input by one block and one iteration of each loop that stand
	// for all others, also where every block and iteration can be followed by itself.
	Closed bool

	// Parametric names scalar arguments with ranges in which the bound is to be a formula:
	// it asks for Closed, too.
	Parametric []string

	// Loops asks what is known of every loop, and Missing for all whose bounds are missing
	// where one is.
	Loops, Missing bool

	Limits   simt.Limits
	Progress func(done, total int64) // blocks
}

// Machine is the kind of machine asked about.
func (q *Question) Machine() MachineKind {
	switch {
	case q.Policy != "":
		return InTurns
	case q.Reordered:
		return InOrder
	case q.FrontEnd != nil:
		return WithFrontEnd
	}
	return Plain
}

// Facts is what is known of a launch on a machine before it is bounded. Methods
// share computed results through it.
type Facts struct {
	Kernel      string
	Grid, Block [3]int
	Warps       int   // of a block
	Blocks      int64 // of the grid
	Machine     *gpu.Machine
	Occupancy   gpu.Occupancy
	// Registers is what a thread needs of the register file, in 32-bit registers,
	// and RegisterRule how they were counted.
	Registers    int
	RegisterRule string
	SharedBytes  int64 // of a block, dynamic part included
	Program      *isa.Program
	Timing       []gpu.Timing // by PC
	Path         *path.Recorded
	// ThisInput is the path that was recorded, where Path is what the launch may execute
	// for all inputs and that depends on data; nil otherwise.
	ThisInput *path.Recorded
	// LoopBounds are bounds on loops that Path relies on then, as the launch states them,
	// and Unknown memory that is not known although the launch says so.
	LoopBounds, Unknown []string
	// Ranges are those that the launch declares of scalar arguments and of elements of
	// buffers. What holds for all inputs holds for all in these ranges.
	Ranges []simt.Range
	// Unrecorded says why no input was executed; Path is what the launch may execute then.
	Unrecorded string
	// Closed says that one block and one iteration of a loop stand in Path for others.
	Closed bool
	// Functions are the instructions whose open results Path takes to be functions of their
	// operands (assumption A36), where it does.
	Functions []isa.Position
	// InputDependent are the observations that tie the recorded streams to the
	// contents of buffers not marked known; empty where they hold for all inputs.
	InputDependent []simt.Taint
	// OpenDependent are those that tie them to results that the instruction set
	// leaves open, and OpenResults the instructions that gave such results.
	OpenDependent, OpenResults []simt.Taint

	// Seen is what the recorded execution did in loops, where facts are checked or loops
	// asked for; nil otherwise. Covered is what the covering execution found of them, by
	// the instruction at which they begin, where loops are asked for.
	Seen    *facts.Tracker
	Covered map[int32]facts.Covered

	Source   Source
	Question Question

	once map[any]any
}

// Once is what compute makes for a key, computed the first time it is asked for.
func Once[K comparable, V any](f *Facts, key K, compute func() (V, error)) (V, error) {
	if x, ok := f.once[key]; ok {
		o := x.(outcome[V])
		return o.value, o.err
	}
	v, err := compute()
	if f.once == nil {
		f.once = map[any]any{}
	}
	f.once[key] = outcome[V]{v, err}
	return v, err
}

type outcome[V any] struct {
	value V
	err   error
}

// Prepare states a kernel on a machine: occupancy and timing. Nothing is executed,
// and Path is nil.
func Prepare(k simt.Kernel, m *gpu.Machine, q Question) (*Facts, error) {
	if k.WarpSize() != m.Desc.SM.WarpSize {
		return nil, fmt.Errorf("kernel %s is executed in warps of %d lanes, expected %d as those of %s", k.Program().Name, k.WarpSize(), m.Desc.SM.WarpSize, m.Desc.Name)
	}
	p := k.Program()
	f := &Facts{
		Program: p, Registers: p.RegisterUnits, RegisterRule: p.RegisterRule, SharedBytes: k.SharedBytes(), Kernel: p.Name, Grid: k.Grid(), Block: k.BlockDim(), Machine: m,
		Warps: simt.NumWarps(k.BlockDim(), k.WarpSize()), Blocks: simt.NumBlocks(k.Grid()), Question: q,
	}
	if ranged, ok := k.(interface{ Ranges() []simt.Range }); ok {
		f.Ranges = ranged.Ranges()
	}
	var err error
	if f.Timing, f.Occupancy, err = simt.Fit(k, m); err != nil {
		return nil, err
	}
	switch n := int64(q.BlocksPerSM); {
	case n > f.Occupancy.Blocks:
		return nil, &BlocksError{Asked: n, Fit: f.Occupancy}
	case n > 0:
		f.Occupancy.Blocks = n
	}
	return f, nil
}

// BlocksError says that more blocks were to be resident on an SM than fit.
type BlocksError struct {
	Asked int64
	Fit   gpu.Occupancy
}

func (e *BlocksError) Error() string {
	return fmt.Sprintf("%d blocks an SM: %s", e.Asked, e.Expected())
}

// Expected says what was expected.
func (e *BlocksError) Expected() string {
	return fmt.Sprintf("expected at most the %d that fit (limit: %s)", e.Fit.Blocks, e.Fit.Limiter)
}

// Within lists the ranges for which what holds for all inputs does, "" where there are
// none. Elements of buffers matter only where they are relied on.
func (f *Facts) Within() string {
	var out []string
	for _, r := range f.Ranges {
		if !r.Buffer || f.Closed {
			out = append(out, r.String())
		}
	}
	return strings.Join(out, ", ")
}

// FactsText names the facts that the path relies on: bounds on loops, where there are no
// others.
func (f *Facts) FactsText() string {
	if slices.ContainsFunc(f.Source.Facts, func(x facts.Fact) bool { return x.Kind != facts.PerEntry }) {
		return "facts"
	}
	return "bounds on loops"
}

// Observe records what ties the streams of an executed kernel to data and to open
// results.
func (f *Facts) Observe(k simt.Tainted) {
	f.InputDependent = f.relevant(k.Taints())
	depend, results := k.Open()
	f.OpenDependent, f.OpenResults = f.relevant(depend), results
}

// relevant drops tainted addresses that timing does not depend on: those of
// accesses whose transactions are not counted.
func (f *Facts) relevant(taints []simt.Taint) []simt.Taint {
	var out []simt.Taint
	for _, t := range taints {
		if t.Kind == simt.TaintAddress && f.Timing[t.PC].Transactions == gpu.OneTransaction {
			continue
		}
		out = append(out, t)
	}
	return out
}

// AllInputs says that the figures hold whatever the buffers not marked known
// contain, in every order of warps. Otherwise they bound the recorded input
// only.
func (f *Facts) AllInputs() bool {
	return f.ThisInput != nil || f.Unrecorded != "" || len(f.InputDependent) == 0 && f.Path.Instructions > 0
}

// Covering is the same launch with what it may execute for all inputs.
func (f *Facts) Covering(p *path.Recorded) *Facts {
	out := *f
	out.Path, out.ThisInput, out.once = p, f.Path, nil
	return &out
}

// On is the same launch, and what it executes, on another machine. Of that its timing and how
// many blocks are resident have to be known; transactions are those of p.
func (f *Facts) On(m *gpu.Machine, timing []gpu.Timing, fit gpu.Occupancy, p *path.Recorded) *Facts {
	out := *f
	out.Machine, out.Timing, out.Occupancy, out.Path, out.once = m, timing, fit, p, nil
	return &out
}

// Single is the same launch with the path that was recorded.
func (f *Facts) Single() *Facts {
	if f.ThisInput == nil {
		return f
	}
	out := *f
	out.Path, out.ThisInput, out.once = f.ThisInput, nil, nil
	return &out
}

// WholeScope is the scope of the whole launch.
func (f *Facts) WholeScope() bound.Scope {
	if f.Machine.Desc.SM.Count == 1 {
		return bound.SM
	}
	return bound.Kernel
}

// Irregular says why the barriers do not split the warps into sections, nil where
// they do.
func (f *Facts) Irregular() *bound.Refusal {
	if f.Path.Irregular == "" {
		return nil
	}
	id := bound.BarrierKind
	if f.Path.Timed {
		id = bound.PathCovers
	}
	return &bound.Refusal{Reason: f.Path.Irregular, Assumption: id}
}

// SeveralPaths says why a method that reads the one sequence of every warp has
// none here, nil where every warp has one (docs/soundness/inputs.md, section 23).
func (f *Facts) SeveralPaths() *bound.Refusal {
	for _, c := range f.Path.Classes {
		for _, w := range c.Warps {
			if w.Warp.HasChoices() {
				return &bound.Refusal{Assumption: bound.PathCovers, Reason: SeveralPaths}
			}
		}
	}
	return nil
}

// SeveralPaths is why methods are refused that read the one sequence of every warp.
const SeveralPaths = "control depends on data that is not known, so a warp may take several paths; the method reads the one sequence of every warp"

// Limits are what facts say of the paths of warps beyond their expressions; nil for
// nothing.
func (f *Facts) Limits() *choice.Limits {
	l, _ := Once(f, limitsKey{}, func() (*choice.Limits, error) {
		if f.Path == nil || len(f.Path.Limits)+len(f.Path.Exclusions) == 0 {
			return nil, nil
		}
		return &choice.Limits{Limits: f.Path.Limits, Exclusions: f.Path.Exclusions}, nil
	})
	return l
}

type limitsKey struct{}

// work is the launch in the terms of the theorems.
type work struct {
	ops     []Op
	classes []BlockClass
	alone   []*Stream // of each distinct warp, as it runs alone
	aloneOf map[*path.Warp]int
}

func (f *Facts) work() *work {
	w, _ := Once(f, workKey{}, func() (*work, error) { return f.makeWork(), nil })
	return w
}

type workKey struct{}

// Ops are the instructions of the theorems, by symbol of Path. The caller must not
// change them.
func (f *Facts) Ops() []Op { return f.work().ops }

// Classes are the classes of blocks, those of Path.
func (f *Facts) Classes() []BlockClass { return f.work().classes }

// Alone are the distinct warps, each as it runs alone.
func (f *Facts) Alone() []*Stream { return f.work().alone }

// AloneOf is the index in Alone of a warp of Path.
func (f *Facts) AloneOf(w *path.Warp) int { return f.work().aloneOf[w] }

// makeWork turns the recorded classes into those of the theorems: symbols become
// ops, and warps of one class are split by scheduler.
func (f *Facts) makeWork() *work {
	out := &work{aloneOf: map[*path.Warp]int{}, ops: make([]Op, len(f.Path.Symbols))}
	for i, s := range f.Path.Symbols {
		out.ops[i] = f.Op(s.PC, s.Transactions)
	}
	whole := f.Limits()
	part := whole.Part()
	programs := map[*path.Warp]*Stream{}
	schedulers := f.Machine.Desc.SM.Schedulers
	for _, c := range f.Path.Classes {
		b := &Block{}
		for _, wc := range c.Warps {
			p := programs[wc.Warp]
			if p == nil {
				p = &Stream{Ops: out.ops, Sections: wc.Warp.Sections, Choices: wc.Warp.Choices, Limits: whole, Stages: wc.Warp.Stages}
				if len(p.Choices) > 1 || p.Stages != nil {
					p.Limits = part
				}
				alone := p
				switch {
				case f.neverWaits() && len(wc.Warp.Choices) == 0:
					alone = &Stream{Ops: out.ops, Sections: []*seq.Seq{wc.Warp.Whole}}
				case f.neverWaits() && wc.Warp.WholeChoice != nil:
					alone = &Stream{Ops: out.ops, Choices: []*choice.Expr{wc.Warp.WholeChoice}, Limits: whole}
				}
				programs[wc.Warp] = p
				out.aloneOf[wc.Warp] = len(out.alone)
				out.alone = append(out.alone, alone)
			}
			if f.Warps == 1 {
				p = out.alone[out.aloneOf[wc.Warp]]
			}
			perCore := make([]int64, schedulers)
			for _, id := range wc.IDs {
				perCore[id%schedulers]++
			}
			for core, n := range perCore {
				if n > 0 {
					b.Classes = append(b.Classes, WarpClass{Stream: p, Count: n, SubCore: core})
				}
			}
		}
		out.classes = append(out.classes, BlockClass{Block: b, Count: c.Blocks})
	}
	return out
}

// neverWaits says that a warp alone in its block passes its barriers as if they
// were plain instructions, so that they do not split it into sections.
func (f *Facts) neverWaits() bool {
	b := f.Machine.Desc.Barrier
	return !b.Draining && b.DelayCycles == 0
}

// Op is what an instruction is to the theorems.
func (f *Facts) Op(pc, transactions int32) Op {
	t, in := &f.Timing[pc], &f.Program.Instructions[pc]
	op := Op{Unit: int(t.Unit), InitCycles: t.Initiation(int(transactions)), LatencyCycles: t.LatencyCycles}
	for _, reg := range in.Reads {
		op.Reads = append(op.Reads, int32(reg))
	}
	for _, reg := range in.Writes {
		op.Writes = append(op.Writes, int32(reg))
	}
	if f.Machine.Desc.Issue.InterlockWAW {
		op = WithWAW(op)
	}
	return op
}
