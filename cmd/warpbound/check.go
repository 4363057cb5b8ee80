package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newCheck() *cobra.Command {
	var (
		out    output
		source sourceFlags
	)
	cmd := command("check", "check FILE...", "Say what files are and what is wrong with them", func(cmd *cobra.Command, args []string) error {
		r, err := warpbound.Check(cmd.Context(), args, warpbound.CheckOptions{Defines: source.macros(), Include: source.include})
		if err != nil {
			return err
		}
		doc, err := r.Report()
		if err := out.print(cmd, doc, err); err != nil {
			return err
		}
		if !r.OK() {
			return errFound
		}
		return nil
	})
	out.flags(cmd, false)
	source.flags(cmd)
	watchFlag(cmd)
	return cmd
}
