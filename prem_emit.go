package warpbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/warpbound/warpbound/internal/prem/cfront"
	"github.com/warpbound/warpbound/internal/prem/device"
	"github.com/warpbound/warpbound/internal/prem/emit"
	"github.com/warpbound/warpbound/internal/prem/exec"
	"github.com/warpbound/warpbound/internal/prem/loop"
	"github.com/warpbound/warpbound/internal/prem/ptxgen"
	"github.com/warpbound/warpbound/internal/premtime/study"
)

// The forms of generated kernels, in PremEmitOptions.Emit.
const (
	EmitCUDA     = "cuda"
	EmitOpenCL   = "opencl"
	EmitPTX      = "ptx"       // as [New] can launch it
	EmitClangPTX = "clang-ptx" // what clang makes of the CUDA text
	EmitHarness  = "harness"   // a host program in CUDA C++, one for each function
	EmitLaunch   = "launch"    // launch files with PTX and arguments
)

// MaxUnroll is the most iterations of a copy loop that are made one.
const MaxUnroll = ptxgen.MaxUnroll

// PremEmitOptions choose what Emit writes. The zero value is PTX of SchemeSDMA.
type PremEmitOptions struct {
	Emit   string // EmitCUDA, ...; "" for EmitPTX
	Scheme string // "" for SchemeSDMA
	Guard  bool   // with the guard's protocol in the kernels, which EmitLaunch has not
	// Unroll is how many iterations of a copy loop are made one, all loads before all
	// stores, 1 to MaxUnroll; 0 is 1. It is for EmitPTX and EmitLaunch.
	Unroll int
	// Approx lets exp, log, pow and the trigonometric functions be approximations, for
	// EmitPTX and EmitLaunch.
	Approx bool
	// Output takes the files of EmitLaunch, and of EmitHarness for several functions,
	// one call at a time; they belong into one folder. Other forms are one text.
	Output func(name string, data []byte) error
}

// PremCode is generated code: one text, or files that Output has got.
type PremCode struct {
	Text string
	// Files are the host programs or the launch files of these, in the order of the
	// source.
	Files []string
}

// Emit writes the kernels as code: one text of all functions, or where each needs a
// file of its own, files. A kernel is named FUNCTION_NUMBER, its scheme behind.
func (p *PremProgram) Emit(ctx context.Context, opt PremEmitOptions) (*PremCode, error) {
	e := emission{PremEmitOptions: opt, of: p}
	if err := e.check(); err != nil {
		return nil, err
	}
	out := &PremCode{}
	var err error
	switch {
	case e.Emit == EmitLaunch:
		out.Files, err = e.launches(ctx)
	case e.Emit == EmitHarness && len(p.fns) > 1:
		out.Files, err = e.harnesses(ctx)
	default:
		out.Text, err = e.text(ctx, p.fns)
	}
	if err != nil {
		return nil, explain(err)
	}
	return out, nil
}

// emission is a program that is written.
type emission struct {
	PremEmitOptions
	of     *PremProgram
	scheme device.Scheme
}

// check fills in what options leave to it, and refuses what does not go together.
func (e *emission) check() error {
	e.Emit, e.Scheme = cmp.Or(e.Emit, EmitPTX), cmp.Or(e.Scheme, SchemeSDMA)
	errs := []error{oneOf("Emit", e.Emit, EmitCUDA, EmitOpenCL, EmitPTX, EmitClangPTX, EmitHarness, EmitLaunch)}
	var err error
	e.scheme, err = premScheme("Scheme", e.Scheme, device.Base, device.CMPT, device.DAE, device.SDMA)
	errs = append(errs, err)
	if e.Emit != EmitPTX && e.Emit != EmitLaunch {
		const own = "expected " + EmitPTX + " or " + EmitLaunch + ": it is for warpbound's own PTX"
		if e.Unroll > 1 {
			errs = append(errs, &OptionError{Option: "Unroll", With: "Emit", Other: e.Emit, Msg: own})
		}
		if e.Approx {
			errs = append(errs, &OptionError{Option: "Approx", With: "Emit", Other: e.Emit, Msg: own})
		}
	}
	e.Unroll, err = unroll(e.Unroll)
	errs = append(errs, err)
	if e.Emit == EmitLaunch && e.Guard {
		errs = append(errs, &OptionError{Option: "Guard", With: "Emit", Other: e.Emit, Msg: "expected one of them: a kernel with the guard waits for a CPU"})
	}
	if e.Output == nil {
		switch {
		case e.Emit == EmitLaunch:
			errs = append(errs, &OptionError{Option: "Output", With: "Emit", Other: e.Emit, Msg: "no directory, expected one"})
		case e.Emit == EmitHarness && len(e.of.fns) > 1:
			errs = append(errs, &OptionError{Option: "Output", With: "Emit", Other: e.Emit,
				Msg: fmt.Sprintf("no directory, expected one: %s has %d functions with OpenMP target loops, and each is a program", e.of.File, len(e.of.fns))})
		}
	}
	return errors.Join(errs...)
}

// launches hands over launch files.
func (e *emission) launches(ctx context.Context) ([]string, error) {
	var out []string
	for _, fn := range e.of.fns {
		m, err := e.compile(fn)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fn.Name, err)
		}
		args, err := study.Arguments(e.of.unit, fn, e.of.opt.Scalars)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fn.Name, err)
		}
		files, err := m.LaunchFiles(ctx, args, e.Output)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fn.Name, err)
		}
		if len(files) == 0 {
			return nil, &OptionError{Option: "Values", Msg: fmt.Sprintf("%s launches no kernel with these arguments, expected others", fn.Name)}
		}
		out = append(out, files...)
	}
	return out, nil
}

// harnesses hands over a host program for each function. All are made before the first
// is.
func (e *emission) harnesses(ctx context.Context) ([]string, error) {
	var names, texts []string
	for _, fn := range e.of.fns {
		text, err := e.text(ctx, []*loop.Func{fn})
		if err != nil {
			return nil, err
		}
		names, texts = append(names, fn.Name+"_"+e.Scheme+".cu"), append(texts, text)
	}
	for i, name := range names {
		if err := e.Output(name, []byte(texts[i])); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// text is the kernels of functions in the form asked for; a harness is of one.
func (e *emission) text(ctx context.Context, fns []*loop.Func) (string, error) {
	var compiled []*exec.Module
	for _, fn := range fns {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		m, err := e.compile(fn)
		if err != nil {
			return "", err
		}
		compiled = append(compiled, m)
	}
	if e.Emit == EmitPTX {
		return exec.PTX(compiled)
	}
	sources := make(map[string][]byte)
	for _, name := range append([]string{e.of.File}, e.of.Headers...) {
		data, err := cfront.ReadSource(name)
		if err != nil {
			return "", err
		}
		sources[name] = data
	}
	var mods []emit.Module
	for i, m := range compiled {
		mod := emit.Module{Program: e.of.unit, Func: fns[i], Guard: e.Guard, Sources: sources, Scalars: m.Fixed()}
		for _, k := range m.Kernels {
			mod.Kernels = append(mod.Kernels, k.Device)
		}
		mods = append(mods, mod)
	}
	switch e.Emit {
	case EmitOpenCL:
		return emit.OpenCL(mods...)
	case EmitHarness:
		return emit.Harness(mods[0], emit.HarnessOptions{Args: study.HarnessArguments(e.of.unit, fns[0], e.of.opt.Scalars)})
	}
	text, err := emit.CUDA(mods...)
	if err != nil || e.Emit == EmitCUDA {
		return text, err
	}
	return emit.ClangPTX(ctx, "", text)
}

// compile makes the kernels of a function, whose iterations tile.Plans has proved
// independent.
func (e *emission) compile(fn *loop.Func) (*exec.Module, error) {
	o := exec.Options{Scheme: e.scheme, Tile: e.of.opt, Trusted: true}
	o.PTX.Guard, o.PTX.Unroll, o.PTX.Approx = e.Guard, e.Unroll, e.Approx
	return exec.Compile(e.of.unit, fn.Name, o)
}
