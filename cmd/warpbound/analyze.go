package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newAnalyze() *cobra.Command {
	var (
		out     output
		machine machineFlags
		opt     warpbound.AnalyzeOptions
		methods []string
		explain bool
		proof   string
		code    string
		gate    gateFlags
		facts   factFlags
		kernel  kernelFlags
	)
	cmd := command("analyze", "analyze LAUNCH...", "Bound the time of a launch, with breakdown and assumptions", func(cmd *cobra.Command, args []string) error {
		if err := gate.check(cmd); err != nil {
			return err
		}
		if err := facts.several(cmd, args); err != nil {
			return err
		}
		if facts.suggest {
			return facts.observed(cmd, &out, &machine, opt.MaxInstructions, args)
		}
		if n := count(opt.Loops, opt.By != "", opt.WhatIf); out.csv && n != 1 {
			return errors.New("--csv: the tables of values are the loops, where cycles go, and what changes, expected --loops, --by or --what-if, and one of them")
		}
		if err := codeFile(cmd, code, &opt); err != nil {
			return err
		}
		m, err := machine.machine()
		if err != nil {
			return err
		}
		opt.GPU = m
		if opt.Methods = methods; !cmd.Flags().Changed("method") {
			opt.Methods = nil
		}
		analyze, err := kernel.analyze(cmd, args[0])
		if err != nil {
			return err
		}
		a, err := watched(cmd, &opt, &opt.Progress, analyze)
		if a == nil {
			return err
		}
		if len(a.Scopes) == 0 { // the loops are all that is known
			doc, docErr := a.Report(false)
			if printed := out.print(cmd, doc, docErr); printed != nil {
				return printed
			}
			return &gateError{exitThisInput, []string{err.Error()}}
		}
		if err := writeCertificate(cmd, a, proof); err != nil {
			return err
		}
		if err := writeFormula(a, code); err != nil {
			return err
		}
		if err := facts.write(a.FlowFacts()); err != nil {
			return err
		}
		doc, docErr := a.Report(explain)
		if err := reported(out.print(cmd, doc, docErr), err); err != nil {
			return err
		}
		return gate.judge([]figure{figureOf(args[0], a)})
	})
	out.flags(cmd, true)
	cmd.Flags().BoolVar(&opt.WhatIf, "what-if", false, "also list what becomes of the bound where one thing is changed: of the GPU, a class of instructions, an access, a barrier, the blocks per SM")
	byFlags(cmd, &opt.By, &opt.Annotate, "also list where the cycles of the bound go")
	cmd.Flags().BoolVar(&opt.Loops, "loops", false, "also list the loops, with their bounds and where those come from")
	machine.flags(cmd)
	limitFlag(cmd, &opt.MaxInstructions)
	frontEndFlags(cmd, &opt.FrontEnd)
	gate.flags(cmd)
	kernel.flags(cmd)
	cmd.Flags().StringSliceVar(&methods, "method", []string{warpbound.All}, "methods to compute: all, or of "+strings.Join(methodsFor("plain"), ", "))
	_ = cmd.RegisterFlagCompletionFunc("method", words(append([]string{warpbound.All}, methodsFor("plain")...)...))
	cmd.Flags().StringVar(&opt.L1Order, "l1-order", warpbound.L1None, "how global accesses reach the L1 data cache: "+warpbound.L1None+" (no caches) or "+warpbound.L1Reorder+" (in an enforced order)")
	_ = cmd.RegisterFlagCompletionFunc("l1-order", words(warpbound.L1None, warpbound.L1Reorder))
	cmd.Flags().StringVar(&opt.Policy, "policy", "", "bound the launch under this policy, by its turns")
	_ = cmd.RegisterFlagCompletionFunc("policy", words(warpbound.Policies()...))
	cmd.Flags().BoolVar(&explain, "explain", false, "also print the phases of the slowest warp, what each assumption says, and why methods give no bound")
	cmd.Flags().StringVar(&proof, "certificate", "", "write the certificate of the bound by sum to this file, for warpbound certify")
	cmd.Flags().StringSliceVar(&opt.Parametric, "parametric", nil, "also give the bound as a formula in these scalar arguments and in grid.x, grid.y, grid.z, block.x, block.y, block.z, each with a range")
	cmd.Flags().StringVar(&code, "parametric-code", "", "write the formula as a function to this file, in C (.c) or Go (.go)")
	facts.flags(cmd)
	watchFlag(cmd)
	return cmd
}

// count is how many are true.
func count(list ...bool) int {
	n := 0
	for _, yes := range list {
		if yes {
			n++
		}
	}
	return n
}
