package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// cacheLaunch makes the kernels of a launch.
func cacheLaunch(l *load.Opened) method.Source {
	return method.Source{
		Tainted: func() (simt.Tainted, error) { return l.Kernel(true) },
		Fresh:   l.Fresh,
	}
}

// analyzeUnder is analyze for a command that shows its own progress.
func analyzeUnder(ctx context.Context, bar *progress, path string, m *gpu.Machine, q method.Question) (*load.Opened, *load.Outcome, *analysis.Report, error) {
	l, err := openFor(path, m)
	if err != nil {
		return nil, nil, nil, err
	}
	bar.watch(l, &q.Limits)
	r, err := analysis.Run(ctx, cacheLaunch(l), m, q)
	return l, l.Outcome(), r, inLaunch(l, err)
}

// limitFlags bound an execution.
type limitFlags struct{ instructions int64 }

func (f *limitFlags) flags(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.instructions, "max-instructions", 0, "stop after this many warp instructions (0: no limit)")
}

func (f *limitFlags) limits() (simt.Limits, error) {
	return simt.Limits{MaxInstructions: f.instructions}, atLeast("max-instructions", f.instructions, 0)
}

// openFor opens a launch file for a machine: its warps are as wide as those of
// the machine.
func openFor(path string, m *gpu.Machine) (*load.Opened, error) {
	l, err := load.Open(path)
	if err != nil {
		return nil, err
	}
	if err := l.On(m.Desc); err != nil {
		return nil, err
	}
	return l, nil
}

// inLaunch puts the place in front of an error about an opened launch.
func inLaunch(l *load.Opened, err error) error { return l.Place(err) }

// update says how much of the whole is done.
func (p *progress) update(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at.Done, p.at.Total = done, total
}

// watch has an execution of a launch say where it is.
func (p *progress) watch(l *load.Opened, limits *simt.Limits) {
	limits.Watch = func(at simt.At) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.at.Instructions, p.at.Cycle, p.at.Pos = at.Instructions, at.Cycle, isa.Position{}
		if program := l.Program(); at.PC >= 0 && int(at.PC) < len(program.Instructions) {
			p.at.Pos = program.Instructions[at.PC].Pos
		}
	}
}

// failedRaw says that a kernel failed, without the library.
func failedRaw(err error) bool {
	var failed *simt.RuntimeError
	return errors.As(err, &failed)
}
