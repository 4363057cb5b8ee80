package warpbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/tile"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/isa"
)

// The schemes of kernels (Forsberg2021, section 3).
const (
	SchemeBase = "base" // as OpenMP runs the loop, without phases
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
	// Tiles are tile sizes by loop variable: iterations in a tile, for loops of the SIMT
	// space iterations a thread. Others are found.
	Tiles map[string]int64
	// SPMBytes is the scratchpad of a team, 0 for what the GPU has for a block, and at
	// most what keeps all teams resident.
	SPMBytes int64
	// Teams and Threads are in place of num_teams and num_threads of all loops, 0
	// for these, and where they are missing for a team an SM, of 128 threads.
	Teams, Threads int64
}

// PremProgram is a C file whose target loops were cut into phases: the plans of its
// kernels. Emit writes them as code, Schedule times them. It is not changed by either,
// and may be used by several goroutines at the same time.
type PremProgram struct {
	File     string
	Headers  []string // files that it includes
	GPU      *gpu.Machine
	SPMBytes int64 // of a team
	Kernels  []PremKernel

	unit    *loop.Unit
	fns     []*loop.Func
	opt     tile.Options
	planned []tile.Planned
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
}

// Prem reads C99 with OpenMP target loops, proves the iterations independent, and cuts
// the loops into intervals of a memory and a compute phase whose data fit the
// scratchpad (Forsberg2021). What is wrong with the source is a [FileError] each.
func Prem(ctx context.Context, file string, opt PremOptions) (*PremProgram, error) {
	m, err := machine(opt.GPU, DefaultPremGPU)
	if err != nil {
		return nil, err
	}
	p := &PremProgram{File: file, GPU: m}
	if p.unit, p.fns, err = opt.read(ctx, file); err != nil {
		return nil, err
	}
	if p.opt, err = opt.plans(m.Desc, p.fns); err != nil {
		return nil, err
	}
	if p.planned, err = tile.Plans(ctx, p.unit, p.fns, p.opt); err != nil {
		return nil, explain(err)
	}
	p.Headers, p.SPMBytes = slices.Clone(p.unit.Headers), p.opt.SPMBytes
	for i := range p.planned {
		p.Kernels = append(p.Kernels, premKernel(&p.planned[i]))
	}
	return p, nil
}

// Report is the plans as the command prem prints them. With explain its text has the
// loops, their accesses, and how the tiles were found, too.
func (p *PremProgram) Report(explain bool) (*Report, error) {
	d, err := report.NewPremPlans(p.File, p.GPU.Desc, p.SPMBytes)
	if err != nil {
		return nil, err
	}
	for i := range p.planned {
		d.Add(p.planned[i].Name(), p.planned[i].Plan)
	}
	var explained func(int) string
	if explain {
		explained = func(i int) string { return tile.Explain(p.planned[i].Plan) }
	}
	return &Report{d.Document(explained)}, nil
}

func premKernel(k *tile.Planned) PremKernel {
	out := PremKernel{
		Name: k.Name(), Function: k.Func.Name, Pos: k.Plan.Kernel.At,
		Teams: k.Plan.Teams, Threads: k.Plan.Threads, SPMBytes: k.Plan.Bytes, Explanation: strings.TrimRight(tile.Explain(k.Plan), "\n"),
	}
	if k.Plan.Compatible != nil {
		out.Compatible = k.Plan.Compatible.Error()
	}
	return out
}

// read reads the C file, and gives the functions asked for.
func (o *PremOptions) read(ctx context.Context, file string) (*loop.Unit, []*loop.Func, error) {
	// What is wrong with the file comes before what is wrong with options.
	if _, err := cfront.ReadSource(file); err != nil {
		return nil, nil, explain(err)
	}
	if err := sources(o.Defines, o.Include); err != nil {
		return nil, nil, err
	}
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
	return p, fns, o.values(fns)
}

// sources checks the options of how C files are read.
func sources(defines map[string]string, include []string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(defines)) {
		if !cfront.IsMacro(name) {
			errs = append(errs, &OptionError{Option: "Defines", Value: name, Msg: "expected the name of a macro, an identifier of C"})
		}
	}
	for _, dir := range include {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			errs = append(errs, &OptionError{Option: "Include", Value: dir, Msg: "no such directory"})
		}
	}
	return errors.Join(errs...)
}

// values checks that some function has each of the parameters named.
func (o *PremOptions) values(fns []*loop.Func) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		if !slices.ContainsFunc(fns, func(fn *loop.Func) bool {
			return slices.ContainsFunc(fn.Params, func(q loop.Param) bool { return q.Var != nil && q.Var.Name == name && q.Var.Type.IsInteger() })
		}) {
			errs = append(errs, &OptionError{Option: "Values", Value: name, Msg: "no function has an integer parameter of that name"})
		}
	}
	return errors.Join(errs...)
}

// defaultThreads are the threads of a team where nothing says otherwise.
const defaultThreads = 128

// plans are the options of the plans, once the loops have the shape asked for.
func (o *PremOptions) plans(d *gpu.Description, fns []*loop.Func) (tile.Options, error) {
	opt := tile.Options{Teams: cmp.Or(o.Teams, d.SM.Count), Threads: cmp.Or(o.Threads, defaultThreads), Override: o.Tiles, Scalars: o.Values}
	if err := errors.Join(atLeast("SPMBytes", o.SPMBytes, 0), atLeast("Teams", o.Teams, 0), atLeast("Threads", o.Threads, 0)); err != nil {
		return opt, err
	}
	tile.Shape(fns, o.Teams, o.Threads)
	var most int64
	if opt.SPMBytes, most = tile.Share(&d.SM, fns, opt.Teams); o.SPMBytes > 0 {
		opt.SPMBytes = o.SPMBytes
	}
	switch has := d.SM.SharedMemoryPerBlockBytes; {
	case opt.SPMBytes > has:
		return opt, &OptionError{Option: "SPMBytes", Value: opt.SPMBytes, Msg: fmt.Sprintf("expected at most the %d that %s has for a block", has, d.Name)}
	case opt.SPMBytes == 0 && has > 0:
		return opt, &OptionError{Option: "SPMBytes", Msg: fmt.Sprintf("%d teams an SM leave none any scratchpad: expected fewer teams, or a size for teams that are not resident together", most)}
	}
	return opt, nil
}

// premScheme reads the name of a scheme.
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

// unroll checks how many iterations of a copy loop are made one; 0 is 1.
func unroll(n int) (int, error) {
	if n < 0 || n > MaxUnroll {
		return n, &OptionError{Option: "Unroll", Value: n, Msg: fmt.Sprintf("expected 1 to %d", MaxUnroll)}
	}
	return cmp.Or(n, 1), nil
}
