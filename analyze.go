package warpbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/sim"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// How global accesses reach the L1 data cache, in options named L1Order.
const (
	L1None    = sim.L1None    // no caches: global memory has the latency of the description
	L1Dynamic = sim.L1Dynamic // caches, in the order in which load/store units send accesses
	L1Reorder = sim.L1Reorder // caches, in the order that a reordering unit enforces
)

// FrontEnd says how the front end of a GPU is used. Empty fields mean what the
// description says; the zero value asks for a front end only where the model of the
// description has one.
type FrontEnd struct {
	Variant     string // gpu.Baseline or gpu.SWaS
	FetchPolicy string // of the baseline, as gpu.ParseFrontPolicy reads it
	IssuePolicy string // of the issue stage, and with gpu.SWaS of both
}

// AnalyzeOptions choose what Analyze bounds. The zero value asks for every general
// method on [DefaultGPU].
type AnalyzeOptions struct {
	GPU *gpu.Machine // nil for DefaultGPU
	// Methods of [Methods] with Machine "plain"; nil for all that need not be asked
	// for by name.
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
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// Analysis is what is known of the time of a launch on a GPU.
type Analysis struct {
	Kernel      string
	GPU         *gpu.Machine
	Grid, Block [3]int
	Blocks      int64 // of the grid
	Warps       int   // of a block
	// Occupancy says how many blocks an SM holds, and what limits them.
	Occupancy gpu.Occupancy
	// Instructions are the warp instructions of the launch; 0 where they are not
	// recorded (L1Reorder).
	Instructions int64
	// AllInputs says that the bounds hold whatever the buffers that the launch does
	// not mark as known contain. Otherwise they are of the input that the launch
	// states, bound nothing else, and Dependences says why.
	AllInputs   bool
	Dependences []Dependence
	// Scopes are the bounds of one warp alone, one block alone, and the launch; those
	// of one warp are left out where there are none. The last is the launch.
	Scopes []*bound.Result
	// Best is the smallest safe bound on the launch, nil where there is none.
	Best *bound.Bound
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
	on, m, err := l.on(opt.GPU, DefaultGPU)
	if err != nil {
		return nil, err
	}
	tell := newTeller("recording", opt.Progress)
	q, err := opt.question(m, tell)
	if err != nil {
		return nil, err
	}
	r, err := analysis.Run(ctx, source(on), m, q)
	if err != nil {
		return nil, explainOf(on, err)
	}
	return newAnalysis(r), exit(on)
}

func newAnalysis(r *analysis.Report) *Analysis {
	a := &Analysis{
		Kernel: r.Kernel, GPU: r.Machine, Grid: r.Grid, Block: r.Block, Blocks: r.Blocks, Warps: r.Warps, Occupancy: r.Occupancy,
		Instructions: r.Path.Instructions, AllInputs: r.AllInputs(), Scopes: r.Scopes, Best: r.Best,
	}
	for i := range r.InputDependent {
		a.Dependences = append(a.Dependences, dependence(&r.InputDependent[i]))
	}
	return a
}

// question checks the options.
func (o *AnalyzeOptions) question(m *gpu.Machine, tell *teller) (method.Question, error) {
	q := method.Question{Methods: o.Methods, BlocksPerSM: o.BlocksPerSM, Progress: tell.done}
	if o.BlocksPerSM < 0 {
		return q, fmt.Errorf("BlocksPerSM %d: expected 0 or more", o.BlocksPerSM)
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
	if o.Methods != nil && (q.Reordered || q.Policy != "") {
		return q, errors.New("Methods with Policy or L1Order: expected one of them; turns and orders have methods of their own")
	}
	q.FrontEnd, err = o.FrontEnd.of(m, q.Reordered || q.Policy != "")
	return q, err
}

// of is the front end that is asked about, nil for none.
func (f FrontEnd) of(m *gpu.Machine, other bool) (*method.FrontEnd, error) {
	switch asked := f != (FrontEnd{}); {
	case !asked && (m.Desc.Model != sim.Frontend || other):
		return nil, nil
	case other:
		return nil, errors.New("FrontEnd with Policy or L1Order: expected one of them")
	case m.Desc.FrontEnd == nil:
		return nil, fmt.Errorf("FrontEnd: %s has no table [front_end], expected a GPU with a front end such as vortex-32x32", m.Desc.Name)
	}
	out := &method.FrontEnd{Variant: strings.ToLower(f.Variant)}
	if out.Variant != "" {
		if err := oneOf("FrontEnd.Variant", out.Variant, gpu.Baseline, gpu.SWaS); err != nil {
			return nil, err
		}
	}
	for _, x := range []struct {
		option, name string
		to           *string
	}{{"FrontEnd.FetchPolicy", f.FetchPolicy, &out.FetchPolicy}, {"FrontEnd.IssuePolicy", f.IssuePolicy, &out.IssuePolicy}} {
		if x.name == "" {
			continue
		}
		p, err := gpu.ParseFrontPolicy(x.name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.option, err)
		}
		*x.to = p.String()
	}
	return out, oneScheduler(m.Desc, out)
}

// oneScheduler checks what variant swas needs, where it is that.
func oneScheduler(d *gpu.Description, f *method.FrontEnd) error {
	on := f.On(d)
	switch of := d.FrontEnd; {
	case on.Variant != gpu.SWaS:
		return nil
	case of.Kind == gpu.Stall:
		return fmt.Errorf("FrontEnd: the front end of %s stalls at control instructions, expected one that predicts for variant %s", d.Name, gpu.SWaS)
	case of.QueueEntries != of.SWaSEntries():
		return fmt.Errorf("FrontEnd: %s has queues of %d entries, expected fetch_cycles + 1 = %d for variant %s", d.Name, of.QueueEntries, of.SWaSEntries(), gpu.SWaS)
	case f.FetchPolicy != "" && f.FetchPolicy != on.IssuePolicy:
		return fmt.Errorf("FrontEnd.FetchPolicy %s: variant %s has one scheduler for both stages, whose policy is IssuePolicy (%s)", f.FetchPolicy, gpu.SWaS, on.IssuePolicy)
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
