package warpbound

import (
	"bytes"
	"context"
	"fmt"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/npy"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/launch"
)

// RunOptions choose how Run executes a launch.
type RunOptions struct {
	// Dump names buffers that are wanted as NumPy files.
	Dump []Dump
	// MaxInstructions ends the execution with ErrInstructionLimit; 0 for no limit.
	MaxInstructions int64
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// Dump is a buffer as a NumPy file.
type Dump struct {
	Buffer string // its name in the launch
	File   string // that Report says it is in; nothing is written there
	NPY    []byte // what the file holds, in RunResult.Dumps
}

// RunResult is what the execution of a launch left.
type RunResult struct {
	Kernel           string
	WarpInstructions int64
	Console          []byte // what a RISC-V program wrote
	Dumps            []Dump // those asked for

	kernel  load.Executable
	path    string
	outcome *load.Outcome
}

// Buffer is what the buffer of an argument holds, elements in the order of bytes of the
// kernel, which is little-endian; nil where there is no buffer of that name.
func (r *RunResult) Buffer(name string) []byte { return r.kernel.Buffer(name) }

// Report is the execution as the command run prints it.
func (r *RunResult) Report() (*Report, error) {
	var dumps []report.Dump
	for _, d := range r.Dumps {
		dumps = append(dumps, report.Dump{Buffer: d.Buffer, File: d.File})
	}
	return &Report{report.Run(r.path, r.Kernel, r.WarpInstructions, dumps, r.outcome)}, nil
}

// Run executes a launch functionally, without timing, one block after the other.
//
// A kernel that fails is a [KernelError]. With an [ExitError], which a RISC-V program
// can cause, the RunResult is complete, too.
func (l *Launch) Run(ctx context.Context, opt RunOptions) (*RunResult, error) {
	tell := newTeller("executing blocks", l.Program(), opt.Progress)
	limits, err := tell.limits(opt.MaxInstructions)
	if err != nil {
		return nil, err
	}
	buffers, err := opt.buffers(l.opened.File)
	if err != nil {
		return nil, err
	}
	on := l.opened.Again()
	k, err := on.Kernel(false)
	if err != nil {
		return nil, explainOf(on, err)
	}
	n, err := simt.Run(ctx, k, tell.blocks(k, limits))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, explainOf(on, err)
	}
	out := &RunResult{Kernel: l.Kernel(), WarpInstructions: n, kernel: k, path: l.Path(), outcome: load.OutcomeOf(k)}
	if out.outcome != nil {
		out.Console = out.outcome.Console
	}
	for i, b := range buffers {
		var data bytes.Buffer
		if err := npy.Write(&data, b.Type.NPY(), k.Buffer(b.Name)); err != nil {
			return nil, fmt.Errorf("%s: buffer %s: %w", l.Path(), b.Name, err)
		}
		out.Dumps = append(out.Dumps, Dump{Buffer: b.Name, File: opt.Dump[i].File, NPY: data.Bytes()})
	}
	return out, exit(on)
}

// buffers are those asked for.
func (o *RunOptions) buffers(l *launch.Launch) ([]*launch.Arg, error) {
	known := map[string]*launch.Arg{}
	var names []string
	for _, list := range [][]launch.Arg{l.Args, l.Buffers, l.Variables} {
		for i := range list {
			if a := &list[i]; a.Kind == launch.Buffer && known[a.Name] == nil {
				known[a.Name] = a
				names = append(names, a.Name)
			}
		}
	}
	var out []*launch.Arg
	for _, d := range o.Dump {
		if known[d.Buffer] == nil {
			return nil, &OptionError{Option: "Dump", Value: d.Buffer, Msg: "no such buffer, " + conf.Suggest(d.Buffer, names)}
		}
		out = append(out, known[d.Buffer])
	}
	return out, nil
}

// blocks are limits of an execution of all blocks, in order.
func (t *teller) blocks(k simt.Kernel, limits simt.Limits) simt.Limits {
	if limits.Watch != nil {
		n := simt.NumBlocks(k.Grid())
		t.done(0, n)
		limits.Watch = func(at simt.At) {
			t.done(at.Block, n)
			t.executed(at)
		}
	}
	return limits
}
