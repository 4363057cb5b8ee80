package warpbound

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/warpbound/warpbound/bound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/premtime/study"
	"github.com/warpbound/warpbound/isa"
)

// The schemes with phases, in PremOptions.Schemes (Forsberg2021, section 3).
const (
	SchemeCMPT = "cmpt" // compatible intervals: memory and compute phases not told apart
	SchemeDAE  = "dae"  // access and execution, by stripping
	SchemeSDMA = "sdma" // SoftDMA: copies to the scratchpad, and back
)

// PremOptions choose what Prem makes of a C file. The zero value plans all its target
// loops for [DefaultPremGPU].
type PremOptions struct {
	GPU      *gpu.Machine      // nil for DefaultPremGPU
	Function string            // only this one; "" for all with OpenMP target loops
	Defines  map[string]string // macros of the C file
	Include  []string          // folders where its headers are looked for, too
	Values   map[string]int64  // of integer parameters, which plans and runs are then for
	Tiles    map[string]int64  // tile sizes by loop variable; others are found
	// SPMBytes is the scratchpad of a team, 0 for what keeps all teams resident.
	SPMBytes int64
	// Teams and Threads are for loops without num_teams and num_threads: 0 for a team
	// an SM, of 128 threads.
	Teams, Threads int64
	// Schemes are also run in the simulator, and their phases bounded: SchemeCMPT,
	// SchemeDAE and SchemeSDMA. nil only plans.
	Schemes []string
	// NoCaches gives global memory a fixed latency on a GPU with caches, too.
	NoCaches bool
	// SyncTime is what a synchronisation takes, TimerTime within what the timer
	// responds: 0 for what Forsberg2021 measured on a TX1.
	SyncTime, TimerTime time.Duration
	Progress            func(Progress) // told now and then what is being run; may be nil
}

// PremResult is what was made of a C file.
type PremResult struct {
	GPU      *gpu.Machine
	SPMBytes int64 // of a team
	Kernels  []PremKernel
}

// PremKernel is an OpenMP target loop whose iterations were found independent.
type PremKernel struct {
	Name           string // FUNCTION_NUMBER
	Function       string
	Pos            isa.Position
	Teams, Threads int64
	SPMBytes       int64 // that its largest interval needs
	// Compatible says why memory and compute phases cannot be told apart, "" where
	// they can.
	Compatible  string
	Explanation string // how the plan came about, in many lines
	// Launches, BaseCycles and Schemes are of the simulations, empty without them:
	// BaseCycles of the loop as OpenMP runs it.
	Launches   int64
	BaseCycles int64
	Schemes    []PremScheme
}

// PremScheme is a kernel under one scheme, all its launches together.
type PremScheme struct {
	Name   string
	Cycles int64 // of the phases in isolation, without synchronisation
	// Simulated are the phases as measured in the simulator, Bounded as bounded: a
	// schedule can be built on the latter only. Bounded is nil where there is no bound,
	// and NoBound says why.
	Simulated PremPhases
	Bounded   *PremPhases
	NoBound   string
	// AllInputs says that the bounds hold for whatever the arrays contain.
	AllInputs   bool
	Assumptions []bound.Assumption
}

// PremPhases are the longest phases of a kernel, and its time under the schedules that
// cover them.
type PremPhases struct {
	Memory, Compute time.Duration // the longest
	Intervals       int64
	// BestCase and Fair are the whole kernel with budgets of the longest phases, and
	// with equal shares of the memory for CPU and GPU, no budget below the timer's
	// response.
	BestCase, Fair time.Duration
}

// Prem reads C99 with OpenMP target loops, proves the iterations independent, and cuts
// the loops into intervals of a memory and a compute phase whose data fit the
// scratchpad (Forsberg2021). What is wrong with the source is a [FileError] each.
func Prem(ctx context.Context, file string, opt PremOptions) (*PremResult, error) {
	m, err := machine(opt.GPU, DefaultPremGPU)
	if err != nil {
		return nil, err
	}
	schemes, err := opt.schemes()
	if err != nil {
		return nil, err
	}
	p, fns, err := opt.read(ctx, file)
	if err != nil {
		return nil, err
	}
	plans, err := opt.plans(m.Desc, fns)
	if err != nil {
		return nil, err
	}
	planned, err := tile.Plans(ctx, p, fns, plans)
	if err != nil {
		return nil, explain(err)
	}
	out := &PremResult{GPU: m, SPMBytes: plans.SPMBytes}
	for i := range planned {
		out.Kernels = append(out.Kernels, premKernel(&planned[i]))
	}
	if len(schemes) == 0 {
		return out, nil
	}
	tell := newTeller("", nil, opt.Progress)
	o := study.Options{
		Machine: m, Tile: plans, Unroll: 1, Schemes: schemes, Caches: m.Desc.HasCaches() && !opt.NoCaches, Bounds: true,
		Costs:    study.Costs{SyncNanos: int64(cmp.Or(opt.SyncTime, study.PublishedSync)), TimerNanos: int64(cmp.Or(opt.TimerTime, study.PublishedTimer))},
		Progress: func(what string) { tell.change(func(p *Progress) { p.Task = what }) },
	}
	for _, fn := range fns {
		r, err := study.Run(ctx, p, fn.Name, func() (loop.Args, error) { return study.Arguments(p, fn, opt.Values) }, o)
		if err != nil {
			return nil, explain(fmt.Errorf("%s: %w", fn.Name, err))
		}
		out.run(r)
	}
	return out, nil
}

// PTX is the PTX of the target loops of a C file under a scheme of PremOptions, or
// "base", as [New] can launch it: a kernel is named FUNCTION_NUMBER, its scheme behind.
func PTX(ctx context.Context, file, scheme string, opt PremOptions) (string, error) {
	m, err := machine(opt.GPU, DefaultPremGPU)
	if err != nil {
		return "", err
	}
	s, err := premScheme("scheme", scheme, device.Base, device.CMPT, device.DAE, device.SDMA)
	if err != nil {
		return "", err
	}
	p, fns, err := opt.read(ctx, file)
	if err != nil {
		return "", err
	}
	plans, err := opt.plans(m.Desc, fns)
	if err != nil {
		return "", err
	}
	var modules []*exec.Module
	for _, fn := range fns {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		o := exec.Options{Scheme: s, Tile: plans}
		o.PTX.Unroll = 1
		made, err := exec.Compile(p, fn.Name, o)
		if err != nil {
			return "", explain(err)
		}
		modules = append(modules, made)
	}
	return exec.PTX(modules)
}

// read reads the C file, and gives the functions asked for.
func (o *PremOptions) read(ctx context.Context, file string) (*loop.Unit, []*loop.Func, error) {
	p, err := cfront.ParseFile(ctx, file, o.Defines, o.Include)
	if err != nil {
		return nil, nil, explain(err)
	}
	var fns []*loop.Func
	var names []string
	for _, fn := range p.Funcs {
		names = append(names, fn.Name)
		if o.Function == "" || o.Function == fn.Name {
			fns = append(fns, fn)
		}
	}
	switch {
	case len(names) == 0:
		return nil, nil, &FileError{Pos: isa.Position{File: file}, Msg: "no function with an OpenMP target loop, expected one"}
	case len(fns) == 0:
		return nil, nil, oneOf("Function", o.Function, names...)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		if !slices.ContainsFunc(fns, func(fn *loop.Func) bool {
			return slices.ContainsFunc(fn.Params, func(q loop.Param) bool { return q.Var != nil && q.Var.Name == name && q.Var.Type.IsInteger() })
		}) {
			return nil, nil, fmt.Errorf("option Values: no function has an integer parameter %q", name)
		}
	}
	return p, fns, nil
}

// plans are the options of the plans.
func (o *PremOptions) plans(d *gpu.Description, fns []*loop.Func) (tile.Options, error) {
	const threads = 128 // of a team, where nothing says otherwise
	opt := tile.Options{Teams: cmp.Or(o.Teams, d.SM.Count), Threads: cmp.Or(o.Threads, threads), Override: o.Tiles, Scalars: o.Values}
	if o.SPMBytes < 0 || o.Teams < 0 || o.Threads < 0 || o.SyncTime < 0 || o.TimerTime < 0 {
		return opt, fmt.Errorf("SPMBytes %d, Teams %d, Threads %d, SyncTime %v, TimerTime %v: expected 0 or more", o.SPMBytes, o.Teams, o.Threads, o.SyncTime, o.TimerTime)
	}
	if most := d.SM.SharedMemoryPerBlockBytes; o.SPMBytes > most {
		return opt, fmt.Errorf("SPMBytes %d: expected at most the %d that %s has for a block", o.SPMBytes, most, d.Name)
	}
	var most int64
	if opt.SPMBytes, most = tile.Share(&d.SM, fns, opt.Teams); o.SPMBytes > 0 {
		opt.SPMBytes = o.SPMBytes
	} else if opt.SPMBytes == 0 && d.SM.SharedMemoryPerBlockBytes > 0 {
		return opt, fmt.Errorf("%d teams an SM leave none any scratchpad: expected fewer teams, or SPMBytes for teams that are not resident together", most)
	}
	return opt, nil
}

// schemes reads the names of schemes.
func (o *PremOptions) schemes() ([]device.Scheme, error) {
	var out []device.Scheme
	for i, name := range o.Schemes {
		s, err := premScheme("Schemes", name, device.CMPT, device.DAE, device.SDMA)
		if err != nil {
			return nil, err
		}
		if slices.Contains(o.Schemes[:i], name) {
			return nil, fmt.Errorf("option Schemes: %s is given twice", name)
		}
		out = append(out, s)
	}
	return out, nil
}

func premScheme(option, name string, of ...device.Scheme) (device.Scheme, error) {
	var names []string
	for _, s := range of {
		if s.String() == name {
			return s, nil
		}
		names = append(names, s.String())
	}
	return device.Base, oneOf(option, name, names...)
}

func premKernel(k *tile.Planned) PremKernel {
	at := k.Plan.Kernel.At
	out := PremKernel{
		Name: k.Name(), Function: k.Func.Name, Pos: at,
		Teams: k.Plan.Teams, Threads: k.Plan.Threads, SPMBytes: k.Plan.Bytes, Explanation: strings.TrimRight(tile.Explain(k.Plan), "\n"),
	}
	if k.Plan.Compatible != nil {
		out.Compatible = k.Plan.Compatible.Error()
	}
	return out
}

// run takes in the simulations of a function.
func (r *PremResult) run(s *study.Result) {
	for i := range s.Kernels {
		from := &s.Kernels[i]
		n := slices.IndexFunc(r.Kernels, func(k PremKernel) bool { return k.Name == from.Name })
		if n < 0 {
			continue
		}
		to := &r.Kernels[n]
		to.Launches, to.BaseCycles = from.Launches, from.Base.Cycles
		for j := range from.Schemes {
			x := &from.Schemes[j]
			scheme := PremScheme{
				Name: x.Scheme.String(), Cycles: x.Cycles, Simulated: *premPhases(&x.Simulated), Bounded: premPhases(x.Bounded), NoBound: x.NoBound,
				AllInputs: x.Bounded != nil && !x.InputDependent, Assumptions: x.Assumptions,
			}
			to.Schemes = append(to.Schemes, scheme)
		}
	}
}

func premPhases(p *study.Phases) *PremPhases {
	if p == nil {
		return nil
	}
	return &PremPhases{
		Memory: time.Duration(p.MemNanos), Compute: time.Duration(p.CompNanos), Intervals: p.Intervals,
		BestCase: time.Duration(p.TotalNanos(&p.Best)), Fair: time.Duration(p.TotalNanos(&p.Fair)),
	}
}
