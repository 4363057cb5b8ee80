package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newPrem() *cobra.Command {
	var (
		out     output
		machine machineFlags
		plan    planFlags
		code    warpbound.PremEmitOptions
		times   scheduleFlags
		explain bool
		trace   traceFlags
	)
	cmd := command("prem", "prem FILE.c", "Cut OpenMP loops into memory and compute phases", func(cmd *cobra.Command, args []string) error {
		m, errGPU := machine.machine()
		opt, errFlags := plan.options(m)
		traced, errTrace := trace.options()
		if err := errors.Join(errGPU, errFlags, errTrace); err != nil {
			return err
		}
		times.opt.Trace = traced
		p, err := warpbound.Prem(cmd.Context(), args[0], opt)
		if err != nil {
			return err
		}
		if err := errors.Join(out.apart(p.Headers), apart("trace", trace.file, p.Headers)); err != nil {
			return err
		}
		switch {
		case code.Emit != "":
			return writeCode(cmd, &out, p, code)
		case times.opt.Schedule != "":
			s, err := times.run(cmd, p, &code)
			if err != nil {
				return trace.done(nil, err, cmd.ErrOrStderr())
			}
			if err := trace.done(s.Trace, nil, cmd.ErrOrStderr()); err != nil {
				return err
			}
			doc, err := s.Report(explain)
			return out.print(cmd, doc, err)
		}
		doc, err := p.Report(explain)
		return out.print(cmd, doc, err)
	})
	cmd.ValidArgsFunction = cFiles
	out.flags(cmd, false)
	machine.flags(cmd)
	machine.gpu = warpbound.DefaultPremGPU
	cmd.Flags().Lookup("gpu").DefValue = warpbound.DefaultPremGPU
	plan.flags(cmd)
	emitFlags(cmd, &code)
	times.flags(cmd)
	trace.flags(cmd)
	needs(cmd, []string{"trace"}, "only kernels with the guard are traced", "guarded")
	cmd.Flags().BoolVar(&explain, "explain", false, "also print loops, accesses, footprints, and how the tiles were found; with --schedule, what the bounds consist of and rest on")
	exclusive(cmd, "emit", "schedule")
	exclusive(cmd, "emit", "explain")
	exclusive(cmd, "emit", "json")
	return cmd
}

func cFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"c"}, cobra.ShellCompDirectiveFilterFileExt
}
