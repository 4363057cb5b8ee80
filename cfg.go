package warpbound

import (
	"context"

	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/simt"
	"github.com/warpbound/warpbound/isa"
)

// CFGOptions choose how CFG executes a launch.
type CFGOptions struct {
	// MaxInstructions ends the execution with ErrInstructionLimit; 0 for no limit.
	MaxInstructions int64
	Progress        func(Progress) // told now and then how far it is; may be nil
}

// ControlFlow is the control flow of a kernel, and what an execution made of it.
type ControlFlow struct {
	Kernel string
	// Functions are the graphs of the kernel and of what it calls, in the order of
	// Program.Functions; isa.Loops finds their loops.
	Functions []*isa.CFG
	// Executions are those of warps, by PC.
	Executions []int64
	// Diverged says where lanes of a warp parted, by PC.
	Diverged []bool

	path   string
	opened *load.Opened
}

// Report is the control flow as the command cfg prints it, with every instruction
// where that is asked for.
func (f *ControlFlow) Report(instructions bool) (*Report, error) {
	var executed []int64
	if instructions {
		executed = f.Executions
	}
	return &Report{report.Flows(f.path, f.opened, report.Flow(f.Functions, f.Executions, f.Diverged), executed)}, nil
}

// Dot is the control flow as a graph for Graphviz.
func (f *ControlFlow) Dot() string {
	return report.FlowDot(f.opened, report.Flow(f.Functions, f.Executions, f.Diverged))
}

// CFG executes a launch functionally and shows the control flow of its kernel: basic
// blocks, loops, how often they were executed, and where lanes of a warp parted.
//
// A kernel that fails is a [KernelError].
func (l *Launch) CFG(ctx context.Context, opt CFGOptions) (*ControlFlow, error) {
	tell := newTeller("executing blocks", l.Program(), opt.Progress)
	limits, err := tell.limits(opt.MaxInstructions)
	if err != nil {
		return nil, err
	}
	out := &ControlFlow{Kernel: l.Kernel(), path: l.Path(), opened: l.opened.Again()}
	for fn := range l.Program().Functions {
		c, err := isa.BuildCFG(l.Program(), fn)
		if err != nil {
			return nil, explainOf(out.opened, err)
		}
		out.Functions = append(out.Functions, c)
	}
	k, err := out.opened.Kernel(false)
	if err != nil {
		return nil, explainOf(out.opened, err)
	}
	flow, err := simt.RecordFlow(ctx, k, tell.blocks(k, limits), l.opened.File.IsELF())
	if err != nil {
		return nil, explainOf(out.opened, err)
	}
	out.Executions, out.Diverged = flow.Executions, flow.Diverged
	return out, nil
}
