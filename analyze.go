package warpbound

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/conf"
	formulas "github.com/warpbound/warpbound/internal/formula"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/internal/simt/facts"
	"github.com/warpbound/warpbound/isa"
	"github.com/warpbound/warpbound/launch"
)

// How global accesses reach the L1 data cache, in options named L1Order.
const (
	L1None    = sim.L1None    // no caches: global memory has the latency of the description
	L1Dynamic = sim.L1Dynamic // caches, in the order in which load/store units send accesses
	L1Reorder = sim.L1Reorder // caches, in the order that a reordering unit enforces
)

// AnalyzeOptions choose what Analyze bounds. The zero value asks for every general
// method on [DefaultGPU].
type AnalyzeOptions struct {
	GPU *gpu.Machine // nil for DefaultGPU
	// Methods of [Methods] with Machine "plain", and All; nil for All.
	Methods []string
	// Policy asks for the bounds of this warp scheduling policy, by its turns.
	Policy string
	// L1Order is L1None, which is "" too, or L1Reorder.
	L1Order string
	// FrontEnd is that of the machine, which excludes Policy and L1Order.
	FrontEnd FrontEnd
	// BlocksPerSM is how many blocks are resident on an SM, 0 for as many as fit.
	BlocksPerSM int
	// MaxInstructions ends the execution of the kernel with ErrInstructionLimit; 0
	// for no limit.
	MaxInstructions int64
	// Loops asks for the loops of the kernel, Analysis.Loops, of a machine without
	// Policy, L1Order and FrontEnd.
	Loops bool
	// Parametric names scalar arguments with a range, and extents of the grid with one
	// (grid.x, grid.y, grid.z) and of blocks of several sizes (block.x, block.y, block.z), in
	// which Analysis.Formula is to be: every input is covered in closed form then. Of a
	// machine as Loops.
	Parametric []string
	// By asks for Analysis.Costs, the cycles of the best bound by what they belong to: one
	// of CostsBy.
	By string
	// Annotate asks for the lines of the sources with their costs beside them in the report,
	// where By is "line" or "call".
	Annotate bool
	// WhatIf asks for Analysis.WhatIf, what becomes of the best bound where one thing is
	// changed. Of a machine as Loops.
	WhatIf   bool
	Progress func(Progress) // told now and then how far it is; may be nil
}

// LoopBound is what is known of a loop of a kernel.
type LoopBound struct {
	PC          int32  // of its first instruction
	Label       string // of that, "" where it has none
	Pos, Source isa.Position
	Function    string
	Depth       int // 1 for a loop that is in no other
	// Origin is where Most comes from: "executed" where what ends the loop is known,
	// "computed" where data may end it earlier, "fact" where a fact of the launch ends
	// it, "unbounded" where data alone do, "this input" where nothing is known of
	// others, "not known" where no input was executed either, or "not entered".
	Origin string
	// Most is the most ways back to its head for one entry, of any thread; -1 where
	// there is no bound.
	Most int64
	// AllInputs says that Origin and Most hold for every input.
	AllInputs bool
	// SeenEntry, SeenThread and SeenWarp are the most ways back that the recorded input
	// makes, for an entry, in all by a thread, and in all by a warp.
	SeenEntry, SeenThread, SeenWarp int64
	Facts                           []string // of the launch about it
	Decides                         string   // what of the data decides whether it goes on, "" where they do not
}

// MissingBound is a loop that data alone end and that no fact of the launch bounds.
type MissingBound struct {
	PC          int32  // of its first instruction
	Label       string // of that, "" where it has none
	Pos, Source isa.Position
	Decides     string // what of the data decides whether it goes on
	// Fact is the line that is missing under [loops] of the launch file or of a file of
	// facts, with a number to be replaced.
	Fact string
}

// Analysis is what is known of the time of a launch on a GPU.
type Analysis struct {
	Kernel      string
	GPU         *gpu.Machine
	Grid, Block [3]int // the largest grid where it has a range
	Blocks      int64  // of the grid
	Warps       int    // of a block
	// Occupancy says how many blocks an SM holds, and what limits them.
	Occupancy gpu.Occupancy
	// Instructions are the warp instructions of the launch; 0 where they are not
	// recorded (L1Reorder).
	Instructions int64
	// AllInputs says that the bounds hold whatever the buffers that the launch does
	// not mark as known contain. Otherwise they are of the input that the launch
	// states and bound nothing else, and NotCovered says why.
	AllInputs  bool
	NotCovered string
	// MissingBounds are the loops that need a bound before there is one for all inputs,
	// where that is the reason, in the order of the program.
	MissingBounds []MissingBound
	// Dependences are the instructions whose effect on the path depends on those
	// contents. Where there are some and AllInputs holds, every way is covered.
	Dependences []Dependence
	// ThisInput is the smallest figure for the input that the launch states, where it
	// is another than the bound for all inputs; nil otherwise.
	ThisInput *bound.Bound
	// Scopes are the bounds of one warp alone, one block alone, and the launch; those
	// of one warp are left out where there are none. The last is the launch.
	Scopes []*bound.Result
	// Best is the smallest safe bound on the launch, nil where there is none.
	Best *bound.Bound
	// Loops are the loops of the kernel, in the order of the program, where they are
	// asked for.
	Loops []LoopBound
	// Formula is the bound by the method sum as a formula in what Parametric names, nil where
	// nobody asks for it.
	Formula *Formula
	// Costs are the cycles of Best by what they belong to, where By asks for it.
	Costs *Costs
	// WhatIf is what becomes of Best where one thing is changed, where it is asked for.
	WhatIf *WhatIf
	// Sizes are the bounds for each size of block, in ascending order, where a kernel is
	// analysed for several; what else is here is of the slowest.
	Sizes []BlockSize

	sizeRanges []formulas.Argument

	loops    []analysis.LoopBound
	annotate bool // the costs
	whole    *analysis.Report
	path     string
	file     *launch.Launch
	outcome  *load.Outcome
}

// Report is the analysis as the command analyze prints it. With explain its text has
// the phases of the slowest warp, what each assumption says, and why methods give no
// bound, too.
func (a *Analysis) Report(explain bool) (*Report, error) {
	_, d, err := a.forms(explain)
	if err != nil {
		return nil, err
	}
	return &Report{d}, nil
}

// forms are the JSON form of the analysis, and all its forms.
func (a *Analysis) forms(explain bool) (*report.AnalysisDocument, *report.Document, error) {
	d, err := report.Analysis(a.path, a.whole)
	if err != nil {
		return nil, nil, err
	}
	d.AddLoops(a.whole, a.loops)
	var sizes []report.BlockSizeDocument
	for _, x := range a.Sizes {
		sizes = append(sizes, report.BlockSizeDocument{Block: x.Block, Cycles: x.Cycles})
	}
	d.AddSizes(sizes, a.sizeRanges)
	if a.Formula != nil {
		d.AddFormula(a.Formula.of)
	}
	if a.Costs != nil {
		text := newLines(filepath.Dir(a.file.Kernel))
		d.AddCosts(a.Costs.of, text.text)
		if a.annotate {
			d.AnnotateCosts(a.Costs.of, text.all)
		}
	}
	if a.WhatIf != nil {
		d.AddWhatIf(a.WhatIf.of)
	}
	var worst *analysis.WorstPath
	if explain {
		if worst, err = a.whole.Worst(context.Background()); err != nil {
			return nil, nil, err
		}
	}
	return d, d.Document(a.whole, a.outcome, explain, worst), nil
}

// Dependence is an instruction whose effect on the path depends on data.
type Dependence struct {
	Kind     string // branch, address, barrier, order or unfollowed
	PC       int32
	Pos      isa.Position // in the kernel's file
	Source   isa.Position // in the language the kernel was written in, where that is known
	Register string       // that carries the dependence, "" where none does
}

func dependence(t *simt.Taint) Dependence {
	return Dependence{Kind: t.Kind.String(), PC: t.PC, Pos: t.Pos, Source: t.Source, Register: t.Register}
}

// Scope is the result of a scope, nil where there is none. The whole launch is
// bound.SM on a GPU of one SM, and bound.Kernel on one with more; [Analysis.Whole]
// gives either.
func (a *Analysis) Scope(s bound.Scope) *bound.Result {
	for _, r := range a.Scopes {
		if r.Scope == s {
			return r
		}
	}
	return nil
}

// Whole is the result of the whole launch.
func (a *Analysis) Whole() *bound.Result { return a.Scopes[len(a.Scopes)-1] }

// Time is how long a number of cycles takes at the clock of the GPU, rounded up to
// nanoseconds.
func (a *Analysis) Time(cycles int64) time.Duration {
	khz := a.GPU.Desc.Clock.CoreKHz
	whole, rest := cycles/khz, cycles%khz
	return time.Duration(whole)*time.Millisecond + time.Duration((rest*1_000_000+khz-1)/khz)
}

// Analyze bounds how long a launch takes at worst: one warp alone, one block alone,
// and all of it, by every method whose conditions hold on the GPU. Which do not, and
// why, is in bound.Result.Refused.
//
// The bounds are of the model of the GPU description, and each lists the assumptions
// it rests on. A kernel that fails is a [KernelError]. With an [ExitError], which a
// RISC-V program can cause, the Analysis is complete, too.
func (l *Launch) Analyze(ctx context.Context, opt AnalyzeOptions) (*Analysis, error) {
	return l.analyze(ctx, opt, false)
}

func (l *Launch) analyze(ctx context.Context, opt AnalyzeOptions, noInput bool) (*Analysis, error) {
	on, m, err := l.on(opt.GPU, DefaultGPU)
	if err != nil {
		return nil, err
	}
	tell := newTeller("recording blocks", l.Program(), opt.Progress)
	q, err := opt.question(m, tell)
	if err != nil {
		return nil, err
	}
	tell.at.Task = tasks[q.Machine()]
	if q.NoInput = noInput; noInput && q.Machine() != method.Plain {
		return nil, &OptionError{Option: "Policy", Msg: "front ends, policies and orders of accesses are for launches, expected a launch file"}
	}
	on.ReportLoops = opt.Loops
	r, err := analysis.Run(ctx, source(on), m, q)
	var refused *analysis.NotCoveredError
	if err != nil && (!errors.As(err, &refused) || !opt.Loops) {
		return nil, explainOf(on, err)
	}
	a := newAnalysis(on, r)
	if a.loops, err = r.BoundLoops(ctx); err != nil {
		return nil, explainOf(on, err)
	}
	for i := range a.loops {
		a.Loops = append(a.Loops, loopBound(r.Program, &a.loops[i]))
	}
	if refused != nil {
		return a, explainOf(on, refused)
	}
	a.annotate = opt.Annotate
	if err := a.attribute(ctx, opt.By); err != nil {
		return nil, explainOf(on, err)
	}
	if err := a.tryChanges(ctx, opt.WhatIf); err != nil {
		return nil, explainOf(on, err)
	}
	f, err := r.Formula(ctx)
	if err != nil {
		var no *analysis.NoFormulaError
		if errors.As(err, &no) {
			return nil, &OptionError{Option: "Parametric", Msg: no.Error()}
		}
		return nil, explainOf(on, err)
	}
	if f != nil {
		a.Formula = newFormula(formulas.Single(f), a)
	}
	return a, exit(on)
}

// attribute lists the cycles of the bound by what they belong to, if somebody asks.
func (a *Analysis) attribute(ctx context.Context, by string) error {
	if by == "" {
		return nil
	}
	of, err := a.whole.Attribute(ctx, by)
	if err != nil {
		return err
	}
	if of == nil {
		return &OptionError{Option: "By", Value: by, Msg: "no bound on the launch is safe, expected no list of its cycles"}
	}
	a.Costs = newCosts(of)
	return nil
}

// tryChanges finds what becomes of the bound where one thing is changed, if somebody asks.
func (a *Analysis) tryChanges(ctx context.Context, asked bool) error {
	if !asked {
		return nil
	}
	of, err := a.whole.WhatIf(ctx)
	if err != nil {
		return err
	}
	if of == nil {
		return &OptionError{Option: "WhatIf", Msg: "no bound on the launch is safe, expected no changes of it"}
	}
	a.WhatIf = newWhatIf(of)
	return nil
}

func loopBound(p *isa.Program, l *analysis.LoopBound) LoopBound {
	in := &p.Instructions[l.Head]
	out := LoopBound{
		PC: l.Head, Label: facts.Label(p, l.Head), Pos: in.Pos, Source: in.Source, Function: p.Functions[l.Function].Name, Depth: l.Depth,
		Origin: string(l.Origin), Most: -1, AllInputs: l.AllInputs, Facts: l.Facts, Decides: l.Decides,
		SeenEntry: l.Seen.PerEntry.Most, SeenThread: l.Seen.PerThread.Most, SeenWarp: l.Seen.PerWarp.Most,
	}
	if l.Most != nil {
		out.Most = *l.Most
	}
	return out
}

func newAnalysis(on *load.Opened, r *analysis.Report) *Analysis {
	a := &Analysis{
		whole: r, path: on.File.Path, file: on.File, outcome: on.Outcome(),
		Kernel: r.Kernel, GPU: r.Machine, Grid: r.Grid, Block: r.Block, Blocks: r.Blocks, Warps: r.Warps, Occupancy: r.Occupancy,
		Instructions: r.Path.Instructions, AllInputs: r.AllInputs(), Scopes: r.Scopes, Best: r.Best,
	}
	a.NotCovered = r.NotCovered
	if r.Missing != nil {
		for _, l := range r.Missing.Loops {
			in := &r.Program.Instructions[l.Loop]
			a.MissingBounds = append(a.MissingBounds, MissingBound{PC: l.Loop, Label: facts.Label(r.Program, l.Loop), Pos: in.Pos, Source: in.Source, Decides: l.Decides, Fact: l.Fact})
		}
	}
	if n := len(r.OfThisInput); n > 0 {
		a.ThisInput = r.OfThisInput[n-1].BestBound()
	}
	for i := range r.InputDependent {
		a.Dependences = append(a.Dependences, dependence(&r.InputDependent[i]))
	}
	return a
}

// tasks say what is done with the blocks while a machine is bounded.
var tasks = map[method.MachineKind]string{
	method.Plain: "recording blocks", method.WithFrontEnd: "recording blocks", method.InOrder: "bounding blocks", method.InTurns: "reading blocks",
}

// question checks the options.
func (o *AnalyzeOptions) question(m *gpu.Machine, tell *teller) (method.Question, error) {
	q := method.Question{BlocksPerSM: o.BlocksPerSM, Progress: tell.done, Unrecorded: true}
	if err := o.methods(&q); err != nil {
		return q, err
	}
	if err := atLeast("BlocksPerSM", int64(o.BlocksPerSM), 0); err != nil {
		return q, err
	}
	var err error
	if q.Limits, err = tell.limits(o.MaxInstructions); err != nil {
		return q, err
	}
	if o.L1Order != "" {
		if err := oneOf("L1Order", o.L1Order, L1None, L1Reorder); err != nil {
			return q, err
		}
	}
	q.Reordered = o.L1Order == L1Reorder
	p, err := parsePolicy("Policy", o.Policy)
	if err != nil {
		return q, err
	}
	if o.Policy != "" {
		q.Policy = p.String()
	}
	switch {
	case o.Methods == nil:
	case q.Policy != "":
		return q, &OptionError{Option: "Methods", With: "Policy", Msg: "expected one of them; turns have methods of their own"}
	case q.Reordered:
		return q, &OptionError{Option: "Methods", With: "L1Order", Other: o.L1Order, Msg: "expected one of them; the order has methods of its own"}
	}
	q.Loops, q.Missing = o.Loops, true
	if o.By != "" {
		if err := oneOf("By", o.By, analysis.CostsBy...); err != nil {
			return q, err
		}
	}
	if err := checkAnnotate(o.Annotate, o.By); err != nil {
		return q, err
	}
	q.Parametric, q.Closed = o.Parametric, len(o.Parametric) > 0
	other := ""
	switch {
	case q.Policy != "":
		other = "Policy"
	case q.Reordered:
		other = "L1Order"
	}
	if q.FrontEnd, err = o.FrontEnd.analyzed(m, other); err == nil && q.Machine() != method.Plain {
		const msg = "expected it without a policy, an order of accesses or a front end"
		switch {
		case q.Loops:
			return q, &OptionError{Option: "Loops", Msg: msg}
		case o.WhatIf:
			return q, &OptionError{Option: "WhatIf", Msg: msg}
		}
	}
	return q, err
}

// All, as the name of a method to analyse, is every method that need not be asked for
// by name.
const All = "all"

// methods checks Methods.
func (o *AnalyzeOptions) methods(q *method.Question) error {
	if o.Methods == nil {
		return nil
	}
	known := append([]string{All}, analysis.Names(method.Plain)...)
	if len(o.Methods) == 0 {
		return &OptionError{Option: "Methods", Msg: "no name, expected some of " + conf.List(known)}
	}
	for _, name := range o.Methods {
		if err := oneOf("Methods", name, known...); err != nil {
			return err
		}
	}
	if !slices.Contains(o.Methods, All) {
		q.Methods = o.Methods
	}
	return nil
}

// Method is a way to bound the time of a launch.
type Method struct {
	Name string
	Doc  string // one line
	// Machine is what the bounds are of: "plain" for every work-conserving policy
	// with the next instruction always at hand, "front end", "in order" for caches
	// behind a reordering unit, "in turns" for policies that give warps turns.
	Machine  string
	Theorems []int // of docs/soundness that prove it
	Scopes   []bound.Scope
	// MayBeUnsafe says that a published figure is meant, which is marked as unsafe
	// where its condition does not hold.
	MayBeUnsafe bool
}

// Methods lists every method, in the order of results.
func Methods() []Method {
	machines := map[method.MachineKind]string{method.Plain: "plain", method.WithFrontEnd: "front end", method.InOrder: "in order", method.InTurns: "in turns"}
	var out []Method
	for _, m := range analysis.Table {
		out = append(out, Method{
			Name: m.Name, Doc: m.Doc, Machine: machines[m.Machine], Theorems: slices.Clone(m.Theorems), Scopes: slices.Clone(m.Scopes), MayBeUnsafe: m.Unsafe,
		})
	}
	return out
}
