package warpbound

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/load"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/method/volume"
	"github.com/warpbound/warpbound/internal/report"
)

// LaunchMakespan is a launch in the terms of Berezovskyi2012.
type LaunchMakespan struct {
	MakespanReport
	Kernel string
	Warps  int64 // of the blocks taken together
	// Ignored says what of the kernel and the GPU the model has no word for. Where it
	// is not empty the figures are of the model; the method makespan of Analyze
	// bounds the kernel.
	Ignored []string
	// VolumeCycles is the sum of the volume bounds of all sections.
	VolumeCycles int64
	Sections     []MakespanSection
}

// MakespanSection is what the warps execute between two barriers.
type MakespanSection struct {
	First, Count int64 // its number from 0, and how many are equal to it
	Warps        int64 // that execute something in it
	VolumeCycles int64
	// Result is nil where the warps are not identical, and Why says so; and where the
	// context ended before.
	Result *MakespanResult
	Why    string
}

// Makespan abstracts the warps of a block to instruction strings by the units of the
// GPU, and bounds the sections between barriers one by one: of the class of blocks
// whose volume bound is largest.
//
// Where the context ends, the result has what was finished, beside the error.
func (l *Launch) Makespan(ctx context.Context, opt MakespanOptions) (*LaunchMakespan, error) {
	c, err := opt.config()
	if err != nil {
		return nil, err
	}
	const instead = "a launch has a GPU and blocks instead"
	switch {
	case opt.Units != "":
		return nil, &OptionError{Option: "Units", Value: opt.Units, Msg: instead}
	case opt.Warps != 0:
		return nil, &OptionError{Option: "Warps", Value: opt.Warps, Msg: instead}
	case opt.WarpSize != 0:
		return nil, &OptionError{Option: "WarpSize", Value: opt.WarpSize, Msg: instead}
	}
	on, r, p, err := l.asStrings(ctx, &opt)
	if err != nil {
		return nil, err
	}
	of, err := report.MakespanLaunchOf(on.File.Path, r, p)
	if err != nil {
		return nil, err
	}
	out := &LaunchMakespan{Kernel: p.Kernel, Warps: p.Warps, Ignored: p.Ignored, VolumeCycles: p.VolumeCycles}
	shown := opt.shown(false)
	if in := onlyInstance(p); in != nil {
		if err := opt.curveFits(in); err != nil {
			return nil, err
		}
		one, err := opt.run(ctx, in, c, shown)
		if one == nil {
			return nil, err
		}
		out.add(&p.Sections[0], one)
		out.document = func() *report.MakespanDocument {
			d := one.document()
			d.OfLaunch(of, p, shown)
			return d
		}
		return out, cmp.Or(err, exit(on))
	}
	for _, x := range []struct {
		option string
		asked  bool
	}{{"Curve", opt.Curve > 0}, {"Gantt", opt.Gantt}, {"Export", opt.Export != nil}} {
		if x.asked {
			return nil, &OptionError{Option: x.option, Msg: on.File.Path + " has several sections between barriers, or warps that differ, expected one section of identical warps"}
		}
	}
	studies, err := runSections(ctx, p, c)
	if err != nil && ctx.Err() == nil {
		return nil, explain(err)
	}
	for i := range p.Sections {
		var one *MakespanResult
		if studies[i] != nil {
			one = newMakespanResult(studies[i], nil, shown)
		}
		out.add(&p.Sections[i], one)
	}
	out.document = func() *report.MakespanDocument { return report.MakespanSections(of, p, studies, shown) }
	return out, cmp.Or(err, exit(on))
}

// asStrings records a launch and turns its blocks into instruction strings: those of the
// class of blocks whose bound is largest.
func (l *Launch) asStrings(ctx context.Context, opt *MakespanOptions) (*load.Opened, *analysis.Report, *analysis.MakespanProblem, error) {
	on, m, err := l.on(opt.GPU, DefaultGPU)
	if err != nil {
		return nil, nil, nil, err
	}
	tell := newTeller("recording blocks", l.Program(), opt.Progress)
	q := method.Question{Methods: []string{volume.Method}, Progress: tell.done}
	if q.Limits, err = tell.limits(opt.MaxInstructions); err != nil {
		return nil, nil, nil, err
	}
	r, err := analysis.Run(ctx, source(on), m, q)
	if err != nil {
		return nil, nil, nil, explainOf(on, err)
	}
	var largest *analysis.MakespanProblem
	r = r.Single()
	for i := range r.Path.Classes {
		p, err := analysis.Makespans(r, analysis.MakespanOptions{Class: i, Blocks: opt.Blocks})
		if err != nil {
			return nil, nil, nil, explainOf(on, err)
		}
		if largest == nil || p.VolumeCycles > largest.VolumeCycles {
			largest = p
		}
	}
	if largest == nil {
		return nil, nil, nil, fmt.Errorf("%s: nothing is recorded of its blocks", on.File.Path)
	}
	return on, r, largest, nil
}

// runSections studies the sections of identical warps one by one. Where the context
// ends it returns what was finished, too.
func runSections(ctx context.Context, p *analysis.MakespanProblem, c study.Config) ([]*study.Study, error) {
	studies := make([]*study.Study, len(p.Sections))
	identical := 0
	for i := range p.Sections {
		if p.Sections[i].Instance != nil {
			identical++
		}
	}
	deadline := time.Now().Add(cmp.Or(c.Timeout, study.DefaultTimeout))
	c.Eager = study.DefaultEager / time.Duration(max(identical, 1))
	var err error
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
	return studies, err
}

// onlyInstance is the instance of a launch of one section of identical warps, nil where
// it has more.
func onlyInstance(p *analysis.MakespanProblem) *makespan.Instance {
	if len(p.Sections) != 1 || p.Sections[0].Count != 1 {
		return nil
	}
	return p.Sections[0].Instance
}

func (m *LaunchMakespan) add(s *analysis.MakespanSection, r *MakespanResult) {
	m.Sections = append(m.Sections, MakespanSection{First: s.First, Count: s.Count, Warps: s.Warps, VolumeCycles: s.Volume.Cycles, Result: r, Why: s.Why})
}
