package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newCFG() *cobra.Command {
	var (
		out       output
		opt       warpbound.CFGOptions
		dot, list bool
	)
	cmd := command("cfg", "cfg LAUNCH", "Show control flow, loops and observed divergence", func(cmd *cobra.Command, args []string) error {
		l, err := warpbound.Open(args[0])
		if err != nil {
			return err
		}
		flow, err := watched(cmd, &opt, &opt.Progress, l.CFG)
		if err != nil {
			return err
		}
		if dot {
			return out.raw(cmd, []byte(flow.Dot()))
		}
		doc, err := flow.Report(list)
		return out.print(cmd, doc, err)
	})
	out.flags(cmd, false)
	limitFlag(cmd, &opt.MaxInstructions)
	cmd.Flags().BoolVar(&list, "instructions", false, "also list every instruction")
	cmd.Flags().BoolVar(&dot, "dot", false, "print a graph for Graphviz")
	exclusive(cmd, "dot", "json")
	exclusive(cmd, "dot", "instructions")
	return cmd
}
