package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound/internal/conf"
	"github.com/warpbound/warpbound/internal/method/makespan"
	"github.com/warpbound/warpbound/internal/method/makespan/study"
	"github.com/warpbound/warpbound/internal/plot"
	"github.com/warpbound/warpbound/internal/report"
)

// fermi are the units of Berezovskyi2012, Section 3, compute capability 2.0: the
// units of a string of L and C for which none are stated.
const fermi = "L=16,C=32"

// makespanFlags are what the user asks for.
type makespanFlags struct {
	warps    int64
	units    string
	warpSize int64
	methods  []string
	solver   string
	form     string
	memory   memoryFlag
	timeout  time.Duration
	schedule bool
	gantt    string
	curve    int64
	plot     string
	export   string
	times    bool
	launch   launchFlags
	// given are the flags of the command line.
	given func(name string) bool
}

func newMakespan() *cobra.Command {
	var (
		out output
		f   makespanFlags
	)
	cmd := &cobra.Command{
		Use:   "makespan STRING|LAUNCH",
		Short: "Bound the time of identical warps on one SM",
		Long: `Bound the worst-case makespan of identical warps that execute one string of
instructions on one SM, whatever the order in which a work-conserving scheduler
executes them (Berezovskyi2012). A letter is an instruction on a kind of unit; a
count repeats the letter or the group before it, as in L2C(LC)10.

The published pessimistic figure is not a bound where a unit serves several
warps at once, and the published estimate is none at all; both are printed with
what speaks against them. A safe bound is always given.

The warps of a launch file are abstracted to such strings by the units of the
GPU, and the sections between barriers bounded one by one. What the model leaves
out of the kernel and the GPU is listed; where it leaves out anything, the
figures are of the model, and analyze --method makespan bounds the kernel.`,
		Example: `  warpbound makespan LLC --warps 4 --schedule
  warpbound makespan LLCLL --units L=32,C=32 --warps 600 --curve 8 --plot fig6.svg
  warpbound makespan examples/basic/saxpy/saxpy.toml --gpu examples/gpu/single-cycle.toml`,
		Args:              operands("STRING|LAUNCH"),
		ValidArgsFunction: launchFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = cmd.Flags().Changed
			config, err := f.config()
			if err != nil {
				return err
			}
			if err := f.launch.check(cmd, args[0]); err != nil {
				return err
			}
			doc, err := f.document(cmd.Context(), args[0], config)
			if doc == nil || err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
			if err == nil {
				// A file that cannot be written is a wrong command, which has no report.
				if err = f.pictures(doc); err != nil && !errors.Is(err, errFound) {
					return err
				}
			}
			if outErr := out.writeAnyway(cmd, doc.Document()); outErr != nil {
				return outErr
			}
			if err == nil && out.csv && doc.CurveStopped() != "" {
				// The other forms have a place for it.
				err = fmt.Errorf("--csv: the curve ends early: %s%w", doc.CurveStopped(), errFound)
			}
			return err
		},
	}
	out.flags(cmd, true)
	f.flags(cmd)
	// A schedule has no place among values.
	exclusive(cmd, "csv", "schedule")
	return cmd
}

// document is what the command prints of a string or a launch. The error is that of
// an interruption, where the document has what was finished.
func (f *makespanFlags) document(ctx context.Context, arg string, c study.Config) (*report.MakespanDocument, error) {
	if isLaunch(arg) {
		return f.runLaunch(ctx, arg, c)
	}
	in, err := f.instance(arg)
	if err != nil {
		return nil, err
	}
	return f.run(ctx, in, c)
}

func (f *makespanFlags) flags(cmd *cobra.Command) {
	methods := append([]string{study.All}, study.Methods()...)
	cmd.Flags().Int64Var(&f.warps, "warps", 0, "number of warps")
	cmd.Flags().StringVar(&f.units, "units", "", "units of each kind, in threads a cycle (default "+fermi+", for strings of L and C)")
	cmd.Flags().Int64Var(&f.warpSize, "warp-size", 32, "threads of a warp")
	cmd.Flags().StringSliceVar(&f.methods, "method", nil, "methods to use: all, or of "+strings.Join(study.Methods(), ", ")+" (default: those that take seconds at most)")
	cmd.Flags().StringVar(&f.solver, "solver", "", "solver of the integer linear programme: "+conf.List(study.Solvers())+" (default "+study.Solvers()[0]+")")
	cmd.Flags().StringVar(&f.form, "form", "", "form of the integer linear programme, "+conf.List(study.Forms())+": the form that --export writes (default short), without it a method more")
	cmd.Flags().StringVar((*string)(&f.memory), "memory", "", "memory that a method may use, such as 512MiB; CBC and GLPK ignore it (default 4GiB, or less where the machine has less free)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", study.DefaultTimeout, "time that all methods together may use")
	cmd.Flags().BoolVar(&f.schedule, "schedule", false, "print a schedule that takes as long as the exact worst case")
	cmd.Flags().StringVar(&f.gantt, "gantt", "", "draw that schedule into this SVG file")
	cmd.Flags().Int64Var(&f.curve, "curve", 0, "print the published estimate from 1 to this many warps; exact methods that are named are run on each of these, and not on all warps")
	cmd.Flags().StringVar(&f.plot, "plot", "", "draw the curve into this PNG or SVG file")
	cmd.Flags().StringVar(&f.export, "export", "", "write the integer linear programme into this file, in LP format")
	f.launch.flags(cmd)
	cmd.Flags().BoolVar(&f.times, "times", false, "print how long methods took")
	_ = cmd.RegisterFlagCompletionFunc("method", words(methods...))
	_ = cmd.RegisterFlagCompletionFunc("solver", words(study.Solvers()...))
	_ = cmd.RegisterFlagCompletionFunc("form", words(study.Forms()...))
}

// config checks the flags.
func (f *makespanFlags) config() (study.Config, error) {
	c := study.Config{Methods: f.methods, Solver: f.solver, Timeout: f.timeout, Witness: f.schedule || f.gantt != ""}
	for _, m := range f.methods {
		if err := oneOf("method", m, append([]string{study.All}, study.Methods()...)...); err != nil {
			return c, err
		}
	}
	if err := oneOf("solver", cmp.Or(f.solver, study.Solvers()[0]), study.Solvers()...); err != nil {
		return c, err
	}
	if f.solver != "" && f.form == "" && !slices.ContainsFunc(f.methods, solved) {
		return c, fmt.Errorf("--solver %s: no integer linear programme to solve, expected --form, or --method with one of ilp-%s",
			f.solver, strings.Join(study.Forms(), ", ilp-"))
	}
	if f.form != "" {
		if err := oneOf("form", f.form, study.Forms()...); err != nil {
			return c, err
		}
		if f.export == "" {
			c.Methods = append(c.Methods, "ilp-"+f.form)
		}
	}
	var err error
	if c.MemoryBytes, err = f.memory.bytes(study.DefaultMemoryBytes); err != nil {
		return c, err
	}
	if f.timeout <= 0 {
		return c, fmt.Errorf("--timeout %v: expected more than 0s", f.timeout)
	}
	if err := f.files(); err != nil {
		return c, err
	}
	if c.Witness && len(c.Methods) > 0 && !slices.ContainsFunc(c.Methods, exactMethod) {
		return c, fmt.Errorf("--schedule and --gantt: no exact method to give a schedule, expected one of %s in --method", conf.List(study.ExactMethods()))
	}
	if f.plot != "" {
		if f.curve == 0 {
			return c, fmt.Errorf("--plot %s: no curve to draw, expected --curve too", f.plot)
		}
		if _, err := plot.Format(f.plot); err != nil {
			return c, fmt.Errorf("--plot: %w", err)
		}
	}
	return c, nil
}

// exactMethod says whether a method is for the points of a curve, where there is
// one, and not for all warps.
func exactMethod(method string) bool {
	return method == study.All || slices.Contains(study.ExactMethods(), method)
}

// solved says whether a method solves an integer linear programme.
func solved(method string) bool { return method == study.All || strings.HasPrefix(method, "ilp-") }

// instance reads the string.
func (f *makespanFlags) instance(text string) (*makespan.Instance, error) {
	pattern, err := makespan.ParseString(text)
	if err != nil {
		return nil, err
	}
	if !f.given("warps") {
		return nil, fmt.Errorf("no --warps, expected how many warps execute %s", text)
	}
	if err := atLeast("warps", f.warps, 1); err != nil {
		return nil, err
	}
	if err := atLeast("warp-size", f.warpSize, 1); err != nil {
		return nil, err
	}
	stated := f.units
	if stated == "" {
		stated = fermi
	}
	units, err := makespan.ParseUnits(stated)
	if err != nil {
		return nil, fmt.Errorf("--units: %w", err)
	}
	in, err := pattern.Instance(units, f.warpSize, f.warps)
	var (
		unit   *makespan.UnitError
		syntax *makespan.SyntaxError
	)
	switch {
	case errors.As(err, &unit):
		return nil, fmt.Errorf("--units: %w", err)
	case f.units == "" && errors.As(err, &syntax) && syntax.Letter != 0:
		return nil, fmt.Errorf("%w; --units states others", err)
	case err != nil:
		return nil, err
	}
	return in, f.curveFits(in)
}

func (f *makespanFlags) curveFits(in *makespan.Instance) error {
	if f.given("curve") && (f.curve < 1 || f.curve > in.Warps) {
		return fmt.Errorf("--curve %d: expected 1 to %d, the number of warps", f.curve, in.Warps)
	}
	return nil
}

// run makes the study and the curve. The error is that of an interruption, where
// the document has what was finished.
func (f *makespanFlags) run(ctx context.Context, in *makespan.Instance, c study.Config) (*report.MakespanDocument, error) {
	if f.export != "" {
		if err := f.exportLP(in); err != nil {
			return nil, err
		}
	}
	show := f.watch(&c)
	points := c
	if f.curve > 0 {
		c.Methods = slices.DeleteFunc(slices.Clone(c.Methods), exactMethod)
	}
	s, err := study.Run(ctx, in, c)
	var curve *study.Curve
	if err == nil && f.curve > 0 {
		curve, err = study.Trace(ctx, in, points, f.curve)
	}
	show()
	if s == nil {
		return nil, internalFault(err)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, internalFault(err)
	}
	return report.Makespan(s, curve, f.options()), err
}

// watch shows the progress of methods until the function it returns is called.
func (f *makespanFlags) watch(c *study.Config) func() {
	var bar *progress
	running := ""
	c.Progress = func(method string, done, total int64) {
		if method != running {
			if bar != nil {
				bar.close()
			}
			bar, running = newProgress(method), method
		}
		bar.update(done, total)
	}
	return func() {
		if bar != nil {
			bar.close()
		}
	}
}

// internalFault gives a contradiction between methods the exit code of something
// found: nothing is wrong with the command line.
func internalFault(err error) error {
	if fault := (*study.ContradictionError)(nil); errors.As(err, &fault) {
		return fmt.Errorf("%w%w", fault, errFound)
	}
	return err
}

func (f *makespanFlags) options() report.MakespanOptions {
	return report.MakespanOptions{Times: f.times, Schedule: f.schedule, DefaultUnits: f.units == ""}
}

// exportLP writes the integer linear programme.
func (f *makespanFlags) exportLP(in *makespan.Instance) error {
	var text bytes.Buffer
	if err := study.ExportLP(&text, in, cmp.Or(f.form, "short")); err != nil {
		var limit *makespan.LimitError
		if counts := "counts"; errors.As(err, &limit) && f.form != counts {
			err = fmt.Errorf("%w; --form %s is smaller", err, counts)
		}
		return fmt.Errorf("--export: %w", err)
	}
	if err := writeFile(f.export, text.Bytes()); err != nil {
		return fmt.Errorf("--export: %w", err)
	}
	return nil
}

// pictures writes the files of the witness and the curve. Nothing of the command
// line is wrong where there is none to draw, which is an errFound, unlike a file
// that cannot be written.
func (f *makespanFlags) pictures(doc *report.MakespanDocument) error {
	if f.gantt != "" {
		picture, err := report.MakespanGantt(doc)
		if err != nil {
			return fmt.Errorf("--gantt: %w%w", err, errFound)
		}
		if err := writeFile(f.gantt, picture); err != nil {
			return fmt.Errorf("--gantt: %w", err)
		}
	}
	if f.plot != "" {
		format, err := plot.Format(f.plot)
		if err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
		picture, err := report.MakespanPlot(doc, format)
		if err != nil {
			return fmt.Errorf("--plot: %w%w", err, errFound)
		}
		if err := writeFile(f.plot, picture); err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
	}
	return nil
}

// files refuses files that cannot be written before anything is computed for them.
func (f *makespanFlags) files() error {
	if f.gantt != "" && !strings.EqualFold(filepath.Ext(f.gantt), ".svg") {
		return fmt.Errorf("--gantt %s: expected a name that ends in .svg", f.gantt)
	}
	for _, of := range []struct{ flag, name string }{{"gantt", f.gantt}, {"plot", f.plot}, {"export", f.export}} {
		if of.name == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(of.name)); err != nil || !info.IsDir() {
			return fmt.Errorf("--%s %s: no such directory", of.flag, of.name)
		}
		if info, err := os.Stat(of.name); err == nil && info.IsDir() {
			return fmt.Errorf("--%s %s: a directory, expected the name of a file", of.flag, of.name)
		}
	}
	return nil
}
