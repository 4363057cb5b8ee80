package main

import (
	"github.com/spf13/cobra"

	"github.com/warpbound/warpbound"
)

func newVersion() *cobra.Command {
	var out output
	cmd := command("version", "version", "Print version, commit and the hash of the embedded GPU files", func(cmd *cobra.Command, _ []string) error {
		doc, err := warpbound.Version().Report()
		return out.print(cmd, doc, err)
	})
	out.flags(cmd, false)
	return cmd
}
