package warpbound

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/host"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/report"
)

// MakespanOptions choose what Makespan computes. For a string Warps is needed; the zero
// value of a launch asks for one block on [DefaultGPU].
type MakespanOptions struct {
	// Warps, WarpSize and Units are of an instruction string: how many warps of how many
	// threads (0 is 32), and the units of each letter in threads a cycle ("" is
	// "L=16,C=32", those of Berezovskyi2012, Section 3).
	Warps, WarpSize int64
	Units           string
	// GPU, Blocks and MaxInstructions are of a launch: nil for DefaultGPU, how many
	// equal blocks are on the SM together (0 is 1), and after how many instructions an
	// execution ends with ErrInstructionLimit.
	GPU             *gpu.Machine
	Blocks          int64
	MaxInstructions int64

	// Methods of [MakespanMethods], and All; nil for those that take seconds at most.
	Methods []string
	// Solver of [MakespanSolvers] solves integer linear programmes, "" for the first.
	Solver string
	// Form of [MakespanForms] is that of the integer linear programme: of what Export
	// writes, "" being the first, and without Export a method more.
	Form string
	// Export is where the integer linear programme is written in LP format; may be nil.
	Export io.Writer

	Schedule bool // report a schedule that takes as long as the exact worst case
	Gantt    bool // look for such a schedule, for MakespanReport.Gantt
	// Curve asks for the published estimate from 1 to this many warps. Exact methods
	// that are named are run on each of these then, and not on all warps.
	Curve int64
	Times bool // report how long methods took: the one thing that differs between runs

	// Timeout is for all methods together, 0 for DefaultMakespanTimeout; MemoryBytes for
	// each, 0 for 4 GiB, or less where the machine has less free.
	Timeout     time.Duration
	MemoryBytes int64
	Progress    func(Progress) // told now and then how far it is; may be nil
}

// DefaultMakespanTimeout is for all methods together.
const DefaultMakespanTimeout = study.DefaultTimeout

// defaultUnits are those of Berezovskyi2012, Section 3, compute capability 2.0.
const defaultUnits = "L=16,C=32"

// MakespanMethods names the methods for makespans.
func MakespanMethods() []string { return study.Methods() }

// MakespanSolvers names the solvers of integer linear programmes.
func MakespanSolvers() []string { return study.Solvers() }

// MakespanForms names the forms of the integer linear programme.
func MakespanForms() []string { return study.Forms() }

// Makespan bounds the worst-case makespan of identical warps on one SM, whatever the
// order in which a work-conserving scheduler executes them (Berezovskyi2012). A letter
// of text is an instruction on a kind of unit; a count repeats the letter or the group
// before it, as in L2C(LC)10.
//
// Where the context ends, the result has what was finished, beside the error.
func Makespan(ctx context.Context, text string, opt MakespanOptions) (*MakespanResult, error) {
	c, err := opt.config()
	if err != nil {
		return nil, err
	}
	in, err := opt.instance(text)
	if err != nil {
		return nil, err
	}
	return opt.run(ctx, in, c, opt.shown(opt.Units == ""))
}

// shown says what reports show.
func (o *MakespanOptions) shown(defaultUnits bool) report.MakespanOptions {
	return report.MakespanOptions{Times: o.Times, Schedule: o.Schedule, DefaultUnits: defaultUnits}
}

// instance reads a string.
func (o *MakespanOptions) instance(text string) (*makespan.Instance, error) {
	const instead = "a string has units, warps and a warp size instead"
	switch {
	case o.GPU != nil:
		return nil, &OptionError{Option: "GPU", Msg: instead}
	case o.Blocks != 0:
		return nil, &OptionError{Option: "Blocks", Value: o.Blocks, Msg: instead}
	case o.MaxInstructions != 0:
		return nil, &OptionError{Option: "MaxInstructions", Value: o.MaxInstructions, Msg: instead}
	}
	pattern, err := makespan.ParseString(text)
	if err != nil {
		return nil, err
	}
	if o.Warps == 0 {
		return nil, &OptionError{Option: "Warps", Msg: "no number, expected how many warps execute " + text}
	}
	units, err := makespan.ParseUnits(cmp.Or(o.Units, defaultUnits))
	if err != nil {
		return nil, &OptionError{Option: "Units", Msg: err.Error()}
	}
	in, err := pattern.Instance(units, cmp.Or(o.WarpSize, 32), o.Warps)
	var (
		unit   *makespan.UnitError
		syntax *makespan.SyntaxError
	)
	switch {
	case errors.As(err, &unit):
		return nil, &OptionError{Option: "Units", Msg: err.Error()}
	case o.Units == "" && errors.As(err, &syntax) && syntax.Letter != 0:
		return nil, fmt.Errorf("%w; the units of others have to be stated", err)
	case err != nil:
		return nil, err
	}
	return in, o.curveFits(in)
}

func (o *MakespanOptions) curveFits(in *makespan.Instance) error {
	if o.Curve > in.Warps {
		return &OptionError{Option: "Curve", Value: o.Curve, Msg: fmt.Sprintf("expected 1 to %d, the number of warps", in.Warps)}
	}
	return nil
}

// config checks the options.
func (o *MakespanOptions) config() (study.Config, error) {
	c := study.Config{Methods: slices.Clone(o.Methods), Solver: o.Solver, Timeout: o.Timeout, Witness: o.Schedule || o.Gantt}
	for _, name := range o.Methods {
		if err := oneOf("Methods", name, append([]string{study.All}, study.Methods()...)...); err != nil {
			return c, err
		}
	}
	if err := oneOf("Solver", cmp.Or(o.Solver, study.Solvers()[0]), study.Solvers()...); err != nil {
		return c, err
	}
	if o.Solver != "" && o.Form == "" && !slices.ContainsFunc(o.Methods, solved) {
		return c, &OptionError{Option: "Solver", Value: o.Solver, Msg: "no integer linear programme to solve, expected a form, or one of the methods ilp-" + strings.Join(study.Forms(), ", ilp-")}
	}
	if o.Form != "" {
		if err := oneOf("Form", o.Form, study.Forms()...); err != nil {
			return c, err
		}
		if o.Export == nil {
			c.Methods = append(c.Methods, "ilp-"+o.Form)
		}
	}
	if c.Witness && len(c.Methods) > 0 && !slices.ContainsFunc(c.Methods, exactMethod) {
		option := "Schedule"
		if !o.Schedule {
			option = "Gantt"
		}
		return c, &OptionError{Option: option, With: "Methods", Msg: "no exact method to give a schedule, expected one of " + conf.List(study.ExactMethods())}
	}
	for _, n := range []struct {
		option string
		value  int64
	}{{"Warps", o.Warps}, {"WarpSize", o.WarpSize}, {"Blocks", o.Blocks}, {"Curve", o.Curve}, {"MemoryBytes", o.MemoryBytes}} {
		if err := atLeast(n.option, n.value, 0); err != nil {
			return c, err
		}
	}
	if o.Timeout < 0 {
		return c, &OptionError{Option: "Timeout", Value: o.Timeout, Msg: "expected more than 0s"}
	}
	var err error
	if c.MemoryBytes, err = o.memory(host.FreeMemory()); err != nil {
		return c, err
	}
	if o.Progress != nil {
		tell := newTeller("", nil, o.Progress)
		c.Progress = func(method string, done, total int64) {
			tell.change(func(p *Progress) { p.Task, p.Done, p.Total = method, done, total })
		}
	}
	return c, nil
}

// exactMethod says whether a method is for the points of a curve, where there is one,
// and not for all warps.
func exactMethod(method string) bool {
	return method == study.All || slices.Contains(study.ExactMethods(), method)
}

// solved says whether a method solves an integer linear programme.
func solved(method string) bool { return method == study.All || strings.HasPrefix(method, "ilp-") }

// leastMemoryBytes is the budget where nothing is free.
const leastMemoryBytes = 1 << 20

// memory is the budget of a method on a machine that has so many bytes free: what it
// does not have would end the process where it is touched.
func (o *MakespanOptions) memory(free int64) (int64, error) {
	switch {
	case o.MemoryBytes == 0:
		// Not 0, which methods take for a default of their own.
		return max(min(study.DefaultMemoryBytes, free/4*3), leastMemoryBytes), nil
	case o.MemoryBytes > free && free < math.MaxInt64:
		return 0, &OptionError{Option: "MemoryBytes", Value: o.MemoryBytes, Msg: fmt.Sprintf("expected at most the %d MiB that this machine has free", free>>20)}
	}
	return o.MemoryBytes, nil
}

// export writes the integer linear programme.
func (o *MakespanOptions) export(in *makespan.Instance) error {
	if o.Export == nil {
		return nil
	}
	const smallest = "counts"
	err := study.ExportLP(o.Export, in, cmp.Or(o.Form, study.Forms()[0]))
	var limit *makespan.LimitError
	switch {
	case errors.As(err, &limit) && o.Form != smallest:
		return &OptionError{Option: "Export", Msg: err.Error() + "; the form " + smallest + " is smaller"}
	case limit != nil:
		return &OptionError{Option: "Export", Msg: err.Error()}
	}
	return err
}

// run makes the study and the curve. Where the context ends it returns what was
// finished, too.
func (o *MakespanOptions) run(ctx context.Context, in *makespan.Instance, c study.Config, shown report.MakespanOptions) (*MakespanResult, error) {
	if err := o.export(in); err != nil {
		return nil, err
	}
	points := c
	if o.Curve > 0 {
		c.Methods = slices.DeleteFunc(slices.Clone(c.Methods), exactMethod)
	}
	s, err := study.Run(ctx, in, c)
	var curve *study.Curve
	if err == nil && o.Curve > 0 {
		curve, err = study.Trace(ctx, in, points, o.Curve)
	}
	if s == nil || err != nil && ctx.Err() == nil {
		return nil, explain(err)
	}
	return newMakespanResult(s, curve, shown), err
}
