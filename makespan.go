package warpbound

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/analysis"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/method/volume"
)

// MakespanOptions choose what Makespan computes. Its zero value asks for one warp;
// of a launch, for one block on [DefaultGPU].
type MakespanOptions struct {
	// Warps, WarpSize and Units are of an instruction string: how many warps (0 is 1)
	// of how many threads (0 is 32), and the units of each letter in threads a cycle
	// ("" is "L=16,C=32", those of Berezovskyi2012, Section 3).
	Warps, WarpSize int64
	Units           string
	// GPU, Blocks and MaxInstructions are of a launch: nil for DefaultGPU, how many
	// equal blocks are on the SM together (0 is 1), and after how many instructions an
	// execution ends with ErrInstructionLimit.
	GPU             *gpu.Machine
	Blocks          int64
	MaxInstructions int64
	// Methods of [MakespanMethods]; nil for those that take seconds at most.
	Methods []string
	// Timeout is for all methods together, 0 for a minute; MemoryBytes for each, 0
	// for 4 GiB.
	Timeout     time.Duration
	MemoryBytes int64
	Progress    func(Progress) // told now and then how far it is; may be nil
}

// MakespanResult is what the methods say of W identical warps that execute one string
// of instructions on one SM.
type MakespanResult struct {
	String  string // the instructions
	Warps   int64
	Figures []MakespanFigure
	// Best is the smallest safe figure; Exact is the worst case itself, nil where no
	// exact method ended in its budget.
	Best, Exact *MakespanFigure
}

// MakespanFigure is what one method says.
type MakespanFigure struct {
	Method string
	Cycles int64 // 0 where the method ended without an answer
	// Kind says what the figure is: exact, a safe bound, a published figure that is
	// or is not safe here, the published estimate, which is no bound, or no answer.
	Kind       string
	Theorem    string // where the proof or the formula is
	Note       string // what has to be known before the figure is used
	Unfinished string // what ran out before the method ended, "" where it ended
}

// LaunchMakespan is a launch in the terms of Berezovskyi2012.
type LaunchMakespan struct {
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
	// Result is nil where the warps are not identical, and Why says so.
	Result *MakespanResult
	Why    string
}

// MakespanMethods names the methods for makespans.
func MakespanMethods() []string { return study.Methods() }

// Makespan bounds the worst-case makespan of identical warps on one SM, whatever the
// order in which a work-conserving scheduler executes them (Berezovskyi2012). A letter
// of text is an instruction on a kind of unit; a count repeats the letter or the group
// before it, as in L2C(LC)10.
func Makespan(ctx context.Context, text string, opt MakespanOptions) (*MakespanResult, error) {
	c, err := opt.config()
	if err != nil {
		return nil, err
	}
	pattern, err := makespan.ParseString(text)
	if err != nil {
		return nil, err
	}
	units, err := makespan.ParseUnits(cmp.Or(opt.Units, "L=16,C=32"))
	if err != nil {
		return nil, fmt.Errorf("option Units: %w", err)
	}
	in, err := pattern.Instance(units, cmp.Or(opt.WarpSize, 32), cmp.Or(opt.Warps, 1))
	if err != nil {
		return nil, err
	}
	return runMakespan(ctx, in, c)
}

// Makespan abstracts the warps of a block to instruction strings by the units of the
// GPU, and bounds the sections between barriers one by one: of the class of blocks
// whose volume bound is largest.
func (l *Launch) Makespan(ctx context.Context, opt MakespanOptions) (*LaunchMakespan, error) {
	c, err := opt.config()
	if err != nil {
		return nil, err
	}
	on, m, err := l.on(opt.GPU, DefaultGPU)
	if err != nil {
		return nil, err
	}
	tell := newTeller("recording blocks", l.Program(), opt.Progress)
	q := method.Question{Methods: []string{volume.Method}, Progress: tell.done}
	if q.Limits, err = tell.limits(opt.MaxInstructions); err != nil {
		return nil, err
	}
	r, err := analysis.Run(ctx, source(on), m, q)
	if err != nil {
		return nil, explainOf(on, err)
	}
	var largest *analysis.MakespanProblem
	for i := range r.Path.Classes {
		p, err := analysis.Makespans(r, analysis.MakespanOptions{Class: i, Blocks: opt.Blocks})
		if err != nil {
			return nil, explainOf(on, err)
		}
		if largest == nil || p.VolumeCycles > largest.VolumeCycles {
			largest = p
		}
	}
	if largest == nil {
		return nil, fmt.Errorf("%s: nothing is recorded of its blocks", on.File.Path)
	}
	out := &LaunchMakespan{Kernel: largest.Kernel, Warps: largest.Warps, Ignored: largest.Ignored, VolumeCycles: largest.VolumeCycles}
	deadline := time.Now().Add(cmp.Or(c.Timeout, study.DefaultTimeout))
	c.Eager = study.DefaultEager / time.Duration(max(1, len(largest.Sections)))
	for i := range largest.Sections {
		s := &largest.Sections[i]
		section := MakespanSection{First: s.First, Count: s.Count, Warps: s.Warps, VolumeCycles: s.Volume.Cycles, Why: s.Why}
		if s.Instance != nil {
			c.Timeout = max(time.Until(deadline)/time.Duration(len(largest.Sections)-i), time.Millisecond)
			if section.Result, err = runMakespan(ctx, s.Instance, c); err != nil {
				return nil, err
			}
		}
		out.Sections = append(out.Sections, section)
	}
	return out, exit(on)
}

// config checks the options.
func (o *MakespanOptions) config() (study.Config, error) {
	c := study.Config{Methods: o.Methods, Timeout: o.Timeout, MemoryBytes: o.MemoryBytes}
	for _, name := range o.Methods {
		if err := oneOf("Methods", name, append([]string{study.All}, study.Methods()...)...); err != nil {
			return c, err
		}
	}
	if o.Timeout < 0 || o.MemoryBytes < 0 || o.Warps < 0 || o.WarpSize < 0 || o.Blocks < 0 {
		return c, fmt.Errorf("options Timeout %v, MemoryBytes %d, Warps %d, WarpSize %d, Blocks %d: expected 0 or more", o.Timeout, o.MemoryBytes, o.Warps, o.WarpSize, o.Blocks)
	}
	if o.Progress != nil {
		tell := newTeller("", nil, o.Progress)
		c.Progress = func(method string, done, total int64) {
			tell.change(func(p *Progress) { p.Task, p.Done, p.Total = method, done, total })
		}
	}
	return c, nil
}

// runMakespan runs the methods. An interrupted study has no result.
func runMakespan(ctx context.Context, in *makespan.Instance, c study.Config) (*MakespanResult, error) {
	s, err := study.Run(ctx, in, c)
	if err != nil {
		return nil, explain(err)
	}
	out := &MakespanResult{String: in.Text(), Warps: in.Warps}
	for i := range s.Rows {
		r := &s.Rows[i]
		out.Figures = append(out.Figures, MakespanFigure{Method: r.Method, Cycles: r.Cycles, Kind: string(r.Kind), Theorem: r.Theorem, Note: r.Note, Unfinished: r.Unfinished})
	}
	out.Best, out.Exact = out.figure(s.Best), out.figure(s.Exact)
	return out, nil
}

// figure is the figure of an answer, nil where there is none.
func (r *MakespanResult) figure(a *study.Answer) *MakespanFigure {
	if a == nil {
		return nil
	}
	for i := range r.Figures {
		if f := &r.Figures[i]; f.Method == a.Method && f.Cycles == a.Cycles {
			return f
		}
	}
	return &MakespanFigure{Method: a.Method, Cycles: a.Cycles}
}
