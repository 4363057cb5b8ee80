package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/conf"
)

func newMakespan() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.MakespanOptions
		memory  string
		files   makespanFiles
	)
	cmd := command("makespan", "makespan STRING|LAUNCH", "Bound the time of identical warps on one SM", func(cmd *cobra.Command, args []string) error {
		if err := files.options(&opt); err != nil {
			return err
		}
		if opt.Timeout <= 0 {
			return fmt.Errorf("--timeout %v: expected more than 0s", opt.Timeout)
		}
		if memory != "" {
			var err error
			if opt.MemoryBytes, err = parseBytes("memory", memory); err != nil {
				return err
			}
		}
		r, err := makespanOf(cmd, args[0], &machine, &opt)
		if r == nil {
			return err
		}
		if drawErr := files.write(r, err == nil); drawErr != nil {
			err = drawErr
		}
		if err := out.finished(cmd, "", r.Report, err); err != nil {
			return err
		}
		if why := r.CurveStopped(); out.csv && why != "" { // the other forms have a place for it
			return fmt.Errorf("--csv: the curve ends early: %s%w", why, errFound)
		}
		return nil
	})
	cmd.ValidArgsFunction = launchFiles
	methods, solvers, forms := warpbound.MakespanMethods(), warpbound.MakespanSolvers(), warpbound.MakespanForms()
	out.flags(cmd, true)
	f := cmd.Flags()
	f.Int64Var(&opt.Warps, "warps", 0, "number of warps")
	f.StringVar(&opt.Units, "units", "", "units of each kind, in threads a cycle (default L=16,C=32, for strings of L and C)")
	f.Int64Var(&opt.WarpSize, "warp-size", 32, "threads of a warp")
	f.StringSliceVar(&opt.Methods, "method", nil, "methods to use: all, or of "+strings.Join(methods, ", ")+" (default: those that take seconds at most)")
	f.StringVar(&opt.Solver, "solver", "", "solver of the integer linear programme: "+conf.List(solvers)+" (default "+solvers[0]+")")
	f.StringVar(&opt.Form, "form", "", "form of the integer linear programme, "+conf.List(forms)+": the form that --export writes (default "+forms[0]+"), without it a method more")
	f.StringVar(&memory, "memory", "", "memory that a method may use, such as 512MiB; CBC and GLPK ignore it (default 4GiB, or less where the machine has less free)")
	f.DurationVar(&opt.Timeout, "timeout", warpbound.DefaultMakespanTimeout, "time that all methods together may use")
	f.BoolVar(&opt.Schedule, "schedule", false, "print a schedule that takes as long as the exact worst case")
	f.StringVar(&files.gantt, "gantt", "", "draw that schedule into this SVG file")
	f.Int64Var(&opt.Curve, "curve", 0, "print the published estimate from 1 to this many warps; exact methods that are named are run on each of these, and not on all warps")
	f.StringVar(&files.plot, "plot", "", "draw the curve into this PNG or SVG file")
	f.StringVar(&files.export, "export", "", "write the integer linear programme into this file, in LP format")
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	f.Int64Var(&opt.Blocks, "blocks", 1, "equal blocks of the launch that are on the SM together")
	f.BoolVar(&opt.Times, "times", false, "print how long methods took")
	_ = cmd.RegisterFlagCompletionFunc("method", words(append([]string{warpbound.All}, methods...)...))
	_ = cmd.RegisterFlagCompletionFunc("solver", words(solvers...))
	_ = cmd.RegisterFlagCompletionFunc("form", words(forms...))
	exclusive(cmd, "csv", "schedule") // a schedule has no place among values
	return cmd
}

// makespanOf bounds a string or a launch; nil where there is nothing to report.
func makespanOf(cmd *cobra.Command, arg string, machine *machineFlags, opt *warpbound.MakespanOptions) (*warpbound.MakespanReport, error) {
	launch, given := strings.HasSuffix(arg, ".toml"), cmd.Flags().Changed
	if !launch && strings.ContainsAny(arg, `./\`) {
		return nil, fmt.Errorf("%s: expected a launch file, whose name ends in .toml, or an instruction string", arg)
	}
	for _, x := range []struct {
		flag string
		n    *int64
	}{{"warps", &opt.Warps}, {"warp-size", &opt.WarpSize}, {"blocks", &opt.Blocks}, {"curve", &opt.Curve}} {
		if !given(x.flag) {
			*x.n = 0
		} else if err := atLeast(x.flag, *x.n, 1); err != nil {
			return nil, err
		}
	}
	var err error
	if launch || given("gpu") || given("set") {
		if opt.GPU, err = machine.machine(); err != nil {
			return nil, err
		}
	}
	bar := newProgress("")
	defer bar.close()
	opt.Progress = bar.told
	if !launch {
		r, err := warpbound.Makespan(cmd.Context(), arg, *opt)
		if r == nil {
			return nil, err
		}
		return &r.MakespanReport, err
	}
	l, err := warpbound.Open(arg)
	if err != nil {
		return nil, err
	}
	r, err := l.Makespan(cmd.Context(), *opt)
	if r == nil {
		return nil, err
	}
	return &r.MakespanReport, err
}
