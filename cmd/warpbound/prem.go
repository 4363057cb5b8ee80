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
	)
	cmd := &cobra.Command{
		Use:   "prem FILE.c",
		Short: "Cut OpenMP loops into memory and compute phases",
		Long: `Read C99 with OpenMP target loops, prove their iterations independent, and cut
them into intervals whose data fit the scratchpad of a GPU, so that the kernel
keeps off the memory it shares with a CPU while it computes (HePREM,
Forsberg2021; docs/prem.md).

Without other flags, print the plan of each kernel. --emit writes the kernels:
base (as OpenMP runs them), cmpt (whole tiles as memory phases), dae (loads and
stores stripped from the loops), sdma (copy loops, each element moved once). Of
several functions, ptx, clang-ptx, cuda and opencl are one text, harness and
launch are files for each in the directory of --output.
--schedule runs them in the simulator, bounds their phases, and prints the
budgets of the phases: best (as long as they take), fair (half of the time for
the CPU), or the GPU's share of the time, such as 30%. With --guarded, it also
runs them with the guard, which holds the CPU cores in memory phases, and with
--traffic, the loops as they are and the kernels with the guard beside cores
that send.`,
		Example: `  warpbound prem examples/prem/programs/gemm.c
  warpbound prem examples/prem/programs/conv2d.c --explain --spm 8192
  warpbound prem examples/prem/programs/gemm.c --emit cuda --scheme sdma
  warpbound prem examples/prem/programs/gemm.c --schedule fair --teams 2 --threads 128
  warpbound prem examples/prem/programs/jacobi1d.c --schedule best --guarded --traffic stress`,
		Args:              operands("FILE.c"),
		ValidArgsFunction: cFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, errGPU := machine.machine()
			opt, errFlags := plan.options(m)
			if err := errors.Join(errGPU, errFlags); err != nil {
				return err
			}
			p, err := warpbound.Prem(cmd.Context(), args[0], opt)
			if err != nil {
				return err
			}
			if err := out.apart(p.Headers); err != nil {
				return err
			}
			switch {
			case code.Emit != "":
				return writeCode(cmd, &out, p, code)
			case times.opt.Schedule != "":
				s, err := times.run(cmd, p, &code)
				if err != nil {
					return err
				}
				doc, err := s.Report(explain)
				return out.print(cmd, doc, err)
			}
			doc, err := p.Report(explain)
			return out.print(cmd, doc, err)
		},
	}
	out.flags(cmd, false)
	machine.flags(cmd)
	machine.gpu = warpbound.DefaultPremGPU
	cmd.Flags().Lookup("gpu").DefValue = warpbound.DefaultPremGPU
	plan.flags(cmd)
	emitFlags(cmd, &code)
	times.flags(cmd)
	cmd.Flags().BoolVar(&explain, "explain", false, "also print loops, accesses, footprints, and how the tiles were found; with --schedule, what the bounds consist of and rest on")
	exclusive(cmd, "emit", "schedule")
	exclusive(cmd, "emit", "explain")
	exclusive(cmd, "emit", "json")
	return cmd
}

func cFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"c"}, cobra.ShellCompDirectiveFilterFileExt
}
