package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/method/volume"
	"github.com/warpbound/warpbound/internal/report"
)

// launchFlags are those of a launch file, in place of a string.
type launchFlags struct {
	machine machineFlags
	limit   limitFlags
	blocks  int64
}

func (f *launchFlags) flags(cmd *cobra.Command) {
	f.machine.flags(cmd)
	f.limit.flags(cmd)
	cmd.Flags().Int64Var(&f.blocks, "blocks", 1, "equal blocks of the launch that are on the SM together")
}

// isLaunch tells a launch file from an instruction string, which has no dot.
func isLaunch(arg string) bool { return strings.HasSuffix(arg, ".toml") }

// check refuses flags that say what the string or the launch says.
func (f *launchFlags) check(cmd *cobra.Command, arg string) error {
	if !isLaunch(arg) && strings.ContainsAny(arg, `./\`) {
		return fmt.Errorf("%s: expected a launch file, whose name ends in .toml, or an instruction string", arg)
	}
	others, instead := []string{"gpu", "set", "max-instructions", "blocks"}, "a string has --units, --warps and --warp-size"
	if isLaunch(arg) {
		others, instead = []string{"units", "warps", "warp-size"}, "a launch has --gpu, --set and --blocks"
	}
	for _, name := range others {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s with %s: %s", name, arg, instead)
		}
	}
	return nil
}

// abstract records a launch and turns its blocks into instruction strings: those
// of the class of blocks whose bound is largest.
func (f *launchFlags) abstract(ctx context.Context, path string) (*report.MakespanLaunch, *analysis.MakespanProblem, error) {
	if err := atLeast("blocks", f.blocks, 1); err != nil {
		return nil, nil, err
	}
	m, err := f.machine.machine()
	if err != nil {
		return nil, nil, err
	}
	limits, err := f.limit.limits()
	if err != nil {
		return nil, nil, err
	}
	l, _, r, err := analyze(ctx, path, m, method.Question{Methods: []string{volume.Method}, Limits: limits})
	if err != nil {
		return nil, nil, err
	}
	var largest *analysis.MakespanProblem
	for i := range r.Path.Classes {
		p, err := analysis.Makespans(r, analysis.MakespanOptions{Class: i, Blocks: f.blocks})
		if err != nil {
			return nil, nil, inLaunch(l, err)
		}
		if largest == nil || p.VolumeCycles > largest.VolumeCycles {
			largest = p
		}
	}
	doc, err := report.MakespanLaunchOf(path, r, largest)
	return doc, largest, err
}

// runLaunch studies the sections of a launch one by one. The error is that of an
// interruption, where the document has what was finished.
func (f *makespanFlags) runLaunch(ctx context.Context, path string, c study.Config) (*report.MakespanDocument, error) {
	l, p, err := f.launch.abstract(ctx, path)
	if err != nil {
		return nil, err
	}
	only := onlyInstance(p)
	if only == nil && (f.curve > 0 || f.gantt != "" || f.export != "") {
		return nil, fmt.Errorf("%s: --curve, --gantt and --export are for one section of identical warps", path)
	}
	if only != nil {
		if err := f.curveFits(only); err != nil {
			return nil, err
		}
		doc, err := f.run(ctx, only, c)
		if doc != nil {
			doc.OfLaunch(l, p, f.options())
		}
		return doc, err
	}
	studies := make([]*study.Study, len(p.Sections))
	deadline := time.Now().Add(c.Timeout)
	c.Eager = study.DefaultEager / time.Duration(instances(p))
	show := f.watch(&c)
	defer show()
	for i := range p.Sections {
		in := p.Sections[i].Instance
		if in == nil {
			continue
		}
		c.Timeout = max(time.Until(deadline)/time.Duration(len(p.Sections)-i), time.Millisecond)
		if studies[i], err = study.Run(ctx, in, c); err != nil {
			break
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, internalFault(err)
	}
	return report.MakespanSections(l, p, studies, f.options()), err
}

// instances are the sections of identical warps, or 1 for none.
func instances(p *analysis.MakespanProblem) int {
	n := 0
	for i := range p.Sections {
		if p.Sections[i].Instance != nil {
			n++
		}
	}
	return max(n, 1)
}

// onlyInstance is the instance of a launch of one section of identical warps.
func onlyInstance(p *analysis.MakespanProblem) *makespan.Instance {
	if len(p.Sections) != 1 || p.Sections[0].Count != 1 {
		return nil
	}
	return p.Sections[0].Instance
}

// analyze loads a launch and bounds it; what a RISC-V program left behind tells
// whether it failed.
func analyze(ctx context.Context, path string, m *gpu.Machine, q method.Question) (*load.Opened, *load.Outcome, *analysis.Report, error) {
	bar := newProgress("recording blocks")
	defer bar.close()
	q.Progress = bar.update
	return analyzeUnder(ctx, bar, path, m, q)
}
